"""Pairs of laws that are hard on a comparison: towers, huge integers, deep and long trees."""

from collections.abc import Callable, Iterator
from itertools import count

from lawsmith.expressions import parse_infix as read
from schemas.expression import Expression, Op, Var

X = Var("x")


def _nest(step: Callable[[Expression], Expression], times: int, base: Expression = X) -> Expression:
    for _ in range(times):
        base = step(base)
    return base


def _power_of(number: float) -> Callable[[Expression], Expression]:
    return lambda law: Op("pow", (law, number))


def _tower(law: Expression) -> Expression:
    return Op("pow", (X, law))


def _shifted_power(law: Expression) -> Expression:
    return Op("pow", (Op("add", (law, 1.5)), 9.0))


def _function(name: str) -> Callable[[Expression], Expression]:
    return lambda law: Op(name, (law,))


def _fractions(depth: int, numbers: Iterator[int]) -> Expression:
    if depth == 0:
        return Op("div", (1.0, Op("add", (X, float(next(numbers))))))
    return Op("add", (_fractions(depth - 1, numbers), _fractions(depth - 1, numbers)))


def _sum(form: str, first: int, last: int) -> str:
    step = 1 if last >= first else -1
    return " + ".join(form.replace("#", str(k)) for k in range(first, last + step, step))


def _product(first: int, last: int) -> str:
    step = 1 if last >= first else -1
    return "*".join(f"(x + {k})" for k in range(first, last + step, step))


def _texts() -> Iterator[tuple[str, str, str]]:
    yield "tower of five", "x**(x**(x**(x**x)))", "x**(x**(x**x**x))*1"
    yield "power 1e9", "x**1000000000*x", "x**1000000001"
    yield "sum to 1e9", "(1 + x)**1000000000*(1 + x)", "(1 + x)**1000000001"
    yield "literal 2^53", "9007199254740992*x + 1", "9007199254740991*x + 1"
    yield "2^(2^53)", "2**9007199254740992*x", "2**9007199254740991*x*2"
    yield "sine of a tower", "sin(exp(exp(exp(x))))", "sin(exp(exp(exp(x)))*(1 + 1e-9))"
    yield "floor of 2^(2^40)", "floor(2**(2**40)*x)", "floor(2**(2**40)*x) + 1e-300"
    yield "mod of 10^300", "mod(10**300*x, 7)", "mod(10**300*x + 7, 7)"
    yield "149 magnitudes", _sum("abs(x - #/40)", 1, 149), _sum("abs(#/40 - x)", 149, 1)
    one = _sum("max(x, #/40)", 149, 2) + " + max(x, 0.0250000001)"
    yield "149 maxima", _sum("max(x, #/40)", 1, 149), one
    yield "product of 249", _product(1, 249), _product(249, 1)
    yield (
        "degree 180",
        "(x + 1)**60*(x + 2)**60*(x + 3)**60",
        ("(x + 3)**60*(x + 2)**60*(x + 1)**60 + 1e-300"),
    )
    yield "119 fractions ^300", _sum("1/(x + #)**300", 1, 119), _sum("1/(# + x)**300", 119, 1)
    yield (
        "79 sines",
        _sum("sin(#.37*x)*cos(#*x + #)", 1, 79),
        (_sum("cos(#*x + #)*sin(#.37*x)", 79, 1)),
    )
    yield "sine to 200", "sin(x)**200 + cos(x)**200", "(1 - cos(x)**2)**100 + (1 - sin(x)**2)**100"
    roots = _sum("sqrt(x + #)", 1, 39)
    yield "39 roots ^8", f"({roots})**8", f"({roots})**8 + 1e-200"
    yield "59 floors", _sum("floor(#*x)", 1, 59), _sum("floor(#*x)", 1, 59) + " + 1e-9"
    yield "least number", "5e-324*x + 1", "1"
    yield "angle", "atan2(sin(9*x), cos(9*x))", "9*x - 2*pi*round(9*x/(2*pi))"


def hostile_pairs() -> Iterator[tuple[str, Expression, Expression]]:
    """(what it is, one law, the other), all of one name `x`."""
    for name, a, b in _texts():
        yield name, read(a), read(b)
    yield "tower of 30", _nest(_tower, 30), _nest(_tower, 31)
    yield "power of power", _nest(_power_of(7.0), 60), _nest(_power_of(7.0), 61)
    yield (
        "powers of sums",
        _nest(_shifted_power, 25),
        _nest(_shifted_power, 25, Op("add", (X, 1e-9))),
    )
    yield "exp 60 deep", _nest(_function("exp"), 60), _nest(_function("exp"), 61)
    yield "sin 64 deep", _nest(_function("sin"), 64), _nest(_function("sin"), 63)
    one = _nest(lambda law: Op("abs", (Op("sub", (law, 0.37)),)), 30)
    yield "abs 30 deep", one, _nest(lambda law: Op("abs", (Op("sub", (0.37, law)),)), 30)
    numbers = count(1)
    yield "128 fractions", _fractions(7, numbers), _fractions(7, numbers)


__all__ = ("hostile_pairs",)
