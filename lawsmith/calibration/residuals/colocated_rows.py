"""Rows that stand at the same place are one spot: distances are taken once for all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Spots:
    """Distinct places, and the rows at each in ascending order."""

    places: NDArray[np.float64]
    """Shape (spots, axes), ascending by the first axis, then the next."""
    order: NDArray[np.int32]
    """The rows, spot after spot."""
    offsets: Indices
    """Spot s holds `order[offsets[s]:offsets[s + 1]]`; shape (spots + 1,)."""

    @property
    def counts(self) -> Indices:
        """How many rows each spot holds."""
        return np.diff(self.offsets)

    @property
    def single(self) -> bool:
        """Whether no two rows stand at the same place."""
        return len(self.places) == len(self.order)

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of spots, shape (spots, columns), given to each of their rows."""
        found = np.empty((len(self.order), values.shape[1]))
        found[self.order] = values if self.single else np.repeat(values, self.counts, axis=0)
        return found

    def first_rows(
        self, owners: Indices, spots: Indices, most: Indices
    ) -> tuple[Indices, Indices, Indices]:
        """The first rows of some spots.

        Args:
            owners: who asks, ascending, shape (pairs,).
            spots: for which spot, shape (pairs,).
            most: the largest number of rows wanted from it, shape (pairs,).

        Returns:
            (owner, pair, row), one each for every row given.
        """
        lengths = np.minimum(self.counts[spots], most)
        pairs = np.repeat(np.arange(len(spots)), lengths)
        within = np.arange(len(pairs)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        rows = self.order[self.offsets[spots[pairs]] + within].astype(np.int64)
        return owners[pairs], pairs, rows

    def lowest_rows(
        self, owners: Indices, spots: Indices, wanted: Indices
    ) -> tuple[Indices, Indices]:
        """(owner, row): for each owner the `wanted[owner]` lowest rows among its spots."""
        who, _, rows = self.first_rows(owners, spots, wanted[owners])
        by_row = np.lexsort((rows, who))
        who, rows = who[by_row], rows[by_row]
        kept = rank_within(who) < wanted[who]
        return who[kept], rows[kept]


def spots_of(points: NDArray[np.float64]) -> Spots:
    """The spots of points of shape (n, axes)."""
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    fresh = np.ones(len(points), dtype=bool)
    np.any(ordered[1:] != ordered[:-1], axis=1, out=fresh[1:])
    starts = np.flatnonzero(fresh)
    offsets = np.append(starts, len(points))
    return Spots(ordered[starts], order.astype(np.int32), offsets)


def rank_within(owners: Indices) -> Indices:
    """The place of each entry among those of its owner, from 0; owners ascend."""
    fresh = np.ones(len(owners), dtype=bool)
    np.not_equal(owners[1:], owners[:-1], out=fresh[1:])
    starts = np.flatnonzero(fresh)
    lengths = np.diff(np.append(starts, len(owners)))
    found: Indices = np.arange(len(owners)) - np.repeat(starts, lengths)
    return found


__all__ = ("Indices", "Spots", "rank_within", "spots_of")
