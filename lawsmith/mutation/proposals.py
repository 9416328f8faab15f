"""Counterfactuals that somebody else proposes, as data: checked before anything is built of them.

A proposal is untrusted. It must be a relation set of the same shape as the Original and declare
every change it makes. What kind of move a change is, code reads from the trees; whether it is any
good is for the screen and the certificates to say.
"""

from typing import Final

from pydantic import Field, ValidationError

from lawsmith.errors import InputError
from lawsmith.mutation.difficulty_strata import by_move
from lawsmith.mutation.laws import (
    at_pointer,
    edited,
    expressions_of,
    kinds_of,
    names_in,
    other_constants,
    sizes_of,
)
from lawsmith.mutation.moves import MOVES, Candidate, Ground, scale_choices
from lawsmith.units import parse_unit
from schemas.expression import MAX_DEPTH, MAX_NODES, names_of
from schemas.family import LawParameter, Mutation, RelationSet
from schemas.record import Part, strict_json

LONGEST_TEXT: Final = 200_000
LONGEST_SYMBOL: Final = 64
MOST_MUTATIONS: Final = 16


class Proposal(Part):
    """A proposed Counterfactual and what it changes; `forge_proposed` reads its wire form."""

    counterfactual: RelationSet
    mutations: tuple[Mutation, ...] = Field(min_length=1, max_length=MOST_MUTATIONS)
    """Every change: paths lead into the Original, introduced parameters stand last in
    `counterfactual.parameters`, in the order in which they are declared here."""


def candidate_of(text: str, ground: Ground) -> Candidate:
    """The candidate that a proposal stands for.

    Args:
        text: a `Proposal` as JSON.
        ground: of the card that it is proposed for.

    Raises:
        InputError: no proposal, an undeclared or immutable change, an unknown name or unit, or
            laws beyond the limits of size.
    """
    proposal = _parsed(text)
    _check_mutations(proposal.mutations, ground)
    introduced = tuple(p for mutation in proposal.mutations for p in mutation.introduced)
    _check_introduced(introduced, ground)
    edits = {mutation.path: mutation.after for mutation in proposal.mutations}
    changed = edited(ground.original, edits)
    rebuilt = changed.model_copy(update={"parameters": (*changed.parameters, *introduced)})
    if rebuilt != proposal.counterfactual:
        raise InputError(
            "the declared mutations do not make it from the Original",
            path="counterfactual",
            fix="declare every change, and each introduced parameter once, at the end",
        )
    _check_names(rebuilt, ground)
    _check_size(rebuilt)
    mutations = _classified(proposal.mutations, rebuilt, ground)
    without = _without(mutations, ground)
    for relations in without:
        _check_size(relations)
    return Candidate(
        moves=tuple(group[0].move for group in by_move(mutations)),
        edits=edits,
        mutations=mutations,
        relations=rebuilt,
        choices=scale_choices(introduced),
        without=without,
    )


def _parsed(text: str) -> Proposal:
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{len(text)} characters; at most {LONGEST_TEXT} are read")
    try:
        strict_json(text)
        return Proposal.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise InputError(first["msg"], path=where) from error
    except ValueError as error:
        raise InputError(f"no strict JSON: {error}") from error


def _classified(
    mutations: tuple[Mutation, ...], counterfactual: RelationSet, ground: Ground
) -> tuple[Mutation, ...]:
    """The mutations under the kinds that code reads, whatever they call themselves."""
    if other_constants(ground.original, counterfactual, ground.interface.controls):
        return tuple(m.model_copy(update={"move": "coefficient"}) for m in mutations)
    return kinds_of(mutations, ground.original, counterfactual)


def _check_mutations(mutations: tuple[Mutation, ...], ground: Ground) -> None:
    seen: list[str] = []
    for i, mutation in enumerate(mutations):
        where = f"mutations/{i}"
        if mutation.move not in MOVES:
            raise InputError(f"{mutation.move!r} is no move of a card", path=f"{where}/move")
        if mutation.follows:
            raise InputError("a proposed change follows from no other", path=f"{where}/follows")
        if at_pointer(ground.original, mutation.path) != mutation.before:
            raise InputError("differs from what the Original has there", path=f"{where}/before")
        if mutation.before == mutation.after:
            raise InputError("changes nothing", path=where)
        for other in seen:
            if f"{mutation.path}/".startswith(f"{other}/") or f"{other}/".startswith(
                f"{mutation.path}/"
            ):
                raise InputError(f"lies inside or around {other}", path=f"{where}/path")
        seen.append(mutation.path)
        if mutation.path.startswith("/parameters"):
            parameter = ground.original.parameters[int(mutation.path.split("/")[2])]
            if not parameter.mutable:
                raise InputError(f"{parameter.name!r} is immutable", path=f"{where}/path")


def _check_introduced(introduced: tuple[LawParameter, ...], ground: Ground) -> None:
    taken = set(names_in(ground.original, ground.interface.controls))
    for parameter in introduced:
        if parameter.name in taken:
            raise InputError(f"the name {parameter.name!r} is taken", path="introduced")
        if len(parameter.symbol) > LONGEST_SYMBOL:
            raise InputError(f"symbol of {len(parameter.symbol)} characters", path=parameter.name)
        taken.add(parameter.name)
        parse_unit(parameter.unit)


def _check_names(relations: RelationSet, ground: Ground) -> None:
    """Every expression uses controls, parameters and earlier definitions alone."""
    known = {*ground.controls, *(parameter.name for parameter in relations.parameters)}
    definitions = [definition.name for definition in relations.definitions]
    for i, (path, expression) in enumerate(expressions_of(relations).items()):
        unknown = names_of(expression) - known - set(definitions[:i])
        if unknown:
            raise InputError(f"{min(unknown)!r} is not known there", path=path)


def _check_size(relations: RelationSet) -> None:
    """The laws over the controls alone stay within the limits; counted, not built."""
    sizes = sizes_of(relations)
    for readout, (_, depth) in sizes.items():
        if depth > MAX_DEPTH:
            raise InputError(f"depth {depth} exceeds {MAX_DEPTH}", path=readout)
    total = sum(nodes for nodes, _ in sizes.values())
    if total > MAX_NODES:
        raise InputError(f"{total} nodes over all readouts exceed {MAX_NODES}", path="relations")


def _without(mutations: tuple[Mutation, ...], ground: Ground) -> tuple[RelationSet, ...]:
    """Of several moves: the relation sets that lack one of them."""
    groups = by_move(mutations)
    if len(groups) < 2:
        return ()
    introduced = tuple(p for mutation in mutations for p in mutation.introduced)
    found = []
    for left_out in groups:
        kept = {m.path: m.after for m in mutations if m not in left_out}
        changed = edited(ground.original, kept)
        found.append(changed.model_copy(update={"parameters": (*changed.parameters, *introduced)}))
    return tuple(found)


__all__ = ("Proposal", "candidate_of")
