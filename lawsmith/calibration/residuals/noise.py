"""The factor that keeps residual noise from drowning a law (SciLaws-Bench, equation 8)."""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.calibration.problems import spans_decade, table_of
from lawsmith.errors import InputError

TARGET: Final = 0.9
"""The share of a world's variance, in residual space, that its law explains at least."""
SPAN_POINTS: Final = 512
"""Points that span the support of a world of one input (ours: the paper gives no number)."""


def noise_factor(signal_variance: float, residual_variance: float, target: float = TARGET) -> float:
    """`min(1, sqrt((1 - target)/target * signal_variance/residual_variance))`.

    Args:
        signal_variance: of the law in residual space, > 0.
        residual_variance: of the debiased residuals, >= 0; with 0 there is nothing to reduce
            and the factor is 1.
        target: the R² to keep, in (0, 1).

    Raises:
        InputError: a variance is negative or not finite, the signal has none (the formula would
            give a constant world without noise), or the target is not inside (0, 1).
    """
    for name, value in (("signal", signal_variance), ("residual", residual_variance)):
        if not (math.isfinite(value) and value >= 0):
            raise InputError(f"{value!r} is not a variance", path=f"{name}_variance")
    if not 0 < target < 1:
        raise InputError(f"{target!r} is not inside (0, 1)", path="target")
    if signal_variance == 0:
        raise InputError(
            "the law is constant over the calibration inputs: no noise is small beside it",
            path="signal_variance",
            fix="reject the law or the group",
        )
    if residual_variance == 0:
        return 1.0
    ratio = signal_variance / residual_variance
    return min(1.0, math.sqrt((1 - target) / target * ratio))


def variance(values: ArrayLike) -> float:
    """Population variance of all values, exactly 0 if they are all the same.

    Raises:
        InputError: there are none, or one is not finite.
    """
    column = table_of(values, "values").ravel()
    if np.ptp(column) == 0:
        return 0.0
    return float(np.var(column))


def span_points(column: NDArray[np.float64], count: int = SPAN_POINTS) -> NDArray[np.float64]:
    """Points from the least to the largest input, evenly or, over a decade, in equal ratios.

    Raises:
        InputError: there are no inputs, one is not finite, or `count` is below 2.
    """
    column = table_of(column, "inputs").ravel()
    if count < 2:
        raise InputError(f"{count} points do not span anything", path="count")
    low, high = float(column.min()), float(column.max())
    spaced = np.geomspace if spans_decade(column) else np.linspace
    # The ends are the very ends: rounding must not step outside the support.
    return np.clip(spaced(low, high, count), low, high)


__all__ = ("SPAN_POINTS", "TARGET", "noise_factor", "span_points", "variance")
