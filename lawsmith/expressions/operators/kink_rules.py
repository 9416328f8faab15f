"""Kinks of single operators settled by signs: the column `settled` of the operator table.

Each rule takes the side that a law is on and the settled arguments with their bounds. Where
the sign that decides is open, the side lists it and the operator stays as it is.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import fmpq

from lawsmith.expressions.operators.enclosures import Interval, certain_sign
from schemas.expression import MAX_INTEGER, Expression, Op

if TYPE_CHECKING:
    from lawsmith.expressions.equality import Side

Settled: TypeAlias = tuple[Expression, "Interval | None"]
"""A law without the kinks whose side is decided, and its bounds over the box."""

MOST_STEPS: Final = 24
"""A floor over more whole numbers than this stays as it is."""


def magnitude(side: "Side", u: Settled) -> Settled:
    """An absolute value: the argument or its negative."""
    sign = side.sign(*u)
    if sign is None:
        return side.plain("abs", [u])
    return u if sign > 0 else side.plain("neg", [u])


def cbrt(side: "Side", u: Settled) -> Settled:
    """A cube root: a power, or the negative of one."""
    third: Settled = Op("div", (1.0, 3.0)), (fmpq(1, 3), fmpq(1, 3))
    sign = side.sign(*u)
    if sign == 1:
        return side.plain("pow", [u, third])
    if sign == -1:
        return side.plain("neg", [side.plain("pow", [side.plain("neg", [u]), third])])
    return side.plain("cbrt", [u])


def jump(op: str) -> Callable[["Side", Settled], Settled]:
    """A sign or step: a number."""

    def apply(side: "Side", u: Settled) -> Settled:
        sign = side.sign(*u)
        if sign is None:
            return side.plain(op, [u])
        side.jumps = side.jumps or certain_sign(u[1]) is None
        value = sign if op == "sign" else int(sign > 0)
        return float(value), (fmpq(value), fmpq(value))

    return apply


def extremum(op: str, wanted: int) -> Callable[..., Settled]:
    """The argument that is the least (wanted -1) or the greatest (wanted 1)."""

    def apply(side: "Side", *args: Settled) -> Settled:
        best = args[0]
        for other in args[1:]:
            if best[0] == other[0]:
                continue
            gap = side.plain("sub", [best, other])
            sign = side.sign(*gap)
            if sign is None:
                best = side.plain(op, [best, other])
            else:
                best = best if sign in (wanted, 0) else other
        return best

    return apply


def floor(side: "Side", u: Settled) -> Settled:
    """A floor: a number, where it takes few values over the box."""
    bounds = side.plain("floor", [u])[1]
    if bounds is None or not all(isinstance(end, fmpq) for end in bounds):
        return side.plain("floor", [u])
    low, high = int(bounds[0].p), int(bounds[1].p)
    if high - low > MOST_STEPS:
        return side.plain("floor", [u])
    while low < high:
        middle = (low + high + 1) // 2
        step: Settled = float(middle), (fmpq(middle), fmpq(middle))
        sign = side.sign(*side.plain("sub", [u, step]))
        if sign is None:
            return side.plain("floor", [u])
        side.jumps = True
        low, high = (middle, high) if sign >= 0 else (low, middle - 1)
    return float(low), (fmpq(low), fmpq(low))


def nearest(side: "Side", u: Settled) -> Settled:
    """A rounding: the floor of the argument and a half."""
    # round(u) is floor(u + 1/2) but where u + 1/2 is whole.
    if not side.moving(u[0]):
        return side.plain("round", [u])
    half: Settled = 0.5, (fmpq(1, 2), fmpq(1, 2))
    side.jumps = True
    return floor(side, side.plain("add", [u, half]))


def ceil(side: "Side", u: Settled) -> Settled:
    """A ceiling: the negative of the floor of the negative."""
    return side.plain("neg", [floor(side, side.plain("neg", [u]))])


def mod(side: "Side", a: Settled, b: Settled) -> Settled:
    """A remainder by its definition with a floor."""
    whole = floor(side, div(side, a, b))
    return side.plain("sub", [a, side.plain("mul", [b, whole])])


def div(side: "Side", a: Settled, b: Settled) -> Settled:
    """A quotient, whose divisor must not vanish."""
    side.divisor(*b)
    return side.plain("div", [a, b])


def atan2(side: "Side", y: Settled, x: Settled) -> Settled:
    """An angle: an arc tangent in its quadrant."""
    if (sign := side.sign(*x)) is None:
        return side.plain("atan2", [y, x])
    angle = side.plain("atan", [side.plain("div", [y, x])])
    if sign > 0:
        return angle
    if (half := side.sign(*y)) is None:
        return side.plain("atan2", [y, x])
    turn: Settled = Op("acos", (-1.0,)), None
    return side.plain("add" if half >= 0 else "sub", [angle, turn])


def _even(side: "Side", u: Settled) -> Settled:
    """The argument with the base of an even power, or of a square, put as its magnitude."""
    node = u[0]
    if not isinstance(node, Op):
        return u
    two: Settled = 2.0, (fmpq(2), fmpq(2))
    if node.op == "mul" and len(node.args) == 2 and node.args[0] == node.args[1]:
        return side.plain("pow", [magnitude(side, side.settled(node.args[0])), two])
    if node.op == "pow" and isinstance(node.args[1], float) and node.args[1] % 2 == 0.0:
        power = side.settled(node.args[1])
        return side.plain("pow", [magnitude(side, side.settled(node.args[0])), power])
    return u


def _unpowered(side: "Side", u: Settled, share: Any) -> Settled | None:
    """(v**n)**share as v**(n*share) where v is seen to be positive, else None."""
    node = u[0]
    if not (isinstance(node, Op) and node.op == "pow" and isinstance(node.args[1], float)):
        return None
    inner = side.settled(node.args[0])
    if not node.args[1].is_integer() or side.sign(*inner) != 1:
        return None
    power = fmpq(int(node.args[1])) * share
    if power == 1:
        return inner
    if max(abs(power.p), power.q) > MAX_INTEGER:
        return None
    exponent = Op("div", (float(int(power.p)), float(int(power.q))))
    return side.plain("pow", [inner, (exponent, (power, power))])


def sqrt(side: "Side", u: Settled) -> Settled:
    """A square root, whose argument must not be negative."""
    u = _even(side, u)
    plain = _unpowered(side, u, fmpq(1, 2))
    if plain is not None:
        return plain
    side.require(*u)
    return side.plain("sqrt", [u])


def power(side: "Side", base: Settled, exponent: Settled) -> Settled:
    """A power: what its base must be depends on the exponent."""
    exponent = side.number(exponent)
    bounds = exponent[1]
    fixed = bounds is not None and bounds[0] == bounds[1] and isinstance(bounds[0], fmpq)
    if fixed and bounds is not None and bounds[0].q == 1:
        if bounds[0] <= 0:
            side.divisor(*base)
        return side.plain("pow", [base, exponent])
    if fixed and bounds is not None:
        base = _even(side, base)
        plain = _unpowered(side, base, bounds[0])
        if plain is not None:
            return plain
    if not fixed and side.stepped(exponent[0]):
        side.vague = side.vague or side.sign(*base) != 1
        return side.plain("pow", [base, exponent])
    side.require(*base)
    side.divisor(*base)
    return side.plain("pow", [base, exponent])


def guarded(op: str, *conditions: Callable[["Side", Settled], Settled]) -> Callable[..., Settled]:
    """A function with conditions on its argument, each a function that must not be negative."""

    def apply(side: "Side", u: Settled) -> Settled:
        if op.startswith("log"):
            u = _even(side, u)
        if op not in ("asin", "acos", "atanh") or not side.keys.inside_one(u[0]):
            for condition in conditions:
                side.require(*condition(side, u))
        if op in ("log", "log2", "log10"):
            side.divisor(*u)
        return side.plain(op, [u])

    return apply


_ONE: Final[Settled] = (1.0, (fmpq(1), fmpq(1)))


def below_one(side: "Side", u: Settled) -> Settled:
    """Condition: at most 1."""
    return side.plain("sub", [_ONE, u])


def above_minus_one(side: "Side", u: Settled) -> Settled:
    """Condition: at least -1."""
    return side.plain("add", [_ONE, u])


def above_one(side: "Side", u: Settled) -> Settled:
    """Condition: at least 1."""
    return side.plain("sub", [u, _ONE])


def itself(side: "Side", u: Settled) -> Settled:
    """Condition: not negative."""
    return u
