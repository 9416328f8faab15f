"""Values of a law with their exact slopes in its constants, by one sweep back through it.

Each operator's partial derivatives stand in one table. Where an operator has a kink or a jump
its slope is that of one side: of the first argument for equal ones of `min` and `max`, 0 for
`abs` at 0, 0 for `floor`, `ceil`, `round`, `sign`, `step`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import OPERATORS, compile_expression
from lawsmith.expressions.programs import Program, program_of
from schemas.expression import Expression

Floats = NDArray[np.float64]
_BLOCK: Final = 2**15
"""Rows at a time, so that the steps of a sweep stay in the processor's cache."""

Partial = Callable[..., Any]
"""(value, argument, ...) -> slope of the value in one argument."""


def _base_slope(_: Any, base: Any, exponent: Any) -> Any:
    return exponent * np.power(base, exponent - 1)


def _exponent_slope(value: Any, base: Any, _: Any) -> Any:
    # 0 to a positive power stays 0 whatever the exponent; below 0 the exponent cannot move.
    positive = base > 0
    return np.where(positive, value * np.log(np.where(positive, base, 1.0)), 0.0)


def _atan2_slopes() -> tuple[Partial, Partial]:
    return (
        lambda _, y, x: x / (x * x + y * y),
        lambda _, y, x: -y / (x * x + y * y),
    )


def _flat(value: Any, *_: Any) -> Any:
    return np.zeros_like(value)


def _one(value: Any, *_: Any) -> Any:
    return np.ones_like(value)


PARTIALS: Final[Mapping[str, tuple[Partial, ...]]] = MappingProxyType(
    {
        "add": (_one, _one),
        "sub": (_one, lambda v, a, b: -np.ones_like(v)),
        "mul": (lambda v, a, b: b, lambda v, a, b: a),
        "div": (lambda v, a, b: 1 / b, lambda v, a, b: -v / b),
        "min": (lambda v, a, b: 1.0 * (a <= b), lambda v, a, b: 1.0 * (b < a)),
        "max": (lambda v, a, b: 1.0 * (a >= b), lambda v, a, b: 1.0 * (b > a)),
        "pow": (_base_slope, _exponent_slope),
        "atan2": _atan2_slopes(),
        "mod": (_one, lambda v, a, b: -np.floor(a / b)),
        "neg": (lambda v, a: -np.ones_like(v),),
        "abs": (lambda v, a: np.sign(a),),
        "sqrt": (lambda v, a: 0.5 / v,),
        "cbrt": (lambda v, a: 1 / (3 * v * v),),
        "exp": (lambda v, a: v,),
        "log": (lambda v, a: 1 / a,),
        "log10": (lambda v, a: 1 / (a * math.log(10)),),
        "log2": (lambda v, a: 1 / (a * math.log(2)),),
        "sin": (lambda v, a: np.cos(a),),
        "cos": (lambda v, a: -np.sin(a),),
        "tan": (lambda v, a: 1 + v * v,),
        "asin": (lambda v, a: 1 / np.sqrt((1 - a) * (1 + a)),),
        "acos": (lambda v, a: -1 / np.sqrt((1 - a) * (1 + a)),),
        "atan": (lambda v, a: 1 / (1 + a * a),),
        "sinh": (lambda v, a: np.cosh(a),),
        "cosh": (lambda v, a: np.sinh(a),),
        "tanh": (lambda v, a: (1 - v) * (1 + v),),
        "asinh": (lambda v, a: 1 / np.hypot(1, a),),
        "acosh": (lambda v, a: 1 / np.sqrt((a - 1) * (a + 1)),),
        "atanh": (lambda v, a: 1 / ((1 - a) * (1 + a)),),
        "floor": (_flat,),
        "ceil": (_flat,),
        "round": (_flat,),
        "sign": (_flat,),
        "step": (_flat,),
    }
)
"""Operator -> the slope in each argument; operators of many arguments are chains of two."""


def value_and_slopes(
    law: Expression, constants: Sequence[str], inputs: Mapping[str, ArrayLike], rows: int
) -> tuple[Floats, Floats]:
    """A law's values and their slopes in some of its names.

    Args:
        law: over the names of the inputs.
        constants: the names that slopes are wanted in.
        inputs: every name -> a number or a column, shape (rows,).
        rows: how many rows there are.

    Returns:
        Values, shape (rows,); slopes, shape (rows, constants).

    Raises:
        InputError: a name has no input.
        UndefinedValueError: a value or a slope is not a finite real number.
    """
    compiled, program = compile_expression(law), _program(law)
    names = compiled.names
    values, slopes = np.empty(rows), np.zeros((rows, len(constants)))
    single = {name: value for name, value in inputs.items() if np.ndim(value) == 0}
    columns = {n: np.asarray(v, np.float64) for n, v in inputs.items() if n not in single}
    wanted = program.depends_on(frozenset(constants))
    for start in range(0, rows, _BLOCK):
        piece = slice(start, start + _BLOCK)
        given = {**single, **{name: column[piece] for name, column in columns.items()}}
        values[piece] = compiled(given)
        with np.errstate(all="ignore"):
            found = _sweep(program, wanted, {n: np.asarray(given[n], np.float64) for n in names})
            for place, name in enumerate(constants):
                slopes[piece, place] = found.get(name, 0.0)
    if not np.isfinite(slopes).all():
        row, place = np.argwhere(~np.isfinite(slopes))[0]
        where = {name: float(np.broadcast_to(inputs[name], rows)[row]) for name in names}
        raise UndefinedValueError(
            f"the slope in {constants[place]} is not finite", path="", inputs=where
        )
    return values, slopes


@lru_cache(maxsize=512)
def _program(law: Expression) -> Program:
    return program_of(law)


def _sweep(program: Program, wanted: Sequence[bool], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Name -> slope of the last step in it, for the wanted steps that are names."""
    steps = program.steps
    values: list[Any] = []
    for step in steps:
        if step.op in ("name", "number"):
            values.append(inputs[str(step.value)] if step.op == "name" else np.float64(step.value))
        else:
            values.append(OPERATORS[step.op].numeric(*(values[arg] for arg in step.args)))
    weights: dict[int, Any] = {len(steps) - 1: np.float64(1.0)}
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        if place not in weights or not step.args:
            continue
        weight = weights.pop(place)
        arguments = [values[arg] for arg in step.args]
        for partial, arg in zip(PARTIALS[step.op], step.args, strict=True):
            if wanted[arg]:
                one = partial is _one
                slope = weight if one else weight * partial(values[place], *arguments)
                weights[arg] = weights[arg] + slope if arg in weights else slope
    return {str(steps[place].value): weight for place, weight in weights.items() if wanted[place]}


__all__ = ("PARTIALS", "value_and_slopes")
