"""Switches: functions whose sign decides how a law goes on, and keys that tell them apart.

Switches that are the same up to a positive factor and a constant share the first part of their
key, so that what is assumed of one bounds the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from flint import fmpq

from lawsmith.expressions.equality.algebra import Algebra, BudgetError
from lawsmith.expressions.equality.linear_feasibility import Form
from lawsmith.expressions.operators import ONE, OPERATORS, constant_of
from schemas.expression import Expression, Op, Var, walk

Key: TypeAlias = tuple[Any, Any]
"""(a hashable of u without its constant, the constant): the same for `u` and `c*u`, c > 0."""

Assumed: TypeAlias = Mapping[Any, tuple[Any, Any]]
"""What is assumed of the first part of keys: certain bounds, None where there is none."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A function whose sign matters, oriented so that `key` stands for it."""

    key: Key
    law: Expression


class Keys:
    """Keys of switches, by exact algebra where its budget allows, else by the tree.

    Args:
        algebra: with the signs of names on the domain.
    """

    def __init__(self, algebra: Algebra) -> None:
        self._algebra = algebra
        self._known: dict[Expression, tuple[Key | None, int]] = {}

    def of(self, law: Expression) -> tuple[Key | None, int]:
        """(key, orientation), or (None, sign) where the sign is the same everywhere."""
        if law not in self._known:
            self._known[law] = self._key(law)
        return self._known[law]

    def _key(self, law: Expression) -> tuple[Key | None, int]:
        try:
            self._algebra.renew(2000)
            top, bottom = self._algebra.reduced(self._algebra.form(law))
            if bottom != ONE:
                top = self._algebra.mul((top, ONE), (bottom, ONE))[0]
            constant = constant_of((top, ONE))
            if constant is not None:
                return None, (constant > 0) - (constant < 0)
            _, inner = self._algebra.split(top)
        except BudgetError:
            return (law, fmpq(0)), 1
        if self._algebra.is_positive((inner, ONE)):
            return None, 1
        if set(inner) == {()}:
            return None, 1 if inner[()] > 0 else -1
        lead = inner[min(monomial for monomial in inner if monomial)]
        oriented = {monomial: c / lead for monomial, c in inner.items()}
        side = 1 if lead > 0 else -1
        if self._algebra.is_positive((oriented, ONE)):
            return None, side
        shift = oriented.pop((), fmpq(0))
        return (frozenset(oriented.items()), shift), side

    def form(self, key: Key) -> Form:
        """The oriented switch of a key as a sum of monomials."""
        base, shift = key
        if not isinstance(base, frozenset):
            return {base: fmpq(1)}
        return {**dict(base), (): shift}

    def name_form(self, name: str, factor: int) -> Form:
        """A name times a number as a sum of monomials."""
        form = self._algebra.form(Var(name))[0]
        return {monomial: c * factor for monomial, c in form.items()}

    def constant(self, law: Expression) -> Any | None:
        """The rational number that a function is everywhere, None when it is none."""
        try:
            self._algebra.renew(2000)
            return constant_of(self._algebra.form(law))
        except BudgetError:
            return None

    def inside_one(self, law: Expression) -> bool:
        """Whether algebra sees that a function lies between -1 and 1, whatever its parts are."""
        plain = self._atomic(law, {})
        key, sign = self.of(Op("sub", (1.0, Op("mul", (plain, plain)))))
        return key is None and sign >= 0

    def plain_sign(self, law: Expression) -> int | None:
        """The sign that arithmetic alone gives a function, whatever its other parts are."""
        key, sign = self.of(self._atomic(law, {}))
        return int(sign) if key is None else None

    def _atomic(self, law: Expression, atoms: dict[Any, Var]) -> Expression:
        """The law with every function that is no arithmetic put as a name of its own."""
        if not isinstance(law, Op):
            return law
        whole = law.op == "pow" and isinstance(law.args[1], float) and law.args[1].is_integer()
        if whole or law.op in ("add", "sub", "mul", "div", "neg", "sqrt", "abs"):
            return Op(law.op, tuple(self._atomic(arg, atoms) for arg in law.args))
        try:
            self._algebra.renew(2000)
            form = self._algebra.key(self._algebra.form(law))
        except BudgetError:
            form = law
        # No name of a law starts so.
        return atoms.setdefault(form, Var(f"#{len(atoms)}"))

    def moves(self, law: Expression) -> bool:
        """Whether a function is seen to be constant on no open set."""
        try:
            self._algebra.renew(2000)
            return self._algebra.moves(self._algebra.form(law))
        except BudgetError:
            return False


def is_stepped(law: Expression) -> bool:
    """Whether a settled function may be constant on an open set without being constant."""
    steps = ("floor", "ceil", "round", "sign", "step", "min", "max", "abs", "mod", "cbrt")
    return any(isinstance(node, Op) and node.op in steps for _, node in walk(law))


def same_rising(one: Expression, other: Expression) -> bool:
    """Whether both are the same strictly rising function of something."""
    alike = isinstance(one, Op) and isinstance(other, Op) and one.op == other.op
    return alike and isinstance(one, Op) and OPERATORS[one.op].rising


__all__ = ("Assumed", "Key", "Keys", "Switch", "is_stepped", "same_rising")
