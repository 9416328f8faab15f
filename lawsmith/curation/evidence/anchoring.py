"""Anchoring: a model's quotes found again in the packet by code, or refused.

A quote counts only where it stands verbatim, typography and white space apart. Found within
the lines the model gave, it is as claimed; found at exactly one other place, the lines are
corrected and the anchor says so; anything else is refused. Nothing is matched by likeness: a
near match cannot tell a claim from its negation.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.curation.evidence.reasons import Reason
from lawsmith.curation.evidence.search_view import SearchView
from schemas.card import Anchor, AnchorDraft
from schemas.packet import Packet
from schemas.source import ReasonCode

MAX_SPAN: Final = 12
QUOTE_LENGTH: Final = (8, 300)


@dataclass(frozen=True)
class Placed:
    """Where a quote stands, or why it counts as nowhere."""

    first_line: int
    last_line: int
    repaired: bool
    reason: Reason | None


def span_problem(first_line: int, last_line: int, packet: Packet) -> str | None:
    """What is wrong with a pair of 1-based inclusive line numbers, None if nothing is."""
    count = len(packet.lines)
    if not 1 <= first_line <= last_line <= count:
        return f"lines {first_line}-{last_line} are not within 1-{count} in ascending order"
    if last_line - first_line + 1 > MAX_SPAN:
        return f"lines {first_line}-{last_line} span more than {MAX_SPAN} lines"
    return None


def place_quote(
    quote: str, first_line: int, last_line: int, packet: Packet, view: SearchView, path: str
) -> Placed:
    """The lines on which a quote stands.

    Args:
        quote: text copied from the packet.
        first_line: 1-based, inclusive, as claimed.
        last_line: 1-based, inclusive, as claimed.
        packet: the text it was copied from.
        view: the packet's search view.
        path: JSON Pointer of the anchor, for the reason.
    """

    def refused(code: ReasonCode, sentence: str) -> Placed:
        return Placed(first_line, last_line, False, Reason(code, path, sentence))

    shortest, longest = QUOTE_LENGTH
    if not shortest <= len(quote) <= longest:
        return refused(
            ReasonCode.ANCHOR_INVALID,
            f"a quote has {shortest} to {longest} characters, not {len(quote)}",
        )
    problem = span_problem(first_line, last_line, packet)
    places = view.find(quote)
    if problem is None and any(
        first_line <= place.first_line and place.last_line <= last_line for place in places
    ):
        return Placed(first_line, last_line, False, None)
    if len(places) == 1 and places[0].last_line - places[0].first_line < MAX_SPAN:
        return Placed(places[0].first_line, places[0].last_line, True, None)
    if problem is not None:
        return refused(ReasonCode.ANCHOR_INVALID, problem)
    where = f"stands at {len(places)} other places" if places else "does not stand in the packet"
    if not places and (near := view.near(quote)):
        where += f"; line {near[0].span.first_line} comes near, but {near[0].why}"
    return refused(ReasonCode.QUOTE_NOT_FOUND, f"quote {quote[:60]!r} {where}")


def resolve_anchor(
    draft: AnchorDraft, packet: Packet, view: SearchView, path: str
) -> tuple[Anchor | None, Reason | None]:
    """The anchor of a draft and what is wrong with it.

    An anchor whose quote is not found is still returned with the lines it claims, so that the
    gates can say everything else that is wrong; None only when the lines do not exist.
    """
    placed = place_quote(draft.quote, draft.first_line, draft.last_line, packet, view, path)
    reason = placed.reason
    if reason is None and not draft.support.strip():
        reason = Reason(ReasonCode.ANCHOR_INVALID, f"{path}/support", "the support is empty")
    if span_problem(placed.first_line, placed.last_line, packet) is not None:
        return None, reason
    anchor = Anchor(
        packet_sha256=packet.text_sha256,
        first_line=placed.first_line,
        last_line=placed.last_line,
        quote_sha256=hashlib.sha256(draft.quote.encode("utf-8")).hexdigest(),
        support=draft.support,
        repaired=placed.repaired,
    )
    return anchor, reason


def anchored_text(anchors: Sequence[Anchor], packet: Packet) -> str:
    """The packet lines of the anchors, each line once, in packet order; foreign lines skipped."""
    numbers = {
        n
        for anchor in anchors
        for n in range(anchor.first_line, anchor.last_line + 1)
        if 1 <= n <= len(packet.lines)
    }
    return "\n".join(packet.lines[n - 1] for n in sorted(numbers))


__all__ = (
    "MAX_SPAN",
    "QUOTE_LENGTH",
    "Placed",
    "anchored_text",
    "place_quote",
    "resolve_anchor",
    "span_problem",
)
