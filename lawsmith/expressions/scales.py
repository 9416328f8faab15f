"""The scale and the zero of every node of a law: units that close at each node close everywhere.

A node whose value is D in the declared units is scale * D + shift in SI base units. The scale
follows from the units of the names alone; a number has scale 1, and zero any. The shift comes
from units with an offset, as 273.15 for degC: it adds up in sums, is multiplied by factors, and
is 0 for a difference. Where an operator does anything else than adding, multiplying and dividing,
both must be right there: the arms of `min`, `max` and sums have one scale, those of `min` and
`max` one shift, and functions, powers, divisors, `abs`, `sign`, `step` and `mod` take no shift.
So a law in which one branch mixes kilometres and metres, or an absolute temperature and a
difference, is refused whether or not a point lies on that branch.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import CoherenceError, UndefinedValueError
from lawsmith.expressions.evaluation import evaluate
from lawsmith.expressions.operators import OPERATORS
from lawsmith.units import Unit, parse_unit
from schemas.expression import Expression, Op, Var, names_of

SCALE_BOUND: Final = 1e-12
"""The largest relative difference between two scales, or two shifts, that count as one."""
_DECLARE: Final = "declare a conversion factor, or the number itself, as a parameter with its unit"

Floats = NDArray[np.float64]


def _zero() -> Floats:
    return np.zeros(())


@dataclass(frozen=True, slots=True)
class _Scaled:
    """What SI base units make of a node."""

    log: float | None
    """Natural logarithm of the scale; None for zero, which has any."""
    shift: Floats = field(default_factory=_zero)
    size: Floats = field(default_factory=_zero)
    """Sum of the sizes that make up the shift: its rounding is relative to it."""

    @property
    def shifted(self) -> bool:
        return bool(np.any(np.abs(self.shift) > SCALE_BOUND * self.size))


def check_scales(
    expression: Expression,
    units: Mapping[str, str],
    output_unit: str | None,
    inputs: Mapping[str, Floats | float],
) -> None:
    """Refuse a law that has another value in SI base units, or would have on some branch.

    Dimensions must have been checked.

    Args:
        expression: the law.
        units: name -> unit, for inputs and parameters alike.
        output_unit: the unit of the law's value; None where only its sign or zero counts, as of
            a condition or of the difference of two sides of an identity.
        inputs: name -> number or array of points as declared. They only serve laws over units
            with an offset: sums of temperatures whose weights vary.

    Raises:
        UnitError: a unit is not in the table.
        CoherenceError: the first node whose arguments have unlike scales or zeros, with its path.
        UndefinedValueError: a factor of a shifted quantity has no value at a point.
    """
    parsed = {name: parse_unit(units[name]) for name in names_of(expression)}
    found = _Walk(parsed, inputs).at(expression, "")
    if output_unit is None:
        if found.shifted:
            raise CoherenceError("an absolute quantity, not a difference", path="/")
        return
    output = parse_unit(output_unit)
    if not _one_scale(found.log, _log(output)):
        raise CoherenceError(
            f"the expression has scale {_text(found.log)} to SI base units, its unit"
            f" {output.text!r} has {_text(_log(output))}",
            path="/",
            fix=_DECLARE,
        )
    offset = np.asarray(float(output.offset))
    due = _Scaled(0.0, offset, np.abs(offset))
    if not _one_shift(found, due):
        raise CoherenceError(
            f"an absolute quantity where {output.text!r} is a difference"
            if not due.shifted
            else f"no absolute quantity in {output.text!r}: its offset does not come out",
            path="/",
        )


class _Walk:
    """One walk over a tree; rules by operator."""

    def __init__(self, units: Mapping[str, Unit], inputs: Mapping[str, Floats | float]) -> None:
        self._units = units
        self._inputs = inputs

    def at(self, node: Expression, path: str) -> _Scaled:
        if isinstance(node, Var):
            unit = self._units[node.var]
            offset = np.asarray(float(unit.offset))
            return _Scaled(_log(unit), offset, np.abs(offset))
        if not isinstance(node, Op):
            return _Scaled(None if node == 0.0 else 0.0)
        args = [self.at(arg, f"{path}/args/{i}") for i, arg in enumerate(node.args)]
        return self._applied(node, path or "/", args)

    def _applied(self, node: Op, path: str, args: list[_Scaled]) -> _Scaled:
        if node.op in ("add", "sub", "min", "max"):
            return _sum(node, path, args)
        if node.op == "mul":
            return self._product(node, path, args)
        if node.op == "div":
            return self._quotient(node, path, args)
        if node.op == "neg":
            return _Scaled(args[0].log, -args[0].shift, args[0].size)
        if any(arg.shifted for arg in args):
            raise CoherenceError(f"{node.op} of an absolute quantity, not a difference", path=path)
        return _Scaled(_of_differences(node, path, args))

    def _product(self, node: Op, path: str, args: list[_Scaled]) -> _Scaled:
        log = _total([arg.log for arg in args])
        shifted = [i for i, arg in enumerate(args) if arg.shifted]
        if not shifted:
            return _Scaled(log)
        if len(shifted) > 1:
            raise CoherenceError("a product of absolute quantities", path=path)
        shift, size = args[shifted[0]].shift, args[shifted[0]].size
        for i, arg in enumerate(args):
            if i != shifted[0]:
                factor = self._in_base(node.args[i], arg)
                shift, size = shift * factor, size * np.abs(factor)
        return _Scaled(log, shift, size)

    def _quotient(self, node: Op, path: str, args: list[_Scaled]) -> _Scaled:
        upper, lower = args
        if lower.shifted:
            raise CoherenceError("a divisor that is an absolute quantity", path=path)
        log = None if upper.log is None else upper.log - (lower.log or 0.0)
        if not upper.shifted:
            return _Scaled(log)
        divisor = self._in_base(node.args[1], lower)
        return _Scaled(log, upper.shift / divisor, upper.size / np.abs(divisor))

    def _in_base(self, node: Expression, scaled: _Scaled) -> Floats:
        """The value of a node without a shift in SI base units, at every point."""
        value = evaluate(node, {name: self._inputs[name] for name in names_of(node)})
        return np.asarray(value * math.exp(scaled.log or 0.0))


def _of_differences(node: Op, path: str, args: list[_Scaled]) -> float | None:
    """The scale that an operator gives arguments without a shift."""
    rule, log = OPERATORS[node.op].dimension, args[0].log
    if rule == "power":
        return _power(node, path, args)
    if rule in ("same", "same_to_pure"):
        common = _common(node, path, args)
        return common if rule == "same" else 0.0
    if rule in ("root2", "root3"):
        return None if log is None else log / int(rule[-1])
    if rule == "pure" and not _one_scale(log, 0.0):
        raise CoherenceError(
            f"{node.op} of a pure number with scale {_text(log)}", path=path, fix=_DECLARE
        )
    return log if rule == "keep" else 0.0


def _sum(node: Op, path: str, args: list[_Scaled]) -> _Scaled:
    log = _common(node, path, args)
    if node.op in ("min", "max"):
        if any(not _one_shift(args[0], other) for other in args[1:]):
            raise CoherenceError(f"{node.op} of an absolute quantity and a difference", path=path)
        return _Scaled(log, args[0].shift, args[0].size)
    shift, size = args[0].shift, args[0].size
    for other in args[1:]:
        shift = shift - other.shift if node.op == "sub" else shift + other.shift
        size = size + other.size
    return _Scaled(log, shift, size)


def _power(node: Op, path: str, args: list[_Scaled]) -> float | None:
    base, exponent = args
    if not _one_scale(exponent.log, 0.0):
        raise CoherenceError(
            f"an exponent with scale {_text(exponent.log)}", path=f"{path.rstrip('/')}/args/1"
        )
    if base.log is None or _one_scale(base.log, 0.0):
        return base.log
    if names_of(node.args[1]):
        raise CoherenceError(
            f"a base with scale {_text(base.log)} and an exponent that is no number",
            path=path,
            fix="divide the base by a reference value of the same unit",
        )
    try:
        return base.log * float(evaluate(node.args[1], {}))
    except UndefinedValueError as error:
        raise CoherenceError("an exponent without a value", path=path) from error


def _common(node: Op, path: str, args: list[_Scaled]) -> float | None:
    """The one scale of all arguments; zeros have any."""
    logs = [arg.log for arg in args if arg.log is not None]
    for other in logs[1:]:
        if not _one_scale(logs[0], other):
            raise CoherenceError(
                f"{node.op} of quantities with scales {_text(logs[0])} and {_text(other)}",
                path=path,
                fix=_DECLARE,
            )
    return logs[0] if logs else None


def _one_scale(one: float | None, other: float | None) -> bool:
    return one is None or other is None or abs(one - other) <= SCALE_BOUND


def _one_shift(one: _Scaled, other: _Scaled) -> bool:
    gap = np.abs(one.shift - other.shift)
    return bool(np.all(gap <= SCALE_BOUND * (one.size + other.size)))


def _total(logs: list[float | None]) -> float | None:
    known = [log for log in logs if log is not None]
    return sum(known) if len(known) == len(logs) else None


def _log(unit: Unit) -> float:
    return math.log(unit.scale)


def _text(log: float | None) -> str:
    return "any" if log is None else f"{math.exp(log):.6g}"


__all__ = ("SCALE_BOUND", "check_scales")
