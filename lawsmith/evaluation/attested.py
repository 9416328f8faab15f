"""Episodes and submissions made from the Oracle's log alone.

The chain of hashes says that no line was changed since it was written; every answer is held
against the sealed world all the same.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lawsmith.errors import InputError, IntegrityError, UndefinedValueError
from lawsmith.evaluation.calibrated import read_submission
from lawsmith.evaluation.claims import ForgedError, Recount, world_of
from lawsmith.evaluation.episodes import episode_id
from lawsmith.evaluation.views import player_view
from lawsmith.oracle import ParallelWorld, noise_of, read_log, read_world
from lawsmith.release.bundle import PublicRelease
from schemas.calibrated_task import CalibratedSubmission, WorldCall
from schemas.episode import Action, Episode, EpisodeEnd, Observation, Turn
from schemas.oracle_log import (
    Answered,
    Closed,
    Completed,
    HandedIn,
    Issued,
    LogLine,
    Measured,
    Opened,
    Rejected,
    Started,
)
from schemas.score import Attestation
from schemas.task import SealedKey
from schemas.trial import IssuedTrial

NO_ACTION = Action(hypotheses=(), proposal=None, completion=None)
"""Stands in a turn that was rejected: the log keeps an excerpt of it."""


@dataclass
class LoggedTrial:
    """All that the log holds of one trial, each event with its line."""

    issued: IssuedTrial
    line: int
    opened: Opened | None = None
    opened_at: str = ""
    events: list[tuple[int, str, str, Any]] = field(default_factory=list)
    """Line, instant, nonce in force, and the event."""

    @property
    def attestation(self) -> Attestation:
        """A token that was given on request does not say who the player is."""
        return "attested" if self.issued.by == "holder" else "self_reported"


def read_trials(log: Path, public: PublicRelease) -> list[LoggedTrial]:
    """The trials of a log in the order in which they were issued.

    Raises:
        IntegrityError: the chain is broken, a line does not fit those before it, or the log is
            of another release.
    """
    found: dict[str, LoggedTrial] = {}
    nonce = ""
    events, _, _ = read_log(log)
    for number, line in events:
        event = line.event
        where = f"{log}:{number}"
        if isinstance(event, Started):
            nonce = event.nonce
            if event.release_digest != public.manifest.digest:
                raise IntegrityError(
                    f"was kept of {event.release_id} with the digest"
                    f" {event.release_digest[:12]}..., not of this release",
                    path=f"{where}/release_digest",
                    fix="score it against the release that was served",
                )
        elif isinstance(event, Issued):
            if event.trial.trial in found:
                raise IntegrityError("issues a trial again", path=f"{where}/trial")
            found[event.trial.trial] = LoggedTrial(event.trial, number)
        elif event.trial not in found:
            raise IntegrityError("is of a trial that was not issued", path=f"{where}/trial")
        else:
            _take(found[event.trial], number, line, nonce)
    return list(found.values())


def _take(trial: LoggedTrial, number: int, line: LogLine, nonce: str) -> None:
    event = line.event
    if isinstance(event, Opened):
        if trial.opened is None:
            trial.opened, trial.opened_at = event, line.at
        return
    trial.events.append((number, line.at, nonce, event))


def episode_of_trial(trial: LoggedTrial, public: PublicRelease, key: SealedKey) -> Episode:
    """The episode of an opened trial of a paired task, its answers held against the world.

    A trial that was opened and never completed is an episode without an answer.

    Raises:
        ForgedError: an answer is not the world's, or comes where there can be none; the path
            is `<line>/<field>`.
    """
    issued, opened = trial.issued, trial.opened
    if opened is None or opened.protocol is None:
        raise ForgedError("a paired task was opened without a protocol", path=str(trial.line))
    task = public.task(issued.task_id)
    try:
        fixed = public.fixed.get(task.id, ())
        view = player_view(task, opened.protocol, opened.budget, fixed)
    except InputError as error:
        raise ForgedError(error.problem, path=f"{trial.line}/budget") from error
    recount = Recount(task, view, world_of(task, key))
    turns: list[Turn] = []
    breaches: list[str] = []
    end: EpisodeEnd = "no_answer"
    problem: str | None = "the trial was opened and never completed"
    at = trial.opened_at
    for number, at, _, event in trial.events:  # noqa: B007 - the last instant is when it ended
        if isinstance(event, Rejected):
            turn = Turn(action=NO_ACTION, observation=None, diagnostic=event.diagnostic)
            _open_still(recount, number)
            recount.reject(None, event.diagnostic, str(number))
            breaches += event.breaches
        elif isinstance(event, Answered):
            seen = Observation(
                inputs=event.action.proposal.inputs if event.action.proposal else {},
                outputs=event.outputs,
            )
            turn = Turn(action=event.action, observation=seen, diagnostic=None)
            recount.take(turn, str(number))
        elif isinstance(event, Completed):
            turn = Turn(action=event.action, observation=None, diagnostic=None)
            recount.take(turn, str(number))
        elif isinstance(event, Closed):
            problem = "the player gave the trial up"
            continue
        else:
            continue
        turns.append(turn)
    if recount.end is not None:
        end = recount.end
        problem = None if end == "completed" else f"{end}, as the log has it"
    return Episode(
        id=episode_id(task.id, opened.protocol, view.budget, issued.player, issued.repeat),
        release_id=public.manifest.id,
        release_digest=public.manifest.digest,
        task_id=task.id,
        player=issued.player,
        protocol=opened.protocol,
        budget=view.budget,
        repeat=issued.repeat,
        given=view.observations,
        turns=tuple(turns),
        end=end,
        problem=problem,
        completion=recount.completion if end == "completed" else None,
        accepted=recount.accepted,
        rejected=recount.rejected,
        breaches=tuple(dict.fromkeys([*recount.breaches, *breaches])),
        synthetic_sources=public.manifest.synthetic_sources,
        replayed=False,
        started_at=trial.opened_at,
        ended_at=at,
        prompt_tokens=0,
        completion_tokens=0,
        cost_usd=None,
    )


def submission_of_trial(
    trial: LoggedTrial, public: PublicRelease, worlds: Mapping[str, ParallelWorld]
) -> CalibratedSubmission | None:
    """What was handed in for a Parallel or Real task; None where nothing was.

    Args:
        trial: an opened trial.
        public: the public tree.
        worlds: of the Parallel tasks, to hold readings against.

    Raises:
        ForgedError: a reading is not the world's; the path is `<line>/<field>`.
        InputError: what was handed in is no answer; the path is its field.
    """
    issued, opened = trial.issued, trial.opened
    task = public.calibrated_task(issued.task_id)
    calls: list[WorldCall] = []
    answer: dict[str, Any] | None = None
    for number, _, nonce, event in trial.events:
        if isinstance(event, Measured) and opened is not None:
            _check_call(worlds[task.id], nonce, opened.number, len(calls) + 1, event.call, number)
            calls.append(event.call)
        elif isinstance(event, HandedIn):
            answer = event.answer
    if answer is None:
        return None
    return read_submission(
        json.dumps(answer),
        task,
        release_id=public.manifest.id,
        player=issued.player,
        repeat=issued.repeat,
        calls=calls,
    )


def _check_call(
    world: ParallelWorld, nonce: str, number: int, call: int, stated: WorldCall, line: int
) -> None:
    """Readings are those of the world with the noise of their call."""
    if (stated.session, stated.call) != (number, call):
        raise ForgedError(
            f"is call {stated.call} of trial {stated.session}, not {call} of {number}",
            path=f"{line}/call",
        )
    rows = stated.rows[:: stated.samples]
    points = np.array([row.inputs for row in rows], dtype=np.float64)
    noise = noise_of(world, nonce, number, call)
    try:
        true = read_world(world, points, rows[0].group, stated.samples, noise)
    except (UndefinedValueError, KeyError) as error:
        raise ForgedError("the world has no reading there", path=f"{line}/call/rows") from error
    for place, (one, other) in enumerate(zip(stated.rows, true, strict=False)):
        if (one.inputs, one.output, one.saturated) != (other.inputs, other.output, other.saturated):
            raise ForgedError("is not what the world reads", path=f"{line}/call/rows/{place}")
    if len(stated.rows) != len(true):
        raise ForgedError(
            f"holds {len(stated.rows)} readings, not {len(true)}", path=f"{line}/call/rows"
        )


def _open_still(recount: Recount, line: int) -> None:
    if recount.end is not None:
        raise ForgedError(f"follows on the end of the episode ({recount.end})", path=str(line))


__all__ = ("LoggedTrial", "episode_of_trial", "read_trials", "submission_of_trial")
