"""Lines of one PDF page from the library's spans, raised characters marked with a caret.

Two readers in the literature of extraction flatten exponents: 10 to the sixth becomes 106. A
span is raised when it is smaller than the text it follows and its baseline lies higher, both
measured along the line's own direction, so that labels of vertical axes keep their exponents.
The library's own flag is not asked: it looks at the first character of a line only.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from lawsmith.curation.packets.characters import clean

MIN_SIZE = 1.5
"""Points below which text is there for machines, not for readers."""
SMALLER = 0.9
"""Size of a raised span, as a share of the text's, at most."""
LIFT = (0.12, 0.65)
"""Baseline of a raised span above the text's, as a share of the text's size; numerators of
displayed fractions are higher."""
_PAINTED = 16 | 32
"""Bits of `char_flags` of text that is filled or stroked; text with neither is not seen."""
_CLOSING = "_)]}|∇∂∑∏"
_PRIMES = "'′″"
_PLAIN_MARK = re.compile(r"[-−–+]?[\w.,]+|[∗*†‡§◦]")
_SPACES = re.compile(r" {2,}")


class PdfLine(NamedTuple):
    """One line of text.

    Attributes:
        text: cleaned, with carets.
        size: of its running text, in points.
        bold: whether all of it is.
        box: left, top, right, bottom in points, from the page's top left.
    """

    text: str
    size: float
    bold: bool
    box: tuple[float, float, float, float]


@dataclass
class PageLines:
    """The lines of a page and what was met on the way.

    Attributes:
        lines: in the order of the file.
        characters: characters read.
        unreadable: of them without a meaning.
        raised: carets set.
        hidden: characters dropped, as no reader sees them.
        white: characters in white, kept.
        margin_numbers: lines dropped, as they hold printed line numbers.
    """

    lines: list[PdfLine] = field(default_factory=list)
    characters: int = 0
    unreadable: int = 0
    raised: int = 0
    hidden: int = 0
    white: int = 0
    margin_numbers: int = 0

    @cached_property
    def text(self) -> str:
        """The lines joined; to be asked for once all lines are there."""
        return "\n".join(line.text for line in self.lines)


def page_lines(blocks: list[dict[str, Any]]) -> PageLines:
    """The lines of a page.

    Args:
        blocks: `page.get_text("dict")["blocks"]` of the library.
    """
    found = PageLines()
    for block in blocks:
        for raw in block.get("lines", ()):
            line = _line(raw, found)
            if line is not None:
                found.lines.append(line)
    return found


def _line(raw: dict[str, Any], found: PageLines) -> PdfLine | None:
    # Runs for every span of every page: what is rare is asked for last, and calls are few.
    pieces: list[str] = []
    raised = ""
    base: dict[str, Any] | None = None
    least = 0.0
    bold = True
    for span in raw["spans"]:
        size = span["size"]
        if size < MIN_SIZE or _is_unpainted(span):
            found.hidden += len(span["text"])
            continue
        text = _counted(span, found)
        seen = not text.isspace() and text != ""
        if seen:
            bold = bold and bool(span["flags"] & 16 or "bold" in span["font"].lower())
            if size < least and base is not None and _is_raised(span, base, raw["dir"]):
                raised += text
                continue
        if raised:
            found.raised += _flush(raised, pieces)
            raised = ""
        pieces.append(text)
        if seen and size >= least:
            base, least = span, SMALLER * size
    if base is None:
        return None
    if raised:
        found.raised += _flush(raised, pieces)
    joined = "".join(pieces).strip()
    if "  " in joined:
        joined = _SPACES.sub(" ", joined)
    return PdfLine(joined, round(base["size"], 1), bold, raw["bbox"])


def _is_unpainted(span: dict[str, Any]) -> bool:
    return not span.get("char_flags", _PAINTED) & _PAINTED or span.get("alpha", 255) == 0


def _counted(span: dict[str, Any], found: PageLines) -> str:
    """The cleaned text of a span, once its characters are counted."""
    text, unreadable = clean(span["text"], span["font"])
    found.characters += len(text)
    found.unreadable += unreadable
    if span["color"] == 0xFFFFFF:
        found.white += len(text)
    return text


def _is_raised(span: dict[str, Any], base: dict[str, Any], way: tuple[float, float]) -> bool:
    """Whether a smaller span is an exponent or mark of the text before it.

    Args:
        span: the span in question.
        base: the running text before it.
        way: unit vector along the line, y downwards.
    """
    right = span["origin"][0] - base["origin"][0]
    down = span["origin"][1] - base["origin"][1]
    lift = way[1] * right - way[0] * down
    return bool(LIFT[0] * base["size"] < lift < LIFT[1] * base["size"])


def _flush(raised: str, pieces: list[str]) -> int:
    """Put raised characters behind the pieces before them; how many carets that took."""
    text = _marked(raised, pieces)
    pieces.append(text)
    return int(text.startswith("^"))


def _marked(raised: str, before: list[str]) -> str:
    """Raised characters with a caret before them, where they are attached to something.

    After a space or an operator they are a small numerator; primes need no mark.
    """
    core = raised.strip()
    last = "".join(before[-2:])[-1:]
    attached = last.isalnum() or (last != "" and last in _CLOSING)
    if not attached or not core.strip(_PRIMES):
        return raised
    tail = raised[len(raised.rstrip()) :]
    return f"^{core}{tail}" if _PLAIN_MARK.fullmatch(core) else f"^({core}){tail}"


__all__ = ("PageLines", "PdfLine", "page_lines")
