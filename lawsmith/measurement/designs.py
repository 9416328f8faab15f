"""The Fixed and hidden designs: law-blind, keyed, from controls, domains and constraints only.

Policy `designs-1`. Fixed: of 64 feasible scrambled Sobol candidates the one nearest the middle
of the scaled box comes first, then always the one farthest (Euclidean, scaled) from those
chosen, 16 in all, so that every prefix is spread out. Hidden: scrambled Sobol points and
corners, none within 1 % of scaled range (in every coordinate) of a Fixed point.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lawsmith.measurement.constraints import Conditioned, Controlled, Points, feasible
from lawsmith.measurement.sampling import (
    DesignError,
    combinations,
    corner_design,
    distances,
    sobol,
    to_unit,
)
from lawsmith.rules import named
from schemas.source import ReasonCode

DESIGN_POLICY: Final = named("designs")
BUDGETS: Final = (1, 2, 4, 8, 16)
FIXED_POINTS: Final = BUDGETS[-1]
CANDIDATES: Final = 64
HIDDEN_POINTS: Final = 128
HIDDEN_CORNERS: Final = 16
LEAST_DISTANCE: Final = 0.01
LEAST_COMBINATIONS: Final = 24
_SPARE: Final = 128


def fixed_design(
    controls: Sequence[Controlled], constraints: Sequence[Conditioned], rng: Generator
) -> Points:
    """16 distinct feasible inputs whose prefixes are the designs of B = 1, 2, 4, 8, 16.

    Args:
        controls: the axes, in order.
        constraints: conditions every input fulfils.
        rng: the keyed generator of `fixed/<attempt>`.

    Raises:
        DesignError: `infeasible_design` or `too_few_combinations`.
    """
    whole = _whole(controls, constraints)
    if whole is None:
        candidates = sobol(controls, constraints, CANDIDATES, rng)
    else:
        order = rng.permutation(len(whole))
        candidates = whole[order[:CANDIDATES]]
    if len(candidates) < FIXED_POINTS:
        raise DesignError(
            f"{len(candidates)} distinct feasible inputs; a Fixed design needs {FIXED_POINTS}",
            reason_code=ReasonCode.INFEASIBLE_DESIGN,
        )
    return candidates[_maximin(to_unit(controls, candidates), FIXED_POINTS)]


def hidden_design(
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    rng: Generator,
    fixed: Points,
) -> Points:
    """128 scrambled Sobol points and at most 16 corners, all feasible and apart from `fixed`.

    When all controls are choices, a quarter of the feasible combinations instead, none of
    them in `fixed`.

    Args:
        controls: the axes, in order.
        constraints: conditions every input fulfils.
        rng: the keyed generator of `hidden`.
        fixed: the Fixed design.

    Raises:
        DesignError: `infeasible_design` or `too_few_combinations`.
    """
    whole = _whole(controls, constraints)
    if whole is not None:
        free = whole[_apart(controls, whole, fixed)]
        count = min(len(whole) // 4, HIDDEN_POINTS + HIDDEN_CORNERS)
        return free[np.sort(rng.permutation(len(free))[:count])]
    drawn = sobol(controls, constraints, HIDDEN_POINTS + _SPARE, rng)
    drawn = drawn[_apart(controls, drawn, fixed)][:HIDDEN_POINTS]
    if len(drawn) < HIDDEN_POINTS // 2:
        raise DesignError(
            f"{len(drawn)} hidden inputs apart from the Fixed ones; {HIDDEN_POINTS} are due",
            reason_code=ReasonCode.INFEASIBLE_DESIGN,
            fix="widen a domain or give more choices",
        )
    corners = corner_design(controls, constraints)
    corners = corners[_apart(controls, corners, np.vstack([fixed, drawn]))]
    keep = np.sort(rng.permutation(len(corners))[:HIDDEN_CORNERS])
    return np.vstack([drawn, corners[keep]])


def nested(fixed: Points, budget: int) -> Points:
    """The Fixed design of a budget: a prefix of the list.

    Raises:
        DesignError: the budget is not 1, 2, 4, 8 or 16.
    """
    if budget not in BUDGETS:
        raise DesignError(
            f"budget {budget!r} is not one of {BUDGETS}", reason_code=ReasonCode.INFEASIBLE_DESIGN
        )
    return fixed[:budget]


def _whole(controls: Sequence[Controlled], constraints: Sequence[Conditioned]) -> Points | None:
    """Every feasible combination of all-discrete controls, None when a control is continuous."""
    whole = combinations(controls)
    if whole is None:
        return None
    whole = whole[feasible(controls, constraints, whole)]
    if len(whole) < LEAST_COMBINATIONS:
        raise DesignError(
            f"{len(whole)} feasible combinations; at least {LEAST_COMBINATIONS} are needed",
            reason_code=ReasonCode.TOO_FEW_COMBINATIONS,
            fix="a table of so few inputs can be looked up; take a wider case",
        )
    return whole


def _apart(controls: Sequence[Controlled], points: Points, fixed: Points) -> NDArray[np.bool_]:
    gaps = distances(to_unit(controls, points), to_unit(controls, fixed))
    mask: NDArray[np.bool_] = gaps.min(axis=1) >= LEAST_DISTANCE
    return mask


def _maximin(unit: Points, count: int) -> list[int]:
    chosen = [int(np.argmin(np.abs(unit - 0.5).sum(axis=1)))]
    nearest = np.full(len(unit), math.inf)
    while len(chosen) < count:
        step = np.sqrt(((unit - unit[chosen[-1]]) ** 2).sum(axis=1))
        nearest = np.minimum(nearest, step)
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(nearest)))
    return chosen


__all__ = ("BUDGETS", "DESIGN_POLICY", "FIXED_POINTS", "fixed_design", "hidden_design", "nested")
