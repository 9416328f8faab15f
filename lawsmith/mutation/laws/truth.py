"""Values of a whole law set at points: fast in float64, or exact and rounded once."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.expressions import compile_expression, evaluate_exact
from lawsmith.measurement import Controlled, Points, columns
from schemas.expression import Expression

Table = NDArray[np.float64]
"""Shape (n, readouts)."""

DENSE_POINTS: Final = 512
"""Points of the design on which laws are looked at all over their domain."""


def float_values(
    laws: Mapping[str, Expression], controls: Sequence[Controlled], points: Points
) -> Table:
    """Every readout at every point in float64.

    Raises:
        UndefinedValueError: a law has no value at a point.
    """
    inputs = columns(controls, points)
    table = np.empty((len(points), len(laws)), dtype=np.float64)
    for r, law in enumerate(laws.values()):
        table[:, r] = compile_expression(law)(inputs)
    return table


def exact_values(
    laws: Mapping[str, Expression], controls: Sequence[Controlled], points: Points
) -> Table:
    """Every readout at every point, unquantised, correctly rounded from 50 digits or more.

    Raises:
        UndefinedValueError: a law has no value at a point.
    """
    names = [control.name for control in controls]
    table = np.empty((len(points), len(laws)), dtype=np.float64)
    for i, point in enumerate(points.tolist()):
        inputs = dict(zip(names, point, strict=True))
        for r, law in enumerate(laws.values()):
            table[i, r] = evaluate_exact(law, inputs)
    return table


def rows(table: Table) -> tuple[tuple[float, ...], ...]:
    """A table as the nested tuples of a record; -0.0 is written 0.0."""
    return tuple(tuple(value + 0.0 for value in row) for row in table.tolist())


__all__ = ("Table", "exact_values", "float_values", "rows")
