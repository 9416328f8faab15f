"""Submissions of Parallel and Real tasks: files of them, players that make them, their scores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from lawsmith.evaluation import CalibratedScores, ForgedError, read_submission, score_submission
from lawsmith.evaluation.players import parallel_answer, real_answer
from lawsmith.gateways.store import write_whole
from lawsmith.oracle import OracleClient, ParallelClient
from lawsmith.release import CalibratedProblem
from lawsmith.release.bundle import PublicRelease, Release, read_release
from lawsmith.rules import rules_of
from lawsmith.runs import Progress, drop_torn_line, whole_lines
from lawsmith.stages.scored_lines import LineError, Places, numbered_lines, said_of
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import CalibratedSubmission, ParallelTask, RealTask, WorldCall
from schemas.record import strict_json
from schemas.score import Unscored
from schemas.trial import TrialToken

SUBMISSIONS: Final = "submissions.jsonl"
SCORES: Final = "calibrated_scores.jsonl"
UNSCORED: Final = "calibrated_unscored.jsonl"
TASKS: Final = "calibrated_tasks.json"
"""Ids of all tasks of the scored release by kind: a task without a submission counts as 0."""
Kind = Literal["parallel", "real"]


@dataclass
class Scored:
    """What became of a file of submissions."""

    scores: list[CalibratedScore] = field(default_factory=list)
    unscored: list[Unscored] = field(default_factory=list)
    """Lines without a score; their tasks count as unanswered."""

    @property
    def unread(self) -> list[str]:
        """The lines without a score, as sentences."""
        return [
            f"{Path(one.place).name}: {one.outcome}: {one.field + ': ' if one.field else ''}"
            f"{one.problem}"
            for one in self.unscored
        ]


def play_calibrated(
    release: PublicRelease,
    *,
    kind: Kind,
    player: str,
    to: Path,
    oracle: OracleClient | None,
    limit: int | None = None,
    trials: Sequence[TrialToken] | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> int:
    """Answer every task of a kind with a law-blind form; answers that are there are kept.

    Args:
        release: the public tree.
        kind: `real` tasks are fitted to their public rows, `parallel` ones to what is asked of
            the Oracle.
        player: a baseline's name.
        to: folder of `submissions.jsonl`.
        oracle: needed for `parallel`.
        limit: only the first tasks, by id.
        trials: tokens of the holder: those of this player are played and handed in at the Oracle.
        progress: told of each task.

    Returns:
        How many tasks were answered in this run.

    Raises:
        InputError: an unknown player, Parallel tasks without an Oracle, or no tasks of the kind.
    """
    tasks = [task for task in release.calibrated if task.kind == kind][:limit]
    if not tasks:
        raise InputError(f"the release has no {kind} tasks", path="kind")
    path = to / SUBMISSIONS
    done = {one.id for one in stored_submissions(to)}
    asked: list[tuple[ParallelTask | RealTask, int, str | None]] = [
        (task, 1, None) for task in tasks
    ]
    if trials is not None:
        asked = _of_player(trials, release, tasks, player)
    todo = [one for one in asked if f"{one[0].id}/{player}/{one[1]}" not in done]
    to.mkdir(parents=True, exist_ok=True)
    drop_torn_line(path)
    with path.open("a", encoding="utf-8") as out:
        for count, (task, repeat, token) in enumerate(todo):
            progress(f"{player} plays", count, len(todo))
            law, calls = _played(player, task, release, oracle, token)
            submission = read_submission(
                json.dumps({"expression": law}),
                task,
                release_id=release.manifest.id,
                player=player,
                repeat=repeat,
                calls=calls,
            ).model_copy(update={"release_digest": release.manifest.digest})
            out.write(submission.to_json() + "\n")
            out.flush()
    progress(f"{player} plays", len(todo), len(todo))
    return len(todo)


def _played(
    player: str,
    task: ParallelTask | RealTask,
    release: PublicRelease,
    oracle: OracleClient | None,
    token: str | None,
) -> tuple[str, Sequence[WorldCall]]:
    if oracle is None and (token is not None or isinstance(task, ParallelTask)):
        raise InputError("these tasks are asked at the Oracle", path="oracle", fix="give --oracle")
    session = oracle.open_trial(token) if oracle is not None and token is not None else None
    calls: Sequence[WorldCall] = ()
    if isinstance(task, RealTask):
        law = real_answer(player, task, release.observations[task.id])
    elif session is not None:
        law, calls = parallel_answer(player, task, ParallelClient(session.client, session.name))
    elif oracle is not None:
        trial = oracle.open_parallel(task.id, player)
        law, calls = parallel_answer(player, task, trial)
        session = trial.session
    else:
        raise InputError("Parallel tasks are asked", path="oracle", fix="give --oracle URL")
    if session is not None:
        session.hand_in({"expression": law})
    return law, calls


def _of_player(
    trials: Sequence[TrialToken],
    release: PublicRelease,
    tasks: Sequence[ParallelTask | RealTask],
    player: str,
) -> list[tuple[ParallelTask | RealTask, int, str | None]]:
    known = {task.id: task for task in tasks}
    found: list[tuple[ParallelTask | RealTask, int, str | None]] = [
        (known[one.task_id], one.repeat, one.token)
        for one in trials
        if one.task_id in known and one.player == player and one.release_id == release.manifest.id
    ]
    if not found:
        raise InputError(f"no trial of player {player!r} is among them", path="trials")
    return found


def stored_submissions(folder: Path) -> list[CalibratedSubmission]:
    """The whole submissions of a folder; a torn last line is none, and so is no file."""
    return [CalibratedSubmission.from_json(line) for line in whole_lines(folder / SUBMISSIONS)]


def submissions_file(path: Path) -> Path | None:
    """The file of submissions that a path means; None where it holds none."""
    if path.is_dir():
        return path / SUBMISSIONS if (path / SUBMISSIONS).is_file() else None
    if not path.is_file():
        return None
    # A spoilt line says nothing; the first one that reads does.
    said = (said_of(line) for _, line in numbered_lines(path))
    first = next((one for one in said if one), {})
    return path if {"task_id", "expression"} <= set(first) else None


def score_submissions(
    path: Path, release: Path, to: Path, progress: Progress = lambda _what, _done, _of: None
) -> Scored:
    """Score a file of submissions and write the scores, sorted by id.

    A line is a whole `CalibratedSubmission`, or an answer with `task_id`, `player` and, if it
    is not the first, `repeat`; of a Parallel task also the `calls` that were answered.

    Raises:
        PrerequisiteError: the release is a public-only copy, or goes by a version of a rule that
            another Lawsmith applies.
        IntegrityError: the keys of the release do not fit its tasks.
    """
    opened = read_release(release)
    if opened.sealed is None:
        raise PrerequisiteError(
            "scoring needs the sealed tree, and this copy is public only",
            path=str(release),
            fix="score where the whole release is",
        )
    rules_of(opened.public.manifest, "score")
    problems = {task.id: item for item in opened.sealed.problems for task in item.tasks}
    lines = list(numbered_lines(path))
    places = Places(path, {}, opened.public.manifest.collection)
    found = Scored()
    seen: set[str] = set()
    for count, (number, line) in enumerate(lines):
        progress("scoring", count, len(lines))
        try:
            submission = _read(line, opened)
            if submission.id in seen:
                raise LineError("repeated", f"{submission.id!r} was handed in before", field="id")
        except (InputError, IntegrityError) as error:
            places.leave_out(number, error, _said(line, opened.public))
            continue
        seen.add(submission.id)
        found.scores.append(score_of_submission(submission, problems[submission.task_id]))
    progress("scoring", len(lines), len(lines))
    found.scores.sort(key=lambda score: score.id)
    found.unscored = places.unscored
    write_calibrated_scores(found.scores, opened.public, to, found.unscored)
    return found


def write_calibrated_scores(
    scores: Sequence[CalibratedScore],
    public: PublicRelease,
    to: Path,
    unscored: Sequence[Unscored] = (),
) -> None:
    """Write scores with the ids of all tasks of the release, and what has no score."""
    to.mkdir(parents=True, exist_ok=True)
    text = "".join(score.to_json() + "\n" for score in scores)
    write_whole(to / SCORES, text)
    tasks = {
        "release_id": public.manifest.id,
        "collection": public.manifest.collection,
        "synthetic_sources": public.manifest.synthetic_sources,
        **{
            kind: [task.id for task in public.calibrated if task.kind == kind]
            for kind in ("parallel", "real")
        },
    }
    write_whole(to / TASKS, json.dumps(tasks, indent=1) + "\n")
    lines = "".join(one.model_dump_json() + "\n" for one in unscored if one.kind != "paired")
    write_whole(to / UNSCORED, lines)


def read_calibrated_scores(folder: Path) -> CalibratedScores | None:
    """The scores of a folder with the tasks they are over; None where there are none.

    Raises:
        IntegrityError: a file does not read.
    """
    if not (folder / SCORES).is_file():
        return None
    try:
        text = (folder / SCORES).read_text(encoding="utf-8")
        scores = [CalibratedScore.from_json(line) for line in text.split("\n") if line]
        data = strict_json((folder / TASKS).read_text(encoding="utf-8"))
        return CalibratedScores(
            release_id=str(data["release_id"]),
            collection=str(data["collection"]),
            synthetic_sources=bool(data["synthetic_sources"]),
            tasks={kind: tuple(data[kind]) for kind in ("parallel", "real")},
            scores=tuple(scores),
            unscored=tuple(_unscored(folder)),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IntegrityError(f"does not read: {error}", path=str(folder / SCORES)) from error


def _unscored(folder: Path) -> list[Unscored]:
    if not (folder / UNSCORED).is_file():
        return []
    lines = numbered_lines(folder / UNSCORED)
    return [Unscored.model_validate_json(line) for _, line in lines]


def _said(line: bytes, public: PublicRelease) -> dict[str, Any]:
    said = said_of(line)
    kinds = {task.id: task.kind for task in public.calibrated}
    said["kind"] = kinds.get(str(said.get("task_id")))
    return said


def _read(line: bytes, release: Release) -> CalibratedSubmission:
    """One line as a submission for a task of the release.

    Raises:
        InputError: it is none; the path is the field.
        ForgedError: it is of another release, or its id or digest is not that of its content.
    """
    try:
        text = line.decode("utf-8")
        data = strict_json(text)
    except ValueError as error:
        raise LineError("unreadable", f"no strict JSON: {error}", field="") from error
    if not isinstance(data, dict) or not isinstance(data.get("task_id"), str):
        raise InputError("no submission: there is no task_id", path="task_id")
    known: Mapping[str, ParallelTask | RealTask] = {t.id: t for t in release.public.calibrated}
    task = known.get(data["task_id"])
    if task is None:
        raise InputError(f"{data['task_id'][:80]!r} is no task of the release", path="task_id")
    manifest = release.public.manifest
    if "digest" not in data:
        return _answer(data, task, manifest.id)
    submission = _whole(text)
    for name, stated, true in (
        ("id", submission.id, f"{task.id}/{submission.player}/{submission.repeat}"),
        ("release_id", submission.release_id, manifest.id),
        ("release_digest", submission.release_digest or manifest.digest, manifest.digest),
    ):
        if stated != true:
            raise ForgedError(f"is {stated!r}, and should be {true!r}", path=name)
    return submission


def _whole(text: str) -> CalibratedSubmission:
    try:
        return CalibratedSubmission.from_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise LineError("unreadable", first["msg"], field=where) from error
    except ValueError as error:
        raise LineError("forged", str(error), field="digest") from error


def _answer(
    data: dict[str, Any], task: ParallelTask | RealTask, release_id: str
) -> CalibratedSubmission:
    rest = {k: v for k, v in data.items() if k not in ("task_id", "player", "repeat", "calls")}
    player, repeat = data.get("player"), data.get("repeat", 1)
    if not isinstance(player, str) or not isinstance(repeat, int):
        raise InputError("give player (text) and repeat (a whole number)", path="player")
    try:
        calls = [WorldCall.model_validate_json(json.dumps(call)) for call in data.get("calls", ())]
    except (ValidationError, TypeError) as error:
        raise InputError(f"are no answered calls: {str(error)[:200]}", path="calls") from error
    return read_submission(
        json.dumps(rest), task, release_id=release_id, player=player, repeat=repeat, calls=calls
    )


def score_of_submission(
    submission: CalibratedSubmission, item: CalibratedProblem
) -> CalibratedScore:
    """The score of a submission for a task of a problem.

    Raises:
        IntegrityError: the problem has no key of the task.
    """
    if item.real is not None and item.real.id == submission.task_id and item.real_key is not None:
        return score_submission(
            submission, item.real, item.real_key, observations=item.observations
        )
    if item.parallel is None or item.parallel_key is None:
        raise IntegrityError(f"{submission.task_id} has no key", path="sealed/parallel_keys.jsonl")
    return score_submission(submission, item.parallel, item.parallel_key, world=item.world)
