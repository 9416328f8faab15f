"""Science cards: what a model proposes (drafts) and what code makes of it (cards).

A card is one case: one set of controls with all readout relations over it. In a draft
expressions are infix text and every field is present, null where the source is silent.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from schemas.earlier_draft import present_draft, present_origin, present_reply
from schemas.expression import ExpressionField
from schemas.near_miss import NearMissDraft
from schemas.necessary import NecessaryClaim
from schemas.record import Identity, Name, Part, Record, Sha256

Status = Literal[
    "equality",
    "proportionality",
    "approximation",
    "prediction",
    "definition",
    "fitted",
    "qualitative",
]
FormOrigin = Literal["own", "taken_over", "textbook"]
"""Whose the form of a relation is: the paper's, a cited work's, or common knowledge."""
ConstantsOrigin = Literal["own", "chosen", "taken_over"]
"""Whose its constants are: fitted or derived in the paper, set by its authors, or of others."""
ControlKind = Literal["set", "swept", "argument", "observed"]
"""Set in an experiment, swept in a computation, the argument of a derived or fitted curve, or a
measured covariate of a regression. The last two are no manipulations and are tabulated apart."""
RangeSource = Literal["words", "table", "rows", "validity", "sweep", "axis"]
"""Where the range of a control is printed: in words, as the extremes of a whole table, in rows
or captions, as a domain of validity with two ends, as the span of a computed sweep, or as the
axis of a computed or derived curve."""
Role = Literal["constant", "fitted", "reference"]
Sampling = Literal["cartesian", "paired", "unstated"]
"""Whether the source combined its control values freely, only in pairs, or does not say."""


class Origin(Part):
    """Whose a relation is, in two parts; null where the source does not say."""

    form: FormOrigin | None
    constants: ConstantsOrigin | None

    @property
    def restated(self) -> bool:
        """Whether neither part is said to be the paper's own."""
        return self.form != "own" and self.constants not in ("own", "chosen")

    def __str__(self) -> str:
        """The two parts in words."""
        said = [("form", self.form), ("constants", self.constants)]
        return ", ".join(
            f"{part} {(value or 'not stated').replace('_', ' ')}" for part, value in said
        )


# --- drafts: what a model fills in -----------------------------------------------------------


class AnchorDraft(Part):
    """Where a fact stands in the packet, as a model claims it."""

    first_line: int
    last_line: int
    quote: str
    """8 to 300 characters copied verbatim from those lines."""
    support: str
    """A short paraphrase of what those lines say."""


class RelationDraft(Part):
    """How one readout depends on the controls."""

    readout: str
    expression: str
    """Infix text over controls, definitions and parameters."""
    status: Status
    origin: Origin
    anchors: list[AnchorDraft]


class DefinitionDraft(Part):
    """A named intermediate that relations share."""

    name: str
    meaning: str
    unit: str
    expression: str
    anchors: list[AnchorDraft]


class ConsistencyDraft(Part):
    """An identity among readouts: left = right wherever both are defined."""

    left: str
    right: str
    anchors: list[AnchorDraft]


class ControlDraft(Part):
    """A numeric quantity that the study manipulates."""

    name: str
    symbol: str
    meaning: str
    unit: str
    kind: ControlKind | None
    low: float | None
    high: float | None
    choices: list[float] | None
    range_source: RangeSource | None
    inert: bool
    """The source says that no readout depends on it."""
    anchors: list[AnchorDraft]


class ReadoutDraft(Part):
    """A measured or computed observable."""

    name: str
    symbol: str
    definition: str
    """How it is measured or computed, in operational words."""
    unit: str
    resolution: float | None
    uncertainty: float | None
    uncertainty_kind: Literal["absolute", "relative"] | None
    anchors: list[AnchorDraft]


class ParameterDraft(Part):
    """A number of the relation."""

    name: str
    symbol: str
    meaning: str
    value: float | None
    unit: str
    uncertainty: float | None
    role: Role
    fixed: bool
    """True = one value for the whole case; False = the source varies it."""
    derivation: str | None
    """Infix text over other parameters when the value is computed, not stated."""
    universal_constant: str | None
    """The name of a universal constant that the source uses without its value."""
    anchors: list[AnchorDraft]


class ConstraintDraft(Part):
    """A joint condition on the controls: expression >= 0."""

    expression: str
    meaning: str
    anchors: list[AnchorDraft]


class StatementDraft(Part):
    """One anchored sentence."""

    statement: str
    anchors: list[AnchorDraft]


class NecessaryDraft(NecessaryClaim):
    """A property that the source states as necessary."""

    anchors: list[AnchorDraft]


class ControlValue(Part):
    """The value of one control in a printed tuple, in the control's unit."""

    control: str
    value: float


class JointChoiceDraft(Part):
    """One printed tuple of control values: each control once."""

    values: list[ControlValue]
    anchors: list[AnchorDraft]


class SettingValue(Part):
    """The value of a control or parameter in a worked value, in the unit printed there."""

    name: str
    value: float
    unit: str


class WorkedValueDraft(Part):
    """A place where the source prints a setting together with what comes out of it."""

    setting: list[SettingValue]
    readout: str
    value: float
    unit: str
    """Of the value, as printed there."""
    uncertainty: float | None
    """Printed with the value, in the same unit."""
    anchors: list[AnchorDraft]


class CardDraft(Part):
    """What a model fills in for one case; nothing has a default."""

    title: str
    relations: list[RelationDraft]
    definitions: list[DefinitionDraft]
    consistency: list[ConsistencyDraft]
    controls: list[ControlDraft]
    readouts: list[ReadoutDraft]
    parameters: list[ParameterDraft]
    constraints: list[ConstraintDraft]
    sampling: Sampling
    sampling_anchors: list[AnchorDraft]
    joint_choices: list[JointChoiceDraft]
    necessary: list[NecessaryDraft]
    worked_values: list[WorkedValueDraft]
    fixed_conditions: list[StatementDraft]
    mechanisms: list[StatementDraft]
    applicability: list[StatementDraft]
    limitations: list[StatementDraft]
    aggregation: list[StatementDraft]
    sample_size: list[StatementDraft]
    claim_dependencies: list[StatementDraft]

    @model_validator(mode="before")
    @classmethod
    def _present_form(cls, data: Any, info: ValidationInfo) -> Any:
        return present_draft(data, info)


class ExtractionReply(Part):
    """The whole reply of an extractor: cards, or the reason why there are none; near misses."""

    cards: list[CardDraft]
    none_reason: str | None
    near_misses: list[NearMissDraft]

    @model_validator(mode="before")
    @classmethod
    def _present_form(cls, data: Any, info: ValidationInfo) -> Any:
        return present_reply(data, info)

    @model_validator(mode="after")
    def _one_or_other(self) -> Self:
        if bool(self.cards) == bool(self.none_reason):
            raise ValueError("give either cards or a none_reason")
        return self


# --- cards: what code admits ------------------------------------------------------------------


class Anchor(Part):
    """Where a fact stands in a packet, found there by code. The quote itself stays in the store."""

    packet_sha256: Sha256
    first_line: int
    last_line: int
    quote_sha256: Sha256
    support: str
    repaired: bool
    """The quote stood at exactly one other place; the lines are where code found it."""


Anchors = tuple[Anchor, ...]


class Range(Part):
    """A closed interval."""

    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low {self.low!r} is not below high {self.high!r}")
        return self


class Choices(Part):
    """A finite set of values, ascending."""

    choices: tuple[float, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if any(a >= b for a, b in zip(self.choices, self.choices[1:], strict=False)):
            raise ValueError(f"choices {self.choices!r} are not ascending and distinct")
        return self


Domain = Range | Choices


class Relation(Part):
    """How one readout depends on the controls."""

    readout: Name
    expression: ExpressionField
    status: Status
    origin: Annotated[Origin, BeforeValidator(present_origin)]
    anchors: Anchors


class Definition(Part):
    """A named intermediate that relations share."""

    name: Name
    meaning: str
    unit: str
    expression: ExpressionField
    anchors: Anchors


class Consistency(Part):
    """An identity among readouts: left = right wherever both are defined."""

    left: ExpressionField
    right: ExpressionField
    anchors: Anchors


class Control(Part):
    """A numeric quantity that the study manipulates."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    domain: Domain
    inert: bool
    anchors: Anchors
    kind: ControlKind | None = None
    """Null: not stated."""
    range_source: RangeSource | None = None
    """Null: not stated."""


class Readout(Part):
    """A measured or computed observable."""

    name: Name
    symbol: str
    definition: str
    unit: str
    resolution: float | None
    """Smallest step of the instrument, in `unit`, as stated by the source."""
    uncertainty: float | None
    uncertainty_kind: Literal["absolute", "relative"] | None
    anchors: Anchors


class Parameter(Part):
    """A number of the relation."""

    name: Name
    symbol: str
    meaning: str
    value: float
    unit: str
    uncertainty: float | None
    role: Role
    fixed: bool
    derivation: ExpressionField | None
    universal_constant: str | None
    """Set when the value comes from the CODATA table, not from the source."""
    anchors: Anchors


class Constraint(Part):
    """A joint condition on the controls: expression >= 0."""

    expression: ExpressionField
    meaning: str
    anchors: Anchors


class Statement(Part):
    """One anchored sentence."""

    statement: str
    anchors: Anchors


class Necessary(NecessaryClaim):
    """A property that the source states as necessary."""

    readout: Name
    control: Name | None
    anchors: Anchors


class JointChoice(Part):
    """One printed tuple of control values."""

    values: tuple[float, ...] = Field(min_length=1)
    """One value a control, in the order of the card's controls and in their units."""
    anchors: Anchors


class WorkedValue(Part):
    """A place where the source prints a setting together with what comes out of it."""

    setting: tuple[SettingValue, ...]
    readout: Name
    value: float
    unit: str
    uncertainty: float | None
    anchors: Anchors


class Card(Record):
    """An executable, anchored case. `id` is `<paper>/r<n>`."""

    not_content: ClassVar[frozenset[str]] = frozenset(
        {"extractor", "prompt_sha256", "revision", "replayed", "draft_sha256"}
    )

    paper_id: Identity
    version: int
    packet_id: Identity
    packet_sha256: Sha256
    title: str
    relations: tuple[Relation, ...] = Field(min_length=1)
    definitions: tuple[Definition, ...]
    consistency: tuple[Consistency, ...]
    controls: tuple[Control, ...] = Field(min_length=1)
    readouts: tuple[Readout, ...] = Field(min_length=1)
    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    sampling: Sampling
    sampling_anchors: Anchors
    fixed_conditions: tuple[Statement, ...]
    mechanisms: tuple[Statement, ...]
    applicability: tuple[Statement, ...]
    limitations: tuple[Statement, ...]
    aggregation: tuple[Statement, ...]
    sample_size: tuple[Statement, ...]
    claim_dependencies: tuple[Statement, ...]
    extractor: str
    """The model that answered."""
    prompt_sha256: Sha256
    revision: int
    """0 = as first extracted; 1 or 2 = after a review asked for changes."""
    replayed: bool
    draft_sha256: Sha256
    """Of the canonical JSON of the draft this card was made from; the draft stays in the store."""
    joint_choices: tuple[JointChoice, ...] = ()
    """The printed tuples of control values; empty: none is claimed."""
    necessary: tuple[Necessary, ...] = ()
    """What the source states as necessary; empty: nothing is claimed."""
    worked_values: tuple[WorkedValue, ...] = ()
    """Printed settings with their results; empty: none is claimed."""

    @model_validator(mode="after")
    def _one_value_a_control(self) -> Self:
        for i, choice in enumerate(self.joint_choices):
            if len(choice.values) != len(self.controls):
                raise ValueError(
                    f"joint_choices/{i} has {len(choice.values)} values for"
                    f" {len(self.controls)} controls"
                )
        return self
