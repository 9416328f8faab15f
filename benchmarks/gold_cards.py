"""Gold cards of ../shared/papers as card drafts, so that our own gates can judge them.

A gold card was read by hand: formulas, controls, parameters and quotations, but no line numbers
and no names of ours. Its quotations are looked up in the packet; its numbers are anchored to the
first line of the stated page that prints them. What a gold card does not state stays absent.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lawsmith.curation.printed_numbers import is_printed
from lawsmith.curation.search_view import SearchView
from lawsmith.curation.stated_numbers import numbers_in
from lawsmith.units import constants
from schemas.card import (
    AnchorDraft,
    CardDraft,
    ControlDraft,
    ParameterDraft,
    ReadoutDraft,
    RelationDraft,
    StatementDraft,
)
from schemas.packet import Packet

Data = dict[str, Any]
LONGEST_QUOTE, SHORTEST_QUOTE = 300, 8


@dataclass(frozen=True)
class GoldCase:
    """One relation of a gold card as a draft of ours."""

    id: str
    draft: CardDraft
    states_origin: bool
    """Whether the gold card says where the relation comes from; without it none is compared."""
    example: dict[str, float]
    """Inputs at which the gold card works its formula out; empty where it does not."""


def gold_cases(path: Path, packet: Packet) -> list[GoldCase]:
    """The relations of a gold card, each a case of its own, beside a packet."""
    gold = json.loads(path.read_text(encoding="utf-8"))
    return [_case(relation, packet) for relation in gold["relations"]]


def infix(text: str) -> str:
    """A gold formula (SymPy's spelling) in our infix: log with base 10 is log10."""
    return re.sub(r"log\((\w+),\s*10\)", r"log10(\1)", text)


def _case(relation: Data, packet: Packet) -> GoldCase:
    view = SearchView(packet)
    said = list(_quoted(relation, packet, view))
    values = {item["symbol"]: item["value"] for item in relation["parameters"]}
    controls = [_control(item, relation, values, said) for item in relation["controls"]]
    names = {control.name for control in controls}
    draft = CardDraft(
        title=relation["id"],
        relations=[
            RelationDraft(
                readout=readout,
                expression=infix(law),
                status=relation["status"],
                origin=relation.get("origin", "derived_here"),
                anchors=said,
            )
            for readout, law in zip(_readouts(relation), _listed(relation["rhs"]), strict=True)
        ],
        definitions=[],
        consistency=[],
        controls=controls,
        readouts=[
            ReadoutDraft(
                name=_name(item["symbol"]),
                symbol=item["symbol"],
                definition=item["name"],
                unit=_unit(item["unit"]),
                resolution=None,
                uncertainty=None,
                uncertainty_kind=None,
                anchors=said,
            )
            for item in relation["readout"]
        ],
        parameters=[
            _parameter(item, packet)
            for item in relation["parameters"]
            if _name(item["symbol"]) not in names
        ],
        constraints=[],
        sampling="unstated",
        sampling_anchors=[],
        fixed_conditions=[],
        mechanisms=[],
        applicability=[
            StatementDraft(statement=relation["domain"], anchors=[anchor]) for anchor in said
        ],
        limitations=[],
        aggregation=[],
        sample_size=[],
        claim_dependencies=[],
    )
    example = relation.get("example", {}).get("inputs", {})
    inputs = {_name(name): float(value) for name, value in example.items()}
    return GoldCase(relation["id"], draft, "origin" in relation, inputs)


def _readouts(relation: Data) -> list[str]:
    return [_name(item["symbol"]) for item in relation["readout"]]


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _name(symbol: str) -> str:
    return re.sub(r"\W+", "_", symbol).strip("_")


def _unit(text: str | None) -> str:
    return "unstated" if text is None else text.replace("**", "^")


def _quoted(relation: Data, packet: Packet, view: SearchView) -> Iterator[AnchorDraft]:
    """Anchors of the gold quotations that stand in this packet; a PDF's may not stand in TeX."""
    for item in relation["quotes"]:
        quote = item["text"][:LONGEST_QUOTE]
        for place in view.find(quote)[:1]:
            yield _anchor(place.first_line, place.last_line, quote)


def _control(
    item: Data, relation: Data, values: dict[str, Any], said: list[AnchorDraft]
) -> ControlDraft:
    symbol = item["symbol"]
    number = r"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    ends = re.search(rf"{number}\s*<=?\s*{re.escape(symbol)}\s*<=?\s*{number}", relation["domain"])
    given = sorted({float(value) for value in _listed(values.get(symbol)) if value is not None})
    return ControlDraft(
        name=_name(symbol),
        symbol=symbol,
        meaning=item["name"],
        unit=_unit(item["unit"]),
        low=float(ends[1]) if ends else None,
        high=float(ends[2]) if ends else None,
        choices=given if given and not ends else None,
        inert=False,
        anchors=said,
    )


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
        role="reference" if constant else "constant",
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


__all__ = ("GoldCase", "gold_cases", "infix")
