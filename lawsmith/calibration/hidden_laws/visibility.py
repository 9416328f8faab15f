"""Whether what a hidden law adds shows beyond the noise within the query budget.

A law that explains nine tenths of a world's variance may still hide its new term in the last
tenth. What counts is the increment: the law less the best refit of its base. With n rows of
noise of variance sigma^2 the likelihood ratio against the base has the noncentrality
`n * mean(increment^2)/sigma^2`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.calibration.fitting import (
    Constant,
    Declared,
    Misfit,
    PublishedBase,
    group_sample,
    unit_covariance,
)
from lawsmith.calibration.hidden_laws.variants import box_points
from lawsmith.calibration.problems import Axes, Records, Space, records_of
from lawsmith.calibration.residuals import ResidualSampler
from lawsmith.calibration.worlds import HiddenForm, Pool, law_values
from lawsmith.errors import InputError
from schemas.expression import Expression
from schemas.world import CalibratedWorld, WorldGroup

ALPHA: Final = 0.01
"""Level of the test that tells a law from its base."""
POWER: Final = 0.99
DESIGN: Final = 256
"""Points of the law-blind design; their mean stands for all rows of the budget."""
MOST_GROUPS: Final = 5
_ACCURACY: Final = 1e-10
_STEPS: Final = 300
LARGEST: Final = 1e6
"""Noncentralities above this are given as this."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Visibility:
    """The figures of the median group."""

    power: float
    noncentrality: float
    increment: float
    """Root mean square, in residual space."""
    noise: float
    """Standard deviation of one measurement over the design, in residual space."""
    group: str

    @property
    def shows(self) -> bool:
        """Whether the increment is detected often enough."""
        return self.power >= POWER


def detection_power(noncentrality: float, freedom: int = 1, alpha: float = ALPHA) -> float:
    """The share of trials in which a chi-square test of a level finds the increment.

    Args:
        noncentrality: sum of squared increments over the variance of the noise, >= 0.
        freedom: constants that the law has beyond its base, at least 1.
        alpha: level of the test.

    Raises:
        InputError: the noncentrality is not a number >= 0.
    """
    if not noncentrality >= 0:
        raise InputError(f"{noncentrality!r} is no noncentrality", path="noncentrality")
    bound = float(scipy.stats.chi2.isf(alpha, freedom))
    # Far above the bound the distribution function loses its digits; the power is 1 there.
    if noncentrality > 1e3:
        return 1.0
    return float(scipy.stats.ncx2.sf(bound, freedom, noncentrality))


def needed_noncentrality(freedom: int = 1) -> float:
    """The least noncentrality with the power asked for, to 0.1 %."""
    low, high = 0.0, 1e3
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if detection_power(middle, freedom) >= POWER else (middle, high)
    return high


def visibility(
    world: CalibratedWorld,
    pool: Pool,
    form: HiddenForm,
    base: PublishedBase,
    freedom: int = 1,
) -> Visibility:
    """The power with which the budget's rows tell a law from the best refit of its base.

    All rows go to one group; of the groups looked at, that of the median counts.

    Args:
        world: with its noise.
        pool: of its residuals.
        form: the law with its constants.
        base: what it grew from; every fitted constant is free and unbounded in the refit.
        freedom: of the test.

    Raises:
        InputError: the base cannot be fitted.
        UndefinedValueError: the law has no value at a point of the design.
    """
    found = []
    for label in looked_at(world):
        group, points, phi = clean_values(world, form, label)
        own = own_constants(base, label, form.constants[label])
        away = distance_from(base.law.expression, own, (points, phi), world)
        noise = _noise(group, pool, points)
        square = float((away**2).mean())
        rows = world.limits.rows
        raw = rows * square / noise if noise > 0 else (LARGEST if square > 0 else 0.0)
        least = min(raw, LARGEST)
        found.append((least, square, noise, label))
    found.sort(key=lambda one: (one[0], one[3]))
    # Of an even number of groups the lower middle one.
    noncentrality, square, noise, label = found[(len(found) - 1) // 2]
    return Visibility(
        detection_power(noncentrality, freedom),
        noncentrality,
        float(np.sqrt(square)),
        float(np.sqrt(noise)),
        label,
    )


def looked_at(world: CalibratedWorld, most: int = MOST_GROUPS) -> tuple[str, ...]:
    """The groups that figures are taken over."""
    return group_sample([group.label for group in world.groups], most)


def clean_values(
    world: CalibratedWorld, form: HiddenForm, label: str, count: int = DESIGN
) -> tuple[WorldGroup, Floats, Floats]:
    """A group, a law-blind design over its support, and phi(F) there.

    Raises:
        UndefinedValueError: the law has no value there.
    """
    group = next(group for group in world.groups if group.label == label)
    ends = [np.array([axis.low, axis.high]) for axis in group.axes]
    points = box_points(ends, count)
    values = law_values(form.law, form.constants[label], _named(world, points), world.readout)
    return group, points, space_of_world(world).of_law(values)


def space_of_world(world: CalibratedWorld) -> Space:
    """The residual space of a world."""
    return Space(world.space) if world.floor is None else Space(world.space, world.floor)


def distance_from(
    law: Expression,
    constants: Sequence[Declared],
    clean: tuple[Floats, Floats],
    world: CalibratedWorld,
) -> Floats:
    """phi(F) less the best refit of another law, all its constants free, shape (points,).

    Raises:
        InputError: the other law cannot be fitted.
    """
    points, phi = clean
    space = space_of_world(world)
    if float(np.ptp(phi)) == 0.0:
        raise InputError("the law does not vary over the support", path="law")
    free = [c for c in constants if c.fixed is None]
    known = {c.name: c.fixed for c in constants if c.fixed is not None}
    records = records_of(_named(world, points), space.back(phi))
    misfit = Misfit(law, [c.name for c in free], records, space, known)
    starts = [np.array(row) for row in zip(*(c.starts for c in free), strict=True)]
    found = [_descended(misfit, start) for start in starts or [np.empty(0)]]
    best = min(found, key=lambda residuals: float(residuals @ residuals))
    if misfit.hopeless(best):
        raise InputError("the other law has no value at any start", path="law")
    return best


def _descended(misfit: Misfit, start: Floats) -> Floats:
    """What is left of a refit from one start; an increment is wanted to a few digits alone."""
    residuals = misfit.residuals(start)
    if not len(start) or misfit.hopeless(residuals):
        return residuals
    found = scipy.optimize.least_squares(
        misfit.residuals,
        start,
        misfit.slopes,
        method="lm",
        x_scale="jac",
        xtol=_ACCURACY,
        ftol=_ACCURACY,
        gtol=_ACCURACY,
        max_nfev=_STEPS,
    )
    left: Floats = np.asarray(found.fun, dtype=np.float64)
    return left


def own_constants(base: PublishedBase, label: str, hidden: Mapping[str, float]) -> list[Constant]:
    """The constants of a base for a refit in one group, with starts.

    First what the records give, then what the hidden law has for the same names, then the
    latter with the sign of one constant after the other turned.
    """
    free = [c for c in base.law.constants if c.fixed is None]
    before = base.fit.values(label)
    after = {c.name: hidden.get(c.name, before[c.name]) for c in free}
    rows = [before, after, *({**after, c.name: -after[c.name]} for c in free)]
    return [
        Constant(c.name, tuple(row[c.name] for row in rows))
        if c.fixed is None
        else Constant(c.name, fixed=c.fixed)
        for c in base.law.constants
    ]


def rank_ratio(
    law: Expression,
    free: Sequence[str],
    values: dict[str, float],
    records: Records,
    space: Space,
) -> float:
    """Smallest over largest singular value of the slopes in the free constants, in unit columns.

    0 where a constant moves nothing or fewer rows than constants are given; 1 without constants.
    """
    if not free:
        return 1.0
    known = {name: value for name, value in values.items() if name not in free}
    slopes = Misfit(law, free, records, space, known).slopes(np.array([values[n] for n in free]))
    lengths = np.linalg.norm(slopes, axis=0)
    if len(slopes) < len(free) or not (lengths > 0).all() or unit_covariance(slopes) is None:
        return 0.0
    sizes = np.linalg.svd(slopes / lengths, compute_uv=False)
    return float(sizes[-1] / sizes[0])


def _noise(group: WorldGroup, pool: Pool, points: Floats) -> float:
    """Mean variance of one measurement over the points, in residual space."""
    place = pool.labels.index(group.label)
    axes = Axes(
        tuple(axis.log for axis in group.axes),
        tuple(axis.mean for axis in group.axes),
        tuple(axis.deviation for axis in group.axes),
    )
    sampler = ResidualSampler(pool.inputs[place], pool.residuals[place], axes=axes)
    near = sampler.residuals[sampler.neighbours(points)]
    return float((group.noise_factor * near).var(axis=1).mean())


def _named(world: CalibratedWorld, points: Floats) -> dict[str, Floats]:
    return {control.name: points[:, i] for i, control in enumerate(world.controls)}


__all__ = (
    "ALPHA",
    "POWER",
    "Visibility",
    "clean_values",
    "detection_power",
    "distance_from",
    "looked_at",
    "needed_noncentrality",
    "own_constants",
    "rank_ratio",
    "space_of_world",
    "visibility",
)
