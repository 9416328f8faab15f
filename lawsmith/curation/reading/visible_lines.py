"""Which lines of a packet a model is shown when the whole is longer than what it takes.

A packet that fits is shown whole. Else it is cut into blocks (runs of one section, at most 40
lines; a line of more than 4,000 characters is a block of its own) and blocks are taken while
they fit: the first block of the packet, which holds title and abstract, then by the triage
score of the block's own text, earlier blocks first where scores are equal, and those of
reference lists last. What fits no more is passed over. Nothing of it is drawn or measured, so
the same packet and limit always give the same lines. Numbers stay those of the whole packet.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from lawsmith.curation.evidence import Reason
from lawsmith.curation.reading.triage_score import is_reference_list, score_of_text
from lawsmith.errors import InputError
from schemas.card import Anchor, AnchorDraft
from schemas.packet import Packet
from schemas.record import Part
from schemas.source import ReasonCode

BLOCK_LINES: Final = 40
LONG_LINE: Final = 4_000
"""Characters beyond which a line is a block of its own."""
CHARACTERS_PER_TOKEN: Final = 3
"""Fewer than in prose: formulas and tables take more tokens a character."""
INSTRUCTIONS: Final = 42_000
"""Characters set aside for a prompt without its packet: rules, reply schema and a card."""
REPLY_TOKENS: Final = 16_000
"""Set aside for the repair turns, which repeat the model's reply; at most a quarter."""

Lines = tuple[int, int]
"""First and last line, 1-based and inclusive."""


@dataclass(frozen=True)
class Shown:
    """The lines of a packet that a model is shown.

    Attributes:
        spans: ascending, with at least one line between two of them.
        count: lines of the packet.
    """

    spans: tuple[Lines, ...]
    count: int

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.spans == ((1, self.count),)

    @property
    def gaps(self) -> tuple[Lines, ...]:
        """What is left out."""
        edges = [(0, 0), *self.spans, (self.count + 1, self.count + 1)]
        return tuple((a[1] + 1, b[0] - 1) for a, b in pairwise(edges) if a[1] + 1 < b[0])

    def holds(self, first_line: int, last_line: int) -> bool:
        """Whether all of these lines are shown."""
        return any(first <= first_line and last_line <= last for first, last in self.spans)

    def sentence(self) -> str:
        """How much is shown, in words."""
        lines = sum(last - first + 1 for first, last in self.spans)
        return f"{lines} of {self.count} lines shown"


def all_lines(packet: Packet) -> Shown:
    """Every line of a packet."""
    return Shown(((1, len(packet.lines)),), len(packet.lines))


def shown_lines(packet: Packet, max_input_tokens: int | None) -> Shown:
    """The lines that a model with this longest prompt is shown; None is no limit.

    Raises:
        InputError: the limit leaves no room for any block of the packet.
    """
    if max_input_tokens is None:
        return all_lines(packet)
    reserved = min(REPLY_TOKENS, max_input_tokens // 4)
    room = (max_input_tokens - reserved) * CHARACTERS_PER_TOKEN - INSTRUCTIONS
    costs = [len(f"{n}| {line}\n") for n, line in enumerate(packet.lines, start=1)]
    if sum(costs) <= room:
        return all_lines(packet)
    kept: list[Lines] = []
    for first, last in _ranked(packet):
        # The mark of the gap before a block is counted with it.
        cost = sum(costs[first - 1 : last]) + len(f"[lines {first}-{last} left out]\n")
        if cost <= room:
            kept.append((first, last))
            room -= cost
    if not kept:
        raise InputError(
            f"{max_input_tokens} tokens of prompt leave no room for any part of packet"
            f" {packet.id!r}",
            path="calls.max_input_tokens",
            fix="use a model with a longer context",
        )
    return Shown(_joined(kept), len(packet.lines))


def with_lines(shown: Shown, added: Sequence[Lines]) -> Shown:
    """The same lines and these; lines outside the packet are passed over."""
    inside = [(max(first, 1), min(last, shown.count)) for first, last in added]
    return Shown(
        _joined([*shown.spans, *(pair for pair in inside if pair[0] <= pair[1])]), shown.count
    )


def anchored_lines(part: object) -> tuple[Lines, ...]:
    """The lines of every anchor inside a card or draft."""
    return tuple((anchor.first_line, anchor.last_line) for _, anchor in _anchors(part, ""))


def hidden_anchors(part: object, shown: Shown | None) -> tuple[Reason, ...]:
    """One reason for each anchor of a card or draft that names lines which were left out."""
    if shown is None or shown.whole:
        return ()
    return tuple(
        Reason(
            ReasonCode.ANCHOR_INVALID,
            path,
            f"lines {anchor.first_line}-{anchor.last_line} were left out of what the model read",
        )
        for path, anchor in _anchors(part, "")
        if not shown.holds(anchor.first_line, anchor.last_line)
    )


def _anchors(part: object, path: str) -> Iterator[tuple[str, Anchor | AnchorDraft]]:
    if isinstance(part, Anchor | AnchorDraft):
        yield path, part
    elif isinstance(part, Part):
        for name in type(part).model_fields:
            yield from _anchors(getattr(part, name), f"{path}/{name}")
    elif isinstance(part, list | tuple):
        for i, item in enumerate(part):
            yield from _anchors(item, f"{path}/{i}")


def _ranked(packet: Packet) -> list[Lines]:
    """The blocks of a packet, the most telling first."""
    blocks = list(_blocks(packet.lines, packet.sections))

    def rank(block: Lines) -> tuple[bool, bool, float, int]:
        first, last = block
        section = packet.sections[first - 1]
        listing = section is not None and is_reference_list(section)
        score = score_of_text("\n".join(packet.lines[first - 1 : last]))
        return first != 1, listing, -score, first

    return sorted(blocks, key=rank)


def _blocks(lines: Sequence[str], sections: Sequence[str | None]) -> Iterator[Lines]:
    first = 1
    for n in range(1, len(lines) + 1):
        ends = n == len(lines) or sections[n] != sections[n - 1]
        long = len(lines[n - 1]) > LONG_LINE or (not ends and len(lines[n]) > LONG_LINE)
        if ends or long or n - first + 1 == BLOCK_LINES:
            yield first, n
            first = n + 1


def _joined(spans: Sequence[Lines]) -> tuple[Lines, ...]:
    joined: list[Lines] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return tuple(joined)


__all__ = (
    "Lines",
    "Shown",
    "all_lines",
    "anchored_lines",
    "hidden_anchors",
    "shown_lines",
    "with_lines",
)
