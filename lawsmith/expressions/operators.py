"""The one table of operators: numbers, domains, balls, dimensions, symbols and LaTeX.

A new operator is a new row here and a new arity in `schemas.expression`; a test proves that
the two agree. Meaning: radians; `atan2(y, x)`, undefined at the origin; `cbrt` real;
`step(x)` = 1 for x > 0 else 0; `sign(0)` = 0; `round` half to even; `mod(a, b)` is floored
(the sign of b); `pow` takes a negative base only with an integer exponent, and 0^0 and
0^negative are undefined. No operator tells -0.0 from 0.0.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from lawsmith.expressions import balls, floats
from lawsmith.expressions.balls import Number
from lawsmith.expressions.floats import Interval
from schemas.expression import ARITIES

DimensionRule = Literal[
    "same", "product", "quotient", "power", "root2", "root3", "keep", "pure", "same_to_pure", "drop"
]
"""How an operator treats dimensions; `lawsmith.expressions.dimensions` has a function for each.

`same`: equal ones, kept · `keep`: passed through · `pure`: none in, none out ·
`same_to_pure`: equal ones in, none out · `drop`: any in, none out.
"""


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the table."""

    name: str
    numeric: Callable[..., Any]
    """float64 arrays, `out` if wanted -> float64 array; on two where it takes any number."""
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
    point: Callable[..., float] | None = None
    """Floats -> the very float that `numeric` gives (zeros may differ in sign), or an
    ArithmeticError or ValueError where that cannot be had; None = `numeric` serves."""
    quiet: Interval | None = None
    """Finite arguments of `numeric`, one float each, that raise no floating-point flag."""
    hides: Literal["none", "last", "all"] = "none"
    """Which arguments give a finite value although they are not finite themselves."""
    silent: bool = False
    """Whether `numeric` gives finite values outside the domain."""
    ieee: bool = False
    """Whether the processor computes it: a finite argument gives a finite value or a flag."""
    kink: bool = False
    """Whether the operator is not analytic inside its domain."""

    @property
    def arity(self) -> tuple[int, int | None]:
        """(fewest, most) arguments; None = no upper bound."""
        return ARITIES[self.name]

    def apply(self, *args: Any) -> Any:
        """The values for float64 arrays, any number of them where the arity is open."""
        return self.numeric(*args) if self.arity[1] else reduce(self.numeric, args)

    def hidden(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of the arguments that must be known to be finite beforehand."""
        return {"none": (), "last": args[-1:], "all": args}[self.hides]


def _function(name: str) -> Callable[..., Any]:
    return lambda sp, *args: getattr(sp, name)(*args)


def _pure(
    name: str, numeric: Any, symbolic: str, latex: str, quiet: Interval = floats.FINITE, **more: Any
) -> Operator:
    ball, function = getattr(balls, name), _function(symbolic)
    return Operator(name, numeric, "pure", ball, function, latex, quiet=quiet, **more)


_ROWS: Final = (
    Operator("add", np.add, "same", balls.add, lambda sp, *a: sp.Add(*a), " + ", ieee=True),
    Operator(
        "mul", np.multiply, "product", balls.mul, lambda sp, *a: sp.Mul(*a), r" \, ", ieee=True
    ),
    Operator(
        "min",
        np.minimum,
        "same",
        balls.min,
        _function("Min"),
        r"\min({})",
        point=min,
        hides="all",
        ieee=True,
        kink=True,
    ),
    Operator(
        "max",
        np.maximum,
        "same",
        balls.max,
        _function("Max"),
        r"\max({})",
        point=max,
        hides="all",
        ieee=True,
        kink=True,
    ),
    Operator("sub", np.subtract, "same", balls.sub, lambda sp, a, b: a - b, " - ", ieee=True),
    Operator(
        "div",
        np.divide,
        "quotient",
        balls.div,
        lambda sp, a, b: a / b,
        r"\frac{{{}}}{{{}}}",
        lambda a, b: b != 0.0,
        "a divisor other than 0",
        hides="last",
        ieee=True,
    ),
    Operator(
        "pow",
        floats.power,
        "power",
        balls.pow,
        lambda sp, a, b: sp.Pow(a, b),
        "^",
        floats.power_defined,
        "a positive base, a negative one with an integer exponent, or 0 with a positive exponent",
        point=floats.power_at_point,
        hides="all",
        silent=True,
    ),
    Operator(
        "atan2",
        floats.atan2,
        "same_to_pure",
        balls.atan2,
        _function("atan2"),
        r"\operatorname{{atan2}}({}, {})",
        lambda y, x: (y != 0.0) | (x != 0.0),
        "a point other than the origin",
        hides="all",
        silent=True,
        kink=True,
    ),
    Operator(
        "mod",
        np.mod,
        "same",
        balls.mod,
        lambda sp, a, b: sp.Mod(a, b),
        r"({} \bmod {})",
        lambda a, b: b != 0.0,
        "a divisor other than 0",
        point=lambda a, b: a % b,
        hides="last",
        kink=True,
    ),
    Operator("neg", np.negative, "keep", balls.neg, lambda sp, a: -a, "-", ieee=True),
    Operator(
        "abs",
        np.abs,
        "keep",
        balls.abs,
        _function("Abs"),
        r"\left|{}\right|",
        point=abs,
        ieee=True,
        kink=True,
    ),
    Operator(
        "sqrt",
        np.sqrt,
        "root2",
        balls.sqrt,
        _function("sqrt"),
        r"\sqrt{{{}}}",
        lambda x: x >= 0.0,
        "an argument >= 0",
        point=math.sqrt,
        ieee=True,
    ),
    Operator(
        "cbrt",
        np.cbrt,
        "root3",
        balls.cbrt,
        lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
        r"\sqrt[3]{{{}}}",
        quiet=floats.FINITE,
        kink=True,
    ),
    _pure("exp", np.exp, "exp", r"\exp\left({}\right)", floats.EXPONENTS, hides="all"),
    _pure(
        "log",
        np.log,
        "log",
        r"\ln\left({}\right)",
        floats.POSITIVE,
        defined=lambda x: x > 0.0,
        domain="an argument > 0",
    ),
    Operator(
        "log10",
        np.log10,
        "pure",
        balls.log10,
        lambda sp, x: sp.log(x) / sp.log(10),
        r"\log_{{10}}\left({}\right)",
        lambda x: x > 0.0,
        "an argument > 0",
        quiet=floats.POSITIVE,
    ),
    Operator(
        "log2",
        np.log2,
        "pure",
        balls.log2,
        lambda sp, x: sp.log(x) / sp.log(2),
        r"\log_{{2}}\left({}\right)",
        lambda x: x > 0.0,
        "an argument > 0",
        quiet=floats.POSITIVE,
    ),
    _pure("sin", np.sin, "sin", r"\sin\left({}\right)"),
    _pure("cos", np.cos, "cos", r"\cos\left({}\right)"),
    _pure("tan", np.tan, "tan", r"\tan\left({}\right)"),
    _pure(
        "asin",
        np.arcsin,
        "asin",
        r"\arcsin\left({}\right)",
        floats.UNIT,
        defined=lambda x: np.abs(x) <= 1.0,
        domain="an argument in [-1, 1]",
    ),
    _pure(
        "acos",
        np.arccos,
        "acos",
        r"\arccos\left({}\right)",
        floats.UNIT,
        defined=lambda x: np.abs(x) <= 1.0,
        domain="an argument in [-1, 1]",
    ),
    _pure("atan", np.arctan, "atan", r"\arctan\left({}\right)", hides="all"),
    _pure("sinh", np.sinh, "sinh", r"\sinh\left({}\right)", floats.EXPONENTS),
    _pure("cosh", np.cosh, "cosh", r"\cosh\left({}\right)", floats.EXPONENTS),
    _pure("tanh", np.tanh, "tanh", r"\tanh\left({}\right)", hides="all"),
    _pure("asinh", np.arcsinh, "asinh", r"\operatorname{{arsinh}}\left({}\right)"),
    _pure(
        "acosh",
        np.arccosh,
        "acosh",
        r"\operatorname{{arcosh}}\left({}\right)",
        (1.0, floats.LARGEST),
        defined=lambda x: x >= 1.0,
        domain="an argument >= 1",
    ),
    _pure(
        "atanh",
        np.arctanh,
        "atanh",
        r"\operatorname{{artanh}}\left({}\right)",
        floats.INNER,
        defined=lambda x: np.abs(x) < 1.0,
        domain="an argument inside (-1, 1)",
    ),
    _pure(
        "floor",
        np.floor,
        "floor",
        r"\lfloor {} \rfloor",
        point=lambda x: float(math.floor(x)),
        ieee=True,
        kink=True,
    ),
    _pure(
        "ceil",
        np.ceil,
        "ceiling",
        r"\lceil {} \rceil",
        point=lambda x: float(math.ceil(x)),
        ieee=True,
        kink=True,
    ),
    Operator(
        "round",
        np.rint,
        "pure",
        balls.round,
        lambda sp, x: sp.Function("round_half_even")(x),
        r"\operatorname{{round}}\left({}\right)",
        point=lambda x: float(round(x)),
        ieee=True,
        kink=True,
    ),
    Operator(
        "sign",
        np.sign,
        "drop",
        balls.sign,
        _function("sign"),
        r"\operatorname{{sgn}}\left({}\right)",
        point=lambda x: float((x > 0.0) - (x < 0.0)),
        hides="all",
        ieee=True,
        kink=True,
    ),
    Operator(
        "step",
        floats.step,
        "drop",
        balls.step,
        lambda sp, x: sp.Heaviside(x, 0),
        r"\operatorname{{step}}\left({}\right)",
        point=lambda x: 1.0 if x > 0.0 else 0.0,
        hides="all",
        ieee=True,
        kink=True,
    ),
)

OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType({row.name: row for row in _ROWS})
"""Operator name -> its row."""

__all__ = ("OPERATORS", "DimensionRule", "Operator")
