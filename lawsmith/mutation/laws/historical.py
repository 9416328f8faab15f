"""Historical cards: from a super-family with zero corrections to a keyed pair of worlds.

An independent parameter or a correction moves within its admissible range by keyed draw;
everything derived is recomputed, so all readouts stay consistent.
"""

import math
from pathlib import Path
from typing import Final

from numpy.random import Generator
from pydantic import ValidationError

from lawsmith.errors import InputError
from lawsmith.mutation.laws.relation_sets import edited
from schemas.family import (
    LawDefinition,
    LawParameter,
    LawRelation,
    Mutation,
    RelationSet,
)
from schemas.historical_card import HistoricalCard, MutationRule
from schemas.record import strict_json

DIGITS: Final = 3
"""Significant digits of a drawn value: a short literal can be found exactly."""


def load_historical(path: Path) -> HistoricalCard:
    """The card of one pretty-printed JSON file; its `id` is the file's stem.

    Raises:
        InputError: the file cannot be read, is no strict JSON, or is no Historical card.
    """
    try:
        text = path.read_text(encoding="utf-8")
        strict_json(text)
        card = HistoricalCard.model_validate_json(text)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=str(path)) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: {first['msg']}", path=str(path)) from error
    except ValueError as error:
        raise InputError(str(error), path=str(path)) from error
    if card.id != path.stem:
        raise InputError(f"id {card.id!r} differs from the file's name", path=str(path))
    return card


def original_of(card: HistoricalCard) -> RelationSet:
    """The Original: every correction zero, derived parameters as definitions.

    Raises:
        InputError: a mutation rule names neither an independent parameter nor a correction.
    """
    targets = {rule.target for rule in card.mutation_rules}
    known = {p.name for p in card.independent} | {c.name for c in card.corrections}
    if targets - known:
        raise InputError(
            f"rule for {min(targets - known)!r}, which is neither an independent parameter nor"
            " a correction",
            path="mutation_rules",
        )
    bodies = {relation.readout: relation.expression for relation in card.relations}
    names = [readout.name for readout in card.readouts]
    if sorted(names) != sorted(relation.readout for relation in card.relations):
        raise InputError(
            f"readouts {names!r} and relations {sorted(bodies)!r} are not one to one",
            path="relations",
        )
    parameters = [
        LawParameter(
            name=p.name, symbol=p.symbol, value=p.value, unit=p.unit, mutable=p.name in targets
        )
        for p in card.independent
    ]
    parameters += [
        LawParameter(name=c.name, symbol=c.symbol, value=0.0, unit=c.unit, mutable=True)
        for c in card.corrections
    ]
    return RelationSet(
        parameters=tuple(parameters),
        definitions=tuple(
            LawDefinition(name=d.name, unit=d.unit, expression=d.expression) for d in card.derived
        ),
        relations=tuple(LawRelation(readout=name, expression=bodies[name]) for name in names),
    )


def draw(rule: MutationRule, rng: Generator) -> float:
    """A value in the rule's range, rounded to 3 significant digits and kept inside.

    Uniform, or in logarithms where a positive range spans more than a decade.
    """
    share = float(rng.random())
    if rule.low > 0 and rule.high > 10 * rule.low:
        value = rule.low * math.exp(share * math.log(rule.high / rule.low))
    else:
        value = rule.low + share * (rule.high - rule.low)
    return min(max(float(f"{value:.{DIGITS - 1}e}") + 0.0, rule.low), rule.high)


def counterfactual_of(
    card: HistoricalCard, original: RelationSet, rng: Generator
) -> tuple[RelationSet, tuple[Mutation, ...]]:
    """One keyed draw of every rule's target, and the mutations that it makes."""
    position = {p.name: i for i, p in enumerate(original.parameters)}
    corrections = {c.name for c in card.corrections}
    mutations: list[Mutation] = []
    edits = {}
    for rule in card.mutation_rules:
        path = f"/parameters/{position[rule.target]}/value"
        edits[path] = value = draw(rule, rng)
        mutations.append(
            Mutation(
                move="historical_correction"
                if rule.target in corrections
                else "historical_parameter",
                path=path,
                before=original.parameters[position[rule.target]].value,
                after=value,
                introduced=(),
            )
        )
    return edited(original, edits), tuple(mutations)


__all__ = ("counterfactual_of", "draw", "load_historical", "original_of")
