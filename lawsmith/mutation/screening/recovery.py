"""Certificate 7: the constants of both laws can be had back from the 16 Fixed observations.

Policy `starts-1`, for each environment and each readout alone (folded laws share no constant):

- The constants are the free ones of the folded law (`law_constants`), declared exponents among
  them; other exponents, pi, e and zero are structure, and a sign belongs to the form.
- Which constants count is read off the Jacobian at the true law on the unkeyed dense design,
  in tolerances per relative change. In document order, a constant whose change by its own size
  moves the readout by at most one tolerance anywhere is negligible: no weak success needs it.
  A constant whose column depends on those before it cannot be told from them: they count as
  one. Constants of both kinds are held at their values, which only fixes the scale of the others.
- Starts: points 32 to 63 of the plain Sobol sequence (the points before hold the middle of the
  cube, which would start a round constant at its value) over four decades, 1/100 to 100 of the
  scaled unit of each constant: the power of ten at or below its size.
- Levenberg-Marquardt in the logarithms of the constants on the quantised B = 16 observations,
  residuals in tolerances. The first start whose fit has e <= 1 at every hidden input ends it;
  which one that is, is not stored: of 404 families measured, 12 gave another when the starts
  moved by a last bit, and none another verdict.
- Full rank: moving the constants by their own size, whichever way, changes the 16 observations
  by at least one tolerance (root of the sum of squares). What moves them less is lost in steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.measurement import Misfit, Points, columns, quantise
from lawsmith.mutation.screening.constants import allowed, independent, slopes
from lawsmith.mutation.screening.inputs import ENVIRONMENTS, Case, Figures, certificate
from lawsmith.rules import named
from schemas.family import Certificate, Environment

STARTS_POLICY: Final = named("starts")
STARTS: Final = 32
DECADES: Final = 4.0
FIRST_POINT: Final = 32
NEGLIGIBLE: Final = 1.0
"""Tolerances that a constant must move its readout by, changed by its own size, to count."""
RANK_BOUND: Final = 1.0
WEAK: Final = 1.0
ERROR_CAP: Final = 10.0
_LEVELS: Final = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_STEPS: Final = 100
_ACCURACY: Final = 1e-12
_FIRST_STEP: Final = 0.01
"""MINPACK's first step is at most 100 of these: here a factor of e. With its own choice, e^100,
half as many starts of the harder forms end well."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What fitting one readout's form from the starts came to."""

    constants: int
    """Constants that count: all are had back, or none is said to be."""
    merged: int
    negligible: int
    reached: bool
    """Whether a start ends in weak success."""
    error: float
    """Largest e at the hidden inputs of the best fit, the one from the true constants."""
    least: float
    """Smallest singular value of the Jacobian on the 16 inputs, in tolerances."""
    ratio: float
    """Smallest singular value over the largest."""

    @property
    def found(self) -> bool:
        """Whether the constants are had back."""
        return self.reached and self.least >= RANK_BOUND


def recoverable(case: Case) -> Certificate:
    """Certificate 7: a fit from blind starts gives each law back, and fixes its constants."""
    figures: dict[str, float | str] = {"starts": float(STARTS)}
    faults: list[str] = []
    for environment in ENVIRONMENTS:
        found = [recovery(case, environment, r) for r in range(len(case.family.readouts))]
        figures |= _figures(environment, found)
        for readout, one in zip(case.family.readouts, found, strict=True):
            if not one.found:
                fault = "16 inputs do not determine" if one.reached else "no start reaches"
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
    bench = _Bench(case, environment, r)
    names, merged, negligible = bench.counted()
    singular = bench.singular_values(names)
    reached, error = bench.reached(names)
    return Recovery(
        constants=len(names),
        merged=merged,
        negligible=negligible,
        reached=reached,
        error=error,
        least=float(singular.min()) if names else np.inf,
        ratio=float(singular.min() / singular.max()) if singular.any() else float(not names),
    )


class _Bench:
    """One form with its true constants and the instruments it is read with."""

    def __init__(self, case: Case, environment: Environment, r: int) -> None:
        self._case = case
        self._r = r
        self._readout = case.family.readouts[r]
        self._truths = (
            case.fixed_truth[environment][:, r],
            case.hidden_truth[environment][:, r],
        )
        form = case.forms[environment][self._readout.name]
        self._form, self._values = form.expression, form.values

    def counted(self) -> tuple[tuple[str, ...], int, int]:
        """(constants that count, how many count with others, how many are negligible)."""
        names = tuple(self._values)
        found = self._slopes(names, self._case.dense)
        if names and not len(found):
            raise InputError("no point of the dense design lies inside the law's domain")
        seen = [i for i in range(len(names)) if np.abs(found[:, i]).max() > NEGLIGIBLE]
        kept = independent([names[i] for i in seen], found[:, seen])
        return kept, len(seen) - len(kept), len(names) - len(seen)

    def singular_values(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Of the Jacobian on the Fixed inputs; one for each constant, shape (constants,)."""
        found = np.zeros(len(names))
        jacobian = self._slopes(names, self._case.fixed)
        if jacobian.size:
            some = np.linalg.svd(jacobian, compute_uv=False)
            found[: len(some)] = some
        return found

    def reached(self, names: Sequence[str]) -> tuple[bool, float]:
        """(whether a start ends in weak success, largest e of the best fit there is).

        The best fit is that from the true constants themselves: it does not hang on which of
        the starts came first, which may turn on the last bit of float64.
        """
        true = np.array([self._values[name] for name in names])
        seen = quantise(self._truths[0], self._readout.resolution)
        held = {name: value for name, value in self._values.items() if name not in names}
        given: dict[str, NDArray[np.float64] | float] = {
            **columns(self._case.family.controls, self._case.fixed),
            **held,
        }
        misfit = Misfit(self._form, names, given, seen, allowed(self._readout, seen))
        if len(names) > len(seen):
            return False, np.inf
        best = self._error(dict(zip(names, _fitted(misfit, true).tolist(), strict=True)))
        for start in starts(true):
            fitted = _fitted(misfit, start).tolist()
            if self._error(dict(zip(names, fitted, strict=True))) <= WEAK:
                return True, best
        return False, best

    def _error(self, constants: dict[str, float]) -> float:
        truth = self._truths[1]
        inputs = columns(self._case.family.controls, self._case.hidden)
        try:
            value = compile_expression(self._form)({**inputs, **self._values, **constants})
        except UndefinedValueError:
            # Without a value at a hidden input this fit is no admissible predictor.
            return np.inf
        return float((np.abs(value - truth) / allowed(self._readout, truth)).max())

    def _slopes(self, names: Sequence[str], points: Points) -> NDArray[np.float64]:
        controls = self._case.family.controls
        return slopes(self._form, self._values, names, controls, points, self._readout)


def starts(true: NDArray[np.float64]) -> NDArray[np.float64]:
    """The starts of `starts-1`, shape (32, constants); without constants the one empty start.

    Args:
        true: the constants, none of them zero; only sign and order of magnitude are used.
    """
    if not len(true):
        return np.empty((1, 0))
    sobol = scipy.stats.qmc.Sobol(len(true), scramble=False)
    sequence = sobol.random(FIRST_POINT + STARTS)[FIRST_POINT:]
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
    found = scipy.optimize.least_squares(
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
    worst = max(one.error for one in found)
    return {
        f"constants_{environment}": float(sum(one.constants for one in found)),
        f"merged_{environment}": float(sum(one.merged for one in found)),
        f"negligible_{environment}": float(sum(one.negligible for one in found)),
        f"reached_{environment}": "true" if all(one.reached for one in found) else "false",
        f"best_e_below_{environment}": next((x for x in _LEVELS if worst <= x), ERROR_CAP),
        f"least_singular_{environment}": float(f"{min(one.least for one in found):.4g}"),
        f"least_ratio_{environment}": float(f"{min(one.ratio for one in found):.4g}"),
    }


__all__ = (
    "DECADES",
    "RANK_BOUND",
    "STARTS",
    "STARTS_POLICY",
    "Recovery",
    "recoverable",
    "recovery",
    "starts",
)
