"""Expression -> sympy, built node by node from the operator table, never from text."""

from collections.abc import Mapping
from typing import Any

from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.truth import exact_number
from schemas.expression import Expression, Op, Var


def to_sympy(expression: Expression, symbols: Mapping[str, Any] | None = None) -> Any:
    """The sympy form; numbers are exact rationals, names become real symbols.

    Args:
        expression: any expression.
        symbols: name -> sympy symbol, to set other assumptions.
    """
    # sympy costs 2 s to import and only displays and comparisons with it need it.
    import sympy

    def build(node: Expression) -> Any:
        if isinstance(node, Var):
            known = (symbols or {}).get(node.var)
            return sympy.Symbol(node.var, real=True) if known is None else known
        if not isinstance(node, Op):
            exact = exact_number(node)
            return sympy.Rational(int(exact.p), int(exact.q))
        return OPERATORS[node.op].symbolic(sympy, *(build(arg) for arg in node.args))

    return build(expression)


__all__ = ("to_sympy",)
