"""Constants of a law from real records, by least squares in residual space.

Constants are shared by all records or belong to one group. With shared ones, each group's own
constants are solved for inside every step of the shared ones (variable projection: Golub and
Pereyra 1973, with the Jacobian of Kaufman 1975), so the work grows with the number of groups
alone. Without shared ones every group is a fit of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.fitting.constants import Constant, Declared, box_of, checked_constants
from lawsmith.calibration.fitting.grouped import Grouped
from lawsmith.calibration.fitting.least_squares import (
    EXACT,
    least,
    starting_points,
    unit_covariance,
)
from lawsmith.calibration.fitting.residual_function import Misfit
from lawsmith.calibration.problems import Records, Space
from lawsmith.calibration.residuals import variance
from lawsmith.errors import InputError
from schemas.expression import Expression

Floats = NDArray[np.float64]

STARTS: Final = 20
_SEARCHED: Final = 4096
"""Many starts are tried on at most this many rows, evenly spaced over the table."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A constant's value."""

    value: float
    deviation: float | None
    """Standard deviation from the Jacobian; None: fixed, taken over, or not determined."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A law with its constants and what is left of the records."""

    constants: dict[str, dict[str, Estimate]]
    """Group label (`""` without groups) -> constant -> estimate; shared ones in every group."""
    shared: tuple[str, ...]
    """Names of the constants that are the same in every group."""
    residuals: Floats
    """phi(y) - phi(F), by row, shape (n,)."""
    fitted: Floats
    """phi(F), shape (n,)."""
    r2: float
    """In residual space, over all rows."""
    sum_of_squares: float
    freedom: int
    """Rows less fitted constants."""

    def values(self, group: str) -> dict[str, float]:
        """Constant -> value in a group."""
        return {name: estimate.value for name, estimate in self.constants[group].items()}


@dataclass(frozen=True, slots=True)
class Refit:
    """A published law refitted, or left alone."""

    fit: Fit
    """The one to go on with."""
    kept: bool
    """Whether the refit is kept: its R² in residual space is not below the published one."""
    published_r2: float | None
    """None: the published constants give the law no value at some record."""
    refit_r2: float


def fit(
    law: Expression,
    constants: Sequence[Declared],
    records: Records,
    space: Space,
    starts: int = STARTS,
    tolerance: float = EXACT,
) -> Fit:
    """The constants of least squares in residual space.

    The declared starts come first, then Sobol points within a decade of the first of them.

    Args:
        law: over controls and constants.
        constants: every name of the law that is no control.
        records: with a group column if a constant is per group.
        space: of the residuals.
        starts: how many starts, the declared ones included.
        tolerance: relative; a looser one is for figures of which a few digits are wanted.

    Raises:
        InputError: names that do not agree, starts of unequal number or out of bounds, per-group
            constants without groups, fewer rows than constants, records that do not vary, or a
            law without a value at every start.
    """
    free = checked_constants(law, constants, records)
    known = {c.name: c.fixed for c in constants if c.fixed is not None}
    shared = [c for c in free if c.scope == "shared"]
    local = [c for c in free if c.scope == "per_group"]
    if not local:
        whole, found = _solved(law, free, records, space, known, starts, tolerance)
        every = _estimates(free, found, _deviations(whole, found), known)
        labels = list(records.group_rows())
        return _fit(law, dict.fromkeys(labels, every), constants, records, space, len(free))
    if not shared:
        estimates: dict[str, dict[str, Estimate]] = {}
        for label, rows in records.group_rows().items():
            own = records.take(rows)
            target, found = _solved(law, local, own, space, known, starts, tolerance)
            estimates[label] = _estimates(local, found, _deviations(target, found), known)
        return _fit(law, estimates, constants, records, space, len(local) * len(estimates))
    return _fit_shared(law, constants, shared, local, records, space, starts, tolerance)


def evaluate_fit(
    law: Expression,
    values: Mapping[str, Mapping[str, float]],
    constants: Sequence[Declared],
    records: Records,
    space: Space,
) -> Fit:
    """Given constants, by group, as a `Fit`: nothing is fitted and nothing has a deviation.

    Raises:
        InputError: names that do not agree, or records that do not vary.
        UndefinedValueError: the law has no value, or no logarithm, at a record.
    """
    taken = {
        label: {name: Estimate(float(value), None) for name, value in own.items()}
        for label, own in values.items()
    }
    return _fit(law, taken, constants, records, space, 0)


def refit(
    law: Expression,
    constants: Sequence[Declared],
    published: Mapping[str, float],
    records: Records,
    space: Space,
    starts: int = STARTS,
) -> Refit:
    """A law of shared constants fitted anew from its published ones, kept if no worse in R².

    Args:
        law: over controls and constants.
        constants: as for `fit`; the published values come before their starts.
        published: every constant that is not fixed -> its published value.
        records: the rows.
        space: of the residuals.
        starts: how many starts in all.

    Raises:
        InputError: as `fit`, or a constant is per group.
    """
    if any(c.scope == "per_group" for c in constants):
        raise InputError("constants per group have no published values", path="constants")
    first = [
        Constant(c.name, (published[c.name], *c.starts), c.scope, None, c.low, c.high)
        if c.fixed is None
        else c
        for c in constants
    ]
    new = fit(law, first, records, space, starts)
    known = {c.name: c.fixed for c in constants if c.fixed is not None}
    names = [c.name for c in constants if c.fixed is None]
    as_published = np.array([published[name] for name in names])
    misfit = Misfit(law, names, records, space, known)
    if misfit.hopeless(misfit.residuals(as_published)):
        return Refit(new, True, None, new.r2)
    labels = list(records.group_rows())
    values = {**known, **dict(published)}
    old = evaluate_fit(law, dict.fromkeys(labels, values), constants, records, space)
    kept = new.r2 >= old.r2
    return Refit(new if kept else old, kept, old.r2, new.r2)


def _fit_shared(
    law: Expression,
    constants: Sequence[Declared],
    shared: Sequence[Declared],
    local: Sequence[Declared],
    records: Records,
    space: Space,
    starts: int,
    tolerance: float,
) -> Fit:
    known = {c.name: c.fixed for c in constants if c.fixed is not None}
    # One set of constants for all groups is where each group's own ones start from.
    _, pooled = _solved(law, [*shared, *local], records, space, known, starts, tolerance)
    names = ([c.name for c in shared], [c.name for c in local])
    boxes = (box_of(shared), box_of(local))
    grouped = Grouped(law, names, records, space, known, boxes[1], pooled[len(shared) :])
    found = least(grouped, [pooled[: len(shared)]], boxes[0], tolerance)
    grouped.residuals(found)
    freedom = len(records) - len(shared) - len(local) * len(grouped.groups)
    deviations, own_deviations = grouped.deviations(found, freedom)
    common = _estimates(shared, found, deviations, known)
    estimates = {
        label: {**common, **_estimates(local, grouped.solution[label], own_deviations[label], {})}
        for label in grouped.groups
    }
    return _fit(law, estimates, constants, records, space, len(records) - freedom)


def _solved(
    law: Expression,
    free: Sequence[Declared],
    records: Records,
    space: Space,
    known: Mapping[str, float],
    starts: int,
    tolerance: float,
) -> tuple[Misfit, Floats]:
    names = [c.name for c in free]
    if len(records) < len(names):
        raise InputError(f"{len(records)} rows for {len(names)} constants", path="records")
    target = Misfit(law, names, records, space, known)
    box = box_of(free)
    if not free:
        return target, np.empty(0)
    given = [np.array(row) for row in zip(*(c.starts for c in free), strict=True)]
    points = starting_points(given, box, starts)
    searched = target
    if len(points) > 1 and len(records) > _SEARCHED:
        rows = np.arange(_SEARCHED) * len(records) // _SEARCHED
        searched = Misfit(law, names, records.take(rows), space, known)
    points = [point for point in points if not searched.hopeless(searched.residuals(point))]
    if not points:
        raise InputError("the law has no value at any start", path="constants.starts")
    if searched is not target:
        points = [least(searched, points, box, tolerance)]
    found = least(target, points, box, tolerance)
    if target.hopeless(target.residuals(found)):
        raise InputError("the law has no value at some record", path="law")
    return target, found


def _deviations(target: Misfit, found: Floats) -> Floats | None:
    residuals = target.residuals(found)
    freedom = len(residuals) - len(found)
    inverse = unit_covariance(target.slopes(found))
    if inverse is None or freedom < 1:
        return None
    return np.sqrt(np.diag(inverse) * float(residuals @ residuals) / freedom)


def _estimates(
    free: Sequence[Declared],
    values: Floats,
    deviations: Floats | None,
    known: Mapping[str, float],
) -> dict[str, Estimate]:
    found = {name: Estimate(value, None) for name, value in known.items()}
    for place, constant in enumerate(free):
        deviation = None if deviations is None else float(deviations[place])
        found[constant.name] = Estimate(float(values[place]), deviation)
    return found


def _fit(
    law: Expression,
    estimates: dict[str, dict[str, Estimate]],
    constants: Sequence[Declared],
    records: Records,
    space: Space,
    fitted_constants: int,
) -> Fit:
    fitted = np.empty(len(records))
    for label, rows in records.group_rows().items():
        known = {name: estimate.value for name, estimate in estimates[label].items()}
        fitted[rows] = Misfit(law, (), records.take(rows), space, known).fitted(np.empty(0))
    observed = space.of_records(records.target)
    residuals = observed - fitted
    whole = variance(observed)
    if whole == 0:
        raise InputError("the records do not vary in residual space", path="records")
    squares = float(residuals @ residuals)
    shared = tuple(c.name for c in constants if c.scope == "shared" and c.fixed is None)
    freedom = len(records) - fitted_constants
    r2 = 1 - squares / len(records) / whole
    return Fit(estimates, shared, residuals, fitted, r2, squares, freedom)


__all__ = (
    "STARTS",
    "Constant",
    "Declared",
    "Estimate",
    "Fit",
    "Refit",
    "evaluate_fit",
    "fit",
    "refit",
)
