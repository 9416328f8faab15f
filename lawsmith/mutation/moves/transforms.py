"""Move `transform`: a nonlinear function of a dimensionless group or of a scaled input."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.laws import expressions_of
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.places import copies, is_positive, places, scaled, some
from schemas.expression import Expression, Op, Var, names_of, node_count, walk

LARGEST_GROUP: Final = 15
"""Nodes of the largest group that is transformed as one."""
_DRAWS: Final = 2
_GROUP_OPS: Final = ("mul", "div", "pow", "sqrt")

_SHORT: Final = ("logarithmic", "bounded", "compressing", "saturating")
"""Transforms that stand in for a power."""

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
    yield from _of_bases(ground, rng)
    yield from _recast(ground)
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


def _of_bases(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """u^p becomes f(u): another function in place of a power, of about its length."""
    powers = (node for node in ground.tree.values() if isinstance(node, Op))
    for node in dict.fromkeys(node for node in powers if node.op in ("pow", "sqrt")):
        base = node.args[0]
        if len(node.args) > 1 and names_of(node.args[1]) & ground.varying:
            continue
        if ground.varies(base) and ground.is_pure(base) and is_positive(ground, base):
            new = TRANSFORMS[some(_SHORT, 1, rng)[0]](base)
            yield ground.candidate("transform", dict.fromkeys(places(ground, node), new))


def _recast(ground: Ground) -> Iterator[Candidate]:
    """A saturating or decaying function becomes another one of the same group."""
    for node in dict.fromkeys(ground.tree.values()):
        if ground.varies(node):
            for group, new in _others_like(node):
                if ground.is_pure(group) and is_positive(ground, group):
                    yield ground.candidate("transform", dict.fromkeys(places(ground, node), new))


def _others_like(node: Expression) -> Iterator[tuple[Expression, Expression]]:
    """(group u, what stands in for the node): of s/(k + s), 1 - exp(-u), n/(1 + u) and exp(-u)."""
    match node:
        case Op("div", (top, Op("add", (one, other)))):
            if top in (one, other):
                half = other if top == one else one
                group: Expression = top if half == 1.0 else Op("div", (top, half))
                yield group, TRANSFORMS["bounded"](group)
                yield group, TRANSFORMS["relaxing"](group)
            elif 1.0 in (one, other):
                group = other if one == 1.0 else one
                fading = Op("exp", (Op("neg", (group,)),))
                yield group, fading if top == 1.0 else Op("mul", (top, fading))
        case Op("sub", (1.0, Op("exp", (exponent,)))):
            group = _without_sign(exponent)
            yield group, group
            yield group, TRANSFORMS["bounded"](group)
            yield group, TRANSFORMS["saturating"](group)
        case Op("exp", (Op("neg", _) | Op("mul" | "div", (Op("neg", _), *_)) as exponent,)):
            group = _without_sign(exponent)
            yield group, Op("div", (1.0, Op("add", (1.0, group))))
            yield group, Op("div", (1.0, group))
        case Op("exp" | "log" | "log2" | "log10" | "tanh" | "asinh" | "atan", (group,)):
            yield group, group


def _without_sign(exponent: Expression) -> Expression:
    """The group u of an exponent -u, its sign taken from where it stands."""
    match exponent:
        case Op("neg", (group,)):
            return group
        case Op("div" | "mul" as op, (Op("neg", (first,)), *rest)):
            return Op(op, (first, *rest))
    return Op("neg", (exponent,))


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
