"""What a person is shown of a family's two laws, and which parts of them differ.

A correction that is zero in an environment is left out of its formulas with the terms it
multiplies; the stored relation sets are not touched. Parts that differ are found by comparing
the two trees, whatever moves made them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from lawsmith.expressions import without_zeros
from schemas.expression import Expression, Op, Var, names_of, substitute, walk
from schemas.family import Environment, Family, LawParameter, RelationSet

_CHAINS: Final = ("add", "mul")
_ALIKE: Final = 0.5
"""Share of equal subtrees from which one tree is taken as a part of the other."""

Marks = frozenset[str]


@dataclass(frozen=True)
class Formula:
    """`name = expression`, with the JSON Pointers of its subtrees that the other law lacks."""

    name: str
    expression: Expression
    marks: Marks
    changed: bool
    """Anything is marked, or the other environment has no such formula."""


@dataclass(frozen=True)
class Constant:
    """A named number of a law."""

    parameter: LawParameter
    changed: bool


@dataclass(frozen=True)
class Shown:
    """The laws of one environment as shown."""

    relations: tuple[Formula, ...]
    definitions: tuple[Formula, ...]
    constants: tuple[Constant, ...]


def shown_laws(family: Family) -> dict[Environment, Shown]:
    """Environment -> its laws, pruned and with their differences marked."""
    pruned = {
        "original": _pruned(family.original),
        "counterfactual": _pruned(family.counterfactual),
    }
    values = {
        name: {p.name: (p.value, p.unit) for p in rules.parameters}
        for name, rules in pruned.items()
    }
    changed = frozenset(
        name
        for name in {*values["original"], *values["counterfactual"]}
        if values["original"].get(name) != values["counterfactual"].get(name)
    )
    return {
        "original": _shown(pruned["original"], pruned["counterfactual"], changed),
        "counterfactual": _shown(pruned["counterfactual"], pruned["original"], changed),
    }


def tree_marks(mine: Expression, other: Expression, path: str = "") -> Marks:
    """The subtrees of one expression that another one lacks, outermost first."""
    if mine == other:
        return frozenset()
    if not (isinstance(mine, Op) and isinstance(other, Op) and mine.op == other.op):
        return _wrapped_marks(mine, other, path)
    if mine.op in _CHAINS:
        return _chain_marks(mine, other.args, path)
    pairs = enumerate(zip(mine.args, other.args, strict=True))
    found = [tree_marks(arg, theirs, f"{path}/args/{i}") for i, (arg, theirs) in pairs]
    return _gathered(path, len(mine.args), found)


def _wrapped_marks(mine: Expression, other: Expression, path: str) -> Marks:
    """One tree may be the other with something put on: then only that is marked."""
    args = mine.args if isinstance(mine, Op) else ()
    theirs = other.args if isinstance(other, Op) else ()
    if args == theirs:
        # The operator alone differs.
        return frozenset({path})
    best, alike = _likest(args, other)
    outer, likeness = _likest(theirs, mine)
    wrapper = theirs if likeness > alike else args
    if max(alike, likeness) < _ALIKE or len(wrapper) < 2:
        return frozenset({path})
    if likeness > alike:
        return tree_marks(mine, theirs[outer], path)
    found = tree_marks(args[best], other, f"{path}/args/{best}")
    return found | {f"{path}/args/{i}" for i in range(len(args)) if i != best}


def _likest(args: Sequence[Expression], other: Expression) -> tuple[int, float]:
    """Which of several trees is most like another one, and how much."""
    alike = [_alike(arg, other) for arg in args]
    best = max(range(len(args)), key=alike.__getitem__, default=0)
    return best, max(alike, default=0.0)


def _pruned(rules: RelationSet) -> RelationSet:
    """A relation set without zero parameters, and without what nothing uses any more."""
    known: dict[str, Expression] = {p.name: 0.0 for p in rules.parameters if p.value == 0.0}
    definitions = []
    for item in rules.definitions:
        body = without_zeros(substitute(item.expression, known))
        if isinstance(body, float):
            known[item.name] = body
        else:
            definitions.append(item.model_copy(update={"expression": body}))
    relations = tuple(
        item.model_copy(update={"expression": without_zeros(substitute(item.expression, known))})
        for item in rules.relations
    )
    used = {name for item in relations for name in names_of(item.expression)}
    kept = []
    for item in reversed(definitions):
        if item.name in used:
            kept.append(item)
            used |= names_of(item.expression)
    return RelationSet(
        parameters=tuple(p for p in rules.parameters if p.name in used),
        definitions=tuple(reversed(kept)),
        relations=relations,
    )


def _shown(mine: RelationSet, other: RelationSet, changed: frozenset[str]) -> Shown:
    bodies = {item.name: item.expression for item in other.definitions}
    laws = {item.readout: item.expression for item in other.relations}
    return Shown(
        relations=tuple(
            _formula(item.readout, item.expression, laws, changed) for item in mine.relations
        ),
        definitions=tuple(
            _formula(item.name, item.expression, bodies, changed) for item in mine.definitions
        ),
        constants=tuple(Constant(p, p.name in changed) for p in mine.parameters),
    )


def _formula(
    name: str,
    expression: Expression,
    others: Mapping[str, Expression],
    changed: frozenset[str],
) -> Formula:
    missing = name not in others
    marks = frozenset() if missing else tree_marks(expression, others[name])
    valued = {
        path
        for path, node in walk(expression)
        if isinstance(node, Var) and node.var in changed and not _inside(path, marks)
    }
    differs = missing or expression != others[name]
    return Formula(name, expression, marks | valued, differs or bool(valued))


def _inside(path: str, marks: Marks) -> bool:
    return any(path == mark or path.startswith(f"{mark}/") for mark in marks)


def _chain_marks(mine: Op, theirs: Sequence[Expression], path: str) -> Marks:
    """Terms or factors aligned by equality, the rest by likeness."""
    found: list[Marks] = [frozenset() for _ in mine.args]
    # Equal ones first, in order; what stands between them is compared in pairs.
    matcher = SequenceMatcher(None, mine.args, tuple(theirs), autojunk=False)
    for tag, low, high, first, last in matcher.get_opcodes():
        if tag not in ("replace", "delete"):
            continue
        left = list(theirs[first:last])
        for i in range(low, high):
            here = f"{path}/args/{i}"
            best = max(left, key=lambda item: _alike(mine.args[i], item), default=None)
            paired = best is not None and (
                high - low == last - first or _alike(mine.args[i], best) > 0.0
            )
            if best is None or not paired:
                found[i] = frozenset({here})
                continue
            left.remove(best)
            found[i] = tree_marks(mine.args[i], best, here)
    return _gathered(path, len(mine.args), found)


def _gathered(path: str, count: int, found: Sequence[Marks]) -> Marks:
    """The children's marks, or the parent's own where every child is marked whole."""
    if all(f"{path}/args/{i}" in marks for i, marks in zip(range(count), found, strict=True)):
        return frozenset({path})
    return frozenset().union(*found)


def _alike(one: Expression, other: Expression) -> float:
    """The share of equal subtrees, 0 to 1."""
    if one == other:
        return 1.0
    mine, theirs = (Counter(node for _, node in walk(item)) for item in (one, other))
    return (mine & theirs).total() / max(mine.total(), theirs.total())


__all__ = ("Constant", "Formula", "Shown", "shown_laws", "tree_marks")
