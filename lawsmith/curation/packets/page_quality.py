"""How far a page's text can be trusted: a score and named kinds of failure, each with a share.

The kinds are those that were seen on real files. A page that is hopeless is left out of the
packet and said so; one that is only doubted stays, and the packet's figures name its kinds.
Everything here is counted, so that the same page always has the same score.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from lawsmith.curation.evidence import lost_exponents
from lawsmith.curation.packets.page_words import PageWords
from lawsmith.curation.packets.pdf_lines import PageLines, PdfLine

MIN_LETTERS = 20
"""Letters and digits that a page with a text layer has at least."""
COVERING = 0.8
"""Share of a page that an image of it covers."""
_ENOUGH_WORDS = 60
LONG_WORD = 18
"""Letters from which a word is a long one."""
# Words that stand on any page of prose in the languages of science.
_COMMON: Final = frozenset(
    re.findall(
        r"\w+",
        "the of and in to a is for with we by on as that are this be from at"
        " der die das und von zu mit den ist im des eine le la les de et en un une est dans pour"
        " el los las y que del se por con una il di che e per non do da os em um uma",
    )
)
_PAIRS: Final = frozenset(
    re.findall(
        "..",
        "thheineranreonatenndtiesorteofedisitalarstontngsehaasouioleveco"
        "medehirironeearaceuechscgebeunieesquelalodataio",
    )
)
_WRONG_SIGNS = ("¼", "þ", "ð", "Þ", "Ð")
_BORROWED = re.compile(r"¼|(?<![^\W\d_])[þðÞÐ](?![^\W\d_])")
PENALTIES: Final = {
    # kind: (share from which it counts, share at which the page is hopeless or None)
    "unreadable_characters": (0.002, 0.05),
    "words_run_together": (0.03, 0.15),
    "garbled_words": (0.5, 0.9),
    "wrong_glyphs": (0.3, None),
    "lost_exponents": (0.0, None),
    "interleaved_columns": (0.5, None),
    "text_over_image": (0.0, None),
    "margin_numbers": (0.0, None),
    "ocr_layer": (0.0, 0.0),
    "no_text": (0.0, 0.0),
}
"""Kind of failure -> what share of it counts, and what share leaves nothing to read."""

HARMLESS: Final = frozenset({"margin_numbers"})
"""Kinds that are said and cost no score, as what they name is not in the text any more."""


@dataclass(frozen=True)
class PageQuality:
    """What a page's text is worth.

    Attributes:
        score: 1 where nothing speaks against it, 0 where it is hopeless.
        kinds: failure kind -> share, of those that count.
        hopeless: the kind for which the page is left out, None where it stays.
    """

    score: float
    kinds: dict[str, float]
    hopeless: str | None


def page_quality(page: PageLines, made_of: PageWords, covered: float) -> PageQuality:
    """The score of a page.

    Args:
        page: its lines.
        made_of: the words of its text.
        covered: share of the page that its largest image covers, 0 to 1.
    """
    shares = _shares(page, made_of, covered)
    kinds = {name: share for name, share in shares.items() if share > PENALTIES[name][0]}
    hopeless = [
        name
        for name, share in kinds.items()
        if (end := PENALTIES[name][1]) is not None and share > end
    ]
    score = 0.0 if hopeless else 1.0
    for share in (share for name, share in kinds.items() if name not in HARMLESS):
        score *= 1 - min(0.5, 0.25 + share / 2)
    return PageQuality(score, kinds, hopeless[0] if hopeless else None)


def _shares(page: PageLines, made_of: PageWords, covered: float) -> dict[str, float]:
    scanned = covered > COVERING
    if made_of.alphanumeric < MIN_LETTERS:
        # What a scanner guessed lies under the picture, where nobody sees it.
        guessed = scanned and page.hidden >= MIN_LETTERS
        return {"ocr_layer" if guessed else "no_text": 1.0}
    text = page.text
    return {
        "unreadable_characters": page.unreadable / max(1, page.characters),
        "words_run_together": _long_share(made_of.words),
        "garbled_words": _garbled(made_of.words),
        "wrong_glyphs": _borrowed(text),
        "lost_exponents": _lost_share(text),
        "interleaved_columns": _interleaved(page.lines),
        "text_over_image": float(scanned),
        "margin_numbers": page.margin_numbers / (len(page.lines) + page.margin_numbers),
    }


def long_words(words: Sequence[str]) -> int:
    """How many of the words are long ones."""
    return sum(map(LONG_WORD.__le__, map(len, words)))


def _long_share(words: Sequence[str]) -> float:
    if len(words) < _ENOUGH_WORDS:
        return 0.0
    return long_words(words) / len(words)


def _lost_share(text: str) -> float:
    if not lost_exponents(text):
        return 0.0
    lines = text.split("\n")
    return sum(bool(lost_exponents(line)) for line in lines) / len(lines)


def _garbled(words: Sequence[str]) -> float:
    """0 for prose of any usual language; 1 where a font's map shifts every letter.

    Both must speak for it: none of the commonest words, and few of the commonest pairs of
    letters. Words in capitals do not count, since acronyms and names of genes have neither.
    """
    few = int(0.01 * len(words))
    if len(words) < _ENOUGH_WORDS or next(islice(_common(words), few, None), None):
        return 0.0
    plain = [word.lower() for word in words if not word.isupper() and len(word) > 1]
    if len(plain) < _ENOUGH_WORDS or not all(map(str.isascii, plain[:5])):
        return 0.0
    pairs = [word[n : n + 2] for word in plain for n in range(len(word) - 1)]
    usual = sum(pair in _PAIRS for pair in pairs) / len(pairs)
    return min(1.0, max(0.0, (0.25 - usual) / 0.1))


def _common(words: Sequence[str]) -> Iterator[str]:
    return filter(_COMMON.__contains__, words)


def _borrowed(text: str) -> float:
    """Share of equality signs that a wrong font map shows as ¼ and the like."""
    if not any(sign in text for sign in _WRONG_SIGNS):
        return 0.0
    wrong = len(_BORROWED.findall(text))
    return wrong / (wrong + text.count("=")) if wrong >= 3 else 0.0


def _interleaved(lines: Sequence[PdfLine]) -> float:
    """Share of steps from line to line that jump between two columns at one height."""
    if len(lines) < 20:
        return 0.0
    jumps = 0
    before = lines[0]
    for after in lines[1:]:
        left, top, right, _ = before.box
        # Most steps go to the next line below, and end here.
        if abs(top - after.box[1]) < 0.5 * max(before.size, after.size):
            apart = after.box[0] > right or after.box[2] < left
            jumps += apart and len(before.text) > 25 and len(after.text) > 25
        before = after
    return 2 * jumps / len(lines)


__all__ = ("COVERING", "MIN_LETTERS", "PENALTIES", "PageQuality", "long_words", "page_quality")
