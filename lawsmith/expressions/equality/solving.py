"""The constants that turn one law into another: found in float64, sharpened to 500 digits.

Constants that enter linearly come from linear least squares, the others from least squares
over many starts. The sharpened constants are judged at points that were not used for them.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from lawsmith.expressions.domains import Axis, Point, generic_points
from lawsmith.expressions.equality.newton_refinement import (
    DEPTHS,
    POINTS,
    ExpiredError,
    LostError,
    Sharpening,
)
from lawsmith.expressions.evaluation import compile_expression
from lawsmith.expressions.operators import UndecidedError
from lawsmith.expressions.truth import evaluate_exact
from schemas.expression import Expression, walk

STARTS: Final = 48
FIT_BOUND: Final = 1e-7
"""Relative residual under which a float64 solution is worth sharpening."""
NEAR: Final = 0.05
"""Largest relative residual of a rough descent that is followed to the end."""
STEADY: Final = 1e-10
"""Relative rounding error below which a float64 misfit of a linear form proves a difference."""
ROUGH: Final = 1e-4
"""Relative rounding error above which a point is not used."""
CANDIDATES: Final = 6
NEIGHBOURS: Final = 1e-6
"""Largest median relative difference of laws that can be the same but for rounding."""


Floats = NDArray[np.float64]


class ConstantSearch:
    """Solves `open_law = law` for the constants of the open law.

    Args:
        law: the law to reach.
        open_law: the other law with the names `slots` in place of its free constants.
        slots: those names.
        own: the values that stood there.
        axes: the domain of the other names.
        expired: whether the wall guard has fired.
    """

    def __init__(
        self,
        law: Expression,
        open_law: Expression,
        slots: Sequence[str],
        own: Sequence[float],
        axes: Sequence[Axis],
        expired: Callable[[], bool],
    ) -> None:
        self._law, self._open, self._slots = law, open_law, list(slots)
        self._own: Floats = np.array(own, dtype=np.float64)
        self._axes, self._expired = axes, expired
        self._points: list[Point] = []
        self._tiles: dict[int, dict[str, Floats]] = {}
        """The sample points over and over, by how many times."""
        self._truth: Floats = np.empty(0)
        self._free: list[int] = []
        self._linear: list[int] = []
        self._noise = 0.0
        self.unseen: list[int] = []
        """Constants that change nothing in float64, whatever their size."""

    def sample(self) -> bool:
        """Choose the points; False when too few have steady values in float64.

        A constant too small to be seen in float64 starts from 1 instead.
        """
        if not self._chosen():
            return False
        unseen = [place for place in range(len(self._own)) if not self._seen(place)]
        if not unseen:
            return True
        self._own[unseen] = 1.0
        if not self._chosen():
            return False
        self.unseen = [place for place in unseen if not self._seen(place)]
        return True

    def _seen(self, place: int) -> bool:
        still, moved = self._relative(self._own), self._own.copy()
        moved[place] *= 2.0
        values = self._relative(moved)
        if still is None or values is None:
            return True
        return bool((np.abs(values - still) > 1e-12 * np.abs(still)).any())

    def _chosen(self) -> bool:
        self._points, self._tiles, self._noise = [], {}, 0.0
        values: list[float] = []
        own = dict(zip(self._slots, self._own.tolist(), strict=True))
        for point in generic_points(self._axes, 4 * POINTS):
            if self._expired():
                raise ExpiredError
            first, second = _steady(self._law, point), _steady(self._open, point | own)
            if first is None or second is None or not first[0]:
                continue
            self._points.append(point)
            values.append(first[0])
            self._noise = max(self._noise, first[1], second[1])
            if len(values) == POINTS:
                break
        self._truth = np.array(values, dtype=np.float64)
        return len(values) >= 2 * len(self._slots) + 8

    def candidates(self) -> Iterator[Floats]:
        """Up to six distinct sets of constants that bring the laws together in float64."""
        self._free = self._independent(self._own)[0]
        self._linear = self._linear_set()
        found: list[Floats] = []
        for constants in self._solutions(self._linear):
            if any(np.allclose(constants, other, rtol=1e-6, atol=0.0) for other in found):
                continue
            found.append(constants)
            yield constants
            if len(found) == CANDIDATES:
                return

    @property
    def proved(self) -> bool:
        """Whether every determined constant enters linearly, so that no candidate means no."""
        return len(self._linear) == len(self._free) and self._noise < STEADY

    def sharpened(self, constants: Floats) -> list[float] | None:
        """The constants, sharpened and rounded; None when the laws then differ.

        Raises:
            LostError: a constant goes to zero.
            UndecidedError, UndefinedError: the work cannot be done at some point.
        """
        free, rows = self._independent(constants)
        gone = set(self._free) - set(free)
        if gone:
            # In a linear form a constant only stops to matter by going to zero.
            lost = self.proved or any(self._vanishes(constants, place) for place in gone)
            raise LostError if lost else UndecidedError("")
        shaper = Sharpening(self._law, self._open, self._slots, self._expired)
        return shaper.sharpened(constants.tolist(), free, rows, self._points)

    def trades(self) -> Floats:
        """How the constants can move together, to first order, without changing the law.

        Shape (m, constants), one row for each constant that the points do not determine beside
        the earlier ones: that one moves by 1, the earlier ones make up for it.

        Raises:
            UndecidedError: the law has no value near its own constants.
        """
        free = self._independent(self._own)[0]
        rest = [place for place in range(len(self._own)) if place not in free]
        found = np.zeros((len(rest), len(self._own)))
        if rest:
            slopes = np.stack([self._slope(self._own, place) for place in range(len(self._own))], 1)
            norms = np.linalg.norm(slopes[:, free], axis=0)
            shares = np.linalg.lstsq(slopes[:, free] / norms, slopes[:, rest], rcond=None)[0]
            found[:, free] = -(shares / norms[:, None]).T * self._own[free]
            found[:, rest] = np.diag(self._own[rest])
            found /= self._own[rest][:, None]
        return found

    def sharp_from_own(self) -> list[Any] | None:
        """The constants as balls of 50 digits, from the values that stood there.

        What the points do not determine keeps its value. None when no constants near those
        values bring the laws together.

        Raises:
            LostError: a constant goes to zero.
            UndecidedError, UndefinedError: the work cannot be done at some point.
        """
        values = self._relative(self._own)
        if values is None or float(np.median(np.abs(values - 1.0))) > NEIGHBOURS:
            return None
        free, rows = self._independent(self._own)
        shaper = Sharpening(self._law, self._open, self._slots, self._expired)
        return shaper.sharp(self._own.tolist(), free, rows, self._points, DEPTHS[:1])

    def _vanishes(self, constants: Floats, place: int) -> bool:
        """Whether the law fits as well with the constant at zero."""
        without = constants.copy()
        without[place] = 0.0
        return self._fits(without)

    def _rows(self, sets: Floats) -> Floats | None:
        """The open law at the sample points for sets of constants, one row a set.

        None where any is undefined. One call for all sets: a call costs more than its points.
        """
        if self._expired():
            raise ExpiredError
        count, size = len(sets), len(self._points)
        if count not in self._tiles:
            self._tiles[count] = {
                axis.name: np.tile([point[axis.name] for point in self._points], count)
                for axis in self._axes
            }
        inputs: dict[str, Any] = dict(self._tiles[count])
        for place, slot in enumerate(self._slots):
            inputs[slot] = np.repeat(sets[:, place], size) if count > 1 else float(sets[0, place])
        try:
            values = np.asarray(compile_expression(self._open)(inputs), dtype=np.float64)
        except ArithmeticError:
            return None
        return np.broadcast_to(values, (count * size,)).reshape(count, size) / self._truth

    def _relative(self, constants: Floats) -> Floats | None:
        """The open law at the sample points, over the other law's values."""
        rows = self._rows(constants[np.newaxis])
        return None if rows is None else rows[0]

    def _linear_set(self) -> list[int]:
        """Constants in which the law is jointly affine, found by second differences."""
        chosen: list[int] = []
        for place in self._free:
            if self._affine([*chosen, place]):
                chosen.append(place)
        return chosen

    def _affine(self, places: list[int]) -> bool:
        for turn in (1.0, 0.618):
            step = np.zeros_like(self._own)
            for order, place in enumerate(places):
                step[place] = self._own[place] * 0.01 * (1.0 + turn * order)
            values = [self._relative(self._own + k * step) for k in (0.0, 1.0, 2.0)]
            if values[0] is None or values[1] is None or values[2] is None:
                return False
            bend = np.abs(values[2] - 2 * values[1] + values[0])
            if (bend > 1e-11 * (1.0 + np.abs(values[0]))).any():
                return False
        return True

    def _solutions(self, linear: list[int]) -> Iterator[Floats]:
        curved = [place for place in self._free if place not in linear]
        if curved:
            found = (self._descend(start, curved, linear) for start in self._starts(curved))
        else:
            found = (self._linear_solution(self._own, linear) for _ in range(1))
        yield from (constants for constants in found if self._fits(constants))

    def _fits(self, constants: Floats | None) -> TypeGuard[Floats]:
        if constants is None:
            return False
        values = self._relative(constants)
        bound = max(FIT_BOUND, 30 * self._noise)
        return values is not None and bool(np.abs(values - 1.0).max() <= bound)

    def _linear_solution(self, base: Floats, linear: list[int]) -> Floats | None:
        if not linear:
            return base
        sets = np.tile(base, (len(linear) + 1, 1))
        for row, place in enumerate(linear, start=1):
            sets[row, place] *= 2.0
        rows = self._rows(sets)
        if rows is None:
            return None
        values = rows[0]
        matrix = (rows[1:] - values).T
        # A tiny weight pulls towards b's own values where only a combination is determined.
        scale = np.abs(matrix).max(axis=0)
        scale[scale == 0.0] = 1.0
        result = base.copy()
        # Where hardly anything hangs on a constant, the one that would do is beyond any float.
        with np.errstate(over="ignore", invalid="ignore"):
            change = np.linalg.lstsq(matrix / scale, 1.0 - values, rcond=1e-13)[0] / scale
            result[linear] += base[linear] * change
        return result if np.isfinite(result).all() else None

    def _starts(self, curved: list[int]) -> Iterable[Floats]:
        pools = []
        literals = [node for _, node in walk(self._law) if isinstance(node, float) and node != 0.0]
        for place in curved:
            own = float(self._own[place])
            spread = [own * factor for factor in (1.0, 0.3, 3.0, -1.0, 0.03, 30.0)]
            known = dict.fromkeys([*literals[:8], *(-value for value in literals[:8])])
            pools.append([own, *known, *spread[1:]])
        ordered = sorted(
            itertools.islice(itertools.product(*(range(len(pool)) for pool in pools)), 4000),
            key=lambda picks: (sum(picks), picks),
        )
        for picks in ordered[:STARTS]:
            start = self._own.copy()
            for place, pool, pick in zip(curved, pools, picks, strict=True):
                start[place] = pool[pick]
            yield start

    def _descend(self, start: Floats, curved: list[int], linear: list[int]) -> Floats | None:
        # scipy.optimize costs 0.4 s to import and most comparisons never come here.
        from scipy.optimize import least_squares

        signs = np.sign(start[curved])

        def constants(logs: Floats) -> Floats | None:
            base = start.copy()
            base[curved] = signs * np.exp(np.clip(logs, -600, 600))
            return self._linear_solution(base, linear)

        def residual(logs: Floats) -> Floats:
            found = constants(logs)
            values = None if found is None else self._relative(found)
            if values is None:
                return np.full(len(self._truth), 1e3)
            return np.clip(values - 1.0, -1e3, 1e3)

        # A descent to a match shrinks its cost manyfold at every step, so one that creeps is
        # none; only what comes near is worth the last digits.
        rough = least_squares(residual, np.log(np.abs(start[curved])), ftol=1e-3, max_nfev=60)
        if np.abs(rough.fun).max() > NEAR:
            return None
        fit = least_squares(residual, rough.x, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
        return constants(np.asarray(fit.x))

    def _independent(self, constants: Floats) -> tuple[list[int], list[int]]:
        """Constants that the points determine, the earlier first, and points that do so."""
        columns: list[Floats] = []
        free: list[int] = []
        for place in range(len(constants)):
            column = self._slope(constants, place)
            trial = np.stack([*columns, column], axis=1)
            norms = np.linalg.norm(trial, axis=0)
            if norms[-1] > 0 and np.linalg.svd(trial / norms, compute_uv=False)[-1] > 1e-6:
                columns.append(column)
                free.append(place)
        if not free:
            raise UndecidedError("")
        return free, _pivot_rows(np.stack(columns, axis=1))

    def _slope(self, constants: Floats, place: int) -> Floats:
        """Relative change of the law at the sample points per relative change of a constant."""
        step = np.zeros_like(constants)
        step[place] = constants[place] * 1e-5
        above, below = self._relative(constants + step), self._relative(constants - step)
        if above is None or below is None:
            raise UndecidedError("")
        return (above - below) * 5e4


def _steady(law: Expression, point: Point) -> tuple[float, float] | None:
    """The true value and the relative error of float64; None where rough or undefined."""
    try:
        value, truth = compile_expression(law)(point), evaluate_exact(law, point)
    except ArithmeticError:
        return None
    error = abs(float(value) - truth)
    if error > ROUGH * abs(truth):
        return None
    return truth, error / abs(truth) if truth else 0.0


def _pivot_rows(matrix: Floats) -> list[int]:
    rest = matrix / np.linalg.norm(matrix, axis=0)
    rows: list[int] = []
    for _ in range(matrix.shape[1]):
        sizes = np.linalg.norm(rest, axis=1)
        row = int(np.argmax(sizes))
        rows.append(row)
        direction = rest[row] / sizes[row]
        rest = rest - np.outer(rest @ direction, direction)
    return rows


__all__ = ("STARTS", "ConstantSearch", "ExpiredError", "LostError")
