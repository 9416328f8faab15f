"""CardDraft -> Card: names, units, infix, domains and anchors, with every fault collected.

What keeps a card from being built at all (an unreadable formula, a missing value or range) is
told apart from what lets it be built and then refuses it, so that the gates can say the rest.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from lawsmith.curation.admission.numbers import STATEMENT_TABLES
from lawsmith.curation.evidence import Reason, SearchView, resolve_anchor
from lawsmith.errors import ParseError, UnitError
from lawsmith.expressions import parse_infix
from lawsmith.units import constants, convert
from schemas.card import (
    AnchorDraft,
    Anchors,
    Card,
    CardDraft,
    Choices,
    Consistency,
    ConsistencyDraft,
    Constraint,
    ConstraintDraft,
    Control,
    ControlDraft,
    Definition,
    DefinitionDraft,
    Domain,
    JointChoice,
    JointChoiceDraft,
    Necessary,
    NecessaryDraft,
    Parameter,
    ParameterDraft,
    Range,
    Readout,
    ReadoutDraft,
    Relation,
    RelationDraft,
    SettingValue,
    Statement,
    StatementDraft,
    WorkedValue,
    WorkedValueDraft,
)
from schemas.expression import ARITIES, Expression
from schemas.packet import Packet
from schemas.record import canonical_json
from schemas.source import ReasonCode

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
PartT = TypeVar("PartT")
DraftT = TypeVar("DraftT")


@dataclass(frozen=True)
class Built:
    """The card of a draft where one can be made, and what the making found."""

    card: Card | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Making:
    """What a card says about how it came to be."""

    card_id: str
    extractor: str
    prompt_sha256: str
    revision: int
    replayed: bool


def build_card(draft: CardDraft, packet: Packet, view: SearchView, making: Making) -> Built:
    """The card of a draft, or None with the reasons why it cannot be made."""
    maker = _Maker(packet, view)
    card = maker.card(draft, making)
    return Built(card, tuple(maker.reasons))


def draft_sha256(draft: CardDraft) -> str:
    """sha256 of the canonical JSON of a draft."""
    text = canonical_json(draft.model_dump(mode="json"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class _UnbuildableError(Exception):
    """A part cannot be made; its reason is already noted."""


@dataclass
class _Maker:
    packet: Packet
    view: SearchView
    reasons: list[Reason] = field(default_factory=list)

    def card(self, draft: CardDraft, making: Making) -> Card | None:
        self._unique_names(draft)
        relations = self._all("relations", draft.relations, self._relation)
        definitions = self._all("definitions", draft.definitions, self._definition)
        consistency = self._all("consistency", draft.consistency, self._consistency)
        controls = self._all("controls", draft.controls, self._control)
        readouts = self._all("readouts", draft.readouts, self._readout)
        parameters = self._all("parameters", draft.parameters, self._parameter)
        constraints = self._all("constraints", draft.constraints, self._constraint)
        order = [control.name for control in draft.controls]
        joint_choices = self._all(
            "joint_choices", draft.joint_choices, partial(self._joint_choice, order)
        )
        necessary = self._all("necessary", draft.necessary, self._necessary)
        worked_values = self._all("worked_values", draft.worked_values, self._worked_value)
        statements = {
            name: self._all(name, getattr(draft, name), self._statement)
            for name in STATEMENT_TABLES
        }
        sampling_anchors = self._anchors(
            "/sampling_anchors", draft.sampling_anchors, needed=draft.sampling != "unstated"
        )
        for name in ("relations", "controls", "readouts"):
            if not getattr(draft, name):
                self._note(ReasonCode.NOT_EXECUTABLE, f"/{name}", f"a card needs {name}")
        parts = (relations, definitions, consistency, controls, readouts, parameters, constraints)
        claims = (joint_choices, necessary, worked_values)
        if any(part is None for part in (*parts, *claims, *statements.values())):
            return None
        if not (relations and controls and readouts):
            return None
        return Card(
            id=making.card_id,
            paper_id=self.packet.paper_id,
            version=self.packet.version,
            packet_id=self.packet.id,
            packet_sha256=self.packet.text_sha256,
            title=draft.title,
            relations=relations,
            definitions=definitions or (),
            consistency=consistency or (),
            controls=controls,
            readouts=readouts,
            parameters=parameters or (),
            constraints=constraints or (),
            sampling=draft.sampling,
            sampling_anchors=sampling_anchors,
            joint_choices=joint_choices or (),
            necessary=necessary or (),
            worked_values=worked_values or (),
            extractor=making.extractor,
            prompt_sha256=making.prompt_sha256,
            revision=making.revision,
            replayed=making.replayed,
            draft_sha256=draft_sha256(draft),
            **{name: part or () for name, part in statements.items()},
        )

    def _all(
        self, where: str, drafts: Sequence[DraftT], make: Callable[[str, DraftT], PartT]
    ) -> tuple[PartT, ...] | None:
        made: list[PartT] = []
        whole = True
        for i, draft in enumerate(drafts):
            try:
                made.append(make(f"/{where}/{i}", draft))
            except _UnbuildableError:
                whole = False
        return tuple(made) if whole else None

    def _relation(self, path: str, draft: RelationDraft) -> Relation:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        name = self._name(f"{path}/readout", draft.readout)
        return Relation(
            readout=name,
            expression=self._infix(f"{path}/expression", draft.expression),
            status=draft.status,
            origin=draft.origin,
            anchors=anchors,
        )

    def _definition(self, path: str, draft: DefinitionDraft) -> Definition:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        return Definition(
            name=self._name(f"{path}/name", draft.name),
            meaning=draft.meaning,
            unit=draft.unit,
            expression=self._infix(f"{path}/expression", draft.expression),
            anchors=anchors,
        )

    def _consistency(self, path: str, draft: ConsistencyDraft) -> Consistency:
        return Consistency(
            left=self._infix(f"{path}/left", draft.left),
            right=self._infix(f"{path}/right", draft.right),
            anchors=self._anchors(f"{path}/anchors", draft.anchors),
        )

    def _control(self, path: str, draft: ControlDraft) -> Control:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        return Control(
            name=self._name(f"{path}/name", draft.name),
            symbol=draft.symbol,
            meaning=draft.meaning,
            unit=draft.unit,
            domain=self._domain(path, draft),
            inert=draft.inert,
            anchors=anchors,
            kind=draft.kind,
            range_source=draft.range_source,
        )

    def _readout(self, path: str, draft: ReadoutDraft) -> Readout:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        if (draft.uncertainty is None) != (draft.uncertainty_kind is None):
            self._note(
                ReasonCode.NOT_EXECUTABLE,
                f"{path}/uncertainty",
                f"uncertainty {draft.uncertainty!r} has the kind {draft.uncertainty_kind!r};"
                " both or neither",
            )
        if draft.resolution is not None and draft.resolution <= 0:
            self._note(
                ReasonCode.NOT_EXECUTABLE,
                f"{path}/resolution",
                f"resolution {draft.resolution!r} is not above 0",
            )
        return Readout(
            name=self._name(f"{path}/name", draft.name),
            symbol=draft.symbol,
            definition=draft.definition,
            unit=draft.unit,
            resolution=draft.resolution,
            uncertainty=draft.uncertainty,
            uncertainty_kind=draft.uncertainty_kind,
            anchors=anchors,
        )

    def _parameter(self, path: str, draft: ParameterDraft) -> Parameter:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        derivation = (
            None
            if draft.derivation is None
            else self._infix(f"{path}/derivation", draft.derivation)
        )
        return Parameter(
            name=self._name(f"{path}/name", draft.name),
            symbol=draft.symbol,
            meaning=draft.meaning,
            value=self._value(path, draft),
            unit=draft.unit,
            uncertainty=draft.uncertainty,
            role=draft.role,
            fixed=draft.fixed,
            derivation=derivation,
            universal_constant=draft.universal_constant,
            anchors=anchors,
        )

    def _constraint(self, path: str, draft: ConstraintDraft) -> Constraint:
        return Constraint(
            expression=self._infix(f"{path}/expression", draft.expression),
            meaning=draft.meaning,
            anchors=self._anchors(f"{path}/anchors", draft.anchors),
        )

    def _joint_choice(
        self, order: Sequence[str], path: str, draft: JointChoiceDraft
    ) -> JointChoice:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        given = [item.control for item in draft.values]
        if sorted(given) != sorted(order):
            raise self._fatal(
                ReasonCode.UNDECLARED_NAME,
                f"{path}/values",
                f"gives {', '.join(given) or 'no control'}; each of {', '.join(order)} is due once",
            )
        values = {item.control: item.value for item in draft.values}
        return JointChoice(values=tuple(values[name] for name in order), anchors=anchors)

    def _necessary(self, path: str, draft: NecessaryDraft) -> Necessary:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        readout = self._name(f"{path}/readout", draft.readout)
        control = draft.control
        if control is not None:
            control = self._name(f"{path}/control", control)
        return Necessary(
            readout=readout,
            kind=draft.kind,
            control=control,
            direction=draft.direction,
            at=draft.at,
            value=draft.value,
            low=draft.low,
            high=draft.high,
            anchors=anchors,
        )

    def _worked_value(self, path: str, draft: WorkedValueDraft) -> WorkedValue:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        setting = tuple(
            SettingValue(
                name=self._name(f"{path}/setting/{i}/name", item.name),
                value=item.value,
                unit=item.unit,
            )
            for i, item in enumerate(draft.setting)
        )
        return WorkedValue(
            setting=setting,
            readout=self._name(f"{path}/readout", draft.readout),
            value=draft.value,
            unit=draft.unit,
            uncertainty=draft.uncertainty,
            anchors=anchors,
        )

    def _statement(self, path: str, draft: StatementDraft) -> Statement:
        anchors = self._anchors(f"{path}/anchors", draft.anchors)
        return Statement(statement=draft.statement, anchors=anchors)

    def _anchors(self, path: str, drafts: Sequence[AnchorDraft], *, needed: bool = True) -> Anchors:
        found = []
        for i, draft in enumerate(drafts):
            anchor, reason = resolve_anchor(draft, self.packet, self.view, f"{path}/{i}")
            if reason is not None:
                self.reasons.append(reason)
            if anchor is not None:
                found.append(anchor)
        if needed and not drafts:
            self._note(ReasonCode.ANCHOR_INVALID, path, "the fact has no anchor")
        return tuple(found)

    def _name(self, path: str, name: str) -> str:
        if name == "pi" or name in ARITIES or not _NAME.fullmatch(name):
            raise self._fatal(
                ReasonCode.INVALID_EXPRESSION,
                path,
                f"{name[:80]!r} is not an ASCII identifier apart from operators and pi",
            )
        return name

    def _infix(self, path: str, text: str) -> Expression:
        try:
            return parse_infix(text)
        except ParseError as error:
            raise self._fatal(
                ReasonCode.INVALID_EXPRESSION, path, f"{text[:80]!r}: {error}"
            ) from error

    def _domain(self, path: str, draft: ControlDraft) -> Domain:
        ends = (draft.low, draft.high)
        given = tuple(end for end in ends if end is not None)
        if draft.choices is not None and not given:
            try:
                return Choices(choices=tuple(float(value) for value in draft.choices))
            except ValueError:
                problem = f"choices {draft.choices!r} are not ascending, distinct values"
                raise self._fatal(ReasonCode.DOMAIN_MISSING, f"{path}/choices", problem) from None
        if draft.choices is not None or len(given) != 2 or not given[0] < given[1]:
            raise self._fatal(
                ReasonCode.DOMAIN_MISSING,
                path,
                f"control {draft.name!r} has low {draft.low!r}, high {draft.high!r}, choices"
                f" {draft.choices!r}; one ascending pair or one list is due",
            )
        return Range(low=given[0], high=given[1])

    def _value(self, path: str, draft: ParameterDraft) -> float:
        if draft.universal_constant is None:
            if draft.value is None:
                raise self._fatal(
                    ReasonCode.NOT_EXECUTABLE,
                    f"{path}/value",
                    f"parameter {draft.name!r} has no value",
                )
            return draft.value
        return self._constant(path, draft, draft.universal_constant)

    def _constant(self, path: str, draft: ParameterDraft, name: str) -> float:
        known = constants()
        wanted = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        long_names = {key.lower(): key for key in known if len(key) > 5}
        key = long_names.get(wanted)
        if key is None or draft.role != "reference" or draft.value is not None:
            raise self._fatal(
                ReasonCode.NOT_EXECUTABLE,
                f"{path}/universal_constant",
                f"{name!r} with role {draft.role!r} and value {draft.value!r}: a constant of the"
                " table, role 'reference' and no value are due",
            )
        try:
            return convert(known[key].value, known[key].unit, draft.unit)
        except UnitError as error:
            raise self._fatal(ReasonCode.UNKNOWN_UNIT, f"{path}/unit", str(error)) from error

    def _unique_names(self, draft: CardDraft) -> None:
        seen: dict[str, str] = {}
        for table in ("controls", "readouts", "parameters", "definitions"):
            for i, part in enumerate(getattr(draft, table)):
                path = f"/{table}/{i}/name"
                if part.name in seen:
                    self._note(
                        ReasonCode.INVALID_EXPRESSION,
                        path,
                        f"name {part.name!r} is already taken by {seen[part.name]}",
                    )
                seen.setdefault(part.name, path)

    def _note(self, code: ReasonCode, path: str, sentence: str) -> None:
        self.reasons.append(Reason(code, path, sentence))

    def _fatal(self, code: ReasonCode, path: str, sentence: str) -> _UnbuildableError:
        self._note(code, path, sentence)
        return _UnbuildableError(sentence)


__all__ = ("Built", "Making", "build_card", "draft_sha256")
