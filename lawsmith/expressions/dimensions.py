"""Dimensions of expressions, term by term, and coherence of their units.

Numbers in an expression are pure numbers; names carry the units they are declared in. Angles
are pure when compared (see `lawsmith.units.Dimension`); counts, information and currencies
are not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike

from lawsmith.errors import CoherenceError, DimensionError, InputError, UndefinedValueError
from lawsmith.expressions.operators import (
    OPERATORS,
    DimensionRule,
    UndecidedError,
    UndefinedError,
    ball,
)
from lawsmith.expressions.scales import check_scales
from lawsmith.expressions.truth import (
    MAX_BITS,
    START_BITS,
    exact_number,
    exact_value,
    fraction_of,
    precision,
)
from lawsmith.units import Dimension, Unit, parse_unit
from schemas.expression import Expression, Op, Var, names_of

PURE: Final = Dimension()
COHERENCE_BOUND: Final = 1e-12
"""The largest relative difference between the readout as declared and in SI base units."""
EXACT_POINTS: Final = 8
"""Points at which a law is evaluated in both kinds of units, beside the rule for every node."""

_Apply = Callable[[Op, str, list[Dimension]], Dimension]


def dimension_of(expression: Expression, units: Mapping[str, str]) -> Dimension:
    """The dimension of an expression whose names have the given units.

    Raises:
        InputError: a name has no unit.
        UnitError: a unit is not in the table.
        DimensionError: the first clash, with its node's path and both dimensions.
    """
    known = {name: _unit(name, units).dimension for name in sorted(names_of(expression))}
    return _walk(expression, known, "")


def check_dimensions(
    expression: Expression, units: Mapping[str, str], expected_unit: str
) -> Dimension:
    """The dimension of an expression, which must be that of `expected_unit`.

    Raises:
        InputError, UnitError, DimensionError: as `dimension_of`, or the whole differs.
    """
    found = dimension_of(expression, units)
    expected = parse_unit(expected_unit).dimension
    if found.compared != expected.compared:
        raise DimensionError(
            f"the expression is {found}, its unit {expected_unit!r} is {expected}", path="/"
        )
    return found


@dataclass(frozen=True, slots=True)
class Coherence:
    """Whether a law gives the same readout in declared and in SI base units."""

    coherent: bool
    worst: float
    """The largest relative difference over the points."""
    inputs: dict[str, float] | None
    """The point of the largest difference, as declared; None when there is none."""
    clash: CoherenceError | None = None
    """The first node whose arguments have unlike scales or zeros; None when there is none."""

    def __bool__(self) -> bool:
        return self.coherent


def unit_coherent(
    expression: Expression,
    units: Mapping[str, str],
    output_unit: str,
    inputs: Mapping[str, ArrayLike],
) -> Coherence:
    """Whether evaluating in SI base units gives the same readout, on every branch of the law.

    A missing factor such as 1000 between km and m passes every dimension check and fails
    here, and so does `1 + c` with c in ppm: a number has scale 1, and a conversion such as 100
    for percent is declared as a parameter with its unit. Cards, families and hidden laws are
    held to this one rule. It looks at every node (`scales.check_scales`); at some of the points
    the law is also evaluated in both kinds of units, exactly, so that cancellation does not
    matter.

    Dimensions must have been checked.

    Args:
        expression: the law of one readout.
        units: name -> unit, for inputs and parameters alike.
        output_unit: the readout's unit.
        inputs: name -> number or array of points, parameters included, as declared.

    Raises:
        InputError, UnitError: a name without value or unit, or an unknown unit.
        UndefinedValueError: the law is undefined at a point as declared.
    """
    names = sorted(names_of(expression))
    missing = [name for name in names if name not in inputs]
    if missing:
        raise InputError(f"no input for name {missing[0]!r}", path=missing[0])
    parsed = {name: _unit(name, units) for name in names}
    output = parse_unit(output_unit)
    columns = [np.asarray(inputs[name], dtype=np.float64) for name in names]
    flat = [column.ravel() for column in np.broadcast_arrays(*columns)]
    worst, where = 0.0, None
    for i in _spread(len(flat[0])) if names else [0]:
        values = {name: float(column[i]) for name, column in zip(names, flat, strict=True)}
        difference = _difference(expression, parsed, output, values)
        if difference > worst:
            worst, where = difference, values
    clash: CoherenceError | None = None
    try:
        check_scales(expression, units, output_unit, dict(zip(names, flat, strict=True)))
    except CoherenceError as error:
        clash = error
    return Coherence(worst <= COHERENCE_BOUND and clash is None, worst, where, clash)


def _spread(count: int) -> list[int]:
    """At most `EXACT_POINTS` places, evenly among so many."""
    return sorted({round(i) for i in np.linspace(0, count - 1, min(count, EXACT_POINTS))})


def _unit(name: str, units: Mapping[str, str]) -> Unit:
    if name not in units:
        raise InputError(f"no unit for name {name!r}", path=name)
    return parse_unit(units[name])


def _walk(node: Expression, known: Mapping[str, Dimension], path: str) -> Dimension:
    if isinstance(node, Var):
        return known[node.var]
    if not isinstance(node, Op):
        return PURE
    args = [_walk(arg, known, f"{path}/args/{i}") for i, arg in enumerate(node.args)]
    return _RULES[OPERATORS[node.op].dimension](node, path, args)


def _same(node: Op, path: str, args: list[Dimension]) -> Dimension:
    for other in args[1:]:
        if other.compared != args[0].compared:
            raise DimensionError(f"{node.op} of {args[0]} and {other}", path=path or "/")
    return args[0]


def _pure(node: Op, path: str, args: list[Dimension]) -> Dimension:
    for argument in args:
        if not argument.is_pure:
            raise DimensionError(f"{node.op} of {argument}, which must be {PURE}", path=path or "/")
    return PURE


def _product(node: Op, path: str, args: list[Dimension]) -> Dimension:
    total = PURE
    for argument in args:
        total = total * argument
    return total


def _power(node: Op, path: str, args: list[Dimension]) -> Dimension:
    base, exponent = args
    if not exponent.is_pure:
        raise DimensionError(f"exponent of {exponent}, which must be {PURE}", path=f"{path}/args/1")
    if base.is_pure:
        return PURE
    constant = constant_fraction(node.args[1])
    if constant is None:
        raise DimensionError(
            f"a base of {base} has an exponent that is no rational constant, so {PURE} is due",
            path=path or "/",
            fix="divide the base by a reference value of its unit",
        )
    return base**constant


def _same_to_pure(node: Op, path: str, args: list[Dimension]) -> Dimension:
    _same(node, path, args)
    return PURE


_RULES: Final[Mapping[DimensionRule, _Apply]] = {
    "same": _same,
    "product": _product,
    "quotient": lambda node, path, args: args[0] / args[1],
    "power": _power,
    "root2": lambda node, path, args: args[0] ** Fraction(1, 2),
    "root3": lambda node, path, args: args[0] ** Fraction(1, 3),
    "keep": lambda node, path, args: args[0],
    "pure": _pure,
    "same_to_pure": _same_to_pure,
    "drop": lambda node, path, args: PURE,
}


def constant_fraction(expression: Expression) -> Fraction | None:
    """The exact value of an expression without names, None if it is not a rational number."""
    if names_of(expression):
        return None
    try:
        value = exact_value(expression, {}, START_BITS)
    except (UndefinedError, UndecidedError):
        return None
    return fraction_of(value) if isinstance(value, fmpq) else None


def _difference(
    expression: Expression, units: Mapping[str, Unit], output: Unit, values: Mapping[str, float]
) -> float:
    declared = {name: exact_number(value) for name, value in values.items()}
    base = {name: _si(declared[name], units[name]) for name in declared}
    try:
        as_declared = _settled(expression, declared)
    except (UndefinedError, UndecidedError) as error:
        raise UndefinedValueError(
            "has no finite real value", path=str(error), inputs=dict(values)
        ) from error
    try:
        in_base = _settled(expression, base)
    except (UndefinedError, UndecidedError):
        return float("inf")
    with precision(START_BITS):
        first, second = ball(_si(as_declared, output)), ball(in_base)
        size = abs(first).max(abs(second))
        if size == 0:
            return 0.0
        return float((abs(first - second) / size).mid())


def _si(value: Any, unit: Unit) -> Any:
    scale = Fraction(unit.scale)
    return value * fmpq(scale.numerator, scale.denominator) + fmpq(
        unit.offset.numerator, unit.offset.denominator
    )


def _settled(expression: Expression, inputs: Mapping[str, Any]) -> Any:
    bits = START_BITS
    while True:
        try:
            value = exact_value(expression, inputs, bits)
        except UndecidedError:
            if bits >= MAX_BITS:
                raise
        else:
            if isinstance(value, fmpq) or value.rel_accuracy_bits() >= 100 or bits >= MAX_BITS:
                return value
        bits *= 2


__all__ = (
    "COHERENCE_BOUND",
    "PURE",
    "Coherence",
    "check_dimensions",
    "constant_fraction",
    "dimension_of",
    "unit_coherent",
)
