"""Certificate 7: the constants of both laws can be had back from the 16 Fixed observations.

Policy `starts-1`, for each environment and each readout alone (folded laws share no constant):

- The constants are the literals of the folded law that may be refitted (`literal_paths`);
  exponents, pi, e and zero are structure, and a sign belongs to the form.
- Which constants count is read off the Jacobian at the true law on the unkeyed dense design,
  in tolerances per relative change. In document order, a constant whose change by its own size
  moves the readout by at most one tolerance anywhere is negligible: no weak success needs it.
  A constant whose column depends on those before it cannot be told from them: they count as
  one. Constants of both kinds are held at their values, which only fixes the scale of the others.
- Starts: points 32 to 63 of the plain Sobol sequence (the points before hold the middle of the
  cube, which would start a round constant at its value) over four decades, 1/100 to 100 of the
  scaled unit of each constant: the power of ten at or below its size.
- Levenberg-Marquardt in the logarithms of the constants on the quantised B = 16 observations,
  residuals in tolerances. The first start whose fit has e <= 1 at every hidden input ends it.
- Full rank: moving the constants by their own size, whichever way, changes the 16 observations
  by at least one tolerance (root of the sum of squares). What moves them less is lost in steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import qmc

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.measurement import quantise
from lawsmith.measurement.constraints import Points, columns
from lawsmith.measurement.fits import Misfit
from lawsmith.mutation.case import ENVIRONMENTS, Case, Figures, certificate
from lawsmith.mutation.distinctness import free_constants
from schemas.expression import Expression
from schemas.family import Certificate, Environment

STARTS_POLICY: Final = "starts-1"
STARTS: Final = 32
DECADES: Final = 4.0
FIRST_POINT: Final = 32
NEGLIGIBLE: Final = 1.0
"""Tolerances that a constant must move its readout by, changed by its own size, to count."""
DEPENDENT: Final = 1e-6
"""Share of a column's length left after projecting on those before it, below which it depends
on them. Columns that do so exactly leave 1e-10 at most, the noise of the differences."""
RANK_BOUND: Final = 1.0
WEAK: Final = 1.0
ERROR_CAP: Final = 10.0
_WITHIN: Final = (1, 2, 4, 8, 16, 32)
"""What is stored of the first start that succeeds: a start on the rim of a basin may fall either
way with the last bit of float64."""
_LEVELS: Final = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_STEPS: Final = 100
_ACCURACY: Final = 1e-12
_FIRST_STEP: Final = 0.01
"""MINPACK's first step is at most 100 of these: here a factor of e. With its own choice, e^100,
half as many starts of the harder forms end well."""
_STENCIL: Final = 1e-4
"""Relative step of the five-point differences: their error is some 1e-10 at most, also for a
constant in an exponent of 40."""
_SMOOTH: Final = 1e-3
"""Difference between a point's slopes at one and at two steps, as a share of the larger, above
which a kink or a pole is too near for either to be the slope."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What fitting one readout's form from the starts came to."""

    constants: int
    """Constants that count: all are had back, or none is said to be."""
    merged: int
    negligible: int
    first: int | None
    """The first start that succeeds, from 1; None when none does."""
    error: float
    """Largest e at the hidden inputs of the first fit that succeeds, else of the best."""
    least: float
    """Smallest singular value of the Jacobian on the 16 inputs, in tolerances."""
    ratio: float
    """Smallest singular value over the largest."""

    @property
    def found(self) -> bool:
        """Whether the constants are had back."""
        return self.first is not None and self.least >= RANK_BOUND


def recoverable(case: Case) -> Certificate:
    """Certificate 7: a fit from blind starts gives each law back, and fixes its constants."""
    figures: dict[str, float | str] = {}
    faults: list[str] = []
    for environment in ENVIRONMENTS:
        found = [recovery(case, environment, r) for r in range(len(case.family.readouts))]
        figures |= _figures(environment, found)
        for readout, one in zip(case.family.readouts, found, strict=True):
            if not one.found:
                fault = "no start reaches" if one.first is None else "16 inputs do not determine"
                faults.append(f"{fault} {readout.name} ({environment})")
    return certificate(
        7,
        not faults,
        figures,
        "; ".join(faults)
        or "from blind starts a fit to the 16 Fixed observations gives both laws back",
    )


def recovery(case: Case, environment: Environment, r: int) -> Recovery:
    """Fit the form of one readout's folded law on its 16 quantised observations.

    Args:
        case: the family.
        environment: whose law.
        r: which readout.

    Raises:
        InputError: the law has no value around any point of the dense design.
    """
    readout = case.family.readouts[r]
    form, values = free_constants(case.folded[environment][readout.name])
    bench = _Bench(case, r, form, values)
    names, merged, negligible = bench.counted(case.dense)
    singular = bench.singular_values(names)
    first, error = bench.first_success(environment, names)
    return Recovery(
        constants=len(names),
        merged=merged,
        negligible=negligible,
        first=first,
        error=error,
        least=float(singular.min()) if names else np.inf,
        ratio=float(singular.min() / singular.max()) if names else 1.0,
    )


class _Bench:
    """One form with its true constants and the instruments it is read with."""

    def __init__(self, case: Case, r: int, form: Expression, values: dict[str, float]) -> None:
        self._case = case
        self._r = r
        self._form = form
        self._law = compile_expression(form)
        self._values = values

    def counted(self, points: Points) -> tuple[tuple[str, ...], int, int]:
        """(constants that count, how many count with others, how many are negligible)."""
        names = tuple(self._values)
        slopes = self._slopes(names, points)
        if names and not len(slopes):
            raise InputError("no point of the dense design lies inside the law's domain")
        kept: list[str] = []
        basis = np.empty((len(slopes), 0))
        merged = negligible = 0
        for name, column in zip(names, slopes.T, strict=True):
            if np.abs(column).max(initial=0.0) <= NEGLIGIBLE:
                negligible += 1
                continue
            rest = column / np.linalg.norm(column)
            for _ in range(2):
                rest = rest - basis @ (basis.T @ rest)
            length = float(np.linalg.norm(rest))
            if length <= DEPENDENT:
                merged += 1
                continue
            kept.append(name)
            basis = np.column_stack([basis, rest / length])
        return tuple(kept), merged, negligible

    def singular_values(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Of the Jacobian on the Fixed inputs; one for each constant, shape (constants,)."""
        slopes = self._slopes(names, self._case.fixed)
        found = np.zeros(len(names))
        if slopes.size:
            some = np.linalg.svd(slopes, compute_uv=False)
            found[: len(some)] = some
        return found

    def first_success(
        self, environment: Environment, names: Sequence[str]
    ) -> tuple[int | None, float]:
        """(first start with a weak success, its largest e), or (None, the best e of all)."""
        case, r = self._case, self._r
        readout = case.family.readouts[r]
        seen = quantise(case.fixed_truth[environment][:, r], readout.resolution)
        held = {name: value for name, value in self._values.items() if name not in names}
        given: dict[str, NDArray[np.float64] | float] = {
            **columns(case.family.controls, case.fixed),
            **held,
        }
        misfit = Misfit(self._form, names, given, seen, self._allowed(seen))
        best = np.inf
        true = np.array([self._values[name] for name in names])
        for number, start in enumerate(starts(true), start=1):
            constants = _fitted(misfit, start) if len(names) <= len(seen) else start
            error = self._error(environment, dict(zip(names, constants.tolist(), strict=True)))
            if error <= WEAK:
                return number, error
            best = min(best, error)
        return None, best

    def _error(self, environment: Environment, constants: dict[str, float]) -> float:
        case = self._case
        truth = case.hidden_truth[environment][:, self._r]
        inputs = columns(case.family.controls, case.hidden)
        try:
            value = self._law({**inputs, **self._values, **constants})
        except UndefinedValueError:
            # Without a value at a hidden input this fit is no admissible predictor.
            return np.inf
        return float((np.abs(value - truth) / self._allowed(truth)).max())

    def _slopes(self, names: Sequence[str], points: Points) -> NDArray[np.float64]:
        """Tolerances per relative change of each constant, shape (<= n, constants).

        Points so near an end of the law's domain that a neighbour is undefined are left out, and
        those so near a kink or a pole that the slope changes from one step to two.
        """
        count = len(names)
        if not count:
            return np.empty((len(points), 0))
        moves = np.array([1.0, -1.0, 2.0, -2.0]) * _STENCIL
        moved = np.ones((4, count, count)) + moves[:, None, None] * np.eye(count)
        factors = np.vstack([np.ones((1, count)), moved.reshape(4 * count, count)])
        given = {**self._values} | {
            name: (self._values[name] * factors[:, i])[:, None] for i, name in enumerate(names)
        }
        value = self._stencil(given, points)
        up, down, far_up, far_down = value[1:].reshape(4, count, -1)
        near, far = (up - down) / (2 * _STENCIL), (far_up - far_down) / (4 * _STENCIL)
        size = np.maximum(np.abs(near), np.abs(far))
        # What is far below a tolerance is rounding, and says nothing about smoothness.
        allowed = self._allowed(value[0])
        smooth = (np.abs(near - far) <= _SMOOTH * np.maximum(size, allowed)).all(axis=0)
        found: NDArray[np.float64] = ((4 * near - far) / 3 / allowed).T[smooth]
        return found

    def _stencil(
        self, given: dict[str, NDArray[np.float64] | float], points: Points
    ) -> NDArray[np.float64]:
        inputs = columns(self._case.family.controls, points)
        try:
            return np.broadcast_to(self._law({**inputs, **given}), (_rows(given), len(points)))
        except UndefinedValueError:
            if len(points) == 1:
                return np.empty((_rows(given), 0))
        parts = [self._stencil(given, points[i : i + 1]) for i in range(len(points))]
        return np.concatenate(parts, axis=1)

    def _allowed(self, truth: NDArray[np.float64]) -> NDArray[np.float64]:
        readout = self._case.family.readouts[self._r]
        return readout.absolute + readout.relative * np.abs(truth)


def starts(true: NDArray[np.float64]) -> NDArray[np.float64]:
    """The starts of `starts-1`, shape (32, constants); without constants the one empty start.

    Args:
        true: the constants, none of them zero; only sign and order of magnitude are used.
    """
    if not len(true):
        return np.empty((1, 0))
    sequence = qmc.Sobol(len(true), scramble=False).random(FIRST_POINT + STARTS)[FIRST_POINT:]
    unit = np.array([float(f"1e{Decimal(repr(value)).adjusted()}") for value in true.tolist()])
    found: NDArray[np.float64] = np.sign(true) * unit * 10.0 ** (DECADES * (sequence - 0.5))
    return found


def _fitted(misfit: Misfit, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """The constants that Levenberg-Marquardt reaches in logarithms; signs are kept."""

    def constants(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        # Past e^300 either way a constant is lost; the ends keep it a number.
        found: NDArray[np.float64] = start * np.exp(np.clip(logs, -300.0, 300.0))
        return found

    def slopes(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        now = constants(logs)
        found: NDArray[np.float64] = misfit.slopes(now) * now
        return found

    if not len(start):
        return start
    found = least_squares(
        lambda logs: misfit(constants(logs)),
        np.zeros(len(start)),
        slopes,
        method="lm",
        x_scale=_FIRST_STEP,
        xtol=_ACCURACY,
        ftol=_ACCURACY,
        gtol=_ACCURACY,
        max_nfev=_STEPS,
    )
    return constants(np.asarray(found.x, dtype=np.float64))


def _figures(environment: Environment, found: Sequence[Recovery]) -> Figures:
    """Figures that do not hang on the last bits of float64: counts, levels and four digits."""
    reached = [one.first for one in found]
    latest = max((first for first in reached if first is not None), default=0)
    within = next(level for level in _WITHIN if latest <= level)
    weakest = min(found, key=lambda one: one.least)
    worst = max(one.error for one in found)
    return {
        f"constants_{environment}": float(sum(one.constants for one in found)),
        f"merged_{environment}": float(sum(one.merged for one in found)),
        f"negligible_{environment}": float(sum(one.negligible for one in found)),
        f"found_within_{environment}": "none" if None in reached else float(within),
        f"worst_e_below_{environment}": next((x for x in _LEVELS if worst <= x), ERROR_CAP),
        f"least_singular_{environment}": float(f"{weakest.least:.4g}"),
        f"least_ratio_{environment}": float(f"{min(one.ratio for one in found):.4g}"),
    }


def _rows(given: dict[str, NDArray[np.float64] | float]) -> int:
    return max((len(v) for v in given.values() if isinstance(v, np.ndarray)), default=1)


__all__ = ("STARTS", "STARTS_POLICY", "Recovery", "recoverable", "recovery", "starts")
