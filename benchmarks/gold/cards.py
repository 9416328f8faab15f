"""Gold cards as card drafts, so that our own gates can judge them.

A gold card was read by hand: formulas, controls, parameters and quotations, but no line numbers
and no names of ours. Its quotations are looked up in the packet; its numbers are anchored to the
first line of the stated page that prints them. What a gold card does not state stays absent.

Those of ../shared/papers tell part of a paper. Those of benchmarks/gold/sample are
`complete`: they give ranges, resolution, sampling, joint conditions and statements, and where
they hold null the paper is silent, so that what a reader adds there is wrong.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lawsmith.curation.evidence.printed_numbers import is_printed
from lawsmith.curation.evidence.search_view import SearchView
from lawsmith.curation.evidence.stated_numbers import numbers_in
from lawsmith.units import constants
from schemas.card import (
    AnchorDraft,
    CardDraft,
    ConsistencyDraft,
    ConstraintDraft,
    ControlDraft,
    DefinitionDraft,
    Origin,
    ParameterDraft,
    ReadoutDraft,
    RelationDraft,
    StatementDraft,
)
from schemas.earlier_draft import EARLIER_ORIGINS
from schemas.packet import Packet

Data = dict[str, Any]
LONGEST_QUOTE, SHORTEST_QUOTE = 300, 8


@dataclass(frozen=True)
class GoldStatement:
    """A condition, limitation, average or number of runs that the paper states."""

    field: str
    """The list of a card draft that it belongs to."""
    statement: str
    says: tuple[str, ...]
    """What a reader's sentence must hold, mostly numerals."""
    bound: bool
    """False: true of the paper, but no reader has to say it."""
    anchor: AnchorDraft


@dataclass(frozen=True)
class GoldCase:
    """One relation of a gold card as a draft of ours."""

    id: str
    draft: CardDraft
    states_origin: bool
    """Whether the gold card says where the relation comes from; without it none is compared."""
    example: dict[str, float]
    """Inputs at which the gold card works its formula out; empty where it does not."""
    complete: bool = False
    """Whether silence of the gold card is silence of the paper."""
    statements: tuple[GoldStatement, ...] = ()
    also: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Readout -> other statuses that a right reader may give."""


def gold_cases(path: Path, packet: Packet) -> list[GoldCase]:
    """The relations of a gold card, each a case of its own, beside a packet."""
    gold = json.loads(path.read_text(encoding="utf-8"))
    return [_case(one, packet, gold.get("complete", False)) for one in gold["relations"]]


def gold_verdict(path: Path) -> str | None:
    """What a complete gold card says of its paper: `runs`, `stopped` or `none`; else None."""
    verdict = json.loads(path.read_text(encoding="utf-8")).get("verdict")
    return None if verdict is None else str(verdict)


def infix(text: str) -> str:
    """A gold formula (SymPy's spelling) in our infix: log with base 10 is log10."""
    return re.sub(r"log\((\w+),\s*10\)", r"log10(\1)", text)


def _case(relation: Data, packet: Packet, complete: bool) -> GoldCase:
    view = SearchView(packet)
    said = list(_quoted(relation, view))
    names = {_name(item["symbol"]) for item in relation["controls"]}
    draft = CardDraft(
        title=relation["id"],
        relations=_laws(relation, said),
        definitions=[
            _definition(item, said) for item in relation.get("definitions", []) if complete
        ],
        consistency=[
            ConsistencyDraft(left=one["left"], right=one["right"], anchors=said)
            for one in relation.get("consistency", [])
        ],
        controls=[_control(item, relation, view, said) for item in relation["controls"]],
        readouts=[_readout(item, view, said) for item in relation["readout"]],
        parameters=[
            _parameter(item, packet)
            for item in relation["parameters"]
            if _name(item["symbol"]) not in names
        ],
        constraints=[
            ConstraintDraft(
                expression=one["expression"], meaning="", anchors=list(_places(one["quote"], view))
            )
            for one in relation.get("constraints", [])
        ],
        sampling=relation.get("sampling", "unstated"),
        sampling_anchors=list(_places(relation.get("sampling_quote", ""), view)),
        joint_choices=[],
        necessary=[],
        worked_values=[],
        fixed_conditions=[],
        mechanisms=[],
        applicability=[
            StatementDraft(statement=relation["domain"], anchors=[anchor])
            for anchor in ([] if complete else said)
        ],
        limitations=[],
        aggregation=[],
        sample_size=[],
        claim_dependencies=[],
    )
    return GoldCase(
        relation["id"],
        draft,
        "origin" in relation,
        {
            _name(name): float(value)
            for name, value in relation.get("example", {}).get("inputs", {}).items()
        },
        complete,
        tuple(_statements(relation, view)),
        dict(zip(_readouts(relation), map(tuple, relation.get("status_also", [])), strict=False)),
    )


def _laws(relation: Data, said: list[AnchorDraft]) -> list[RelationDraft]:
    readouts = _readouts(relation)
    return [
        RelationDraft(
            readout=readout,
            expression=infix(law),
            status=status,
            origin=Origin.model_validate(EARLIER_ORIGINS[origin]),
            anchors=said,
        )
        for readout, law, status, origin in zip(
            readouts,
            _listed(relation["rhs"]),
            _spread(relation["status"], len(readouts)),
            _spread(relation.get("origin", "derived_here"), len(readouts)),
            strict=True,
        )
    ]


def _spread(value: Any, length: int) -> list[Any]:
    """One value for all, or one a readout."""
    return value if isinstance(value, list) else [value] * length


def _definition(item: Data, said: list[AnchorDraft]) -> DefinitionDraft:
    return DefinitionDraft(
        name=_name(item["symbol"]),
        meaning=item["name"],
        unit=_unit(item["unit"]),
        expression=infix(item["rhs"]),
        anchors=said,
    )


def _readout(item: Data, view: SearchView, said: list[AnchorDraft]) -> ReadoutDraft:
    return ReadoutDraft(
        name=_name(item["symbol"]),
        symbol=item["symbol"],
        definition=item["name"],
        unit=_unit(item["unit"]),
        resolution=item.get("resolution"),
        uncertainty=item.get("uncertainty"),
        uncertainty_kind=item.get("uncertainty_kind"),
        anchors=list(_quoted(item, view)) or said,
    )


def _statements(relation: Data, view: SearchView) -> Iterator[GoldStatement]:
    for item in relation.get("statements", []):
        for anchor in _places(item["quote"], view):
            says, bound = tuple(item["says"]), item.get("bound", True)
            yield GoldStatement(item["field"], item["statement"], says, bound, anchor)


def _readouts(relation: Data) -> list[str]:
    return [_name(item["symbol"]) for item in relation["readout"]]


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _name(symbol: str) -> str:
    return re.sub(r"\W+", "_", symbol).strip("_")


def _unit(text: str | None) -> str:
    return "unstated" if text is None else text.replace("**", "^")


def _quoted(item: Data, view: SearchView) -> Iterator[AnchorDraft]:
    """Anchors of the gold quotations that stand in this packet; a PDF's may not stand in TeX."""
    for quoted in item.get("quotes", []):
        yield from _places(quoted["text"], view)


def _places(text: str, view: SearchView) -> Iterator[AnchorDraft]:
    quote = text[:LONGEST_QUOTE]
    for place in view.find(quote)[:1]:
        yield _anchor(place.first_line, place.last_line, quote)


def _control(item: Data, relation: Data, view: SearchView, said: list[AnchorDraft]) -> ControlDraft:
    symbol = item["symbol"]
    low, high = _ends(item, relation)
    values = {other["symbol"]: other["value"] for other in relation["parameters"]}
    given = sorted({float(value) for value in _listed(values.get(symbol)) if value is not None})
    return ControlDraft(
        name=_name(symbol),
        symbol=symbol,
        meaning=item["name"],
        unit=_unit(item["unit"]),
        low=low,
        high=high,
        choices=given if given and low is None else None,
        inert=False,
        kind=None,
        range_source=None,
        anchors=list(_quoted(item, view)) or said,
    )


def _ends(item: Data, relation: Data) -> tuple[float | None, float | None]:
    """The ends of a control's range: given, or read from the sentence about the domain."""
    if "low" in item:
        return float(item["low"]), float(item["high"])
    number = r"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    pattern = rf"{number}\s*<=?\s*{re.escape(item['symbol'])}\s*<=?\s*{number}"
    ends = re.search(pattern, relation["domain"])
    return (float(ends[1]), float(ends[2])) if ends else (None, None)


def _parameter(item: Data, packet: Packet) -> ParameterDraft:
    value = item["value"]
    constant = _constant(item)
    single = float(value) if isinstance(value, int | float) and not constant else None
    uncertainty = item.get("uncertainty")
    page = re.search(r"\bp\.?\s*(\d+)", item["source"])
    wanted = [number for number in _listed(value) if isinstance(number, int | float)]
    return ParameterDraft(
        name=_name(item["symbol"]),
        symbol=item["symbol"],
        meaning=item["source"],
        value=single,
        unit=_unit(item["unit"]),
        uncertainty=None if uncertainty is None else float(uncertainty),
        role="reference" if constant else item.get("role", "constant"),
        fixed=not isinstance(value, list),
        derivation=None,
        universal_constant=constant,
        anchors=list(_printed(wanted, int(page[1]) if page else None, packet)),
    )


def _constant(item: Data) -> str | None:
    """The long name of a universal constant that the gold card takes from no line."""
    known = constants().get(item["symbol"])
    if known is None or "constant" not in item["source"]:
        return None
    return next((name for name, one in constants().items() if one == known and len(name) > 5), None)


def _printed(values: Sequence[float], page: int | None, packet: Packet) -> Iterator[AnchorDraft]:
    for value in values:
        for n, line in enumerate(packet.lines, start=1):
            if page is not None and packet.pages[n - 1] not in {None, page}:
                continue
            quote = line.strip()[:LONGEST_QUOTE].strip()
            if len(quote) >= SHORTEST_QUOTE and is_printed(float(value), numbers_in([line])):
                yield _anchor(n, n, quote)
                break


def _anchor(first: int, last: int, quote: str) -> AnchorDraft:
    return AnchorDraft(first_line=first, last_line=last, quote=quote, support="gold card")


__all__ = ("GoldCase", "GoldStatement", "gold_cases", "gold_verdict", "infix")
