"""Scores of Real tasks: S_N beside the best published law, S_V by executed validity items.

Local constants of a submission are fitted here, group by group, from the public rows; the
held-out rows are only predicted. A value that is not there is a failure, never repaired.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.discipline import broken_caps
from lawsmith.calibration.fitting import fit
from lawsmith.calibration.probes import ProbeCase, take_probe
from lawsmith.calibration.problems import (
    FLOOR,
    SINGLE,
    Space,
    TableScore,
    metric_scale,
    metric_value,
    records_of,
    table_score,
)
from lawsmith.calibration.submissions import SubmittedLaw, admissible
from lawsmith.errors import InputError, IntegrityError, UndefinedValueError
from lawsmith.expressions import compile_expression
from schemas.calibrated_score import CalibratedScore, GroupMetric, ProbeVerdict
from schemas.calibrated_task import (
    Anchor,
    CalibratedSubmission,
    CalibratedTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.problem import MetricName

SCORER_VERSION: Final = "calibrated-1"
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldGroup:
    """The rows of one tested group; `""` in a task without groups."""

    label: str
    fit_inputs: Floats
    """Public, shape (rows, controls): local constants come from these."""
    fit_outputs: Floats
    inputs: Floats
    """Held out."""
    outputs: Floats


def tested_groups(
    task: RealTask, key: RealKey, observations: Sequence[RealObservation]
) -> tuple[HeldGroup, ...]:
    """The groups that are scored, in order of their labels.

    Raises:
        IntegrityError: an observation or the key is of another task, or a group has no rows.
    """
    if key.id != task.id or key.public_digest != task.digest:
        raise IntegrityError(
            f"the key of {key.id} was made for another public task",
            path=task.id,
            fix="score against the release that was played",
        )
    foreign = sorted({row.task_id for row in observations} - {task.id})
    if foreign:
        raise IntegrityError(f"observations of {foreign[0]!r}", path=task.id)
    found = []
    part = "fit" if task.fit_rows else "train"
    for label in sorted(task.test_groups) or (SINGLE,):
        group = label or None
        public = [row for row in observations if row.group == group and row.part == part]
        held = [row for row in key.held_out if row.group == group]
        if not public or not held:
            raise IntegrityError(f"group {group!r} has no rows on one side", path=task.id)
        found.append(
            HeldGroup(
                label,
                np.array([row.inputs for row in public], dtype=np.float64),
                np.array([row.output for row in public], dtype=np.float64),
                np.array([row.inputs for row in held], dtype=np.float64),
                np.array([row.output for row in held], dtype=np.float64),
            )
        )
    return tuple(found)


def score_real(
    submission: CalibratedSubmission,
    task: RealTask,
    key: RealKey,
    observations: Sequence[RealObservation],
) -> CalibratedScore:
    """The scores of a submission for a Real task.

    An inadmissible submission, or one beyond the caps on constants, scores 0 in both: caps are
    part of the contract, wherever the numbers stand.

    Args:
        submission: what was handed in.
        task: its public task.
        key: its sealed key.
        observations: the public rows of the task.

    Raises:
        IntegrityError: task, key and observations do not belong together.
    """
    groups = tested_groups(task, key, observations)
    try:
        law = admissible(submission, task)
    except InputError as error:
        return scored(submission, task, key.problem_id, reason=f"inadmissible: {error}")
    broken = broken_caps(submission, task.caps)
    if broken is not None:
        return scored(submission, task, key.problem_id, disciplined=False, reason=broken)
    local = {group.label: _fitted(law, task, group) for group in groups}
    values, reasons = _metrics(law, task, groups, local)
    table = table_score(
        task.metric,
        reference_values(key, key.reference),
        values,
        {group.label: metric_scale(task.metric, group.outputs) for group in groups},
    )
    probes = _probes(law, task, key, groups, local)
    return scored(
        submission,
        task,
        key.problem_id,
        valid=True,
        disciplined=True,
        numeric=table.score,
        validity=_share(probes),
        metric=_mean(values),
        groups=_group_metrics(key, table, values, reasons),
        probes=probes,
        reason="; ".join(f"{label or 'the table'}: {why}" for label, why in reasons.items()),
    )


def reference_values(key: RealKey, law_id: str) -> dict[str, float | None]:
    """What a published law reaches, by group; `""` in a task without groups."""
    anchor = next(anchor for anchor in key.anchors if anchor.law_id == law_id)
    return anchor_values(anchor)


def anchor_values(anchor: Anchor) -> dict[str, float | None]:
    """The metric of an anchor by group; `""` in a task without groups."""
    return dict(anchor.by_group) if anchor.by_group else {SINGLE: anchor.metric}


def space_of_task(task: CalibratedTask) -> Space:
    """The residual space of a task."""
    return Space(task.residual_space, FLOOR if task.floor is None else task.floor)


def defined_metric(metric: MetricName, predicted: Floats, truth: Floats) -> float | None:
    """The metric of a prediction; None where it has none, or none that a float holds."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = metric_value(metric, predicted, truth)
    return found if found is not None and np.isfinite(found) else None


def _fitted(law: SubmittedLaw, task: RealTask, group: HeldGroup) -> dict[str, float] | str:
    """Local constants of a group, or why there are none."""
    if not law.local:
        return {}
    records = records_of(_named(task, group.fit_inputs), group.fit_outputs)
    try:
        found = fit(law.law, law.constants, records, space_of_task(task)).values(SINGLE)
    except (InputError, UndefinedValueError) as error:
        return f"no fit: {error}"
    return {constant.name: found[constant.name] for constant in law.local}


def _metrics(
    law: SubmittedLaw,
    task: RealTask,
    groups: Sequence[HeldGroup],
    local: Mapping[str, dict[str, float] | str],
) -> tuple[dict[str, float | None], dict[str, str]]:
    values: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for group in groups:
        constants = local[group.label]
        values[group.label] = None
        if isinstance(constants, str):
            reasons[group.label] = constants
            continue
        try:
            predicted = _predicted(law, task, group.inputs, constants)
        except UndefinedValueError as error:
            reasons[group.label] = str(error)
            continue
        values[group.label] = defined_metric(task.metric, predicted, group.outputs)
        if values[group.label] is None:
            reasons[group.label] = f"{task.metric} has no value"
    return values, reasons


def _predicted(
    law: SubmittedLaw, task: RealTask, inputs: Floats, local: Mapping[str, float]
) -> Floats:
    found = compile_expression(law.law)({**_named(task, inputs), **law.shared, **local})
    return np.array(np.broadcast_to(found, (len(inputs),)), dtype=np.float64)


def _probes(
    law: SubmittedLaw,
    task: RealTask,
    key: RealKey,
    groups: Sequence[HeldGroup],
    local: Mapping[str, dict[str, float] | str],
) -> tuple[ProbeVerdict, ...]:
    cases: list[ProbeCase] = []
    for group in groups:
        constants = local[group.label]
        if isinstance(constants, str):
            reason = f"group {group.label}: {constants}"
            return tuple(
                ProbeVerdict(item=probe.item, passed=None, reason=reason) for probe in key.probes
            )
        cases.append(
            ProbeCase(
                group.label or None,
                law.closed(constants),
                np.vstack([group.fit_inputs, group.inputs]),
                np.concatenate([group.fit_outputs, group.outputs]),
            )
        )
    controls = [control.name for control in task.controls]
    units = {control.name: control.unit for control in task.controls}
    verdicts = []
    for probe in key.probes:
        outcome = take_probe(probe.probe, controls, cases, open_law=law.law, units=units)
        verdicts.append(ProbeVerdict(item=probe.item, passed=outcome.passed, reason=outcome.reason))
    return tuple(verdicts)


def _share(probes: Sequence[ProbeVerdict]) -> float | None:
    """The share of items that passed; one that could not be taken did not."""
    if not probes:
        return None
    return sum(probe.passed is True for probe in probes) / len(probes)


def _group_metrics(
    key: RealKey,
    table: TableScore,
    values: Mapping[str, float | None],
    reasons: Mapping[str, str],
) -> tuple[GroupMetric, ...]:
    reference = reference_values(key, key.reference)
    return tuple(
        GroupMetric(
            group=label,
            metric=value,
            reference=reference[label],
            score=table.groups.get(label),
            reason=reasons.get(label, table.excluded.get(label, "")),
        )
        for label, value in values.items()
        if label != SINGLE
    )


def _mean(values: Mapping[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _named(task: CalibratedTask, inputs: Floats) -> dict[str, Floats]:
    return {control.name: inputs[:, place] for place, control in enumerate(task.controls)}


def scored(
    submission: CalibratedSubmission,
    task: RealTask,
    problem_id: str,
    *,
    valid: bool = False,
    disciplined: bool | None = None,
    numeric: float = 0.0,
    validity: float | None = 0.0,
    metric: float | None = None,
    groups: tuple[GroupMetric, ...] = (),
    probes: tuple[ProbeVerdict, ...] = (),
    reason: str,
) -> CalibratedScore:
    """The record of a Real score; without more it is that of an inadmissible submission."""
    return CalibratedScore(
        id=submission.id,
        submission_digest=submission.digest,
        release_id=submission.release_id,
        task_id=task.id,
        problem_id=problem_id,
        kind="real",
        player=submission.player,
        repeat=submission.repeat,
        determined=True,
        valid=valid,
        numeric=numeric,
        validity=validity,
        structure=None,
        level=None,
        metric=metric,
        groups=groups,
        probes=probes,
        disciplined=disciplined,
        reason=reason,
        scorer_version=SCORER_VERSION,
    )


__all__ = (
    "SCORER_VERSION",
    "HeldGroup",
    "anchor_values",
    "defined_metric",
    "reference_values",
    "score_real",
    "space_of_task",
    "tested_groups",
)
