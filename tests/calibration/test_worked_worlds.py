"""The worked worlds: numbers that were computed by other code than ours."""

import numpy as np
import pytest

from lawsmith.calibration.fitting.base_law import structure_of
from lawsmith.calibration.problems.records import Space
from lawsmith.calibration.residuals.neighbours import neighbour_count
from lawsmith.calibration.residuals.noise import noise_factor, variance
from lawsmith.calibration.residuals.sampler import (
    ResidualSampler,
    local_mean_debias,
    local_means,
    mean_count,
    sample_count,
)
from lawsmith.calibration.worlds.calibration import query_limits
from lawsmith.errors import InputError, UndefinedValueError

LINEAR = (False,)


def test_a_world_of_eight_records_has_one_neighbourhood() -> None:
    x = np.arange(1.0, 9.0)
    r = np.array([1, -1, 1, -1, 2, -2, 2, -2]) + 0.5
    assert mean_count(8) == sample_count(8) == 8
    assert local_means(x, r) == pytest.approx(np.full(8, 0.5), rel=1e-12)
    assert structure_of(x[:, None], r)[0] == pytest.approx(0.0, abs=1e-15)
    signal, noise = variance(2 * x), variance(local_mean_debias(x, r))
    assert (signal, noise) == pytest.approx((21.0, 2.5))
    s = noise_factor(signal, noise)
    assert s == pytest.approx(0.9660917831, rel=1e-9)
    assert signal / (signal + s * s * noise) == pytest.approx(0.9)


def test_a_world_of_forty_records_is_reproduced_to_its_draws() -> None:
    i = np.arange(40)
    x = (i + 1) ** 1.5
    law = 3 + 0.5 * x
    r = np.where(i % 2 == 0, 4.0, -4.0) + 0.1 * x
    means = local_means(x, r, LINEAR)
    assert means[[0, 20, 39]] == pytest.approx(
        [1.426723106688, 9.350249960309, 21.203528358853], rel=1e-9
    )
    assert variance(means) / variance(r) == pytest.approx(0.684831627477763, rel=1e-9)
    debiased = local_mean_debias(x, r, LINEAR)
    assert variance(law) == pytest.approx(1479.0018997575, rel=1e-9)
    assert variance(debiased) == pytest.approx(16.3710629096, rel=1e-9)
    assert noise_factor(variance(law), variance(debiased)) == 1.0
    sampler = ResidualSampler(x, debiased, LINEAR)
    assert sampler.axes.means[0] == pytest.approx(104.37428994, rel=1e-9)
    assert sampler.axes.deviations[0] == pytest.approx(76.91558749, rel=1e-9)
    assert (mean_count(40), sampler.count) == (10, 8)
    points = np.array([50.0, 200.0])
    assert sampler.neighbours(points).tolist() == [
        [13, 12, 14, 11, 10, 15, 9, 16],
        [33, 34, 32, 35, 31, 36, 30, 37],
    ]
    assert np.random.default_rng(7).integers(0, 8, 2).tolist() == [7, 5]
    drawn = sampler.sample(points, np.random.default_rng(7))
    assert drawn == pytest.approx([4.230524001594, 5.302693003250], rel=1e-9)
    assert 3 + 0.5 * points + drawn == pytest.approx([32.230524001594, 108.302693003250], rel=1e-9)


def test_a_logarithmic_world() -> None:
    space = Space("log10", 1e-12)
    law, y = np.array([1.0, 10.0, 100.0, 1000.0]), np.array([2.0, 5.0, 200.0, 500.0])
    r = space.of_records(y) - space.of_law(law)
    assert r == pytest.approx(np.log10(2) * np.array([1, -1, 1, -1]), rel=1e-9)
    assert variance(space.of_law(law)) == pytest.approx(1.25, rel=1e-9)
    assert variance(r) == pytest.approx(0.0906190583, rel=1e-9)
    assert noise_factor(1.25, variance(r)) == 1.0
    assert space.back(np.array([1 + np.log10(2.0)]))[0] == pytest.approx(20.0, rel=1e-15)
    lifted = space.of_records(np.array([-5.0])) - space.of_law(np.array([1.0]))
    assert lifted[0] == pytest.approx(-12.0)
    assert space.lifted(np.array([-5.0, 1.0])) == 1


def test_a_law_that_is_not_positive_has_no_logarithm() -> None:
    with pytest.raises(UndefinedValueError, match="no logarithm"):
        Space("log10").of_law(np.array([1.0, 0.0]))


def test_below_eight_records_every_residual_can_come() -> None:
    sampler = ResidualSampler([1.0, 2.0, 3.0, 4.0], [-0.2, 0.1, 0.3, -0.2])
    drawn = sampler.sample([4.0, 1.0, 1.0], np.random.default_rng(0))
    assert drawn.tolist() == [-0.2, 0.3, 0.3]


@pytest.mark.parametrize(
    ("signal", "residual", "factor"),
    [
        (4.0, 1.0, 0.6666666666666667),
        (9.0, 1.0, 1.0),
        (100.0, 1.0, 1.0),
        (0.81, 0.25, 0.6),
        (1.0, 0.2, 0.7453559924999299),
        (3.0, 0.0, 1.0),
    ],
)
def test_noise_factors(signal: float, residual: float, factor: float) -> None:
    assert noise_factor(signal, residual) == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("residual", [0.0, 1.0])
def test_a_law_without_variance_is_refused(residual: float) -> None:
    with pytest.raises(InputError, match="constant"):
        noise_factor(0.0, residual)


@pytest.mark.parametrize(
    ("signal", "residual", "target"),
    [(-1.0, 1.0, 0.9), (1.0, float("nan"), 0.9), (float("inf"), 1.0, 0.9), (1.0, 1.0, 1.0)],
)
def test_what_is_no_variance_is_refused(signal: float, residual: float, target: float) -> None:
    with pytest.raises(InputError):
        noise_factor(signal, residual, target)


@pytest.mark.parametrize(
    ("rows", "count"),
    [(7, 7), (8, 8), (56, 8), (57, 9), (90, 14), (110, 16), (200, 30), (426, 64), (10000, 64)],
)
def test_sampling_counts(rows: int, count: int) -> None:
    assert sample_count(rows) == count


@pytest.mark.parametrize(
    ("rows", "count"), [(7, 7), (34, 8), (40, 10), (100, 25), (510, 128), (2000, 128)]
)
def test_local_mean_counts(rows: int, count: int) -> None:
    assert mean_count(rows) == count


def test_no_rows_have_no_neighbours() -> None:
    with pytest.raises(InputError):
        neighbour_count(0, 0.15, 8, 64)


@pytest.mark.parametrize(
    ("train", "points", "rows"),
    [(238, 23, 690), (28, 10, 300), (201, 20, 600), (99, 10, 300), (110, 11, 330)],
)
def test_query_limits(train: int, points: int, rows: int) -> None:
    limits = query_limits(train)
    assert (limits.points_per_call, limits.rows) == (points, rows)
    assert limits.points_per_call * limits.samples_per_point * limits.calls == rows
