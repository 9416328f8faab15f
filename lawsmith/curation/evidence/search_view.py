"""A folded view of packet lines in which quotes are found, with a way back to the lines.

Only typography is folded (see `folding`). The view is never stored as the text. Nothing is
guessed across a lost exponent: a quote with 10^6 does not stand where the packet shows 106, and
`near` says so; `lost_exponents` names what in a text looks like an exponent that was lost.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lawsmith.curation.evidence.text_folding import (
    CARET,
    FIRM,
    LIGATURES,
    Folded,
    disagreement,
    fold,
    folded,
)
from schemas.packet import Packet

_LOST = re.compile(
    # A mantissa below ten, a cross, and ten with one or two more digits: 6.0 × 1023, 3·10-4.
    r"(?<![\d.,])(?:\d(?:\.\d+)?\s?|\(\s?)[×xX·∙⋅*]\s?10(?:[-−–]\s?\d{1,2}|[1-9]\d?)(?![\d.,]*\d|%|\^)"
    # Ten and a true minus without spaces is a power far more often than a difference.
    r"|(?<![\w.,^)\]])10−\d{1,2}(?![\d.,]*\d)"
)
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_]{2})[-\u2010\u2011] +(?=[^\W\d_]{2})")
_FLAT_TEN = re.compile(r"10[1-9−–-]")
"""What every match of `_LOST` holds, found at a fraction of the cost."""


@dataclass(frozen=True, order=True)
class Span:
    """Packet lines, 1-based and inclusive."""

    first_line: int
    last_line: int


@dataclass(frozen=True)
class NearMiss:
    """A place that has the quote's characters but means something else.

    Attributes:
        span: where it is.
        why: in what it differs.
    """

    span: Span
    why: str


def lost_exponents(text: str) -> tuple[str, ...]:
    """Pieces of a text that look like powers of ten whose exponent was flattened.

    The sign is not proof: 3 × 105 may be meant. It is for saying that a number is in doubt.
    """
    if not _FLAT_TEN.search(text):
        return ()
    return tuple(match.group().strip() for match in _LOST.finditer(text))


def without_lost_exponents(text: str) -> str:
    """A text without the pieces that `lost_exponents` names: no number of theirs is certain."""
    return _LOST.sub(" ", text) if _FLAT_TEN.search(text) else text


@dataclass(frozen=True)
class SearchView:
    """The folded text of a packet.

    Attributes:
        packet: the text that quotes are looked for in.
    """

    packet: Packet

    def find(self, quote: str) -> list[Span]:
        """Every place where the quote stands, as line spans, each once, in reading order.

        A match neither begins nor ends inside a word or number: `1.2` is not in `31.25`.
        """
        return list(dict.fromkeys(span for span, why in self._places(quote) if why is None))

    def near(self, quote: str) -> list[NearMiss]:
        """Places that differ from the quote only in an exponent or in how digits are grouped."""
        found = (NearMiss(span, why) for span, why in self._places(quote) if why is not None)
        return list(dict.fromkeys(found))

    def doubtful(self, first_line: int, last_line: int) -> tuple[str, ...]:
        """What in these lines looks like a power of ten whose exponent was flattened.

        Always empty for TeX, where exponents are written out.

        Args:
            first_line: 1-based.
            last_line: inclusive.
        """
        if self.packet.kind == "tex":
            return ()
        lines = self.packet.lines[first_line - 1 : last_line]
        return tuple(piece for line in lines for piece in lost_exponents(line))

    def _places(self, quote: str) -> Iterator[tuple[Span, str | None]]:
        wanted = folded([(char, 0) for char in quote])
        joined = folded([(char, 0) for char in _BROKEN_WORD.sub(r"\g<0>\n", quote)])
        yield from self._places_of(wanted)
        # A word that the page breaks may be copied with its hyphen and a space.
        if joined.text != wanted.text:
            yield from self._places_of(joined)

    def _places_of(self, wanted: Folded) -> Iterator[tuple[Span, str | None]]:
        if not wanted.text:
            return
        view = self._folded
        start = view.text.find(wanted.text)
        while start >= 0:
            end = start + len(wanted.text)
            if not any(_inside_word(view, cut) for cut in (start, end)):
                span = Span(view.owners[start] + 1, view.owners[end - 1] + 1)
                inner = view.marks_within(start, end)
                yield (
                    span,
                    disagreement(wanted.text, wanted.marks_within(0, len(wanted.text)), inner),
                )
            start = view.text.find(wanted.text, start + 1)

    @property
    def _folded(self) -> Folded:
        return _folded_lines(self.packet.lines)


# Extraction, gates and reviews look into one packet in turn; a packet may be a whole paper.
@lru_cache(maxsize=32)
def _folded_lines(lines: tuple[str, ...]) -> Folded:
    return folded([(char, n) for n, line in enumerate(lines) for char in f"{line}\n"])


def _inside_word(view: Folded, cut: int) -> bool:
    text = view.text
    if not 0 < cut < len(text):
        return False
    before, after = text[cut - 1], text[cut]
    marks = view.marks.get(cut, "")
    if CARET in marks:
        # A raised mark, such as that of a footnote, is no part of the word before it; behind a
        # digit it is an exponent, and the number does not end there.
        return before.isdigit()
    if marks:
        return FIRM in marks
    if before == "." and after.isdigit() and cut > 1 and text[cut - 2].isdigit():
        return True
    if after == "." and before.isdigit() and text[cut + 1 : cut + 2].isdigit():
        return True
    return before.isalnum() and after.isalnum()


__all__ = (
    "LIGATURES",
    "NearMiss",
    "SearchView",
    "Span",
    "fold",
    "lost_exponents",
    "without_lost_exponents",
)
