"""Relation sets: laws with every parameter a literal, units, and edits by JSON Pointer."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from lawsmith.errors import InputError
from lawsmith.expressions import fold_constants, without_zeros
from schemas.expression import (
    MAX_DEPTH,
    MAX_NODES,
    Expression,
    Op,
    Var,
    node_count,
    substitute,
    walk,
    with_node,
)
from schemas.family import RelationSet


class United(Protocol):
    """A control or readout of a family."""

    @property
    def name(self) -> str:
        """The name that expressions use."""

    @property
    def unit(self) -> str:
        """Unit text."""


def meanings_of(relations: RelationSet) -> dict[str, Expression]:
    """Parameter or definition -> what it stands for, over the controls alone."""
    known: dict[str, Expression] = {p.name: p.value for p in relations.parameters}
    for definition in relations.definitions:
        known[definition.name] = substitute(definition.expression, known)
    return known


def laws_of(relations: RelationSet) -> dict[str, Expression]:
    """Readout -> law over the controls alone: definitions and parameters substituted, unfolded."""
    known = meanings_of(relations)
    return {r.readout: substitute(r.expression, known) for r in relations.relations}


def sizes_of(relations: RelationSet) -> dict[str, tuple[int, int]]:
    """Readout -> (nodes, depth) of its law over the controls alone, counted without building it."""
    known: dict[str, tuple[int, int]] = {}
    for definition in relations.definitions:
        known[definition.name] = _extent(definition.expression, known)
    return {r.readout: _extent(r.expression, known) for r in relations.relations}


def folded_laws(relations: RelationSet) -> dict[str, Expression]:
    """Readout -> law over the controls alone with constants folded: the sealed law.

    Terms that are exactly zero (a correction of the Original) are gone.
    """
    return {name: folded(law) for name, law in laws_of(relations).items()}


def folded(law: Expression) -> Expression:
    """A law with constants folded and without zero terms, zero factors and factors of one.

    Dropping them is safe where the law is defined, which certificate 2 shows of the unfolded
    law on the whole domain.
    """
    for _ in range(MAX_DEPTH):
        shorter = without_zeros(fold_constants(law))
        if shorter == law:
            break
        law = shorter
    return law


def units_of(relations: RelationSet, controls: Sequence[United]) -> dict[str, str]:
    """Name -> unit for controls, parameters and definitions."""
    units = {control.name: control.unit for control in controls}
    units |= {parameter.name: parameter.unit for parameter in relations.parameters}
    return units | {definition.name: definition.unit for definition in relations.definitions}


def names_in(relations: RelationSet, controls: Sequence[United]) -> frozenset[str]:
    """Every name that is taken."""
    readouts = {relation.readout for relation in relations.relations}
    return frozenset({*units_of(relations, controls), *readouts})


def expressions_of(relations: RelationSet) -> dict[str, Expression]:
    """JSON Pointer -> expression of every definition, then of every relation."""
    found: dict[str, Expression] = {}
    for i, definition in enumerate(relations.definitions):
        found[f"/definitions/{i}/expression"] = definition.expression
    for i, relation in enumerate(relations.relations):
        found[f"/relations/{i}/expression"] = relation.expression
    return found


def at_pointer(relations: RelationSet, path: str) -> Expression:
    """The parameter value or subtree at a JSON Pointer into a relation set.

    Raises:
        InputError: the pointer leads nowhere.
    """
    root, inner = _split(path)
    try:
        if root.endswith("/value"):
            return relations.parameters[int(root.split("/")[2])].value
        return dict(walk(expressions_of(relations)[root]))[inner]
    except (KeyError, IndexError, ValueError) as error:
        raise InputError("the pointer leads nowhere in the relation set", path=path) from error


def edited(relations: RelationSet, edits: Mapping[str, Expression]) -> RelationSet:
    """The relation set with the values or subtrees at JSON Pointers replaced.

    Raises:
        InputError: a pointer leads nowhere.
    """
    parameters = list(relations.parameters)
    definitions = list(relations.definitions)
    bodies = list(relations.relations)
    for path, new in edits.items():
        at_pointer(relations, path)
        root, inner = _split(path)
        index = int(root.split("/")[2])
        if root.startswith("/parameters"):
            if not isinstance(new, float):
                raise InputError("a parameter's value is a number", path=path)
            parameters[index] = parameters[index].model_copy(update={"value": new})
        elif root.startswith("/definitions"):
            body = with_node(definitions[index].expression, inner, new)
            definitions[index] = definitions[index].model_copy(update={"expression": body})
        else:
            body = with_node(bodies[index].expression, inner, new)
            bodies[index] = bodies[index].model_copy(update={"expression": body})
    return RelationSet(
        parameters=tuple(parameters), definitions=tuple(definitions), relations=tuple(bodies)
    )


def blend_size(original: RelationSet, counterfactual: RelationSet) -> int:
    """Nodes of G = (1 - s)*g + s*g' over all readouts (SciGame, eq. 1)."""
    first, second = folded_laws(original), folded_laws(counterfactual)
    return sum(7 + node_count(first[name]) + node_count(second[name]) for name in first)


def blend_fits(original: RelationSet, counterfactual: RelationSet) -> bool:
    """Whether G = (1 - s)*g + s*g' keeps the limits of an expression, nodes and depth."""
    if blend_size(original, counterfactual) > MAX_NODES:
        return False
    laws = [*folded_laws(original).values(), *folded_laws(counterfactual).values()]
    # A law stands two levels below the blend's root.
    return all(2 + path.count("/args/") <= MAX_DEPTH for law in laws for path, _ in walk(law))


def _extent(expression: Expression, known: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    if isinstance(expression, Var):
        return known.get(expression.var, (1, 0))
    if isinstance(expression, Op):
        parts = [_extent(arg, known) for arg in expression.args]
        return 1 + sum(nodes for nodes, _ in parts), 1 + max(depth for _, depth in parts)
    return 1, 0


def _split(path: str) -> tuple[str, str]:
    """The pointer of a value or expression, and the pointer inside the expression."""
    parts = path.split("/")
    return "/".join(parts[:4]), "".join(f"/{part}" for part in parts[4:])


__all__ = (
    "at_pointer",
    "blend_fits",
    "blend_size",
    "edited",
    "expressions_of",
    "folded",
    "folded_laws",
    "laws_of",
    "meanings_of",
    "names_in",
    "sizes_of",
    "units_of",
)
