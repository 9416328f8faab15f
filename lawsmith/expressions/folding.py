"""Literal constants of a law: where they stand, and folding those that act as one."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions.exponentials import E, is_exponential, natural, takes_factor
from lawsmith.expressions.parsing import PI
from lawsmith.expressions.truth import evaluate_exact, exact_number, exact_value
from schemas.expression import Expression, Op, Var, names_of


def literal_paths(expression: Expression) -> list[str]:
    """JSON Pointers of the constants that may be refitted; those of a base after its exponent's.

    Constants inside an exponent that varies are constants like any other: `10^(a + b*M)` has
    those of its twin in exp, and the base only where a term of the exponent has none to scale
    it. Left out, as structure: an exponent that does not vary, the literals of pi and e, and
    zero (a threshold or an absent term, for which a relative change means nothing).
    """
    return list(_literals(expression, ""))


def _literals(node: Expression, path: str) -> Iterator[str]:
    if isinstance(node, Var) or node in (PI, E):
        return
    if not isinstance(node, Op):
        if node != 0.0:
            yield path
        return
    for place in _open_places(node):
        yield from _literals(node.args[place], f"{path}/args/{place}")


def _open_places(node: Op) -> tuple[int, ...]:
    """The arguments whose constants are no structure."""
    if node.op != "pow":
        return tuple(range(len(node.args)))
    base, exponent = node.args
    if is_exponential(node):
        return (1,) if takes_factor(exponent) else (1, 0)
    return (0, 1) if names_of(base) and names_of(exponent) else (0,)


def fold_constants(expression: Expression) -> Expression:
    """The law with constants that cannot be told apart made one literal.

    Subtrees without names, and the constant factors of a product or quotient or the constant
    terms of a sum or difference, become one float64: the nearest to their exact value, so a
    fold may change a constant by 2^-53 relative. A power c^u of a constant with an exponent
    that varies becomes exp(log(c)*u) first. In an exponent that does not vary, which is
    structure, only exact folds are made (3/2 becomes 1.5, 1/3 stays). A subtree that is
    undefined stays.
    """
    return _folded(expression)


def _folded(node: Expression) -> Expression:
    if not isinstance(node, Op):
        return node
    if not names_of(node):
        return _literal(node)
    if node.op == "pow":
        if is_exponential(node):
            return _folded(natural(node))
        base, exponent = node.args
        inner = _folded(exponent) if names_of(exponent) else _literal(exponent, exact=True)
        return Op("pow", (_folded(base), inner))
    if node.op in ("mul", "div", "neg"):
        return _product(node)
    if node.op in ("add", "sub"):
        return _sum(node)
    return _inside(node)


def _inside(node: Op) -> Op:
    return Op(node.op, tuple(_folded(arg) for arg in node.args))


def _literal(node: Expression, *, exact: bool = False) -> Expression:
    if isinstance(node, float):
        return node
    try:
        value = evaluate_exact(node, {})
    except UndefinedValueError:
        return node
    if exact and not _is_exact(node, value):
        return node
    return node if value == 0.0 and not _is_exact(node, value) else value


def _is_exact(node: Expression, value: float) -> bool:
    found = exact_value(node, {}, 212)
    return bool(found == exact_number(value))


def _product(node: Op) -> Expression:
    above: list[Expression] = []
    below: list[Expression] = []
    over: list[Expression] = []
    under: list[Expression] = []
    negative = _factors(node, (above, over), (below, under))
    if len(over) + len(under) + negative < 2 and not (negative and over + under):
        return _inside(node)
    if negative % 2:
        over.append(-1.0)
    number = _literal(_quotient(over or [1.0], under))
    if not isinstance(number, float):
        return _inside(node)
    above = [_folded(factor) for factor in above]
    below = [_folded(factor) for factor in below]
    return _quotient([number, *above] if number != 1.0 or not above else above, below)


def _quotient(above: list[Expression], below: list[Expression]) -> Expression:
    top = above[0] if len(above) == 1 else Op("mul", tuple(above))
    if not below:
        return top
    return Op("div", (top, below[0] if len(below) == 1 else Op("mul", tuple(below))))


_Parts: TypeAlias = tuple[list[Expression], list[Expression]]


def _factors(node: Expression, up: _Parts, down: _Parts) -> int:
    """Sort the factors into (named, constant) above and below; the number of minus signs."""
    if not isinstance(node, Op) or node.op not in ("mul", "div", "neg") or not names_of(node):
        up[0 if names_of(node) else 1].append(node)
        return 0
    if node.op == "div":
        return _factors(node.args[0], up, down) + _factors(node.args[1], down, up)
    return sum(_factors(arg, up, down) for arg in node.args) + (node.op == "neg")


def _sum(node: Op) -> Expression:
    terms: list[Expression] = []
    constants: list[Expression] = []
    _terms(node, terms, constants, plus=True)
    if len(constants) < 2:
        return _inside(node)
    number = _literal(Op("add", tuple(constants)))
    if not isinstance(number, float):
        return _inside(node)
    parts = [_folded(term) for term in terms]
    if number != 0.0:
        parts.append(number)
    return parts[0] if len(parts) == 1 else Op("add", tuple(parts))


def _terms(
    node: Expression, terms: list[Expression], constants: list[Expression], *, plus: bool
) -> None:
    if isinstance(node, Op) and node.op in ("add", "sub") and names_of(node):
        for place, arg in enumerate(node.args):
            _terms(arg, terms, constants, plus=plus == (node.op == "add" or place == 0))
        return
    part = node if plus else Op("neg", (node,))
    (terms if names_of(node) else constants).append(part)


_AT_ZERO: Final = {"neg": 0.0, "abs": 0.0, "sqrt": 0.0, "exp": 1.0}


def without_zeros(expression: Expression) -> Expression:
    """The law without zero terms, zero factors and factors, divisors and powers of one.

    Right wherever the law is defined; where it is not, the shorter one may be.
    """
    if not isinstance(expression, Op):
        return expression
    op, args = expression.op, tuple(without_zeros(arg) for arg in expression.args)
    if op == "add":
        return _joined("add", tuple(arg for arg in args if arg != 0.0), 0.0)
    if op == "mul":
        kept = tuple(arg for arg in args if arg != 1.0)
        return 0.0 if 0.0 in args else _joined("mul", kept, 1.0)
    if op == "sub" and args[1] != 0.0 and args[0] == 0.0:
        return Op("neg", args[1:])
    if (op, args[-1]) in (("sub", 0.0), ("div", 1.0), ("pow", 1.0)):
        return args[0]
    if op == "div" and args[0] == 0.0:
        return 0.0
    if args == (0.0,) and op in _AT_ZERO:
        return _AT_ZERO[op]
    return Op(op, args)


def _joined(op: str, args: tuple[Expression, ...], empty: float) -> Expression:
    if not args:
        return empty
    return args[0] if len(args) == 1 else Op(op, args)


__all__ = ("fold_constants", "literal_paths", "without_zeros")
