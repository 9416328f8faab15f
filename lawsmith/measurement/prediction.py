"""The error of a prediction and the score it gives: e and S of SciGame."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Score:
    """How far predictions lie from the truth, in tolerances."""

    errors: Array
    """e = |predicted - truth| / (a_r + lambda*|truth|), shape (n, r)."""
    s: float
    """S = 1 / (1 + mean e), in (0, 1]."""
    weak: bool
    """Every e is at most 1; whether the protocol was kept is judged elsewhere."""

    @property
    def worst(self) -> float:
        """The largest e."""
        return float(self.errors.max())


def prediction_errors(
    predicted: ArrayLike, truth: ArrayLike, absolute: ArrayLike, relative: ArrayLike
) -> Array:
    """Errors in tolerances, |predicted - truth| / (a_r + lambda*|truth|), for every pair.

    Args:
        predicted: shape (n, r), or broadcastable to the truth.
        truth: shape (n, r), in the readouts' units.
        absolute: a_r, shape (r,), each > 0.
        relative: lambda, shape (r,) or one number, each >= 0.

    Raises:
        InputError: shapes do not agree, a number is not finite, or a tolerance is out of range.
    """
    g = np.asarray(truth, dtype=np.float64)
    p = np.asarray(predicted, dtype=np.float64)
    a = np.asarray(absolute, dtype=np.float64)
    lam = np.asarray(relative, dtype=np.float64)
    for name, array in (("predicted", p), ("truth", g), ("absolute", a), ("relative", lam)):
        if not np.all(np.isfinite(array)):
            raise InputError(
                "a number is not finite", path=name, fix="an undefined prediction is invalid"
            )
    if p.shape[-g.ndim :] != g.shape:
        raise InputError(f"shape {p.shape} differs from the truth's {g.shape}", path="predicted")
    if np.any(a <= 0) or np.any(lam < 0):
        raise InputError(
            f"absolute {a.tolist()!r} must be > 0 and relative {lam.tolist()!r} >= 0",
            path="absolute",
        )
    with np.errstate(over="ignore"):
        errors: Array = np.abs(p - g) / (a + lam * np.abs(g))
    return errors


def score_prediction(
    predicted: Sequence[Sequence[float]] | Array,
    truth: Sequence[Sequence[float]] | Array,
    absolute: Sequence[float] | Array,
    relative: Sequence[float] | Array | float,
) -> Score:
    """The errors, S and the weak verdict of predictions over input x readout pairs.

    Args:
        predicted: shape (n, r); a vector of length n is one readout.
        truth: the same shape, unquantised, in the readouts' units.
        absolute: a_r of each readout, > 0, in its unit.
        relative: lambda of each readout, or one for all, >= 0.

    Raises:
        InputError: nothing to score, shapes do not agree, a number is not finite, or a
            tolerance is out of range.
    """
    g = np.asarray(truth, dtype=np.float64)
    p = np.asarray(predicted, dtype=np.float64)
    if g.size == 0:
        raise InputError("there is no input to score", path="truth")
    if g.ndim == 1:
        g, p = g[:, None], p.reshape(-1, 1)
    errors = prediction_errors(p, g, absolute, relative)
    # An infinite mean gives S = 0, its limit.
    return Score(errors, float(1.0 / (1.0 + errors.mean())), bool(errors.max() <= 1.0))


__all__ = ("Score", "prediction_errors", "score_prediction")
