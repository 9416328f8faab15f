"""Exact algebra: a law as a ratio of polynomials over generators, with a counted budget.

A generator is a name, a root of a prime, a power or logarithm of something positive, an
exponential (real, or of unit modulus for sines and cosines), or an opaque function of a
normal form. Every rewrite holds wherever the law is defined, so a difference whose numerator
is empty proves equality there; a numerator that is not empty proves nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from flint import fmpq

from lawsmith.expressions import balls
from lawsmith.expressions.powers import Powers
from lawsmith.expressions.ring import HALF, ONE, BudgetError, Ratio, constant_of
from lawsmith.expressions.truth import exact_number
from schemas.expression import Expression, Op, Var


class Algebra(Powers):
    """Normal forms of expressions.

    Args:
        positive: names that are > 0 all over the domain.
        negative: names that are < 0 all over it.
        tick: called with the number of products of terms about to be formed; it may raise.
    """

    def __init__(
        self,
        positive: frozenset[str] = frozenset(),
        negative: frozenset[str] = frozenset(),
        tick: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(BUDGET, tick)
        self._positive_names = positive
        self._negative_names = negative
        self._memory: dict[Expression, Ratio] = {}
        self.turned = False
        """Whether a rewrite was used that fails where a function is a whole number."""

    def difference(self, a: Expression, b: Expression) -> Ratio:
        """The normal form of a - b; an empty numerator proves that it vanishes.

        Raises:
            BudgetError: the work is used up before an answer.
        """
        self.renew(BUDGET)
        return self.add(self.form(a), self.scaled(self.form(b), fmpq(-1)))

    def form(self, node: Expression) -> Ratio:
        """The normal form of an expression."""
        if node not in self._memory:
            self._memory[node] = self._form(node)
        return self._memory[node]

    def _form(self, node: Expression) -> Ratio:
        if isinstance(node, Var):
            if node.var in self._negative_names:
                below = self.generator("minus", node.var, positive=True)
                return self.scaled(below, fmpq(-1))
            return self.generator("name", node.var, positive=node.var in self._positive_names)
        if not isinstance(node, Op):
            return self.number(exact_number(node))
        args = [self.form(arg) for arg in node.args]
        rule = _RULES.get(node.op)
        return rule(self, *args) if rule else self.opaque(node.op, *args)


BUDGET: Final = 60_000
"""Products of terms that one difference may take."""


def _floor(algebra: Algebra, value: Ratio) -> Ratio:
    """The floor with the whole part of its constant taken out and a fixed sign inside.

    floor(-u) = -1 - floor(u) holds but where u is a whole number.
    """
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(fmpq(constant.floor()))
    whole = value[0].get((), fmpq(0)).floor() if value[1] == ONE else 0
    part = algebra.add(value, algebra.number(fmpq(-whole)))
    leading = min(monomial for monomial in part[0] if monomial)
    if part[0][leading] < 0 and algebra.moves(part):
        algebra.turned = True
        turned = _floor(algebra, algebra.scaled(part, fmpq(-1)))
        return algebra.add(algebra.number(fmpq(whole - 1)), algebra.scaled(turned, fmpq(-1)))
    return algebra.add(algebra.number(fmpq(whole)), algebra.opaque("floor", part))


def _ceil(algebra: Algebra, value: Ratio) -> Ratio:
    return algebra.scaled(_floor(algebra, algebra.scaled(value, fmpq(-1))), fmpq(-1))


def _round(algebra: Algebra, value: Ratio) -> Ratio:
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(balls.round(constant))
    if not algebra.moves(value):
        return algebra.opaque("round", value)
    algebra.turned = True
    return _floor(algebra, algebra.add(value, algebra.number(HALF)))


def _mod(algebra: Algebra, a: Ratio, b: Ratio) -> Ratio:
    whole = _floor(algebra, algebra.mul(a, algebra.inverse(b)))
    return algebra.add(a, algebra.scaled(algebra.mul(b, whole), fmpq(-1)))


def _sign(algebra: Algebra, value: Ratio) -> Ratio:
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(balls.sign(constant))
    if algebra.is_positive(value):
        return algebra.number(fmpq(1))
    return _signed("sign", odd=True)(algebra, value)


def _step(algebra: Algebra, value: Ratio) -> Ratio:
    constant = constant_of(value)
    if constant is not None:
        return algebra.number(balls.step(constant))
    if algebra.is_positive(value):
        return algebra.number(fmpq(1))
    return algebra.opaque("step", value)


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
            total = algebra.mul(total, algebra.scaled(algebra.imaginary(), fmpq(-1)))
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
    (size, outer), inner = algebra.split(value[0])
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
        return algebra.logarithm(algebra.add(value, algebra.root(square, HALF)))

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
    "floor": _floor,
    "ceil": _ceil,
    "round": _round,
    "mod": _mod,
    "sign": _sign,
    "step": _step,
}


def without_common_terms(a: Expression, b: Expression) -> tuple[Expression, Expression]:
    """Two sums without the terms that stand in both, as trees."""
    left, right = list(_terms(a, 1)), list(_terms(b, 1))
    for term in list(left):
        if term in right:
            left.remove(term)
            right.remove(term)
    return _total(left), _total(right)


def _terms(law: Expression, sign: int) -> Iterator[tuple[Expression, int]]:
    if isinstance(law, Op) and law.op in ("add", "sub", "neg"):
        for place, arg in enumerate(law.args):
            turned = law.op == "neg" or (law.op == "sub" and place == 1)
            yield from _terms(arg, -sign if turned else sign)
    else:
        yield law, sign


def _total(terms: list[tuple[Expression, int]]) -> Expression:
    parts = [law if sign > 0 else Op("neg", (law,)) for law, sign in terms]
    if len(parts) < 2:
        return parts[0] if parts else 0.0
    return Op("add", tuple(parts))


__all__ = ("Algebra", "BudgetError", "without_common_terms")
