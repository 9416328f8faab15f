"""Small edits that defects are made of: places of a draft, infix text, packet wording."""

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.defects.bases import Base, Data
from lawsmith.curation.evidence.search_view import SearchView

Rng = np.random.Generator
Made = tuple[Base, Data]
"""A defective card beside the packet it claims to be of."""
ANCHORED = (
    *("relations", "definitions", "controls", "readouts", "parameters", "constraints"),
    *("fixed_conditions", "mechanisms", "applicability", "limitations"),
    *("aggregation", "sample_size", "claim_dependencies"),
)
STATEMENTS = ANCHORED[6:]


def pick(rng: Rng, items: Sequence[Any]) -> Any:
    """One item, each equally likely."""
    return items[int(rng.integers(len(items)))]


def copied(base: Base) -> Data:
    """A copy of the draft of a base to change."""
    return copy.deepcopy(base.draft)


def formulas(draft: Data) -> Iterator[tuple[Data, str]]:
    """Entries that hold a formula, with the key of its text."""
    for table in ("relations", "definitions"):
        for part in draft[table]:
            yield part, "expression"


def replaced(text: str, match: re.Match[str], new: str) -> str:
    """The text with one match replaced."""
    return text[: match.start()] + new + text[match.end() :]


def another_digit(rng: Rng, number: str) -> str:
    """A number with one digit changed, never to nothing and never to a leading zero."""
    places = [n for n, char in enumerate(number) if char.isdigit()]
    leading = places[0] if len(places) > 1 and not number.startswith(("0.", ".")) else None
    while True:
        place = pick(rng, places)
        digit = str(int(rng.integers(10)))
        made = number[:place] + digit + number[place + 1 :]
        if digit != number[place] and not (place == leading and digit == "0") and float(made):
            return made


def anchors_with_parts(draft: Data) -> Iterator[tuple[str, Data, Data]]:
    """Table, entry and anchor of every anchored fact but sampling."""
    for table in ANCHORED:
        for part in draft[table]:
            for anchor in part["anchors"]:
                yield table, part, anchor


def reworded(base: Base, draft: Data, old: str, new: str) -> Base | None:
    """The base beside a text in which a piece says something else; quotes of it follow.

    None where the piece does not stand in the packet.
    """
    spans = base.view.find(old)
    if not spans:
        return None
    span = spans[0]
    lines = list(base.packet.lines)
    block = "\n".join(lines[span.first_line - 1 : span.last_line])
    pattern = re.compile(r"\s+".join(re.escape(word) for word in old.split()))
    match = pattern.search(block)
    if match is None:
        return None
    changed = replaced(block, match, new + "\n" * match[0].count("\n"))
    lines[span.first_line - 1 : span.last_line] = changed.split("\n")
    made = base.with_lines(lines)
    view = SearchView(made.packet)
    for anchor in _all_anchors(draft):
        if not view.find(anchor["quote"]):
            anchor["quote"] = new[:300]
            anchor["first_line"] = anchor["last_line"] = span.first_line
    return made


def _all_anchors(draft: Data) -> Iterator[Data]:
    yield from (anchor for _, _, anchor in anchors_with_parts(draft))
    yield from draft["sampling_anchors"]
    for part in draft["consistency"]:
        yield from part["anchors"]


def numbers_of_lines(base: Base, anchors: list[Data]) -> list[str]:
    """Decimal numerals that the lines of anchors print."""
    lines = [
        line for a in anchors for line in base.packet.lines[a["first_line"] - 1 : a["last_line"]]
    ]
    return re.findall(r"(?<![\w.^])\d+(?:\.\d+)?(?![\w^])", " ".join(lines))


__all__ = (
    "ANCHORED",
    "STATEMENTS",
    "Made",
    "Rng",
    "anchors_with_parts",
    "another_digit",
    "copied",
    "formulas",
    "numbers_of_lines",
    "pick",
    "replaced",
    "reworded",
)
