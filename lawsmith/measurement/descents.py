"""The least value of an expression over a control space, without derivatives.

A compass search (Hooke and Jeeves, 1961) in the unit cube from several inputs at once: steps
along an axis or a diagonal of two axes, and to the neighbouring choices of a discrete control,
halved where none of them leads down. No linear algebra is done, so every machine walks the same
way; gains that may be the last bits of float64 are not taken.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.measurement.constraints import Conditioned, Controlled, Points, columns, feasible
from lawsmith.measurement.sampling import is_logarithmic, to_unit
from schemas.card import Choices
from schemas.expression import Expression

FIRST_STEP: Final = 1 / 8
LAST_STEP: Final = 2.0**-46
ROUNDS: Final = 240
NEAR_TIE: Final = 1e-6
_MOST_DIAGONALS: Final = 6
"""Continuous controls up to which diagonals are tried."""

Floats = NDArray[np.float64]
Values = Callable[[Points], Floats]


def values_of(expression: Expression, controls: Sequence[Controlled]) -> Values:
    """A function of points, shape (n, controls), to values, shape (n,); inf where undefined."""
    law = compile_expression(expression)

    def at(points: Points) -> Floats:
        try:
            found = np.asarray(law(columns(controls, points)), dtype=np.float64)
            return np.broadcast_to(found, len(points))
        except UndefinedValueError:
            if len(points) == 1:
                return np.array([np.inf])
        half = len(points) // 2
        return np.concatenate([at(points[:half]), at(points[half:])])

    return at


def least(
    value: Values,
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    starts: Points,
    moving: Sequence[int],
    enough: float,
) -> tuple[Points, float]:
    """The input of the least value that a search from the starts reaches, and the value.

    Args:
        value: what is minimised; inf where it is undefined.
        controls: the axes.
        constraints: joint conditions.
        starts: admissible inputs, shape (k, controls).
        moving: places of the controls that may move.
        enough: a value at which the search may end.
    """
    best, points = value(starts).copy(), starts.copy()
    unit = to_unit(controls, points)
    steps = np.full(len(points), FIRST_STEP)
    compass = _directions(controls, moving)
    for _ in range(ROUNDS if len(compass) else 0):
        active = np.flatnonzero(steps >= LAST_STEP)
        if not len(active) or best.min() <= enough:
            break
        near, moved = _around(controls, points[active], unit[active], steps[active], compass)
        found = np.full(len(moved), np.inf)
        allowed = feasible(controls, constraints, moved)
        if allowed.any():
            found[allowed] = value(moved[allowed])
        table = found.reshape(len(active), len(compass))
        choice = table.argmin(axis=1)
        reached = table[np.arange(len(active)), choice]
        down = reached < best[active] - NEAR_TIE * np.abs(best[active])
        rows = np.arange(len(active)) * len(compass) + choice
        won = active[down]
        points[won], unit[won], best[won] = moved[rows[down]], near[rows[down]], reached[down]
        steps[active[~down]] /= 2
    winner = int(best.argmin())
    return points[winner], float(best[winner])


def _directions(controls: Sequence[Controlled], moving: Sequence[int]) -> list[dict[int, float]]:
    """Moves: axis -> sign; a choice moves alone, by rank."""
    free = [i for i in moving if not isinstance(controls[i].domain, Choices)]
    found = [{i: sign} for i in moving for sign in (1.0, -1.0)]
    if len(free) <= _MOST_DIAGONALS:
        signs = tuple(product((1.0, -1.0), repeat=2))
        found += [{i: a, j: b} for i, j in combinations(free, 2) for a, b in signs]
    return found


def _around(
    controls: Sequence[Controlled],
    points: Points,
    unit: Points,
    steps: Floats,
    compass: Sequence[dict[int, float]],
) -> tuple[Points, Points]:
    """(unit coordinates, inputs) of every move from every input, shape (k * moves, controls)."""
    near = np.repeat(unit, len(compass), axis=0)
    moved = np.repeat(points, len(compass), axis=0)
    for row, move in enumerate(compass):
        rows = slice(row, None, len(compass))
        for i, sign in move.items():
            domain = controls[i].domain
            if isinstance(domain, Choices):
                last = max(1, len(domain.choices) - 1)
                rank = np.rint(near[rows, i] * last + sign).clip(0, len(domain.choices) - 1)
                near[rows, i] = rank / last
                moved[rows, i] = np.asarray(domain.choices)[rank.astype(np.int64)]
                continue
            near[rows, i] = (near[rows, i] + sign * steps).clip(0.0, 1.0)
            share = near[rows, i]
            if is_logarithmic(controls[i]):
                raw = domain.low * np.exp(share * math.log(domain.high / domain.low))
            else:
                raw = domain.low + share * (domain.high - domain.low)
            moved[rows, i] = np.clip(raw, domain.low, domain.high)
    return near, moved


__all__ = ("Values", "least", "values_of")
