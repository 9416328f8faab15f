"""The free constants of a law's form, and which of them can be told apart.

Slopes are taken at the law's own constants: the change of a readout, in tolerances, per relative
change of one constant.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, literal_paths
from lawsmith.measurement import Controlled, Points, columns
from schemas.expression import Expression, Var, walk, with_node
from schemas.family import FamilyReadout

DEPENDENT: Final = 1e-6
"""Share of a column's length left after projecting on those before it, below which it depends
on them. Columns that do so exactly leave 1e-9 at most, the noise of the differences."""
_STENCIL: Final = 1e-4
"""Relative step of the five-point differences: their error is some 1e-10 at most, also for a
constant in an exponent of 40."""
_SMOOTH: Final = 1e-3
"""Difference between a point's slopes at one and at two steps, as a share of the larger, above
which a kink or a pole is too near for either to be the slope."""

_Given = Mapping[str, NDArray[np.float64] | float]


def free_constants(law: Expression) -> tuple[Expression, dict[str, float]]:
    """A law's form with every literal that may be refitted a named constant, and its values."""
    values: dict[str, float] = {}
    nodes = dict(walk(law))
    form = law
    for path in literal_paths(law):
        node = nodes[path]
        if isinstance(node, float):
            name = f"free_{len(values)}"
            values[name] = node
            form = with_node(form, path, Var(name))
    return form, values


def allowed(readout: FamilyReadout, truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """The tolerance a + lambda*|truth| at each value."""
    return readout.absolute + readout.relative * np.abs(truth)


def slopes(
    form: Expression,
    values: Mapping[str, float],
    names: Sequence[str],
    controls: Sequence[Controlled],
    points: Points,
    readout: FamilyReadout,
) -> NDArray[np.float64]:
    """Tolerances per relative change of each named constant, shape (<= n, names).

    Points so near an end of the law's domain that a neighbour is undefined are left out, and
    those so near a kink or a pole that the slope changes from one step to two.

    Args:
        form: over controls and constants.
        values: every constant's own value, none of them zero.
        names: the constants that move.
        controls: the axes of the points.
        points: shape (n, controls).
        readout: whose tolerance is the unit.
    """
    count = len(names)
    if not count:
        return np.empty((len(points), 0))
    moves = np.array([1.0, -1.0, 2.0, -2.0]) * _STENCIL
    moved = np.ones((4, count, count)) + moves[:, None, None] * np.eye(count)
    factors = np.vstack([np.ones((1, count)), moved.reshape(4 * count, count)])
    given = {**values} | {
        name: (values[name] * factors[:, i])[:, None] for i, name in enumerate(names)
    }
    value = _table(form, given, len(factors), controls, points)
    up, down, far_up, far_down = value[1:].reshape(4, count, -1)
    near, far = (up - down) / (2 * _STENCIL), (far_up - far_down) / (4 * _STENCIL)
    unit = allowed(readout, value[0])
    # What is far below a tolerance is rounding, and says nothing about smoothness.
    size = np.maximum(np.maximum(np.abs(near), np.abs(far)), unit)
    smooth = (np.abs(near - far) <= _SMOOTH * size).all(axis=0)
    found: NDArray[np.float64] = ((4 * near - far) / 3 / unit).T[smooth]
    return found


def independent(names: Sequence[str], columns_: NDArray[np.float64]) -> tuple[str, ...]:
    """The constants, in order, whose columns do not depend on those before them.

    The others count as one with these: holding them where they are only fixes a scale. A
    constant that moves nothing here may do so elsewhere, and is independent.
    """
    kept: list[str] = []
    basis = np.empty((len(columns_), 0))
    for name, column in zip(names, columns_.T, strict=True):
        length = float(np.linalg.norm(column))
        if length == 0.0:
            kept.append(name)
            continue
        rest = column / length
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        left = float(np.linalg.norm(rest))
        if left > DEPENDENT:
            kept.append(name)
            basis = np.column_stack([basis, rest / left])
    return tuple(kept)


def _table(
    form: Expression,
    given: _Given,
    count: int,
    controls: Sequence[Controlled],
    points: Points,
) -> NDArray[np.float64]:
    """Values at each set of constants and each point that has them all, shape (count, <= n)."""
    try:
        value = compile_expression(form)({**columns(controls, points), **given})
        return np.broadcast_to(np.asarray(value), (count, len(points)))
    except UndefinedValueError:
        if len(points) == 1:
            return np.empty((count, 0))
    single = (points[i : i + 1] for i in range(len(points)))
    return np.concatenate([_table(form, given, count, controls, one) for one in single], axis=1)


__all__ = ("allowed", "free_constants", "independent", "slopes")
