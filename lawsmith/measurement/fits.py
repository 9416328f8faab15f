"""Law-blind fits (constant, affine, monomial, polynomial) and the refit of a given form.

The only place of these formulas: the null battery, certificate 3 and the baseline players
all use them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.measurement.constraints import Points
from schemas.expression import Expression, Op, Var

Values = NDArray[np.float64]
"""Shape (n, readouts)."""

STARTS: Final = 20
_DECADES: Final = 1.0
_FIRST_STEPS: Final = 8
_LAST_STEPS: Final = 60
_POLISHED: Final = 3
_STEP: Final = 2.0**-26
"""Relative step of a forward difference: the root of the spacing of float64."""
HOPELESS: Final = 1e9
"""Residual of a point where the form has no value: a start that leaves the domain loses."""


def fit_constant(names: Sequence[str], inputs: Points, values: Values) -> tuple[Expression, ...]:
    """The mean of each readout.

    Args:
        names: control names, for the shape check alone.
        inputs: shape (n, controls).
        values: shape (n, readouts).

    Raises:
        InputError: shapes do not agree, a number is not finite, or there are no rows.
    """
    _check(names, inputs, values)
    return tuple(float(values[:, r].mean()) + 0.0 for r in range(values.shape[1]))


def fit_affine(names: Sequence[str], inputs: Points, values: Values) -> tuple[Expression, ...]:
    """`a + sum b_i*x_i` by least squares, the smallest scaled slopes where rows are too few."""
    return fit_polynomial(names, inputs, values, degree=1)


def fit_polynomial(
    names: Sequence[str], inputs: Points, values: Values, degree: int = 3
) -> tuple[Expression, ...]:
    """The full polynomial of a degree in all controls, by least squares of smallest norm.

    Controls enter as (x - middle)/half-range of the rows; a control that does not vary is
    left out.

    Raises:
        InputError: shapes do not agree, a number is not finite, or there are no rows.
    """
    _check(names, inputs, values)
    middle = (inputs.max(axis=0) + inputs.min(axis=0)) / 2
    half = (inputs.max(axis=0) - inputs.min(axis=0)) / 2
    axes = [i for i in range(len(names)) if half[i] > 0]
    powers = [c for d in range(degree + 1) for c in combinations_with_replacement(axes, d)]
    scaled = (inputs - middle) / np.where(half > 0, half, 1.0)
    matrix = np.column_stack([scaled[:, list(c)].prod(axis=1) for c in powers])
    size = np.abs(values).max(axis=0)
    size = np.where(size > 0, size, 1.0)
    solution = np.linalg.lstsq(matrix, values / size, rcond=1e-10)[0] * size
    terms: dict[int, Expression] = {}
    for i in axes:
        shifted = Op("sub", (Var(names[i]), float(middle[i])))
        terms[i] = Op("div", (shifted, float(half[i])))
    return tuple(_sum_of_terms(powers, solution[:, r], terms) for r in range(values.shape[1]))


def fit_monomial(names: Sequence[str], inputs: Points, values: Values) -> tuple[Expression, ...]:
    """`c * product x_i^p_i` by least squares in logarithms.

    Controls with a value <= 0 are left out; a readout of mixed sign or with a zero has no
    logarithm and gets its mean.

    Raises:
        InputError: shapes do not agree, a number is not finite, or there are no rows.
    """
    _check(names, inputs, values)
    axes = [i for i in range(len(names)) if (inputs[:, i] > 0).all() and np.ptp(inputs[:, i]) > 0]
    logs = np.log(inputs[:, axes])
    centre = logs.mean(axis=0)
    matrix = np.column_stack([np.ones(len(inputs)), logs - centre])
    found: list[Expression] = []
    for r in range(values.shape[1]):
        column = values[:, r]
        if not ((column > 0).all() or (column < 0).all()):
            found.append(float(column.mean()) + 0.0)
            continue
        sign = 1.0 if column[0] > 0 else -1.0
        solution = np.linalg.lstsq(matrix, np.log(np.abs(column)), rcond=1e-10)[0]
        factors: list[Expression] = [sign * float(np.exp(solution[0]))]
        for k, i in enumerate(axes):
            # Scaling by the geometric mean keeps the prefactor of ordinary size.
            scaled = Op("div", (Var(names[i]), float(np.exp(centre[k]))))
            factors.append(Op("pow", (scaled, float(solution[k + 1]))))
        found.append(Op("mul", tuple(factors)) if axes else factors[0])
    return tuple(found)


@dataclass(frozen=True, slots=True)
class FormFit:
    """The best values of a form's free constants."""

    constants: dict[str, float]
    cost: float
    """Mean square of the residuals, in squared tolerances."""


class Misfit:
    """(form - truth)/scale as a function of the form's constants, with its slopes.

    Args:
        form: an expression over the inputs and the constants.
        names: the constants, in the order of the vectors taken.
        inputs: every other name -> column, shape (n,), or a number.
        truth: shape (n,).
        scale: shape (n,), > 0.
    """

    def __init__(
        self,
        form: Expression,
        names: Sequence[str],
        inputs: Mapping[str, ArrayLike],
        truth: NDArray[np.float64],
        scale: NDArray[np.float64],
    ) -> None:
        self._law = compile_expression(form)
        self._names = tuple(names)
        self._inputs = dict(inputs)
        self._truth = truth
        self._scale = scale

    def __call__(self, constants: NDArray[np.float64]) -> NDArray[np.float64]:
        """Residuals, shape (n,); a point without a value makes all of them `HOPELESS`."""
        given = dict(zip(self._names, constants.tolist(), strict=True))
        try:
            value = self._law({**self._inputs, **given})
        except UndefinedValueError:
            return np.full(self._truth.shape, HOPELESS)
        return self._residuals(value)

    def slopes(self, constants: NDArray[np.float64]) -> NDArray[np.float64]:
        """Forward differences, shape (n, constants): one call of the law for all of them."""
        steps = _STEP * np.where(constants == 0.0, 1.0, np.abs(constants))
        moved = np.vstack([constants, constants + np.diag(steps)])
        steps = np.diag(moved[1:]) - constants
        given = {name: moved[:, i, None] for i, name in enumerate(self._names)}
        try:
            rows = self._residuals(self._law({**self._inputs, **given}))
        except UndefinedValueError:
            rows = np.stack([self(row) for row in moved])
        found: NDArray[np.float64] = ((rows[1:] - rows[0]) / steps[:, None]).T
        return found

    def _residuals(self, value: float | NDArray[np.float64]) -> NDArray[np.float64]:
        # A start far off may give 1e308; past the largest float64 it is as hopeless as before.
        with np.errstate(over="ignore"):
            return np.clip((value - self._truth) / self._scale, -HOPELESS, HOPELESS)


def fit_form(
    form: Expression,
    start: Mapping[str, float],
    inputs: Mapping[str, NDArray[np.float64]],
    truth: NDArray[np.float64],
    scale: NDArray[np.float64],
    starts: int = STARTS,
) -> tuple[FormFit, ...]:
    """The free constants of a form that bring it nearest to one readout's truth, best first.

    Levenberg-Marquardt (scipy) on (form - truth)/scale from the given values and from
    unkeyed Sobol points within a decade of them; a constant of 0 starts within +-1. Every
    start gets a few steps, the best ones many.

    Args:
        form: an expression over the inputs and the constants.
        start: constant name -> first guess.
        inputs: control name -> column, shape (n,).
        truth: shape (n,).
        scale: a + lambda*|truth|, shape (n,).
        starts: how many starts, the given one included.

    Raises:
        InputError: no start gives the form a value everywhere.
    """
    names = sorted(start)
    misfit = Misfit(form, names, inputs, truth, scale)
    guesses = _starts(np.array([start[name] for name in names]), starts)
    guesses = [guess for guess in guesses if np.any(np.abs(misfit(guess)) < HOPELESS)]
    if not guesses:
        raise InputError("the form has no value at any start", path="form")
    if names and len(truth) >= len(names):
        guesses = [_minimum(misfit, guess, _FIRST_STEPS) for guess in guesses]
        guesses.sort(key=lambda guess: _cost(misfit(guess)))
        best = [_minimum(misfit, guess, _LAST_STEPS) for guess in guesses[:_POLISHED]]
        guesses = best + guesses[_POLISHED:]
    fits = [
        FormFit(dict(zip(names, guess.tolist(), strict=True)), _cost(misfit(guess)))
        for guess in guesses
    ]
    return tuple(sorted(fits, key=lambda fit: fit.cost))


def _cost(residuals: NDArray[np.float64]) -> float:
    return float((residuals**2).mean())


def _minimum(misfit: Misfit, guess: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    found = scipy.optimize.least_squares(
        misfit,
        guess,
        misfit.slopes,
        method="lm",
        x_scale=np.where(guess == 0, 1.0, np.abs(guess)),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
        max_nfev=steps,
    )
    return np.asarray(found.x, dtype=np.float64)


def _starts(first: NDArray[np.float64], count: int) -> list[NDArray[np.float64]]:
    if len(first) == 0 or count <= 1:
        return [first]
    unit = scipy.stats.qmc.Sobol(len(first), scramble=False).random_base2(6)[1:count]
    spread = (2 * unit - 1) * _DECADES
    return [first, *(np.where(first == 0, s, first * 10.0**s) for s in spread)]


def _sum_of_terms(
    powers: Sequence[tuple[int, ...]], solution: Values, terms: Mapping[int, Expression]
) -> Expression:
    parts: list[Expression] = []
    for power, coefficient in zip(powers, solution.tolist(), strict=True):
        if not power:
            parts.append(coefficient + 0.0)
        elif coefficient != 0.0:
            parts.append(Op("mul", (coefficient, *(terms[i] for i in power))))
    return Op("add", tuple(parts)) if len(parts) > 1 else parts[0]


def _check(names: Sequence[str], inputs: Points, values: Values) -> None:
    if inputs.ndim != 2 or values.ndim != 2 or len(inputs) != len(values) or len(inputs) == 0:
        raise InputError(
            f"inputs {inputs.shape} and values {values.shape} are not rows of one table",
            path="values",
        )
    if inputs.shape[1] != len(names):
        raise InputError(f"{inputs.shape[1]} columns for {len(names)} names", path="inputs")
    if not (np.all(np.isfinite(inputs)) and np.all(np.isfinite(values))):
        raise InputError("a number is not finite", path="values")


__all__ = (
    "HOPELESS",
    "STARTS",
    "FormFit",
    "Misfit",
    "fit_affine",
    "fit_constant",
    "fit_form",
    "fit_monomial",
    "fit_polynomial",
)
