"""What a card gives a family: controls, constraints, identities, and the Original's relations."""

from dataclasses import dataclass

from lawsmith.measurement import dense_design
from lawsmith.mutation.laws.historical import original_of
from lawsmith.mutation.laws.identities import identities_of
from lawsmith.mutation.laws.refusals import ForgeError
from lawsmith.mutation.laws.relation_sets import folded, laws_of, meanings_of
from lawsmith.mutation.laws.shares import inferred_bounds, is_share, ranges_of
from lawsmith.mutation.laws.truth import DENSE_POINTS, float_values
from schemas.card import Card, Control, Parameter, Readout
from schemas.expression import Expression, names_of, substitute
from schemas.family import (
    FamilyConsistency,
    FamilyConstraint,
    FamilyControl,
    FamilyNecessary,
    LawDefinition,
    LawParameter,
    LawRelation,
    RelationSet,
)
from schemas.historical_card import HistoricalCard, HistoricalReadout
from schemas.source import ReasonCode


@dataclass(frozen=True, slots=True)
class Interface:
    """What both environments of a family share, before tolerances."""

    controls: tuple[FamilyControl, ...]
    units: dict[str, str]
    """Readout -> unit."""
    constraints: tuple[FamilyConstraint, ...]
    consistency: tuple[FamilyConsistency, ...]
    readouts: tuple[Readout, ...] | tuple[HistoricalReadout, ...]
    """As the card states them, in the order of its relations."""
    necessary: tuple[FamilyNecessary, ...] = ()
    """Declared by the card, then inferred from words and ranges of its readouts."""


def interface_of(card: Card | HistoricalCard) -> Interface:
    """Controls, readout units, constraints and identities of a card, declared and computed.

    A constraint is a condition of the domain: its parameters are replaced by their values in
    the Original, so that it reads the same in both environments and names controls alone.

    Raises:
        ForgeError: as `relation_set_of`.
    """
    controls = tuple(
        FamilyControl(
            name=c.name,
            symbol=c.symbol,
            meaning=c.meaning,
            unit=c.unit,
            domain=c.domain,
            kind=c.kind if isinstance(c, Control) else None,
        )
        for c in card.controls
    )
    stated = _meanings(card)
    constraints = tuple(
        FamilyConstraint(expression=folded(substitute(c.expression, stated)), meaning=c.meaning)
        for c in card.constraints
    )
    if isinstance(card, HistoricalCard):
        pairs = [(left, right) for left, right in card.consistency]
    else:
        pairs = [(identity.left, identity.right) for identity in card.consistency]
    units = {readout.name: readout.unit for readout in card.readouts}
    declared = tuple(FamilyConsistency(left=left, right=right) for left, right in pairs)
    original = original_of(card) if isinstance(card, HistoricalCard) else relation_set_of(card)
    return Interface(
        controls=controls,
        units=units,
        constraints=constraints,
        consistency=(*declared, *identities_of(original, controls, units, declared)),
        readouts=card.readouts,
        necessary=_necessary(card, original, controls, constraints),
    )


def _necessary(
    card: Card | HistoricalCard,
    original: RelationSet,
    controls: tuple[FamilyControl, ...],
    constraints: tuple[FamilyConstraint, ...],
) -> tuple[FamilyNecessary, ...]:
    """What the card states as necessary, and bounds of shares that it does not state."""
    declared = tuple(
        FamilyNecessary(
            readout=claim.readout,
            kind=claim.kind,
            control=claim.control,
            direction=claim.direction,
            at=claim.at,
            value=claim.value,
            low=claim.low,
            high=claim.high,
            origin="declared",
        )
        for claim in card.necessary
    )
    words = [
        (one.name, one.unit, one.definition) for one in card.readouts if is_share(one.definition)
    ]
    if not words:
        return declared
    named = {name for name, _, _ in words}
    laws = {name: law for name, law in laws_of(original).items() if name in named}
    points = dense_design(controls, constraints, DENSE_POINTS)
    ranges = ranges_of(list(laws), float_values(laws, controls, points))
    return (*declared, *inferred_bounds(words, ranges))


def relation_set_of(card: Card) -> RelationSet:
    """The Original of a card.

    A parameter whose value the source computes from others is a definition, so that a move on
    those others reaches it. Universal constants and references are immutable.

    Raises:
        ForgeError: readouts and relations are not one to one, or derivations run in a circle.
    """
    declared = [readout.name for readout in card.readouts]
    related = {relation.readout: relation.expression for relation in card.relations}
    if sorted(declared) != sorted(relation.readout for relation in card.relations):
        raise ForgeError(
            f"readouts {declared!r} and relations {sorted(related)!r} are not one to one",
            reason_code=ReasonCode.NOT_EXECUTABLE,
            path="relations",
        )
    definitions = [
        *(
            LawDefinition(name=p.name, unit=p.unit, expression=p.derivation)
            for p in card.parameters
            if p.derivation is not None
        ),
        *(
            LawDefinition(name=d.name, unit=d.unit, expression=d.expression)
            for d in card.definitions
        ),
    ]
    used = {identity.left for identity in card.consistency}
    used |= {identity.right for identity in card.consistency}
    used |= {definition.expression for definition in definitions} | set(related.values())
    needed = {name for expression in used for name in names_of(expression)}
    return RelationSet(
        # A parameter of a constraint alone is part of the domain, not of the law.
        parameters=tuple(
            _parameter(p) for p in card.parameters if p.derivation is None and p.name in needed
        ),
        definitions=tuple(_ordered(definitions)),
        relations=tuple(LawRelation(readout=name, expression=related[name]) for name in declared),
    )


def _meanings(card: Card | HistoricalCard) -> dict[str, Expression]:
    if isinstance(card, HistoricalCard):
        return meanings_of(original_of(card))
    stated: dict[str, Expression] = {p.name: p.value for p in card.parameters}
    return stated | meanings_of(relation_set_of(card))


def _ordered(definitions: list[LawDefinition]) -> list[LawDefinition]:
    """The definitions, each after those it uses, otherwise in the given order."""
    waiting, done = list(definitions), list[LawDefinition]()
    while waiting:
        names = {definition.name for definition in waiting}
        ready = next((d for d in waiting if not names_of(d.expression) & names), None)
        if ready is None:
            raise ForgeError(
                f"definitions {sorted(names)!r} use one another in a circle",
                reason_code=ReasonCode.NOT_EXECUTABLE,
                path="definitions",
            )
        waiting.remove(ready)
        done.append(ready)
    return done


def _parameter(parameter: Parameter) -> LawParameter:
    fixed = parameter.role == "reference" or parameter.universal_constant is not None
    return LawParameter(
        name=parameter.name,
        symbol=parameter.symbol,
        value=parameter.value,
        unit=parameter.unit,
        mutable=not fixed,
    )


__all__ = ("Interface", "interface_of", "relation_set_of")
