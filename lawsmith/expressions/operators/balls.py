"""Operators on exact fractions and rigorous balls: the arithmetic behind truth.

A number is a `fmpq` while it is exactly rational, else an `arb` ball of the precision in
force. What a ball cannot decide (which side of a step, whether a divisor is zero) is
`UndecidedError`; the caller raises the precision and tries again.
"""

import builtins
import math
from collections.abc import Callable
from functools import reduce
from typing import Any, Final, TypeAlias

from flint import arb, fmpq, fmpz

Number: TypeAlias = Any
"""A `flint.fmpq` (exact) or a `flint.arb` (a ball); python-flint ships no usable types."""

MAX_EXACT_BITS: Final = 20_000
"""An exact power larger than this is computed as a ball instead."""


class UndefinedError(Exception):
    """The value does not exist: certain, not a matter of precision."""


class UndecidedError(Exception):
    """The ball is too wide to tell; a higher precision may."""


def ball(value: Number) -> Any:
    """The value as a ball at the precision in force."""
    return value if isinstance(value, arb) else arb(value)


def sign_of(value: Number) -> int:
    """-1, 0 or 1.

    Raises:
        UndecidedError: the ball reaches over zero.
    """
    if isinstance(value, fmpq):
        return (value > 0) - (value < 0)
    if value > 0:
        return 1
    if value < 0:
        return -1
    if value.is_exact() and value.is_zero():
        return 0
    raise UndecidedError


def bits_of(value: fmpq) -> int:
    """The size of a fraction: bits of the longer of its two parts."""
    return builtins.max(int(value.p).bit_length(), int(value.q).bit_length())


def _bounded(value: Number) -> Number:
    """A fraction that has grown too long becomes a ball, so that no single step is long."""
    long = isinstance(value, fmpq) and bits_of(value) > MAX_EXACT_BITS
    return arb(value) if long else value


def _finite(value: Any) -> Any:
    if not value.is_finite():
        raise UndecidedError
    return value


def add(*args: Number) -> Number:
    """The sum."""
    return reduce(lambda a, b: _bounded(a + b), args)


def mul(*args: Number) -> Number:
    """The product."""
    return reduce(lambda a, b: _bounded(a * b), args)


def sub(a: Number, b: Number) -> Number:
    """The difference."""
    return _bounded(a - b)


def neg(a: Number) -> Number:
    """The negative."""
    return -a


def div(a: Number, b: Number) -> Number:
    """The quotient; undefined for a zero divisor."""
    if sign_of(b) == 0:
        raise UndefinedError
    return _bounded(a / b)


def _choose(a: Number, b: Number, wanted: int) -> Number:
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return a if (a > b) - (a < b) in (wanted, 0) else b
    # Either choice is inside the ball of the extremum: no decision is needed.
    left, right = ball(a), ball(b)
    return left.max(right) if wanted > 0 else left.min(right)


def min(*args: Number) -> Number:
    """The least argument."""
    return reduce(lambda a, b: _choose(a, b, -1), args)


def max(*args: Number) -> Number:
    """The greatest argument."""
    return reduce(lambda a, b: _choose(a, b, 1), args)


def abs(a: Number) -> Number:
    """The magnitude."""
    return builtins.abs(a)


def floor(a: Number) -> Number:
    """The greatest integer not above."""
    if isinstance(a, fmpq):
        return fmpq(a.floor())
    if not builtins.abs(a) < arb(2) ** MAX_EXACT_BITS:
        # Written out it would fill the memory.
        raise UndecidedError
    lower, upper = a.lower().floor().unique_fmpz(), a.upper().floor().unique_fmpz()
    if lower is None or lower != upper:
        raise UndecidedError
    return fmpq(lower)


def ceil(a: Number) -> Number:
    """The least integer not below."""
    return -floor(-a)


def round(a: Number) -> Number:
    """The nearest integer, ties to even."""
    low = floor(a)
    side = sign_of(a - low - fmpq(1, 2))
    odd = int(low.p) % 2
    return low + 1 if side > 0 or (side == 0 and odd) else low


def sign(a: Number) -> Number:
    """-1, 0 or 1."""
    return fmpq(sign_of(a))


def step(a: Number) -> Number:
    """1 above zero, else 0."""
    return fmpq(1 if sign_of(a) > 0 else 0)


def mod(a: Number, b: Number) -> Number:
    """`a - b*floor(a/b)`: the sign of b; undefined for b = 0."""
    return a - b * floor(div(a, b))


def sqrt(a: Number) -> Number:
    """The square root; undefined below zero."""
    if isinstance(a, fmpq):
        if a < 0:
            raise UndefinedError
        exact = exact_root(a, 2)
        return ball(a).sqrt() if exact is None else exact
    if a < 0:
        raise UndefinedError
    return _finite(a.sqrt())


def cbrt(a: Number) -> Number:
    """The real cube root."""
    if isinstance(a, fmpq):
        exact = exact_root(builtins.abs(a), 3)
        if exact is not None:
            return -exact if a < 0 else exact
    value = ball(a)
    if value < 0:
        return -(-value).root(3)
    if value >= 0:
        return value.root(3)
    reach = value.abs_upper().root(3)
    return (-reach).union(reach)


def exact_root(a: fmpq, degree: int) -> fmpq | None:
    """The exact root of a fraction >= 0, or None when it is not a fraction."""
    parts = [_integer_root(int(part), degree) for part in (a.p, a.q)]
    if None in parts:
        return None
    return fmpq(*parts)


def _integer_root(n: int, degree: int) -> int | None:
    if n < 2:
        return n
    if degree == 2:
        root = math.isqrt(n)
    elif n.bit_length() <= degree:
        return None
    else:
        root = int(fmpz(n).root(degree))
    return root if root**degree == n else None


def pow(base: Number, exponent: Number) -> Number:
    """The power; a negative base takes an exact integer exponent only."""
    whole = isinstance(exponent, fmpq) and exponent.q == 1
    if isinstance(base, fmpq) and base == 0:
        if sign_of(exponent) <= 0:
            raise UndefinedError
        return base
    if whole:
        return _integer_power(base, int(exponent.p))
    if isinstance(base, fmpq) and isinstance(exponent, fmpq) and base > 0:
        exact = _rational_power(base, exponent)
        if exact is not None:
            return exact
    return _real_power(base, exponent)


def _integer_power(base: Number, n: int) -> Number:
    if isinstance(base, fmpq):
        if bits_of(base) * builtins.abs(n) <= MAX_EXACT_BITS:
            return base**n
        return _finite(ball(base) ** n)
    if n <= 0 and sign_of(base) == 0:
        raise UndefinedError
    return _finite(base**n)


def _rational_power(base: fmpq, exponent: fmpq) -> Number | None:
    degree = int(exponent.q)
    if degree > 64:
        return None
    root = exact_root(base, degree)
    return None if root is None else _integer_power(root, int(exponent.p))


def _real_power(base: Number, exponent: Number) -> Number:
    value = ball(base)
    if value > 0:
        return _finite((ball(exponent) * value.log()).exp())
    if value < 0:
        if isinstance(exponent, fmpq) or not exponent.contains_integer():
            raise UndefinedError
        raise UndecidedError
    if sign_of(base) == 0:
        if sign_of(exponent) <= 0:
            raise UndefinedError
        return fmpq(0)
    raise UndecidedError


def _logarithm(a: Number, base: int | None) -> Number:
    value = ball(a)
    if value <= 0:
        raise UndefinedError
    if isinstance(a, fmpq):
        exact = _exact_logarithm(a, base)
        if exact is not None:
            return exact
    result = _finite(value.log())
    return result if base is None else result / arb(base).log()


def _exact_logarithm(a: fmpq, base: int | None) -> fmpq | None:
    if a == 1:
        return fmpq(0)
    if base is None or (a.p != 1 and a.q != 1):
        return None
    n = int(a.p) if a.q == 1 else int(a.q)
    power = builtins.round(n.bit_length() / math.log2(base))
    for guess in (power - 1, power, power + 1):
        if guess > 0 and base**guess == n:
            return fmpq(guess if a.q == 1 else -guess)
    return None


def log(a: Number) -> Number:
    """The natural logarithm; undefined at and below zero."""
    return _logarithm(a, None)


def log10(a: Number) -> Number:
    """The logarithm to base 10."""
    return _logarithm(a, 10)


def log2(a: Number) -> Number:
    """The logarithm to base 2."""
    return _logarithm(a, 2)


def atan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y) in (-pi, pi]; undefined at the origin."""
    if isinstance(y, fmpq) and y == 0:
        side = sign_of(x)
        if side == 0:
            raise UndefinedError
        return fmpq(0) if side > 0 else arb.pi()
    vertical, horizontal = ball(y), ball(x)
    if not (vertical > 0 or vertical < 0 or horizontal > 0):
        raise UndecidedError
    return _finite(arb.atan2(vertical, horizontal))


def _inside(a: Number, low: int | None, high: int | None, *, open_ends: bool = False) -> Any:
    value = ball(a)
    outside = (low is not None and value < low) or (high is not None and value > high)
    at_end = open_ends and isinstance(a, fmpq) and a in (fmpq(-1), fmpq(1))
    if outside or at_end:
        raise UndefinedError
    return value


def _entire(method: str, at_zero: int | None) -> Callable[[Number], Number]:
    def apply(a: Number) -> Number:
        if at_zero is not None and isinstance(a, fmpq) and a == 0:
            return fmpq(at_zero)
        return _finite(getattr(ball(a), method)())

    return apply


exp = _entire("exp", 1)
sin = _entire("sin", 0)
cos = _entire("cos", 1)
tan = _entire("tan", 0)
atan = _entire("atan", 0)
sinh = _entire("sinh", 0)
cosh = _entire("cosh", 1)
tanh = _entire("tanh", 0)
asinh = _entire("asinh", 0)
_asin = _entire("asin", 0)
_acos = _entire("acos", None)
_acosh = _entire("acosh", None)
_atanh = _entire("atanh", 0)


def asin(a: Number) -> Number:
    """The arc sine; undefined outside [-1, 1]."""
    _inside(a, -1, 1)
    return _asin(a)


def acos(a: Number) -> Number:
    """The arc cosine; undefined outside [-1, 1]."""
    _inside(a, -1, 1)
    return fmpq(0) if isinstance(a, fmpq) and a == 1 else _acos(a)


def acosh(a: Number) -> Number:
    """The inverse hyperbolic cosine; undefined below 1."""
    _inside(a, 1, None)
    return fmpq(0) if isinstance(a, fmpq) and a == 1 else _acosh(a)


def atanh(a: Number) -> Number:
    """The inverse hyperbolic tangent; undefined outside (-1, 1)."""
    _inside(a, -1, 1, open_ends=True)
    return _atanh(a)
