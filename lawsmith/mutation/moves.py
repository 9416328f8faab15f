"""The typed moves: each finds its locations in a relation set and makes candidates there.

A move acts on a parameter, a definition or a subtree. An equal subtree is changed wherever it
stands, so every relation that uses it moves with it; dimensions are repaired by a round
reference scale with a unit or inside a dimensionless group.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
from numpy.random import Generator

from lawsmith.mutation.ground import Candidate, Ground
from lawsmith.mutation.relation_sets import expressions_of
from schemas.expression import Expression, Op, Var, node_count, walk
from schemas.family import LawParameter, MoveKind

FACTORS: Final = (0.5, 0.6, 0.7, 1.4, 1.6, 1.8, 2.0)
SHIFTS: Final = (-1.0, -0.5, -0.3, 0.3, 0.5, 1.0)
STRENGTHS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
LARGEST_GROUP: Final = 15
_DRAWS: Final = 2
_PAIRS: Final = 3
_GROUP_OPS: Final = ("mul", "div", "pow", "sqrt")
_FACTOR_OPS: Final = ("mul", "div", "neg")


def coefficients(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A mutable parameter other than an exponent times a round factor."""
    exponents = _exponent_names(ground)
    used = {node.var for _, node in ground.nodes() if isinstance(node, Var)}
    for i, parameter in enumerate(ground.original.parameters):
        usable = parameter.mutable and parameter.name in used - exponents
        if not usable or parameter.value == 0.0:
            continue
        factor = float(rng.choice(FACTORS))
        value = float(f"{parameter.value * factor:.3g}")
        yield ground.candidate("coefficient", {f"/parameters/{i}/value": value})


def exponents(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """Another exponent: of a named exponent, of a power, or of a bare factor.

    x^a becomes x_ref^(a-b) * x^b, or u^b where u has no dimension.
    """
    named = _exponent_names(ground)
    for i, parameter in enumerate(ground.original.parameters):
        if parameter.mutable and parameter.name in named:
            for power in _other_exponents(parameter.value, rng):
                yield ground.candidate("exponent", {f"/parameters/{i}/value": power})
    seen: set[Expression] = set()
    for _, node in ground.nodes():
        found = _power_of(node)
        if found is None or node in seen or not _positive(ground, found[0]):
            continue
        seen.add(node)
        for power in _other_exponents(found[1], rng):
            yield from _repowered(ground, _places(ground, node), *found, power)
    for path, name in _bare_factors(ground):
        for power in _other_exponents(1.0, rng)[:1]:
            yield from _repowered(ground, [path], Var(name), 1.0, power)


def transforms(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A nonlinear transform of a dimensionless group, or of an input over a reference scale."""
    for group in _groups(ground):
        for name in _some(tuple(TRANSFORMS), _DRAWS, rng):
            new = TRANSFORMS[name](group)
            yield ground.candidate("transform", dict.fromkeys(_places(ground, group), new))
    for root, expression in expressions_of(ground.original).items():
        for name in ground.controls:
            inside = any(node == Var(name) for _, node in walk(expression))
            if not inside or ground.is_pure(Var(name)) or not _positive(ground, Var(name)):
                continue
            scale = ground.reference(name)
            transform = TRANSFORMS[_some(tuple(TRANSFORMS), 1, rng)[0]]
            scaled = Op("div", (Var(name), Var(scale.name)))
            new = Op("mul", (Var(scale.name), transform(scaled)))
            edits: dict[str, Expression] = {
                path: new for path, node in walk(expression, root) if node == Var(name)
            }
            yield ground.candidate("transform", edits, (scale,))


def interactions(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A definition or relation times (1 + kappa*u*v), u and v two scaled inputs."""
    pairs = list(combinations(ground.controls, 2))
    for root, expression in expressions_of(ground.original).items():
        if not ground.varies(expression):
            continue
        for k in sorted(rng.permutation(len(pairs))[:_PAIRS].tolist()):
            first, second = (ground.reference(name) for name in pairs[k])
            strength = LawParameter(
                name=ground.fresh("kappa"),
                symbol="kappa",
                value=float(rng.choice(STRENGTHS)),
                unit="1",
                mutable=True,
            )
            scaled = [
                Op("div", (Var(name), Var(scale.name)))
                for name, scale in zip(pairs[k], (first, second), strict=True)
            ]
            factor = Op("add", (1.0, Op("mul", (Var(strength.name), *scaled))))
            edit: dict[str, Expression] = {root: _times(expression, factor)}
            yield ground.candidate("interaction", edit, (strength, first, second))


def _times(expression: Expression, factor: Expression) -> Expression:
    if isinstance(expression, Op) and expression.op == "mul":
        return Op("mul", (*expression.args, factor))
    return Op("mul", (expression, factor))


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

T = TypeVar("T")
Move = Callable[[Ground, Generator], Iterator[Candidate]]

MOVES: Final[Mapping[MoveKind, Move]] = MappingProxyType(
    {
        "exponent": exponents,
        "transform": transforms,
        "interaction": interactions,
        "coefficient": coefficients,
    }
)
"""Move kind -> the function that makes its candidates on a ground, in a fixed order."""


def _other_exponents(power: float, rng: Generator) -> list[float]:
    shifted = [float(f"{power + shift:.4g}") for shift in SHIFTS]
    return list(_some(tuple(p for p in shifted if p != 0.0), _DRAWS, rng))


def _some(options: tuple[T, ...], count: int, rng: Generator) -> tuple[T, ...]:
    chosen = sorted(rng.permutation(len(options))[:count].tolist())
    return tuple(options[i] for i in chosen)


def _exponent_names(ground: Ground) -> frozenset[str]:
    """Parameters that stand as a whole exponent everywhere they stand."""
    as_exponent: set[str] = set()
    elsewhere: set[str] = set()
    for root, expression in expressions_of(ground.original).items():
        nodes = dict(walk(expression, root))
        for path, node in nodes.items():
            if not isinstance(node, Var):
                continue
            parent = nodes.get(path.rsplit("/args/", 1)[0])
            whole = isinstance(parent, Op) and parent.op == "pow" and path.endswith("/args/1")
            (as_exponent if whole else elsewhere).add(node.var)
    return frozenset(as_exponent - elsewhere)


def _power_of(node: Expression) -> tuple[Expression, float] | None:
    """(base, exponent) of a power with a literal exponent or of a square root."""
    if isinstance(node, Op) and node.op == "pow" and isinstance(node.args[1], float):
        return node.args[0], node.args[1]
    if isinstance(node, Op) and node.op == "sqrt":
        return node.args[0], 0.5
    return None


def _repowered(
    ground: Ground, paths: list[str], base: Expression, old: float, new: float
) -> Iterator[Candidate]:
    if not ground.varies(base):
        return
    power: Expression = base if new == 1.0 else Op("pow", (base, new))
    if ground.is_pure(base):
        yield ground.candidate("exponent", dict.fromkeys(paths, power))
    elif isinstance(base, Var):
        scale = ground.reference(base.var)
        repair = float(f"{old - new:.6g}")
        factor: Expression = Var(scale.name)
        if repair != 1.0:
            factor = Op("pow", (factor, repair))
        edits: dict[str, Expression] = dict.fromkeys(paths, Op("mul", (factor, power)))
        yield ground.candidate("exponent", edits, (scale,))


def _bare_factors(ground: Ground) -> Iterator[tuple[str, str]]:
    """(pointer, name) of varying names that stand as a factor of a product or quotient."""
    for root, expression in expressions_of(ground.original).items():
        nodes = dict(walk(expression, root))
        for path, node in nodes.items():
            parent = nodes.get(path.rsplit("/args/", 1)[0])
            if not (isinstance(parent, Op) and parent.op in _FACTOR_OPS):
                continue
            if isinstance(node, Var) and node.var in ground.varying and _positive(ground, node):
                yield path, node.var


def _groups(ground: Ground) -> list[Expression]:
    """Distinct positive dimensionless products and powers that vary, whole relations apart."""
    roots = {f"/relations/{i}/expression" for i in range(len(ground.original.relations))}
    found: dict[Expression, None] = {}
    for path, node in ground.nodes():
        if path in roots or isinstance(node, float) or node_count(node) > LARGEST_GROUP:
            continue
        if isinstance(node, Op) and node.op not in _GROUP_OPS:
            continue
        if ground.varies(node) and ground.is_pure(node) and _positive(ground, node):
            found[node] = None
    return list(found)


def _places(ground: Ground, subtree: Expression) -> list[str]:
    """Pointers of every equal subtree, none inside another."""
    places: list[str] = []
    for path, node in ground.nodes():
        if node == subtree and not any(path.startswith(f"{p}/") for p in places):
            places.append(path)
    return places


def _positive(ground: Ground, expression: Expression) -> bool:
    values = ground.value_of(expression)
    return values is not None and bool(np.all(values > 0.0))


__all__ = (
    "FACTORS",
    "MOVES",
    "SHIFTS",
    "STRENGTHS",
    "TRANSFORMS",
    "coefficients",
    "exponents",
    "interactions",
    "transforms",
)
