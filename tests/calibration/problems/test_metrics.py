import numpy as np
import pytest

from lawsmith.calibration.problems.metrics import (
    Metric,
    metric_scale,
    metric_value,
    near_perfect,
    numeric_score,
)
from lawsmith.calibration.problems.references import best_reference, table_score
from lawsmith.errors import InputError

P, T = [1.1, 1.9, 3.3, 3.6], [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("rmse", 0.2598076211353315),
        ("smape", 0.08675534991324467),
        ("log_mae", 0.03770481389706937),
        ("r2", 0.946),
        ("mse", 0.0675),
        ("mae", 0.225),
        ("mdae", 0.2),
        ("mape", 0.0875),
    ],
)
def test_metrics_of_one_prediction(metric: Metric, value: float) -> None:
    assert metric_value(metric, P, T) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("metric", "predicted", "truth", "value"),
    [
        ("smape", [0, 1, 1], [0, 0, 1], 1.0),
        ("smape", [0, 0], [0, 0], None),
        ("smape", [1, 1], [0, 0], 2.0),
        ("log_mae", [10, 10, 3], [1, 10, -5], 0.5),
        ("log_mae", [-2], [1], 300.0),
        ("log_mae", [1], [-1], None),
        ("r2", [1, 2], [3, 3], None),
        ("mape", [1, 3], [0, 2], 0.5),
        ("mape", [1], [0], None),
        ("rmse", [], [], None),
    ],
)
def test_edges_of_metrics(
    metric: Metric, predicted: list[float], truth: list[float], value: float | None
) -> None:
    found = metric_value(metric, predicted, truth)
    assert found == (None if value is None else pytest.approx(value, rel=1e-9))


def test_a_prediction_that_is_not_finite_is_no_measurement() -> None:
    with pytest.raises(InputError, match=r"predicted\[1\]"):
        metric_value("rmse", [1.0, np.nan], [1.0, 2.0])
    with pytest.raises(InputError, match="not one of"):
        metric_value("rms", [1.0], [1.0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("metric", "submitted", "reference", "score"),
    [
        ("rmse", 1.76, 4.16, 0.788461538),
        ("rmse", 0.083, 0.099, 0.580808081),
        ("rmse", 1, 1, 0.5),
        ("rmse", 0.25, 1, 0.875),
        ("rmse", 0, 1, 1),
        ("rmse", 2, 1, 0),
        ("rmse", 3, 1, 0),
        ("r2", 0.9, 0.8, 0.75),
        ("r2", 0.8, 0.8, 0.5),
        ("r2", 0.6, 0.8, 0),
        ("r2", 1, 0.8, 1),
        ("r2", 0.0, -9, 0.95),
        ("r2", 0.5, -1, 0.875),
        ("r2", -3, -1, 0),
    ],
)
def test_numeric_scores(metric: Metric, submitted: float, reference: float, score: float) -> None:
    assert numeric_score(metric, submitted, reference) == pytest.approx(score, rel=1e-8)


def test_a_score_over_groups() -> None:
    reference = {"g0": 1.0, "g1": 1.0, "g2": 2.0, "g3": 5e-5}
    submitted = {"g0": 1.0, "g1": 0.5, "g2": None, "g3": 1e-6}
    found = table_score("rmse", reference, submitted, dict.fromkeys(reference, 1.0))
    assert found.groups == {"g0": 0.5, "g1": 0.75, "g2": 0.0}
    assert found.score == pytest.approx(0.4166666667, rel=1e-9)
    assert found.failed == {"g2": "no_value"}
    assert found.excluded == {"g3": "near_perfect"}


def test_nothing_that_counts_is_no_score() -> None:
    found = table_score("rmse", {"": 1e-5}, {"": 1.0}, {"": 1.0})
    assert (found.score, found.raw) == (0.0, None)


def test_a_submission_without_a_value_scores_zero_and_says_why() -> None:
    found = table_score("smape", {"": 0.4}, {}, {"": 1.0})
    assert (found.score, found.failed) == (0.0, {"": "no_value"})


def test_near_perfect_is_relative_to_the_spread() -> None:
    assert near_perfect("rmse", 1e-4, 1.0)
    assert not near_perfect("rmse", 1.0001e-4, 1.0)
    truth = np.array([1.0, 2.0, 3.0])
    for unit in (1e-9, 1.0, 1e9):
        scale = metric_scale("rmse", truth * unit)
        assert not near_perfect("rmse", 0.01 * unit, scale)
        assert near_perfect("rmse", 1e-5 * unit, scale)
        assert near_perfect("mse", (1e-5 * unit) ** 2, metric_scale("mse", truth * unit))
        assert not near_perfect("mse", (0.01 * unit) ** 2, metric_scale("mse", truth * unit))
    assert metric_scale("smape", truth) == metric_scale("r2", truth) == 1.0
    assert near_perfect("r2", 0.99995, 1.0)


def test_no_group_decides_the_reference_by_its_size() -> None:
    scales = {"small": 1.0, "large": 1e6}
    better = {"small": 0.1, "large": 2e5}
    worse = {"small": 0.9, "large": 1e5}
    assert best_reference("rmse", [worse, better], scales) == 1


def test_no_reference_wins_by_failing() -> None:
    scales = {"a": 1.0, "b": 1.0}
    assert best_reference("rmse", [{"a": 0.01, "b": None}, {"a": 0.5, "b": 0.5}], scales) == 1
    with pytest.raises(InputError, match="no reference"):
        best_reference("rmse", [{"a": 0.01, "b": None}], scales)
    with pytest.raises(InputError, match="no value in group"):
        table_score("rmse", {"a": None}, {"a": 1.0}, {"a": 1.0})


def test_a_reference_no_better_than_the_mean_is_refused_for_r2() -> None:
    with pytest.raises(InputError, match="r2 <= 0"):
        best_reference("r2", [{"": -0.1}], {"": 1.0})
