"""A family -> its four tasks, their sealed keys, public observations and the two worlds."""

from dataclasses import dataclass
from typing import Final, get_args

import numpy as np

from lawsmith.errors import InputError
from lawsmith.expressions import to_infix
from lawsmith.measurement.deltas import constant_tolerances
from lawsmith.measurement.resolution import quantise
from lawsmith.mutation.relation_sets import folded_laws
from lawsmith.mutation.screening import distinguishing_query
from lawsmith.mutation.truth import exact_values, rows
from lawsmith.seals import task_id
from schemas.expression import MAX_NODES, Expression, Op, Var, WireError, from_wire, node_count
from schemas.expression import to_wire as wire
from schemas.family import Environment, Family, RelationSet, Values
from schemas.record import CANARY, content_digest
from schemas.source import Collection
from schemas.task import (
    WORLD_SENTENCE,
    Blend,
    ConstantTolerance,
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
        # show and what scores compare with come from it alone. Folding constants may change a
        # law by 2^-53, so a family's own truths can differ in the last digit.
        hidden = _truth(family, laws[environment], family.hidden.inputs)
        shown = _truth(family, laws[environment], family.fixed.inputs)
        constants = _constants(family, laws[environment], hidden)
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
                    constants=constants,
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

    g is the Original's folded law, g' the Counterfactual's. The simulator itself uses s = 0
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
        sealed_laws(family, "original"), sealed_laws(family, "counterfactual"), strict=True
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
    """The laws of one environment over the controls alone, constants folded, by readout."""
    relations: RelationSet = getattr(family, environment)
    folded = folded_laws(relations)
    return tuple(
        SealedLaw(readout=readout.name, expression=folded[readout.name])
        for readout in family.readouts
    )


def relation_set_digest(relations: RelationSet) -> str:
    """The content digest of a relation set, as it stands in a world."""
    return content_digest("relation_set", 1, relations.model_dump(mode="json"))


def _truth(
    family: Family, laws: tuple[SealedLaw, ...], inputs: tuple[Values, ...]
) -> tuple[Values, ...]:
    """Unquantised values, 50 digits rounded once, shape (n, readouts)."""
    expressions = {law.readout: law.expression for law in laws}
    points = np.asarray(inputs, dtype=np.float64)
    return rows(exact_values(expressions, family.controls, points))


def _constants(
    family: Family, laws: tuple[SealedLaw, ...], truth: tuple[Values, ...]
) -> tuple[ConstantTolerance, ...]:
    return constant_tolerances(
        {law.readout: law.expression for law in laws},
        family.controls,
        family.hidden.inputs,
        truth,
        [readout.absolute for readout in family.readouts],
        [readout.relative for readout in family.readouts],
    )


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
    "relation_set_digest",
    "sealed_laws",
    "worlds_of",
)
