"""Polynomials over generators with rational exponents, under a counted budget.

A generator is a (kind, payload) pair; kinds with a meaning here: `i` (its square is -1),
`prime` and `root` (positive bases whose exponent stays in [0, 1): the whole part is
multiplied out). All others are independent symbols.
"""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz

from lawsmith.expressions.operators.balls import bits_of

Monomial: TypeAlias = tuple[tuple[int, Any], ...]
"""(generator, exponent) pairs in the order of the generators."""
Polynomial: TypeAlias = dict[Monomial, Any]
Ratio: TypeAlias = tuple[Polynomial, Polynomial]

ONE: Final[Polynomial] = {(): fmpq(1)}
HALF: Final = fmpq(1, 2)


MOST_TERMS: Final = 80
MOST_DEGREE: Final = 24
MOST_GENERATORS: Final = 8
"""Common factors are sought in short ratios only: that search is one call that cannot be left."""

MAX_BITS: Final = 100_000
"""A coefficient may not grow longer in one power."""


class BudgetError(Exception):
    """The counted work is used up."""


class Ring:
    """Arithmetic of ratios over one growing list of generators.

    Args:
        budget: how many products of terms may be formed.
        tick: called with the number of products about to be formed; it may raise.
    """

    def __init__(self, budget: int, tick: Callable[[int], None] | None = None) -> None:
        self._budget = budget
        self._tick = tick
        self._index: dict[Any, int] = {}
        self.keys: list[tuple[str, Any]] = []
        self._positive: list[bool] = []

    def renew(self, budget: int) -> None:
        """Give a new budget."""
        self._budget = budget

    def _spend(self, products: int) -> None:
        self._budget -= products
        if self._budget < 0:
            raise BudgetError
        if self._tick is not None:
            self._tick(products)

    def number(self, value: Any) -> Ratio:
        """A constant."""
        return ({(): value} if value else {}), ONE

    def generator(self, kind: str, payload: Any, *, positive: bool, power: Any = 1) -> Ratio:
        """A power of a generator, made when new."""
        key = (kind, payload)
        if key not in self._index:
            self._index[key] = len(self.keys)
            self.keys.append(key)
            self._positive.append(positive)
        return {((self._index[key], fmpq(power)),): fmpq(1)}, ONE

    def opaque(self, op: str, *args: Ratio) -> Ratio:
        """A function known by name only."""
        return self.generator("opaque", (op, *map(self.key, args)), positive=op in ("abs", "acos"))

    def key(self, value: Ratio) -> Any:
        """A hashable of a normal form."""
        value = self.reduced(value)
        return frozenset(value[0].items()), frozenset(value[1].items())

    def reduced(self, value: Ratio) -> Ratio:
        """The ratio without the common factor of its parts, where they are short."""
        top, bottom = value
        if len(bottom) < 2 or len(top) < 2 or len(top) + len(bottom) > MOST_TERMS:
            return value
        self._spend(len(top) * len(bottom))
        found = _without_common_factor(top, bottom)
        return value if found is None else self._tidy(*found)

    def add(self, *values: Ratio) -> Ratio:
        """The sum."""
        total = values[0]
        for value in values[1:]:
            if total[1] == value[1]:
                total = self._tidy(_sum(total[0], value[0]), total[1])
            else:
                left, right = self._times(total[0], value[1]), self._times(value[0], total[1])
                total = self._tidy(_sum(left, right), self._times(total[1], value[1]))
        return total

    def mul(self, *values: Ratio) -> Ratio:
        """The product."""
        total = values[0]
        for value in values[1:]:
            top, bottom = total[0], total[1]
            if top == value[1]:
                total = self._tidy(value[0], bottom)
            elif bottom == value[0]:
                total = self._tidy(top, value[1])
            else:
                total = self._tidy(self._times(top, value[0]), self._times(bottom, value[1]))
        return total

    def scaled(self, value: Ratio, factor: Any) -> Ratio:
        """The value times a number."""
        if not factor:
            return {}, ONE
        return {monomial: c * factor for monomial, c in value[0].items()}, value[1]

    def inverse(self, value: Ratio) -> Ratio:
        """1/value."""
        if not value[0]:
            raise BudgetError
        return self._tidy(value[1], value[0])

    def integer_power(self, value: Ratio, n: int) -> Ratio:
        """value**n by squaring."""
        if n < 0:
            return self.integer_power(self.inverse(value), -n)
        if not value[0]:
            if n == 0:
                raise BudgetError
            return value
        terms = max(len(value[0]), len(value[1]))
        if n > 64 and terms > 1:
            raise BudgetError
        if n * _longest(value) > MAX_BITS:
            raise BudgetError
        if terms == 1 and value[1] == ONE and not self._folds(value):
            ((monomial, coefficient),) = value[0].items()
            return {monomial_of({place: n * p for place, p in monomial}): coefficient**n}, ONE
        total = self.number(fmpq(1))
        while n:
            if n & 1:
                total = self.mul(total, value)
            n >>= 1
            if n:
                value = self.mul(value, value)
        return total

    def _folds(self, value: Ratio) -> bool:
        return any(self.keys[p][0] in ("i", "prime", "root") for (m) in value[0] for p, _ in m)

    def fractional(self, kind: str, payload: Any, exponent: Any) -> Ratio:
        """A `prime` or `root` to a power: the whole part of the exponent is multiplied out."""
        whole = int(exponent.floor())
        part = exponent - whole
        base: Ratio = self.number(fmpq(payload)) if kind == "prime" else (dict(payload), ONE)
        total = self.integer_power(base, whole)
        if part:
            total = self.mul(total, self.generator(kind, payload, positive=True, power=part))
        return total

    def generator_power(self, place: int, exponent: Any) -> Ratio:
        """A generator, by its place, to a power."""
        kind, payload = self.keys[place]
        if kind == "prime" or (kind == "root" and isinstance(payload, frozenset)):
            return self.fractional(kind, payload, exponent)
        return {((place, exponent),): fmpq(1)} if exponent else ONE, ONE

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if a == ONE:
            return b
        if b == ONE:
            return a
        self._spend(len(a) * len(b))
        units: dict[int, int] = {}
        for place, power in (pair for part in (a, b) for monomial in part for pair in monomial):
            units[place] = math.lcm(units.get(place, 1), int(power.q))
        places = sorted(units)
        scale = [units[place] for place in places]
        left, right = _packed(a, units, places), _packed(b, units, places)
        turn = next((k for k, place in enumerate(places) if self.keys[place][0] == "i"), None)
        bounded = [k for k, place in enumerate(places) if self._is_bounded(place)]
        packed: dict[tuple[int, ...], Any] = {}
        total: Polynomial = {}
        for (first, x), one in zip(a.items(), left, strict=True):
            for (second, y), other in zip(b.items(), right, strict=True):
                powers = tuple(map(operator.add, one, other))
                if any(powers[k] >= scale[k] for k in bounded):
                    for monomial, c in self._product(first, second).items():
                        _accumulate(total, monomial, x * y * c)
                    continue
                c = x * y
                if turn is not None and powers[turn]:
                    whole = powers[turn] % 4
                    powers = (*powers[:turn], whole % 2, *powers[turn + 1 :])
                    c = -c if whole >= 2 else c
                _accumulate(packed, powers, c)
        for powers, c in packed.items():
            pairs = zip(places, powers, scale, strict=True)
            _accumulate(total, tuple((p, fmpq(n, q)) for p, n, q in pairs if n), c)
        return total

    def _is_bounded(self, place: int) -> bool:
        """Whether a generator's exponent stays below 1."""
        kind, payload = self.keys[place]
        return kind == "prime" or (kind == "root" and _single(payload))

    def _product(self, first: Monomial, second: Monomial) -> Polynomial:
        powers = dict(first)
        for place, power in second:
            powers[place] = powers.get(place, fmpq(0)) + power
        extra: list[Ratio] = []
        sign = fmpq(1)
        for place in list(powers):
            kind, payload = self.keys[place]
            power = powers[place]
            if kind == "i":
                whole = int(power.p) % 4
                sign = -sign if whole >= 2 else sign
                powers[place] = fmpq(whole % 2)
            elif power >= 1 and self._is_bounded(place):
                del powers[place]
                extra.append(self.fractional(kind, payload, power))
        result: Polynomial = {monomial_of(powers): sign}
        for ratio in extra:
            result = self._times(result, ratio[0])
        return result

    def _tidy(self, top: Polynomial, bottom: Polynomial) -> Ratio:
        if not top:
            return {}, ONE
        if top == bottom:
            return ONE, ONE
        if len(bottom) > 1:
            lead = bottom[min(bottom)]
            if lead == 1:
                return top, bottom
            return _divided(top, lead), _divided(bottom, lead)
        if bottom == ONE:
            return top, bottom
        ((monomial, coefficient),) = bottom.items()
        total: Ratio = (_divided(top, coefficient), ONE)
        for place, power in monomial:
            if self.keys[place][0] == "i":
                factor: Ratio = ({((place, fmpq(1)),): fmpq(-1)}, ONE)
            else:
                factor = self.generator_power(place, -power)
            total = self.mul(total, factor)
        return total


def _packed(part: Polynomial, units: Mapping[int, int], places: list[int]) -> list[tuple[int, ...]]:
    """The exponents of each monomial at the places as whole numbers of 1/units.

    They are added and looked up in a tenth of the time of fractions.
    """
    found = []
    for monomial in part:
        held = {place: int(power.p) * units[place] // int(power.q) for place, power in monomial}
        found.append(tuple(held.get(place, 0) for place in places))
    return found


def _accumulate(total: dict[Any, Any], key: Any, term: Any) -> None:
    value = total.get(key, 0) + term
    if value:
        total[key] = value
    else:
        total.pop(key, None)


def _without_common_factor(
    top: Polynomial, bottom: Polynomial
) -> tuple[Polynomial, Polynomial] | None:
    """Both divided by their greatest common divisor; None when it is 1 or too far to seek."""
    powers: dict[int, list[Any]] = {}
    for monomial in (*top, *bottom):
        for place, power in monomial:
            powers.setdefault(place, []).append(power)
    places = sorted(powers)
    scale = {place: math.lcm(*(int(p.q) for p in powers[place])) for place in places}
    least = {place: min(0, *powers[place]) * scale[place] for place in places}
    most = max(max(0, *powers[p]) * scale[p] - least[p] for p in places)
    if most > MOST_DEGREE or len(places) > MOST_GENERATORS:
        return None
    context = fmpq_mpoly_ctx.get([f"g{place}" for place in places], Ordering.lex)

    def packed(part: Polynomial) -> Any:
        terms = {}
        for monomial, coefficient in part.items():
            held = dict(monomial)
            exponents = (int(held.get(p, fmpq(0)) * scale[p] - least[p]) for p in places)
            terms[tuple(exponents)] = coefficient
        return context.from_dict(terms)

    def unpacked(part: Any) -> Polynomial:
        return {
            monomial_of({p: fmpq(int(n), scale[p]) for p, n in zip(places, ns, strict=True)}): c
            for ns, c in part.to_dict().items()
        }

    over, under = packed(top), packed(bottom)
    common = over.gcd(under)
    if common.is_constant():
        return None
    return unpacked(divmod(over, common)[0]), unpacked(divmod(under, common)[0])


def _longest(value: Ratio) -> int:
    """Bits of the longest coefficient that a power would lengthen."""
    sizes = [bits_of(c) for part in value for c in part.values() if c not in (1, -1)]
    return max(sizes, default=0)


def constant_of(value: Ratio) -> Any | None:
    """The rational number that a normal form is, None when it is none."""
    if not value[0]:
        return fmpq(0)
    if value[1] == ONE and set(value[0]) == {()}:
        return value[0][()]
    return None


def _single(payload: Any) -> bool:
    return isinstance(payload, frozenset)


def monomial_of(powers: Mapping[int, Any]) -> Monomial:
    """The monomial of place -> power, without zero powers."""
    return tuple(sorted((place, power) for place, power in powers.items() if power))


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    total = dict(a)
    for monomial, coefficient in b.items():
        value = total.get(monomial, 0) + coefficient
        if value:
            total[monomial] = value
        else:
            del total[monomial]
    return total


def _divided(value: Polynomial, by: Any) -> Polynomial:
    return {monomial: coefficient / by for monomial, coefficient in value.items()}


def factors_of(value: Any) -> list[tuple[int, Any]]:
    """(prime, power) of a fraction > 0.

    Raises:
        BudgetError: what remains without 2 and 5 is above 10^30.
    """
    found: list[tuple[int, Any]] = []
    for part, sign in ((int(value.p), 1), (int(value.q), -1)):
        rest = part
        for prime in (2, 5):
            power = 0
            while rest % prime == 0:
                rest //= prime
                power += 1
            if power:
                found.append((prime, fmpq(sign * power)))
        if rest > 10**30:
            raise BudgetError
        found.extend((int(prime), fmpq(sign * power)) for prime, power in fmpz(rest).factor())
    return found


__all__ = (
    "HALF",
    "ONE",
    "BudgetError",
    "Monomial",
    "Polynomial",
    "Ratio",
    "Ring",
    "constant_of",
    "factors_of",
    "monomial_of",
)
