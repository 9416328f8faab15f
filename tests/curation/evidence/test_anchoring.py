"""Anchors: found where claimed, moved to the one other place, or refused."""

from collections.abc import Callable

import pytest

from lawsmith.curation.evidence.anchoring import place_quote, resolve_anchor
from lawsmith.curation.evidence.search_view import SearchView
from schemas.card import AnchorDraft
from schemas.packet import Packet

TEXT = (
    "the flux grows with speed",
    "the value is 3.5 kPa here",
    "does not scale with Re at all",
    "the value is 3.5 kPa here",
    *("filler line",) * 12,
    "a last, single remark",
)


@pytest.mark.parametrize(
    ("quote", "lines", "expected"),
    [
        ("flux grows with", (1, 1), (1, 1, False, None)),
        ("flux  grows\u00a0with", (1, 3), (1, 3, False, None)),
        ("a last, single remark", (1, 1), (17, 17, True, None)),
        ("a last, single remark", (1, 17), (17, 17, True, None)),
        ("a last, single remark", (5, 3), (17, 17, True, None)),
        ("the value is 3.5 kPa", (2, 2), (2, 2, False, None)),
        ("the value is 3.5 kPa", (1, 1), (1, 1, False, "quote_not_found")),
        ("does scale with Re", (3, 3), (3, 3, False, "quote_not_found")),
        ("the flux … with speed", (1, 1), (1, 1, False, "quote_not_found")),
        ("the value is 3.5", (0, 0), (0, 0, False, "anchor_invalid")),
        ("the value is 3.5", (1, 9999), (1, 9999, False, "anchor_invalid")),
        ("3.5 kPa", (2, 2), (2, 2, False, "anchor_invalid")),
        ("x" * 301, (2, 2), (2, 2, False, "anchor_invalid")),
    ],
)
def test_quotes_are_placed(
    packet_of: Callable[..., Packet],
    quote: str,
    lines: tuple[int, int],
    expected: tuple[int, int, bool, str | None],
) -> None:
    packet = packet_of(TEXT)
    placed = place_quote(quote, *lines, packet, SearchView(packet), "/relations/0/anchors/0")
    code = placed.reason.code.value if placed.reason else None
    assert (placed.first_line, placed.last_line, placed.repaired, code) == expected


def test_an_anchor_without_its_quote_keeps_its_lines(packet_of: Callable[..., Packet]) -> None:
    packet = packet_of(TEXT)
    draft = AnchorDraft(first_line=2, last_line=2, quote="never written", support="s")
    anchor, reason = resolve_anchor(draft, packet, SearchView(packet), "/x")
    assert anchor is not None
    assert (anchor.first_line, anchor.last_line) == (2, 2)
    assert reason is not None


def test_an_empty_support_is_refused(packet_of: Callable[..., Packet]) -> None:
    packet = packet_of(TEXT)
    draft = AnchorDraft(first_line=1, last_line=1, quote="flux grows with", support="  ")
    _, reason = resolve_anchor(draft, packet, SearchView(packet), "/x")
    assert reason is not None
    assert reason.path == "/x/support"


def test_a_quote_that_puts_back_a_lost_exponent_is_refused_and_told_why(
    packet_of: Callable[..., Packet],
) -> None:
    packet = packet_of(("nothing here", "the dose was 3 × 106 per day"))
    placed = place_quote("dose was 3 × 10^6 per day", 2, 2, packet, SearchView(packet), "/x")
    assert placed.reason is not None
    assert "line 2 comes near, but the packet shows no exponent" in placed.reason.sentence
