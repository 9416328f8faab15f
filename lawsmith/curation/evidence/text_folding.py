"""Text folded for searching: typography folds, words, digits, signs and case do not.

What folds: ligatures, quotation marks, dashes, accents as composed or not, white space, hyphens
inside and at the end of words, the cross of a power of ten. Two things are taken out of the
text and kept beside it as marks, since a quote and a page may rightly differ in them within
limits that `agree` states: the caret before raised characters and the separator of thousands.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

LIGATURES: Final = {
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
    **dict.fromkeys("\u2715\u2716\u2a2f", "\u00d7"),
    "\u00b5": "\u03bc",
    "\u2126": "\u03a9",
    "\u212b": "A\u030a",
    "\u2044": "/",
    **dict.fromkeys("\ue0f1\ue0f2", "\ufffd"),
    "\u22c5": "\u00b7",
}
_RAISED: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_CROSS = re.compile(r"(?<=\d)\s*[xX*·∙]\s*(?=10(?:\^|\d|-))")
_THOUSANDS = re.compile(
    r"(?<![\d.,])\d{1,3}(?:([,'\u2009\u202f\u00a0 ])\d{3})(?:\1\d{3})*(?!\d|\1\d)"
)
CARET: Final = "^"
FIRM: Final = ","
"""A separator that no column gap can be: comma, apostrophe, thin space."""
LOOSE: Final = " "
"""A plain space between groups of three digits; in a table it may part two numbers."""

Pairs = list[tuple[str, int]]
"""Characters with the number of the line that each comes from."""


@dataclass(frozen=True)
class Folded:
    """A folded text.

    Attributes:
        text: the folded characters, without marks.
        owners: line number of each character, as it was given.
        marks: position -> marks that stand before the character at it.
    """

    text: str
    owners: list[int]
    marks: dict[int, str]

    @cached_property
    def _places(self) -> list[int]:
        return sorted(self.marks)

    def marks_within(self, start: int, end: int) -> dict[int, str]:
        """Marks strictly between two positions, counted from the first."""
        places = self._places[bisect_left(self._places, start + 1) : bisect_left(self._places, end)]
        return {place - start: self.marks[place] for place in places}


def fold(text: str) -> str:
    """A text as it stands in a search view."""
    return folded([(char, 0) for char in text]).text


def folded(pairs: Pairs) -> Folded:
    """Fold characters that know their lines."""
    pairs = [
        (piece, owner)
        for char, owner in pairs
        for piece in unicodedata.normalize("NFD", _FOLDED.get(char, char))
    ]
    pairs = _with_marked_thousands(_with_crosses(_with_carets(pairs)))
    pairs = _without_loose_space(_without_word_hyphens(pairs))
    kept: Pairs = []
    marks: dict[int, str] = {}
    for char, owner in pairs:
        if char in _MARKS:
            marks[len(kept)] = marks.get(len(kept), "") + _MARKS[char]
        else:
            kept.append((char, owner))
    return Folded("".join(char for char, _ in kept), [owner for _, owner in kept], marks)


# While folding, separators are private characters that no text may hold after `_FOLDED`.
_FIRM_PRIVATE, _LOOSE_PRIVATE = "\ue0f1", "\ue0f2"
_MARKS: Final = {CARET: CARET, _FIRM_PRIVATE: FIRM, _LOOSE_PRIVATE: LOOSE}


def disagreement(text: str, wanted: dict[int, str], there: dict[int, str]) -> str | None:
    """Why a quote whose characters agree with a place does not stand there, None if it does.

    A caret of the quote must stand on the page: an exponent that the page lost is not put back.
    A caret of the page between two digits must stand in the quote: 10^6 is not 106. One that
    only follows a letter or precedes a sign may be left out. A separator may be left out, or
    put in, where it can be nothing else.

    Args:
        text: the characters of both.
        wanted: marks of the quote by position.
        there: marks of the place by position.
    """
    for place in sorted(wanted.keys() | there.keys()):
        quote, page = wanted.get(place, ""), there.get(place, "")
        if CARET in quote and CARET not in page:
            return "the packet shows no exponent where the quote has one"
        digits = text[place - 1].isdigit() and text[place].isdigit()
        if CARET in page and CARET not in quote and digits:
            return "the quote has no exponent where the packet shows one"
        parted = {mark for mark in quote + page if mark != CARET}
        if bool(set(quote) - {CARET}) != bool(set(page) - {CARET}) and parted == {LOOSE}:
            return "two numbers on one side are one number on the other"
    return None


def _with_carets(pairs: Pairs) -> Pairs:
    """Raised digits and signs as a caret and plain ones."""
    kept: Pairs = []
    inside = False
    for char, owner in pairs:
        raised = _RAISED.get(char)
        if raised is not None and not inside:
            kept.append((CARET, owner))
        inside = raised is not None
        kept.append((raised or char, owner))
    return kept


def _with_crosses(pairs: Pairs) -> Pairs:
    return _replaced(pairs, _CROSS, lambda match: [(match.start(), match.end(), "×")])


def _with_marked_thousands(pairs: Pairs) -> Pairs:
    def separators(match: re.Match[str]) -> list[tuple[int, int, str]]:
        sign = _LOOSE_PRIVATE if match[1] in " \u00a0" else _FIRM_PRIVATE
        places = (n for n in range(match.start(), match.end()) if match.string[n] == match[1])
        return [(n, n + 1, sign) for n in places]

    return _replaced(pairs, _THOUSANDS, separators)


def _replaced(
    pairs: Pairs,
    pattern: re.Pattern[str],
    edits: Callable[[re.Match[str]], list[tuple[int, int, str]]],
) -> Pairs:
    """The characters with parts of matches put in place of others; line numbers are kept."""
    text = "".join(char for char, _ in pairs)
    kept: Pairs = []
    rest = 0
    for match in pattern.finditer(text):
        for start, end, put in edits(match):
            kept += pairs[rest:start]
            kept.append((put, pairs[start][1]))
            rest = end
    return kept + pairs[rest:]


def _without_word_hyphens(pairs: Pairs) -> Pairs:
    """Drop a hyphen between two letters of words, with the line break that follows it.

    Both sides need two letters, so that `x-y` in a formula keeps its sign.
    """
    kept: Pairs = []
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


def _is_word(pairs: Pairs, start: int, end: int) -> bool:
    if start < 0 or end > len(pairs):
        return False
    return all(
        pairs[n][0].isalpha() or unicodedata.combining(pairs[n][0]) for n in range(start, end)
    )


def _without_loose_space(pairs: Pairs) -> Pairs:
    """Keep one space between two words or numbers and none elsewhere."""
    kept: Pairs = []
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


__all__ = (
    "CARET",
    "FIRM",
    "LIGATURES",
    "LOOSE",
    "Folded",
    "Pairs",
    "disagreement",
    "fold",
    "folded",
)
