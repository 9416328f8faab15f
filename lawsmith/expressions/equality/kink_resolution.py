"""A law on one side of every kink: settled by the box, or by assumed signs."""

from collections.abc import Callable, Mapping
from typing import Any

from flint import fmpq

from lawsmith.expressions.equality.intervals import BITS, combine
from lawsmith.expressions.equality.sign_conditions import (
    Assumed,
    Key,
    Keys,
    Switch,
    is_stepped,
    same_rising,
)
from lawsmith.expressions.operators import (
    OPERATORS,
    Interval,
    Settled,
    UndefinedError,
    certain_sign,
)
from lawsmith.expressions.truth import exact_number, precision
from schemas.expression import MAX_INTEGER, Expression, Op, Var


class Side:
    """Settles laws over a box under assumed signs; what stays open is listed.

    Args:
        box: name -> bounds; a name without any is unbounded.
        keys: of the switches.
        assumed: bounds of keys.
        tick: called with the work about to be done, in nodes; it may raise.
    """

    def __init__(
        self,
        box: Mapping[str, Interval],
        keys: Keys,
        assumed: Assumed,
        tick: Callable[[int], None],
    ) -> None:
        self._box, self.keys, self._assumed, self._tick = box, keys, assumed, tick
        self._memory: dict[Expression, tuple[Expression, Interval | None]] = {}
        self.kinks: dict[Any, Switch] = {}
        """Switches of kinks that are not decided, inner ones first."""
        self.guards: dict[Any, Switch] = {}
        """Functions that must not be negative for the law to exist, not decided."""
        self.proved: set[Any] = set()
        """Keys of guards that the box decides."""
        self.zeros: dict[Key, Expression] = {}
        """Divisors that may vanish somewhere."""
        self.jumps = False
        """Whether a jump was settled by assumption."""
        self.vague = False
        """Whether a power's base may be negative where its exponent happens to be whole."""

    def settle(self, law: Expression) -> Expression:
        """The law without the kinks whose side is known.

        Raises:
            UndefinedError: the law exists at most on single points there.
        """
        with precision(BITS):
            return self.settled(law)[0]

    def settled(self, law: Expression) -> Settled:
        """A law without the kinks whose side is known, and its bounds over the box."""
        if law not in self._memory:
            self._tick(1)
            self._memory[law] = self._fresh(law)
        return self._memory[law]

    def _fresh(self, law: Expression) -> Settled:
        if isinstance(law, Var):
            return law, self._box.get(law.var)
        if not isinstance(law, Op):
            number = exact_number(law)
            return law, (number, number)
        pairs = [self.settled(arg) for arg in law.args]
        rule = OPERATORS[law.op].settled
        if rule is not None:
            return rule(self, *pairs)
        return self.plain(law.op, pairs)

    def plain(self, op: str, pairs: list[Settled]) -> Settled:
        """An operator over settled arguments as it stands, with its bounds."""
        node = Op(op, tuple(arg for arg, _ in pairs))
        if op == "mul" and len(pairs) == 2 and node.args[0] == node.args[1]:
            two = fmpq(2)
            return node, combine("pow", [pairs[0][1], (two, two)])
        return node, combine(op, [bounds for _, bounds in pairs])

    def sign(self, law: Expression, bounds: Interval | None, *, guard: bool = False) -> int | None:
        """The sign of a settled function, 0 only where it vanishes all over; None = open."""
        certain = certain_sign(bounds)
        if certain is not None:
            if guard:
                self.proved.add(self._guard_key(law))
            return certain
        split: int | None = self._product_sign(law, guard)
        if split is not NotImplemented:
            return split
        key, side = self.keys.of(law)
        if key is None:
            return int(side)
        low, high = self._assumed.get(key[0], (None, None))
        if low is not None and low + key[1] >= 0:
            return int(side)
        if high is not None and high + key[1] <= 0:
            return -int(side)
        plain = self.keys.plain_sign(law)
        if plain is not None:
            return plain
        oriented = law if side > 0 else Op("neg", (law,))
        switches = self.guards if guard else self.kinks
        switches.setdefault((*key, side * guard), Switch(key, oriented))
        return None

    def _guard_key(self, law: Expression) -> Any:
        key, side = self.keys.of(law)
        return None if key is None else (*key, side)

    def _product_sign(self, law: Expression, guard: bool) -> Any:
        if not isinstance(law, Op) or guard:
            return NotImplemented
        if law.op in ("mul", "div"):
            signs = [self.sign(arg, self.settled(arg)[1]) for arg in law.args]
            if None in signs:
                return None
            total = 1
            for sign in signs:
                total *= sign or 0
            return total
        if law.op == "neg":
            sign = self.sign(law.args[0], self.settled(law.args[0])[1])
            return None if sign is None else -sign
        if law.op == "sub" and same_rising(*law.args):
            first, second = (arg.args[0] for arg in law.args if isinstance(arg, Op))
            return self.sign(*self.plain("sub", [self.settled(first), self.settled(second)]))
        return NotImplemented

    def number(self, pair: Settled) -> Settled:
        """A settled function as a plain number where algebra sees that it is one."""
        value = None if isinstance(pair[0], float) else self.keys.constant(pair[0])
        if value is None or max(abs(value.p), value.q) > MAX_INTEGER:
            return pair
        top, under = float(int(value.p)), float(int(value.q))
        return top if under == 1.0 else Op("div", (top, under)), (value, value)

    def stepped(self, law: Expression) -> bool:
        """Whether a settled function may be constant on an open set without being constant."""
        return is_stepped(law)

    def moving(self, law: Expression) -> bool:
        """Whether a settled function is constant on no open set, as far as is seen."""
        return not is_stepped(law) and self.keys.moves(law)

    def require(self, law: Expression, bounds: Interval | None) -> None:
        """Ask for a function to be >= 0.

        Raises:
            UndefinedError: it is < 0.
        """
        if self.sign(law, bounds, guard=True) == -1:
            raise UndefinedError

    def divisor(self, law: Expression, bounds: Interval | None) -> None:
        """Ask for a function not to vanish.

        Raises:
            UndefinedError: it vanishes all over.
        """
        if bounds is not None and (bounds[0] > 0 or bounds[1] < 0):
            return
        if isinstance(law, Op) and law.op in ("mul", "div", "neg", "sqrt"):
            for arg in law.args:
                self.divisor(*self.settled(arg))
            return
        key, side = self.keys.of(law)
        if key is None and side == 0:
            raise UndefinedError
        if key is not None:
            self.zeros[key] = law


__all__ = ("Side",)
