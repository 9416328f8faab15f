"""Exact algebra: a law as a ratio of polynomials over generators, with a counted budget.

A generator is a name, a root of a prime, a power or logarithm of something positive, an
exponential (real, or of unit modulus for sines and cosines), or an opaque function of a
normal form. Every rewrite holds wherever the law is defined, so a difference whose numerator
is empty proves equality there; a numerator that is not empty proves nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from flint import fmpq, fmpz

from lawsmith.expressions.truth import exact_number
from schemas.expression import Expression, Op, Var

Monomial: TypeAlias = tuple[tuple[int, Any], ...]
"""(generator, exponent) pairs in the order of the generators."""
Polynomial: TypeAlias = dict[Monomial, Any]
Ratio: TypeAlias = tuple[Polynomial, Polynomial]

ONE: Final[Polynomial] = {(): fmpq(1)}
HALF: Final = fmpq(1, 2)
MAX_PRIME: Final = 100_000


class BudgetError(Exception):
    """The counted work is used up."""


class Algebra:
    """Normal forms over one growing list of generators.

    Args:
        positive: names that are > 0 all over the domain.
        budget: how many products of terms may be formed.
    """

    def __init__(self, positive: frozenset[str] = frozenset(), budget: int = 60_000) -> None:
        self._positive_names = positive
        self._budget = budget
        self._index: dict[Any, int] = {}
        self.keys: list[tuple[str, Any]] = []
        self._positive: list[bool] = []
        self._memory: dict[Expression, Ratio] = {}

    def equal(self, a: Expression, b: Expression) -> bool:
        """Whether the difference of two expressions is proved to vanish.

        Raises:
            BudgetError: the work is used up before an answer.
        """
        return not self.add(self.form(a), self.scaled(self.form(b), fmpq(-1)))[0]

    def form(self, node: Expression) -> Ratio:
        """The normal form of an expression."""
        if node not in self._memory:
            self._memory[node] = self._form(node)
        return self._memory[node]

    def _form(self, node: Expression) -> Ratio:
        if isinstance(node, Var):
            return self.generator("name", node.var, positive=node.var in self._positive_names)
        if not isinstance(node, Op):
            return self.number(exact_number(node))
        args = [self.form(arg) for arg in node.args]
        rule = _RULES.get(node.op)
        return rule(self, *args) if rule else self.opaque(node.op, *args)

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
        return frozenset(value[0].items()), frozenset(value[1].items())

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
        if n > 64 and max(len(value[0]), len(value[1])) > 1:
            raise BudgetError
        total = self.number(fmpq(1))
        while n:
            if n & 1:
                total = self.mul(total, value)
            n >>= 1
            if n:
                value = self.mul(value, value)
        return total

    def power(self, base: Ratio, exponent: Ratio) -> Ratio:
        """base**exponent; an exponent that is no rational number needs a positive base."""
        constant = constant_of(exponent)
        if constant is None:
            if self.is_positive(base):
                return self.exponential(self.mul(exponent, self.logarithm(base)))
            return self.opaque("pow", base, exponent)
        if constant.q == 1:
            if abs(constant.p) > 4096:
                raise BudgetError
            return self.integer_power(base, int(constant.p))
        return self._root(base, constant)

    def _root(self, base: Ratio, exponent: Any) -> Ratio:
        top, bottom = base
        if not top:
            return base
        if bottom != ONE:
            if not (self._all_positive(bottom) or self._all_positive(top)):
                return self.generator("root", self.key(base), positive=True, power=exponent)
            over = self._root((top, ONE), exponent)
            return self.mul(over, self._root((bottom, ONE), -exponent))
        outer, inner = self._split(top)
        total = self._monomial_power(outer, exponent)
        if inner != ONE:
            total = self.mul(total, self._fractional("root", frozenset(inner.items()), exponent))
        return total

    def _fractional(self, kind: str, payload: Any, exponent: Any) -> Ratio:
        # A root keeps the fractional part of its exponent; the whole part is multiplied out.
        whole = int(exponent.floor())
        part = exponent - whole
        base: Ratio = self.number(fmpq(payload)) if kind == "prime" else (dict(payload), ONE)
        total = self.integer_power(base, whole)
        if part:
            total = self.mul(total, self.generator(kind, payload, positive=True, power=part))
        return total

    def _monomial_power(self, outer: tuple[Any, Monomial], exponent: Any) -> Ratio:
        total = self.number(fmpq(1))
        for prime, power in _factors(outer[0]):
            total = self.mul(total, self._fractional("prime", prime, power * exponent))
        for place, power in outer[1]:
            total = self.mul(total, self._generator_power(place, power * exponent))
        return total

    def _generator_power(self, place: int, exponent: Any) -> Ratio:
        kind, payload = self.keys[place]
        if kind == "prime" or (kind == "root" and isinstance(payload, frozenset)):
            return self._fractional(kind, payload, exponent)
        return {((place, exponent),): fmpq(1)} if exponent else ONE, ONE

    def _split(self, value: Polynomial) -> tuple[tuple[Any, Monomial], Polynomial]:
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
            inner[_monomial(powers)] = coefficient / size
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
        return _monomial(powers), {_monomial(rest): coefficient}

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
        if kind == "turn" and inner is not None:
            turned = self._turn(inner, coefficient)
            if turned is not None:
                return turned
        return self.generator(kind, monomial, positive=kind == "exp", power=coefficient)

    def _inside(self, monomial: Monomial) -> tuple[str, Any] | None:
        if len(monomial) == 1 and monomial[0][1] == 1:
            return self.keys[monomial[0][0]]
        return None

    def _root_of_log(self, payload: Any, exponent: Any) -> Ratio:
        if isinstance(payload, int):
            return self._fractional("prime", payload, exponent)
        base: Ratio = (dict(payload[0]), dict(payload[1]))
        return self.power(base, self.number(exponent))

    def _turn(self, inner: tuple[str, Any], coefficient: Any) -> Ratio | None:
        kind, payload = inner
        if kind == "pi":
            quarter = (coefficient * 2).floor()
            total = self.integer_power(self._imaginary(), int(quarter) % 4)
            return self._special_turn(coefficient - quarter * HALF, total)
        if kind != "opaque" or payload[0] not in ("asin", "atan") or coefficient.q != 1:
            return None
        if abs(coefficient.p) > 16:
            return None
        u: Ratio = (dict(payload[1][0]), dict(payload[1][1]))
        square = self.mul(u, u)
        side = self.mul(self._imaginary(), u)
        one = self.number(fmpq(1))
        if payload[0] == "asin":
            root = self._root(self.add(one, self.scaled(square, fmpq(-1))), HALF)
            return self.integer_power(self.add(root, side), int(coefficient.p))
        root = self._root(self.add(one, square), -HALF)
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
        real, side = (self._root(self.number(fmpq(n, 4)), HALF) for n in parts[part])
        return self.mul(total, self.add(real, self.mul(self._imaginary(), side)))

    def _imaginary(self) -> Ratio:
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
        (size, outer), inner = self._split(top)
        total = self.number(fmpq(0))
        for prime, power in _factors(size):
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

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if a == ONE:
            return b
        if b == ONE:
            return a
        self._budget -= len(a) * len(b)
        if self._budget < 0:
            raise BudgetError
        total: Polynomial = {}
        for first, x in a.items():
            for second, y in b.items():
                for monomial, c in self._product(first, second).items():
                    value = total.get(monomial, 0) + x * y * c
                    if value:
                        total[monomial] = value
                    else:
                        total.pop(monomial, None)
        return total

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
            elif power >= 1 and (kind == "prime" or (kind == "root" and _single(payload))):
                del powers[place]
                extra.append(self._fractional(kind, payload, power))
        result: Polynomial = {_monomial(powers): sign}
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
                factor = self._generator_power(place, -power)
            total = self.mul(total, factor)
        return total


def constant_of(value: Ratio) -> Any | None:
    """The rational number that a normal form is, None when it is none."""
    if not value[0]:
        return fmpq(0)
    if value[1] == ONE and set(value[0]) == {()}:
        return value[0][()]
    return None


def _single(payload: Any) -> bool:
    return isinstance(payload, frozenset)


def _monomial(powers: Mapping[int, Any]) -> Monomial:
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


def _factors(value: Any) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    for part, sign in ((value.p, 1), (value.q, -1)):
        if part > 10**30:
            raise BudgetError
        found.extend((int(prime), fmpq(sign * power)) for prime, power in fmpz(part).factor())
    return found


def _signed(op: str, *, odd: bool) -> Callable[[Algebra, Ratio], Ratio]:
    def apply(algebra: Algebra, value: Ratio) -> Ratio:
        if value[0] and value[0][min(value[0])] < 0:
            positive = algebra.opaque(op, algebra.scaled(value, fmpq(-1)))
            return algebra.scaled(positive, fmpq(-1)) if odd else positive
        return algebra.opaque(op, value)

    return apply


def _acos(algebra: Algebra, value: Ratio) -> Ratio:
    quarter = algebra.scaled(algebra.generator("pi", "", positive=True), HALF)
    return algebra.add(quarter, algebra.scaled(_asin(algebra, value), fmpq(-1)))


def _asin(algebra: Algebra, value: Ratio) -> Ratio:
    constant = constant_of(value)
    known = {fmpq(0): fmpq(0), HALF: fmpq(1, 6), fmpq(1): HALF}
    if constant is not None and abs(constant) in known:
        pi = algebra.generator("pi", "", positive=True)
        return algebra.scaled(pi, known[abs(constant)] * (-1 if constant < 0 else 1))
    return _signed("asin", odd=True)(algebra, value)


def _atan(algebra: Algebra, value: Ratio) -> Ratio:
    constant = constant_of(value)
    if constant is not None and abs(constant) in (0, 1):
        return algebra.scaled(algebra.generator("pi", "", positive=True), constant / 4)
    return _signed("atan", odd=True)(algebra, value)


def _pair(kind: str, *, plus: bool) -> Callable[[Algebra, Ratio], Ratio]:
    def apply(algebra: Algebra, value: Ratio) -> Ratio:
        turn = algebra.exponential(value, kind)
        other = algebra.exponential(algebra.scaled(value, fmpq(-1)), kind)
        total = algebra.add(turn, other if plus else algebra.scaled(other, fmpq(-1)))
        if kind == "turn" and not plus:
            total = algebra.mul(total, algebra.scaled(algebra._imaginary(), fmpq(-1)))
        return algebra.scaled(total, HALF)

    return apply


def _quotient(
    top: Callable[[Algebra, Ratio], Ratio], bottom: Callable[[Algebra, Ratio], Ratio]
) -> Callable[[Algebra, Ratio], Ratio]:
    return lambda algebra, u: algebra.mul(top(algebra, u), algebra.inverse(bottom(algebra, u)))


def _log_base(base: int) -> Callable[[Algebra, Ratio], Ratio]:
    def apply(algebra: Algebra, value: Ratio) -> Ratio:
        under = algebra.logarithm(algebra.number(fmpq(base)))
        return algebra.mul(algebra.logarithm(value), algebra.inverse(under))

    return apply


def _abs(algebra: Algebra, value: Ratio) -> Ratio:
    if algebra.is_positive(value) or not value[0]:
        return value
    if value[1] != ONE:
        return algebra.mul(
            _abs(algebra, (value[0], ONE)), algebra.inverse(_abs(algebra, (value[1], ONE)))
        )
    (size, outer), inner = algebra._split(value[0])
    total: Ratio = ({outer: size}, ONE)
    if inner in (ONE, {(): fmpq(-1)}):
        return total
    return algebra.mul(total, _signed("abs", odd=False)(algebra, (inner, ONE)))


def _extremum(sign: int) -> Callable[..., Ratio]:
    def pair(algebra: Algebra, a: Ratio, b: Ratio) -> Ratio:
        distance = _abs(algebra, algebra.add(a, algebra.scaled(b, fmpq(-1))))
        return algebra.scaled(algebra.add(a, b, algebra.scaled(distance, fmpq(sign))), HALF)

    def apply(algebra: Algebra, *args: Ratio) -> Ratio:
        total = args[0]
        for arg in args[1:]:
            total = pair(algebra, total, arg)
        return total

    return apply


def _cbrt(algebra: Algebra, value: Ratio) -> Ratio:
    if algebra.is_positive(value):
        return algebra.power(value, algebra.number(fmpq(1, 3)))
    return _signed("cbrt", odd=True)(algebra, value)


def _area(sign: int) -> Callable[[Algebra, Ratio], Ratio]:
    def apply(algebra: Algebra, value: Ratio) -> Ratio:
        square = algebra.add(algebra.mul(value, value), algebra.number(fmpq(sign)))
        return algebra.logarithm(algebra.add(value, algebra._root(square, HALF)))

    return apply


def _atanh(algebra: Algebra, value: Ratio) -> Ratio:
    one = algebra.number(fmpq(1))
    under = algebra.add(one, algebra.scaled(value, fmpq(-1)))
    ratio = algebra.mul(algebra.add(one, value), algebra.inverse(under))
    return algebra.scaled(algebra.logarithm(ratio), HALF)


_SIN, _COS = _pair("turn", plus=False), _pair("turn", plus=True)
_SINH, _COSH = _pair("exp", plus=False), _pair("exp", plus=True)
_RULES: Final[Mapping[str, Callable[..., Ratio]]] = {
    "add": Algebra.add,
    "mul": Algebra.mul,
    "sub": lambda algebra, a, b: algebra.add(a, algebra.scaled(b, fmpq(-1))),
    "neg": lambda algebra, a: algebra.scaled(a, fmpq(-1)),
    "div": lambda algebra, a, b: algebra.mul(a, algebra.inverse(b)),
    "pow": Algebra.power,
    "sqrt": lambda algebra, a: algebra.power(a, algebra.number(HALF)),
    "cbrt": _cbrt,
    "exp": lambda algebra, a: algebra.exponential(a),
    "log": Algebra.logarithm,
    "log10": _log_base(10),
    "log2": _log_base(2),
    "sin": _SIN,
    "cos": _COS,
    "tan": _quotient(_SIN, _COS),
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "sinh": _SINH,
    "cosh": _COSH,
    "tanh": _quotient(_SINH, _COSH),
    "asinh": _area(1),
    "acosh": _area(-1),
    "atanh": _atanh,
    "abs": _abs,
    "min": _extremum(-1),
    "max": _extremum(1),
}

__all__ = ("Algebra", "BudgetError", "Polynomial", "Ratio", "constant_of")
