"""Expression -> sympy, built node by node from the operator table, never from text."""

from collections.abc import Mapping
from typing import Any

from lawsmith.errors import PrerequisiteError
from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.truth import exact_number
from schemas.expression import Expression, Op, Var


def to_sympy(expression: Expression, symbols: Mapping[str, Any] | None = None) -> Any:
    """The sympy form; numbers are exact rationals, names become real symbols.

    Args:
        expression: any expression.
        symbols: name -> sympy symbol, to set other assumptions.

    Raises:
        PrerequisiteError: sympy, which the extra `symbolic` installs, is not there.
    """
    # sympy costs 2 s to import and only displays and comparisons with it need it.
    try:
        import sympy
    except ModuleNotFoundError as error:
        raise PrerequisiteError(
            "sympy is not installed", path="sympy", fix="install Lawsmith with the extra `symbolic`"
        ) from error

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
