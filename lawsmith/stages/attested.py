"""Scores made from the Oracle's log alone."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lawsmith.errors import InputError, IntegrityError
from lawsmith.evaluation import (
    SCORERS,
    ForgedError,
    LoggedTrial,
    episode_of_trial,
    read_trials,
    submission_of_trial,
)
from lawsmith.oracle import LOG, is_log, load_parallel
from lawsmith.release.bundle import PublicRelease, SealedRelease
from lawsmith.rules import rules_of
from lawsmith.runs import Progress
from lawsmith.stages.playing import opened_release, write_scores
from lawsmith.stages.scored_lines import LineError, Places, task_counts, write_beside
from lawsmith.stages.submissions import score_of_submission, write_calibrated_scores
from schemas.calibrated_score import CalibratedScore
from schemas.score import EpisodeScore, Unscored


@dataclass
class ScoredLog:
    """What became of the trials of a log."""

    scores: list[EpisodeScore] = field(default_factory=list)
    calibrated: list[CalibratedScore] = field(default_factory=list)
    unscored: list[Unscored] = field(default_factory=list)


def log_file(path: Path) -> Path | None:
    """The log that a path means: the file, or the Oracle's folder; None where it is none."""
    file = path / LOG if path.is_dir() else path
    return file if is_log(file) else None


def score_log(
    log: Path, release: Path, to: Path, progress: Progress = lambda _what, _done, _of: None
) -> ScoredLog:
    """Score every trial of a log: attested where the holder handed its token out.

    A trial that was opened and never completed counts as one without an answer; one that was
    never opened is missing, and named in `unscored.jsonl`.

    Raises:
        IntegrityError: the log is broken, or of another release.
        PrerequisiteError: the release is a public-only copy, or goes by a version of a rule that
            another Lawsmith applies.
    """
    public, sealed = opened_release(release)
    trials = read_trials(log, public)
    score_turns = SCORERS[rules_of(public.manifest, "score")["score"]]
    keys = {key.id: key for key in sealed.keys}
    worlds = load_parallel(release)
    problems = {task.id: item for item in sealed.problems for task in item.tasks}
    places = Places(log, keys, public.manifest.collection)
    found = ScoredLog()
    for count, trial in enumerate(trials):
        progress("scoring", count, len(trials))
        issued = trial.issued
        try:
            if issued.task_id not in public.task_ids:
                raise ForgedError("is no task of this release", path=f"{trial.line}/task_id")
            if trial.opened is None:
                raise LineError("missing", "the trial was never opened", field="")
            if issued.kind == "paired":
                key = keys[issued.task_id]
                episode = episode_of_trial(trial, public, key)
                score = score_turns(episode, public.task(issued.task_id), key)
                attested = {"attestation": trial.attestation, "replayed": None}
                found.scores.append(score.model_copy(update=attested))
            else:
                submission = submission_of_trial(trial, public, worlds)
                if submission is None:
                    raise LineError("missing", "opened, and nothing was handed in", field="")
                made = score_of_submission(submission, problems[issued.task_id])
                found.calibrated.append(made.model_copy(update={"attestation": trial.attestation}))
        except IntegrityError as error:
            # A forged line is named itself; else the line that issued the trial.
            line, _, rest = error.path.partition("/")
            number = int(line) if line.isdigit() else trial.line
            fault = ForgedError(error.problem, path=rest if line.isdigit() else error.path)
            places.leave_out(number, fault, _said(trial), trial.attestation)
        except InputError as error:
            places.leave_out(trial.line, error, _said(trial), trial.attestation)
    progress("scoring", len(trials), len(trials))
    found.scores.sort(key=lambda score: score.id)
    found.calibrated.sort(key=lambda score: score.id)
    found.unscored = places.unscored
    _write(found, public, sealed, to)
    return found


def _write(found: ScoredLog, public: PublicRelease, sealed: SealedRelease, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    write_scores(found.scores, to)
    write_beside(to, task_counts(sealed.keys, public.manifest.collection), found.unscored)
    if found.calibrated or any(one.kind != "paired" for one in found.unscored):
        write_calibrated_scores(found.calibrated, public, to, found.unscored)


def _said(trial: LoggedTrial) -> dict[str, Any]:
    said = trial.issued.model_dump(mode="json")
    if trial.opened is not None:
        said |= {"protocol": trial.opened.protocol, "budget": trial.opened.budget}
    return said


__all__ = ("ScoredLog", "log_file", "score_log")
