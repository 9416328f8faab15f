"""Scores of Parallel tasks: S_S, by construction from the edits that made the hidden law."""

from typing import Final

from lawsmith.calibration.discipline import broken_caps
from lawsmith.calibration.structure import StructureVerdict, structure_score
from lawsmith.calibration.submissions import admissible
from lawsmith.errors import InputError, IntegrityError
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import CalibratedSubmission, ParallelKey, ParallelTask
from schemas.world import CalibratedWorld

SCORER_VERSION: Final = "calibrated-1"


def score_parallel(
    submission: CalibratedSubmission, task: ParallelTask, key: ParallelKey, world: CalibratedWorld
) -> CalibratedScore:
    """The structure score of a submission for a Parallel task.

    An inadmissible submission, or one beyond the caps on constants, scores 0.

    Args:
        submission: what was handed in.
        task: its public task.
        key: its sealed key.
        world: the world of the key.

    Raises:
        IntegrityError: task, key and world do not belong together.
    """
    if key.id != task.id or key.public_digest != task.digest:
        raise IntegrityError(
            f"the key of {key.id} was made for another public task",
            path=task.id,
            fix="score against the release that was played",
        )
    if world.id != key.world_id or world.digest != key.world_digest:
        raise IntegrityError(f"the world {world.id!r} is not the key's", path=task.id)
    try:
        admissible(submission, task)
        check_calls(submission, task)
    except InputError as error:
        return _scored(submission, task, key, reason=f"inadmissible: {error}")
    broken = broken_caps(submission, task.caps)
    if broken is not None:
        return _scored(submission, task, key, disciplined=False, reason=broken)
    verdict = structure_score(submission, key, world)
    return _scored(submission, task, key, valid=True, disciplined=True, verdict=verdict)


def check_calls(submission: CalibratedSubmission, task: ParallelTask) -> None:
    """What a submission says it asked stays within the budget, and is of the task's groups.

    Raises:
        InputError: more calls, points or samples than the task allows, a foreign group, a call
            that stands twice, or calls of more than one trial.
    """
    budget = task.budget
    numbers = [call.call for call in submission.calls]
    if len(set(numbers)) != len(numbers):
        raise InputError("a call stands twice", path="calls")
    if len({call.session for call in submission.calls}) > 1:
        raise InputError("calls of more than one trial", path="calls")
    if len(submission.calls) > budget.calls:
        raise InputError(f"{len(submission.calls)} calls, more than {budget.calls}", path="calls")
    for place, call in enumerate(submission.calls):
        path = f"calls/{place}"
        if call.samples > budget.samples_per_point:
            raise InputError(
                f"{call.samples} samples, more than {budget.samples_per_point}", path=path
            )
        if len(call.rows) % call.samples:
            raise InputError(f"{len(call.rows)} rows are not {call.samples} a point", path=path)
        if len(call.rows) > budget.points_per_call * call.samples:
            raise InputError(f"{len(call.rows)} rows of {call.samples} samples a point", path=path)
        if any(row.group not in (task.groups or (None,)) for row in call.rows):
            raise InputError("a group that the task has not", path=path)
        if any(len(row.inputs) != len(task.controls) for row in call.rows):
            raise InputError(f"rows are not of {len(task.controls)} controls", path=path)


def _scored(
    submission: CalibratedSubmission,
    task: ParallelTask,
    key: ParallelKey,
    *,
    valid: bool = False,
    disciplined: bool | None = None,
    verdict: StructureVerdict | None = None,
    reason: str = "",
) -> CalibratedScore:
    return CalibratedScore(
        id=submission.id,
        submission_digest=submission.digest,
        release_id=submission.release_id,
        task_id=task.id,
        problem_id=key.problem_id,
        kind="parallel",
        player=submission.player,
        repeat=submission.repeat,
        determined=True,
        valid=valid,
        numeric=None,
        validity=None,
        structure=0.0 if verdict is None else verdict.score,
        level="none" if verdict is None else verdict.level,
        metric=None,
        groups=(),
        probes=(),
        disciplined=disciplined,
        reason=reason if verdict is None else _why(verdict),
        scorer_version=SCORER_VERSION,
    )


def _why(verdict: StructureVerdict) -> str:
    return verdict.reason if verdict.how is None else f"{verdict.reason} ({verdict.how})"


__all__ = ("check_calls", "score_parallel")
