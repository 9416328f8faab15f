"""Whether a player who has the right form gets the law back from what the budget buys.

The true open form is fitted, from starts that know signs and orders of magnitude and from the
published ones, to measurements of a law-blind design that spends the budget on at most three
groups.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lawsmith.calibration.fitting import SCREENING, fit
from lawsmith.calibration.fitting import Constant as Fitted
from lawsmith.calibration.hidden_laws.variants import FITTED_STARTS, box_points
from lawsmith.calibration.hidden_laws.visibility import clean_values, looked_at, space_of_world
from lawsmith.calibration.problems import records_of
from lawsmith.calibration.worlds import CalibratedSimulator, HiddenForm, Pool, law_values
from schemas.problem import Constant
from schemas.world import CalibratedWorld

SPENT_GROUPS: Final = 3
MOST_POINTS: Final = 600
"""Distinct points of the design over all groups; larger budgets are spent in part."""
LARGEST_ERROR: Final = 0.05
"""Root mean square of what the oracle mispredicts, as a share of the law's span."""
_STARTS: Final = 4

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Solvability:
    """What an oracle fit of the true form came to; errors of the worst group."""

    prediction_error: float
    """Root mean square of phi(F) less the fit over the support, as a share of its span."""
    constant_error: float
    """Largest relative error of a fitted constant."""
    rows: int
    """Measurements that were used."""
    groups: int

    @property
    def solved(self) -> bool:
        """Whether the law is had back."""
        return self.prediction_error <= LARGEST_ERROR


def oracle_fit(
    world: CalibratedWorld,
    pool: Pool,
    form: HiddenForm,
    constants: Sequence[Constant],
    rng: Generator,
) -> Solvability:
    """Fit the true form to budgeted measurements and compare with the law.

    Args:
        world: with its noise.
        pool: of its residuals.
        form: the law with its constants.
        constants: of the open form, with scopes and fixed values.
        rng: stands for the server's noise.

    Raises:
        InputError: the form cannot be fitted to the measurements.
        UndefinedValueError: the law, or the fit, has no value over the support.
    """
    labels = looked_at(world, SPENT_GROUPS)
    limits = world.limits
    each = min(limits.calls * limits.points_per_call, MOST_POINTS) // len(labels)
    points, rows = [], []
    for label in labels:
        group = next(group for group in world.groups if group.label == label)
        design = box_points([np.array([axis.low, axis.high]) for axis in group.axes], each)
        points.append(np.repeat(design, limits.samples_per_point, axis=0))
        rows += [label] * len(points[-1])
    table = np.vstack(points)
    named = rows if world.grouped else None
    measured = CalibratedSimulator(world, pool, form).measure(table, named, rng)
    inputs = {control.name: table[:, i] for i, control in enumerate(world.controls)}
    groups = None if named is None else np.array(named)
    records = records_of(inputs, measured.values, groups)
    blind, space = _blind(constants, form, labels), space_of_world(world)
    found = fit(form.law, blind, records, space, _STARTS, SCREENING)
    errors = [_error(world, form, found.values(label), label) for label in labels]
    relative = [
        abs(found.values(label)[c.name] / form.constants[label][c.name] - 1)
        for label in labels
        for c in constants
        if c.fixed is None and form.constants[label][c.name] != 0
    ]
    return Solvability(max(errors), max(relative, default=0.0), len(table), len(labels))


def _error(world: CalibratedWorld, form: HiddenForm, found: dict[str, float], label: str) -> float:
    _, points, phi = clean_values(world, form, label)
    inputs = {control.name: points[:, i] for i, control in enumerate(world.controls)}
    guess = space_of_world(world).of_law(law_values(form.law, found, inputs, world.readout))
    return float(np.sqrt(((guess - phi) ** 2).mean()) / np.ptp(phi))


def _blind(constants: Sequence[Constant], form: HiddenForm, labels: Sequence[str]) -> list[Fitted]:
    """Starts: the power of ten at or below each constant of the first group, with its sign."""
    found = []
    for c in constants:
        if c.fixed is not None:
            found.append(Fitted(c.name, fixed=c.fixed))
            continue
        value = form.constants[labels[0]][c.name]
        rough = math.copysign(10.0 ** math.floor(math.log10(abs(value))), value) if value else 0.0
        found.append(Fitted(c.name, (rough, *c.starts[FITTED_STARTS : FITTED_STARTS + 2]), c.scope))
    return found


__all__ = ("LARGEST_ERROR", "Solvability", "oracle_fit")
