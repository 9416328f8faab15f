"""Families: a pair of worlds forged from one card, with designs, truth and certificates."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from schemas.card import ControlKind, Domain
from schemas.expression import ExpressionField
from schemas.necessary import NecessaryClaim
from schemas.record import Identity, Name, Part, Record, Sha256
from schemas.source import ReasonCode

Environment = Literal["original", "counterfactual"]
FamilyKind = Literal["temporal", "historical"]
MoveKind = Literal[
    "coefficient",
    "exponent",
    "transform",
    "interaction",
    "operator_swap",
    "term_added",
    "term_removed",
    "historical_parameter",
    "historical_correction",
]
Stratum = Literal["easy", "medium", "hard"]
Values = tuple[float, ...]


class LawParameter(Part):
    """A named number of a relation set."""

    name: Name
    symbol: str
    value: float
    unit: str
    mutable: bool
    """False for unit conversions and universal constants: no move touches them."""


class LawDefinition(Part):
    """A named intermediate; later definitions may use earlier ones."""

    name: Name
    unit: str
    expression: ExpressionField


class LawRelation(Part):
    """One readout over controls, definitions and parameters."""

    readout: Name
    expression: ExpressionField


class RelationSet(Part):
    """The laws of one environment. Mutation paths are JSON Pointers into this object."""

    parameters: tuple[LawParameter, ...]
    definitions: tuple[LawDefinition, ...]
    relations: tuple[LawRelation, ...] = Field(min_length=1)


class FamilyControl(Part):
    """An input that a player sets."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    domain: Domain
    kind: ControlKind | None = None
    """As the card states it; null: not stated, or a Historical control, which is set."""


class FamilyReadout(Part):
    """An observable with its instrument step and tolerances, the same in both environments."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    resolution: float | None
    """Null: observations are unrounded."""
    absolute: float
    """a_r, in `unit`."""
    relative: float
    """lambda."""


class FamilyConstraint(Part):
    """A joint condition on the controls: expression >= 0."""

    expression: ExpressionField
    meaning: str


class FamilyConsistency(Part):
    """An identity among readouts, controls, definitions and parameters that holds in both."""

    left: ExpressionField
    right: ExpressionField
    origin: Literal["declared", "computed"] = "declared"
    """Whether the card states it, or it was found to hold in the Original."""


class FamilyNecessary(NecessaryClaim):
    """A property that a readout keeps in both worlds."""

    readout: Name
    control: Name | None
    origin: Literal["declared", "inferred"]
    """Stated by the source, or implied by the words of the readout and its range."""


class Mutation(Part):
    """One typed change from the Original to the Counterfactual."""

    move: MoveKind
    path: str
    """JSON Pointer into the Original relation set, to the value or subtree that changed."""
    before: ExpressionField
    after: ExpressionField
    introduced: tuple[LawParameter, ...]
    """Parameters that only the Counterfactual has, with units."""
    follows: bool = False
    """True of a readout that is recomputed through an identity: no move of its own."""


class ConstructionChoice(Part):
    """A value that Lawsmith chose, by a named rule; never attributed to the source."""

    rule: str
    """Rule name and version, as `tol-1`."""
    subject: str
    """What the choice is for, as `readout v: absolute`."""
    value: float
    unit: str


class Certificate(Part):
    """One proof about a family, with the figures that `verify` recomputes."""

    number: int
    name: str
    version: int
    outcome: Literal["passed", "failed", "not_run"]
    figures: dict[str, float | str]
    """Margins to 9 significant digits."""
    sentence: str


class Design(Part):
    """Inputs and both environments' truth on them; row i, columns in declared order."""

    inputs: tuple[Values, ...]
    """(n, controls) in the declared units."""
    original: tuple[Values, ...]
    """(n, readouts): unquantised, 50 digits rounded once."""
    counterfactual: tuple[Values, ...]

    @model_validator(mode="after")
    def _rectangular(self) -> Self:
        rows = {len(self.inputs), len(self.original), len(self.counterfactual)}
        if len(rows) != 1:
            raise ValueError(f"inputs and truths have {sorted(rows)} rows")
        for name in ("inputs", "original", "counterfactual"):
            if len({len(row) for row in getattr(self, name)}) > 1:
                raise ValueError(f"{name} has rows of unlike length")
        return self


class Family(Record):
    """An Original and a Counterfactual over one interface. `id` is `<card>/f<n>` or a slug."""

    not_content: ClassVar[frozenset[str]] = frozenset()

    kind: FamilyKind
    card_id: Identity
    card_digest: Sha256
    paper_id: str | None
    """Null for a Historical family."""
    controls: tuple[FamilyControl, ...] = Field(min_length=1)
    readouts: tuple[FamilyReadout, ...] = Field(min_length=1)
    constraints: tuple[FamilyConstraint, ...]
    consistency: tuple[FamilyConsistency, ...]
    necessary: tuple[FamilyNecessary, ...] = ()
    """What holds of each readout on the whole domain, in both worlds."""
    original: RelationSet
    counterfactual: RelationSet
    mutations: tuple[Mutation, ...] = Field(min_length=1)
    choices: tuple[ConstructionChoice, ...]
    background: str
    """One byte string for the four tasks."""
    fixed: Design
    """16 inputs; its prefixes are the Fixed protocol's designs."""
    hidden: Design
    difficulty: Stratum
    certificates: tuple[Certificate, ...]


class RejectedCandidate(Part):
    """A Counterfactual that was tried and failed its certificates."""

    moves: tuple[MoveKind, ...]
    paths: tuple[str, ...]
    reason_code: ReasonCode
    reason: str
    certificate: int | None


class ForgeReport(Part):
    """What the forge made of one card: a family, or a reason, and what it tried on the way."""

    family: Family | None
    reason_code: ReasonCode
    sentence: str
    rejected: tuple[RejectedCandidate, ...]
