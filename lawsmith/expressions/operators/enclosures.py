"""Enclosures of single operators: certain bounds of the value from those of the arguments.

Each function takes one interval an argument and gives the interval of the values, or None
where nothing is known. They are the column `encloses` of the operator table.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from flint import fmpq

from lawsmith.expressions.operators import balls
from lawsmith.expressions.operators.balls import Number, UndecidedError, UndefinedError, ball

Interval: TypeAlias = tuple[Number, Number]
"""(low, high): the values lie between, ends included; an end may be a ball."""

Enclosure: TypeAlias = Callable[..., Interval | None]
"""Intervals of the arguments -> that of the value; `balls` has the two errors that it raises."""


def add(*args: Interval) -> Interval:
    """The sum."""
    return balls.add(*(low for low, _ in args)), balls.add(*(high for _, high in args))


def sub(a: Interval, b: Interval) -> Interval:
    """The difference."""
    return a[0] - b[1], a[1] - b[0]


def mul(*args: Interval) -> Interval:
    """The product."""
    total = args[0]
    for other in args[1:]:
        total = _hull([x * y for x in total for y in other])
    return total


def div(a: Interval, b: Interval) -> Interval:
    """The quotient; undefined for a zero divisor, undecided for one that may be zero."""
    low, high = b
    if low > 0 or high < 0:
        return mul(a, (1 / high, 1 / low))
    if isinstance(low, fmpq) and low == 0 and high == 0:
        raise UndefinedError
    raise UndecidedError


def neg(a: Interval) -> Interval:
    """The negative."""
    return -a[1], -a[0]


def magnitude(a: Interval) -> Interval:
    """The absolute value."""
    low, high = a
    if low >= 0:
        return low, high
    if high <= 0:
        return -high, -low
    return fmpq(0), balls.max(-low, high)


def extremum(choose: Callable[..., Number]) -> Enclosure:
    """The least or the greatest argument."""
    return lambda *args: (choose(*(low for low, _ in args)), choose(*(high for _, high in args)))


def power(base: Interval, exponent: Interval) -> Interval | None:
    """The power, for a fixed exponent or a positive base."""
    low, high = base
    fixed = exponent[0]
    if isinstance(fixed, fmpq) and fixed == exponent[1]:
        if fixed.q == 1 and fixed > 0:
            if int(fixed.p) % 2 == 0:
                low, high = magnitude(base)
            return balls.pow(low, fixed), balls.pow(high, fixed)
        if fixed > 0:
            if high < 0:
                raise UndefinedError
            floor = low if low > 0 else fmpq(0)
            return balls.pow(floor, fixed), balls.pow(high, fixed) if high > 0 else fmpq(0)
    if low > 0:
        return _hull([balls.pow(x, y) for x in base for y in exponent])
    return None


def rising(function: Callable[[Number], Number]) -> Enclosure:
    """A function that never falls, defined everywhere."""
    return lambda a: (function(a[0]), function(a[1]))


def rising_from(
    function: Callable[[Number], Number], start: int, *, closed: bool = False
) -> Enclosure:
    """A rising function that is defined from a number on, where it is 0 if that is included."""
    first = fmpq(start)

    def apply(a: Interval) -> Interval | None:
        low, high = a
        if high < first or (not closed and high <= first):
            raise UndefinedError
        if low > first:
            return function(low), function(high)
        return (fmpq(0), function(high)) if closed and high > first else None

    return apply


def on_unit(function: Callable[[Number], Number], *, falling: bool = False) -> Enclosure:
    """A monotone function that is defined on [-1, 1]."""

    def apply(a: Interval) -> Interval:
        low, high = a
        if low > 1 or high < -1:
            raise UndefinedError
        ends = function(balls.max(low, fmpq(-1))), function(balls.min(high, fmpq(1)))
        return (ends[1], ends[0]) if falling else ends

    return apply


def even(function: Callable[[Number], Number]) -> Enclosure:
    """An even function that rises with the magnitude of its argument."""

    def apply(a: Interval) -> Interval:
        least, most = magnitude(a)
        return function(least), function(most)

    return apply


def wave(function: Callable[[Number], Number]) -> Enclosure:
    """A function between -1 and 1, bounded by its own ball."""

    def apply(a: Interval) -> Interval:
        value = function(_joined(a))
        return balls.max(value.lower(), fmpq(-1)), balls.min(value.upper(), fmpq(1))

    return apply


def by_ball(function: Callable[..., Number]) -> Enclosure:
    """Any function, bounded by the ball of its arguments' balls."""

    def apply(*args: Interval) -> Interval:
        value = function(*(_joined(arg) for arg in args))
        return value.lower(), value.upper()

    return apply


def certain_sign(bounds: Interval | None) -> int | None:
    """1 or -1 when the bounds keep off the other side (single zeros apart), else None."""
    if bounds is None:
        return None
    low, high = bounds
    if low >= 0 and high > 0:
        return 1
    return -1 if high <= 0 and low < 0 else None


def _joined(bounds: Interval) -> Any:
    return ball(bounds[0]).union(ball(bounds[1]))


def _hull(values: list[Number]) -> Interval:
    return balls.min(*values), balls.max(*values)
