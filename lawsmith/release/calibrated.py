"""A built problem -> its Parallel and Real task, their sealed keys, rows, world and baselines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.axes import spans_decade
from lawsmith.calibration.baselines import parallel_submissions, real_submissions
from lawsmith.calibration.building import BuiltProblem, BuiltWorld
from lawsmith.calibration.discipline import caps_of, handed_in, law_counts, nodes_allowed
from lawsmith.calibration.metrics import metric_scale, near_perfect
from lawsmith.calibration.parallel_scores import score_parallel
from lawsmith.calibration.pools import Pool
from lawsmith.calibration.real_scores import anchor_values, defined_metric, score_real
from lawsmith.calibration.records import SINGLE
from lawsmith.calibration.references import best_reference
from lawsmith.errors import InputError, LawsmithError
from lawsmith.release.calibrated_background import (
    PARALLEL_WORLD,
    REAL_WORLD,
    check_calibrated_background,
    parallel_background,
    real_background,
)
from lawsmith.seals import generator, task_id
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    Anchor,
    CalibratedControl,
    CalibratedReadout,
    CalibratedSubmission,
    HeldOutRow,
    ParallelKey,
    ParallelTask,
    QueryBudget,
    RealKey,
    RealObservation,
    RealProbe,
    RealTask,
)
from schemas.expression import node_count
from schemas.problem import Problem
from schemas.record import CANARY
from schemas.source import Collection
from schemas.world import CalibratedWorld

REFUSED_CALLS: Final = 100
"""Calls that break a rule cost nothing; this many end a trial, so that ranges cannot be felt out
for ever."""

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class CalibratedTasks:
    """What one problem puts into a release."""

    parallel: ParallelTask | None
    parallel_key: ParallelKey | None
    parallel_reason: str
    """Why there is no Parallel task; empty with one."""
    real: RealTask | None
    real_key: RealKey | None
    real_reason: str
    """Why there is no Real task; empty with one."""
    observations: tuple[RealObservation, ...]
    world: CalibratedWorld | None
    pool: Pool | None
    submissions: tuple[CalibratedSubmission, ...]
    """Of the baselines, in the order of their scores."""
    baselines: tuple[CalibratedScore, ...]


class NoTaskError(LawsmithError):
    """Why a problem has no task of a kind: a finding, not a fault."""


def calibrated_tasks(built: BuiltProblem, key: bytes, collection: Collection) -> CalibratedTasks:
    """The Parallel and the Real task of a problem, as far as it has them.

    Args:
        built: the problem.
        key: the collection key.
        collection: whose key it is.

    Raises:
        InputError: the built problem is of another collection, or its background text names
            what it may not.
    """
    if built.collection != collection:
        raise InputError(f"built for {built.collection!r}, not {collection!r}", path="collection")
    submissions: list[CalibratedSubmission] = []
    baselines: list[CalibratedScore] = []
    parallel, parallel_key, parallel_reason = None, None, ""
    try:
        world, parallel, parallel_key = parallel_parts(built, key)
        draws = generator(key, "design", parallel.id)
        for entry in parallel_submissions(built, world, parallel, draws).values():
            submissions.append(entry)
            baselines.append(score_parallel(entry, parallel, parallel_key, world.world))
    except NoTaskError as finding:
        parallel_reason = str(finding)
    real, real_key, real_reason = None, None, ""
    observations: tuple[RealObservation, ...] = ()
    try:
        real, real_key, observations = real_parts(built, key)
        for entry in real_submissions(built, real, real_key.reference).values():
            submissions.append(entry)
            baselines.append(score_real(entry, real, real_key, observations))
    except NoTaskError as finding:
        real_reason = str(finding)
    return CalibratedTasks(
        parallel=parallel,
        parallel_key=parallel_key,
        parallel_reason=parallel_reason,
        real=real,
        real_key=real_key,
        real_reason=real_reason,
        observations=observations,
        world=None if parallel is None or built.built is None else built.built.world,
        pool=None if parallel is None or built.built is None else built.built.pool,
        submissions=tuple(submissions),
        baselines=tuple(baselines),
    )


def group_labels(key: bytes, identity: str, labels: Sequence[str]) -> dict[str, str]:
    """Public label -> label of the table, `g1`, `g2`, … in a keyed order."""
    ordered = sorted(labels)
    places = generator(key, "groups", identity).permutation(len(ordered)).tolist()
    return {f"g{number}": ordered[place] for number, place in enumerate(places, start=1)}


def parallel_parts(built: BuiltProblem, key: bytes) -> tuple[BuiltWorld, ParallelTask, ParallelKey]:
    """The world, the Parallel task and its key, without baselines.

    Raises:
        NoTaskError: there is no world, or a player could not hand in its law.
        InputError: the background text names what it may not.
    """
    world, problem = built.built, built.problem
    if world is None:
        raise NoTaskError(built.parallel_reason)
    hidden, record = world.hidden, world.world
    identity = task_id(key, problem.id, "parallel", "hidden")
    labels = [group.label for group in record.groups] if record.grouped else []
    public = group_labels(key, identity, labels)
    ends = np.array([[(a.low, a.high) for a in group.axes] for group in record.groups])
    controls = tuple(
        _control(problem, place, ends[:, place]) for place in range(len(problem.controls))
    )
    readout = _readout(problem)
    limits = record.limits
    budget = QueryBudget(
        calls=limits.calls,
        points_per_call=limits.points_per_call,
        samples_per_point=limits.samples_per_point,
        refused_calls=REFUSED_CALLS,
    )
    text = parallel_background(controls, readout, tuple(public), record.space, budget)
    check_calibrated_background(text, problem, controls, readout)
    task = ParallelTask(
        id=identity,
        kind="parallel",
        collection=built.collection,
        background=text,
        controls=controls,
        readout=readout,
        groups=tuple(public),
        residual_space=record.space,
        floor=record.floor,
        caps=caps_of(problem.laws),
        max_nodes=nodes_allowed(problem.laws),
        world=PARALLEL_WORLD,
        canary=CANARY,
        budget=budget,
        out_of_range=record.out_of_range,
    )
    _check_within(world, task)
    sealed = ParallelKey(
        id=identity,
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
    return world, task, sealed


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


def real_parts(
    built: BuiltProblem, key: bytes
) -> tuple[RealTask, RealKey, tuple[RealObservation, ...]]:
    """The Real task, its key and its public rows, without baselines.

    Raises:
        NoTaskError: the problem is not admitted, or no published law can be the reference.
        InputError: the background text names what it may not.
    """
    problem, table, split = built.problem, built.table, built.split
    if not built.admission.admitted:
        raise NoTaskError(built.parallel_reason)
    identity = task_id(key, problem.id, "real", "observed")
    used = np.concatenate([split.train, split.fit, split.test])
    labels = [table.labels[code] for code in np.unique(table.codes[used])] if table.labels else []
    public = group_labels(key, identity, labels)
    of_table = {label: name for name, label in public.items()}
    anchors, reference = _anchors(built, of_table)
    controls = tuple(
        _control(problem, place, table.inputs[used, place])
        for place in range(len(problem.controls))
    )
    readout = _readout(problem)
    text = real_background(controls, readout, tuple(public), problem.split.intent)
    check_calibrated_background(text, problem, controls, readout)
    task = RealTask(
        id=identity,
        kind="real",
        collection=built.collection,
        background=text,
        controls=controls,
        readout=readout,
        groups=tuple(public),
        residual_space=problem.residuals.space,
        floor=problem.residuals.floor,
        caps=caps_of(problem.laws),
        max_nodes=nodes_allowed(problem.laws),
        world=REAL_WORLD,
        canary=CANARY,
        split=problem.split.intent,
        metric=problem.metric,
        training_rows=len(split.train),
        fit_rows=len(split.fit),
        test_rows=len(split.test),
        test_groups=tuple(name for name in public if public[name] in split.test_groups),
    )
    held_out = tuple(
        HeldOutRow(group=group, inputs=inputs, output=output)
        for group, inputs, output in _sorted_rows(built, split.test, of_table)
    )
    sealed = RealKey(
        id=identity,
        problem_id=problem.id,
        problem_digest=problem.digest,
        public_digest=task.digest,
        held_out=held_out,
        anchors=anchors,
        reference=reference,
        probes=tuple(
            RealProbe(item=item.id, statement=item.statement, probe=item.probe)
            for item in problem.validity
        ),
        group_labels=public,
        canary=CANARY,
    )
    return task, sealed, _observations(built, identity, of_table)


def _anchors(built: BuiltProblem, of_table: dict[str, str]) -> tuple[tuple[Anchor, ...], str]:
    """The metric of each published law on the held-out rows, and the law to beat."""
    problem, table, split = built.problem, built.table, built.split
    places = {row: place for place, row in enumerate(split.test.tolist())}
    rows = {
        of_table.get(label, SINGLE): split.test_rows(table, label)
        for label in split.test_groups or (SINGLE,)
    }
    found = []
    for law in problem.laws:
        values: dict[str, float | None] = dict.fromkeys(rows)
        predicted = built.held_out.get(law.id)
        if predicted is not None:
            for label, own in rows.items():
                here = [places[row] for row in own.tolist()]
                values[label] = defined_metric(problem.metric, predicted[here], table.target[own])
        found.append(_anchor(law.id, values))
    scales = {label: metric_scale(problem.metric, table.target[own]) for label, own in rows.items()}
    try:
        best = best_reference(problem.metric, [anchor_values(anchor) for anchor in found], scales)
    except InputError as error:
        raise NoTaskError(f"no reference to score beside: {error}") from error
    known = anchor_values(found[best])
    if all(
        value is not None and near_perfect(problem.metric, value, scales[label])
        for label, value in known.items()
    ):
        raise NoTaskError(f"the law {found[best].law_id!r} is near-perfect; none could do better")
    return tuple(found), found[best].law_id


def _anchor(law_id: str, values: dict[str, float | None]) -> Anchor:
    if SINGLE in values:
        return Anchor(law_id=law_id, metric=values[SINGLE], by_group={})
    known = [value for value in values.values() if value is not None]
    mean = sum(known) / len(known) if len(known) == len(values) else None
    return Anchor(law_id=law_id, metric=mean, by_group=values)


def _observations(
    built: BuiltProblem, identity: str, of_table: dict[str, str]
) -> tuple[RealObservation, ...]:
    found: list[RealObservation] = []
    for part, rows in (("train", built.split.train), ("fit", built.split.fit)):
        for group, inputs, output in _sorted_rows(built, rows, of_table):
            found.append(
                RealObservation(
                    task_id=identity,
                    part="train" if part == "train" else "fit",
                    index=len(found),
                    group=group,
                    inputs=inputs,
                    output=output,
                    canary=CANARY,
                )
            )
    return tuple(found)


def _sorted_rows(
    built: BuiltProblem, rows: Rows, of_table: dict[str, str]
) -> list[tuple[str | None, tuple[float, ...], float]]:
    """Rows by group, inputs and output: the order of the source's file is not told."""
    table = built.table
    found = [
        (
            None if table.groups is None else of_table[table.groups[row]],
            tuple(table.inputs[row].tolist()),
            float(table.target[row]),
        )
        for row in rows.tolist()
    ]
    return sorted(found, key=lambda entry: (int((entry[0] or "g0")[1:]), entry[1], entry[2]))


def _control(problem: Problem, place: int, values: Floats) -> CalibratedControl:
    column = problem.controls[place]
    return CalibratedControl(
        name=column.name,
        symbol=column.symbol,
        meaning=column.meaning,
        unit=column.unit,
        low=float(values.min()),
        high=float(values.max()),
        logarithmic=bool(spans_decade(values.ravel())),
    )


def _readout(problem: Problem) -> CalibratedReadout:
    readout = problem.readout
    return CalibratedReadout(
        name=readout.name,
        symbol=readout.symbol,
        meaning=readout.meaning,
        unit=readout.unit,
        natural_low=readout.natural_low,
        natural_high=readout.natural_high,
        integer=readout.integer,
    )


__all__ = (
    "REFUSED_CALLS",
    "CalibratedTasks",
    "NoTaskError",
    "calibrated_tasks",
    "group_labels",
    "parallel_parts",
    "real_parts",
)
