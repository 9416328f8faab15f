r"""Numbers of equations, which a TeX source does not print, put where its commands ask for them.

A labelled equation gets `\tag{3}` behind its label, and `\ref` and `\eqref` to it become that
number, as a reader of the paper sees them. Unlabelled equations are counted but not touched.
Where the numbers cannot be known, from there on none is given: a wrong number is worse than
none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_SINGLE: Final = frozenset({"equation", "multline", "dmath"})
_ROWS: Final = frozenset({"align", "eqnarray", "gather", "flalign", "alignat", "xalignat"})
_UNKNOWN = re.compile(
    r"\\renewcommand\s*\{?\\theequation|\\def\s*\\theequation|\\counterwithin|\\chapter\b"
    r"|\\documentclass\s*(?:\[[^\]]*\])?\s*\{(?:book|report|scrbook|scrreprt|memoir)"
    r"|\\(?:re)?newenvironment\*?\s*\{[^{}]*\}(?:\[[^\]]*\])*\s*\{[^\n]*\\begin\{(?:equation|align)"
)
_WITHIN = re.compile(r"\\numberwithin\s*\{equation\}\s*\{([a-z]+)\}")
_EVENT = re.compile(
    r"\\begin\s*\{(?P<verbatim>verbatim\*?|Verbatim|lstlisting|minted)\}"
    r"|\\begin\s*\{(?P<begin>equation|multline|dmath|align|eqnarray|gather|flalign|x?alignat)\}"
    r"|\\(?P<sub>begin|end)\s*\{subequations\}"
    r"|\\(?P<counter>set|addto)counter\s*\{equation\}\s*\{\s*(?P<value>-?\d+)\s*\}"
    r"|\\(?P<section>section)\b(?!\s*\*)"
    r"|\\(?P<stop>appendix\b|begin\s*\{(?:IEEEeqnarray|mathletters|appendices|dgroup)\*?\}|eqnum\b"
    r"|(?:set|addto)counter\s*\{equation\}|end\s*\{document\})"
)
_NUMBERED = re.compile(r"\\begin\s*\{(?:equation|align|eqnarray|gather|multline)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]+)\}")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_PIECE = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}|\\\\|\\.|[{}]", re.DOTALL)
_REFERENCE = re.compile(r"\\(eqref|ref|autoref|cref|Cref)\s*\{([^{}]+)\}")


@dataclass
class Numbered:
    """A source with the numbers of its equations.

    Attributes:
        text: the source.
        numbers: label -> number as printed.
        resolved: references that became numbers.
        unknown: whether some numbers could not be known.
    """

    text: str
    numbers: dict[str, str] = field(default_factory=dict)
    resolved: int = 0
    unknown: bool = False


@dataclass
class _Counter:
    value: int = 0
    section: int = 0
    within: bool = False
    letter: int | None = None

    def step(self) -> str:
        if self.letter is None:
            self.value += 1
            return self.printed()
        self.letter += 1
        return self.printed() + "abcdefghijklmnopqrstuvwxyz"[min(self.letter, 26) - 1]

    def printed(self) -> str:
        return f"{self.section}.{self.value}" if self.within else str(self.value)


def number_equations(text: str) -> Numbered:
    """Give labelled equations and references to them their numbers."""
    found = Numbered(text)
    within = _WITHIN.search(text)
    if _UNKNOWN.search(text) or (within and within.group(1) != "section"):
        found.unknown = bool(_LABEL.search(text))
        return found
    edits = _tags(text, _Counter(within=within is not None), found)
    pieces: list[str] = []
    rest = 0
    for place, tag in edits:
        pieces += [text[rest:place], tag]
        rest = place
    pieces.append(text[rest:])
    found.text = _REFERENCE.sub(lambda match: _resolve(match, found), "".join(pieces))
    return found


def _resolve(match: re.Match[str], found: Numbered) -> str:
    number = found.numbers.get(match.group(2).strip())
    if number is None:
        return match.group()
    found.resolved += 1
    forms = {"ref": number, "autoref": f"Equation {number}"}
    return forms.get(match.group(1), f"({number})")


def _tags(text: str, counter: _Counter, found: Numbered) -> list[tuple[int, str]]:
    edits: list[tuple[int, str]] = []
    start = re.compile(r"\\begin\s*\{document\}").search(text)
    position = start.end() if start else 0
    while event := _EVENT.search(text, position):
        position = event.end()
        if event["verbatim"]:
            position = _end_of(event["verbatim"], text, position) or position
        elif event["begin"]:
            end = _end_of(event["begin"], text, position)
            if end is None or not _number_rows(
                event["begin"], text, (position, end), counter, found, edits
            ):
                found.unknown = True
                return edits
            position = end
        elif event["stop"]:
            found.unknown = event["stop"][:3] != "end" and _labels_after(text, position)
            return edits
        else:
            _step(event, text, counter, found)
    return edits


def _labels_after(text: str, position: int) -> bool:
    environment = _NUMBERED.search(text, position)
    return environment is not None and _LABEL.search(text, environment.end()) is not None


def _step(event: re.Match[str], text: str, counter: _Counter, found: Numbered) -> None:
    if event["sub"] == "begin":
        counter.value, counter.letter = counter.value + 1, 0
        label = re.compile(r"\s*\\label\s*\{([^{}]+)\}").match(text, event.end())
        if label:
            found.numbers[label.group(1).strip()] = counter.printed()
    elif event["sub"] == "end":
        counter.letter = None
    elif event["counter"]:
        base = counter.value if event["counter"] == "addto" else 0
        counter.value = base + int(event["value"])
    elif counter.within:
        counter.section, counter.value = counter.section + 1, 0


def _end_of(name: str, text: str, position: int) -> int | None:
    match = re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(text, position)
    return match.start() if match else None


def _number_rows(
    name: str,
    text: str,
    part: tuple[int, int],
    counter: _Counter,
    found: Numbered,
    edits: list[tuple[int, str]],
) -> bool:
    """Number the rows of one environment; False where their number cannot be known."""
    rows = [part] if name in _SINGLE else list(_rows(text, *part))
    for start, end in rows:
        row = text[start:end]
        if not row.strip() and len(rows) > 1:
            # An empty last row has a number in some classes and none in others.
            return False
        tag = _TAG.search(row)
        if not tag and re.search(r"\\(?:nonumber|notag)\b", row):
            continue
        number = tag.group(1).strip("$ ") if tag else counter.step()
        for label in _LABEL.finditer(row):
            found.numbers[label.group(1).strip()] = number
            if not tag:
                edits.append((start + label.end(), rf"\tag{{{number}}}"))
    return True


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    r"""The rows of an environment: parted by \\ outside braces and inner environments."""
    depth = 0
    for piece in _PIECE.finditer(text, start, end):
        token = piece.group()
        if token == "{" or token.startswith(r"\begin"):
            depth += 1
        elif token == "}" or (token.startswith(r"\end") and token.endswith("}")):
            depth -= 1
        elif token == r"\\" and depth == 0:
            yield start, piece.start()
            start = piece.end()
    yield start, end


__all__ = ("Numbered", "number_equations")
