"""How far a prediction of real records is off, and the score of it beside a reference.

The metrics are those of SciLaws-Bench with their edge cases. A reference is near-perfect by its
error relative to the spread of the truth, so a unit decides nothing.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import InputError

Metric = Literal["rmse", "mae", "mse", "mdae", "smape", "mape", "log_mae", "r2"]
Floats = NDArray[np.float64]

NEAR_PERFECT: Final = 1e-4
"""A reference this near to perfect, relative, leaves nothing to be better at."""
SMALLEST: Final = 1e-300
"""A prediction <= 0 has the logarithm of this, which costs about 300 decades."""


def metric_value(metric: Metric, predicted: ArrayLike, truth: ArrayLike) -> float | None:
    """The metric of a prediction, None where it has no value.

    It has none for no rows, for `smape` if every row is 0 in both, for `mape` if every truth is
    0, for `log_mae` if no truth is positive, for `r2` if the truth does not vary.

    Raises:
        InputError: an unknown metric, unequal shapes, or a number that is not finite (a
            prediction that is not finite fails as a whole before it is measured).
    """
    if metric not in _METRICS:
        raise InputError(f"metric {metric!r} is not one of {get_args(Metric)}", path="metric")
    p, t = np.asarray(predicted, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if p.ndim != 1 or p.shape != t.shape:
        raise InputError(f"{p.shape} predictions for {t.shape} rows", path="predicted")
    for name, values in (("predicted", p), ("truth", t)):
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise InputError(f"{values[row].item()!r} is not finite", path=f"{name}[{row}]")
    return _METRICS[metric](p, t) if len(t) else None


def perfect(metric: Metric) -> float:
    """The value of a perfect prediction."""
    return 1.0 if metric == "r2" else 0.0


def metric_scale(metric: Metric, truth: ArrayLike) -> float:
    """What a distance from perfect is measured in: the spread of the truth, or 1 where relative.

    The population standard deviation for `rmse`, `mae`, `mdae`; its square for `mse`; 1 for the
    others, which have no unit.
    """
    spread = float(np.std(np.asarray(truth, dtype=np.float64)))
    return {"rmse": spread, "mae": spread, "mdae": spread, "mse": spread**2}.get(metric, 1.0)


def near_perfect(metric: Metric, reference: float, scale: float) -> bool:
    """Whether a reference is within 1e-4 of perfect, in units of `metric_scale`.

    For `mse` the bound is squared. With a scale of 1 this is the published, absolute test.
    """
    bound = NEAR_PERFECT**2 if metric == "mse" else NEAR_PERFECT
    return abs(reference - perfect(metric)) <= bound * scale


def numeric_score(metric: Metric, submitted: float, reference: float) -> float:
    """`clip(1 - d(submitted)/(2*d(reference)), 0, 1)`, d the distance from perfect.

    0.5 is as good as the reference (SciLaws-Bench, equation 1, both branches).

    Raises:
        InputError: a value is not finite, or the reference is perfect.
    """
    for name, value in (("submitted", submitted), ("reference", reference)):
        if not np.isfinite(value):
            raise InputError(f"{value!r} is not finite", path=name)
    best = perfect(metric)
    if reference == best:
        raise InputError(f"a perfect reference ({metric} {reference!r})", path="reference")
    return min(1.0, max(0.0, 1 - abs(submitted - best) / (2 * abs(reference - best))))


def _relative(error: Floats, size: Floats) -> float | None:
    some = size > 0
    return float((error[some] / size[some]).mean()) if some.any() else None


def _smape(p: Floats, t: Floats) -> float | None:
    return _relative(np.abs(p - t), (np.abs(p) + np.abs(t)) / 2)


def _log_mae(p: Floats, t: Floats) -> float | None:
    some = t > 0
    if not some.any():
        return None
    logs = np.log10(np.maximum(p[some], SMALLEST)) - np.log10(t[some])
    return float(np.abs(logs).mean())


def _r2(p: Floats, t: Floats) -> float | None:
    if np.ptp(t) == 0:
        return None
    return 1 - float(((t - p) ** 2).sum()) / float(((t - t.mean()) ** 2).sum())


_METRICS: Final[Mapping[str, Callable[[Floats, Floats], float | None]]] = MappingProxyType(
    {
        "rmse": lambda p, t: float(np.sqrt(((p - t) ** 2).mean())),
        "mae": lambda p, t: float(np.abs(p - t).mean()),
        "mse": lambda p, t: float(((p - t) ** 2).mean()),
        "mdae": lambda p, t: float(np.median(np.abs(p - t))),
        "smape": _smape,
        "mape": lambda p, t: _relative(np.abs(p - t), np.abs(t)),
        "log_mae": _log_mae,
        "r2": _r2,
    }
)

__all__ = (
    "NEAR_PERFECT",
    "Metric",
    "metric_scale",
    "metric_value",
    "near_perfect",
    "numeric_score",
    "perfect",
)
