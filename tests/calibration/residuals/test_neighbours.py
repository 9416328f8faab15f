import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.calibration.problems.axes import axes_of
from lawsmith.calibration.residuals.neighbours import Neighbours
from lawsmith.errors import InputError


def by_force(points: np.ndarray, queries: np.ndarray, count: int) -> np.ndarray:
    """All distances, then (distance, row)."""
    squares = np.zeros((len(queries), len(points)))
    for axis in range(points.shape[1]):
        squares += (points[None, :, axis] - queries[:, axis, None]) ** 2
    rows = np.broadcast_to(np.arange(len(points)), squares.shape)
    return np.lexsort((rows, np.sqrt(squares)), axis=-1)[:, :count]


@st.composite
def clouds(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    rows, axes = draw(st.integers(1, 60)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = (rows, axes)
    kinds = {
        "free": rng.standard_normal(shape),
        "grid": rng.integers(0, 4, shape).astype(float),
        "tenths": rng.integers(0, 3, shape) * 0.1,
        "whole": np.arange(rows * axes, dtype=float).reshape(shape),
        "heap": np.where(rng.random(shape) < 0.5, 0.0, rng.integers(0, 30, shape) / 7),
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))], draw(st.integers(1, rows))


@settings(max_examples=300, deadline=None)
@given(clouds(), st.integers(0, 2**32))
def test_neighbours_and_means_are_exact_also_with_duplicates(
    cloud: tuple[np.ndarray, int], seed: int
) -> None:
    points, count = cloud
    rng = np.random.default_rng(seed)
    queries = np.vstack([points, rng.integers(0, 4, (5, points.shape[1])).astype(float)])
    index = Neighbours(points)
    expected = by_force(points, queries, count)
    assert (index.nearest(queries, count) == expected).all()
    ranks = rng.integers(0, count, len(queries))
    assert (index.at_rank(queries, ranks) == expected[np.arange(len(queries)), ranks]).all()
    values = rng.standard_normal((len(points), 2))
    means = values[expected[: len(points)]].mean(axis=1)
    np.testing.assert_allclose(index.means(values, count), means, rtol=0, atol=1e-12)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_means_over_many_rows_are_exact(axes: int, decimals: int) -> None:
    rng = np.random.default_rng(axes)
    points = np.round(rng.standard_normal((3000, axes)), decimals)
    values = rng.standard_normal((3000, 3))
    some = rng.choice(3000, 200, replace=False)
    expected = values[by_force(points, points[some], 128)].mean(axis=1)
    index = Neighbours(points)
    np.testing.assert_allclose(index.means(values, 128)[some], expected, rtol=0, atol=1e-12)
    assert (index.nearest(points[some], 64) == by_force(points, points[some], 64)).all()


def test_a_heap_of_equal_rows_gives_its_first_ones() -> None:
    points = np.zeros((100_000, 2))
    points[-1] = 1.0
    index = Neighbours(points)
    assert index.nearest(np.zeros((3, 2)), 8).tolist() == [list(range(8))] * 3
    assert index.nearest(np.ones((1, 2)), 3).tolist() == [[99_999, 0, 1]]


@settings(max_examples=50, deadline=None)
@given(st.integers(8, 60), st.integers(1, 3), st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter_without_ties(rows: int, axes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = rng.lognormal(0, 2, (rows, axes))
    values = rng.standard_normal((rows, 1))
    order = rng.permutation(rows)
    plain, moved = axes_of(inputs), axes_of(inputs[order])
    # Axes are the same to the last digit: sums are rounded once.
    assert plain == moved
    count = min(rows, 10)
    one = Neighbours(plain.scaled(inputs)).means(values, count)
    other = Neighbours(moved.scaled(inputs[order])).means(values[order], count)
    np.testing.assert_allclose(other, one[order], rtol=0, atol=1e-13)


def test_axes_are_logarithmic_beyond_a_decade_of_positive_inputs() -> None:
    inputs = np.column_stack([[1.0, 10.0], [1.0, 10.1], [-1.0, 100.0], [0.0, 100.0], [3.0, 3.0]])
    axes = axes_of(inputs)
    assert axes.logs == (False, True, False, False, False)
    assert axes.deviations[0] == 4.5
    assert axes.deviations[4] == 1.0
    with pytest.raises(InputError, match="not positive"):
        axes.scaled(np.array([[1.0, 0.0, 1.0, 1.0, 1.0]]))


@pytest.mark.parametrize("count", [0, 6])
def test_counts_out_of_range_are_refused(count: int) -> None:
    with pytest.raises(InputError, match=r"not in 1\.\.5"):
        Neighbours(np.arange(5.0)[:, None]).nearest(np.zeros((1, 1)), count)


def test_a_query_that_is_not_finite_is_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        Neighbours(np.arange(5.0)[:, None]).nearest(np.array([[np.nan]]), 2)
