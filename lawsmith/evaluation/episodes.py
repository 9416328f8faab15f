"""One episode: a player, a view, an Oracle, and a record of everything that happened.

`EpisodeRun` is the machine; `play` drives it with a player in this process. A conversation
with a model drives the same machine reply by reply: the Oracle is deterministic, so a run
made again from the same replies gives the same turns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lawsmith.errors import InputError
from lawsmith.evaluation.predictors import read_predictor
from lawsmith.evaluation.protocols import breaches_of
from lawsmith.evaluation.views import PlayerView, player_view
from lawsmith.oracle import MOST_REJECTED, NO_EXPERIMENTS, NO_MOVE, Answer, OracleFaultError
from lawsmith.release.bundle import PublicRelease
from schemas.episode import (
    Action,
    Completion,
    Episode,
    EpisodeEnd,
    Observation,
    Turn,
)
from schemas.episode import Protocol as ProtocolName
from schemas.task import PublicTask


class NoAnswerError(InputError):
    """The player gives no (usable) action; the episode ends as `no_answer`."""


class Player(Protocol):
    """Turns a view and the turns so far into the next action."""

    def act(self, view: PlayerView, turns: Sequence[Turn]) -> Action:
        """The next action.

        Raises:
            NoAnswerError: there is none.
        """
        ...


class Experimenter(Protocol):
    """Anything that answers experiments and takes the final answer: a session of the Oracle."""

    def act(self, action: Action) -> Answer:
        """The answer to an action that is no completion.

        Raises:
            OracleFaultError: no answer came.
        """
        ...

    def complete(self, action: Action) -> None:
        """Take the completion of an action.

        Raises:
            OracleFaultError: it was not taken.
        """
        ...


@dataclass(frozen=True)
class Usage:
    """What a model player has used so far."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    replayed: bool = False


@dataclass
class EpisodeRun:
    """The state of one episode of one task; it never holds another task."""

    view: PlayerView
    task: PublicTask
    oracle: Experimenter | None
    """What every action goes to; None where the protocol takes no experiments and no trial is
    kept."""
    turns: list[Turn] = field(default_factory=list)
    end: EpisodeEnd | None = None
    problem: str | None = None
    completion: Completion | None = None
    accepted: int = 0
    rejected: int = 0
    breaches: list[str] = field(default_factory=list)
    _in_a_row: int = 0

    def submit(self, action: Action) -> None:
        """Takes one action: an experiment is answered, a completion ends the episode.

        Raises:
            InputError: the episode has ended.
        """
        if self.end is not None:
            raise InputError(f"the episode has ended ({self.end})")
        self.breaches += breaches_of(self.view, action)
        if action.completion is not None:
            self._complete(action, action.completion)
        else:
            self._experiment(action)

    def give_up(self, problem: str) -> None:
        """Ends the episode without an answer: a determined failure."""
        self._finish("no_answer", problem)

    def break_off(self, problem: str) -> None:
        """Ends the episode by an infrastructure fault: undetermined."""
        self._finish("infrastructure", problem)

    def _complete(self, action: Action, completion: Completion) -> None:
        if self.oracle is not None:
            try:
                self.oracle.complete(action)
            except OracleFaultError as error:
                self.break_off(str(error))
                return
        self.turns.append(Turn(action=action, observation=None, diagnostic=None))
        self.completion = completion
        try:
            read_predictor(completion.predictor, self.task.controls, self.task.readouts)
        except InputError as error:
            self._finish("invalid", str(error))
        else:
            self._finish("completed", None)

    def _experiment(self, action: Action) -> None:
        if self.oracle is None:
            self._reject(action, NO_MOVE if action.proposal is None else NO_EXPERIMENTS)
            return
        try:
            answer = self.oracle.act(action)
        except OracleFaultError as error:
            self.break_off(str(error))
            return
        if action.proposal is None or not answer.accepted:
            self._reject(action, answer.diagnostic or "rejected")
            if answer.ended == "capped" and self.end is None:
                self._finish("capped", f"cap of {self.accepted} reached without a completion")
            return
        self._in_a_row = 0
        self.accepted += 1
        seen = Observation(inputs=dict(action.proposal.inputs), outputs=answer.outputs)
        self.turns.append(Turn(action=action, observation=seen, diagnostic=None))

    def _reject(self, action: Action, diagnostic: str) -> None:
        self.rejected += 1
        self._in_a_row += 1
        self.turns.append(Turn(action=action, observation=None, diagnostic=diagnostic))
        if self._in_a_row >= MOST_REJECTED:
            self._finish("no_answer", f"{MOST_REJECTED} rejected proposals in a row")

    def _finish(self, end: EpisodeEnd, problem: str | None) -> None:
        self.end = end
        self.problem = problem


def play(
    release: PublicRelease,
    task: PublicTask,
    make_player: Callable[[PlayerView], Player],
    *,
    player: str,
    protocol: ProtocolName,
    budget: int | None,
    repeat: int,
    oracle: Callable[[int], Experimenter] | None,
    clock: Callable[[], str],
    trial: Callable[[PlayerView], Experimenter] | None = None,
) -> Episode:
    """Plays one episode to its end.

    Args:
        release: the public tree; sealed/ is never opened here.
        task: one of its tasks.
        make_player: a new player for this episode, so that none remembers another task.
        player: the player's name, as it stands in reports.
        protocol: the protocol.
        budget: as `player_view` takes it.
        repeat: which repetition, from 0.
        oracle: opens a session with a budget; needed by the adaptive protocol alone.
        clock: the present instant as `2026-10-05T00:00:00Z`.
        trial: opens the trial that keeps the episode, under any protocol; in place of `oracle`.

    Raises:
        InputError: the budget does not fit the protocol, or an Oracle is missing.
    """
    started = clock()
    run = open_run(release, task, protocol, budget, oracle, trial)
    chosen = make_player(run.view)
    while run.end is None:
        try:
            action = chosen.act(run.view, tuple(run.turns))
        except NoAnswerError as error:
            run.give_up(str(error))
        else:
            run.submit(action)
    return episode_of(
        run, release, player=player, repeat=repeat, started_at=started, ended_at=clock()
    )


def open_run(
    release: PublicRelease,
    task: PublicTask,
    protocol: ProtocolName,
    budget: int | None,
    oracle: Callable[[int], Experimenter] | None,
    trial: Callable[[PlayerView], Experimenter] | None = None,
) -> EpisodeRun:
    """A new run of one task; with a trial, or under the adaptive protocol, over the Oracle.

    Raises:
        InputError: the budget does not fit the protocol, or an Oracle is missing.
    """
    view = player_view(task, protocol, budget, release.fixed.get(task.id, ()))
    session: Experimenter | None = None
    if trial is not None:
        session = trial(view)
    elif protocol == "adaptive":
        if oracle is None or view.budget is None:
            raise InputError(
                "the adaptive protocol needs an Oracle",
                path="oracle",
                fix="start one with `lawsmith oracle serve RELEASE` and give its address",
            )
        session = oracle(view.budget)
    return EpisodeRun(view=view, task=task, oracle=session)


def episode_of(
    run: EpisodeRun,
    release: PublicRelease,
    *,
    player: str,
    repeat: int,
    started_at: str,
    ended_at: str,
    usage: Usage | None = None,
) -> Episode:
    """The record of a run that has ended.

    Raises:
        InputError: it has not.
    """
    if run.end is None:
        raise InputError("the episode has not ended")
    used = usage or Usage()
    view = run.view
    return Episode(
        id=episode_id(run.task.id, view.protocol, view.budget, player, repeat),
        release_id=release.manifest.id,
        release_digest=release.manifest.digest,
        task_id=run.task.id,
        player=player,
        protocol=view.protocol,
        budget=view.budget,
        repeat=repeat,
        given=view.observations,
        turns=tuple(run.turns),
        end=run.end,
        problem=run.problem,
        completion=run.completion if run.end == "completed" else None,
        accepted=run.accepted,
        rejected=run.rejected,
        breaches=tuple(dict.fromkeys(run.breaches)),
        synthetic_sources=release.manifest.synthetic_sources,
        replayed=used.replayed,
        started_at=started_at,
        ended_at=ended_at,
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        cost_usd=used.cost_usd,
    )


def episode_id(
    task_id: str, protocol: ProtocolName, budget: int | None, player: str, repeat: int
) -> str:
    """`<task>/<protocol>[-<budget>]/<player>/<repeat>`; Fixed at two budgets is two episodes."""
    played = protocol if budget is None else f"{protocol}-{budget}"
    return f"{task_id}/{played}/{player}/{repeat}"


__all__ = (
    "EpisodeRun",
    "Experimenter",
    "NoAnswerError",
    "Player",
    "Usage",
    "episode_id",
    "episode_of",
    "open_run",
    "play",
)
