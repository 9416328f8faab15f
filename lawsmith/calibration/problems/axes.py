"""Axes of the space in which neighbours are near: a logarithm where fit, then standardised.

An axis is logarithmic if all its values are positive and their largest is more than ten times
their smallest (SciLaws-Bench, appendix A.3). Means and population deviations are of exactly
rounded sums, so the order of the rows does not matter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import InputError

Table = NDArray[np.float64]
"""Shape (rows, axes)."""

DECADE: Final = 10.0
"""An input that spans more than this ratio is looked at in logarithms."""


@dataclass(frozen=True, slots=True)
class Axes:
    """How raw inputs become the coordinates between which distances are taken."""

    logs: tuple[bool, ...]
    """Whether log10 is taken first."""
    means: tuple[float, ...]
    """Of the (transformed) inputs of the pool."""
    deviations: tuple[float, ...]
    """Population standard deviations; 1 for an axis that does not vary."""

    def scaled(self, points: Table) -> Table:
        """Coordinates of points, shape (m, axes).

        Raises:
            InputError: another number of axes, a number that is not finite, or one that is
                not positive on a logarithmic axis.
        """
        points = table_of(points, "points")
        if points.shape[1] != len(self.logs):
            raise InputError(f"points have {points.shape[1]} columns, not {len(self.logs)}")
        found = np.empty_like(points)
        for place, log in enumerate(self.logs):
            column = points[:, place]
            if log and not (column > 0).all():
                row = int(np.argmin(column > 0))
                raise InputError(
                    f"{column[row].item()!r} is not positive on a logarithmic axis",
                    path=f"points[{row}][{place}]",
                )
            moved = np.log10(column) if log else column
            found[:, place] = (moved - self.means[place]) / self.deviations[place]
        return found


def axes_of(inputs: Table, logs: Sequence[bool] | None = None) -> Axes:
    """The axes of a pool of inputs.

    Args:
        inputs: shape (n, axes), n >= 1, finite.
        logs: which axes are logarithmic; None = by the rule of this module.

    Raises:
        InputError: no rows, a number that is not finite, another number of axes, or a value
            that is not positive on an axis said to be logarithmic.
    """
    inputs = table_of(inputs, "inputs")
    if logs is not None and len(logs) != inputs.shape[1]:
        raise InputError(f"{len(logs)} axes are described, the inputs have {inputs.shape[1]}")
    kinds = tuple(logs) if logs is not None else tuple(spans_decade(c) for c in inputs.T)
    plain = Axes(kinds, (0.0,) * len(kinds), (1.0,) * len(kinds)).scaled(inputs)
    means, deviations = [], []
    for column in plain.T:
        mean = math.fsum(column.tolist()) / len(column)
        spread = math.sqrt(math.fsum(((column - mean) ** 2).tolist()) / len(column))
        means.append(mean)
        # A column of one value has a spread of rounding alone.
        deviations.append(spread if np.ptp(column) > 0 and spread > 0 else 1.0)
    return Axes(kinds, tuple(means), tuple(deviations))


def spans_decade(column: NDArray[np.float64]) -> bool:
    """Whether the values are positive and span more than one decade."""
    low, high = float(column.min()), float(column.max())
    return low > 0 and high / low > DECADE


def table_of(values: ArrayLike, what: str) -> Table:
    """Values as a float64 table; one column may be given as a plain row of numbers.

    Raises:
        InputError: not of one or two dimensions, no rows or columns, or not all finite.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"{what} have shape {table.shape}, not (rows, columns)", path=what)
    finite = np.isfinite(table).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InputError(f"{table[row].tolist()} is not finite", path=f"{what}[{row}]")
    return table


__all__ = ("DECADE", "Axes", "Table", "axes_of", "spans_decade", "table_of")
