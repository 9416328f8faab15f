"""Margins of a law: what must not be zero, or not negative, for the law to have a value.

Each operator that is not defined everywhere gives margins of its arguments: a divisor may not be
zero, the argument of a logarithm must be positive, that of a root not negative. Margins are
expressions over the controls, each with a JSON Pointer into the law.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from lawsmith.expressions import constant_fraction
from schemas.expression import Expression, Op, names_of, walk

_THROUGH: Final = frozenset({"mul", "div", "pow", "neg", "abs", "sqrt", "cbrt"})
_LOGARITHMS: Final = frozenset({"log", "log10", "log2"})


@dataclass(frozen=True, slots=True)
class Margin:
    """An expression that must not reach a bound at zero."""

    path: str
    """JSON Pointer into the law."""
    expression: Expression
    bound: Literal["nonzero", "nonnegative"]
    node: Op
    """The operator that needs it. A bound may be broken without harm, as the base of a power
    whose exponent varies: whether the node has a value says so."""
    needs: Expression | None = None
    """`nonzero` only while this is not positive: the exponent of a power; None: always."""


def margins(law: Expression) -> Iterator[Margin]:
    """Every margin of a law that varies with its inputs, outermost operators first.

    What must be positive gives two margins: it is not negative, and its factors are not zero.
    """
    for path, node in walk(law):
        if isinstance(node, Op) and names_of(node):
            yield from _of(node, path)


def _of(node: Op, path: str) -> Iterator[Margin]:
    first, op = node.args[0], node.op
    if op in ("div", "mod"):
        yield from _factors(node.args[1], f"{path}/args/1", node)
    elif op == "pow":
        yield from _of_power(node, path)
    elif op in _LOGARITHMS:
        yield from _positive(first, f"{path}/args/0", node)
    elif op == "sqrt":
        yield from _nonnegative(first, f"{path}/args/0", node)
    elif op in ("asin", "acos", "atanh"):
        inner = Op("sub", (1.0, Op("abs", (first,))))
        yield from _nonnegative(inner, f"{path}/args/0", node)
        if op == "atanh":
            yield Margin(f"{path}/args/0", inner, "nonzero", node)
    elif op == "acosh":
        yield from _nonnegative(Op("sub", (first, 1.0)), f"{path}/args/0", node)
    elif op == "tan":
        yield Margin(path, Op("cos", (first,)), "nonzero", node)
    elif op == "atan2":
        sizes = tuple(Op("abs", (arg,)) for arg in node.args)
        yield Margin(path, Op("add", sizes), "nonzero", node)


def _of_power(node: Op, path: str) -> Iterator[Margin]:
    base, exponent = node.args
    where = f"{path}/args/0"
    power = None if names_of(exponent) else constant_fraction(exponent)
    if power is None or power.denominator != 1:
        yield from _nonnegative(base, where, node)
    if power is None:
        yield from _factors(base, where, node, exponent)
    elif power <= 0:
        yield from _factors(base, where, node)


def _positive(argument: Expression, path: str, node: Op) -> Iterator[Margin]:
    yield from _nonnegative(argument, path, node)
    yield from _factors(argument, path, node)


def _nonnegative(argument: Expression, path: str, node: Op) -> Iterator[Margin]:
    if names_of(argument):
        yield Margin(path, argument, "nonnegative", node)


def _factors(
    product: Expression, path: str, node: Op, needs: Expression | None = None
) -> Iterator[Margin]:
    """The parts of a product whose zeros are its zeros: a square has one sign, its base two."""
    if not names_of(product):
        return
    if isinstance(product, Op) and product.op in _THROUGH:
        count = len(product.args) if product.op == "mul" else 1
        for place, arg in enumerate(product.args[:count]):
            yield from _factors(arg, f"{path}/args/{place}", node, needs)
    else:
        yield Margin(path, product, "nonzero", node, needs)


__all__ = ("Margin", "margins")
