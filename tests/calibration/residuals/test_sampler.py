import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.calibration.fitting.base_law import LawFit, choose_base, group_sample, structure_of
from lawsmith.calibration.problems.records import records_of
from lawsmith.calibration.residuals.noise import noise_factor, span_points, variance
from lawsmith.calibration.residuals.sampler import (
    ResidualSampler,
    local_mean_debias,
    local_means,
    thinned,
    thinned_rows,
)
from lawsmith.errors import InputError

POOLS = st.tuples(st.integers(1, 80), st.integers(1, 3), st.integers(0, 2**32))


def pool(rows: int, axes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.lognormal(0, 1.5, (rows, axes)), rng.standard_normal(rows)


@settings(max_examples=60, deadline=None)
@given(POOLS, st.floats(-1e6, 1e6))
def test_residuals_that_are_all_the_same_leave_nothing(
    size: tuple[int, int, int], value: float
) -> None:
    inputs, _ = pool(*size)
    assert (local_mean_debias(inputs, np.full(len(inputs), value)) == 0).all()
    assert structure_of(inputs, np.full(len(inputs), value))[0] == 0


@settings(max_examples=60, deadline=None)
@given(POOLS, st.floats(1e-3, 1e3), st.floats(-10, 10))
def test_debiasing_scales_and_shifts_with_the_residuals(
    size: tuple[int, int, int], factor: float, shift: float
) -> None:
    inputs, residuals = pool(*size)
    plain = local_mean_debias(inputs, residuals)
    moved = local_mean_debias(inputs, factor * residuals + shift)
    np.testing.assert_allclose(moved, factor * plain, rtol=0, atol=1e-11 * (1 + factor))


@settings(max_examples=60, deadline=None)
@given(POOLS)
def test_laws_are_debiased_side_by_side_as_alone(size: tuple[int, int, int]) -> None:
    inputs, residuals = pool(*size)
    both = np.column_stack([residuals, residuals**2])
    together = local_means(inputs, both)
    assert together.shape == both.shape
    for column in range(2):
        assert (together[:, column] == local_means(inputs, both[:, column])).all()


@settings(max_examples=60, deadline=None)
@given(POOLS, st.integers(0, 2**32))
def test_the_same_generator_draws_the_same_residuals_of_near_records(
    size: tuple[int, int, int], seed: int
) -> None:
    inputs, residuals = pool(*size)
    sampler = ResidualSampler(inputs, residuals)
    one = sampler.sample(inputs, np.random.default_rng(seed))
    assert (one == sampler.sample(inputs, np.random.default_rng(seed))).all()
    near = sampler.neighbours(inputs)
    assert (one[:, None] == residuals[near]).any(axis=1).all()


def test_one_point_asked_for_often_meets_all_its_neighbours() -> None:
    inputs, residuals = pool(90, 2, 5)
    sampler = ResidualSampler(inputs, residuals)
    drawn = sampler.sample(np.tile(inputs[:1], (600, 1)), np.random.default_rng(1))
    near = sampler.neighbours(inputs[:1])[0]
    assert len(near) == 14
    assert set(drawn) == set(residuals[near])


@settings(max_examples=100, deadline=None)
@given(st.floats(1e-12, 1e12), st.floats(0, 1e12), st.floats(0.01, 0.99))
def test_the_factor_keeps_the_target_and_never_amplifies(
    signal: float, residual: float, target: float
) -> None:
    factor = noise_factor(signal, residual, target)
    assert 0 < factor <= 1
    explained = signal / (signal + factor**2 * residual)
    assert explained >= target * (1 - 1e-12)
    if factor < 1:
        assert explained == pytest.approx(target, rel=1e-12)


def test_points_span_one_input() -> None:
    even, ratios = span_points(np.array([2.0, 20.0])), span_points(np.array([2.0, 20.1]))
    assert (len(even), even[0], even[-1]) == (512, 2.0, 20.0)
    assert np.ptp(np.diff(even)) == pytest.approx(0, abs=1e-12)
    assert np.ptp(np.diff(np.log(ratios))) == pytest.approx(0, abs=1e-12)
    assert (ratios[0], ratios[-1]) == (2.0, 20.1)


def test_a_large_pool_is_thinned_by_its_seed() -> None:
    rows = thinned_rows(1000, 7, most=100)
    assert len(rows) == 100
    assert (np.diff(rows) > 0).all()
    assert (rows == thinned_rows(1000, 7, most=100)).all()
    assert (rows != thinned_rows(1000, 8, most=100)).any()
    assert (thinned_rows(100, 7, most=100) == np.arange(100)).all()


def test_large_groups_are_thinned_and_small_ones_left_alone() -> None:
    labels = ["a"] * 30 + ["b"] * 5 + ["a"] * 30
    records = records_of({"x": np.arange(65.0)}, np.arange(65.0), labels)
    few = thinned(records, 3, most=20)
    groups = few.group_rows()
    assert {label: len(rows) for label, rows in groups.items()} == {"a": 20, "b": 5}
    assert (np.diff(few.target) > 0).all()
    assert thinned(records, 3, most=60) is records


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(InputError, match=r"residuals\[1\]"):
        local_means([1.0, 2.0], [0.0, bad])
    with pytest.raises(InputError, match=r"inputs\[0\]"):
        ResidualSampler([bad, 2.0], [0.0, 1.0])


def test_rows_must_be_as_many() -> None:
    with pytest.raises(InputError, match="2 residuals for 3 inputs"):
        local_means([1.0, 2.0, 3.0], [0.0, 1.0])


def law(fitted: np.ndarray, y: np.ndarray) -> LawFit:
    return LawFit(y - fitted, fitted)


def test_the_base_law_leaves_least_structure_not_least_error() -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(0, 10, 200)
    truth = 3 * x
    y = truth + rng.standard_normal(200)
    noisy = law(truth + 2 * rng.standard_normal(200), y)
    bent = law(truth + 0.8 * np.sin(x), y)
    flat = law(np.full(200, y.mean()), y)
    choice = choose_base(x[:, None], [flat, bent, noisy], {"": np.arange(200)})
    assert choice.index == 2
    assert choice.structure[0] is None
    assert choice.r2[1] is not None
    assert choice.r2[2] is not None
    assert choice.r2[1] > choice.r2[2] > 0
    assert choice.nonnegative


def test_a_negative_r2_counts_only_where_no_law_has_another() -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(0, 10, 200)
    y = 3 * x + rng.standard_normal(200)
    far = law(3 * x + 100 * rng.standard_normal(200), y)
    bent = law(3 * x + 3 * np.sin(x), y)
    assert choose_base(x[:, None], [far, bent], {"": np.arange(200)}).index == 1
    farther = law(3 * x + 100 + 10 * np.sin(x), y)
    choice = choose_base(x[:, None], [farther, far], {"": np.arange(200)})
    assert (choice.index, choice.nonnegative) == (1, False)


def test_the_median_over_groups_decides() -> None:
    rng = np.random.default_rng(2)
    x = np.tile(np.linspace(0, 10, 40), 3)
    groups = {g: np.arange(40 * p, 40 * p + 40) for p, g in enumerate("abc")}
    y = 3 * x + rng.standard_normal(120)
    odd = np.where(np.arange(120) < 40, 50 * np.sin(x), 0.0)
    one_bad_group = law(3 * x + odd, y)
    bent = law(3 * x + 2 * np.sin(x), y)
    choice = choose_base(x[:, None], [bent, one_bad_group], groups)
    assert choice.index == 1
    assert choice.groups == ("a", "b", "c")


def test_at_most_forty_groups_are_looked_at_evenly_spaced_by_label() -> None:
    labels = [f"{place:03d}" for place in range(100)]
    sample = group_sample(labels[::-1])
    assert len(sample) == 40
    assert sample[:4] == ("000", "002", "005", "007")
    assert group_sample(["b", "a"]) == ("a", "b")


def test_records_that_do_not_vary_choose_nothing() -> None:
    x = np.arange(10.0)
    with pytest.raises(InputError, match="do not vary"):
        choose_base(x[:, None], [law(x, np.ones(10))], {"": np.arange(10)})
    with pytest.raises(InputError, match="constant in some group"):
        choose_base(x[:, None], [law(np.ones(10), x)], {"": np.arange(10)})
    assert variance(np.full(10, 0.1)) == 0
