"""Move `term_added`: one more term in a relation, a definition or a sum inside one."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.random import Generator

from lawsmith.mutation.laws import expressions_of
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.places import copies, joined, places, scaled, some
from schemas.expression import Expression, Op, Var
from schemas.family import LawParameter

SHARES: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
"""Size of an added term against the least size of what it is added to."""
_SMALLEST: Final = 1 / 30
"""Share of the median below which the least is not gone along with: it would show nowhere."""
_DIGITS: Final = 2
_DRAWS: Final = 3
_INNER_DRAWS: Final = 2


def terms_added(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """An offset, or a term linear or quadratic in an input, with a constant that has the unit.

    Inside a sum the new term is one of its terms times an input over a reference scale, so it
    has the dimension of the others.
    """
    yield from _outer(ground, rng)
    yield from _inner(ground, rng)


def _outer(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    for root, expression in expressions_of(ground.original).items():
        values = ground.value_of(expression)
        if values is None or not ground.varies(expression):
            continue
        options: tuple[tuple[str, int], ...] = (
            ("", 0),
            *((name, power) for name in ground.controls for power in (1, 2)),
        )
        for name, power in some(options, _DRAWS, rng):
            present = np.abs(values[values != 0.0])
            if not present.size:
                continue
            size = max(float(present.min()), _SMALLEST * float(np.median(present)))
            sizes = ground.unspoken([float(f"{size * s:.{_DIGITS}g}") for s in SHARES])
            amount = ground.constant("delta", float(rng.choice(sizes)), ground.unit_at(root))
            term: Expression = Var(amount.name)
            introduced: tuple[LawParameter, ...] = (amount,)
            if name:
                scale = ground.reference(name)
                group = scaled(name, scale.name)
                factor = group if power == 1 else Op("pow", (group, float(power)))
                term, introduced = Op("mul", (term, factor)), (amount, scale)
            edits = dict.fromkeys(copies(ground, root), joined("add", expression, term))
            yield ground.candidate("term_added", edits, introduced)


def _inner(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    roots = set(expressions_of(ground.original))
    sums = dict.fromkeys(
        node
        for path, node in ground.tree.items()
        if isinstance(node, Op) and node.op == "add" and path not in roots
    )
    for node in sums:
        if not ground.varies(node):
            continue
        options = tuple((term, name) for term in node.args for name in ground.controls)
        for term, name in some(options, _INNER_DRAWS, rng):
            scale = ground.reference(name)
            strength = ground.constant("kappa", float(rng.choice(ground.unspoken(SHARES))), "1")
            parts = [Var(strength.name), scaled(name, scale.name)]
            new = Op("mul", (*parts, term)) if term != 1.0 else Op("mul", tuple(parts))
            edits = dict.fromkeys(places(ground, node), joined("add", node, new))
            yield ground.candidate("term_added", edits, (strength, scale))


__all__ = ("SHARES", "terms_added")
