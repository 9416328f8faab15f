"""Move `interaction`: two inputs that act together."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.ground import Candidate, Ground
from lawsmith.mutation.moves.places import copies, joined, scaled, some
from lawsmith.mutation.relation_sets import expressions_of
from schemas.expression import Expression, Op, Var

STRENGTHS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_PAIRS: Final = 3


def interactions(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A definition or relation times (1 + kappa*u*v), u and v two scaled inputs."""
    pairs = tuple(combinations(ground.controls, 2))
    for root, expression in expressions_of(ground.original).items():
        if not ground.varies(expression):
            continue
        for pair in some(pairs, _PAIRS, rng):
            first, second = (ground.reference(name) for name in pair)
            strength = ground.constant("kappa", float(rng.choice(ground.unspoken(STRENGTHS))), "1")
            groups = (scaled(pair[0], first.name), scaled(pair[1], second.name))
            factor = Op("add", (1.0, Op("mul", (Var(strength.name), *groups))))
            edits: dict[str, Expression] = dict.fromkeys(
                copies(ground, root), joined("mul", expression, factor)
            )
            yield ground.candidate("interaction", edits, (strength, first, second))


__all__ = ("STRENGTHS", "interactions")
