"""Residuals freed of their local mean, and new ones drawn from those of near records.

SciLaws-Bench, appendix A.3. What that text leaves open is decided in docs/calibration.md.
Rows are those of the canonical table: of two records equally near, the earlier one counts.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import ArrayLike, NDArray

from lawsmith.calibration.problems import Axes, Records, Table, axes_of, table_of
from lawsmith.calibration.residuals.neighbours import Neighbours, neighbour_count
from lawsmith.calibration.residuals.noise import noise_factor
from lawsmith.errors import InputError

Floats = NDArray[np.float64]

FEWEST: Final = 8
"""Pools with fewer records are not divided into neighbourhoods."""
MEAN_FRACTION: Final = 0.25
MEAN_MOST: Final = 128
SAMPLE_FRACTION: Final = 0.15
SAMPLE_MOST: Final = 64
LARGEST_POOL: Final = 1_000_000
"""Pools with more records are thinned by `thinned_rows`."""


def mean_count(rows: int) -> int:
    """How many records a local mean is taken over; all of them below 8."""
    return neighbour_count(rows, MEAN_FRACTION, FEWEST, MEAN_MOST)


def sample_count(rows: int) -> int:
    """From how many records a residual is drawn; all of them below 8."""
    return neighbour_count(rows, SAMPLE_FRACTION, FEWEST, SAMPLE_MOST)


def local_means(
    inputs: ArrayLike, residuals: ArrayLike, logs: Sequence[bool] | None = None
) -> Floats:
    """The mean residual around every record, the record itself included.

    Args:
        inputs: shape (n,) or (n, axes), as declared.
        residuals: shape (n,), or (n, laws): neighbours are found once for all laws.
        logs: which axes are logarithmic; None = by the rule of `axes_of`.

    Returns:
        Shape of the residuals.

    Raises:
        InputError: no rows, unequal numbers of rows, or a number that is not finite.
    """
    pool, values = _pool(inputs, residuals)
    index = Neighbours(axes_of(pool, logs).scaled(pool))
    means = index.means(values, mean_count(len(pool)))
    return means.reshape(np.shape(residuals))


def local_mean_debias(
    inputs: ArrayLike, residuals: ArrayLike, logs: Sequence[bool] | None = None
) -> Floats:
    """Residuals less their local means; arguments and errors as in `local_means`."""
    return np.asarray(residuals, dtype=np.float64) - local_means(inputs, residuals, logs)


class ResidualSampler:
    """Draws residuals at any input, each alike from those of the nearest records.

    Below 8 records the pool is one: every residual can come at every input.

    Args:
        inputs: shape (n,) or (n, axes), as declared; n >= 1.
        residuals: debiased, shape (n,).
        logs: which axes are logarithmic; None = by the rule of `axes_of`.
        axes: the axes as a world states them, instead of those of these inputs.

    Raises:
        InputError: no rows, unequal numbers of rows, or a number that is not finite.
    """

    def __init__(
        self,
        inputs: ArrayLike,
        residuals: ArrayLike,
        logs: Sequence[bool] | None = None,
        *,
        axes: Axes | None = None,
    ) -> None:
        pool, values = _pool(inputs, residuals)
        if values.shape[1] != 1:
            raise InputError(f"residuals have {values.shape[1]} columns, not 1", path="residuals")
        self.residuals: Floats = values[:, 0].copy()
        self.axes = axes_of(pool, logs) if axes is None else axes
        self.count = sample_count(len(pool))
        """How many residuals can come at one input."""
        self.whole = len(pool) < FEWEST
        """Whether these are the whole pool, in the order of its rows."""
        self._index = Neighbours(self.axes.scaled(pool))

    def neighbours(self, points: ArrayLike) -> NDArray[np.int32]:
        """The rows that can come at each point, shape (m, count): the nearest first.

        Raises:
            InputError: a point is not finite or has other axes.
        """
        scaled = self.axes.scaled(table_of(points, "points"))
        if self.whole:
            return np.tile(np.arange(self.count, dtype=np.int32), (len(scaled), 1))
        return self._index.nearest(scaled, self.count)

    def sample(self, points: ArrayLike, generator: Generator) -> Floats:
        """One residual for each point: one rank a point is drawn, for all points at once.

        Args:
            points: shape (m,) or (m, axes), as declared.
            generator: the server's; a player never chooses it.

        Returns:
            Shape (m,).

        Raises:
            InputError: a point is not finite or has other axes.
        """
        table = table_of(points, "points")
        return self.ranked(table, generator.integers(0, self.count, size=len(table)))

    def ranked(self, points: ArrayLike, ranks: NDArray[np.int64]) -> Floats:
        """The residual of the neighbour of a rank, in 0..count-1, for each point.

        Raises:
            InputError: a point is not finite or has other axes.
        """
        scaled = self.axes.scaled(table_of(points, "points"))
        rows = ranks if self.whole else self._index.at_rank(scaled, ranks)
        drawn: Floats = self.residuals[rows]
        return drawn


def thinned_rows(rows: int, seed: int, most: int = LARGEST_POOL) -> NDArray[np.int64]:
    """Ascending rows of the subset that stands for a pool of more than `most` records.

    Drawn without replacement by PCG64 of the seed; all rows, and no draw, if they are not more.
    """
    if rows <= most:
        return np.arange(rows)
    drawn = Generator(PCG64(seed)).choice(rows, size=most, replace=False, shuffle=False)
    return np.sort(drawn)


def thinned(records: Records, seed: int, most: int = LARGEST_POOL) -> Records:
    """The records with every group of more than `most` rows thinned, rows in their order.

    Fits and the choice of a base law look at these; `calibrate` thins the same way, so the
    pool of a world is of the very rows that its law was fitted to.
    """
    groups = records.group_rows()
    if all(len(rows) <= most for rows in groups.values()):
        return records
    kept = [rows[thinned_rows(len(rows), seed, most)] for rows in groups.values()]
    return records.take(np.sort(np.concatenate(kept)))


def _pool(inputs: ArrayLike, residuals: ArrayLike) -> tuple[Table, Table]:
    pool, values = table_of(inputs, "inputs"), table_of(residuals, "residuals")
    if len(pool) != len(values):
        raise InputError(f"{len(values)} residuals for {len(pool)} inputs", path="residuals")
    return pool, values


__all__ = (
    "FEWEST",
    "LARGEST_POOL",
    "ResidualSampler",
    "local_mean_debias",
    "local_means",
    "mean_count",
    "noise_factor",
    "sample_count",
    "thinned",
    "thinned_rows",
)
