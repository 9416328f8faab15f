"""Unit text -> dimension and scale to SI, through pint and the closed table in `units.txt`.

Syntax: names and symbols of the table joined by `*` and `/` (left to right, as in Python:
`J/kg/K` or `J/(kg*K)`), powers by `^` or `**` with a decimal or a parenthesised ratio
(`s^-2`, `m^0.5`, `m^(1/2)`), parentheses, and the number `1`. Case counts; `%` and `‰` are
scales like `percent` and `permille`. Levels (dB, mag, pH) stand only alone. Two units side by
side without a sign are refused, not multiplied. A unit that is not in the table is an error.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, NamedTuple

from lawsmith.dimension import TAGS, Dimension
from lawsmith.errors import UnitError

PREFIXES: Final[Mapping[str, int]] = {
    prefix: power
    for prefixes, powers in (
        ("Q R Y Z E P T G M k h da", (30, 27, 24, 21, 18, 15, 12, 9, 6, 3, 2, 1)),
        ("d c m u n p f a z y r q", (-1, -2, -3, -6, -9, -12, -15, -18, -21, -24, -27, -30)),
    )
    for prefix, power in zip(prefixes.split(), powers, strict=True)
}
"""SI prefix -> power of ten."""

MAX_TEXT: Final = 200
_MAX_POWER: Final = 12
_MAX_DECADES: Final = 150
_TOKEN = re.compile(
    r"(?P<space> +)|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*|[%‰])"
    r"|(?P<sign>\*\*|[\^*/()+-])"
)
_NON_ASCII: Final = {"µ": "u", "μ": "u", "Å": "angstrom", "Ω": "ohm", "°": "deg or degC", "·": "*"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A parsed unit: a value x in it is `x*scale + offset` in SI base units."""

    text: str
    dimension: Dimension
    scale: Fraction | float
    offset: Fraction = Fraction(0)
    kind: Literal["linear", "offset", "logarithmic"] = "linear"


class Quantity(NamedTuple):
    """A value with its unit text."""

    value: float
    unit: str


@cache
def parse_unit(text: str) -> Unit:
    """The unit of a text.

    Raises:
        UnitError: not in the table (names near matches), bad syntax, or an offset or
            logarithmic unit inside a compound.
    """
    if len(text) > MAX_TEXT:
        raise UnitError(f"unit of {len(text)} characters; at most {MAX_TEXT}", path=text[:20])
    alone = _table().get(text)
    if alone is not None:
        return Unit(text, alone.dimension, alone.scale, alone.offset, alone.kind)
    reader = _UnitReader(text)
    factor = reader.product()
    reader.expect_end()
    return Unit(text, factor.dimension, factor.scale)


def convert_scale(unit: str, target: str) -> float:
    """The factor by which a value in `unit` becomes one in `target`.

    Raises:
        UnitError: unknown, of unlike dimension, or an offset unit (use `convert`).
    """
    source, goal = _alike(unit, target)
    if "offset" in (source.kind, goal.kind):
        raise UnitError(f"{unit} to {target} has an offset, no factor", fix="convert the values")
    return float(_ratio(source.scale, goal.scale))


def convert(value: float, unit: str, target: str) -> float:
    """A value in `unit` as a value in `target`, offsets included.

    Raises:
        UnitError: unknown, or of unlike dimension.
    """
    source, goal = _alike(unit, target)
    if source.kind == goal.kind == "linear":
        return float(value * _ratio(source.scale, goal.scale))
    exact = Fraction(repr(float(value))) * Fraction(source.scale) + source.offset - goal.offset
    return float(exact / Fraction(goal.scale))


def constant(name: str) -> Quantity:
    """The CODATA 2022 value and unit of a universal constant, as `constant("k_B")`.

    Raises:
        UnitError: no constant of that name or symbol.
    """
    known = constants()
    if name not in known:
        near = get_close_matches(name, known, n=3)
        raise UnitError(
            f"{name!r} is no universal constant of the table",
            fix=f"near: {', '.join(near)}" if near else "give the value with its source",
        )
    return known[name]


@cache
def constants() -> Mapping[str, Quantity]:
    """Every name and symbol of the constants table -> value and unit."""
    found: dict[str, Quantity] = {}
    for line in _table_text().splitlines():
        if line.startswith("#! constant "):
            names, value, unit = line.removeprefix("#! constant ").split("|")
            for name in names.split():
                found[name] = Quantity(float(value), unit.strip())
    return found


def _alike(unit: str, target: str) -> tuple[Unit, Unit]:
    source, goal = parse_unit(unit), parse_unit(target)
    if source.dimension.compared != goal.dimension.compared:
        raise UnitError(
            f"{unit!r} is {source.dimension}, {target!r} is {goal.dimension}: no conversion"
        )
    if unit != target and "logarithmic" in (source.kind, goal.kind):
        raise UnitError(f"a level has its own scale: no conversion from {unit!r} to {target!r}")
    return source, goal


def _ratio(a: Fraction | float, b: Fraction | float) -> Fraction | float:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    return float(a) / float(b)


class _Row(NamedTuple):
    dimension: Dimension
    scale: Fraction | float
    offset: Fraction = Fraction(0)
    kind: Literal["linear", "offset", "logarithmic"] = "linear"


@cache
def _table_text() -> str:
    return resources.files("lawsmith").joinpath("units.txt").read_text(encoding="utf-8")


@cache
def _table() -> Mapping[str, _Row]:
    """Every accepted symbol and name, prefixed ones included."""
    # pint costs 0.3 s to import and not every command needs a unit.
    import pint

    registry: Any = pint.UnitRegistry(
        None, non_int_type=Fraction, cache_folder=None, on_redefinition="raise"
    )
    registry.load_definitions(_table_text().splitlines())
    levels = registry.get_group("Logarithmic").members
    rows: dict[str, _Row] = {"1": _Row(Dimension(), Fraction(1))}
    prefixed: dict[str, _Row] = {}
    takes_prefix = registry.get_group("Prefixable").members
    for name in sorted(registry.get_group("root").members):
        row = _row(registry, name, "logarithmic" if name in levels else "linear")
        symbol = registry.get_symbol(name)
        if name in takes_prefix:
            for prefix, power in PREFIXES.items():
                scale = row.scale * Fraction(10) ** power
                prefixed[prefix + symbol] = _Row(row.dimension, scale)
        rows[name] = rows[symbol] = row
    # Signs that pint reads as something else.
    rows["%"], rows["‰"] = rows["percent"], rows["permille"]
    rows["permil"] = rows["permille"]
    rows["delta_degC"] = _Row(rows["K"].dimension, Fraction(1))
    return prefixed | rows


def _row(registry: Any, name: str, kind: Literal["linear", "logarithmic"]) -> _Row:
    dimension = Dimension.of(
        {
            tag.strip("[]").replace("substance", "amount"): Fraction(power)
            for tag, power in registry.get_dimensionality(name).items()
        }
    )
    zero = registry.Quantity(Fraction(0), name).to_base_units().magnitude
    one = registry.Quantity(Fraction(1), name).to_base_units().magnitude
    if zero:
        return _Row(dimension, Fraction(one) - Fraction(zero), Fraction(zero), "offset")
    return _Row(dimension, Fraction(one), Fraction(0), kind)


class _UnitReader:
    """Reads `product := power (('*'|'/') power)*` over the closed table."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        self._next = 0
        self._open = 0
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                sign = text[position]
                raise self._error(
                    f"{sign!r} is not read in a unit",
                    f"write {_NON_ASCII[sign]}" if sign in _NON_ASCII else "",
                )
            if match.lastgroup != "space":
                self._tokens.append((str(match.lastgroup), match.group()))
            position = match.end()

    def product(self) -> _Row:
        """The factors from here to a closing parenthesis or the end."""
        total = self._power()
        while self._peek() in ("*", "/"):
            sign = self._take()[1]
            factor = self._power()
            if sign == "/":
                factor = self._raised(factor, Fraction(-1))
            scale = _times(total.scale, factor.scale)
            self._limit(scale, 1)
            total = _Row(total.dimension * factor.dimension, scale)
        return total

    def expect_end(self) -> None:
        """Raises UnitError unless every token is used."""
        if self._next < len(self._tokens):
            rest = self._tokens[self._next][1]
            raise self._error(f"{rest!r} follows without '*' or '/'", "join units with '*'")

    def _power(self) -> _Row:
        base = self._factor()
        if self._peek() not in ("^", "**"):
            return base
        self._take()
        exponent = self._exponent()
        if abs(exponent) > _MAX_POWER:
            raise self._error(f"exponent {exponent} is beyond {_MAX_POWER}")
        return self._raised(base, exponent)

    def _factor(self) -> _Row:
        kind, text = self._take()
        if text == "(":
            self._open += 1
            if self._open > 8:
                raise self._error("more than 8 parentheses")
            inner = self.product()
            if self._take()[1] != ")":
                raise self._error("a '(' is not closed")
            return inner
        if text == "1":
            return _Row(Dimension(), Fraction(1))
        if kind != "name":
            raise self._error(f"{text!r} where a unit is due")
        row = _table().get(text)
        if row is None:
            near = get_close_matches(text, _table(), n=4, cutoff=0.5)
            raise self._error(
                f"{text!r} is not in the unit table", f"near: {', '.join(near)}" if near else ""
            )
        if row.kind != "linear":
            raise self._error(
                f"{row.kind} unit {text!r} stands only alone",
                "use K or delta_degC"
                if row.kind == "offset"
                else f"a level per something is a number per it: write 1 for {text} and keep the"
                " factor of its logarithm in the law",
            )
        return row

    def _exponent(self) -> Fraction:
        if self._peek() != "(":
            return self._signed()
        self._take()
        value = self._signed()
        if self._peek() == "/":
            self._take()
            divisor = self._signed()
            if not divisor:
                raise self._error("an exponent divides by zero")
            value /= divisor
        if self._take()[1] != ")":
            raise self._error("an exponent's '(' is not closed")
        return value

    def _signed(self) -> Fraction:
        kind, text = self._take()
        sign = -1 if text == "-" else 1
        if text in ("-", "+"):
            kind, text = self._take()
        if kind != "number":
            raise self._error(f"{text!r} where an exponent is due")
        return sign * Fraction(text)

    def _limit(self, scale: Fraction | float, exponent: Fraction | int) -> None:
        """Keep the scale far inside float64, and exact powers of it short."""
        if not abs(math.log10(scale) * exponent) <= _MAX_DECADES:
            raise self._error(f"a scale beyond 10^{_MAX_DECADES}")

    def _raised(self, row: _Row, exponent: Fraction) -> _Row:
        self._limit(row.scale, exponent)
        if exponent.denominator == 1 and isinstance(row.scale, Fraction):
            return _Row(row.dimension**exponent, row.scale**exponent.numerator)
        return _Row(row.dimension**exponent, float(row.scale) ** float(exponent))

    def _peek(self) -> str | None:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else None

    def _take(self) -> tuple[str, str]:
        if self._next >= len(self._tokens):
            raise self._error("the text ends where a unit or exponent is due")
        self._next += 1
        return self._tokens[self._next - 1]

    def _error(self, problem: str, fix: str = "") -> UnitError:
        return UnitError(f"unit {self._text!r}: {problem}", fix=fix)


def _times(a: Fraction | float, b: Fraction | float) -> Fraction | float:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return float(a) * float(b)


__all__ = (
    "PREFIXES",
    "TAGS",
    "Dimension",
    "Quantity",
    "Unit",
    "constant",
    "constants",
    "convert",
    "convert_scale",
    "parse_unit",
)
