"""Move `term_removed`: one term less in a sum or difference."""

from collections.abc import Iterator

from numpy.random import Generator

from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.places import places, some
from schemas.expression import Expression, Op

_DRAWS = 3


def terms_removed(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A sum that varies loses a term, wherever it stands; what is left keeps the dimension."""
    nodes = (node for node in ground.tree.values() if isinstance(node, Op))
    for node in dict.fromkeys(node for node in nodes if node.op in ("add", "sub")):
        if not ground.varies(node):
            continue
        for new in some(tuple(_shorter(node)), _DRAWS, rng):
            yield ground.candidate("term_removed", dict.fromkeys(places(ground, node), new))


def _shorter(node: Op) -> Iterator[Expression]:
    terms = node.args
    if node.op == "sub":
        if terms[0] != 0.0:
            yield terms[0]
            yield Op("neg", terms[1:])
        return
    for i in range(len(terms)):
        rest = terms[:i] + terms[i + 1 :]
        yield rest[0] if len(rest) == 1 else Op("add", rest)


__all__ = ("terms_removed",)
