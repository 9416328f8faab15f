"""Least squares from one start or many, and what the slopes say of the result's precision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.calibration.fitting.residual_function import Target

Floats = NDArray[np.float64]

EXACT: Final = 1e-14
"""Relative tolerance to which a fit goes unless told otherwise; it is polished then."""
SCREENING: Final = 1e-8
"""Where figures of a few digits are wanted, or a minimum only has to be found."""
_DECADES: Final = 1.0
_FIRST_STEPS: Final = 12
_MORE_STEPS: Final = 400
_LAST_STEPS: Final = 4000
"""Long curved valleys (NIST's Bennett5) take more than a thousand."""
_TAKEN: Final = 8
"""Starts of least cost that get a first few steps."""
_FINISHED: Final = 3
_POLISH: Final = 60
_TOUCH: Final = 1e-7
_CONVERGED: Final = 1e-13
"""Relative step at which a polish ends."""


@dataclass(frozen=True, slots=True)
class Box:
    """Bounds of a vector of constants; infinite where there is none."""

    low: Floats
    high: Floats

    def holds(self, values: Floats) -> bool:
        """Whether a vector is inside."""
        return bool(((self.low <= values) & (values <= self.high)).all())

    def binds(self, values: Floats) -> bool:
        """Whether a vector touches a bound."""
        off = np.minimum(values - self.low, self.high - values)
        return bool((off <= _TOUCH * (1 + np.abs(values))).any())

    def nearest(self, values: Floats) -> Floats:
        """The vector inside that is nearest."""
        return np.clip(values, self.low, self.high)


def starting_points(given: Sequence[Floats], box: Box, count: int) -> list[Floats]:
    """The given starts, then unkeyed Sobol points within a decade of the first, `count` in all.

    A constant of 0 starts within +-1. All are moved into the box.
    """
    found = [box.nearest(start) for start in given][: max(count, len(given))]
    first = given[0]
    more = count - len(found)
    if len(first) and more > 0:
        power = max(1, int(np.ceil(np.log2(more + 1))))
        unit = scipy.stats.qmc.Sobol(len(first), scramble=False).random_base2(power)[1 : more + 1]
        spread = (2 * unit - 1) * _DECADES
        found += [box.nearest(np.where(first == 0, s, first * 10.0**s)) for s in spread]
    return found


def least(target: Target, starts: Sequence[Floats], box: Box, tolerance: float = EXACT) -> Floats:
    """The constants of least sum of squares; of equal ones that of the earlier start.

    One start goes the whole way. Of many, those of least cost get a few steps and the best of
    these go the whole way.

    Args:
        target: residuals and slopes.
        starts: at least one, all inside the box.
        box: bounds of the constants.
        tolerance: relative, of cost, constants and slopes; an exact fit is polished.
    """
    if len(starts) == 1 or len(starts[0]) == 0:
        return _ended(target, starts[0], box, tolerance)
    ranked = sorted(starts, key=lambda start: _cost(target, start))[:_TAKEN]
    # The first start is what a person gave; it always has its chance.
    taken = ranked if any(start is starts[0] for start in ranked) else [*ranked, starts[0]]
    tried = [_descend(target, start, box, _FIRST_STEPS, tolerance) for start in taken]
    tried.sort(key=lambda point: _cost(target, point))
    # Which valley is the deepest shows long before the floor of each is reached.
    rough = max(tolerance, SCREENING)
    ends = [_descend(target, point, box, _MORE_STEPS, rough) for point in tried[:_FINISHED]]
    best = min(ends, key=lambda point: _cost(target, point))
    return _ended(target, best, box, tolerance)


def _ended(target: Target, start: Floats, box: Box, tolerance: float) -> Floats:
    """The whole way from one start."""
    found = _descend(target, start, box, _LAST_STEPS, tolerance)
    return _polished(target, found, box) if tolerance <= EXACT else found


def _descend(target: Target, start: Floats, box: Box, steps: int, tolerance: float) -> Floats:
    rows = len(target.residuals(start))
    if len(start) == 0:
        return start
    # Levenberg-Marquardt of MINPACK wants as many rows as constants and knows no bounds, but is
    # much the faster; most bounds do not bind.
    if rows >= len(start) and not box.binds(start):
        found = _scipy(target, start, None, steps, tolerance)
        if box.holds(found):
            return found
    width = np.where(np.isfinite(box.high - box.low), box.high - box.low, 1.0)
    inside = np.clip(start, box.low + 1e-10 * width, box.high - 1e-10 * width)
    return _scipy(target, inside, box, steps, tolerance)


def _scipy(target: Target, start: Floats, box: Box | None, steps: int, tolerance: float) -> Floats:
    # On the way scipy may divide by a step of length 0; what comes of it is refused by its cost.
    with np.errstate(all="ignore"):
        found = scipy.optimize.least_squares(
            target.residuals,
            start,
            target.slopes,
            method="lm" if box is None else "trf",
            bounds=(-np.inf, np.inf) if box is None else (box.low, box.high),
            x_scale="jac",
            xtol=tolerance,
            ftol=tolerance,
            gtol=tolerance,
            max_nfev=steps,
        )
    return np.asarray(found.x, dtype=np.float64)


def _polished(target: Target, point: Floats, box: Box) -> Floats:
    """Gauss-Newton steps, each halved until the sum of squares does not grow.

    They go on where a descent stops: where the sum is flat to rounding, its slopes are not.
    """
    if len(point) == 0:
        return point
    residuals = target.residuals(point)
    cost = float(residuals @ residuals)
    for _ in range(_POLISH):
        step = -scaled_solution(target.slopes(point), residuals)
        for _halving in range(4):
            trial = point + step
            moved = target.residuals(trial)
            new = float(moved @ moved)
            if box.holds(trial) and new <= cost * (1 + 1e-14):
                break
            step = step / 2
        else:
            return point
        done = bool((np.abs(trial - point) <= _CONVERGED * np.abs(trial)).all())
        point, residuals, cost = trial, moved, min(cost, new)
        if done:
            return point
    return point


def scaled_solution(matrix: Floats, values: Floats) -> Floats:
    """Least-squares solution of smallest norm, columns brought to unit length first."""
    lengths = np.linalg.norm(matrix, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    solution = np.linalg.lstsq(matrix / lengths, values, rcond=1e-14)[0]
    found: Floats = (solution.T / lengths).T
    return found


def unit_covariance(matrix: Floats) -> Floats | None:
    """The inverse of matrix' * matrix, None if a direction is not determined."""
    columns = matrix.shape[1]
    if columns == 0:
        return np.zeros((0, 0))
    lengths = np.linalg.norm(matrix, axis=0)
    if len(matrix) < columns or not (lengths > 0).all():
        return None
    upper = np.linalg.qr(matrix / lengths, mode="r")
    sizes = np.linalg.svd(upper, compute_uv=False)
    if sizes[-1] <= 1e-14 * sizes[0]:
        return None
    # A constant that hardly moves the law has a variance beyond any float: nothing determines it.
    with np.errstate(over="ignore", invalid="ignore"):
        inverse = np.linalg.inv(upper) / lengths[:, None]
        found: Floats = inverse @ inverse.T
    return found if np.isfinite(found).all() else None


def _cost(target: Target, point: Floats) -> float:
    residuals = target.residuals(point)
    return float(residuals @ residuals)


__all__ = (
    "EXACT",
    "SCREENING",
    "Box",
    "least",
    "scaled_solution",
    "starting_points",
    "unit_covariance",
)
