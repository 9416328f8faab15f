"""Expressions and sympy: both ways, node by node from the operator table, never from text.

Sympy serves people who work in it, and as a second opinion on equivalence that shares no code
with our own. It is an optional package and takes a second to import, so only these functions
load it.
"""

import importlib
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Literal

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.expressions.domains import Domain, axes_of, generic_points
from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.parsing import PI
from lawsmith.expressions.truth import exact_number
from schemas.expression import (
    MAX_INTEGER,
    Expression,
    Op,
    Var,
    WireError,
    from_wire,
    names_of,
    to_wire,
)

Opinion = Literal["equal", "different", "undecided"]
_POINTS: Final = 16
_DIGITS: Final = 30


def to_sympy(expression: Expression, symbols: Mapping[str, Any] | None = None) -> Any:
    """The sympy form; numbers are exact rationals, names become real symbols.

    Args:
        expression: any expression.
        symbols: name -> sympy symbol, to set other assumptions.

    Raises:
        PrerequisiteError: sympy is not installed.
    """
    sympy = _sympy()

    def build(node: Expression) -> Any:
        if isinstance(node, Var):
            given = (symbols or {}).get(node.var)
            return sympy.Symbol(node.var, real=True) if given is None else given
        if not isinstance(node, Op):
            exact = exact_number(node)
            return sympy.Rational(int(exact.p), int(exact.q))
        return OPERATORS[node.op].symbolic(sympy, *(build(arg) for arg in node.args))

    return build(expression)


def from_sympy(value: Any) -> Expression:
    """The expression of a sympy form: numbers, symbols and the functions of the table, no others.

    Sympy keeps products and sums in an order of its own and writes quotients as powers, so the
    tree that comes back is equal to the one that went in and need not look like it.

    Raises:
        InputError: a part of it is not in the language; the message shows that part.
        PrerequisiteError: sympy is not installed.
    """
    sympy = _sympy()
    if not isinstance(value, sympy.Basic):
        raise InputError(
            f"a {type(value).__name__} is no sympy form", fix="give a sympy expression"
        )
    expression = _read(sympy, value)
    try:
        return from_wire(to_wire(expression))
    except WireError as error:
        raise InputError(error.problem, path=error.path) from error


def second_opinion(a: Expression, b: Expression, domain: Domain | None = None) -> Opinion:
    """What sympy alone says of two laws: `equal` where their difference simplifies to zero.

    `different` where the difference is not zero at 30 digits at one of 16 points of the domain;
    `undecided` otherwise. Names whose domain is positive are positive symbols. There is no proof
    that could be followed: it is evidence beside our own verdict.

    Args:
        a: a law.
        b: another law.
        domain: as in `equivalent`; names without one are any real number.

    Raises:
        PrerequisiteError: sympy is not installed.
    """
    sympy = _sympy()
    axes = axes_of(sorted(names_of(a) | names_of(b)), domain)
    symbols = {
        axis.name: sympy.Symbol(axis.name, real=True, positive=axis.positive or None)
        for axis in axes
    }
    difference = to_sympy(a, symbols) - to_sympy(b, symbols)
    for point in generic_points(axes, _POINTS):
        at = {symbols[name]: sympy.Rational(x) for name, x in point.items()}
        value = difference.subs(at).evalf(_DIGITS, maxn=400)
        if value.is_number and value.is_real and abs(value) > 10 ** (5 - _DIGITS):
            return "different"
    return "equal" if sympy.simplify(difference) == 0 else "undecided"


def _sympy() -> Any:
    try:
        return importlib.import_module("sympy")
    except ModuleNotFoundError as error:
        raise PrerequisiteError(
            "sympy is not installed", path="sympy", fix="install Lawsmith with the extra `symbolic`"
        ) from error


def _read(sympy: Any, value: Any) -> Expression:
    if value.is_Symbol:
        return Var(value.name)
    if value.is_Rational or value.is_Float:
        return _number(Fraction(str(value)) if value.is_Float else Fraction(int(value.p), value.q))
    if value == sympy.pi:
        return PI
    if value == sympy.E:
        return Op("exp", (1.0,))
    if value.is_Add:
        return Op("add", tuple(_read(sympy, arg) for arg in value.args))
    if value.is_Mul:
        return _product(sympy, value)
    if value.is_Pow and value.base != sympy.E:
        return _power(sympy, value)
    name = _functions().get(value.func.__name__)
    if name is None or not value.args:
        raise InputError(
            f"sympy's {type(value).__name__} is not in the language: {str(value)[:60]}",
            fix=f"use {', '.join(sorted(OPERATORS))}",
        )
    return Op(name, tuple(_read(sympy, arg) for arg in value.args[: OPERATORS[name].arity[1]]))


@lru_cache(maxsize=1)
def _functions() -> dict[str, str]:
    """The name of a sympy function -> the operator that is made of it."""
    sympy = _sympy()
    functions: dict[str, str] = {"exp": "exp", "log": "log"}
    for row in OPERATORS.values():
        dummies = [sympy.Dummy(real=True) for _ in range(row.arity[0])]
        made = row.symbolic(sympy, *dummies)
        if set(made.args[: len(dummies)]) == set(dummies) and not (made.is_Add or made.is_Mul):
            functions.setdefault(made.func.__name__, row.name)
    return functions


def _number(value: Fraction) -> Expression:
    near = float(value)
    if Fraction(repr(near)) == value:
        return near
    top, under = value.numerator, value.denominator
    if max(abs(top), under) > MAX_INTEGER:
        raise InputError(f"number {near!r} is not exact in float64 or as a ratio of integers")
    return Op("div", (float(top), float(under)))


def _product(sympy: Any, value: Any) -> Expression:
    above, below = [], []
    for factor in value.args:
        base, exponent = factor.as_base_exp()
        if exponent.could_extract_minus_sign() and base != sympy.E:
            below.append(sympy.Pow(base, -exponent))
        else:
            above.append(factor)
    top = _joined([_read(sympy, factor) for factor in above])
    return Op("div", (top, _joined([_read(sympy, factor) for factor in below]))) if below else top


def _power(sympy: Any, value: Any) -> Expression:
    if value.exp == sympy.Rational(1, 2):
        return Op("sqrt", (_read(sympy, value.base),))
    if value.exp.could_extract_minus_sign():
        return Op("div", (1.0, _read(sympy, sympy.Pow(value.base, -value.exp))))
    return Op("pow", (_read(sympy, value.base), _read(sympy, value.exp)))


def _joined(factors: list[Expression]) -> Expression:
    if not factors:
        return 1.0
    return factors[0] if len(factors) == 1 else Op("mul", tuple(factors))


__all__ = ("Opinion", "from_sympy", "second_opinion", "to_sympy")
