"""Readouts that follow others: what an identity makes of a readout when another one changes.

A move that changes one law of two that an identity ties would leave the Counterfactual
inconsistent. The readout that the move does not touch is then computed through the identity:
where P = V*I holds and the law of I changes, P becomes V times the new I.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from lawsmith.mutation.laws import at_pointer, edited, float_values, laws_of, meanings_of
from lawsmith.mutation.moves import Candidate, Ground
from schemas.expression import Expression, Op, Var, names_of, substitute, walk
from schemas.family import FamilyConsistency, Mutation, RelationSet

IDENTITY_GAP: Final = 1e-9
"""Largest relative difference of two sides in float64."""


def broken_identities(
    relations: RelationSet, laws: Mapping[str, Expression], ground: Ground
) -> list[FamilyConsistency]:
    """The identities of the Original that do not hold in another relation set.

    Args:
        relations: the relation set.
        laws: its laws over the controls alone.
        ground: of the Original.

    Raises:
        UndefinedValueError: a side has no value at a point.
    """
    original = laws_of(ground.original)
    return [
        identity
        for identity in ground.interface.consistency
        if _gap(identity, ground.original, original, ground) <= IDENTITY_GAP
        and _gap(identity, relations, laws, ground) > IDENTITY_GAP
    ]


def followed(candidate: Candidate, ground: Ground) -> Candidate | None:
    """A candidate whose untouched readouts follow those that it changes; None if they cannot.

    Args:
        candidate: a Counterfactual that breaks identities of the Original.
        ground: of the Original.

    Raises:
        UndefinedValueError: a side of an identity has no value at a point.
    """
    relations = _consistent(candidate.relations, ground)
    if relations is None:
        return None
    without = [_consistent(rest, ground) for rest in candidate.without]
    if any(rest is None for rest in without):
        return None
    edits, mutations = _declared(candidate, relations, ground)
    if edited(ground.original, edits).relations != relations.relations:
        return None
    return replace(
        candidate,
        edits=edits,
        mutations=mutations,
        relations=relations,
        without=tuple(rest for rest in without if rest is not None),
    )


def _consistent(relations: RelationSet, ground: Ground) -> RelationSet | None:
    """The relation set with readouts recomputed until every identity holds; None if none does."""
    names = [relation.readout for relation in relations.relations]
    before, laws = laws_of(ground.original), laws_of(relations)
    settled = [name for name in names if laws[name] != before[name]]
    for _ in range(len(names)):
        broken = broken_identities(relations, laws, ground)
        if not broken:
            return relations
        step = _solved(broken[0], relations, settled)
        if step is None:
            return None
        name, expression = step
        bodies = tuple(
            one.model_copy(update={"expression": expression}) if one.readout == name else one
            for one in relations.relations
        )
        relations = relations.model_copy(update={"relations": bodies})
        laws = laws_of(relations)
        # What follows stays as it is; a readout that the move changed may have to follow once.
        settled = [*(one for one in settled if one != name), name]
    return None


def _solved(
    identity: FamilyConsistency, relations: RelationSet, settled: Sequence[str]
) -> tuple[str, Expression] | None:
    """The readout that follows and its new expression: one the move leaves alone, else the last."""
    bodies = {one.readout: one.expression for one in relations.relations}
    tied = [n for n in bodies if n in names_of(identity.left) | names_of(identity.right)]
    free = [name for name in tied if name not in settled]
    moved = [name for name in tied if name in settled]
    for name in (*reversed(free), *reversed(moved if len(moved) > 1 else [])):
        right = solved_for(name, identity.left, identity.right)
        if right is not None:
            return name, substitute(right, {n: bodies[n] for n in tied if n != name})
    return None


def solved_for(name: str, left: Expression, right: Expression) -> Expression | None:
    """What a readout equals by an identity; None where it cannot be brought to one side.

    Args:
        name: the readout; it must stand once in the identity.
        left: one side.
        right: the other.
    """
    if name in names_of(right):
        left, right = right, left
    if name in names_of(right) or sum(node == Var(name) for _, node in walk(left)) != 1:
        return None
    while isinstance(left, Op):
        place = next(i for i, arg in enumerate(left.args) if name in names_of(arg))
        others = (*left.args[:place], *left.args[place + 1 :])
        undone = _undone(left, place, others, right)
        if undone is None:
            return None
        left, right = left.args[place], undone
    return right


def _undone(
    node: Op, place: int, others: tuple[Expression, ...], right: Expression
) -> Expression | None:
    """What an argument of a node equals, if the node equals `right`."""
    op = node.op
    if op in ("add", "mul"):
        rest = others[0] if len(others) == 1 else Op(op, others)
        return Op("sub" if op == "add" else "div", (right, rest))
    if op == "sub":
        return Op("add", (right, others[0])) if place == 0 else Op("sub", (others[0], right))
    if op == "div":
        return Op("mul", (right, others[0])) if place == 0 else Op("div", (others[0], right))
    if op == "neg":
        return Op("neg", (right,))
    inverse = {"log": "exp", "exp": "log"}.get(op)
    if inverse is not None:
        return Op(inverse, (right,))
    if op in ("log10", "log2"):
        return Op("pow", (float(op[3:]), right))
    if op == "pow" and place == 0 and isinstance(others[0], float) and others[0] != 0.0:
        return Op("pow", (right, Op("div", (1.0, others[0]))))
    return None


def _declared(
    candidate: Candidate, relations: RelationSet, ground: Ground
) -> tuple[dict[str, Expression], tuple[Mutation, ...]]:
    """Edits and mutations that make the relation set: those of the move, and what follows."""
    roots = {
        f"/relations/{i}/expression": new.expression
        for i, (new, old) in enumerate(
            zip(relations.relations, candidate.relations.relations, strict=True)
        )
        if new.expression != old.expression
    }
    kept = [m for m in candidate.mutations if not _inside(m.path, roots)]
    edits = {path: after for path, after in candidate.edits.items() if not _inside(path, roots)}
    mutations = list(kept)
    for path, after in roots.items():
        lost = [m for m in candidate.mutations if _inside(m.path, {path})]
        mutations.append(
            Mutation(
                move=(lost or list(candidate.mutations))[0].move,
                path=path,
                before=at_pointer(ground.original, path),
                after=after,
                introduced=tuple(p for m in lost for p in m.introduced),
                follows=True,
            )
        )
    return edits | roots, tuple(mutations)


def _inside(path: str, roots: Mapping[str, Expression] | set[str]) -> bool:
    return any(f"{path}/".startswith(f"{root}/") for root in roots)


def _gap(
    identity: FamilyConsistency,
    relations: RelationSet,
    laws: Mapping[str, Expression],
    ground: Ground,
) -> float:
    known = meanings_of(relations) | dict(laws)
    sides = {
        "left": substitute(identity.left, known),
        "right": substitute(identity.right, known),
    }
    table = float_values(sides, ground.interface.controls, ground.points)
    size = np.abs(table).max(axis=1)
    return float((np.abs(table[:, 0] - table[:, 1]) / np.where(size > 0, size, 1.0)).max())


__all__ = ("IDENTITY_GAP", "broken_identities", "followed", "solved_for")
