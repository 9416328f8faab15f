"""Move `operator_swap`: like-dimensioned terms joined by another operator."""

from collections.abc import Iterator
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.places import is_positive, places, some
from schemas.expression import Expression, Op

TERM_OPS: Final = ("add", "sub", "min", "max")
_DRAWS: Final = 3


def operator_swaps(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A sum, difference, minimum or maximum of terms becomes another one of the same terms.

    Terms of one dimension stay of one dimension, so no repair is needed.
    """
    nodes = (node for node in ground.tree.values() if isinstance(node, Op))
    for node in dict.fromkeys(node for node in nodes if node.op in TERM_OPS):
        if not ground.varies(node):
            continue
        for new in some(tuple(_swapped(ground, node)), _DRAWS, rng):
            yield ground.candidate("operator_swap", dict.fromkeys(places(ground, node), new))


def _swapped(ground: Ground, node: Op) -> Iterator[Expression]:
    """Every other way to join the terms: signs, the largest, the smallest, the root of squares."""
    terms = node.args
    if node.op == "sub":
        yield Op("add", terms)
        return
    if node.op == "add":
        for i in range(len(terms)):
            rest = terms[:i] + terms[i + 1 :]
            yield Op("sub", (rest[0] if len(rest) == 1 else Op("add", rest), terms[i]))
    else:
        yield Op("add", terms)
    # Of terms that may be negative, the largest is not what stands in for a sum.
    if not all(is_positive(ground, term) for term in terms):
        return
    for op in ("max", "min"):
        if op != node.op:
            yield Op(op, terms)
    yield Op("sqrt", (Op("add", tuple(Op("pow", (term, 2.0)) for term in terms)),))


__all__ = ("TERM_OPS", "operator_swaps")
