"""Literal constants of a law: where they stand, and folding those that act as one."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions.parsing import PI
from lawsmith.expressions.truth import evaluate_exact, exact_number, exact_value, fraction_of
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
    folded = Op(node.op, tuple(_folded(arg, exact=exact) for arg in node.args))
    if node.op in ("mul", "div", "neg"):
        return _product(folded, exact=exact)
    if node.op in ("add", "sub"):
        return _sum(folded, exact=exact)
    return folded


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
    constants: list[tuple[float, bool]] = []
    _factors(node, above, below, constants, up=True)
    if not constants:
        return node
    whole = Fraction(1)
    for value, up in constants:
        factor = fraction_of(exact_number(value))
        if not up and not factor:
            return node
        whole = whole * factor if up else whole / factor
    number = _nearest(whole, exact=exact)
    if number is None or (len(constants) == 1 and not _negated(node)):
        return node
    if number != 1.0 or not above:
        above = [number, *above]
    top = above[0] if len(above) == 1 else Op("mul", tuple(above))
    if not below:
        return top
    return Op("div", (top, below[0] if len(below) == 1 else Op("mul", tuple(below))))


def _negated(node: Expression) -> bool:
    if not isinstance(node, Op) or node.op not in ("mul", "div", "neg"):
        return False
    return node.op == "neg" or any(_negated(arg) for arg in node.args)


def _factors(
    node: Expression,
    above: list[Expression],
    below: list[Expression],
    constants: list[tuple[float, bool]],
    *,
    up: bool,
) -> None:
    if isinstance(node, float):
        constants.append((node, up))
    elif isinstance(node, Op) and node.op == "mul":
        for arg in node.args:
            _factors(arg, above, below, constants, up=up)
    elif isinstance(node, Op) and node.op == "div":
        _factors(node.args[0], above, below, constants, up=up)
        _factors(node.args[1], above, below, constants, up=not up)
    elif isinstance(node, Op) and node.op == "neg":
        constants.append((-1.0, True))
        _factors(node.args[0], above, below, constants, up=up)
    else:
        (above if up else below).append(node)


def _sum(node: Op, *, exact: bool) -> Expression:
    terms: list[tuple[Expression, bool]] = []
    constants: list[Fraction] = []
    _terms(node, terms, constants, plus=True)
    if len(constants) < 2:
        return node
    number = _nearest(sum(constants, Fraction(0)), exact=exact)
    if number is None:
        return node
    parts = [term if plus else Op("neg", (term,)) for term, plus in terms]
    if number != 0.0:
        parts.append(number)
    return parts[0] if len(parts) == 1 else Op("add", tuple(parts))


def _terms(
    node: Expression,
    terms: list[tuple[Expression, bool]],
    constants: list[Fraction],
    *,
    plus: bool,
) -> None:
    if isinstance(node, float):
        value = fraction_of(exact_number(node))
        constants.append(value if plus else -value)
    elif isinstance(node, Op) and node.op == "add":
        for arg in node.args:
            _terms(arg, terms, constants, plus=plus)
    elif isinstance(node, Op) and node.op == "sub":
        _terms(node.args[0], terms, constants, plus=plus)
        _terms(node.args[1], terms, constants, plus=not plus)
    else:
        terms.append((node, plus))


def _nearest(value: Fraction, *, exact: bool) -> float | None:
    try:
        number = float(value) + 0.0
    except OverflowError:
        return None
    if number == 0.0 and value:
        return None
    return None if exact and fraction_of(exact_number(number)) != value else number


__all__ = ("fold_constants", "literal_paths")
