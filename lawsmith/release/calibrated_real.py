"""A built problem -> its Real task, the sealed key and the public rows."""

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration import anchor_values, defined_metric
from lawsmith.calibration.hidden_laws import BuiltProblem
from lawsmith.calibration.problems import SINGLE, best_reference, metric_scale, near_perfect
from lawsmith.errors import InputError
from lawsmith.keyed_draws import task_id
from lawsmith.release.calibrated_background import REAL_WORLD, real_background
from lawsmith.release.calibrated_parts import (
    NoTaskError,
    common_fields,
    control_of,
    group_labels,
    readout_of,
)
from schemas.calibrated_task import (
    Anchor,
    HeldOutRow,
    RealKey,
    RealObservation,
    RealProbe,
    RealTask,
)
from schemas.record import CANARY

Rows = NDArray[np.intp]


def real_task(
    built: BuiltProblem, key: bytes
) -> tuple[RealTask, RealKey, tuple[RealObservation, ...]]:
    """The task, its sealed key and its public rows.

    Raises:
        NoTaskError: the problem is not admitted, or no published law can be scored beside.
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
        control_of(problem, place, table.inputs[used, place])
        for place in range(len(problem.controls))
    )
    text = real_background(controls, readout_of(problem), tuple(public), problem.split.intent)
    task = RealTask(
        **common_fields(built, identity, text, controls, tuple(public)),
        kind="real",
        world=REAL_WORLD,
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


__all__ = ("real_task",)
