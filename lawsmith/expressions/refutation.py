"""Numeric comparison of two laws at exact points with rigorous balls, under a counted budget."""

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, ctx, fmpq

from lawsmith.expressions.balls import UndecidedError, UndefinedError, ball
from lawsmith.expressions.domains import Axis, Point
from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.truth import exact_number, exact_value, precision
from schemas.expression import Expression, Op, Var, node_count

QUICK_BITS: Final = 270
"""81 digits."""
DEEP_BITS: Final = 1100
"""331 digits: below the smallest ratio of two float64 constants of a usual law."""
LAST_BITS: Final = 8192
AGREED_BITS: Final = 200
"""60 digits: values this close, at a precision that could tell, agree."""


class WorkError(Exception):
    """The counted work or the wall guard is used up; the argument is the reason."""


class Relation(enum.Enum):
    """What two laws do at one point."""

    AGREE = "agree"
    DIFFER = "differ"
    BOTH_UNDEFINED = "both undefined"
    ONE_UNDEFINED = "one undefined"
    UNDECIDED = "undecided"


@dataclass(slots=True)
class Meter:
    """Counts evaluated nodes, weighted by precision; the wall guard only interrupts."""

    left: int
    expired: Callable[[], bool]

    def spend(self, nodes: int, bits: int) -> None:
        """Take the cost of evaluating `nodes`.

        Raises:
            WorkError: nothing is left, or the guard fired.
        """
        self.left -= nodes * (1 + bits // 1024)
        if self.left < 0:
            raise WorkError("work_budget")
        if self.expired():
            raise WorkError("time_limit")


class Comparison:
    """Two expressions ready to be compared at points."""

    def __init__(self, a: Expression, b: Expression, meter: Meter) -> None:
        self._pair = (a, b)
        self._nodes = node_count(a) + node_count(b)
        self._meter = meter

    def at(self, point: Mapping[str, float], bits: int) -> Relation:
        """The relation at a point; the precision rises from `bits` while balls do not tell."""
        inputs = {name: exact_number(value) for name, value in point.items()}
        while True:
            self._meter.spend(self._nodes, bits)
            relation = self._once(inputs, bits)
            if relation is not Relation.UNDECIDED or bits >= LAST_BITS:
                return relation
            bits = min(4 * bits, LAST_BITS)

    def first(self, points: Iterable[Point], bits: int, *wanted: Relation) -> Point | None:
        """The first point with one of the wanted relations."""
        return next((point for point in points if self.at(point, bits) in wanted), None)

    def _once(self, inputs: Mapping[str, Any], bits: int) -> Relation:
        values = []
        for expression in self._pair:
            try:
                values.append(exact_value(expression, inputs, bits))
            except UndefinedError:
                values.append(None)
            except UndecidedError:
                return Relation.UNDECIDED
        first, second = values
        if first is None or second is None:
            return Relation.BOTH_UNDEFINED if first is second else Relation.ONE_UNDEFINED
        return _relation(first, second, bits)


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


def resolve(expression: Expression, axes: Mapping[str, Axis]) -> Expression:
    """The expression with every kink whose side is fixed on the whole box taken away."""
    boxes = {name: axis.ball() for name, axis in axes.items()}
    before, ctx.prec = ctx.prec, 64
    try:
        return _resolved(expression, boxes)[0]
    finally:
        ctx.prec = before


def _resolved(node: Expression, boxes: Mapping[str, Any]) -> tuple[Expression, Any]:
    """The resolved node and a ball that holds its values, None when unknown."""
    if isinstance(node, Var):
        return node, boxes[node.var]
    if not isinstance(node, Op):
        return node, exact_number(node)
    pairs = [_resolved(arg, boxes) for arg in node.args]
    args = tuple(arg for arg, _ in pairs)
    values = [value for _, value in pairs]
    if None in values:
        return Op(node.op, args), None
    if OPERATORS[node.op].kink:
        chosen = _chosen(node.op, args, values)
        if chosen is not None:
            return chosen
    return Op(node.op, args), _enclosure(node.op, values)


def _enclosure(op: str, values: list[Any]) -> Any:
    if op == "mul" and len(values) == 2 and values[0] is values[1]:
        op, values = "pow", [values[0], fmpq(2)]
    try:
        value = OPERATORS[op].ball(*values)
    except (UndefinedError, UndecidedError):
        return None
    return value if isinstance(value, fmpq) or value.is_finite() else None


def _chosen(
    op: str, args: tuple[Expression, ...], values: list[Any]
) -> tuple[Expression, Any] | None:
    if op in ("abs", "cbrt"):
        if values[0] > 0:
            return (args[0], values[0]) if op == "abs" else None
        if op == "abs" and values[0] < 0:
            return Op("neg", args), -values[0]
    if op in ("step", "sign"):
        if values[0] > 0:
            return 1.0, fmpq(1)
        if values[0] < 0:
            return (0.0, fmpq(0)) if op == "step" else (-1.0, fmpq(-1))
    if op in ("min", "max"):
        sign = 1 if op == "max" else -1
        for place, value in enumerate(values):
            others = values[:place] + values[place + 1 :]
            if all((value - other) * sign > 0 for other in others):
                return args[place], value
    return None


def switches(expression: Expression, axes: Mapping[str, Axis]) -> list[Expression] | None:
    """Functions whose sign changes bound the smooth pieces; None when they cannot be listed.

    The expression is already resolved. Roots, powers and logarithms count as smooth when
    their argument keeps its sign over the box.
    """
    boxes = {name: axis.ball() for name, axis in axes.items()}
    found: list[Expression] = []
    before, ctx.prec = ctx.prec, 64
    try:
        known = _collect(expression, boxes, found)
    finally:
        ctx.prec = before
    return found if known else None


def _collect(node: Expression, boxes: Mapping[str, Any], found: list[Expression]) -> bool:
    if not isinstance(node, Op):
        return True
    if not all(_collect(arg, boxes, found) for arg in node.args):
        return False
    if node.op in ("floor", "ceil", "round", "mod", "atan2"):
        return node.op == "atan2" and _right_half(node, boxes)
    if node.op in ("abs", "cbrt", "sign", "step"):
        found.append(node.args[0])
    elif node.op in ("min", "max"):
        found.extend(
            Op("sub", (one, other))
            for place, one in enumerate(node.args)
            for other in node.args[place + 1 :]
        )
    elif _branches(node, boxes):
        found.append(node.args[0])
    return True


def _right_half(node: Op, boxes: Mapping[str, Any]) -> bool:
    value = _resolved(node.args[1], boxes)[1]
    return value is not None and bool(value > 0)


def _branches(node: Op, boxes: Mapping[str, Any]) -> bool:
    if node.op == "pow":
        exponent = node.args[1]
        if isinstance(exponent, float) and exponent.is_integer():
            return False
    elif node.op not in ("sqrt", "log", "log10", "log2"):
        return False
    value = _resolved(node.args[0], boxes)[1]
    return value is None or not value > 0


__all__ = (
    "AGREED_BITS",
    "DEEP_BITS",
    "LAST_BITS",
    "QUICK_BITS",
    "Comparison",
    "Meter",
    "Relation",
    "WorkError",
    "resolve",
    "switches",
)
