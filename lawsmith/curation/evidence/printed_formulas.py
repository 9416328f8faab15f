"""The equations that a packet prints for a symbol, read where they can be read for certain."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lawsmith.curation.evidence.plain_formulas import UnreadError, read_plain
from lawsmith.curation.evidence.symbols import folded_symbol, plain_symbols
from lawsmith.errors import InputError
from lawsmith.expressions import LatexError, parse_latex
from schemas.expression import Expression, Op, Var, names_of, substitute
from schemas.packet import Packet

_ENVIRONMENTS: Final = "equation|align|eqnarray|gather|multline|displaymath|alignat|flalign|math"
_DISPLAY: Final = re.compile(
    rf"\\begin\{{(?P<env>(?:{_ENVIRONMENTS})\*?)\}}(?P<a>.*?)\\end\{{(?P=env)\}}"
    r"|\\\[(?P<b>.*?)\\\]|\$\$(?P<c>.*?)\$\$|(?<![\\$])\$(?P<d>[^$]+?)\$",
    re.DOTALL,
)
_LABEL: Final = re.compile(r"\\(?:label|tag)\*?\{[^{}]*\}|\\(?:nonumber|notag|quad|qquad)\b")
_TEX_EQUALS: Final = re.compile(r":?=|\\approx(?![A-Za-z])|\\simeq(?![A-Za-z])|\\equiv(?![A-Za-z])")
_TEX_SYMBOL: Final = re.compile(
    r"(?:\\(?!frac|left|right|exp|ln|log|sqrt|cdot|times|sum|sin|cos|tan|mathrm|text|quad)[A-Za-z]+"
    r"|(?<![A-Za-z\\])[A-Za-z](?![A-Za-z]))(?:_(?:\{[^{}]*\}|[A-Za-z0-9]))?"
)
_PLAIN_LEFT: Final = re.compile(
    r"(?:^|(?<=[\s(,;:]))(?P<left>[^\W\d_][^\W_]*(?:_\w+)?\s?(?:\([^()=]*\))?)\s*[=≈≃]\s*"
)
_NUMBER_LINE: Final = re.compile(r"\s*\(\d+[a-z]?\)\s*")
_PROSE_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_CLOSED: Final = re.compile(r"\s*(?:$|[,.;:=≈(]|[A-Za-z])")
LOG_MEANINGS: Final = ("log", "log10")
"""What a bare `log` may mean; a reading counts when either does."""


@dataclass(frozen=True)
class PrintedEquation:
    """An equation of the packet.

    Attributes:
        left: the folded spelling of its left side.
        readings: what its right side may mean, over folded spellings; empty = not readable.
        first_line: 1-based.
        last_line: inclusive.
        text: the right side as printed, shortened.
    """

    left: str
    readings: tuple[Expression, ...]
    first_line: int
    last_line: int
    text: str

    def touches(self, lines: Collection[int]) -> bool:
        """Whether it stands, in part, on one of these lines."""
        return any(n in lines for n in range(self.first_line, self.last_line + 1))


def printed_equations(
    packet: Packet,
    lefts: Collection[str] | None,
    symbols: Mapping[str, str],
    lines: Collection[int] | None = None,
) -> tuple[PrintedEquation, ...]:
    """Every equation of a packet whose left side is one of these folded spellings.

    Args:
        packet: the text.
        lefts: folded spellings of left sides that matter; None = any one symbol.
        symbols: folded spelling -> symbol in LaTeX, of what may stand at the right.
        lines: only equations on these lines; None = all.
    """
    read = _tex_equations if packet.kind == "tex" else _plain_equations
    return tuple(read(packet, lefts, symbols, lines))


def _tex_equations(
    packet: Packet,
    lefts: Collection[str] | None,
    symbols: Mapping[str, str],
    lines: Collection[int] | None,
) -> Iterator[PrintedEquation]:
    text = "\n".join(packet.lines)
    for match in _DISPLAY.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        last = text.count("\n", 0, match.end()) + 1
        if lines is not None and not any(n in lines for n in range(first, last + 1)):
            continue
        group = next(name for name in "abcd" if match[name] is not None)
        for row in re.split(r"\\\\(?:\[[^\]]*\])?", _LABEL.sub(" ", match[group])):
            equation = _TEX_EQUALS.search(row)
            if equation is None:
                continue
            left = folded_symbol(row[: equation.start()].replace("&", " "))
            if not left or (lefts is not None and left not in lefts):
                continue
            right = row[equation.end() :].replace("&", " ").strip().rstrip(".,; ")
            readings = _tex_readings(_TEX_EQUALS.split(right)[0], symbols)
            yield PrintedEquation(left, readings, first, last, right[:80])


def _tex_readings(right: str, symbols: Mapping[str, str]) -> tuple[Expression, ...]:
    found: dict[Expression, None] = {}
    spelled = {
        symbol: f"s_{spelling}" for spelling, symbol in symbols.items() if _is_symbol(symbol)
    }
    for base in ("e", 10) if r"\log" in right else (None,):
        for names in (spelled, {**_symbols_of(right), **spelled}):
            try:
                read = parse_latex(right, names, log_base=base)
            except (LatexError, InputError):
                continue
            found[_folded_names(read)] = None
            break
    return tuple(found)


def _symbols_of(text: str) -> dict[str, str]:
    """Every piece of a LaTeX text that may be a symbol, each under its folded spelling."""
    found = {}
    for match in _TEX_SYMBOL.finditer(text):
        if _is_symbol(match[0]) and (spelling := folded_symbol(match[0])):
            found[match[0]] = f"s_{spelling}"
    return found


@lru_cache(maxsize=1024)
def _is_symbol(symbol: str) -> bool:
    try:
        parse_latex("1", {symbol: "x"})
    except (LatexError, InputError):
        return False
    return True


def _folded_names(expression: Expression) -> Expression:
    renamed: dict[str, Expression] = {
        name: Var(name.removeprefix("s_").replace("_", "")) for name in names_of(expression)
    }
    return substitute(expression, renamed)


def _plain_equations(
    packet: Packet,
    lefts: Collection[str] | None,
    symbols: Mapping[str, str],
    lines: Collection[int] | None,
) -> Iterator[PrintedEquation]:
    for n, line in enumerate(packet.lines):
        if lines is not None and n + 1 not in lines:
            continue
        for match in _PLAIN_LEFT.finditer(line):
            left = folded_symbol(match["left"])
            if not left or (lefts is not None and left not in lefts):
                continue
            right, last = line[match.end() :], n
            if _goes_on(right) and n + 1 < len(packet.lines):
                right, last = f"{right} {packet.lines[n + 1]}", n + 1
            before = line[: match.start()]
            readings = _plain_readings(packet, n, last, before, right, symbols)
            yield PrintedEquation(left, readings, n + 1, last + 1, right[:80])


def _goes_on(right: str) -> bool:
    return right.count("(") > right.count(")") or right.rstrip().endswith(tuple("+-*/^−·×"))


def _plain_readings(
    packet: Packet, first: int, last: int, before: str, right: str, symbols: Mapping[str, str]
) -> tuple[Expression, ...]:
    found: dict[Expression, None] = {}
    for log in LOG_MEANINGS if re.search(r"\blog\b", right) else LOG_MEANINGS[:1]:
        try:
            read = read_plain(right, symbols, log)
        except UnreadError:
            continue
        alone = not _prose(before) and not _prose(read.rest)
        if not _CLOSED.match(read.rest) or (alone and not _unstacked(packet, first, last)):
            continue
        pi: dict[str, Expression] = {} if "pi" in symbols else {"pi": Op("acos", (-1.0,))}
        found[substitute(read.expression, pi)] = None
    return tuple(found)


def _unstacked(packet: Packet, first: int, last: int) -> bool:
    """Whether neither neighbour can be the other half of a fraction."""
    neighbours = [packet.lines[n] for n in (first - 1, last + 1) if 0 <= n < len(packet.lines)]
    return all(
        not line.strip() or _NUMBER_LINE.fullmatch(line) or "=" in line or _prose(line)
        for line in neighbours
    )


def _prose(text: str) -> bool:
    return len(_PROSE_WORD.findall(plain_symbols(text))) >= 3


__all__ = ("LOG_MEANINGS", "PrintedEquation", "printed_equations")
