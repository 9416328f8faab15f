import numpy as np
import pytest

from lawsmith.errors import InputError
from lawsmith.measurement import score_prediction


def test_errors_and_score_by_hand() -> None:
    # (11-10)/(0.5+0.05*10) = 1;  (2-4)/(1+0*4) = 2;  exact;  (0-1)/(1) = 1: mean 1.
    score = score_prediction([[11.0, 2.0], [10.0, 0.0]], [[10.0, 4.0], [10.0, 1.0]], [0.5, 1.0],
                             [0.05, 0.0])  # fmt: skip
    assert score.errors.tolist() == [[1.0, 2.0], [0.0, 1.0]]
    assert score.s == 0.5
    assert not score.weak
    assert score.worst == 2.0


def test_exactly_one_tolerance_is_still_weak_success() -> None:
    assert score_prediction(np.array([1.5]), np.array([1.0]), [0.5], 0.0).weak


def test_zero_truth_is_measured_by_the_absolute_tolerance() -> None:
    assert score_prediction([[0.2]], [[0.0]], [0.1], [1e-3]).errors.tolist() == [[2.0]]


def test_huge_error_gives_zero() -> None:
    score = score_prediction(np.array([[1.7e308]]), np.array([[-1.7e308]]), [1e-9], [0.0])
    assert score.s == 0.0


@pytest.mark.parametrize(
    ("predicted", "truth", "absolute"),
    [
        ([[float("nan")]], [[1.0]], [1.0]),
        ([[1.0]], [[1.0, 2.0]], [1.0, 1.0]),
        ([[1.0]], [[1.0]], [0.0]),
        ([], [], [1.0]),
        ([[1.0], [1.0]], [[1.0]], [1.0]),
    ],
)
def test_what_cannot_be_scored_is_refused(
    predicted: list[list[float]], truth: list[list[float]], absolute: list[float]
) -> None:
    with pytest.raises(InputError):
        score_prediction(predicted, truth, absolute, [1e-3] * len(absolute))
