"""The one table of operators: numbers, domains, balls, dimensions, symbols and LaTeX.

A new operator is a new row here and a new arity in `schemas.expression`; a test proves that
the two agree. Meaning: radians; `atan2(y, x)`, undefined at the origin; `cbrt` real;
`step(x)` = 1 for x > 0 else 0; `sign(0)` = 0; `round` half to even; `mod(a, b)` is floored
(the sign of b); `pow` takes a negative base only with an integer exponent, and 0^0 and
0^negative are undefined.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from lawsmith.expressions import balls
from lawsmith.expressions.balls import Number
from schemas.expression import ARITIES

DimensionRule = Literal[
    "same", "product", "quotient", "power", "root2", "root3", "keep", "pure", "same_to_pure", "drop"
]
"""How an operator treats dimensions; `lawsmith.expressions.dimensions` has a function for each.

`same`: equal ones, kept · `keep`: passed through · `pure`: none in, none out ·
`same_to_pure`: equal ones in, none out · `drop`: any in, none out.
"""

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the table."""

    name: str
    numeric: Callable[..., Any]
    """float64 arrays -> float64 array."""
    dimension: DimensionRule
    ball: Callable[..., Number]
    """Exact fractions or balls -> the same; `balls` has the two errors that it raises."""
    symbolic: Callable[..., Any]
    """(sympy module, symbolic arguments) -> symbolic value."""
    latex: str
    """A template with `{}` for each argument, or the sign between arguments."""
    defined: Callable[..., Any] | None = None
    """float64 arrays -> mask of the points inside the domain; None = everywhere."""
    domain: str = ""
    """The domain in words, for messages."""
    hides: bool = False
    """Whether a non-finite argument can give a finite value, so that it must be checked first."""
    kink: bool = False
    """Whether the operator is not analytic inside its domain."""

    @property
    def arity(self) -> tuple[int, int | None]:
        """(fewest, most) arguments; None = no upper bound."""
        return ARITIES[self.name]


def _nary(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *args: reduce(function, args)


def _power(base: Floats, exponent: Floats) -> Floats:
    # numpy squares when the exponent is one 2 for all; doing so always keeps paths in agreement.
    plain = np.power(base, exponent)
    squared = np.equal(exponent, 2.0)
    return np.where(squared, np.multiply(base, base), plain) if squared.any() else plain


def _power_defined(base: Floats, exponent: Floats) -> Mask:
    positive = np.greater(base, 0.0)
    zero = np.equal(base, 0.0) & np.greater(exponent, 0.0)
    negative = np.less(base, 0.0) & np.equal(exponent, np.floor(exponent))
    mask: Mask = positive | zero | negative
    return mask


def _atan2(y: Floats, x: Floats) -> Floats:
    # Adding zero drops the sign of -0.0, which no exact number has.
    return np.arctan2(np.add(y, 0.0), np.add(x, 0.0))


def _function(name: str) -> Callable[..., Any]:
    return lambda sp, *args: getattr(sp, name)(*args)


def _pure(name: str, numeric: Any, symbolic: str, latex: str, **more: Any) -> Operator:
    return Operator(name, numeric, "pure", getattr(balls, name), _function(symbolic), latex, **more)


_ROWS: Final = (
    Operator("add", _nary(np.add), "same", balls.add, lambda sp, *a: sp.Add(*a), " + "),
    Operator("mul", _nary(np.multiply), "product", balls.mul, lambda sp, *a: sp.Mul(*a), r" \, "),
    Operator(
        "min",
        _nary(np.minimum),
        "same",
        balls.min,
        _function("Min"),
        r"\min({})",
        hides=True,
        kink=True,
    ),
    Operator(
        "max",
        _nary(np.maximum),
        "same",
        balls.max,
        _function("Max"),
        r"\max({})",
        hides=True,
        kink=True,
    ),
    Operator("sub", np.subtract, "same", balls.sub, lambda sp, a, b: a - b, " - "),
    Operator(
        "div",
        np.divide,
        "quotient",
        balls.div,
        lambda sp, a, b: a / b,
        r"\frac{{{}}}{{{}}}",
        lambda a, b: np.not_equal(b, 0.0),
        "a divisor other than 0",
        hides=True,
    ),
    Operator(
        "pow",
        _power,
        "power",
        balls.pow,
        lambda sp, a, b: sp.Pow(a, b),
        "^",
        _power_defined,
        "a positive base, a negative one with an integer exponent, or 0 with a positive exponent",
        hides=True,
    ),
    Operator(
        "atan2",
        _atan2,
        "same_to_pure",
        balls.atan2,
        _function("atan2"),
        r"\operatorname{{atan2}}({}, {})",
        lambda y, x: np.not_equal(y, 0.0) | np.not_equal(x, 0.0),
        "a point other than the origin",
        hides=True,
        kink=True,
    ),
    Operator(
        "mod",
        np.mod,
        "same",
        balls.mod,
        lambda sp, a, b: sp.Mod(a, b),
        r"({} \bmod {})",
        lambda a, b: np.not_equal(b, 0.0),
        "a divisor other than 0",
        hides=True,
        kink=True,
    ),
    Operator("neg", np.negative, "keep", balls.neg, lambda sp, a: -a, "-"),
    Operator("abs", np.abs, "keep", balls.abs, _function("Abs"), r"\left|{}\right|", kink=True),
    Operator(
        "sqrt",
        np.sqrt,
        "root2",
        balls.sqrt,
        _function("sqrt"),
        r"\sqrt{{{}}}",
        lambda x: np.greater_equal(x, 0.0),
        "an argument >= 0",
    ),
    Operator(
        "cbrt",
        np.cbrt,
        "root3",
        balls.cbrt,
        lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
        r"\sqrt[3]{{{}}}",
        kink=True,
    ),
    _pure("exp", np.exp, "exp", r"\exp\left({}\right)", hides=True),
    _pure(
        "log",
        np.log,
        "log",
        r"\ln\left({}\right)",
        defined=lambda x: np.greater(x, 0.0),
        domain="an argument > 0",
    ),
    Operator(
        "log10",
        np.log10,
        "pure",
        balls.log10,
        lambda sp, x: sp.log(x) / sp.log(10),
        r"\log_{{10}}\left({}\right)",
        lambda x: np.greater(x, 0.0),
        "an argument > 0",
    ),
    Operator(
        "log2",
        np.log2,
        "pure",
        balls.log2,
        lambda sp, x: sp.log(x) / sp.log(2),
        r"\log_{{2}}\left({}\right)",
        lambda x: np.greater(x, 0.0),
        "an argument > 0",
    ),
    _pure("sin", np.sin, "sin", r"\sin\left({}\right)"),
    _pure("cos", np.cos, "cos", r"\cos\left({}\right)"),
    _pure("tan", np.tan, "tan", r"\tan\left({}\right)"),
    _pure(
        "asin",
        np.arcsin,
        "asin",
        r"\arcsin\left({}\right)",
        defined=lambda x: np.less_equal(np.abs(x), 1.0),
        domain="an argument in [-1, 1]",
    ),
    _pure(
        "acos",
        np.arccos,
        "acos",
        r"\arccos\left({}\right)",
        defined=lambda x: np.less_equal(np.abs(x), 1.0),
        domain="an argument in [-1, 1]",
    ),
    _pure("atan", np.arctan, "atan", r"\arctan\left({}\right)", hides=True),
    _pure("sinh", np.sinh, "sinh", r"\sinh\left({}\right)"),
    _pure("cosh", np.cosh, "cosh", r"\cosh\left({}\right)"),
    _pure("tanh", np.tanh, "tanh", r"\tanh\left({}\right)", hides=True),
    _pure("asinh", np.arcsinh, "asinh", r"\operatorname{{arsinh}}\left({}\right)"),
    _pure(
        "acosh",
        np.arccosh,
        "acosh",
        r"\operatorname{{arcosh}}\left({}\right)",
        defined=lambda x: np.greater_equal(x, 1.0),
        domain="an argument >= 1",
    ),
    _pure(
        "atanh",
        np.arctanh,
        "atanh",
        r"\operatorname{{artanh}}\left({}\right)",
        defined=lambda x: np.less(np.abs(x), 1.0),
        domain="an argument inside (-1, 1)",
    ),
    _pure("floor", np.floor, "floor", r"\lfloor {} \rfloor", kink=True),
    _pure("ceil", np.ceil, "ceiling", r"\lceil {} \rceil", kink=True),
    Operator(
        "round",
        np.rint,
        "pure",
        balls.round,
        lambda sp, x: sp.Function("round_half_even")(x),
        r"\operatorname{{round}}\left({}\right)",
        kink=True,
    ),
    Operator(
        "sign",
        np.sign,
        "drop",
        balls.sign,
        _function("sign"),
        r"\operatorname{{sgn}}\left({}\right)",
        hides=True,
        kink=True,
    ),
    Operator(
        "step",
        lambda x: np.greater(x, 0.0) * 1.0,
        "drop",
        balls.step,
        lambda sp, x: sp.Heaviside(x, 0),
        r"\theta\left({}\right)",
        hides=True,
        kink=True,
    ),
)

OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType({row.name: row for row in _ROWS})
"""Operator name -> its row."""

__all__ = ("OPERATORS", "DimensionRule", "Operator")
