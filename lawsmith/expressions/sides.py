"""A law on one side of every kink: settled by the box, or by assumed signs."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from flint import fmpq

from lawsmith.expressions.balls import UndefinedError
from lawsmith.expressions.intervals import BITS, Interval, certain_sign, combine
from lawsmith.expressions.switches import Assumed, Key, Keys, Switch, is_stepped, same_rising
from lawsmith.expressions.truth import exact_number, precision
from schemas.expression import MAX_INTEGER, Expression, Op, Var

MOST_STEPS: Final = 24
"""A floor over more whole numbers than this stays as it is."""


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
            return self._settled(law)[0]

    def _settled(self, law: Expression) -> tuple[Expression, Interval | None]:
        if law not in self._memory:
            self._tick(1)
            self._memory[law] = self._fresh(law)
        return self._memory[law]

    def _fresh(self, law: Expression) -> tuple[Expression, Interval | None]:
        if isinstance(law, Var):
            return law, self._box.get(law.var)
        if not isinstance(law, Op):
            number = exact_number(law)
            return law, (number, number)
        pairs = [self._settled(arg) for arg in law.args]
        rule = _RULES.get(law.op)
        if rule is not None:
            return rule(self, *pairs)
        return self._plain(law.op, pairs)

    def _plain(
        self, op: str, pairs: list[tuple[Expression, Interval | None]]
    ) -> tuple[Expression, Interval | None]:
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
            signs = [self.sign(arg, self._settled(arg)[1]) for arg in law.args]
            if None in signs:
                return None
            total = 1
            for sign in signs:
                total *= sign or 0
            return total
        if law.op == "neg":
            sign = self.sign(law.args[0], self._settled(law.args[0])[1])
            return None if sign is None else -sign
        if law.op == "sub" and same_rising(*law.args):
            first, second = (arg.args[0] for arg in law.args if isinstance(arg, Op))
            return self.sign(*self._plain("sub", [self._settled(first), self._settled(second)]))
        return NotImplemented

    def number(self, pair: "_Pair") -> "_Pair":
        """A settled function as a plain number where algebra sees that it is one."""
        value = None if isinstance(pair[0], float) else self.keys.constant(pair[0])
        if value is None or max(abs(value.p), value.q) > MAX_INTEGER:
            return pair
        top, under = float(int(value.p)), float(int(value.q))
        return top if under == 1.0 else Op("div", (top, under)), (value, value)

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
                self.divisor(*self._settled(arg))
            return
        key, side = self.keys.of(law)
        if key is None and side == 0:
            raise UndefinedError
        if key is not None:
            self.zeros[key] = law


_Pair: TypeAlias = tuple[Expression, "Interval | None"]


def _abs(side: Side, u: _Pair) -> _Pair:
    sign = side.sign(*u)
    if sign is None:
        return side._plain("abs", [u])
    return u if sign > 0 else side._plain("neg", [u])


def _cbrt(side: Side, u: _Pair) -> _Pair:
    third: _Pair = Op("div", (1.0, 3.0)), (fmpq(1, 3), fmpq(1, 3))
    sign = side.sign(*u)
    if sign == 1:
        return side._plain("pow", [u, third])
    if sign == -1:
        return side._plain("neg", [side._plain("pow", [side._plain("neg", [u]), third])])
    return side._plain("cbrt", [u])


def _jump(op: str) -> Callable[[Side, _Pair], _Pair]:
    def apply(side: Side, u: _Pair) -> _Pair:
        sign = side.sign(*u)
        if sign is None:
            return side._plain(op, [u])
        side.jumps = side.jumps or certain_sign(u[1]) is None
        value = sign if op == "sign" else int(sign > 0)
        return float(value), (fmpq(value), fmpq(value))

    return apply


def _extremum(op: str, wanted: int) -> Callable[..., _Pair]:
    def apply(side: Side, *args: _Pair) -> _Pair:
        best = args[0]
        for other in args[1:]:
            if best[0] == other[0]:
                continue
            gap = side._plain("sub", [best, other])
            sign = side.sign(*gap)
            if sign is None:
                best = side._plain(op, [best, other])
            else:
                best = best if sign in (wanted, 0) else other
        return best

    return apply


def _floor(side: Side, u: _Pair) -> _Pair:
    bounds = combine("floor", [u[1]]) if u[1] is not None else None
    if bounds is None or not all(isinstance(end, fmpq) for end in bounds):
        return side._plain("floor", [u])
    low, high = int(bounds[0].p), int(bounds[1].p)
    if high - low > MOST_STEPS:
        return side._plain("floor", [u])
    while low < high:
        middle = (low + high + 1) // 2
        step: _Pair = float(middle), (fmpq(middle), fmpq(middle))
        sign = side.sign(*side._plain("sub", [u, step]))
        if sign is None:
            return side._plain("floor", [u])
        side.jumps = True
        low, high = (middle, high) if sign >= 0 else (low, middle - 1)
    return float(low), (fmpq(low), fmpq(low))


def _round(side: Side, u: _Pair) -> _Pair:
    # round(u) is floor(u + 1/2) but where u + 1/2 is whole.
    if not side.moving(u[0]):
        return side._plain("round", [u])
    half: _Pair = 0.5, (fmpq(1, 2), fmpq(1, 2))
    side.jumps = True
    return _floor(side, side._plain("add", [u, half]))


def _ceil(side: Side, u: _Pair) -> _Pair:
    return side._plain("neg", [_floor(side, side._plain("neg", [u]))])


def _mod(side: Side, a: _Pair, b: _Pair) -> _Pair:
    whole = _floor(side, _div(side, a, b))
    return side._plain("sub", [a, side._plain("mul", [b, whole])])


def _div(side: Side, a: _Pair, b: _Pair) -> _Pair:
    side.divisor(*b)
    return side._plain("div", [a, b])


def _atan2(side: Side, y: _Pair, x: _Pair) -> _Pair:
    if (sign := side.sign(*x)) is None:
        return side._plain("atan2", [y, x])
    angle = side._plain("atan", [side._plain("div", [y, x])])
    if sign > 0:
        return angle
    if (half := side.sign(*y)) is None:
        return side._plain("atan2", [y, x])
    turn: _Pair = Op("acos", (-1.0,)), None
    return side._plain("add" if half >= 0 else "sub", [angle, turn])


def _even(side: Side, u: _Pair) -> _Pair:
    """The argument with the base of an even power, or of a square, put as its magnitude."""
    node = u[0]
    if not isinstance(node, Op):
        return u
    two: _Pair = 2.0, (fmpq(2), fmpq(2))
    if node.op == "mul" and len(node.args) == 2 and node.args[0] == node.args[1]:
        return side._plain("pow", [_abs(side, side._settled(node.args[0])), two])
    if node.op == "pow" and isinstance(node.args[1], float) and node.args[1] % 2 == 0.0:
        power = side._settled(node.args[1])
        return side._plain("pow", [_abs(side, side._settled(node.args[0])), power])
    return u


def _unpowered(side: Side, u: _Pair, share: Any) -> _Pair | None:
    """(v**n)**share as v**(n*share) where v is seen to be positive, else None."""
    node = u[0]
    if not (isinstance(node, Op) and node.op == "pow" and isinstance(node.args[1], float)):
        return None
    inner = side._settled(node.args[0])
    if not node.args[1].is_integer() or side.sign(*inner) != 1:
        return None
    power = fmpq(int(node.args[1])) * share
    if power == 1:
        return inner
    if max(abs(power.p), power.q) > MAX_INTEGER:
        return None
    exponent = Op("div", (float(int(power.p)), float(int(power.q))))
    return side._plain("pow", [inner, (exponent, (power, power))])


def _sqrt(side: Side, u: _Pair) -> _Pair:
    u = _even(side, u)
    plain = _unpowered(side, u, fmpq(1, 2))
    if plain is not None:
        return plain
    side.require(*u)
    return side._plain("sqrt", [u])


def _pow(side: Side, base: _Pair, exponent: _Pair) -> _Pair:
    exponent = side.number(exponent)
    bounds = exponent[1]
    fixed = bounds is not None and bounds[0] == bounds[1] and isinstance(bounds[0], fmpq)
    if fixed and bounds is not None and bounds[0].q == 1:
        if bounds[0] <= 0:
            side.divisor(*base)
        return side._plain("pow", [base, exponent])
    if fixed and bounds is not None:
        base = _even(side, base)
        plain = _unpowered(side, base, bounds[0])
        if plain is not None:
            return plain
    if not fixed and is_stepped(exponent[0]):
        side.vague = side.vague or side.sign(*base) != 1
        return side._plain("pow", [base, exponent])
    side.require(*base)
    side.divisor(*base)
    return side._plain("pow", [base, exponent])


def _guarded(op: str, *conditions: Callable[[Side, _Pair], _Pair]) -> Callable[..., _Pair]:
    def apply(side: Side, u: _Pair) -> _Pair:
        if op.startswith("log"):
            u = _even(side, u)
        if op not in ("asin", "acos", "atanh") or not side.keys.inside_one(u[0]):
            for condition in conditions:
                side.require(*condition(side, u))
        if op in ("log", "log2", "log10"):
            side.divisor(*u)
        return side._plain(op, [u])

    return apply


_ONE: Final[_Pair] = (1.0, (fmpq(1), fmpq(1)))


def _below_one(side: Side, u: _Pair) -> _Pair:
    return side._plain("sub", [_ONE, u])


def _above_minus_one(side: Side, u: _Pair) -> _Pair:
    return side._plain("add", [_ONE, u])


def _above_one(side: Side, u: _Pair) -> _Pair:
    return side._plain("sub", [u, _ONE])


def _itself(side: Side, u: _Pair) -> _Pair:
    return u


_RULES: Final[Mapping[str, Callable[..., _Pair]]] = {
    "abs": _abs,
    "cbrt": _cbrt,
    "sign": _jump("sign"),
    "step": _jump("step"),
    "min": _extremum("min", -1),
    "max": _extremum("max", 1),
    "floor": _floor,
    "ceil": _ceil,
    "round": _round,
    "mod": _mod,
    "div": _div,
    "atan2": _atan2,
    "sqrt": _sqrt,
    "pow": _pow,
    **{op: _guarded(op, _itself) for op in ("log", "log2", "log10")},
    **{op: _guarded(op, _below_one, _above_minus_one) for op in ("asin", "acos", "atanh")},
    "acosh": _guarded("acosh", _above_one),
}

__all__ = ("Side",)
