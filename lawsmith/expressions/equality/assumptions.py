"""What a path of assumptions says: signs of names, bounds of switches, or a contradiction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lawsmith.expressions.domains import Axis
from lawsmith.expressions.equality.algebra import Algebra
from lawsmith.expressions.equality.kink_resolution import Side
from lawsmith.expressions.equality.linear_feasibility import Form, contradict
from lawsmith.expressions.equality.locating import Condition
from lawsmith.expressions.equality.sign_conditions import Assumed, Keys
from lawsmith.expressions.operators import Interval
from schemas.expression import Var


@dataclass(frozen=True, slots=True)
class Signs:
    """The algebra that knows the signs of names on a piece, and the assumptions in its terms."""

    algebra: Algebra
    keys: Keys
    assumed: Assumed
    empty: bool
    """Whether the assumptions contradict each other."""


class Assumptions:
    """Reads paths of conditions over a box.

    Args:
        axes: of all names.
        box: name -> bounds; a name without any is unbounded.
        tick: called with the work about to be done; it may raise.
    """

    def __init__(
        self,
        axes: Sequence[Axis],
        box: Mapping[str, Interval],
        tick: Callable[[int], None],
    ) -> None:
        self._axes, self._box, self._tick = axes, box, tick
        self._known: dict[tuple[frozenset[str], frozenset[str]], tuple[Algebra, Keys]] = {}

    def signs(self, path: Sequence[Condition]) -> Signs:
        """What the conditions of a path say of names and switches."""
        positive = frozenset(axis.name for axis in self._axes if axis.positive)
        negative = frozenset(a.name for a in self._axes if a.declared and a.high <= 0)
        found = self._assumed(path, positive, negative)
        more: dict[int, set[str]] = {1: set(positive), -1: set(negative)}
        for axis in self._axes if path else ():
            side = Side({}, found.keys, found.assumed, self._tick).sign(Var(axis.name), None)
            if side is not None:
                more[side].add(axis.name)
        known = frozenset(more[1]), frozenset(more[-1])
        return found if known == (positive, negative) else self._assumed(path, *known)

    def _assumed(
        self, path: Sequence[Condition], positive: frozenset[str], negative: frozenset[str]
    ) -> Signs:
        signs = positive, negative
        if signs not in self._known:
            algebra = Algebra(positive, negative, tick=self._tick)
            self._known[signs] = algebra, Keys(algebra)
        algebra, keys = self._known[signs]
        assumed: dict[Any, tuple[Any, Any]] = {}
        forms, empty = [], False
        for condition in path:
            key, side = keys.of(condition.law)
            if key is None:
                empty = empty or side < 1
                continue
            low, high = assumed.get(key[0], (None, None))
            bound = -key[1]
            if side > 0:
                low = bound if low is None else max(low, bound)
            else:
                high = bound if high is None else min(high, bound)
            assumed[key[0]] = low, high
            forms.append({k: c * side for k, c in keys.form(key).items()})
        if len(forms) > 1 and not empty:
            empty = contradict([*forms, *self._bounds(keys)])
        return Signs(algebra, keys, assumed, empty)

    def _bounds(self, keys: Keys) -> Iterator[Form]:
        for name, ends in self._box.items():
            for end, way in zip(ends, (1, -1), strict=True):
                yield {**keys.name_form(name, way), (): -way * end}


__all__ = ("Assumptions", "Signs")
