"""Enclosures of a law over a box: pairs of certain bounds, exact while they are rational."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from flint import fmpq

from lawsmith.expressions import balls
from lawsmith.expressions.balls import Number, UndecidedError, UndefinedError, ball, bits_of
from lawsmith.expressions.truth import exact_number, precision
from schemas.expression import Expression, Op, Var

Interval: TypeAlias = tuple[Number, Number]
"""(low, high): the values lie between, ends included; an end may be a ball."""

BITS: Final = 128
_MOST_BITS: Final = 1024
_RISING: Final = frozenset(("exp", "atan", "sinh", "tanh", "asinh", "cbrt", "floor", "ceil"))
_RISING_FROM: Final[Mapping[str, int]] = {"sqrt": 0, "log": 0, "log10": 0, "log2": 0, "acosh": 1}
_JUMPS: Final = frozenset(("sign", "step", "round"))


def enclose(law: Expression, box: Mapping[str, Interval]) -> Interval | None:
    """Bounds of the values over a box; None where nothing is known.

    Raises:
        UndefinedError: the law is certainly undefined all over the box.
    """
    with precision(BITS):
        return _walk(law, box)


def certain_sign(bounds: Interval | None) -> int | None:
    """1 or -1 when the bounds keep off the other side (single zeros apart), else None."""
    if bounds is None:
        return None
    low, high = bounds
    if low >= 0 and high > 0:
        return 1
    return -1 if high <= 0 and low < 0 else None


def _walk(law: Expression, box: Mapping[str, Interval]) -> Interval | None:
    if isinstance(law, Var):
        return box.get(law.var)
    if not isinstance(law, Op):
        number = exact_number(law)
        return number, number
    args = [_walk(arg, box) for arg in law.args]
    if law.op == "mul" and len(law.args) == 2 and law.args[0] == law.args[1]:
        square = fmpq(2)
        return combine("pow", [args[0], (square, square)])
    return combine(law.op, args)


def combine(op: str, args: list[Interval | None]) -> Interval | None:
    """The bounds of one operator; see `enclose`."""
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return _partly(op, args)
    try:
        bounds = _combined(op, known)
    except UndecidedError:
        return None
    return None if bounds is None else _short(bounds)


def _partly(op: str, args: list[Interval | None]) -> Interval | None:
    one = fmpq(1)
    if op in ("sin", "cos", "tanh", "sign"):
        return -one, one
    if op == "step":
        return fmpq(0), one
    if op == "atan":
        return ball(-2), ball(2)
    return None


def _short(bounds: Interval) -> Interval | None:
    out = []
    for end in bounds:
        if isinstance(end, fmpq):
            out.append(end if bits_of(end) <= _MOST_BITS else ball(end))
        elif not end.is_finite():
            return None
        else:
            out.append(end)
    return out[0], out[1]


def _combined(op: str, args: list[Interval]) -> Interval | None:
    simple = _SIMPLE.get(op)
    if simple is not None:
        return simple(args)
    if op == "pow":
        return _power(*args)
    return _function(op, args)


def _sum(args: list[Interval]) -> Interval:
    return balls.add(*(low for low, _ in args)), balls.add(*(high for _, high in args))


def _difference(args: list[Interval]) -> Interval:
    (low, high), (least, most) = args
    return low - most, high - least


def _hull(values: list[Number]) -> Interval:
    return balls.min(*values), balls.max(*values)


def _product(args: list[Interval]) -> Interval:
    total = args[0]
    for other in args[1:]:
        total = _hull([x * y for x in total for y in other])
    return total


def _quotient(args: list[Interval]) -> Interval:
    low, high = args[1]
    if low > 0 or high < 0:
        return _product([args[0], (1 / high, 1 / low)])
    if isinstance(low, fmpq) and low == 0 and high == 0:
        raise UndefinedError
    raise UndecidedError


def _magnitude(args: list[Interval]) -> Interval:
    low, high = args[0]
    if low >= 0:
        return low, high
    if high <= 0:
        return -high, -low
    return fmpq(0), balls.max(-low, high)


def _extremum(name: str) -> Callable[[list[Interval]], Interval]:
    choose = getattr(balls, name)
    return lambda args: (choose(*(low for low, _ in args)), choose(*(high for _, high in args)))


def _power(base: Interval, exponent: Interval) -> Interval | None:
    low, high = base
    fixed = exponent[0]
    if isinstance(fixed, fmpq) and fixed == exponent[1]:
        if fixed.q == 1 and fixed > 0:
            if int(fixed.p) % 2:
                return balls.pow(low, fixed), balls.pow(high, fixed)
            low, high = _magnitude([base])
            return balls.pow(low, fixed), balls.pow(high, fixed)
        if fixed > 0:
            if high < 0:
                raise UndefinedError
            floor = low if low > 0 else fmpq(0)
            return balls.pow(floor, fixed), balls.pow(high, fixed) if high > 0 else fmpq(0)
    if low > 0:
        return _hull([balls.pow(x, y) for x in base for y in exponent])
    return None


def _function(op: str, args: list[Interval]) -> Interval | None:
    apply = getattr(balls, op)
    low, high = args[0]
    if op in _RISING or op in _JUMPS:
        return apply(low), apply(high)
    if op in _RISING_FROM:
        return _rising_from(
            apply, fmpq(_RISING_FROM[op]), low, high, closed=op in ("sqrt", "acosh")
        )
    if op in ("asin", "acos"):
        if low > 1 or high < -1:
            raise UndefinedError
        ends = apply(balls.max(low, fmpq(-1))), apply(balls.min(high, fmpq(1)))
        return ends if op == "asin" else (ends[1], ends[0])
    if op == "cosh":
        least, most = _magnitude([args[0]])
        return apply(least), apply(most)
    if op in ("sin", "cos"):
        value = apply(ball(low).union(ball(high)))
        return balls.max(value.lower(), fmpq(-1)), balls.min(value.upper(), fmpq(1))
    value = apply(*(ball(x).union(ball(y)) for x, y in args))
    return value.lower(), value.upper()


def _rising_from(
    apply: Callable[[Number], Number], start: Any, low: Number, high: Number, *, closed: bool
) -> Interval | None:
    if high < start or (not closed and high <= start):
        raise UndefinedError
    if low > start:
        return apply(low), apply(high)
    return (fmpq(0), apply(high)) if closed and high > start else None


_SIMPLE: Final[Mapping[str, Callable[[list[Interval]], Interval]]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": lambda args: (-args[0][1], -args[0][0]),
    "abs": _magnitude,
    "min": _extremum("min"),
    "max": _extremum("max"),
}

__all__ = ("Interval", "certain_sign", "combine", "enclose")
