"""Nearest rows by Euclidean distance, ties by the lower row of the canonical table.

The distance is the float64 root of the sum of squared differences, added up in the order of
the axes; two rows at the same float64 distance are tied. scipy's tree only proposes rows: where
its answer could hang on rounding or on a tie, distances are taken again and more rows are asked
for, so the sets and their order are exact, also with duplicates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.calibration.problems import Table, table_of
from lawsmith.calibration.residuals.colocated_rows import Indices, Spots, rank_within, spots_of
from lawsmith.calibration.residuals.running_means import ranked_rows, window_means
from lawsmith.errors import InputError

WORKERS: Final = 2
_ENTRIES: Final = 2**20
"""Distances held at once: 8 MB a buffer."""
_MARGIN: Final = 1e-9
"""Relative; distances nearer to each other than this may be out of order in the tree."""


def neighbour_count(rows: int, fraction: float, fewest: int, most: int) -> int:
    """`clip(round(fraction*rows), min(fewest, rows), min(most, rows))`, halves to even.

    Raises:
        InputError: there are no rows.
    """
    if rows < 1:
        raise InputError(f"{rows} rows have no neighbours", path="rows")
    return min(max(round(fraction * rows), min(fewest, rows)), most, rows)


@dataclass(frozen=True, slots=True)
class _Block:
    """Some queries with all spots that can hold their nearest rows."""

    queries: Indices
    spots: Indices
    """Shape (queries, width)."""
    distances: Table | None
    """Exact, ascending along a row; None = `spots` are just the neighbours, in no order."""
    reach: NDArray[np.float64]
    """Distance of the last neighbour, shape (queries,); not set without distances."""


class Neighbours:
    """Answers which rows of a pool are nearest.

    Args:
        points: scaled coordinates, shape (n, axes).

    Raises:
        InputError: no rows or a coordinate that is not finite.
    """

    def __init__(self, points: Table) -> None:
        points = table_of(points, "points")
        self.rows, self.axes = points.shape
        self._spots: Spots = spots_of(points)
        self._tree = scipy.spatial.cKDTree(
            self._spots.places, leafsize=16, balanced_tree=False, compact_nodes=False
        )

    def nearest(self, queries: Table, count: int) -> NDArray[np.int32]:
        """Rows by rank: shape (queries, count), the nearest first.

        Raises:
            InputError: a query is not finite or has other axes, or `count` is not in 1..n.
        """
        queries = self._checked(queries, count)
        found = np.empty((len(queries), count), dtype=np.int32)
        for block in self._blocks(queries, count):
            if block.distances is None:
                rows = self._spots.order[block.spots]
                exact = self._distances(queries[block.queries], block.spots)
                ranks = np.lexsort((rows, exact), axis=-1)
                found[block.queries] = np.take_along_axis(rows, ranks, axis=1)
            else:
                found[block.queries] = self._ranked(block, count)
        return found

    def at_rank(self, queries: Table, ranks: Indices) -> NDArray[np.int32]:
        """The row of one rank, from 0, for each query: `nearest` in that column, but faster.

        Args:
            queries: shape (m, axes).
            ranks: shape (m,), below n.

        Raises:
            InputError: a query is not finite or has other axes, or a rank is not in 0..n-1.
        """
        count = int(ranks.max()) + 1
        queries = self._checked(queries, count)
        found = np.full(len(queries), -1, dtype=np.int32)
        if self._spots.single and self.axes == 1:
            found = ranked_rows(self._spots, queries[:, 0], ranks)
        elif self._spots.single:
            for rank in np.unique(ranks).tolist():
                rows = np.flatnonzero(ranks == rank)
                found[rows] = self._lone(queries[rows], rank)
        # Ties and spots of several rows take the long way.
        left = np.flatnonzero(found < 0)
        if len(left):
            near = self.nearest(queries[left], count)
            found[left] = near[np.arange(len(left)), ranks[left]]
        return found

    def _lone(self, queries: Table, rank: int) -> NDArray[np.int32]:
        """The row of a rank where no other is as far; else -1."""
        asked = [k for k in (rank, rank + 1, rank + 2) if 1 <= k <= self.rows]
        distances, spots = self._tree.query(queries, k=asked, workers=WORKERS)
        here = asked.index(rank + 1)
        apart = (distances[:, 1:] > distances[:, :-1] * (1 + _MARGIN)).all(axis=1)
        return np.where(apart, self._spots.order[spots[:, here]], np.int32(-1))

    def means(self, values: Table, count: int) -> Table:
        """The mean of each column of values over the nearest rows of every row, itself included.

        Args:
            values: by row, shape (n, columns): neighbours are found once for all columns.
            count: how many rows, from 1 to n.

        Returns:
            Shape (n, columns).

        Raises:
            InputError: another number of rows, or `count` is not in 1..n.
        """
        values = table_of(values, "values")
        if len(values) != self.rows:
            raise InputError(f"{len(values)} values for {self.rows} rows", path="values")
        self._checked(self._spots.places[:1], count)
        # Around their middle, values that are all the same have means that are the same.
        middle = values[0]
        values = values - middle
        if self.axes == 1:
            means = window_means(self._spots, values, count)
        else:
            means = self._tree_means(values, count)
        found: Table = self._spots.spread(means) + middle
        return found

    def _tree_means(self, values: Table, count: int) -> Table:
        ordered = values[self._spots.order]
        sums = ordered if self._spots.single else np.add.reduceat(ordered, self._spots.offsets[:-1])
        found = np.empty((len(sums), values.shape[1]))
        # Queries that are near each other meet the same leaves in the processor's cache.
        near = np.asarray(self._tree.indices)
        places = self._spots.places[near]
        for block in self._blocks(places, count):
            here = near[block.queries]
            for column in range(values.shape[1]):
                gathered = sums[:, column][block.spots]
                if block.distances is not None:
                    gathered = np.where(block.distances < block.reach[:, None], gathered, 0.0)
                found[here, column] = gathered.sum(axis=1)
            if block.distances is not None:
                found[here] += self._edge_sums(block, values, count)
        found /= count
        return found

    def _edge_sums(self, block: _Block, values: Table, count: int) -> Table:
        """Sums over the lowest rows at the very reach that are still wanted."""
        assert block.distances is not None
        counts = self._spots.counts[block.spots]
        inside = np.where(block.distances < block.reach[:, None], counts, 0).sum(axis=1)
        owners, places = np.nonzero(block.distances == block.reach[:, None])
        who, rows = self._spots.lowest_rows(owners, block.spots[owners, places], count - inside)
        sums = [np.bincount(who, column[rows], minlength=len(counts)) for column in values.T]
        return np.column_stack(sums)

    def _ranked(self, block: _Block, count: int) -> NDArray[np.int32]:
        assert block.distances is not None
        owners, places = np.nonzero(block.distances <= block.reach[:, None])
        most = np.full(len(owners), count)
        who, pairs, rows = self._spots.first_rows(owners, block.spots[owners, places], most)
        distances = block.distances[owners, places][pairs]
        order = np.lexsort((rows, distances, who))
        kept = order[rank_within(who[order]) < count]
        return rows[kept].reshape(-1, count).astype(np.int32)

    def _blocks(self, queries: Table, count: int) -> Iterator[_Block]:
        total = len(self._spots.places)
        # With several rows a spot, fewer spots hold enough of them.
        width = min(total, -(-count * total // self.rows) + 1)
        if self._spots.single:
            width = min(total, count + 1)
        size = max(1, _ENTRIES // width)
        for start in range(0, len(queries), size):
            where = np.arange(start, min(start + size, len(queries)))
            yield from self._resolved(queries, where, count, width)

    def _resolved(self, queries: Table, where: Indices, count: int, width: int) -> Iterator[_Block]:
        """Blocks for the given queries; those still in doubt ask for twice as many spots."""
        total = len(self._spots.places)
        while len(where):
            distances, spots = self._tree.query(queries[where], k=width, workers=WORKERS)
            distances = distances.reshape(len(where), width)
            spots = spots.reshape(len(where), width)
            if self._spots.single:
                last = distances[:, count - 1]
                clear = np.full(len(where), width == total == count)
                if width > count:
                    clear = distances[:, count] > last * (1 + _MARGIN)
                yield _Block(where[clear], spots[clear, :count], None, last[clear])
                where, spots, distances = where[~clear], spots[~clear], distances[~clear]
            seen = distances[:, -1]
            block = self._exact(queries, where, spots, count)
            enough = (seen > block.reach * (1 + _MARGIN)) | (width == total)
            if block.distances is not None and enough.any():
                yield _Block(
                    where[enough], block.spots[enough], block.distances[enough], block.reach[enough]
                )
            where = where[~enough]
            width = min(total, 2 * width)
            size = max(1, _ENTRIES // width)
            if len(where) > size:
                for start in range(0, len(where), size):
                    yield from self._resolved(queries, where[start : start + size], count, width)
                return

    def _exact(self, queries: Table, where: Indices, spots: Indices, count: int) -> _Block:
        """The spots by exact distance, and how far the `count`-th row is (inf if not seen)."""
        distances = self._distances(queries[where], spots)
        order = np.argsort(distances, axis=1, kind="stable")
        distances = np.take_along_axis(distances, order, axis=1)
        spots = np.take_along_axis(spots, order, axis=1)
        held = np.cumsum(self._spots.counts[spots], axis=1) >= count
        reach = np.where(
            held.any(axis=1), distances[np.arange(len(where)), held.argmax(axis=1)], np.inf
        )
        return _Block(where, spots, distances, reach)

    def _distances(self, queries: Table, spots: Indices) -> Table:
        total = np.zeros(spots.shape)
        for axis in range(self.axes):
            total += (self._spots.places[:, axis][spots] - queries[:, axis, None]) ** 2
        return np.sqrt(total, out=total)

    def _checked(self, queries: Table, count: int) -> Table:
        queries = table_of(queries, "queries")
        if queries.shape[1] != self.axes:
            raise InputError(f"queries have {queries.shape[1]} axes, not {self.axes}")
        if not 1 <= count <= self.rows:
            raise InputError(f"count {count!r} is not in 1..{self.rows}", path="count")
        return queries


__all__ = ("WORKERS", "Neighbours", "neighbour_count")
