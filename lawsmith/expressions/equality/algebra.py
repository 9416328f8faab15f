"""Exact algebra: a law as a ratio of polynomials over generators, with a counted budget.

A generator is a name, a root of a prime, a power or logarithm of something positive, an
exponential (real, or of unit modulus for sines and cosines), or an opaque function of a
normal form. Every rewrite holds wherever the law is defined, so a difference whose numerator
is empty proves equality there; a numerator that is not empty proves nothing.
"""

from collections.abc import Callable, Iterator
from typing import Final

from flint import fmpq

from lawsmith.expressions.equality.powers import Powers
from lawsmith.expressions.operators import OPERATORS, BudgetError, Ratio
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
        rule = OPERATORS[node.op].normal
        return rule(self, *args) if rule else self.opaque(node.op, *args)


BUDGET: Final = 60_000
"""Products of terms that one difference may take."""


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
