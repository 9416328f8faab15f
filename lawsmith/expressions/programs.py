"""An expression as a straight program: one step for each value that differs.

Repeated subtrees are one step, sums and products of many are chains of two, and short powers
are written out as the products and roots that `operators.floats` defines them by, so that
running the steps gives, bit for bit, what the tree gives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lawsmith.expressions.operators import OPERATORS, SHORT_POWERS
from schemas.expression import Expression, Op, Var


@dataclass(frozen=True, slots=True)
class Step:
    """A name, a number, or an operator on earlier steps."""

    op: str
    """An operator of the table, `"name"` or `"number"`."""
    args: tuple[int, ...] = ()
    """Places of earlier steps."""
    value: float | str = 0.0
    """The name or the number."""


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in order; the last one is the value."""

    steps: tuple[Step, ...]
    names: tuple[str, ...]
    """The names, sorted."""

    def depends_on(self, columns: frozenset[str]) -> list[bool]:
        """For each step, whether any of the given names reaches it."""
        found: list[bool] = []
        for step in self.steps:
            found.append(step.value in columns or any(found[arg] for arg in step.args))
        return found

    def values(
        self, places: Sequence[int], inputs: Mapping[str, float]
    ) -> tuple[float, ...] | None:
        """The values of some steps by the table's own functions, None if one is undefined.

        Args:
            places: steps that depend on the given names only.
            inputs: name -> float.
        """
        found: dict[int, Any] = {}
        with np.errstate(all="ignore"):
            for place in self._needed(places):
                value = self._value(place, found, inputs)
                if value is None or not np.isfinite(value):
                    return None
                found[place] = value
        return tuple(float(found[place]) + 0.0 for place in places)

    def _needed(self, places: Sequence[int]) -> list[int]:
        needed = set(places)
        for place in range(len(self.steps) - 1, -1, -1):
            if place in needed:
                needed.update(self.steps[place].args)
        return sorted(needed)

    def _value(self, place: int, found: Mapping[int, Any], inputs: Mapping[str, float]) -> Any:
        step = self.steps[place]
        if step.op in ("name", "number"):
            return np.float64(inputs[str(step.value)] if step.op == "name" else step.value)
        operator = OPERATORS[step.op]
        args = [found[arg] for arg in step.args]
        if operator.defined is not None and not operator.defined(*args):
            return None
        return operator.numeric(*args)


def program_of(expression: Expression) -> Program:
    """The program of an expression."""
    writer = _Writer()
    writer.place(expression)
    steps = tuple(writer.steps)
    return Program(steps, tuple(sorted({str(s.value) for s in steps if s.op == "name"})))


class _Writer:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._known: dict[Step, int] = {}

    def place(self, node: Expression) -> int:
        if isinstance(node, Var):
            return self._add(Step("name", (), node.var))
        if not isinstance(node, Op):
            return self._add(Step("number", (), node))
        exponent = node.args[1] if node.op == "pow" else None
        if isinstance(exponent, float) and exponent in SHORT_POWERS:
            return self._short_power(self.place(node.args[0]), exponent)
        args = [self.place(arg) for arg in node.args]
        if OPERATORS[node.op].arity[1] is not None:
            return self._add(Step(node.op, tuple(args)))
        place = args[0]
        for other in args[1:]:
            place = self._add(Step(node.op, (place, other)))
        return place

    def _short_power(self, base: int, exponent: float) -> int:
        """The steps of `SHORT_POWERS[exponent]`, in the same order."""
        start, factors, squared = _SHAPES[exponent]
        place = base
        if start == "sqrt" or exponent == -0.5:
            place = self._add(Step("sqrt", (base,)))
        if start == "invert":
            place = self._add(Step("div", (self._add(Step("number", (), 1.0)), place)))
        for _ in range(factors):
            place = self._add(Step("mul", (place, base)))
        return self._add(Step("mul", (place, place))) if squared else place

    def _add(self, step: Step) -> int:
        place = self._known.setdefault(step, len(self.steps))
        if place == len(self.steps):
            self.steps.append(step)
        return place


_SHAPES: Final[dict[float, tuple[str, int, bool]]] = {
    -2.0: ("invert", 0, True),
    -1.0: ("invert", 0, False),
    -0.5: ("invert", 0, False),
    0.5: ("sqrt", 0, False),
    1.0: ("base", 0, False),
    1.5: ("sqrt", 1, False),
    2.0: ("base", 1, False),
    2.5: ("sqrt", 2, False),
    3.0: ("base", 2, False),
    4.0: ("base", 1, True),
}
"""Exponent -> (what to start from, how many times to multiply by the base, square at the end)."""

__all__ = ("Program", "Step", "program_of")
