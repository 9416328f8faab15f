"""Values of a law with their exact slopes in its constants, by one sweep back through it.

Each operator's partial derivatives stand in its row of the operator table.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import OPERATORS, Program, compile_expression, program_of
from lawsmith.expressions.operators import unit
from schemas.expression import Expression

Floats = NDArray[np.float64]
_BLOCK: Final = 2**15
"""Rows at a time, so that the steps of a sweep stay in the processor's cache."""


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
        for partial, arg in zip(OPERATORS[step.op].slopes, step.args, strict=True):
            if wanted[arg]:
                one = partial is unit
                slope = weight if one else weight * partial(values[place], *arguments)
                weights[arg] = weights[arg] + slope if arg in weights else slope
    return {str(steps[place].value): weight for place, weight in weights.items() if wanted[place]}


__all__ = ("value_and_slopes",)
