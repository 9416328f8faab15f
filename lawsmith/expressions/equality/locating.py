"""Points at which given functions have given signs, or the proof that there are none.

A branch and bound over the box: a box is dropped when the bounds of one function there keep to
the wrong side. Small pieces are found because only boxes around them survive.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, fmpq

from lawsmith.expressions.domains import Axis, Point
from lawsmith.expressions.equality.intervals import enclose
from lawsmith.expressions.operators import Interval, UndecidedError, UndefinedError, sign_of
from lawsmith.expressions.truth import exact_number, exact_value
from schemas.expression import Expression, names_of, node_count

BITS: Final = 192
MOST_BOXES: Final = 1500
_REACH: Final = 1e4
"""Half the width of the box that stands for an undeclared, unbounded name."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A function that is to be > 0."""

    law: Expression


@dataclass(frozen=True, slots=True)
class Located:
    """The outcome of a search."""

    point: Point | None
    nowhere: bool
    """Whether it is proved that no open part of the box fulfils all conditions."""


def holds(conditions: Iterable[Condition], point: Mapping[str, float]) -> bool:
    """Whether all functions are certainly > 0 at a point."""
    exact = {name: exact_number(value) for name, value in point.items()}
    try:
        return all(sign_of(exact_value(one.law, exact, BITS)) > 0 for one in conditions)
    except (UndefinedError, UndecidedError):
        return False


def locate(
    conditions: Sequence[Condition], axes: Sequence[Axis], tick: Callable[[int], None]
) -> Located:
    """A point that fulfils all conditions, or the proof that there is none.

    Args:
        conditions: any number.
        axes: the box; an undeclared name is searched on [-1e4, 1e4] only.
        tick: called with the work about to be done, in nodes; it may raise.
    """
    box = {axis.name: _ends(axis) for axis in axes}
    named = [axis.name for axis in axes if any(axis.name in names_of(c.law) for c in conditions)]
    heap: list[tuple[float, int, dict[str, Interval]]] = [(0.0, 0, box)]
    cost = 20 * sum(node_count(one.law) for one in conditions)
    proof = all(axis.declared for axis in axes)
    for count in range(1, MOST_BOXES):
        if not heap:
            return Located(None, proof)
        # Every third box is the oldest: a misleading score may not starve the rest.
        place = 0 if count % 3 else min(range(len(heap)), key=lambda k: heap[k][1])
        _, _, part = heap[place]
        if place:
            heap[place] = heap[-1]
            heap.pop()
            heapq.heapify(heap)
        else:
            heapq.heappop(heap)
        tick(cost)
        point = _middle(part)
        if holds(conditions, point):
            return Located(point, nowhere=False)
        for order, half in enumerate(_halves(part, named)):
            score = _score(conditions, half)
            if score is not None:
                heapq.heappush(heap, (score, 2 * count + order, half))
    return Located(None, nowhere=False)


def _ends(axis: Axis) -> Interval:
    if not axis.declared:
        return exact_number(-_REACH), exact_number(_REACH)
    return exact_number(axis.low), exact_number(axis.high)


def _middle(box: Mapping[str, Interval]) -> Point:
    point = {}
    for name, (low, high) in box.items():
        middle = (low + high) / 2
        # A hair off the middle: symmetric functions like to vanish there.
        value = float(arb(middle + (high - low) / 1009))
        point[name] = min(max(value, float(arb(low))), float(arb(high)))
    return point


def _halves(box: Mapping[str, Interval], names: Sequence[str]) -> Iterator[dict[str, Interval]]:
    if not names:
        return
    name = max(names, key=lambda name: _width(*box[name]))
    low, high = box[name]
    if high - low <= abs(low + high) * fmpq(1, 2**50):
        return
    middle = (low + high) / 2
    yield {**box, name: (low, middle)}
    yield {**box, name: (middle, high)}


def _width(low: Any, high: Any) -> Any:
    # Relative where a name spans decades, so that the small end is reached as well.
    scale = abs(low) + abs(high)
    return (high - low) / scale if scale > 1 else high - low


def _score(conditions: Sequence[Condition], box: Mapping[str, Interval]) -> float | None:
    """How far from fulfilled, None where some function is nowhere > 0 in the box."""
    total = 0.0
    for one in conditions:
        try:
            bounds = enclose(one.law, box)
        except UndefinedError:
            return None
        if bounds is None:
            total += 1.0
            continue
        low, high = bounds
        if high <= 0:
            return None
        if not low > 0:
            total += float(arb(-low / (high - low)).mid())
    return total


def around(
    conditions: Sequence[Condition],
    seed: Point,
    axes: Sequence[Axis],
    shares: Iterable[Point],
) -> Iterator[Point]:
    """Points near a point that fulfil the conditions, ever nearer while few do.

    Args:
        conditions: which `seed` fulfils.
        seed: the point to stay near.
        axes: the box.
        shares: points of the box; each is pulled towards `seed`.
    """
    pull, good, tried = 1.0, 0, 0
    for share in shares:
        point = {a.name: seed[a.name] + pull * (share[a.name] - seed[a.name]) for a in axes}
        tried += 1
        if holds(conditions, point):
            good += 1
            yield point
        if tried == 12:
            pull, good, tried = (pull if good > 4 else pull / 16), 0, 0


__all__ = ("Condition", "Located", "around", "holds", "locate")
