"""What a reviewer sees of a card or a case: readable, complete, and nothing about its making."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lawsmith.expressions import to_infix
from schemas.card import Anchor, Card, Choices, Domain
from schemas.expression import Expression, to_wire
from schemas.family import (
    ConstructionChoice,
    Family,
    FamilyConstraint,
    FamilyControl,
    FamilyReadout,
    RelationSet,
)

_HIDDEN: Final = frozenset(
    {"id", "paper_id", "version", "packet_id", "packet_sha256", "extractor", "prompt_sha256"}
    | {"revision", "replayed", "draft_sha256"}
)
_FORMULAS: Final = frozenset({"expression", "left", "right", "derivation"})


@dataclass(frozen=True)
class Case:
    """What was built from a card, as far as the second reader of a case needs to see it."""

    family_id: str
    family_digest: str
    original: RelationSet
    controls: tuple[FamilyControl, ...]
    readouts: tuple[FamilyReadout, ...]
    constraints: tuple[FamilyConstraint, ...]
    choices: tuple[ConstructionChoice, ...]
    background: str


def case_of(family: Family) -> Case:
    """The part of a family that a reviewer sees: never the Counterfactual, designs or truth."""
    return Case(
        family_id=family.id,
        family_digest=family.digest,
        original=family.original,
        controls=family.controls,
        readouts=family.readouts,
        constraints=family.constraints,
        choices=family.choices,
        background=family.background,
    )


def card_text(card: Card) -> str:
    """A card as JSON, one entry a line; formulas as infix and as the wire form that runs."""
    fields = type(card).model_fields
    parts = {name: _shown(getattr(card, name)) for name in fields if name not in _HIDDEN}
    return _by_entry(parts)


def case_text(case: Case) -> str:
    """A case as JSON, one entry a line: executed laws, domain, choices, background."""
    original = case.original
    parts: dict[str, Any] = {
        "laws_as_executed": [
            {"readout": law.readout, **_formula(law.expression)} for law in original.relations
        ],
        "definitions": [
            {"name": part.name, "unit": part.unit, **_formula(part.expression)}
            for part in original.definitions
        ],
        "parameters": [
            {"name": part.name, "symbol": part.symbol, "value": part.value, "unit": part.unit}
            for part in original.parameters
        ],
        "domain": [_domain_entry(control) for control in case.controls],
        "joint_conditions": [
            {"meaning": part.meaning, "at_least_0": to_infix(part.expression)}
            for part in case.constraints
        ],
        "readouts": [_shown(readout) for readout in case.readouts],
        "construction_choices": [_shown(choice) for choice in case.choices],
        "background": case.background,
    }
    return _by_entry(parts)


def _domain_entry(control: FamilyControl) -> dict[str, Any]:
    return {
        "control": control.name,
        "meaning": control.meaning,
        "unit": control.unit,
        "domain": _domain(control.domain),
    }


def _domain(domain: Domain) -> Any:
    if isinstance(domain, Choices):
        return {"choices": list(domain.choices)}
    return {"low": domain.low, "high": domain.high}


def _formula(expression: Expression) -> dict[str, Any]:
    return {"infix": to_infix(expression), "wire": to_wire(expression)}


def _shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_shown(item) for item in value]
    if isinstance(value, Anchor):
        return {"lines": f"{value.first_line}-{value.last_line}", "support": value.support}
    fields = getattr(type(value), "model_fields", None)
    if fields is None:
        return value
    return {name: _field(name, getattr(value, name)) for name in fields}


def _field(name: str, value: Any) -> Any:
    if name in _FORMULAS and value is not None:
        return _formula(value)
    return _shown(value)


def _by_entry(parts: Mapping[str, Any]) -> str:
    lines = []
    for name, value in parts.items():
        if isinstance(value, Sequence) and not isinstance(value, str) and value:
            inner = ",\n".join(f"    {_dump(item)}" for item in value)
            lines.append(f"  {_dump(name)}: [\n{inner}\n  ]")
        else:
            lines.append(f"  {_dump(name)}: {_dump(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


__all__ = ("Case", "card_text", "case_of", "case_text")
