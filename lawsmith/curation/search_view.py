"""A folded view of packet lines in which quotes are found, with a way back to the lines.

Only typography is folded: ligatures, quotation marks, dashes, accents as composed or not,
white space, hyphens inside and at the end of words, and the caret that packets put before
raised characters. Words, digits, signs and case stay. The view is never stored as the text.
"""

import unicodedata
from dataclasses import dataclass
from functools import cached_property

from schemas.packet import Packet

LIGATURES = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "ft",
    "ﬆ": "st",
    "Ĳ": "IJ",
    "ĳ": "ij",
}
"""Ligature -> letters. NFKC is not used: it would turn a raised 2 into a plain one."""

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
_FOLDED = {
    **LIGATURES,
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    "\u00b5": "\u03bc",
    "\u2126": "\u03a9",
    "\u212b": "A\u030a",
    "\u2044": "/",
    "\u22c5": "\u00b7",
}


@dataclass(frozen=True, order=True)
class Span:
    """Packet lines, 1-based and inclusive."""

    first_line: int
    last_line: int


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
        wanted = fold(quote)
        if not wanted:
            return []
        text, owners, marks = self._folded
        found: dict[Span, None] = {}
        start = text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if not any(_inside_word(text, cut, marks) for cut in (start, end)):
                found[Span(owners[start] + 1, owners[end - 1] + 1)] = None
            start = text.find(wanted, start + 1)
        return list(found)

    @cached_property
    def _folded(self) -> tuple[str, list[int], frozenset[int]]:
        return _fold(
            [(char, n) for n, line in enumerate(self.packet.lines) for char in f"{line}\n"]
        )


def fold(text: str) -> str:
    """A text as it stands in a search view."""
    return _fold([(char, 0) for char in text])[0]


def _fold(marked: list[tuple[str, int]]) -> tuple[str, list[int], frozenset[int]]:
    """The folded text, the line of each of its characters, and where carets stood."""
    pairs = [
        (piece, owner)
        for char, owner in marked
        for piece in unicodedata.normalize("NFD", _FOLDED.get(char, char))
    ]
    pairs = _without_loose_space(_without_word_hyphens(pairs))
    kept: list[tuple[str, int]] = []
    marks: set[int] = set()
    for char, owner in pairs:
        if char == "^":
            marks.add(len(kept))
        else:
            kept.append((char, owner))
    return "".join(char for char, _ in kept), [owner for _, owner in kept], frozenset(marks)


def _without_word_hyphens(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Drop a hyphen between two letters of words, with the line break that follows it.

    Both sides need two letters, so that `x-y` in a formula keeps its sign.
    """
    kept: list[tuple[str, int]] = []
    position = 0
    while position < len(pairs):
        if pairs[position][0] == "-" and _is_word(pairs, position - 2, position):
            after = position + 1
            while after < len(pairs) and pairs[after][0] in " \n":
                after += 1
            broken = any(pairs[n][0] == "\n" for n in range(position + 1, after))
            if (after == position + 1 or broken) and _is_word(pairs, after, after + 2):
                position = after
                continue
        kept.append(pairs[position])
        position += 1
    return kept


def _is_word(pairs: list[tuple[str, int]], start: int, end: int) -> bool:
    if start < 0 or end > len(pairs):
        return False
    return all(
        pairs[n][0].isalpha() or unicodedata.combining(pairs[n][0]) for n in range(start, end)
    )


def _without_loose_space(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Keep one space between two words or numbers and none elsewhere."""
    kept: list[tuple[str, int]] = []
    gap: tuple[str, int] | None = None
    for char, owner in pairs:
        if char.isspace():
            gap = (" ", owner)
            continue
        if gap and kept and _in_word(kept[-1][0]) and _in_word(char):
            kept.append(gap)
        gap = None
        kept.append((char, owner))
    return kept


def _in_word(char: str) -> bool:
    return char.isalnum() or bool(unicodedata.combining(char))


def _inside_word(text: str, cut: int, marks: frozenset[int]) -> bool:
    # A raised mark, such as that of a footnote, is no part of the word before it.
    if not 0 < cut < len(text) or cut in marks:
        return False
    before, after = text[cut - 1], text[cut]
    if before == "." and after.isdigit() and cut > 1 and text[cut - 2].isdigit():
        return True
    if after == "." and before.isdigit() and text[cut + 1 : cut + 2].isdigit():
        return True
    return before.isalnum() and after.isalnum()


__all__ = ("LIGATURES", "SearchView", "Span", "fold")
