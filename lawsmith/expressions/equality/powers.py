"""Powers, exponentials and logarithms in normal form.

Every rewrite here holds wherever the law is defined: a factor leaves a root or a logarithm
only when it is positive all over the domain, and an even power leaves as that of a magnitude.
"""

from typing import Any

from flint import fmpq

from lawsmith.expressions.operators import (
    HALF,
    ONE,
    BudgetError,
    Monomial,
    Polynomial,
    Ratio,
    Ring,
    constant_of,
    factors_of,
    monomial_of,
)


class Powers(Ring):
    """The ring with fractional and symbolic powers."""

    def power(self, base: Ratio, exponent: Ratio) -> Ratio:
        """base**exponent; an exponent that is no rational number needs a positive base."""
        constant = constant_of(exponent)
        if constant is None:
            if self.is_positive(base):
                return self.exponential(self.mul(exponent, self.logarithm(base)))
            return self.opaque("pow", base, exponent)
        if constant.q == 1:
            return self.integer_power(base, int(constant.p))
        return self.root(base, constant)

    def root(self, base: Ratio, exponent: Any) -> Ratio:
        """base**exponent for a rational exponent that is no integer."""
        top, bottom = base
        if not top:
            return base
        if bottom != ONE:
            if not (self._all_positive(bottom) or self._all_positive(top)):
                return self.generator("root", self.key(base), positive=True, power=exponent)
            over = self.root((top, ONE), exponent)
            return self.mul(over, self.root((bottom, ONE), -exponent))
        outer, inner = self.split(top)
        total = self._monomial_power(outer, exponent)
        if inner != ONE:
            total = self.mul(total, self.fractional("root", frozenset(inner.items()), exponent))
        return total

    def _monomial_power(self, outer: tuple[Any, Monomial], exponent: Any) -> Ratio:
        total = self.number(fmpq(1))
        for prime, power in factors_of(outer[0]):
            total = self.mul(total, self.fractional("prime", prime, power * exponent))
        for place, power in outer[1]:
            total = self.mul(total, self.generator_power(place, power * exponent))
        return total

    def split(self, value: Polynomial) -> tuple[tuple[Any, Monomial], Polynomial]:
        """The value as (positive number, positive generators) times a normalised rest."""
        first = min(value)
        shared = {place: power for place, power in first if self._positive[place]}
        for monomial in value:
            powers = dict(monomial)
            shared = {
                place: min(power, powers.get(place, fmpq(0))) for place, power in shared.items()
            }
            for place, power in powers.items():
                if power < 0 and self._positive[place] and place not in shared:
                    shared[place] = power
        outer = tuple(sorted((place, power) for place, power in shared.items() if power))
        size = abs(value[first])
        inner: Polynomial = {}
        for monomial, coefficient in value.items():
            powers = dict(monomial)
            for place, power in outer:
                powers[place] = powers.get(place, fmpq(0)) - power
            inner[monomial_of(powers)] = coefficient / size
        if len(inner) == 1:
            outer, inner = self._even_parts(outer, inner)
        return (size, outer), inner

    def _even_parts(self, outer: Monomial, inner: Polynomial) -> tuple[Monomial, Polynomial]:
        # x^(2n) = |x|^(2n), and |x| is positive.
        ((monomial, coefficient),) = inner.items()
        if coefficient < 0 or not monomial:
            return outer, inner
        powers, rest = dict(outer), {}
        for place, power in monomial:
            if self._even(place, power):
                size = self.opaque("abs", ({((place, fmpq(1)),): fmpq(1)}, ONE))
                (((number, _),),) = size[0]
                powers[number] = powers.get(number, fmpq(0)) + power
            else:
                rest[place] = power
        return monomial_of(powers), {monomial_of(rest): coefficient}

    def is_positive(self, value: Ratio) -> bool:
        """Whether a value is seen to be > 0: all signs and generators positive."""
        return bool(value[0]) and self._all_positive(value[0]) and self._all_positive(value[1])

    def _all_positive(self, value: Polynomial) -> bool:
        return all(
            coefficient > 0
            and all(self._positive[place] or self._even(place, power) for place, power in monomial)
            for monomial, coefficient in value.items()
        )

    def _even(self, place: int, power: Any) -> bool:
        real = self.keys[place][0] not in ("turn", "i")
        return real and power.q == 1 and int(power.p) % 2 == 0

    def exponential(self, value: Ratio, kind: str = "exp") -> Ratio:
        """exp(value), or for kind `turn` the unit number exp(i*value)."""
        top, bottom = value
        total = self.number(fmpq(1))
        if bottom != ONE:
            if not top:
                return total
            lead = top[min(top)]
            unit = (self.scaled((top, ONE), 1 / lead)[0], bottom)
            return self.generator(kind, self.key(unit), positive=kind == "exp", power=lead)
        for monomial, coefficient in sorted(top.items()):
            total = self.mul(total, self._single_exponential(monomial, coefficient, kind))
        return total

    def _single_exponential(self, monomial: Monomial, coefficient: Any, kind: str) -> Ratio:
        inner = self._inside(monomial)
        if kind == "exp" and inner is not None and inner[0] == "log":
            return self._root_of_log(inner[1], coefficient)
        if kind == "turn" and self._whole_turns(monomial) and coefficient.q == 1:
            coefficient = coefficient - 2 * (coefficient / 2).floor()
            if not coefficient:
                return self.number(fmpq(1))
        if kind == "turn" and inner is not None:
            turned = self._turn(inner, coefficient)
            if turned is not None:
                return turned
        return self.generator(kind, monomial, positive=kind == "exp", power=coefficient)

    def _whole_turns(self, monomial: Monomial) -> bool:
        """Whether the monomial is pi times whole numbers."""
        kinds = [self.keys[place] for place, power in monomial if power.q == 1 and power > 0]
        others = [key for key in kinds if key != ("pi", "")]
        return (
            len(kinds) == len(monomial)
            and bool(others)
            and len(others) == len(kinds) - 1
            and all(kind == "opaque" and payload[0] == "floor" for kind, payload in others)
        )

    def moves(self, value: Ratio) -> bool:
        """Whether a value is seen to be constant on no open set: a name acts smoothly in it."""
        return any(
            self._moving(place) for part in value for monomial in part for place, _ in monomial
        )

    def _moving(self, place: int) -> bool:
        kind, payload = self.keys[place]
        if kind in ("name", "minus"):
            return True
        if kind == "opaque":
            smooth = payload[0] not in ("floor", "round", "sign", "step")
            return smooth and any(self._key_moves(key) for key in payload[1:])
        if isinstance(payload, frozenset):
            return any(self._moving(p) for monomial, _ in payload for p, _ in monomial)
        if isinstance(payload, tuple):
            if payload and isinstance(payload[0], frozenset):
                return self._key_moves(payload)
            return any(self._moving(p) for p, _ in payload)
        return False

    def _key_moves(self, key: Any) -> bool:
        return any(self._moving(p) for part in key for monomial, _ in part for p, _ in monomial)

    def _inside(self, monomial: Monomial) -> tuple[str, Any] | None:
        if len(monomial) == 1 and monomial[0][1] == 1:
            return self.keys[monomial[0][0]]
        return None

    def _root_of_log(self, payload: Any, exponent: Any) -> Ratio:
        if isinstance(payload, int):
            return self.fractional("prime", payload, exponent)
        base: Ratio = (dict(payload[0]), dict(payload[1]))
        return self.power(base, self.number(exponent))

    def _turn(self, inner: tuple[str, Any], coefficient: Any) -> Ratio | None:
        kind, payload = inner
        if kind == "pi":
            quarter = (coefficient * 2).floor()
            total = self.integer_power(self.imaginary(), int(quarter) % 4)
            return self._special_turn(coefficient - quarter * HALF, total)
        if kind != "opaque" or payload[0] not in ("asin", "atan") or coefficient.q != 1:
            return None
        if abs(coefficient.p) > 16:
            return None
        u: Ratio = (dict(payload[1][0]), dict(payload[1][1]))
        square = self.mul(u, u)
        side = self.mul(self.imaginary(), u)
        one = self.number(fmpq(1))
        if payload[0] == "asin":
            root = self.root(self.add(one, self.scaled(square, fmpq(-1))), HALF)
            return self.integer_power(self.add(root, side), int(coefficient.p))
        root = self.root(self.add(one, square), -HALF)
        return self.integer_power(self.mul(self.add(one, side), root), int(coefficient.p))

    def _special_turn(self, part: Any, total: Ratio) -> Ratio:
        # 0 <= part < 1/2 of pi: the angles with square-root values are written out.
        parts = {fmpq(1, 6): (3, 1), fmpq(1, 4): (2, 2), fmpq(1, 3): (1, 3)}
        if not part:
            return total
        if part not in parts:
            pi = self.generator("pi", "", positive=True)
            ((monomial, _),) = pi[0].items()
            return self.mul(total, self.generator("turn", monomial, positive=False, power=part))
        real, side = (self.root(self.number(fmpq(n, 4)), HALF) for n in parts[part])
        return self.mul(total, self.add(real, self.mul(self.imaginary(), side)))

    def imaginary(self) -> Ratio:
        """The imaginary unit."""
        return self.generator("i", "", positive=False)

    def logarithm(self, value: Ratio) -> Ratio:
        """log(value), taken apart where the parts are positive."""
        top, bottom = value
        if not top:
            raise BudgetError
        if bottom != ONE:
            if not (self._all_positive(bottom) or self._all_positive(top)):
                return self.generator("log", self.key(value), positive=False)
            under = self.logarithm((bottom, ONE))
            return self.add(self.logarithm((top, ONE)), self.scaled(under, fmpq(-1)))
        (size, outer), inner = self.split(top)
        total = self.number(fmpq(0))
        for prime, power in factors_of(size):
            log = self.generator("log", prime, positive=True)
            total = self.add(total, self.scaled(log, power))
        for place, power in outer:
            total = self.add(total, self.scaled(self._generator_log(place), power))
        if inner != ONE:
            total = self.add(total, self.generator("log", self.key((inner, ONE)), positive=False))
        return total

    def _generator_log(self, place: int) -> Ratio:
        kind, payload = self.keys[place]
        if kind == "prime":
            return self.generator("log", payload, positive=True)
        if kind == "exp":
            if payload and isinstance(payload[0], frozenset):
                return dict(payload[0]), dict(payload[1])
            return {payload: fmpq(1)}, ONE
        if kind == "root" and isinstance(payload, frozenset):
            return self.generator("log", (payload, frozenset(ONE.items())), positive=False)
        base: Ratio = ({((place, fmpq(1)),): fmpq(1)}, ONE)
        return self.generator("log", self.key(base), positive=False)


__all__ = ("Powers",)
