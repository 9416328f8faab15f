"""Points of a control space: scaling to the unit cube, Sobol draws, grids of choices, corners."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np
import scipy
from numpy.random import Generator

from lawsmith.errors import InputError
from lawsmith.measurement.constraints import Conditioned, Controlled, Points, feasible
from schemas.card import Choices
from schemas.source import ReasonCode

DIGITS: Final = 6
"""Significant digits of every drawn value: it prints well and is what the float stands for."""

LEAST_ACCEPTANCE: Final = 0.01
_FIRST_DRAW: Final = 10
_LAST_DRAW: Final = 15
"""Acceptance is judged on 2^10 points; at most 2^15 are drawn, more only where `need` asks it."""

MAX_COMBINATIONS: Final = 100_000
MAX_CORNER_CONTROLS: Final = 12


class DesignError(InputError):
    """The controls, domains and constraints do not allow the design.

    Attributes:
        reason_code: why, as it stands in a disposition.
    """

    def __init__(self, problem: str, *, reason_code: ReasonCode, fix: str = "") -> None:
        self.reason_code = reason_code
        super().__init__(problem, path="controls", fix=fix)


def is_logarithmic(control: Controlled) -> bool:
    """Whether a control is sampled on a log scale: a positive range over more than a decade."""
    domain = control.domain
    return not isinstance(domain, Choices) and domain.low > 0 and domain.high > 10 * domain.low


def to_unit(controls: Sequence[Controlled], points: Points) -> Points:
    """Scaled coordinates in [0, 1]: ranges by value or logarithm, choices by their rank."""
    scaled = np.empty(points.shape, dtype=np.float64)
    for i, control in enumerate(controls):
        column, domain = points[:, i], control.domain
        if isinstance(domain, Choices):
            last = max(1, len(domain.choices) - 1)
            scaled[:, i] = np.searchsorted(np.asarray(domain.choices), column) / last
        elif is_logarithmic(control):
            scaled[:, i] = np.log(column / domain.low) / math.log(domain.high / domain.low)
        else:
            scaled[:, i] = (column - domain.low) / (domain.high - domain.low)
    return scaled


def from_unit(controls: Sequence[Controlled], unit: Points) -> Points:
    """Points of the domain at coordinates in [0, 1), rounded to 6 digits and kept inside."""
    points = np.empty(unit.shape, dtype=np.float64)
    for i, control in enumerate(controls):
        u, domain = unit[:, i], control.domain
        if isinstance(domain, Choices):
            count = len(domain.choices)
            index = np.minimum((u * count).astype(np.int64), count - 1)
            points[:, i] = np.asarray(domain.choices)[index]
            continue
        if is_logarithmic(control):
            raw = domain.low * np.exp(u * math.log(domain.high / domain.low))
        else:
            raw = domain.low + u * (domain.high - domain.low)
        points[:, i] = np.clip([_short(x) for x in raw.tolist()], domain.low, domain.high)
    return points


def sobol(
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    need: int,
    rng: Generator | None,
) -> Points:
    """The first `need` distinct feasible points of a Sobol sequence, shape (<= need, controls).

    Args:
        controls: the axes.
        constraints: conditions that reject points.
        need: how many points are wanted; a space of few combinations gives fewer.
        rng: scrambles the sequence; None gives the plain sequence without its first point.

    Raises:
        DesignError: fewer than 1 % of the points are feasible.
    """
    sequence = scipy.stats.qmc.Sobol(len(controls), scramble=rng is not None, rng=rng)
    level = max(_FIRST_DRAW, math.ceil(math.log2(max(2, 2 * need))))
    last = max(_LAST_DRAW, math.ceil(math.log2(need / LEAST_ACCEPTANCE)))
    unit = sequence.random_base2(level)
    while True:
        points = from_unit(controls, unit[0 if rng is not None else 1 :])
        accepted = points[feasible(controls, constraints, points)]
        if len(accepted) < LEAST_ACCEPTANCE * len(points):
            raise DesignError(
                f"{len(accepted)} of {len(points)} points are feasible; at least 1 % must be",
                reason_code=ReasonCode.INFEASIBLE_DESIGN,
                fix="narrow the ranges to where the constraints hold",
            )
        distinct = _distinct(accepted)
        if len(distinct) >= need or level >= last:
            return distinct[:need]
        unit = np.vstack([unit, sequence.random_base2(level)])
        level += 1


def combinations(controls: Sequence[Controlled]) -> Points | None:
    """Every combination when all controls are choices, shape (n, controls); else None.

    More than 100,000 combinations are sampled like a continuous space: None.
    """
    sets = []
    for control in controls:
        if not isinstance(control.domain, Choices):
            return None
        sets.append(control.domain.choices)
    if math.prod(len(choices) for choices in sets) > MAX_COMBINATIONS:
        return None
    return np.array(list(product(*sets)), dtype=np.float64)


def corner_design(controls: Sequence[Controlled], constraints: Sequence[Conditioned]) -> Points:
    """The feasible corners of the box, shape (<= 2^controls, controls), low before high.

    Raises:
        DesignError: more than 12 controls.
    """
    if len(controls) > MAX_CORNER_CONTROLS:
        raise DesignError(
            f"{len(controls)} controls; corners are listed for at most {MAX_CORNER_CONTROLS}",
            reason_code=ReasonCode.INFEASIBLE_DESIGN,
        )
    points = np.array(list(product(*map(_ends, controls))), dtype=np.float64)
    points = _distinct(points)
    return points[feasible(controls, constraints, points)]


def dense_design(
    controls: Sequence[Controlled], constraints: Sequence[Conditioned], n: int = 256
) -> Points:
    """`n` plain Sobol points and the corners, feasible and distinct: unkeyed, for certificates.

    Raises:
        DesignError: fewer than 1 % of the points are feasible.
    """
    whole = combinations(controls)
    if whole is not None and len(whole) <= n:
        return whole[feasible(controls, constraints, whole)]
    corners = corner_design(controls, constraints)
    return _distinct(np.vstack([corners, sobol(controls, constraints, n, None)]))


def distances(unit: Points, others: Points) -> Points:
    """Largest coordinate difference of every pair of scaled points, shape (n, m)."""
    gaps: Points = np.abs(unit[:, None, :] - others[None, :, :]).max(axis=2)
    return gaps


def _ends(control: Controlled) -> Iterator[float]:
    domain = control.domain
    if isinstance(domain, Choices):
        yield from sorted({domain.choices[0], domain.choices[-1]})
    else:
        yield from (domain.low, domain.high)


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS - 1}e}") + 0.0


def _distinct(points: Points) -> Points:
    """The points without repetitions, in first-seen order."""
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]


__all__ = (
    "DIGITS",
    "LEAST_ACCEPTANCE",
    "DesignError",
    "combinations",
    "corner_design",
    "dense_design",
    "distances",
    "from_unit",
    "is_logarithmic",
    "sobol",
    "to_unit",
)
