"""Means over the nearest rows along one axis: in sorted order they stand side by side."""

from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from lawsmith.calibration.residuals.colocated_rows import Indices, Spots

Floats = NDArray[np.float64]


def window_means(spots: Spots, values: Floats, count: int) -> Floats:
    """The mean of the values at each spot's nearest rows, ties by the lower row.

    Args:
        spots: of points on one axis.
        values: by row, shape (n, columns).
        count: how many rows count, from 1 to n.

    Returns:
        By spot, shape (spots, columns).
    """
    ordered = np.ascontiguousarray(values[spots.order].T)
    axis = np.repeat(spots.places[:, 0], spots.counts)
    starts = _window_starts(spots, axis, count)
    found = np.empty((len(starts), len(ordered)))
    for column, sums in enumerate(ordered):
        found[:, column] = sliding_window_view(sums, count).sum(axis=1)[starts]
    tied = np.flatnonzero(_tied(spots, axis, starts, count))
    if len(tied):
        found[tied] = _tied_sums(spots, axis, values, ordered, tied, starts[tied], count)
    found /= count
    return found


def ranked_rows(spots: Spots, queries: Floats, ranks: Indices) -> NDArray[np.int32]:
    """The row of one rank for each query, -1 where another row is as far from it.

    The neighbour of a rank is the far end of the window of all up to it.

    Args:
        spots: on one axis, a row each.
        queries: shape (m,).
        ranks: from 0, shape (m,).
    """
    axis = spots.places[:, 0]
    counts, place = ranks + 1, np.searchsorted(axis, queries)
    last = len(axis) - counts

    def away(at: Indices) -> Floats:
        inside = (at >= 0) & (at < len(axis))
        return np.where(inside, np.abs(axis[np.clip(at, 0, len(axis) - 1)] - queries), np.inf)

    def near(at: Indices) -> NDArray[np.bool_]:
        behind = np.where(at < last, axis[np.minimum(at + counts, len(axis) - 1)], np.inf)
        found: NDArray[np.bool_] = queries - axis[at] <= behind - queries
        return found

    starts = _first(np.clip(place - counts, 0, last), np.clip(place, 0, last), near)
    left, right = away(starts), away(starts + ranks)
    reach = np.maximum(left, right)
    tied = ((left == right) & (ranks > 0)) | (away(starts - 1) == reach)
    tied |= away(starts + counts) == reach
    ends = np.where(left > right, starts, starts + ranks)
    return np.where(tied, np.int32(-1), spots.order[ends])


def _window_starts(spots: Spots, axis: Floats, count: int) -> Indices:
    """Where the window of the nearest `count` rows of each spot begins."""
    here = spots.places[:, 0]
    own = spots.offsets[:-1]
    last = len(axis) - count

    def near(at: Indices) -> NDArray[np.bool_]:
        # The row behind a window that begins at the end is beyond all others.
        behind = np.where(at < last, axis[np.minimum(at + count, len(axis) - 1)], np.inf)
        found: NDArray[np.bool_] = here - axis[at] <= behind - here
        return found

    return _first(np.clip(own - count + 1, 0, last), np.minimum(own, last), near)


def _reach(spots: Spots, axis: Floats, starts: Indices, count: int) -> Floats:
    here = spots.places[:, 0]
    found: Floats = np.maximum(here - axis[starts], axis[starts + count - 1] - here)
    return found


def _tied(spots: Spots, axis: Floats, starts: Indices, count: int) -> NDArray[np.bool_]:
    """Whether a row outside the window is as near as the farthest one inside."""
    here = spots.places[:, 0]
    reach = _reach(spots, axis, starts, count)
    ends = starts + count
    before = (starts > 0) & (here - axis[np.maximum(starts - 1, 0)] == reach)
    after = (ends < len(axis)) & (axis[np.minimum(ends, len(axis) - 1)] - here == reach)
    found: NDArray[np.bool_] = before | after
    return found


def _tied_sums(
    spots: Spots,
    axis: Floats,
    values: Floats,
    ordered: Floats,
    tied: Indices,
    starts: Indices,
    count: int,
) -> Floats:
    """Sums over all nearer rows and the lowest of the rows at the very reach."""
    here = spots.places[tied, 0]
    reach = np.maximum(here - axis[starts], axis[starts + count - 1] - here)
    low, high = np.zeros(len(tied), dtype=np.int64), np.full(len(tied), len(axis))

    def first(test: Callable[[Floats], NDArray[np.bool_]]) -> Indices:
        # `high` itself is never looked at.
        return _first(low, high, lambda at: test(axis[np.minimum(at, len(axis) - 1)]))

    left = first(lambda x: here - x <= reach)
    inner = first(lambda x: here - x < reach)
    # Rows at the very place of the spot are on both sides of it.
    outer = np.maximum(first(lambda x: x - here >= reach), inner)
    right = np.maximum(first(lambda x: x - here > reach), outer)
    sums = _range_sums(ordered, inner, outer)
    wanted = count - (outer - inner)
    spot_at = np.repeat(np.arange(len(spots.places)), spots.counts)
    sides = [_spot_range(spot_at, left, inner), _spot_range(spot_at, outer, right)]
    owners = np.concatenate([owner for owner, _ in sides])
    asked = np.concatenate([spot for _, spot in sides])
    by_owner = np.argsort(owners, kind="stable")
    who, rows = spots.lowest_rows(owners[by_owner], asked[by_owner], wanted)
    for column in range(values.shape[1]):
        sums[:, column] += np.bincount(who, values[rows, column], minlength=len(tied))
    return sums


def _range_sums(ordered: Floats, starts: Indices, ends: Indices) -> Floats:
    """Sums over [start, end) of each column, shape (ranges, columns)."""
    bounds = np.column_stack([starts, ends]).ravel()
    sums = np.empty((len(starts), len(ordered)))
    for column, row in enumerate(ordered):
        # The end may be one past the last row.
        padded = np.append(row, 0.0)
        sums[:, column] = np.where(starts < ends, np.add.reduceat(padded, bounds)[::2], 0.0)
    return sums


def _spot_range(spot_at: Indices, starts: Indices, ends: Indices) -> tuple[Indices, Indices]:
    """(owner, spot): the spots that the rows [start, end) of each owner fill."""
    full = np.flatnonzero(starts < ends)
    first = spot_at[starts[full]]
    lengths = spot_at[ends[full] - 1] - first + 1
    owners = np.repeat(full, lengths)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return owners, np.repeat(first, lengths) + within


def _first(low: Indices, high: Indices, holds: Callable[[Indices], NDArray[np.bool_]]) -> Indices:
    """For each entry the first place in [low, high] where the test holds, else `high`."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        middle = (low + high) // 2
        true = holds(middle)
        open_ = low < high
        high = np.where(open_ & true, middle, high)
        low = np.where(open_ & ~true, middle + 1, low)
    return high


__all__ = ("ranked_rows", "window_means")
