"""Numeric comparison of two laws at exact points with rigorous balls, under a counted budget."""

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, fmpq

from lawsmith.expressions.domains import Axis, Point
from lawsmith.expressions.operators import OPERATORS, UndecidedError, UndefinedError, ball
from lawsmith.expressions.truth import exact_number, precision
from schemas.expression import Expression, Op, Var

QUICK_BITS: Final = 270
"""81 digits."""
DEEP_BITS: Final = 1100
"""331 digits: below the smallest ratio of two float64 constants of a usual law."""
LAST_BITS: Final = 8192
AGREED_BITS: Final = 200
"""60 digits: values this close, at a precision that could tell, agree."""


_BESIDE: Final = (1.234567e-4, 3.1e-8, 2.3e-11, 5.7e-14)


TIME_LIMIT: Final = 600.0
"""CPU seconds after which the guard of a comparison interrupts.

The counted work ends a comparison long before, at the same place whatever else the machine does:
a unit of it takes at most some 30 microseconds, and there are some millions."""


ASKED: Final = 1000
"""Work after which the guard is asked again: some milliseconds."""


class WorkError(Exception):
    """The counted work or the guard's time is used up; the argument is the reason."""


class Relation(enum.Enum):
    """What two laws do at one point."""

    AGREE = "agree"
    DIFFER = "differ"
    BOTH_UNDEFINED = "both undefined"
    ONE_UNDEFINED = "one undefined"
    UNDECIDED = "undecided"


TELLING: Final = (Relation.DIFFER, Relation.ONE_UNDEFINED)


@dataclass(slots=True)
class Meter:
    """Counts evaluated nodes, weighted by precision; the guard only interrupts."""

    left: int
    expired: Callable[[], bool]
    unasked: int = ASKED
    """Work since the guard was asked; it is asked at once, then now and then: that costs."""

    def spend(self, nodes: int, bits: int) -> None:
        """Take the cost of evaluating `nodes`.

        Raises:
            WorkError: nothing is left, or the guard fired.
        """
        cost = nodes * (1 + bits // 1024)
        self.left -= cost
        self.unasked += cost
        if self.left < 0:
            raise WorkError("work_budget")
        if self.unasked >= ASKED:
            self.unasked = 0
            if self.expired():
                raise WorkError("time_limit")


class Comparison:
    """Two expressions ready to be compared at points.

    Subtrees that occur more than once, in one law or in both, are computed once a point.
    """

    def __init__(self, a: Expression, b: Expression, meter: Meter) -> None:
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]] | Var | Any] = []
        self._places: dict[Expression, int] = {}
        self._ends = self._place(a), self._place(b)
        self._meter = meter

    def _place(self, node: Expression) -> int:
        if node not in self._places:
            step: Any = node
            if isinstance(node, Op):
                step = OPERATORS[node.op].ball, tuple(self._place(arg) for arg in node.args)
            elif not isinstance(node, Var):
                step = exact_number(node)
            self._steps.append(step)
            self._places[node] = len(self._steps) - 1
        return self._places[node]

    def at(self, point: Mapping[str, float], bits: int) -> Relation:
        """The relation at a point; the precision rises from `bits` while balls do not tell."""
        inputs = {name: exact_number(value) for name, value in point.items()}
        while True:
            relation = self._once(inputs, bits)
            if relation is not Relation.UNDECIDED or bits >= LAST_BITS:
                return relation
            bits = min(4 * bits, LAST_BITS)

    def telling(self, point: Point, bits: int, axes: Sequence[Axis]) -> bool:
        """Whether the laws differ at a point and beside it: on more than a single point."""
        if self.at(point, bits) not in TELLING:
            return False
        ranges = [axis for axis in axes if not axis.choices]
        if not ranges:
            return True
        for share in _BESIDE:
            beside = dict(point)
            for place, axis in enumerate(ranges):
                way = 1.0 if point[axis.name] - axis.low < axis.high - point[axis.name] else -1.0
                scale = min(abs(point[axis.name]) or 1.0, axis.high - axis.low)
                beside[axis.name] += way * share * scale * (1.0 + 0.618 * place)
            if self.at(beside, bits) in TELLING:
                return True
        return False

    def _once(self, inputs: Mapping[str, Any], bits: int) -> Relation:
        with precision(bits):
            values = self._values(inputs, bits)
        first, second = (values[end] for end in self._ends)
        if first is UndecidedError or second is UndecidedError:
            return Relation.UNDECIDED
        if first is None or second is None:
            return Relation.BOTH_UNDEFINED if first is second else Relation.ONE_UNDEFINED
        return _relation(first, second, bits)

    def _values(self, inputs: Mapping[str, Any], bits: int) -> list[Any]:
        """The value of each step: None where undefined, UndecidedError where not to be told."""
        values: list[Any] = []
        for step in self._steps:
            if isinstance(step, tuple):
                self._meter.spend(1, bits)
                values.append(_applied(step[0], [values[place] for place in step[1]]))
            else:
                values.append(inputs[step.var] if isinstance(step, Var) else step)
        return values


def _applied(apply: Callable[..., Any], args: list[Any]) -> Any:
    # What is certainly undefined makes a law undefined, whatever else cannot be told.
    if any(arg is None for arg in args):
        return None
    if any(arg is UndecidedError for arg in args):
        return UndecidedError
    try:
        return apply(*args)
    except UndefinedError:
        return None
    except UndecidedError:
        return UndecidedError


def _relation(first: Any, second: Any, bits: int) -> Relation:
    if isinstance(first, fmpq) and isinstance(second, fmpq):
        return Relation.AGREE if first == second else Relation.DIFFER
    with precision(bits):
        difference = ball(first) - ball(second)
        if not difference.contains(0):
            return Relation.DIFFER
        size = abs(ball(first)).max(abs(ball(second)))
        width = difference.abs_upper()
        if width <= size.abs_lower() * arb(2) ** -AGREED_BITS:
            return Relation.AGREE
        # Both are zero to within the precision: nothing relative can be said about them.
        tiny = bits >= DEEP_BITS and width < arb(2) ** (-bits // 2)
    return Relation.AGREE if tiny else Relation.UNDECIDED


__all__ = (
    "AGREED_BITS",
    "ASKED",
    "DEEP_BITS",
    "LAST_BITS",
    "QUICK_BITS",
    "TELLING",
    "TIME_LIMIT",
    "Comparison",
    "Meter",
    "Relation",
    "WorkError",
)
