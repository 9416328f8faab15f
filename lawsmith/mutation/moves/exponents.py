"""Move `exponent`: another power of a named exponent, of a power, or of a bare factor."""

from collections.abc import Iterator
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.laws import exponents_of
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.places import copies, is_positive, parent_of, places, some
from schemas.expression import Expression, Op, Var
from schemas.family import LawParameter

SHIFTS: Final = (-1.0, -0.5, -0.3, 0.3, 0.5, 1.0)
_DRAWS: Final = 2
_FACTOR_OPS: Final = ("mul", "div", "neg")


def exponents(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """x^a becomes x_ref^(a-b) * x^b, or u^b where u has no dimension."""
    named = exponents_of(ground.original)
    for i, parameter in enumerate(ground.original.parameters):
        if parameter.mutable and parameter.name in named:
            for power in _others(ground, parameter.value, rng, _DRAWS):
                yield ground.candidate("exponent", {f"/parameters/{i}/value": power})
    seen: set[Expression] = set()
    for node in ground.tree.values():
        found = _power_of(node)
        if found is None or node in seen or not is_positive(ground, found[0]):
            continue
        seen.add(node)
        for power in _others(ground, found[1], rng, _DRAWS):
            yield from _repowered(ground, places(ground, node), *found, power)
    for paths, name in _bare_factors(ground):
        for power in _others(ground, 1.0, rng, 1):
            yield from _repowered(ground, paths, Var(name), 1.0, power)
        yield from _inverted(ground, paths, name)


def _others(ground: Ground, power: float, rng: Generator, count: int) -> tuple[float, ...]:
    """Powers by keyed draw, and the first power, which is written without an exponent."""
    shifted = (float(f"{power + shift:.4g}") for shift in SHIFTS)
    drawn = some(ground.unspoken([p for p in shifted if p not in (0.0, 1.0)]), count, rng)
    return drawn if power == 1.0 else (*drawn, 1.0)


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
        return
    repair = float(f"{old - new:.6g}")
    if isinstance(base, Var):
        scale: LawParameter | None = ground.reference(base.var, repair)
    else:
        scale = ground.group_reference(base, repair)
    if scale is None:
        return
    factor: Expression = Var(scale.name)
    if repair != 1.0:
        factor = Op("pow", (factor, repair))
    edits: dict[str, Expression] = dict.fromkeys(paths, Op("mul", (factor, power)))
    yield ground.candidate("exponent", edits, (scale,))


def _inverted(ground: Ground, paths: list[str], name: str) -> Iterator[Candidate]:
    """Turn x into x_ref^2 / x: a product becomes a quotient, which is no longer to write."""
    if ground.is_pure(Var(name)):
        new: Expression = Op("div", (1.0, Var(name)))
        yield ground.candidate("exponent", dict.fromkeys(paths, new))
        return
    scale = ground.reference(name, 2.0)
    new = Op("div", (Op("pow", (Var(scale.name), 2.0)), Var(name)))
    yield ground.candidate("exponent", dict.fromkeys(paths, new), (scale,))


def _bare_factors(ground: Ground) -> Iterator[tuple[list[str], str]]:
    """(pointers, name) of varying names that stand as a factor of a product or quotient."""
    done: set[str] = set()
    for path, node in ground.tree.items():
        parent = ground.tree[parent_of(path)]
        if path in done or not (isinstance(parent, Op) and parent.op in _FACTOR_OPS):
            continue
        if isinstance(node, Var) and node.var in ground.varying and is_positive(ground, node):
            together = copies(ground, path)
            done.update(together)
            yield together, node.var


__all__ = ("SHIFTS", "exponents")
