"""A built problem -> its Parallel task and the sealed key."""

from typing import Final

import numpy as np

from lawsmith.calibration import handed_in, law_counts
from lawsmith.calibration.hidden_laws import BuiltProblem, BuiltWorld
from lawsmith.keyed_draws import task_id
from lawsmith.release.calibrated_background import PARALLEL_WORLD, parallel_background
from lawsmith.release.calibrated_parts import (
    NoTaskError,
    common_fields,
    control_of,
    group_labels,
    readout_of,
)
from schemas.calibrated_task import ParallelKey, ParallelTask, QueryBudget
from schemas.expression import node_count
from schemas.record import CANARY

REFUSED_CALLS: Final = 100
"""Calls that break a rule cost nothing; this many end a trial, so that ranges cannot be felt out
for ever."""


def parallel_task(built: BuiltProblem, key: bytes) -> tuple[BuiltWorld, ParallelTask, ParallelKey]:
    """The world, the task and its sealed key.

    Raises:
        NoTaskError: no hidden law survived, or players could not hand it in.
        InputError: the background text names what it may not.
    """
    world, problem = built.built, built.problem
    if world is None:
        raise NoTaskError(built.parallel_reason)
    record = world.world
    identity = task_id(key, problem.id, "parallel", "hidden")
    labels = [group.label for group in record.groups] if record.grouped else []
    public = group_labels(key, identity, labels)
    ends = np.array([[(a.low, a.high) for a in group.axes] for group in record.groups])
    controls = tuple(
        control_of(problem, place, ends[:, place]) for place in range(len(problem.controls))
    )
    limits = record.limits
    budget = QueryBudget(
        calls=limits.calls,
        points_per_call=limits.points_per_call,
        samples_per_point=limits.samples_per_point,
        refused_calls=REFUSED_CALLS,
    )
    text = parallel_background(controls, readout_of(problem), tuple(public), record.space, budget)
    task = ParallelTask(
        **common_fields(built, identity, text, controls, tuple(public)),
        kind="parallel",
        world=PARALLEL_WORLD,
        budget=budget,
        out_of_range=record.out_of_range,
    )
    _check_within(world, task)
    return world, task, _key(built, world, task, public)


def _key(
    built: BuiltProblem, world: BuiltWorld, task: ParallelTask, public: dict[str, str]
) -> ParallelKey:
    problem, hidden, record = built.problem, world.hidden, world.world
    return ParallelKey(
        id=task.id,
        problem_id=problem.id,
        problem_digest=problem.digest,
        world_id=record.id,
        world_digest=record.digest,
        public_digest=task.digest,
        base_law=hidden.base.id,
        base=hidden.base.expression,
        law=hidden.law,
        shared=hidden.shared,
        local=hidden.local,
        fixed=hidden.fixed,
        constants=hidden.group_constants,
        edits=hidden.edits,
        group_labels=public,
        certificates=hidden.certificates,
        refused=built.search.refused if built.search is not None else (),
        canary=CANARY,
    )


def _check_within(world: BuiltWorld, task: ParallelTask) -> None:
    """A player who has the very law can hand it in."""
    hidden = world.hidden
    counts = law_counts(hidden.law, hidden.constants)
    nodes = node_count(handed_in(hidden.law, hidden.constants)[0])
    beyond = counts.shared > task.caps.shared or counts.local > task.caps.local
    if beyond or nodes > task.max_nodes:
        raise NoTaskError(
            f"the hidden law has {counts.shared} shared and {counts.local} local constants and"
            f" {nodes} nodes; {task.caps.shared}, {task.caps.local} and"
            f" {task.max_nodes} are allowed"
        )


__all__ = ("REFUSED_CALLS", "parallel_task")
