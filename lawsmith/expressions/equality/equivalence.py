"""Whether two laws are the same function: equal, different or undecided, with the reason.

Order of work: every combination of choices apart -> quick refutation at 60 digits -> exact
algebra on every piece that the signs of switches cut out -> agreement at many points of a
piece. `different` always carries a point at which rigorous balls do not meet, or where one law
alone is defined. The same inputs give the same verdict: the work is counted, and the limit of
CPU time only interrupts. Every step is bounded and asks the guard; no computer algebra system
is used.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from lawsmith.expressions.domains import (
    Axis,
    Domain,
    Point,
    all_choices,
    axes_of,
    corner_points,
    generic_points,
    nudged_corners,
)
from lawsmith.expressions.equality.algebra import Algebra, BudgetError
from lawsmith.expressions.equality.piecewise_comparison import IDENTITY_POINTS, Cases
from lawsmith.expressions.equality.refutation import (
    DEEP_BITS,
    QUICK_BITS,
    TELLING,
    TIME_LIMIT,
    Comparison,
    Meter,
    Relation,
    WorkError,
)
from schemas.expression import Expression, names_of, substitute

QUICK_POINTS: Final = 64
WORK: Final = 2_000_000
EXHAUSTIVE: Final = 4096
MOST_CHOICES: Final = 64
"""Combinations of choices beside ranges that are compared one by one."""


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
    time_limit: float = TIME_LIMIT,
    clock: Callable[[], float] = time.thread_time,
    work: float = 1.0,
) -> Verdict:
    """Compare two laws as functions on a domain.

    Args:
        a: one law.
        b: the other; its names may differ from a's (an inert name changes nothing).
        domain: name -> `(low, high)` closed, a list of choices, `{"low", "high"}` or
            `{"choices"}`; a name without a domain ranges over all reals.
        time_limit: seconds until the guard interrupts with `undecided`, reason `time_limit`; the
            counted work ends first (reason `work_budget`).
        clock: seconds; by default of CPU time of this thread, which is the same at any load.
        work: share of the usual counted work that may be done.

    Returns:
        A Verdict. Laws that agree but for single points (a removable singularity) are equal,
        and the reason says so.

    Raises:
        InputError: the domain is malformed.
    """
    started = clock()
    meter = Meter(int(work * WORK), lambda: clock() - started > time_limit)
    axes = axes_of(sorted(names_of(a) | names_of(b)), domain)
    try:
        return _Case(a, b, axes, meter).verdict()
    except WorkError as error:
        return Verdict("undecided", "", str(error))


class _Case:
    def __init__(self, a: Expression, b: Expression, axes: tuple[Axis, ...], meter: Meter) -> None:
        self._a, self._b, self._axes, self._meter = a, b, axes, meter
        self._same = a == b

    def verdict(self) -> Verdict:
        combinations = all_choices(self._axes, EXHAUSTIVE)
        if combinations is not None and (self._axes or not self._same):
            return self._exhaustive(Comparison(self._a, self._b, self._meter), combinations)
        if self._same:
            # A law is itself, even where nothing is known of it.
            return Verdict("equal", "structure", "the same tree")
        return self._together(list(self._parts()))

    def _parts(self) -> Iterator[tuple[Point, "_Part"]]:
        """The comparison for every combination of choices, the ranges left."""
        discrete = tuple(axis for axis in self._axes if axis.choices)
        ranges = tuple(axis for axis in self._axes if not axis.choices)
        chosen = all_choices(discrete, MOST_CHOICES) if discrete else [{}]
        if chosen is None:
            yield {}, _Part(self._a, self._b, self._axes, self._meter, many=True)
            return
        for point in chosen:
            values: dict[str, Expression] = dict(point)
            laws = [substitute(law, values) for law in (self._a, self._b)]
            yield point, _Part(laws[0], laws[1], ranges, self._meter)

    def _together(self, parts: list[tuple[Point, "_Part"]]) -> Verdict:
        found = []
        for point, part in parts:
            verdict = part.verdict()
            if verdict.witness is not None:
                return replace(verdict, witness=verdict.witness | point)
            found.append(verdict)
        undecided = [verdict for verdict in found if verdict.verdict == "undecided"]
        never = [verdict for verdict in undecided if verdict.reason == "never_defined"]
        if len(never) < len(found):
            # A choice for which neither law exists says nothing against their being equal.
            undecided = [verdict for verdict in undecided if verdict not in never]
        if undecided:
            return undecided[0]
        return max(found, key=lambda verdict: (verdict.how == "identity", len(verdict.reason)))

    def _exhaustive(self, compare: Comparison, points: list[Point]) -> Verdict:
        defined = False
        for point in points:
            relation = compare.at(point, DEEP_BITS)
            if relation in TELLING:
                return _different(compare, point)
            if relation is Relation.UNDECIDED:
                if self._same or self._proved(point):
                    continue
                return Verdict("undecided", "", "a point cannot be told apart", None)
            defined = defined or relation is Relation.AGREE
        if not defined and not self._same:
            return Verdict("undecided", "", "never_defined")
        return Verdict("equal", "exhaustive", f"all {len(points)} points of the domain agree")

    def _proved(self, point: Point) -> bool:
        values: dict[str, Expression] = dict(point)
        try:
            algebra = Algebra(tick=lambda count: self._meter.spend(count, 0))
            top, _ = algebra.difference(substitute(self._a, values), substitute(self._b, values))
        except BudgetError:
            return False
        return not top


class _Part:
    """A comparison over ranges alone, or over more choices than are taken one by one.

    Args:
        many: there are such choices. Their axes count as ranges: agreement there is agreement
            on the choices, while a difference, or a single point, there says nothing.
    """

    def __init__(
        self,
        a: Expression,
        b: Expression,
        axes: tuple[Axis, ...],
        meter: Meter,
        *,
        many: bool = False,
    ) -> None:
        self._a, self._b, self._axes, self._meter, self._many = a, b, axes, meter, many
        self._compare = Comparison(a, b, meter)
        self._almost = False

    def verdict(self) -> Verdict:
        """Quick refutation, then all pieces."""
        settled = self._quick()
        if settled is not None:
            return settled
        if self._a == self._b:
            return self._equal("structure", "the same tree")
        outcome = Cases(self._a, self._b, self._axes, self._compare, self._meter).outcome()
        if self._many and (outcome.witness is not None or outcome.almost or outcome.identity):
            return Verdict("undecided", "", "too many choices to take one by one")
        if outcome.witness is not None:
            return _different(self._compare, outcome.witness)
        if outcome.undecided:
            return Verdict("undecided", "", outcome.undecided)
        if not outcome.agreed:
            return Verdict("undecided", "", "never_defined")
        self._almost = self._almost or outcome.almost
        if outcome.identity:
            points = f"agreement to 60 digits at {IDENTITY_POINTS} points of each smooth piece"
            return self._equal("identity", points)
        return self._equal("algebraic", "the difference vanishes in exact algebra")

    def _equal(self, how: str, reason: str) -> Verdict:
        if self._almost:
            reason += (
                "; equal almost everywhere: at single points or jumps one law may differ or"
                " be undefined"
            )
        return Verdict("equal", how, reason)

    def _quick(self) -> Verdict | None:
        """A difference at few points, or nothing."""
        count = EXHAUSTIVE if self._many else QUICK_POINTS
        inside = chain(generic_points(self._axes, count), nudged_corners(self._axes))
        for point in inside:
            if self._compare.at(point, QUICK_BITS) in TELLING:
                if self._compare.telling(point, QUICK_BITS, self._axes):
                    return _different(self._compare, point)
                self._almost = True
        for point in corner_points(self._axes):
            self._almost = self._almost or self._compare.at(point, QUICK_BITS) in TELLING
        return None


def _different(compare: Comparison, point: Point) -> Verdict:
    if compare.at(point, QUICK_BITS) is Relation.ONE_UNDEFINED:
        return Verdict("different", "witness", "only one law is defined there", point)
    return Verdict("different", "witness", "the values differ there", point)


__all__ = ("Verdict", "equivalent")
