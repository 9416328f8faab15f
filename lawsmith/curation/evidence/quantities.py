"""Units, values with units, ranges and assignments as lines of a paper print them."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from lawsmith.curation.evidence.siunitx import without_siunitx
from lawsmith.curation.evidence.stated_numbers import numbers_in
from lawsmith.curation.evidence.symbols import plain_symbols
from lawsmith.errors import UnitError
from lawsmith.units import Unit, convert, parse_unit

_WORDS: Final = {
    **dict.fromkeys(("%", "per cent", "percent"), "percent"),
    **dict.fromkeys(("days", "day"), "day"),
    **dict.fromkeys(("years", "year", "yrs", "yr"), "yr"),
    **dict.fromkeys(("hours", "hour", "hr", "hrs"), "h"),
    **dict.fromkeys(("minutes", "minute", "mins"), "min"),
    **dict.fromkeys(("seconds", "second", "sec", "secs"), "s"),
    **dict.fromkeys(("weeks", "week"), "week"),
    **dict.fromkeys(("months", "month"), "month"),
    **dict.fromkeys(("degrees", "degree", "°", "deg"), "deg"),
    **dict.fromkeys(("°C", "degC"), "degC"),
    **dict.fromkeys(("kelvins", "kelvin"), "K"),
    **dict.fromkeys(("metres", "meters", "metre", "meter"), "m"),
    **dict.fromkeys(("kilometres", "kilometers"), "km"),
    **dict.fromkeys(("litres", "liters", "litre", "liter"), "L"),
    **dict.fromkeys(("grams", "gram"), "g"),
    **dict.fromkeys(("volts", "volt"), "V"),
    **dict.fromkeys(("watts", "watt"), "W"),
    **dict.fromkeys(("Ohm", "ohms", "Ω"), "ohm"),
    **dict.fromkeys(("Å", "angstroms"), "angstrom"),
    "Myrs": "Myr",
    "Gyrs": "Gyr",
    "mins": "min",
}
"""A unit in the words of prose -> its name in the table of units."""
_PROSE: Final = frozenset({"a", "A", "as", "at", "am", "in", "do", "pm", "I", "u", "t", "b", "B"})
"""Words that could be units and hardly ever are where a number stands before them."""
_POWERS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TOKEN: Final = re.compile(r"\s*(°C|[°%]|[A-Za-zΩÅ]+|[()*/·])")
_EXPONENT: Final = re.compile(r"(?:\s?\^\s?\(?\s?(-?\d)\s?\)?|(-\d)|(\d))(?!\d|\.\d)")
_POWER_OF_TEN: Final = r"10\s?\^\s?\(?-?\d+\)?(?!\.?\d)"
_DECIMAL: Final = r"(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:\(\d+\))?"
_TIMES_TEN: Final = r"(?:[eE]-?\d+|\s?[×x*·]\s?10\s?\^?\(?-?\d+\)?)?"
_SIGNED: Final = rf"-?(?:{_POWER_OF_TEN}|{_DECIMAL}{_TIMES_TEN})"
_NUMBER: Final = re.compile(rf"(?<![\w.^]){_SIGNED}")
_MORE: Final = re.compile(
    rf"\s*(?:±|\+/-|to|and|or|,|, and|-|→|\.\.\.|through|up to)\s*{_SIGNED}(?![\w.])"
)
_JOINT: Final = r"(?:to|through|up to|until|-+|→|…|\.\.\.?|and|,)"
_TO_HIGH: Final = re.compile(rf"\s*(?P<joint>{_JOINT})\s*(?P<high>{_SIGNED})(?![\w.])")
_BELOW_HIGH: Final = re.compile(
    r"\s*(?:≤|<=?)\s*\|?[A-Za-z][\w \-()/^]{0,24}?\|?\s*(?:≤|<=?)\s*"
    rf"(?P<high>{_SIGNED})"
)
_BETWEEN: Final = re.compile(r"(?:between|betw\.)\s*[^\W\d]{0,12}[\s=]*$")
_INVERSE: Final = re.compile(r"\s*1\s*/\s*(?=[A-Za-z(])|\s*per\s+(?!cent)")
_PIECES: Final = 24
"""Pieces of a unit that are read at most."""


@dataclass(frozen=True)
class PrintedUnit:
    """A unit that stands in a text: its spelling in the table of units and where it ends."""

    unit: str
    end: int


@dataclass(frozen=True)
class PrintedRange:
    """Two ends of a range, each in every reading, with the unit where one is printed."""

    low: frozenset[Decimal]
    high: frozenset[Decimal]
    unit: str | None
    lead: frozenset[str]
    """The words between the range before, or the sentence's beginning, and this one."""


@dataclass(frozen=True)
class Assigned:
    """A number that a text gives a symbol, and the error printed behind it."""

    values: frozenset[Decimal]
    errors: frozenset[Decimal]


@lru_cache(maxsize=64)
def quantity_text(text: str) -> str:
    """A text with dashes, raised digits and TeX dressing of units made plain."""
    text = without_siunitx(text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: "^" + m[0].translate(_POWERS), text)
    text = re.sub(r"[\u2010-\u2015\u2212]", "-", text)
    text = text.replace("$^\\circ$", "°").replace("^\\circ", "°").replace("\\AA", "Å")
    text = re.sub(
        r"\\(?:u?mu|micro)(?=\s*(?:\\mathrm|\\rm|[A-Za-z]))\s*|[µμ](?=[A-Za-z])", "u", text
    )
    text = text.replace("{,}", "").replace("~", " ")
    return re.sub(r"[{}]", "", plain_symbols(text))


@lru_cache(maxsize=4096)
def known_unit(text: str) -> Unit | None:
    """The unit of a text, None when the table has none."""
    try:
        return parse_unit(text)
    except UnitError:
        return None


def unit_at(text: str, position: int) -> PrintedUnit | None:
    """The longest unit that starts at a position of a quantity text."""
    # A cell below a number that holds a symbol such as d1 is no unit of it.
    if re.compile(r"[ \t]*\n\s*[A-Za-z]+\d").match(text, position):
        return None
    return _UnitReader(text, position).read()


@lru_cache(maxsize=1024)
def units_in(text: str) -> tuple[str, ...]:
    """Every unit that a quantity text prints, each as long as it goes, prose words apart."""
    found: dict[str, None] = {}
    position = 0
    for match in re.finditer(r"(?<![A-Za-z])(?:1/)?[A-Za-z°%ΩÅ]", text):
        if match.start() < position:
            continue
        read = unit_at(text, match.start())
        if read is not None:
            found[read.unit] = None
            position = read.end
    return tuple(found)


def atoms_of(unit: str) -> list[str]:
    """The unit symbols that a unit is made of."""
    return re.findall(r"[A-Za-z_]+", unit)


def same_unit(a: str, b: str) -> bool:
    """Whether two units have one dimension and one scale."""
    one, other = known_unit(a), known_unit(b)
    if one is None or other is None:
        return False
    return (one.dimension.compared, one.scale, one.offset) == (
        other.dimension.compared,
        other.scale,
        other.offset,
    )


def quantities_in(text: str) -> Iterator[tuple[frozenset[Decimal], str | None]]:
    """Every number of a quantity text in its readings, with the unit printed behind it.

    The unit behind an error or behind the last of several numbers counts for all of them.
    """
    for match in _NUMBER.finditer(text):
        end = match.end()
        unit = unit_at(text, end)
        while unit is None and (more := _MORE.match(text, end)):
            end = more.end()
            unit = unit_at(text, end)
        yield _values(match[0]), None if unit is None else unit.unit


def holds_quantity(value: float, unit: str, values: Collection[Decimal], printed: str) -> bool:
    """Whether one of these printed values with the printed unit is the value in its unit."""
    for one in values:
        try:
            found = convert(float(one), printed, unit)
        except UnitError:
            return False
        if abs(found - value) <= 1e-9 * max(abs(value), abs(found)):
            return True
    return False


def ranges_in(text: str) -> list[PrintedRange]:
    """Every range that a quantity text prints: from a to b, between a and b, a-b, a < x < b."""
    found: list[PrintedRange] = []
    before = 0
    for match in _NUMBER.finditer(text):
        unit = unit_at(text, match.end())
        tail = _range_tail(text, match.start(), match.end() if unit is None else unit.end)
        if tail is None:
            continue
        last = unit_at(text, tail.end()) or unit
        lead = re.split(r"[.;]\s", text[before : match.start()])[-1]
        words = frozenset(re.findall(r"[A-Za-z][A-Za-z0-9]*", lead))
        printed = None if last is None else last.unit
        found.append(PrintedRange(_values(match[0]), _values(tail["high"]), printed, words))
        before = tail.end()
    return found


def _range_tail(text: str, start: int, end: int) -> re.Match[str] | None:
    """The second half of a range whose first number begins at `start` and ends at `end`."""
    tail = _TO_HIGH.match(text, end)
    if tail is None:
        return _BELOW_HIGH.match(text, end)
    ahead = text[:start].rstrip()
    if tail["joint"] == "," or (tail["joint"] == "and" and not _BETWEEN.search(ahead[-40:])):
        closed = text[tail.end() :].lstrip()[:1] in ("]", ")")
        return tail if tail["joint"] == "," and closed and ahead.endswith(("[", "(")) else None
    return tail


def assignments(text: str, spellings: Collection[str]) -> list[Assigned]:
    """The numbers that a text gives a symbol: `b0 = 0.41 ± 0.02`, a row or a cell of a table.

    Args:
        text: lines of a packet.
        spellings: folded spellings of the symbol.
    """
    plain = quantity_text(text)
    found = []
    for spelling in spellings:
        for match in re.finditer(
            rf"(?<![A-Za-z0-9^/*]){re.escape(spelling)}(?![A-Za-z0-9])"
            rf"\s*(?:=|≈|&|\||:|\bis\b|\bwas\b|\bof\b|(?<=^{re.escape(spelling)})\n"
            # A row of a table on one line: at least two numbers behind the symbol.
            rf"|(?<=^{re.escape(spelling)})(?=[ \t]+{_SIGNED}[ \t]+{_SIGNED}(?!\w)))"
            rf"\s*(?P<number>{_SIGNED})(?![\w])(?P<error>\s*(?:±|\+/-)\s*{_SIGNED})?",
            plain,
            re.MULTILINE,
        ):
            errors = _values(match["error"].strip(" ±+/")) if match["error"] else frozenset()
            found.append(Assigned(_values(match["number"]) | _percent(plain, match), errors))
    return found


def _percent(text: str, match: re.Match[str]) -> frozenset[Decimal]:
    tail = text[match.end() : match.end() + 10].lstrip()
    if tail.startswith(("%", "percent", "per cent")):
        return frozenset(value.scaleb(-2) for value in _values(match["number"]))
    return frozenset()


def _values(number: str) -> frozenset[Decimal]:
    return frozenset(numbers_in([number.strip().rstrip(",")]))


class _UnitReader:
    """Reads a unit greedily and keeps the longest piece that the table knows."""

    def __init__(self, text: str, position: int) -> None:
        inverse = _INVERSE.match(text, position)
        self.text = text
        self.position = inverse.end() if inverse else position
        self.spelt = "1/" if inverse else ""
        self.joint = ""
        self.depth = 0
        self.best: PrintedUnit | None = None

    def read(self) -> PrintedUnit | None:
        for _ in range(_PIECES):
            token = _TOKEN.match(self.text, self.position)
            if token is None or not self._goes_on(token):
                break
            if self.depth == 0 and not self.joint and known_unit(self.spelt) is not None:
                self.best = PrintedUnit(self.spelt, self.position)
        return self.best

    def _goes_on(self, token: re.Match[str]) -> bool:
        sign = token[1]
        if sign in ("*", "·", "/") or (sign == "per" and self.spelt):
            return self._link({"·": "*", "per": "/"}.get(sign, sign), token.end())
        if sign in "()":
            return self._bracket(sign, token.end())
        return self._atom(sign, token)

    def _link(self, joint: str, end: int) -> bool:
        if self.joint or not self.spelt:
            return False
        self.joint, self.position = joint, end
        return True

    def _bracket(self, sign: str, end: int) -> bool:
        self.depth += 1 if sign == "(" else -1
        opens = bool(self.joint) or self.spelt.endswith("/")
        if self.depth < 0 or (sign == "(" and not opens):
            return False
        self.spelt, self.joint, self.position = self.spelt + self.joint + sign, "", end
        return True

    def _atom(self, sign: str, token: re.Match[str]) -> bool:
        atom = _WORDS.get(sign, sign)
        if known_unit(atom) is None or (sign in _PROSE and self.joint in ("", "*")):
            return False
        spaced = bool(self.spelt) and not self.joint and not self.spelt.endswith(("(", "/"))
        if spaced and "\n" in token[0]:
            return False
        self.spelt += ("*" if spaced else self.joint) + atom
        self.joint, self.position = "", token.end()
        raised = _EXPONENT.match(self.text, self.position)
        if raised is not None:
            power = raised[1] or raised[2] or raised[3]
            self.spelt += f"^({power})" if power.startswith("-") else f"^{power}"
            self.position = raised.end()
        return True


__all__ = (
    "Assigned",
    "PrintedRange",
    "PrintedUnit",
    "assignments",
    "atoms_of",
    "holds_quantity",
    "known_unit",
    "quantities_in",
    "quantity_text",
    "ranges_in",
    "same_unit",
    "unit_at",
    "units_in",
)
