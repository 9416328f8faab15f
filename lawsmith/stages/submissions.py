"""Submissions of Parallel and Real tasks: files of them, players that make them, their scores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from lawsmith.evaluation.calibrated import read_submission, score_submission
from lawsmith.evaluation.calibrated_report import CalibratedScores
from lawsmith.evaluation.players.fitted import parallel_answer, real_answer
from lawsmith.gateways.whole_files import write_whole
from lawsmith.oracle.client import OracleClient
from lawsmith.release.bundle import PublicRelease, Release, read_release
from lawsmith.release.problems import CalibratedProblem
from lawsmith.rules import rules_of
from lawsmith.stages.context import Progress
from lawsmith.stages.json_lines import drop_torn_line, whole_lines
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import CalibratedSubmission, ParallelTask, RealTask, WorldCall
from schemas.record import strict_json

SUBMISSIONS: Final = "submissions.jsonl"
SCORES: Final = "calibrated_scores.jsonl"
TASKS: Final = "calibrated_tasks.json"
"""Ids of all tasks of the scored release by kind: a task without a submission counts as 0."""
Kind = Literal["parallel", "real"]


@dataclass
class Scored:
    """What became of a file of submissions."""

    scores: list[CalibratedScore] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Lines that are no submission, with the reason; their tasks count as unanswered."""


def play_calibrated(
    release: PublicRelease,
    *,
    kind: Kind,
    player: str,
    to: Path,
    oracle: OracleClient | None,
    limit: int | None = None,
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
    todo = [task for task in tasks if f"{task.id}/{player}/1" not in done]
    to.mkdir(parents=True, exist_ok=True)
    drop_torn_line(path)
    with path.open("a", encoding="utf-8") as out:
        for count, task in enumerate(todo):
            progress(f"{player} plays", count, len(todo))
            law, calls = _played(player, task, release, oracle)
            submission = read_submission(
                json.dumps({"expression": law}),
                task,
                release_id=release.manifest.id,
                player=player,
                calls=calls,
            )
            out.write(submission.to_json() + "\n")
            out.flush()
    progress(f"{player} plays", len(todo), len(todo))
    return len(todo)


def _played(
    player: str,
    task: ParallelTask | RealTask,
    release: PublicRelease,
    oracle: OracleClient | None,
) -> tuple[str, Sequence[WorldCall]]:
    if isinstance(task, RealTask):
        return real_answer(player, task, release.observations[task.id]), ()
    if oracle is None:
        raise InputError("Parallel tasks are asked", path="oracle", fix="give --oracle URL")
    return parallel_answer(player, task, oracle.open_parallel(task.id))


def stored_submissions(folder: Path) -> list[CalibratedSubmission]:
    """The whole submissions of a folder; a torn last line is none, and so is no file."""
    return [CalibratedSubmission.from_json(line) for line in whole_lines(folder / SUBMISSIONS)]


def submissions_file(path: Path) -> Path | None:
    """The file of submissions that a path means; None where it holds none."""
    if path.is_dir():
        return path / SUBMISSIONS if (path / SUBMISSIONS).is_file() else None
    if not path.is_file():
        return None
    first = next(iter(whole_lines(path)), "")
    try:
        data = strict_json(first)
    except ValueError:
        return None
    return path if isinstance(data, dict) and {"task_id", "expression"} <= set(data) else None


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
    text = path.read_bytes().decode("utf-8", "replace")
    lines = [line for line in text.split("\n") if line]
    found = Scored()
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        progress("scoring", number - 1, len(lines))
        try:
            submission = _read(line, opened)
            if submission.id in seen:
                raise InputError(f"{submission.id!r} was handed in before")
        except (InputError, ValueError) as error:
            found.unread.append(f"{path.name}:{number}: {error}")
            continue
        seen.add(submission.id)
        found.scores.append(_scored(submission, problems[submission.task_id]))
    progress("scoring", len(lines), len(lines))
    found.scores.sort(key=lambda score: score.id)
    write_scores(found.scores, opened.public, to)
    return found


def write_scores(scores: Sequence[CalibratedScore], public: PublicRelease, to: Path) -> None:
    """Write scores with the ids of all tasks of the release."""
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
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IntegrityError(f"does not read: {error}", path=str(folder / SCORES)) from error


def _read(line: str, release: Release) -> CalibratedSubmission:
    """One line as a submission for a task of the release.

    Raises:
        InputError: it is none, or of another release.
        ValueError: it is no strict JSON, or its digest does not fit.
    """
    data = strict_json(line)
    if not isinstance(data, dict) or not isinstance(data.get("task_id"), str):
        raise InputError("no submission: there is no task_id", path="task_id")
    known: Mapping[str, ParallelTask | RealTask] = {t.id: t for t in release.public.calibrated}
    task = known.get(data["task_id"])
    if task is None:
        raise InputError(f"{data['task_id'][:80]!r} is no task of the release", path="task_id")
    if "digest" in data:
        found = CalibratedSubmission.from_json(line)
        if found.release_id != release.public.manifest.id:
            raise InputError(f"was made for {found.release_id!r}", path="release_id")
        return found
    return _answer(data, task, release.public.manifest.id)


def _answer(
    data: dict[str, Any], task: ParallelTask | RealTask, release_id: str
) -> CalibratedSubmission:
    rest = {k: v for k, v in data.items() if k not in ("task_id", "player", "repeat", "calls")}
    player, repeat = data.get("player"), data.get("repeat", 1)
    if not isinstance(player, str) or not isinstance(repeat, int):
        raise InputError("give player (text) and repeat (a whole number)", path="player")
    calls = [WorldCall.model_validate_json(json.dumps(call)) for call in data.get("calls", ())]
    return read_submission(
        json.dumps(rest), task, release_id=release_id, player=player, repeat=repeat, calls=calls
    )


def _scored(submission: CalibratedSubmission, item: CalibratedProblem) -> CalibratedScore:
    if item.real is not None and item.real.id == submission.task_id and item.real_key is not None:
        return score_submission(
            submission, item.real, item.real_key, observations=item.observations
        )
    if item.parallel is None or item.parallel_key is None:
        raise IntegrityError(f"{submission.task_id} has no key", path="sealed/parallel_keys.jsonl")
    return score_submission(submission, item.parallel, item.parallel_key, world=item.world)
