"""Move `interaction`: two inputs that act together."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.laws import expressions_of
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.places import copies, joined, places, scaled, some
from schemas.expression import Expression, Op, Var, names_of
from schemas.family import LawParameter

STRENGTHS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_PAIRS: Final = 3


def interactions(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A definition or relation times (1 + kappa*u*v), u and v two scaled inputs.

    Inside a sum, a term takes on another input as a factor, or two terms become their product.
    """
    yield from _inside_sums(ground, rng)
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


def _inside_sums(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    sums = (node for node in ground.tree.values() if isinstance(node, Op))
    for node in dict.fromkeys(node for node in sums if node.op in ("add", "sub")):
        options = tuple(_joint(ground, node))
        for new, scale in some(options, _PAIRS, rng):
            introduced = () if scale is None else (scale,)
            edits = dict.fromkeys(places(ground, node), new)
            yield ground.candidate("interaction", edits, introduced)


def _joint(ground: Ground, node: Op) -> Iterator[tuple[Expression, LawParameter | None]]:
    """(what stands in for a sum, reference scale): inputs that stood apart act together."""
    for i, term in enumerate(node.args):
        own = names_of(term) & ground.varying
        for name in ground.controls if own else ():
            if name not in own:
                scale = ground.reference(name)
                new = joined("mul", term, scaled(name, scale.name))
                yield Op(node.op, (*node.args[:i], new, *node.args[i + 1 :])), scale
    if node.op == "sub":
        return
    for first, second in combinations(node.args, 2):
        sides = [names_of(term) & ground.varying for term in (first, second)]
        if not all(sides) or sides[0] == sides[1]:
            continue
        rest = tuple(term for term in node.args if term not in (first, second))
        scale_of = None
        product = joined("mul", first, second)
        if not ground.is_pure(second):
            scale_of = ground.group_reference(second)
            if scale_of is None:
                continue
            product = joined("mul", first, Op("div", (second, Var(scale_of.name))))
        yield (Op("add", (*rest, product)) if rest else product), scale_of


__all__ = ("STRENGTHS", "interactions")
