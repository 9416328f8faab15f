"""A family -> its four tasks, their sealed keys, public observations and the two worlds."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Final, get_args

import numpy as np

from lawsmith.errors import InputError
from lawsmith.expressions import literal_paths, replace_literals, to_infix, without_zeros
from lawsmith.keyed_draws import task_id
from lawsmith.measurement import quantise
from lawsmith.mutation.laws import exact_values, folded_laws, free_constant_paths, laws_of, rows
from lawsmith.mutation.screening import distinguishing_query
from schemas.expression import (
    MAX_NODES,
    Expression,
    Op,
    Var,
    WireError,
    from_wire,
    names_of,
    node_count,
    substitute,
    walk,
)
from schemas.expression import to_wire as wire
from schemas.family import Environment, Family, RelationSet, Values
from schemas.record import CANARY, content_digest
from schemas.source import Collection
from schemas.task import (
    WORLD_SENTENCE,
    Blend,
    FixedObservation,
    PublicTask,
    SealedKey,
    SealedLaw,
    Setting,
)
from schemas.world import PairedWorld

THRESHOLD: Final = 0.9
"""tau: the confidence at which an Adaptive episode must end."""

ADAPTIVE_CAP: Final = 1024
"""Accepted proposals of an Adaptive episode at most."""

ENVIRONMENTS: Final[tuple[Environment, ...]] = get_args(Environment)
SETTINGS: Final[tuple[Setting, ...]] = get_args(Setting)


@dataclass(frozen=True)
class FamilyTasks:
    """What one family puts into a release; every part in the order of its id."""

    public: tuple[PublicTask, ...]
    sealed: tuple[SealedKey, ...]
    fixed: tuple[FixedObservation, ...]
    worlds: tuple[PairedWorld, ...]


def make_tasks(family: Family, key: bytes, collection: Collection) -> FamilyTasks:
    """The four tasks of a family: {Identification, Discovery} x {Original, Counterfactual}.

    Args:
        family: with designs, truth and background text.
        key: the collection key, 32 bytes; it decides the ids and nothing else here.
        collection: whose key it is.

    Raises:
        InputError: the blend of the two laws exceeds the limits of an expression, the
            family has no passed certificate 10, or the key is not 32 bytes.
    """
    laws = {environment: sealed_laws(family, environment) for environment in ENVIRONMENTS}
    query = distinguishing_query(family)
    public: list[PublicTask] = []
    sealed: list[SealedKey] = []
    fixed: list[FixedObservation] = []
    for environment in ENVIRONMENTS:
        # The sealed law is the truth of a task: what the Oracle returns, what the Fixed rows
        # show and what scores compare with come from it alone.
        hidden = _truth(family, laws[environment], family.hidden.inputs)
        shown = _truth(family, laws[environment], family.fixed.inputs)
        for setting in SETTINGS:
            identity = task_id(key, family.id, setting, environment)
            blend = blend_of(family) if setting == "identification" else None
            task = _task(family, identity, setting, collection, blend)
            public.append(task)
            sealed.append(
                SealedKey(
                    id=identity,
                    family_id=family.id,
                    family_digest=family.digest,
                    world_id=f"{family.id}/{environment}",
                    environment=environment,
                    setting=setting,
                    public_digest=task.digest,
                    laws=laws[environment],
                    hidden_inputs=family.hidden.inputs,
                    hidden_truth=hidden,
                    distinguishing_query=query,
                    canary=CANARY,
                )
            )
            fixed += _observations(family, shown, identity)
    return FamilyTasks(
        public=tuple(sorted(public, key=lambda item: item.id)),
        sealed=tuple(sorted(sealed, key=lambda item: item.id)),
        fixed=tuple(sorted(fixed, key=lambda item: (item.task_id, item.index))),
        worlds=worlds_of(family),
    )


def blend_of(family: Family) -> Blend:
    """G = (1 - s)*g + s*g' for every readout, one s, unsimplified (SciGame, eq. 1).

    g is the Original's law with constants folded, g' the Counterfactual's: a candidate that
    showed how a number is derived would tell where it comes from. The simulator itself uses s = 0
    or s = 1, so intermediate values are not allowed.

    Raises:
        InputError: the formulas together exceed 1,024 nodes or depth 64.
    """
    taken = {control.name for control in family.controls}
    taken |= {readout.name for readout in family.readouts}
    name = next(item for item in ("s", "s_blend", "s_blend_0") if item not in taken)
    s = Var(name)
    formulas: dict[str, Expression] = {}
    for before, after in zip(
        printed_laws(family, "original"), printed_laws(family, "counterfactual"), strict=True
    ):
        kept, moved = Op("sub", (1.0, s)), s
        formulas[before.readout] = Op(
            "add", (Op("mul", (kept, before.expression)), Op("mul", (moved, after.expression)))
        )
    total = sum(node_count(formula) for formula in formulas.values())
    try:
        if total > MAX_NODES:
            raise WireError("", f"{total} nodes, more than {MAX_NODES}")
        for formula in formulas.values():
            from_wire(wire(formula))
    except WireError as error:
        raise InputError(
            f"the blend of {family.id} is too large: {error.problem}",
            path="blend",
            fix="blend_too_large: the family cannot be released",
        ) from error
    return Blend(
        parameter=name,
        intermediate_allowed=False,
        formulas={readout: to_infix(formula) for readout, formula in sorted(formulas.items())},
    )


def worlds_of(family: Family) -> tuple[PairedWorld, PairedWorld]:
    """The two worlds of a family, by id: the Counterfactual's, then the Original's."""
    return _world(family, "counterfactual"), _world(family, "original")


def sealed_laws(family: Family, environment: Environment) -> tuple[SealedLaw, ...]:
    """The laws of one environment as the world computes them, by readout.

    Over the literals of the source, nothing folded; terms that are exactly zero, such as a
    correction in the Original, are left out.
    """
    laws = laws_of(getattr(family, environment))
    constants = free_constant_paths(family, environment)
    return tuple(
        _sealed(readout.name, laws[readout.name], constants[readout.name])
        for readout in family.readouts
    )


def printed_laws(family: Family, environment: Environment) -> tuple[SealedLaw, ...]:
    """The same laws with constants folded to float64, as candidates and pages show them."""
    laws = folded_laws(getattr(family, environment))
    return tuple(
        _sealed(readout.name, laws[readout.name], literal_paths(laws[readout.name]))
        for readout in family.readouts
    )


def relation_set_digest(relations: RelationSet) -> str:
    """The content digest of a relation set, as it stands in a world."""
    return content_digest("relation_set", 1, relations.model_dump(mode="json"))


def _sealed(readout: str, law: Expression, constants: Iterable[str]) -> SealedLaw:
    """A law without zero terms; its constants stay where they are, also those that are one."""
    nodes, taken = dict(walk(law)), names_of(law)
    names = (name for i in count() if (name := f"constant_{i}") not in taken)
    places = dict(zip(constants, names, strict=False))
    short = without_zeros(replace_literals(law, {p: Var(name) for p, name in places.items()}))
    values = {name: nodes[path] for path, name in places.items()}
    kept = {path for path, node in walk(short) if isinstance(node, Var) and node.var in values}
    whole = substitute(short, values)
    # Where a zero term went, a one may stand: exp(0) in front of another term.
    kept |= set(literal_paths(whole))
    found = tuple(path for path, _ in walk(whole) if path in kept)
    return SealedLaw(readout=readout, expression=whole, constants=found)


def _truth(
    family: Family, laws: tuple[SealedLaw, ...], inputs: tuple[Values, ...]
) -> tuple[Values, ...]:
    """Unquantised values, 50 digits rounded once, shape (n, readouts)."""
    expressions = {law.readout: law.expression for law in laws}
    points = np.asarray(inputs, dtype=np.float64)
    return rows(exact_values(expressions, family.controls, points))


def _task(
    family: Family,
    identity: str,
    setting: Setting,
    collection: Collection,
    blend: Blend | None,
) -> PublicTask:
    return PublicTask(
        id=identity,
        kind="paired",
        collection=collection,
        setting=setting,
        background=family.background,
        controls=family.controls,
        readouts=family.readouts,
        constraints=family.constraints,
        blend=blend,
        world=WORLD_SENTENCE,
        threshold=THRESHOLD,
        adaptive_cap=ADAPTIVE_CAP,
        canary=CANARY,
    )


def _world(family: Family, environment: Environment) -> PairedWorld:
    return PairedWorld(
        id=f"{family.id}/{environment}",
        kind="paired",
        family_id=family.id,
        family_digest=family.digest,
        environment=environment,
        relation_set_digest=relation_set_digest(getattr(family, environment)),
        resolutions={readout.name: readout.resolution for readout in family.readouts},
    )


def _observations(
    family: Family, truth: tuple[Values, ...], identity: str
) -> list[FixedObservation]:
    return [
        FixedObservation(
            task_id=identity,
            index=index,
            inputs=inputs,
            outputs=tuple(
                quantise(value, readout.resolution)
                for value, readout in zip(outputs, family.readouts, strict=True)
            ),
            canary=CANARY,
        )
        for index, (inputs, outputs) in enumerate(zip(family.fixed.inputs, truth, strict=True))
    ]


__all__ = (
    "ADAPTIVE_CAP",
    "ENVIRONMENTS",
    "SETTINGS",
    "THRESHOLD",
    "FamilyTasks",
    "blend_of",
    "make_tasks",
    "printed_laws",
    "relation_set_digest",
    "sealed_laws",
    "worlds_of",
)
