"""Powers of a constant base whose exponent varies, read as natural exponentials.

c^u = exp(log(c)*u) for c > 0. So 10^(a + b*M) and 2^(-t/h) have the same free constants as
their twins in exp: those of the exponent, which are no structure. The base is one more only
where a term of the exponent has no constant of its own to scale it, as in 2^n.
"""

from typing import Final

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions.parsing import PI
from lawsmith.expressions.truth import evaluate_exact
from schemas.expression import Expression, Op, Var, names_of, walk

E: Final = Op("exp", (1.0,))


def is_exponential(node: Expression) -> bool:
    """Whether a node is c^u with a constant c > 0 other than 1 and an exponent with names."""
    if not isinstance(node, Op) or node.op != "pow":
        return False
    base, exponent = node.args
    if names_of(base) or not names_of(exponent):
        return False
    try:
        value = evaluate_exact(base, {})
    except UndefinedValueError:
        return False
    return value > 0.0 and value != 1.0


def natural(node: Op) -> Op:
    """c^u as exp(log(c)*u), with log(c) multiplied into the constants of u that scale it.

    Args:
        node: one for which `is_exponential` holds.
    """
    base, exponent = node.args
    rate = base.args[0] if isinstance(base, Op) and base.op == "exp" else Op("log", (base,))
    return Op("exp", (exponent if rate == 1.0 else _times(rate, exponent),))


def takes_factor(node: Expression) -> bool:
    """Whether other values of a node's literals can multiply it by any number."""
    if isinstance(node, Var) or node in (PI, E):
        return False
    if not isinstance(node, Op):
        return True
    if not names_of(node):
        return any(isinstance(part, float) and part != 0.0 for _, part in walk(node))
    if node.op in ("add", "sub", "neg"):
        return all(map(takes_factor, node.args))
    return node.op in ("mul", "div") and any(map(takes_factor, node.args))


def _times(rate: Expression, node: Expression) -> Expression:
    if isinstance(node, Op) and names_of(node) and takes_factor(node):
        if node.op in ("add", "sub", "neg"):
            return Op(node.op, tuple(_times(rate, arg) for arg in node.args))
        place = _sum_among(node)
        if place is not None:
            args = list(node.args)
            args[place] = _times(rate, args[place])
            return Op(node.op, tuple(args))
    return Op("mul", (rate, node))


def _sum_among(node: Op) -> int | None:
    """The factor that is a sum with constants of its own, where no factor is a constant."""
    factors = node.args[:1] if node.op == "div" else node.args
    if not all(map(names_of, node.args)):
        return None
    return next((place for place, arg in enumerate(factors) if takes_factor(arg)), None)


__all__ = ("E", "is_exponential", "natural", "takes_factor")
