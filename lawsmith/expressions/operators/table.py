"""The one table of operators: what each means, and how it is printed and read.

A new operator is a new row here and a new arity in `schemas.expression`; a test proves that
the two agree and that no column of a row is missing. Meaning: radians; `atan2(y, x)`,
undefined at the origin; `cbrt` real; `step(x)` = 1 for x > 0 else 0; `sign(0)` = 0; `round`
half to even; `mod(a, b)` is floored (the sign of b); `pow` takes a negative base only with an
integer exponent, and 0^0 and 0^negative are undefined. No operator tells -0.0 from 0.0.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from flint import arb, fmpq

from lawsmith.expressions.operators import (
    balls,
    enclosures,
    floats,
    kink_rules,
    normal_rules,
    partials,
)
from lawsmith.expressions.operators.balls import Number
from lawsmith.expressions.operators.enclosures import Enclosure, Interval
from lawsmith.expressions.operators.floats import Interval as FloatInterval
from lawsmith.expressions.operators.partials import Partial
from schemas.expression import ARITIES

DimensionRule = Literal[
    "same", "product", "quotient", "power", "root2", "root3", "keep", "pure", "same_to_pure", "drop"
]
"""How an operator treats dimensions; `lawsmith.expressions.dimensions` has a function for each.

`same`: equal ones, kept · `keep`: passed through · `pure`: none in, none out ·
`same_to_pure`: equal ones in, none out · `drop`: any in, none out.
"""


class MathForm(NamedTuple):
    """How presentation MathML shows an operator."""

    shape: Literal[
        "call", "sum", "product", "fraction", "power", "exponential", "sign", "root", "fences",
        "modulo",
    ]  # fmt: skip
    text: str = ""
    """The word of a call, the degree of a root other than the square root, or both fences."""
    subscript: str = ""
    """Of the word of a call: the base of a logarithm."""
    raised: bool = False
    """Whether a whole power stands at the word of a call, as in sin² x."""
    bare: bool = True
    """Whether the argument of a call stands without brackets where it is one symbol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One row of the table."""

    name: str
    numeric: Callable[..., Any]
    """float64 arrays, `out` if wanted -> float64 array; on two where it takes any number."""
    ball: Callable[..., Number]
    """Exact fractions or balls -> the same; `balls` has the two errors that it raises."""
    dimension: DimensionRule
    slopes: tuple[Partial, ...]
    """The slope in each argument; one of many arguments is a chain of two."""
    encloses: Enclosure
    """Bounds of the arguments -> bounds of the value."""
    reach: Interval | None = None
    """Bounds of the value whatever the arguments are; None = unbounded."""
    normal: normal_rules.Rule | None = None
    """Normal forms of the arguments -> normal form; None = opaque."""
    settled: Callable[..., kink_rules.Settled] | None = None
    """The operator on one side of its kinks; None = analytic and defined everywhere."""
    symbolic: Callable[..., Any]
    """(sympy module, symbolic arguments) -> symbolic value."""
    spellings: tuple[str, ...]
    """Words that mean it as a function in LaTeX, without the backslash."""
    latex: str
    """A template with `{}` for each argument, or the sign between arguments."""
    mathml: MathForm
    defined: Callable[..., Any] | None = None
    """float64 arrays -> mask of the points inside the domain; None = everywhere."""
    domain: str = ""
    """The domain in words, for messages."""
    point: Callable[..., float] | None = None
    """Floats -> the very float that `numeric` gives (zeros may differ in sign), or an
    ArithmeticError or ValueError where that cannot be had; None = `numeric` serves."""
    quiet: FloatInterval | None = None
    """Finite arguments of `numeric`, one float each, that raise no floating-point flag."""
    hides: Literal["none", "last", "all"] = "none"
    """Which arguments give a finite value although they are not finite themselves."""
    silent: bool = False
    """Whether `numeric` gives finite values outside the domain."""
    ieee: bool = False
    """Whether the processor computes it: a finite argument gives a finite value or a flag."""
    kink: bool = False
    """Whether the operator is not analytic inside its domain."""
    rising: bool = False
    """Whether it is a strictly rising function of one argument wherever it is defined."""

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


_ZERO, _UNIT = fmpq(0), fmpq(1)
_WAVE: Final = (-_UNIT, _UNIT)

_ROWS: Final = (
    Operator(
        name="add",
        numeric=np.add,
        ball=balls.add,
        dimension="same",
        slopes=(
            partials.unit,
            partials.unit,
        ),
        encloses=enclosures.add,
        normal=normal_rules.add,
        symbolic=lambda sp, *a: sp.Add(*a),
        spellings=(),
        latex=" + ",
        mathml=MathForm("sum"),
        ieee=True,
    ),
    Operator(
        name="mul",
        numeric=np.multiply,
        ball=balls.mul,
        dimension="product",
        slopes=(
            lambda v, a, b: b,
            lambda v, a, b: a,
        ),
        encloses=enclosures.mul,
        normal=normal_rules.mul,
        symbolic=lambda sp, *a: sp.Mul(*a),
        spellings=(),
        latex=r" \, ",
        mathml=MathForm("product"),
        ieee=True,
    ),
    Operator(
        name="min",
        numeric=np.minimum,
        ball=balls.min,
        dimension="same",
        slopes=(
            lambda v, a, b: 1.0 * (a <= b),
            lambda v, a, b: 1.0 * (b < a),
        ),
        encloses=enclosures.extremum(balls.min),
        normal=normal_rules.extremum(-1),
        settled=kink_rules.extremum("min", -1),
        symbolic=_function("Min"),
        spellings=("min",),
        latex=r"\min({})",
        mathml=MathForm("call", "min"),
        point=min,
        hides="all",
        ieee=True,
        kink=True,
    ),
    Operator(
        name="max",
        numeric=np.maximum,
        ball=balls.max,
        dimension="same",
        slopes=(
            lambda v, a, b: 1.0 * (a >= b),
            lambda v, a, b: 1.0 * (b > a),
        ),
        encloses=enclosures.extremum(balls.max),
        normal=normal_rules.extremum(1),
        settled=kink_rules.extremum("max", 1),
        symbolic=_function("Max"),
        spellings=("max",),
        latex=r"\max({})",
        mathml=MathForm("call", "max"),
        point=max,
        hides="all",
        ieee=True,
        kink=True,
    ),
    Operator(
        name="sub",
        numeric=np.subtract,
        ball=balls.sub,
        dimension="same",
        slopes=(
            partials.unit,
            partials.minus_unit,
        ),
        encloses=enclosures.sub,
        normal=normal_rules.sub,
        symbolic=lambda sp, a, b: a - b,
        spellings=(),
        latex=" - ",
        mathml=MathForm("sum"),
        ieee=True,
    ),
    Operator(
        name="div",
        numeric=np.divide,
        ball=balls.div,
        dimension="quotient",
        slopes=(
            lambda v, a, b: 1 / b,
            lambda v, a, b: -v / b,
        ),
        encloses=enclosures.div,
        normal=normal_rules.div,
        settled=kink_rules.div,
        symbolic=lambda sp, a, b: a / b,
        spellings=(),
        latex=r"\frac{{{}}}{{{}}}",
        mathml=MathForm("fraction"),
        defined=lambda a, b: b != 0.0,
        domain="a divisor other than 0",
        hides="last",
        ieee=True,
    ),
    Operator(
        name="pow",
        numeric=floats.power,
        ball=balls.pow,
        dimension="power",
        slopes=(
            partials.base_of_power,
            partials.exponent_of_power,
        ),
        encloses=enclosures.power,
        normal=normal_rules.power,
        settled=kink_rules.power,
        symbolic=lambda sp, a, b: sp.Pow(a, b),
        spellings=(),
        latex="^",
        mathml=MathForm("power"),
        defined=floats.power_defined,
        domain=(
            "a positive base, a negative one with an integer exponent,"
            " or 0 with a positive exponent"
        ),
        point=floats.power_at_point,
        hides="all",
        silent=True,
    ),
    Operator(
        name="atan2",
        numeric=floats.atan2,
        ball=balls.atan2,
        dimension="same_to_pure",
        slopes=(
            lambda v, y, x: x / (x * x + y * y),
            lambda v, y, x: -y / (x * x + y * y),
        ),
        encloses=enclosures.by_ball(balls.atan2),
        settled=kink_rules.atan2,
        symbolic=_function("atan2"),
        spellings=("atan2",),
        latex=r"\operatorname{{atan2}}({}, {})",
        mathml=MathForm("call", "atan2"),
        defined=lambda y, x: (y != 0.0) | (x != 0.0),
        domain="a point other than the origin",
        hides="all",
        silent=True,
        kink=True,
    ),
    Operator(
        name="mod",
        numeric=np.mod,
        ball=balls.mod,
        dimension="same",
        slopes=(
            partials.unit,
            lambda v, a, b: -np.floor(a / b),
        ),
        encloses=enclosures.by_ball(balls.mod),
        normal=normal_rules.mod,
        settled=kink_rules.mod,
        symbolic=lambda sp, a, b: sp.Mod(a, b),
        spellings=(),
        latex=r"({} \bmod {})",
        mathml=MathForm("modulo"),
        defined=lambda a, b: b != 0.0,
        domain="a divisor other than 0",
        point=lambda a, b: a % b,
        hides="last",
        kink=True,
    ),
    Operator(
        name="neg",
        numeric=np.negative,
        ball=balls.neg,
        dimension="keep",
        slopes=(partials.minus_unit,),
        encloses=enclosures.neg,
        normal=normal_rules.neg,
        symbolic=lambda sp, a: -a,
        spellings=(),
        latex="-",
        mathml=MathForm("sign"),
        ieee=True,
    ),
    Operator(
        name="abs",
        numeric=np.abs,
        ball=balls.abs,
        dimension="keep",
        slopes=(lambda v, a: np.sign(a),),
        encloses=enclosures.magnitude,
        normal=normal_rules.magnitude,
        settled=kink_rules.magnitude,
        symbolic=_function("Abs"),
        spellings=("abs",),
        latex=r"\left|{}\right|",
        mathml=MathForm("fences", "||"),
        point=abs,
        ieee=True,
        kink=True,
    ),
    Operator(
        name="sqrt",
        numeric=np.sqrt,
        ball=balls.sqrt,
        dimension="root2",
        slopes=(lambda v, a: 0.5 / v,),
        encloses=enclosures.rising_from(balls.sqrt, 0, closed=True),
        normal=normal_rules.sqrt,
        settled=kink_rules.sqrt,
        symbolic=_function("sqrt"),
        spellings=("sqrt",),
        latex=r"\sqrt{{{}}}",
        mathml=MathForm("root"),
        defined=lambda x: x >= 0.0,
        domain="an argument >= 0",
        point=math.sqrt,
        ieee=True,
        rising=True,
    ),
    Operator(
        name="cbrt",
        numeric=np.cbrt,
        ball=balls.cbrt,
        dimension="root3",
        slopes=(lambda v, a: 1 / (3 * v * v),),
        encloses=enclosures.rising(balls.cbrt),
        normal=normal_rules.cbrt,
        settled=kink_rules.cbrt,
        symbolic=lambda sp, x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
        spellings=("cbrt",),
        latex=r"\sqrt[3]{{{}}}",
        mathml=MathForm("root", "3"),
        quiet=floats.FINITE,
        kink=True,
        rising=True,
    ),
    Operator(
        name="exp",
        numeric=np.exp,
        ball=balls.exp,
        dimension="pure",
        slopes=(lambda v, a: v,),
        encloses=enclosures.rising(balls.exp),
        normal=normal_rules.exp,
        symbolic=_function("exp"),
        spellings=("exp",),
        latex=r"\exp\left({}\right)",
        mathml=MathForm("exponential", "exp"),
        quiet=floats.EXPONENTS,
        hides="all",
        rising=True,
    ),
    Operator(
        name="log",
        numeric=np.log,
        ball=balls.log,
        dimension="pure",
        slopes=(lambda v, a: 1 / a,),
        encloses=enclosures.rising_from(balls.log, 0),
        normal=normal_rules.log,
        settled=kink_rules.guarded("log", kink_rules.itself),
        symbolic=_function("log"),
        spellings=("ln",),
        latex=r"\ln\left({}\right)",
        mathml=MathForm("call", "ln", raised=True),
        quiet=floats.POSITIVE,
        defined=lambda x: x > 0.0,
        domain="an argument > 0",
        rising=True,
    ),
    Operator(
        name="log10",
        numeric=np.log10,
        ball=balls.log10,
        dimension="pure",
        slopes=(lambda v, a: 1 / (a * math.log(10)),),
        encloses=enclosures.rising_from(balls.log10, 0),
        normal=normal_rules.log_base(10),
        settled=kink_rules.guarded("log10", kink_rules.itself),
        symbolic=lambda sp, x: sp.log(x) / sp.log(10),
        spellings=(),
        latex=r"\log_{{10}}\left({}\right)",
        mathml=MathForm("call", "log", "10"),
        quiet=floats.POSITIVE,
        defined=lambda x: x > 0.0,
        domain="an argument > 0",
        rising=True,
    ),
    Operator(
        name="log2",
        numeric=np.log2,
        ball=balls.log2,
        dimension="pure",
        slopes=(lambda v, a: 1 / (a * math.log(2)),),
        encloses=enclosures.rising_from(balls.log2, 0),
        normal=normal_rules.log_base(2),
        settled=kink_rules.guarded("log2", kink_rules.itself),
        symbolic=lambda sp, x: sp.log(x) / sp.log(2),
        spellings=(),
        latex=r"\log_{{2}}\left({}\right)",
        mathml=MathForm("call", "log", "2"),
        quiet=floats.POSITIVE,
        defined=lambda x: x > 0.0,
        domain="an argument > 0",
        rising=True,
    ),
    Operator(
        name="sin",
        numeric=np.sin,
        ball=balls.sin,
        dimension="pure",
        slopes=(lambda v, a: np.cos(a),),
        encloses=enclosures.wave(balls.sin),
        reach=_WAVE,
        normal=normal_rules.SIN,
        symbolic=_function("sin"),
        spellings=("sin",),
        latex=r"\sin\left({}\right)",
        mathml=MathForm("call", "sin", raised=True),
        quiet=floats.FINITE,
    ),
    Operator(
        name="cos",
        numeric=np.cos,
        ball=balls.cos,
        dimension="pure",
        slopes=(lambda v, a: -np.sin(a),),
        encloses=enclosures.wave(balls.cos),
        reach=_WAVE,
        normal=normal_rules.COS,
        symbolic=_function("cos"),
        spellings=("cos",),
        latex=r"\cos\left({}\right)",
        mathml=MathForm("call", "cos", raised=True),
        quiet=floats.FINITE,
    ),
    Operator(
        name="tan",
        numeric=np.tan,
        ball=balls.tan,
        dimension="pure",
        slopes=(lambda v, a: 1 + v * v,),
        encloses=enclosures.by_ball(balls.tan),
        normal=normal_rules.quotient(normal_rules.SIN, normal_rules.COS),
        symbolic=_function("tan"),
        spellings=("tan",),
        latex=r"\tan\left({}\right)",
        mathml=MathForm("call", "tan", raised=True),
        quiet=floats.FINITE,
    ),
    Operator(
        name="asin",
        numeric=np.arcsin,
        ball=balls.asin,
        dimension="pure",
        slopes=(lambda v, a: 1 / np.sqrt((1 - a) * (1 + a)),),
        encloses=enclosures.on_unit(balls.asin),
        normal=normal_rules.asin,
        settled=kink_rules.guarded("asin", kink_rules.below_one, kink_rules.above_minus_one),
        symbolic=_function("asin"),
        spellings=("arcsin", "asin"),
        latex=r"\arcsin\left({}\right)",
        mathml=MathForm("call", "arcsin"),
        quiet=floats.UNIT,
        defined=lambda x: np.abs(x) <= 1.0,
        domain="an argument in [-1, 1]",
        rising=True,
    ),
    Operator(
        name="acos",
        numeric=np.arccos,
        ball=balls.acos,
        dimension="pure",
        slopes=(lambda v, a: -1 / np.sqrt((1 - a) * (1 + a)),),
        encloses=enclosures.on_unit(balls.acos, falling=True),
        normal=normal_rules.acos,
        settled=kink_rules.guarded("acos", kink_rules.below_one, kink_rules.above_minus_one),
        symbolic=_function("acos"),
        spellings=("arccos", "acos"),
        latex=r"\arccos\left({}\right)",
        mathml=MathForm("call", "arccos"),
        quiet=floats.UNIT,
        defined=lambda x: np.abs(x) <= 1.0,
        domain="an argument in [-1, 1]",
    ),
    Operator(
        name="atan",
        numeric=np.arctan,
        ball=balls.atan,
        dimension="pure",
        slopes=(lambda v, a: 1 / (1 + a * a),),
        encloses=enclosures.rising(balls.atan),
        reach=(arb(-2), arb(2)),
        normal=normal_rules.atan,
        symbolic=_function("atan"),
        spellings=("arctan", "atan"),
        latex=r"\arctan\left({}\right)",
        mathml=MathForm("call", "arctan"),
        quiet=floats.FINITE,
        hides="all",
        rising=True,
    ),
    Operator(
        name="sinh",
        numeric=np.sinh,
        ball=balls.sinh,
        dimension="pure",
        slopes=(lambda v, a: np.cosh(a),),
        encloses=enclosures.rising(balls.sinh),
        normal=normal_rules.SINH,
        symbolic=_function("sinh"),
        spellings=("sinh",),
        latex=r"\sinh\left({}\right)",
        mathml=MathForm("call", "sinh", raised=True),
        quiet=floats.EXPONENTS,
        rising=True,
    ),
    Operator(
        name="cosh",
        numeric=np.cosh,
        ball=balls.cosh,
        dimension="pure",
        slopes=(lambda v, a: np.sinh(a),),
        encloses=enclosures.even(balls.cosh),
        normal=normal_rules.COSH,
        symbolic=_function("cosh"),
        spellings=("cosh",),
        latex=r"\cosh\left({}\right)",
        mathml=MathForm("call", "cosh", raised=True),
        quiet=floats.EXPONENTS,
    ),
    Operator(
        name="tanh",
        numeric=np.tanh,
        ball=balls.tanh,
        dimension="pure",
        slopes=(lambda v, a: (1 - v) * (1 + v),),
        encloses=enclosures.rising(balls.tanh),
        reach=_WAVE,
        normal=normal_rules.quotient(normal_rules.SINH, normal_rules.COSH),
        symbolic=_function("tanh"),
        spellings=("tanh",),
        latex=r"\tanh\left({}\right)",
        mathml=MathForm("call", "tanh", raised=True),
        quiet=floats.FINITE,
        hides="all",
        rising=True,
    ),
    Operator(
        name="asinh",
        numeric=np.arcsinh,
        ball=balls.asinh,
        dimension="pure",
        slopes=(lambda v, a: 1 / np.hypot(1, a),),
        encloses=enclosures.rising(balls.asinh),
        normal=normal_rules.area(1),
        symbolic=_function("asinh"),
        spellings=("arsinh", "arcsinh", "asinh"),
        latex=r"\operatorname{{arsinh}}\left({}\right)",
        mathml=MathForm("call", "arsinh"),
        quiet=floats.FINITE,
        rising=True,
    ),
    Operator(
        name="acosh",
        numeric=np.arccosh,
        ball=balls.acosh,
        dimension="pure",
        slopes=(lambda v, a: 1 / np.sqrt((a - 1) * (a + 1)),),
        encloses=enclosures.rising_from(balls.acosh, 1, closed=True),
        normal=normal_rules.area(-1),
        settled=kink_rules.guarded("acosh", kink_rules.above_one),
        symbolic=_function("acosh"),
        spellings=("arcosh", "arccosh", "acosh"),
        latex=r"\operatorname{{arcosh}}\left({}\right)",
        mathml=MathForm("call", "arcosh"),
        quiet=(1.0, floats.LARGEST),
        defined=lambda x: x >= 1.0,
        domain="an argument >= 1",
        rising=True,
    ),
    Operator(
        name="atanh",
        numeric=np.arctanh,
        ball=balls.atanh,
        dimension="pure",
        slopes=(lambda v, a: 1 / ((1 - a) * (1 + a)),),
        encloses=enclosures.by_ball(balls.atanh),
        normal=normal_rules.atanh,
        settled=kink_rules.guarded("atanh", kink_rules.below_one, kink_rules.above_minus_one),
        symbolic=_function("atanh"),
        spellings=("artanh", "arctanh", "atanh"),
        latex=r"\operatorname{{artanh}}\left({}\right)",
        mathml=MathForm("call", "artanh"),
        quiet=floats.INNER,
        defined=lambda x: np.abs(x) < 1.0,
        domain="an argument inside (-1, 1)",
        rising=True,
    ),
    Operator(
        name="floor",
        numeric=np.floor,
        ball=balls.floor,
        dimension="pure",
        slopes=(partials.flat,),
        encloses=enclosures.rising(balls.floor),
        normal=normal_rules.floor,
        settled=kink_rules.floor,
        symbolic=_function("floor"),
        spellings=("floor",),
        latex=r"\lfloor {} \rfloor",
        mathml=MathForm("fences", "⌊⌋"),
        quiet=floats.FINITE,
        point=lambda x: float(math.floor(x)),
        ieee=True,
        kink=True,
    ),
    Operator(
        name="ceil",
        numeric=np.ceil,
        ball=balls.ceil,
        dimension="pure",
        slopes=(partials.flat,),
        encloses=enclosures.rising(balls.ceil),
        normal=normal_rules.ceil,
        settled=kink_rules.ceil,
        symbolic=_function("ceiling"),
        spellings=("ceil",),
        latex=r"\lceil {} \rceil",
        mathml=MathForm("fences", "⌈⌉"),
        quiet=floats.FINITE,
        point=lambda x: float(math.ceil(x)),
        ieee=True,
        kink=True,
    ),
    Operator(
        name="round",
        numeric=np.rint,
        ball=balls.round,
        dimension="pure",
        slopes=(partials.flat,),
        encloses=enclosures.rising(balls.round),
        normal=normal_rules.nearest,
        settled=kink_rules.nearest,
        symbolic=lambda sp, x: sp.Function("round_half_even")(x),
        spellings=("round",),
        latex=r"\operatorname{{round}}\left({}\right)",
        mathml=MathForm("call", "round", bare=False),
        point=lambda x: float(round(x)),
        ieee=True,
        kink=True,
    ),
    Operator(
        name="sign",
        numeric=np.sign,
        ball=balls.sign,
        dimension="drop",
        slopes=(partials.flat,),
        encloses=enclosures.rising(balls.sign),
        reach=_WAVE,
        normal=normal_rules.sign,
        settled=kink_rules.jump("sign"),
        symbolic=_function("sign"),
        spellings=("sgn", "sign"),
        latex=r"\operatorname{{sgn}}\left({}\right)",
        mathml=MathForm("call", "sgn"),
        point=lambda x: float((x > 0.0) - (x < 0.0)),
        hides="all",
        ieee=True,
        kink=True,
    ),
    Operator(
        name="step",
        numeric=floats.step,
        ball=balls.step,
        dimension="drop",
        slopes=(partials.flat,),
        encloses=enclosures.rising(balls.step),
        reach=(_ZERO, _UNIT),
        normal=normal_rules.step,
        settled=kink_rules.jump("step"),
        symbolic=lambda sp, x: sp.Heaviside(x, 0),
        spellings=("step",),
        latex=r"\operatorname{{step}}\left({}\right)",
        mathml=MathForm("call", "step", bare=False),
        point=lambda x: 1.0 if x > 0.0 else 0.0,
        hides="all",
        ieee=True,
        kink=True,
    ),
)

OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType({row.name: row for row in _ROWS})
"""Operator name -> its row."""

__all__ = ("OPERATORS", "DimensionRule", "MathForm", "Operator")
