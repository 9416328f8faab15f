"""Parallel and Real tasks: what a player hands in, read strictly, and its score."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import ValidationError

from lawsmith.calibration import admissible, score_parallel, score_real
from lawsmith.errors import InputError, IntegrityError
from lawsmith.expressions import parse_infix
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
    WorldCall,
)
from schemas.expression import to_wire
from schemas.record import Identity, strict_json
from schemas.world import CalibratedWorld

MOST_BYTES: Final = 262_144
"""Largest answer that is read."""
Measure = Literal["numeric", "validity", "structure"]
_FIELDS: Final = frozenset({"expression", "shared", "local", "explanation"})


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean over the tasks of one kind; kinds are never averaged together."""

    value: float | None
    """None where no task counts."""
    tasks: int
    """Tasks that count."""
    absent: tuple[str, ...]
    """Tasks without a submission: each counts as 0."""
    undetermined: tuple[str, ...]
    """Tasks whose every repeat is undetermined: they do not count."""


def read_submission(
    text: str,
    task: ParallelTask | RealTask,
    *,
    release_id: Identity,
    player: str,
    repeat: int = 1,
    calls: Sequence[WorldCall] = (),
) -> CalibratedSubmission:
    """The submission of a player's answer.

    The answer is a JSON object with `expression` (wire form or infix text), `shared`
    (name -> number), `local` (a list of `{"name", "starts", "low", "high"}`) and `explanation`;
    all but the expression may be left out, and so may the bounds.

    Args:
        text: the answer.
        task: what it is for.
        release_id: the release that was played.
        player: who answers.
        repeat: which try, from 1.
        calls: what was asked of the world, as the Oracle answered.

    Raises:
        InputError: no strict JSON, an unknown field, a value that is none, or a law that is
            not admissible for the task.
    """
    data = _data_of(text)
    if isinstance(data.get("expression"), str):
        data["expression"] = to_wire(parse_infix(data["expression"]))
    for part in data.get("local") or []:
        if isinstance(part, dict):
            part.setdefault("low", None)
            part.setdefault("high", None)
    whole = {
        "shared": {},
        "local": [],
        "explanation": "",
        **data,
        "id": f"{task.id}/{player}/{repeat}",
        "task_id": task.id,
        "release_id": release_id,
        "release_digest": None,
        "player": player,
        "repeat": repeat,
        "calls": [call.model_dump(mode="json") for call in calls],
    }
    try:
        submission = CalibratedSubmission.model_validate_json(json.dumps(whole))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise InputError(first["msg"], path=where) from error
    admissible(submission, task)
    return submission


def score_submission(
    submission: CalibratedSubmission,
    task: ParallelTask | RealTask,
    key: ParallelKey | RealKey,
    *,
    observations: Sequence[RealObservation] = (),
    world: CalibratedWorld | None = None,
) -> CalibratedScore:
    """The score of a submission; a task without one is 0 by the report, never left out.

    Args:
        submission: what was handed in.
        task: its task.
        key: the task's sealed key.
        observations: the public rows of a Real task.
        world: of a Parallel task.

    Raises:
        IntegrityError: task, key, rows and world do not belong together.
    """
    if isinstance(task, RealTask) and isinstance(key, RealKey):
        return score_real(submission, task, key, observations)
    if isinstance(task, ParallelTask) and isinstance(key, ParallelKey) and world is not None:
        return score_parallel(submission, task, key, world)
    raise IntegrityError(f"task {task.id} is {task.kind!r} and its key is not", path=key.id)


def mean_score(
    task_ids: Sequence[Identity], scores: Sequence[CalibratedScore], measure: Measure
) -> MeanScore:
    """The plain mean of one measure over all tasks of a kind, absent ones counted as 0.

    Each task counts once, by the mean of its determined repeats.

    Args:
        task_ids: every task of the kind in the release.
        scores: of one player.
        measure: `numeric` and `validity` of Real tasks, `structure` of Parallel ones.

    Raises:
        InputError: no tasks, a score of a task that is not among them, or of another player.
    """
    known, players = set(task_ids), {score.player for score in scores}
    foreign = sorted({score.task_id for score in scores} - known)
    if not known or foreign or len(players) > 1:
        raise InputError(f"tasks {len(known)}, foreign {foreign[:3]}, players {sorted(players)}")
    values: list[float] = []
    undetermined: list[str] = []
    absent = sorted(known - {score.task_id for score in scores})
    for task in sorted(known - set(absent)):
        own = [score for score in scores if score.task_id == task and score.determined]
        if own:
            values.append(sum(getattr(score, measure) or 0.0 for score in own) / len(own))
        else:
            undetermined.append(task)
    counted = len(values) + len(absent)
    mean = sum(values) / counted if counted else None
    return MeanScore(mean, counted, tuple(absent), tuple(undetermined))


def _data_of(text: str) -> dict[str, Any]:
    size = len(text.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise InputError(f"{size} bytes, more than {MOST_BYTES}", path="answer")
    try:
        data = strict_json(text)
    except ValueError as error:
        raise InputError(f"not strict JSON: {error}", path="answer") from error
    if not isinstance(data, dict):
        raise InputError(f"a {type(data).__name__}, not an object", path="answer")
    foreign = sorted(set(data) - _FIELDS)
    if foreign:
        raise InputError(
            f"unknown field {foreign[0][:40]!r}; the fields are {sorted(_FIELDS)}", path="answer"
        )
    if "expression" not in data:
        raise InputError("is missing", path="expression")
    return data


__all__ = (
    "MOST_BYTES",
    "MeanScore",
    "Measure",
    "mean_score",
    "read_submission",
    "score_submission",
)
