"""Whether two laws are the same function: equal, different or undecided, with the reason.

Order of work: the same tree -> quick refutation at 60 digits -> exact algebra -> agreement at
many points of every smooth piece. `different` always carries a point at which rigorous balls
do not meet, or where one law alone is defined. The same inputs give the same verdict: the work
is counted, and the wall limit only interrupts.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

import numpy as np

from lawsmith.expressions.algebra import Algebra, BudgetError
from lawsmith.expressions.domains import (
    Axis,
    Domain,
    Point,
    all_choices,
    axes_of,
    between,
    corner_points,
    generic_points,
    nudged_corners,
)
from lawsmith.expressions.evaluation import compile_expression
from lawsmith.expressions.refutation import (
    DEEP_BITS,
    LAST_BITS,
    QUICK_BITS,
    Comparison,
    Meter,
    Relation,
    WorkError,
    resolve,
    switches,
)
from schemas.expression import Expression, names_of

QUICK_POINTS: Final = 64
IDENTITY_POINTS: Final = 208
LAST_POINTS: Final = 4
MAX_PIECES: Final = 12
WORK: Final = 2_000_000
EXHAUSTIVE: Final = 4096


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a comparison."""

    verdict: Literal["equal", "different", "undecided"]
    how: str
    """`structure`, `algebraic`, `identity`, `exhaustive`, `witness`, `names`, `search`, `""`."""
    reason: str
    """A sentence, or a code: `time_limit`, `work_budget`, `never_defined`, `few_points`."""
    witness: dict[str, float] | None = None
    """A point at which the laws differ, or at which only one of them is defined."""
    constant_map: dict[str, float] | None = None
    """For `same_form`: JSON Pointer of a constant of the second -> the value that fits."""

    @property
    def equal(self) -> bool:
        """Whether the verdict is `equal`."""
        return self.verdict == "equal"


def equivalent(
    a: Expression,
    b: Expression,
    domain: Domain | None = None,
    time_limit: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
) -> Verdict:
    """Compare two laws as functions on a domain.

    Args:
        a: one law.
        b: the other; its names may differ from a's (an inert name changes nothing).
        domain: name -> `(low, high)` closed, a list of choices, `{"low", "high"}` or
            `{"choices"}`; a name without a domain ranges over all reals.
        time_limit: seconds until the guard interrupts with `undecided`, reason `time_limit`.
        clock: monotonic seconds.

    Returns:
        A Verdict. Laws that agree but for single points (a removable singularity) are equal,
        and the reason says so.

    Raises:
        InputError: the domain is malformed.
    """
    started = clock()
    meter = Meter(WORK, lambda: clock() - started > time_limit)
    axes = axes_of(sorted(names_of(a) | names_of(b)), domain)
    try:
        return _Case(a, b, axes, meter).verdict()
    except WorkError as error:
        return Verdict("undecided", "", str(error))


class _Case:
    def __init__(self, a: Expression, b: Expression, axes: tuple[Axis, ...], meter: Meter) -> None:
        self._axes = axes
        self._compare = Comparison(a, b, meter)
        self._same = a == b
        named = {axis.name: axis for axis in axes}
        self._a, self._b = resolve(a, named), resolve(b, named)
        self._boxes = named
        self._almost = False

    def verdict(self) -> Verdict:
        combinations = all_choices(self._axes, EXHAUSTIVE)
        if combinations is not None and (self._axes or not self._same):
            return self._exhaustive(combinations)
        settled = self._quick()
        if settled is not None:
            return settled
        if self._same or self._a == self._b:
            return self._equal("structure", "the same tree")
        if self._algebra():
            return self._equal("algebraic", "the difference vanishes in exact algebra")
        return self._identity()

    def _equal(self, how: str, reason: str) -> Verdict:
        if self._almost:
            reason += "; equal almost everywhere: single points differ or are undefined in one"
        return Verdict("equal", how, reason)

    def _different(self, point: Point) -> Verdict:
        relation = self._compare.at(point, QUICK_BITS)
        if relation is Relation.ONE_UNDEFINED:
            return Verdict("different", "witness", "only one law is defined there", point)
        return Verdict("different", "witness", "the values differ there", point)

    def _exhaustive(self, points: list[Point]) -> Verdict:
        defined = False
        for point in points:
            relation = self._compare.at(point, DEEP_BITS)
            if relation in (Relation.DIFFER, Relation.ONE_UNDEFINED):
                return self._different(point)
            if relation is Relation.UNDECIDED:
                if self._same:
                    continue
                return Verdict("undecided", "", "a point cannot be told apart", None)
            defined = defined or relation is Relation.AGREE
        if not defined and not self._same:
            return Verdict("undecided", "", "never_defined")
        return Verdict("equal", "exhaustive", f"all {len(points)} points of the domain agree")

    def _quick(self) -> Verdict | None:
        """A difference at few points, a pair that is never defined, or nothing."""
        agreed = 0
        inside = chain(generic_points(self._axes, QUICK_POINTS), nudged_corners(self._axes))
        for point in inside:
            relation = self._compare.at(point, QUICK_BITS)
            if relation in (Relation.DIFFER, Relation.ONE_UNDEFINED):
                return self._different(point)
            agreed += relation is Relation.AGREE
        special = (Relation.DIFFER, Relation.ONE_UNDEFINED)
        for point in corner_points(self._axes):
            if self._compare.at(point, QUICK_BITS) in special:
                self._almost = True
        if not agreed and not self._same:
            return Verdict("undecided", "", "never_defined")
        return None

    def _algebra(self) -> bool:
        positive = frozenset(axis.name for axis in self._axes if axis.positive)
        try:
            return Algebra(positive).equal(self._a, self._b)
        except BudgetError:
            return False

    def _identity(self) -> Verdict:
        bounds = self._bounds()
        if bounds is None:
            return Verdict("undecided", "", "steps or remainders that algebra cannot match")
        pieces = self._pieces(bounds)
        if len(pieces) > MAX_PIECES:
            return Verdict("undecided", "", f"more than {MAX_PIECES} smooth pieces")
        near = self._compare.first(
            self._near(bounds), QUICK_BITS, Relation.DIFFER, Relation.ONE_UNDEFINED
        )
        if near is not None:
            return self._different(near)
        for points in pieces:
            verdict = self._piece(points)
            if verdict is not None:
                return verdict
        return self._equal(
            "identity", f"agreement to 60 digits at {IDENTITY_POINTS} points of each smooth piece"
        )

    def _piece(self, points: Iterable[Point]) -> Verdict | None:
        agreed = 0
        for point in points:
            bits = LAST_BITS if agreed < LAST_POINTS else DEEP_BITS
            relation = self._compare.at(point, bits)
            if relation in (Relation.DIFFER, Relation.ONE_UNDEFINED):
                return self._different(point)
            if relation is Relation.UNDECIDED:
                return Verdict("undecided", "", "a point cannot be told apart", point)
            agreed += relation is Relation.AGREE
            if agreed == IDENTITY_POINTS:
                return None
        # A piece where neither law exists says nothing against their being equal.
        return Verdict("undecided", "", "few_points") if agreed else None

    def _bounds(self) -> list[Expression] | None:
        found: dict[Expression, None] = {}
        for law in (self._a, self._b):
            listed = switches(law, self._boxes)
            if listed is None:
                return None
            found.update(dict.fromkeys(listed))
        return list(found)

    def _pieces(self, bounds: list[Expression]) -> list[list[Point]]:
        count = 2 * IDENTITY_POINTS if not bounds else 16 * IDENTITY_POINTS
        points = list(generic_points(self._axes, count, start=QUICK_POINTS))
        if not bounds:
            return [points]
        signs = np.stack([self._signs(bound, points) for bound in bounds], axis=1)
        groups: dict[bytes, list[Point]] = {}
        for row, point in zip(signs, points, strict=True):
            groups.setdefault(row.tobytes(), []).append(point)
        return list(groups.values())

    def _signs(
        self, bound: Expression, points: list[Point]
    ) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
        signs = np.full(len(points), 2, dtype=np.int8)
        law = compile_expression(bound)
        for place, point in enumerate(points):
            try:
                signs[place] = np.sign(law(point))
            except ArithmeticError:
                continue
        return signs

    def _near(self, bounds: list[Expression]) -> Iterator[Point]:
        """Points on both sides of the places where a bound changes its sign."""
        points = list(generic_points(self._axes, 96))
        for bound in bounds:
            signs = self._signs(bound, points)
            above = [p for p, s in zip(points, signs, strict=True) if s == 1]
            below = [p for p, s in zip(points, signs, strict=True) if s == -1]
            for first, second in list(zip(above, below, strict=False))[:6]:
                yield from self._crossing(bound, first, second)

    def _crossing(self, bound: Expression, above: Point, below: Point) -> Iterator[Point]:
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            side = self._signs(bound, [between(above, below, middle, self._axes)])[0]
            if side == 1:
                low = middle
            else:
                high = middle
        for nudge in (1e-2, 1e-4, 1e-6, 1e-9, 1e-12):
            for share in (low - nudge, high + nudge):
                if 0.0 < share < 1.0:
                    yield between(above, below, share, self._axes)


__all__ = ("Verdict", "equivalent")
