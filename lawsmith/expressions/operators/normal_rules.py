"""Normal forms of single operators: the column `normal` of the operator table.

Each rule takes the algebra and the normal forms of the arguments. Every rewrite holds
wherever the law is defined.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from flint import fmpq

from lawsmith.expressions.operators import balls
from lawsmith.expressions.operators.ring import HALF, ONE, Ratio, constant_of

if TYPE_CHECKING:
    from lawsmith.expressions.equality import Algebra

Rule: TypeAlias = Callable[..., Ratio]
"""(algebra, normal form of each argument) -> normal form."""


def add(algebra: "Algebra", *args: Ratio) -> Ratio:
    """The sum."""
    return algebra.add(*args)


def sub(algebra: "Algebra", a: Ratio, b: Ratio) -> Ratio:
    """The difference."""
    return algebra.add(a, algebra.scaled(b, fmpq(-1)))


def mul(algebra: "Algebra", *args: Ratio) -> Ratio:
    """The product."""
    return algebra.mul(*args)


def div(algebra: "Algebra", a: Ratio, b: Ratio) -> Ratio:
    """The quotient."""
    return algebra.mul(a, algebra.inverse(b))


def neg(algebra: "Algebra", a: Ratio) -> Ratio:
    """The negative."""
    return algebra.scaled(a, fmpq(-1))


def power(algebra: "Algebra", base: Ratio, exponent: Ratio) -> Ratio:
    """The power."""
    return algebra.power(base, exponent)


def sqrt(algebra: "Algebra", a: Ratio) -> Ratio:
    """The square root."""
    return algebra.power(a, algebra.number(HALF))


def exp(algebra: "Algebra", a: Ratio) -> Ratio:
    """The exponential."""
    return algebra.exponential(a)


def log(algebra: "Algebra", a: Ratio) -> Ratio:
    """The natural logarithm."""
    return algebra.logarithm(a)


def floor(algebra: "Algebra", value: Ratio) -> Ratio:
    """The floor with the whole part of its constant taken out and a fixed sign inside.

    floor(-u) = -1 - floor(u) holds but where u is a whole number.
    """
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(fmpq(constant.floor()))
    whole = value[0].get((), fmpq(0)).floor() if value[1] == ONE else 0
    part = algebra.add(value, algebra.number(fmpq(-whole)))
    leading = min(monomial for monomial in part[0] if monomial)
    if part[0][leading] < 0 and algebra.moves(part):
        algebra.turned = True
        turned = floor(algebra, algebra.scaled(part, fmpq(-1)))
        return algebra.add(algebra.number(fmpq(whole - 1)), algebra.scaled(turned, fmpq(-1)))
    return algebra.add(algebra.number(fmpq(whole)), algebra.opaque("floor", part))


def ceil(algebra: "Algebra", value: Ratio) -> Ratio:
    """The ceiling, as the negative of the floor of the negative."""
    return algebra.scaled(floor(algebra, algebra.scaled(value, fmpq(-1))), fmpq(-1))


def nearest(algebra: "Algebra", value: Ratio) -> Ratio:
    """Rounding as a floor, which differs from it on a thin set only."""
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(balls.round(constant))
    if not algebra.moves(value):
        return algebra.opaque("round", value)
    algebra.turned = True
    return floor(algebra, algebra.add(value, algebra.number(HALF)))


def mod(algebra: "Algebra", a: Ratio, b: Ratio) -> Ratio:
    """The remainder by its definition with a floor."""
    whole = floor(algebra, algebra.mul(a, algebra.inverse(b)))
    return algebra.add(a, algebra.scaled(algebra.mul(b, whole), fmpq(-1)))


def sign(algebra: "Algebra", value: Ratio) -> Ratio:
    """The sign; a constant or positive argument settles it."""
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(balls.sign(constant))
    if algebra.is_positive(value):
        return algebra.number(fmpq(1))
    return signed("sign", odd=True)(algebra, value)


def step(algebra: "Algebra", value: Ratio) -> Ratio:
    """The step; a constant or positive argument settles it."""
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(balls.step(constant))
    if algebra.is_positive(value):
        return algebra.number(fmpq(1))
    return algebra.opaque("step", value)


def signed(op: str, *, odd: bool) -> Rule:
    """An opaque odd or even function with the sign of its argument in front."""

    def apply(algebra: "Algebra", value: Ratio) -> Ratio:
        if value[0] and value[0][min(value[0])] < 0:
            positive = algebra.opaque(op, algebra.scaled(value, fmpq(-1)))
            return algebra.scaled(positive, fmpq(-1)) if odd else positive
        return algebra.opaque(op, value)

    return apply


def acos(algebra: "Algebra", value: Ratio) -> Ratio:
    """The arc cosine by the arc sine."""
    quarter = algebra.scaled(algebra.generator("pi", "", positive=True), HALF)
    return algebra.add(quarter, algebra.scaled(asin(algebra, value), fmpq(-1)))


def asin(algebra: "Algebra", value: Ratio) -> Ratio:
    """The arc sine, exact at the few constants where it is a part of pi."""
    constant = constant_of(value)
    known = {fmpq(0): fmpq(0), HALF: fmpq(1, 6), fmpq(1): HALF}
    if constant is not None and abs(constant) in known:
        pi = algebra.generator("pi", "", positive=True)
        return algebra.scaled(pi, known[abs(constant)] * (-1 if constant < 0 else 1))
    return signed("asin", odd=True)(algebra, value)


def atan(algebra: "Algebra", value: Ratio) -> Ratio:
    """The arc tangent, exact at 0 and 1."""
    constant = constant_of(value)
    if constant is not None and abs(constant) in (0, 1):
        return algebra.scaled(algebra.generator("pi", "", positive=True), constant / 4)
    return signed("atan", odd=True)(algebra, value)


def exponential_pair(kind: str, *, plus: bool) -> Rule:
    """Sum or half difference of two exponentials: sine, cosine, and the hyperbolic ones."""

    def apply(algebra: "Algebra", value: Ratio) -> Ratio:
        turn = algebra.exponential(value, kind)
        other = algebra.exponential(algebra.scaled(value, fmpq(-1)), kind)
        total = algebra.add(turn, other if plus else algebra.scaled(other, fmpq(-1)))
        if kind == "turn" and not plus:
            total = algebra.mul(total, algebra.scaled(algebra.imaginary(), fmpq(-1)))
        return algebra.scaled(total, HALF)

    return apply


def quotient(top: Rule, bottom: Rule) -> Rule:
    """A function that is the quotient of two others."""
    return lambda algebra, u: algebra.mul(top(algebra, u), algebra.inverse(bottom(algebra, u)))


def log_base(base: int) -> Rule:
    """The logarithm to a base, by natural ones."""

    def apply(algebra: "Algebra", value: Ratio) -> Ratio:
        under = algebra.logarithm(algebra.number(fmpq(base)))
        return algebra.mul(algebra.logarithm(value), algebra.inverse(under))

    return apply


def magnitude(algebra: "Algebra", value: Ratio) -> Ratio:
    """The absolute value, factor by factor."""
    if algebra.is_positive(value) or not value[0]:
        return value
    if value[1] != ONE:
        return algebra.mul(
            magnitude(algebra, (value[0], ONE)),
            algebra.inverse(magnitude(algebra, (value[1], ONE))),
        )
    (size, outer), inner = algebra.split(value[0])
    total: Ratio = ({outer: size}, ONE)
    if inner in (ONE, {(): fmpq(-1)}):
        return total
    return algebra.mul(total, signed("abs", odd=False)(algebra, (inner, ONE)))


def extremum(sign: int) -> Rule:
    """Maximum (sign 1) or minimum (sign -1) by the absolute value of the difference."""

    def pair(algebra: "Algebra", a: Ratio, b: Ratio) -> Ratio:
        distance = magnitude(algebra, algebra.add(a, algebra.scaled(b, fmpq(-1))))
        return algebra.scaled(algebra.add(a, b, algebra.scaled(distance, fmpq(sign))), HALF)

    def apply(algebra: "Algebra", *args: Ratio) -> Ratio:
        total = args[0]
        for arg in args[1:]:
            total = pair(algebra, total, arg)
        return total

    return apply


def cbrt(algebra: "Algebra", value: Ratio) -> Ratio:
    """The real cube root: a power where the argument is positive."""
    if algebra.is_positive(value):
        return algebra.power(value, algebra.number(fmpq(1, 3)))
    return signed("cbrt", odd=True)(algebra, value)


def area(sign: int) -> Rule:
    """The inverse hyperbolic sine (sign 1) or cosine (sign -1) by a logarithm."""

    def apply(algebra: "Algebra", value: Ratio) -> Ratio:
        square = algebra.add(algebra.mul(value, value), algebra.number(fmpq(sign)))
        return algebra.logarithm(algebra.add(value, algebra.root(square, HALF)))

    return apply


def atanh(algebra: "Algebra", value: Ratio) -> Ratio:
    """The inverse hyperbolic tangent by a logarithm."""
    one = algebra.number(fmpq(1))
    under = algebra.add(one, algebra.scaled(value, fmpq(-1)))
    ratio = algebra.mul(algebra.add(one, value), algebra.inverse(under))
    return algebra.scaled(algebra.logarithm(ratio), HALF)


SIN, COS = exponential_pair("turn", plus=False), exponential_pair("turn", plus=True)
SINH, COSH = exponential_pair("exp", plus=False), exponential_pair("exp", plus=True)
