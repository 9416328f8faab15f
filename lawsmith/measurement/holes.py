"""Inputs inside a domain at which a law has no value, and which no finite sample meets.

Interval bisection proves most laws defined. Where it cannot, every margin of the law (see
`margins`) is searched for its bound. Between two inputs with the same choices at which a divisor
has opposite signs the segment is cut in half until both ends are neighbours in float64; where
the divisor shrinks towards the crossing (so that it is a zero and no jump) and the crossing is
admissible, it is a hole. A margin of one sign is minimised from its least values among the
points, and from the boxes that bisection left undecided; where that comes near its bound, the
search goes on in exact arithmetic. A hole is what goes on shrinking, or is negative, there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations as pairs_of
from itertools import product
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import (
    evaluate,
    evaluate_exact,
    exact_number,
    exact_value,
    fraction_of,
    precision,
)
from lawsmith.expressions.operators import UndecidedError, UndefinedError, ball
from lawsmith.measurement.boxes import Box, undecided_boxes
from lawsmith.measurement.constraints import Conditioned, Controlled, Points, columns, feasible
from lawsmith.measurement.descents import least, values_of
from lawsmith.measurement.margins import Margin, margins
from lawsmith.measurement.sampling import combinations
from schemas.card import Choices
from schemas.expression import Expression, names_of

_HALVINGS: Final = 80
_SHRUNK: Final = 1e-6
"""A divisor this much smaller at the crossing than at both ends passes through zero."""
_PAIRS: Final = 8
"""Segments tried for one divisor and one choice of the discrete controls."""
_STARTS: Final = 8
_COMBINATIONS: Final = 16
"""Combinations of choices that have a start of their own."""
_BOXES: Final = 4
"""Undecided boxes whose centres are starts."""
_REACHED: Final = 2.0**-26
"""Share of its typical size at which a margin counts as near its bound in float64."""
_BITS: Final = 512
_FIRST_CUT: Final = 10
_LAST_CUT: Final = 120
"""Steps of the exact search shrink from 2^-10 to 2^-120 of each range, by quarters."""
_FLOAT_CUT: Final = 52
"""Where a search in float64 may have ended: only smaller steps show that a margin stalls."""
_LARGE: Final = 1e18
"""Stands for a margin that no precision tells."""
_ZERO: Final = 2**50
"""Share (one over this) of its typical size below which a margin that shrank to the end is zero."""
_STALLED: Final = 6
"""Quarterings in which a margin that goes to zero shrinks at least to half."""
_MOVES: Final = 4


class Hole(NamedTuple):
    """Where a law has no value."""

    path: str
    """JSON Pointer of what breaks its bound."""
    inputs: tuple[float, ...]
    """An admissible input at the place, as near as float64 comes."""
    problem: str
    """What happens there, in words."""


@dataclass(frozen=True, slots=True)
class Definedness:
    """Whether a law has a value on its whole domain, and how that is known."""

    method: Literal["proved", "sampled"]
    hole: Hole | None


def definedness(
    law: Expression,
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    points: Points,
    boxes: int,
) -> Definedness:
    """Whether a law that has a value at some points has one on the whole domain.

    Args:
        law: over the controls alone.
        controls: the axes.
        constraints: joint conditions.
        points: admissible inputs at which every node of the law has a value, shape (n,
            controls); every admissible combination where all controls are choices.
        boxes: how many boxes interval bisection may look at.
    """
    whole = combinations(controls)
    if whole is not None and len(whole) <= len(points):
        return Definedness("proved", None)
    left = undecided_boxes(law, controls, boxes)
    if not left:
        return Definedness("proved", None)
    centres = _centres(left[:_BOXES], controls)
    inside = centres[feasible(controls, constraints, centres)]
    for centre in inside:
        broken = _undefined(law, controls, centre)
        if broken is not None:
            return Definedness("sampled", broken)
    found = hole(law, controls, constraints, np.vstack([points, inside]))
    return Definedness("sampled", found)


def hole(
    law: Expression,
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    points: Points,
) -> Hole | None:
    """The first place inside the domain at which a margin of the law breaks its bound, or None.

    Args:
        law: over the controls alone.
        controls: the axes.
        constraints: joint conditions.
        points: admissible inputs at which every node of the law has a value, shape (n, controls).
    """
    for margin in margins(law):
        found = _Search(margin, controls, constraints, points).hole()
        if found is not None:
            return Hole(margin.path, tuple(found.tolist()), _problem(margin))
    return None


def _problem(margin: Margin) -> str:
    op = margin.node.op
    if op in ("div", "mod", "tan"):
        return "a divisor is zero"
    return f"the {'base of a power' if op == 'pow' else f'argument of {op}'} leaves its domain"


class _Search:
    """The search for the bound of one margin."""

    def __init__(
        self,
        margin: Margin,
        controls: Sequence[Controlled],
        constraints: Sequence[Conditioned],
        points: Points,
    ) -> None:
        self._margin = margin
        self._controls = controls
        self._constraints = constraints
        self._points = points
        self._value = values_of(margin.expression, controls)

    def hole(self) -> Points | None:
        values = self._value(self._points)
        if not np.isfinite(values).all():
            return None
        nonzero = self._margin.bound == "nonzero"
        if nonzero and values.min() < 0.0 < values.max():
            for low, high in _segments(values, self._controls, self._points):
                found = self._crossing(self._points[low], self._points[high])
                if found is not None and self._breaks_at(found):
                    return found
        return self._descended(np.abs(values) if nonzero else values)

    def _breaks_at(self, point: Points) -> bool:
        """Whether a zero there is admissible and harmful."""
        if not feasible(self._controls, self._constraints, point[None, :])[0]:
            return False
        needs = self._margin.needs
        if needs is None:
            return True
        return bool(values_of(needs, self._controls)(point[None, :])[0] <= 0.0)

    def _descended(self, sizes: NDArray[np.float64]) -> Points | None:
        nonzero = self._margin.bound == "nonzero"
        typical = float(np.median(np.abs(sizes))) or float(np.abs(sizes).max())
        enough = 0.0 if nonzero else -_SHRUNK * typical

        def value(points: Points) -> NDArray[np.float64]:
            found = self._value(points)
            return np.abs(found) if nonzero else found

        starts = self._points[_starts(sizes, self._controls, self._points)]
        named = names_of(self._margin.expression)
        moving = [i for i, control in enumerate(self._controls) if control.name in named]
        point, reached = least(value, self._controls, self._constraints, starts, moving, enough)
        if not reached <= _REACHED * typical:
            return None
        return self._confirmed(point, exact_number(typical))

    def _confirmed(self, point: Points, typical: Any) -> Points | None:
        """The input where the margin breaks its bound in exact arithmetic, None if it does not."""
        place = [exact_number(x) for x in point.tolist()]
        named = names_of(self._margin.expression)
        spans = [_span(c) if c.name in named else exact_number(0.0) for c in self._controls]
        best = self._exact(place)
        if best is None:
            return point
        history: list[Any] = []
        for cut in range(_FIRST_CUT, _LAST_CUT, 2):
            if self._broken(place, best):
                return self._admitted(place)
            for _ in range(_MOVES):
                place, better = self._stepped(place, best, spans, cut)
                if better is None:
                    return self._admitted(place)
                if better == best:
                    break
                best = better
            if cut >= _FLOAT_CUT:
                history.append(abs(best))
            if len(history) > _STALLED and 2 * history[-1] > history[-1 - _STALLED]:
                return None
        zero = self._margin.bound == "nonzero" and bool(abs(best) * _ZERO < ball(typical))
        return self._admitted(place) if zero else None

    def _broken(self, place: list[Any], value: Any) -> bool:
        """Whether the bound is certainly broken at an exact input."""
        if self._margin.bound == "nonzero":
            return bool(value == 0)
        return bool(value < 0) and self._node_fails(place)

    def _node_fails(self, place: list[Any]) -> bool:
        try:
            exact_value(self._margin.node, self._named(place), _BITS)
        except UndefinedError:
            return True
        except UndecidedError:
            return False
        return False

    def _stepped(
        self, place: list[Any], best: Any, spans: Sequence[Any], cut: int
    ) -> tuple[list[Any], Any | None]:
        """The best of the inputs a step away, with its value; None: the margin has none there."""
        won, least_value = place, best
        for move in _exact_moves(spans):
            other = list(place)
            for i, sign in move.items():
                other[i] = other[i] + sign * spans[i] / 2**cut
            if not self._holds(other):
                continue
            value = self._exact(other)
            if value is None:
                return other, None
            signed = self._margin.bound == "nonnegative"
            if bool(
                (value if signed else abs(value)) < (least_value if signed else abs(least_value))
            ):
                won, least_value = other, value
        return won, least_value

    def _holds(self, place: Sequence[Any]) -> bool:
        for value, control in zip(place, self._controls, strict=True):
            domain = control.domain
            if isinstance(domain, Choices):
                continue
            if not exact_number(domain.low) <= value <= exact_number(domain.high):
                return False
        return True

    def _exact(self, place: Sequence[Any]) -> Any | None:
        """The margin as a ball at an exact input; None where it certainly has no value."""
        bits = _BITS
        while True:
            try:
                found = exact_value(self._margin.expression, self._named(place), bits)
                with precision(bits):
                    return ball(found)
            except UndefinedError:
                return None
            except UndecidedError:
                if bits > 2 * _BITS:
                    return ball(exact_number(_LARGE))
                bits *= 2

    def _named(self, place: Sequence[Any]) -> dict[str, Any]:
        return {c.name: value for c, value in zip(self._controls, place, strict=True)}

    def _admitted(self, place: Sequence[Any]) -> Points | None:
        point = np.array([float(fraction_of(v)) for v in place])
        return point if self._breaks_at(point) else None

    def _crossing(self, below: Points, above: Points) -> Points | None:
        """Where a divisor passes through zero between two inputs; None where it jumps."""
        ends = self._value(np.stack([below, above]))
        if not np.isfinite(ends).all():
            return None
        size = float(np.abs(ends).min())
        for _ in range(_HALVINGS):
            middle = below + (above - below) / 2
            if (middle == below).all() or (middle == above).all():
                break
            value = self._value(middle[None, :])[0]
            if not np.isfinite(value) or value == 0.0:
                return middle
            below, above = (middle, above) if value < 0.0 else (below, middle)
        near = self._value(below[None, :])[0]
        return below if abs(near) <= _SHRUNK * size else None


def _segments(
    values: NDArray[np.float64], controls: Sequence[Controlled], points: Points
) -> Iterator[tuple[int, int]]:
    """Index pairs of unlike sign and equal choices, the nearest to zero first."""
    for members in _by_choices(controls, points):
        order = sorted(members, key=lambda index: abs(values[index]))
        below = [index for index in order if values[index] < 0.0][:_PAIRS]
        above = [index for index in order if values[index] > 0.0][:_PAIRS]
        yield from zip(below, above, strict=False)


def _starts(
    sizes: NDArray[np.float64], controls: Sequence[Controlled], points: Points
) -> list[int]:
    """The points of the least values, overall and for some combinations of choices."""
    # Near-ties must not turn on the last bits of float64: the first of the least is taken.
    scale = float(np.abs(sizes).max()) or 1.0
    order = np.argsort(np.round(sizes / scale, 6), kind="stable").tolist()
    rank = {index: place for place, index in enumerate(order)}
    groups = [min(members, key=rank.__getitem__) for members in _by_choices(controls, points)]
    nearest = sorted(groups, key=rank.__getitem__)[:_COMBINATIONS]
    return list(dict.fromkeys([*order[:_STARTS], *nearest]))


def _by_choices(controls: Sequence[Controlled], points: Points) -> list[list[int]]:
    discrete = [i for i, c in enumerate(controls) if isinstance(c.domain, Choices)]
    groups: dict[tuple[float, ...], list[int]] = {}
    for index, row in enumerate(points[:, discrete].tolist()):
        groups.setdefault(tuple(row), []).append(index)
    return list(groups.values())


def _exact_moves(spans: Sequence[Any]) -> list[dict[int, int]]:
    free = [i for i, span in enumerate(spans) if span != 0]
    found = [{i: sign} for i in free for sign in (1, -1)]
    signs = tuple(product((1, -1), repeat=2))
    return found + [{i: a, j: b} for i, j in pairs_of(free, 2) for a, b in signs]


def _span(control: Controlled) -> Any:
    """The width of a range, 0 for choices."""
    domain = control.domain
    if isinstance(domain, Choices):
        return exact_number(0.0)
    return exact_number(domain.high) - exact_number(domain.low)


def _centres(boxes: Sequence[Box], controls: Sequence[Controlled]) -> Points:
    """The middles of boxes, at the nearest choice of a discrete control."""
    found = np.array([[axis.low + (axis.high - axis.low) / 2 for axis in box] for box in boxes])
    for i, control in enumerate(controls):
        if isinstance(control.domain, Choices):
            choices = np.asarray(control.domain.choices)
            found[:, i] = choices[np.abs(found[:, i, None] - choices).argmin(axis=1)]
    return found


def _undefined(law: Expression, controls: Sequence[Controlled], point: Points) -> Hole | None:
    """The hole at an input where the law has no value, None if it has one."""
    try:
        evaluate(law, columns(controls, point[None, :]))
    except UndefinedValueError:
        names = [control.name for control in controls]
        try:
            evaluate_exact(law, dict(zip(names, point.tolist(), strict=True)))
        except UndefinedValueError as error:
            return Hole(error.path.rstrip("/"), tuple(point.tolist()), "it has no value")
    return None


__all__ = ("Definedness", "Hole", "definedness", "hole")
