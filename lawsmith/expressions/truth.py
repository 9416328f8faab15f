"""Truth: the exact value of an expression, rounded once to the nearest float64.

A number stands for the exact value of its shortest decimal text. Work starts at 60 digits
and the precision rises until both ends of the ball round to one float64.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from flint import arb, ctx, fmpq

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions.operators import OPERATORS, Number, UndecidedError, UndefinedError
from schemas.expression import Expression, Op, Var, names_of

START_BITS: Final = 212
"""64 digits: the 50 of the rule and a guard for cancellation."""

MAX_BITS: Final = 16 * START_BITS
"""3,392 bits: what is not decided here is refused, never guessed."""


def evaluate_exact(expression: Expression, inputs: Mapping[str, float]) -> float:
    """The true value at one point, correctly rounded to float64.

    Args:
        expression: any expression; its numbers are exact decimals.
        inputs: name -> float64; the exact input is the number's shortest decimal text.

    Raises:
        InputError: a name has no input.
        UndefinedValueError: no finite real value, one beyond float64, or one whose side of a
            kink or divisor cannot be decided at 1,000 digits.
    """
    missing = sorted(names_of(expression) - set(inputs))
    if missing:
        raise InputError(f"no input for name {missing[0]!r}", path=missing[0])
    exact = {name: exact_number(inputs[name]) for name in names_of(expression)}
    bits = START_BITS
    while True:
        try:
            with precision(bits):
                return _rounded(_walk(expression, exact, ""))
        except UndecidedError as undecided:
            if bits >= MAX_BITS:
                _refuse("cannot be decided at 1,000 digits", undecided, inputs)
        except UndefinedError as undefined:
            _refuse("has no finite real value", undefined, inputs)
        bits *= 2


def exact_value(expression: Expression, inputs: Mapping[str, Number], bits: int) -> Number:
    """The value as an exact fraction or a ball computed with `bits` of precision.

    Raises:
        UndefinedError: it certainly does not exist; the path is its argument.
        UndecidedError: the precision does not tell; the path is its argument.
    """
    with precision(bits):
        return _walk(expression, inputs, "")


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Balls inside are computed with `bits`; the precision before is restored."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


@lru_cache(maxsize=65536)
def exact_number(value: float) -> Any:
    """The fraction that a float64 stands for: its shortest decimal text, exactly.

    Raises:
        InputError: the number is not finite.
    """
    try:
        fraction = Fraction(repr(float(value)))
    except ValueError as error:
        raise InputError(f"{value!r} is not a finite number") from error
    return fmpq(fraction.numerator, fraction.denominator)


def fraction_of(value: Any) -> Fraction:
    """A `fmpq`, or an exact ball, as a Fraction."""
    if isinstance(value, fmpq):
        return Fraction(int(value.p), int(value.q))
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _walk(node: Expression, inputs: Mapping[str, Number], path: str) -> Number:
    if isinstance(node, Var):
        return inputs[node.var]
    if not isinstance(node, Op):
        return exact_number(node)
    args = [_walk(arg, inputs, f"{path}/args/{i}") for i, arg in enumerate(node.args)]
    try:
        return OPERATORS[node.op].ball(*args)
    except (UndefinedError, UndecidedError) as problem:
        raise type(problem)(path) from problem


def _rounded(value: Number) -> float:
    if isinstance(value, fmpq):
        return _nearest(fraction_of(value))
    ends = _end(value.lower()), _end(value.upper())
    if ends[0] != ends[1]:
        raise UndecidedError("")
    return ends[0]


def _end(value: Any) -> float:
    if not value.is_finite():
        raise UndecidedError("")
    # Far outside float64 an exact fraction would be needlessly long.
    if abs(value) < arb(2) ** -1100:
        return 0.0
    if abs(value) > arb(2) ** 1100:
        raise UndefinedError("")
    return _nearest(fraction_of(value))


def _nearest(value: Fraction) -> float:
    try:
        return float(value) + 0.0
    except OverflowError as error:
        raise UndefinedError("") from error


def _refuse(problem: str, error: Exception, inputs: Mapping[str, float]) -> None:
    raise UndefinedValueError(
        problem, path=str(error), inputs={name: float(inputs[name]) for name in sorted(inputs)}
    ) from error


__all__ = (
    "MAX_BITS",
    "START_BITS",
    "evaluate_exact",
    "exact_number",
    "exact_value",
    "fraction_of",
    "precision",
)
