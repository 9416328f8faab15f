"""Where moves act: equal subtrees, their copies in other relations, and keyed choices."""

from typing import TypeVar

import numpy as np
from numpy.random import Generator

from lawsmith.mutation.moves.context import Ground
from schemas.expression import Expression, Op, Var

T = TypeVar("T")


def some(options: tuple[T, ...], count: int, rng: Generator) -> tuple[T, ...]:
    """At most `count` of the options by keyed draw, in their given order."""
    chosen = sorted(rng.permutation(len(options))[:count].tolist())
    return tuple(options[i] for i in chosen)


def places(ground: Ground, subtree: Expression) -> list[str]:
    """Pointers of every equal subtree, none inside another."""
    found: list[str] = []
    for path, node in ground.tree.items():
        if node == subtree and not any(path.startswith(f"{p}/") for p in found):
            found.append(path)
    return found


def copies(ground: Ground, path: str) -> list[str]:
    """The same place in every equal copy of the node around it; a root stands for itself.

    A quantity that one relation repeats from another is the same quantity, so what changes in
    one changes in both.
    """
    around = parent_of(path)
    if around == path:
        return places(ground, ground.tree[path])
    return [p + path[len(around) :] for p in places(ground, ground.tree[around])]


def parent_of(path: str) -> str:
    """The pointer of the node around a node; a root is its own."""
    return path.rsplit("/args/", 1)[0]


def is_positive(ground: Ground, expression: Expression) -> bool:
    """Whether a subtree is defined and above zero at every point of the ground."""
    values = ground.value_of(expression)
    return values is not None and bool(np.all(values > 0.0))


def joined(op: str, first: Expression, *more: Expression) -> Expression:
    """`op` of the arguments; a first argument that is itself an `op` takes in the others."""
    if isinstance(first, Op) and first.op == op:
        return Op(op, (*first.args, *more))
    return Op(op, (first, *more))


def scaled(name: str, scale: str) -> Expression:
    """A quantity over its reference scale: dimensionless."""
    return Op("div", (Var(name), Var(scale)))


__all__ = ("copies", "is_positive", "joined", "parent_of", "places", "scaled", "some")
