"""What an episode says of itself, held against its own turns and the sealed world.

Everything that turns, task and world determine is computed again: budget, what was given, what
was observed, rejections, breaches, how it ended, the final answer. What cannot be computed again
(tokens, cost, replayed replies, times, an infrastructure fault) stays what the player states.
"""

from collections.abc import Sequence
from typing import Any, Final

from lawsmith.errors import InputError, IntegrityError, UndefinedValueError
from lawsmith.evaluation.predictors import read_predictor
from lawsmith.evaluation.protocols import breaches_of
from lawsmith.evaluation.views import PlayerView, effective_budget, observation_of, player_view
from lawsmith.oracle import MOST_REJECTED, NO_EXPERIMENTS, NO_MOVE, Simulator, check_proposal
from lawsmith.release import release_digest_of
from schemas.episode import Action, Completion, Episode, EpisodeEnd, Observation, Turn
from schemas.task import FixedObservation, PublicTask, SealedKey

UNFINISHED: Final[frozenset[EpisodeEnd]] = frozenset({"no_answer", "infrastructure"})
"""Ends that a player may state where its turns end nothing."""


class ForgedError(IntegrityError):
    """A record says of itself what its turns, its release or the world contradict.

    `path` is the field.
    """


def check_claims(
    episode: Episode,
    task: PublicTask,
    key: SealedKey,
    *,
    release_digest: str | None = None,
    fixed: Sequence[FixedObservation] | None = None,
) -> None:
    """Hold every claim of an episode against what determines it.

    Args:
        episode: what was played.
        task: its public task.
        key: its sealed key.
        release_digest: of the public manifest that it is scored against; None = that of the
            release the task was read from, if it was.
        fixed: the public observations of the task; None = given observations are held against
            the world alone.

    Raises:
        ForgedError: a claim does not hold; the path is the field.
    """
    digest = release_digest or release_digest_of(task)
    if digest is not None:
        _same("release_digest", episode.release_digest, digest)
    view = _view(episode, task)
    world = world_of(task, key)
    _check_given(episode, task, world, fixed)
    if not episode.turns and episode.protocol != "adaptive" and episode.completion is not None:
        _check_alone(episode, task)
        return
    recount = Recount(task, view, world)
    for place, turn in enumerate(episode.turns):
        recount.take(turn, f"turns/{place}")
    _check_counts(episode, recount)


def world_of(task: PublicTask, key: SealedKey) -> Simulator:
    """The world that a sealed key determines."""
    return Simulator(
        laws={law.readout: law.expression for law in key.laws},
        resolutions={readout.name: readout.resolution for readout in task.readouts},
    )


class Recount:
    """Goes through the turns of an episode and counts anew."""

    def __init__(self, task: PublicTask, view: PlayerView, world: Simulator) -> None:
        self._task, self._view, self._world = task, view, world
        self.accepted = self.rejected = 0
        self.breaches: list[str] = []
        self.completion: Completion | None = None
        self.end: EpisodeEnd | None = None
        self._in_a_row = 0

    def take(self, turn: Turn, path: str) -> None:
        """The next turn.

        Raises:
            ForgedError: it cannot have happened so.
        """
        if self.end is not None:
            raise ForgedError(f"follows on the end of the episode ({self.end})", path=path)
        action = turn.action
        self.breaches += breaches_of(self._view, action)
        if action.completion is not None:
            _same(f"{path}/observation", turn.observation, None)
            _same(f"{path}/diagnostic", turn.diagnostic, None)
            self._complete(action.completion)
        elif turn.observation is not None:
            self.observe(action, turn.observation, path)
        else:
            self.reject(self._why(action, path), turn.diagnostic, path)

    def observe(self, action: Action, seen: Observation, path: str) -> None:
        """An answered proposal: it must have been admissible and within the budget.

        Raises:
            ForgedError: the world, the task or the budget say otherwise.
        """
        proposal = action.proposal
        problem = self._refusal(action)
        if proposal is None or problem is not None:
            raise ForgedError(
                f"the Oracle answers this with {problem!r}, not with data",
                path=f"{path}/observation",
            )
        _same(f"{path}/observation/inputs", seen.inputs, proposal.inputs)
        _check_outputs(self._world, seen, proposal.readouts, f"{path}/observation/outputs")
        self.accepted += 1
        self._in_a_row = 0

    def reject(self, expected: str | None, stated: str | None, path: str) -> None:
        """A rejection.

        Args:
            expected: the diagnostic that the Oracle gives; None = any.
            stated: the diagnostic of the record.
            path: of the turn.

        Raises:
            ForgedError: the diagnostic is another, or there is none.
        """
        if stated is None or (expected is not None and stated != expected):
            raise ForgedError(
                f"is {stated!r}; the Oracle says {expected!r}", path=f"{path}/diagnostic"
            )
        self.rejected += 1
        self._in_a_row += 1
        if self._in_a_row >= MOST_REJECTED:
            self.end = "no_answer"
        elif self._spent:
            self.end = "capped"

    @property
    def _spent(self) -> bool:
        budget = self._view.budget
        return self._view.protocol == "adaptive" and budget is not None and self.accepted >= budget

    def _complete(self, completion: Completion) -> None:
        self.completion = completion
        try:
            read_predictor(completion.predictor, self._task.controls, self._task.readouts)
        except InputError:
            self.end = "invalid"
        else:
            self.end = "completed"

    def _refusal(self, action: Action) -> str | None:
        """What the Oracle says to a proposal in place of data; None where it answers."""
        if action.proposal is None:
            return NO_MOVE
        if self._view.protocol != "adaptive":
            return NO_EXPERIMENTS
        if self._spent:
            return "the session has ended (capped)"
        return check_proposal(self._task, action.proposal.inputs, action.proposal.readouts)

    def _why(self, action: Action, path: str) -> str | None:
        """The diagnostic of a rejected action.

        Raises:
            ForgedError: the Oracle would have answered it.
        """
        problem = self._refusal(action)
        if action.proposal is None and self._spent:
            return None
        if problem is None and action.proposal is not None:
            try:
                self._world.observe(action.proposal.inputs, action.proposal.readouts)
            except UndefinedValueError:
                return None
            raise ForgedError("the Oracle answers this proposal", path=f"{path}/observation")
        return problem


def _view(episode: Episode, task: PublicTask) -> PlayerView:
    """The rules of the episode; a view without observations.

    Raises:
        ForgedError: the protocol has no such budget.
    """
    try:
        _same("budget", episode.budget, effective_budget(task, episode.protocol, episode.budget))
    except InputError as error:
        raise ForgedError(error.problem, path="budget") from error
    view = player_view(task, "adaptive" if episode.protocol == "adaptive" else "prior-only")
    return view.model_copy(update={"protocol": episode.protocol, "budget": episode.budget})


def _check_given(
    episode: Episode,
    task: PublicTask,
    world: Simulator,
    fixed: Sequence[FixedObservation] | None,
) -> None:
    if episode.protocol != "fixed":
        _same("given", episode.given, ())
        return
    if fixed is not None and episode.budget is not None:
        rows = sorted(fixed, key=lambda row: row.index)[: episode.budget]
        shown = tuple(observation_of(task, row) for row in rows)
        if len(episode.given) != len(shown):
            raise ForgedError(
                f"holds {len(episode.given)} observations; the release gives {len(shown)}",
                path="given",
            )
        for place, (stated, true) in enumerate(zip(episode.given, shown, strict=True)):
            _same(f"given/{place}", stated, true)
        return
    readouts = [readout.name for readout in task.readouts]
    for place, stated in enumerate(episode.given):
        problem = check_proposal(task, stated.inputs, readouts)
        if problem is not None:
            raise ForgedError(problem, path=f"given/{place}/inputs")
        _check_outputs(world, stated, readouts, f"given/{place}/outputs")


def _check_outputs(world: Simulator, seen: Observation, readouts: Sequence[str], path: str) -> None:
    try:
        true = world.observe(seen.inputs, readouts)
    except UndefinedValueError as error:
        # The engine's own words may hold the law's value.
        raise ForgedError("the world has no value there", path=path) from error
    if seen.outputs != true:
        wrong = sorted(set(seen.outputs) ^ set(true)) or sorted(
            name for name in true if seen.outputs[name] != true[name]
        )
        raise ForgedError("is not what the world returns", path=f"{path}/{wrong[0]}")


def _check_alone(episode: Episode, task: PublicTask) -> None:
    """A completion without turns, where no experiment could have been made."""
    alone = Recount(task, _view(episode, task), Simulator({}, {}))
    if episode.completion is not None:
        alone._complete(episode.completion)
    _check_counts(episode, alone)


def _check_counts(episode: Episode, recount: Recount) -> None:
    if recount.end is None and episode.end not in UNFINISHED:
        raise ForgedError(f"is {episode.end!r}, and no turn ends the episode so", path="end")
    if recount.end is not None:
        _same("end", episode.end, recount.end)
    admissible = recount.completion if recount.end == "completed" else None
    if episode.completion != admissible:
        raise ForgedError("is not what the last turn hands in", path="completion")
    for field, true in (
        ("accepted", recount.accepted),
        ("rejected", recount.rejected),
        ("breaches", tuple(dict.fromkeys(recount.breaches))),
    ):
        _same(field, getattr(episode, field), true)
    if (episode.problem is None) != (episode.end == "completed"):
        raise ForgedError(f"is {episode.problem!r} with end {episode.end!r}", path="problem")


def _same(field: str, stated: Any, true: Any) -> None:
    if stated != true:
        raise ForgedError(f"is {str(stated)[:80]!r}, and should be {str(true)[:80]!r}", path=field)


__all__ = ("ForgedError", "Recount", "check_claims", "world_of")
