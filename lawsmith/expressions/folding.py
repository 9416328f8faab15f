"""Literal constants of a law: where they stand, and folding those that act as one."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions.parsing import PI
from lawsmith.expressions.truth import evaluate_exact, exact_number, exact_value
from schemas.expression import Expression, Op, Var, names_of

E: Final = Op("exp", (1.0,))


def literal_paths(expression: Expression) -> list[str]:
    """JSON Pointers of the constants that may be refitted, in document order.

    Left out, as structure: whatever stands in an exponent of `pow`, the literals of pi and e,
    and zero (a threshold or an absent term, for which a relative change means nothing).
    """
    return list(_literals(expression, ""))


def _literals(node: Expression, path: str) -> Iterator[str]:
    if isinstance(node, Var) or node in (PI, E):
        return
    if not isinstance(node, Op):
        if node != 0.0:
            yield path
        return
    args = node.args[:1] if node.op == "pow" else node.args
    for place, arg in enumerate(args):
        yield from _literals(arg, f"{path}/args/{place}")


def fold_constants(expression: Expression) -> Expression:
    """The law with constants that cannot be told apart made one literal.

    Subtrees without names, and the constant factors of a product or quotient or the constant
    terms of a sum or difference, become one float64: the nearest to their exact value, so a
    fold may change the law by 2^-53 relative. In an exponent, which is structure, only exact
    folds are made (3/2 becomes 1.5, 1/3 stays). A subtree that is undefined stays.
    """
    return _folded(expression, exact=False)


def _folded(node: Expression, *, exact: bool) -> Expression:
    if not isinstance(node, Op):
        return node
    if not names_of(node):
        return _literal(node, exact=exact)
    if node.op == "pow":
        base, exponent = node.args
        return Op("pow", (_folded(base, exact=exact), _folded(exponent, exact=True)))
    if node.op in ("mul", "div", "neg"):
        return _product(node, exact=exact)
    if node.op in ("add", "sub"):
        return _sum(node, exact=exact)
    return _inside(node, exact=exact)


def _inside(node: Op, *, exact: bool) -> Op:
    return Op(node.op, tuple(_folded(arg, exact=exact) for arg in node.args))


def _literal(node: Expression, *, exact: bool) -> Expression:
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


def _product(node: Op, *, exact: bool) -> Expression:
    above: list[Expression] = []
    below: list[Expression] = []
    over: list[Expression] = []
    under: list[Expression] = []
    negative = _factors(node, (above, over), (below, under))
    if len(over) + len(under) + negative < 2 and not (negative and over + under):
        return _inside(node, exact=exact)
    if negative % 2:
        over.append(-1.0)
    number = _literal(_quotient(over or [1.0], under), exact=exact)
    if not isinstance(number, float):
        return _inside(node, exact=exact)
    above = [_folded(factor, exact=exact) for factor in above]
    below = [_folded(factor, exact=exact) for factor in below]
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


def _sum(node: Op, *, exact: bool) -> Expression:
    terms: list[Expression] = []
    constants: list[Expression] = []
    _terms(node, terms, constants, plus=True)
    if len(constants) < 2:
        return _inside(node, exact=exact)
    number = _literal(Op("add", tuple(constants)), exact=exact)
    if not isinstance(number, float):
        return _inside(node, exact=exact)
    parts = [_folded(term, exact=exact) for term in terms]
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
