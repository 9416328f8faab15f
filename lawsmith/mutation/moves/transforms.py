"""Move `transform`: a nonlinear function of a dimensionless group or of a scaled input."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.ground import Candidate, Ground
from lawsmith.mutation.moves.places import copies, is_positive, places, scaled, some
from lawsmith.mutation.relation_sets import expressions_of
from schemas.expression import Expression, Op, Var, node_count, walk

LARGEST_GROUP: Final = 15
"""Nodes of the largest group that is transformed as one."""
_DRAWS: Final = 2
_GROUP_OPS: Final = ("mul", "div", "pow", "sqrt")

Transform = Callable[[Expression], Expression]

TRANSFORMS: Final[Mapping[str, Transform]] = MappingProxyType(
    {
        "saturating": lambda u: Op("div", (u, Op("add", (1.0, u)))),
        "logarithmic": lambda u: Op("log", (Op("add", (1.0, u)),)),
        "growing": lambda u: Op("mul", (u, Op("add", (1.0, u)))),
        "bounded": lambda u: Op("tanh", (u,)),
        "relaxing": lambda u: Op("sub", (1.0, Op("exp", (Op("neg", (u,)),)))),
        "compressing": lambda u: Op("asinh", (u,)),
    }
)
"""Name -> transform of a positive dimensionless group; each is close to u for small u."""


def transforms(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A transform of every group, and of every input with a dimension over a reference scale."""
    for group in _groups(ground):
        for name in some(tuple(TRANSFORMS), _DRAWS, rng):
            new = TRANSFORMS[name](group)
            yield ground.candidate("transform", dict.fromkeys(places(ground, group), new))
    for root, expression in expressions_of(ground.original).items():
        for name in ground.controls:
            paths = [path for path, node in walk(expression, root) if node == Var(name)]
            if not paths or ground.is_pure(Var(name)) or not is_positive(ground, Var(name)):
                continue
            scale = ground.reference(name)
            transform = TRANSFORMS[some(tuple(TRANSFORMS), 1, rng)[0]]
            new = Op("mul", (Var(scale.name), transform(scaled(name, scale.name))))
            everywhere = {
                copy
                for path in paths
                for copy in ([path] if path == root else copies(ground, path))
            }
            edits: dict[str, Expression] = dict.fromkeys(sorted(everywhere), new)
            yield ground.candidate("transform", edits, (scale,))


def _groups(ground: Ground) -> list[Expression]:
    """Distinct positive dimensionless products and powers that vary, whole relations apart."""
    roots = {f"/relations/{i}/expression" for i in range(len(ground.original.relations))}
    found: dict[Expression, None] = {}
    for path, node in ground.tree.items():
        if path in roots or isinstance(node, float) or node_count(node) > LARGEST_GROUP:
            continue
        if isinstance(node, Op) and node.op not in _GROUP_OPS:
            continue
        if ground.varies(node) and ground.is_pure(node) and is_positive(ground, node):
            found[node] = None
    return list(found)


__all__ = ("TRANSFORMS", "transforms")
