"""Episodes against a real Oracle process: every way in which one can end."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lawsmith.errors import InputError
from lawsmith.evaluation.episodes import Experimenter, NoAnswerError, play
from lawsmith.evaluation.players.baselines import BASELINES
from lawsmith.evaluation.views import PlayerView
from lawsmith.oracle.client import OracleClient, oracle_process
from lawsmith.release.bundle import PublicRelease, read_public
from schemas.episode import (
    Action,
    Completion,
    Episode,
    Forecast,
    Hypothesis,
    Proposal,
    Protocol,
    Turn,
)

NOW = "2026-11-30T00:00:00Z"
GOOD = {"stretch": 0.2, "width": 0.05}


@pytest.fixture(scope="module")
def oracle(historical_release: Path) -> Iterator[OracleClient]:
    with oracle_process(historical_release) as client:
        yield client


class Script:
    """A player that plays given actions, the last one for ever, and keeps what it was shown."""

    def __init__(self, *actions: Action) -> None:
        self.actions = actions
        self.seen: list[tuple[Turn, ...]] = []

    def act(self, view: PlayerView, turns: Sequence[Turn]) -> Action:
        self.seen.append(tuple(turns))
        return self.actions[min(len(self.seen), len(self.actions)) - 1]


def ask(inputs: dict[str, float] = GOOD, confidence: float = 0.5) -> Action:
    pair = (("A", confidence), ("B", 1 - confidence))
    return Action(
        hypotheses=tuple(
            Hypothesis(label=label, statement=f"statement {label}", confidence=value)
            for label, value in pair
        ),
        proposal=Proposal(
            inputs=inputs,
            readouts=("pull",),
            rationale="to tell A from B",
            forecasts=tuple(
                Forecast(hypothesis=label, readout="pull", value=1.0) for label, _ in pair
            ),
        ),
        completion=None,
    )


def finish(predictor: Any = None, confidence: float = 0.95) -> Action:
    return Action(
        hypotheses=(
            Hypothesis(label="A", statement="statement A", confidence=confidence),
            Hypothesis(label="B", statement="statement B", confidence=1 - confidence),
        ),
        proposal=None,
        completion=Completion(
            selected="A",
            predictor={"pull": 1.0} if predictor is None else predictor,
            explanation="because",
            applicability="everywhere",
        ),
    )


def run(
    release: Path,
    player: Callable[[PlayerView], Any],
    protocol: Protocol = "adaptive",
    budget: int | None = None,
    oracle: OracleClient | None = None,
    task: int = 0,
) -> Episode:
    public = read_public(release)
    chosen = public.tasks[task]

    def opened(allowed: int) -> Experimenter:
        assert oracle is not None
        return oracle.open(chosen.id, allowed)

    return play(
        public,
        chosen,
        player,
        player="script",
        protocol=protocol,
        budget=budget,
        repeat=0,
        oracle=opened if oracle is not None else None,
        clock=lambda: NOW,
    )


def test_an_adaptive_episode_experiments_and_completes(
    historical_release: Path, oracle: OracleClient
) -> None:
    script = Script(ask(), ask({"stretch": 9.0, "width": 0.05}), finish())
    episode = run(historical_release, lambda _: script, oracle=oracle)
    assert (episode.end, episode.accepted, episode.rejected) == ("completed", 1, 1)
    assert episode.breaches == ()
    first, second, last = episode.turns
    assert first.observation is not None
    assert set(first.observation.outputs) == {"pull"}
    assert second.observation is None
    assert "outside" in (second.diagnostic or "")
    assert last.action.completion == episode.completion
    assert [len(turns) for turns in script.seen] == [0, 1, 2]
    assert Episode.from_json(episode.to_json()) == episode


def test_reaching_the_cap_is_a_determined_failure(
    historical_release: Path, oracle: OracleClient
) -> None:
    episode = run(historical_release, lambda _: Script(ask()), budget=3, oracle=oracle)
    assert (episode.end, episode.accepted) == ("capped", 3)
    assert episode.completion is None
    in_time = run(
        historical_release, lambda _: Script(ask(), ask(), finish()), budget=2, oracle=oracle
    )
    assert (in_time.end, in_time.accepted) == ("completed", 2)


def test_twenty_rejections_in_a_row_end_the_episode(
    historical_release: Path, oracle: OracleClient
) -> None:
    episode = run(historical_release, lambda _: Script(ask({})), oracle=oracle)
    assert (episode.end, episode.accepted, episode.rejected) == ("no_answer", 0, 20)


def test_breaches_are_kept_and_do_not_end_the_episode(
    historical_release: Path, oracle: OracleClient
) -> None:
    script = Script(ask(confidence=0.95), finish(confidence=0.6))
    episode = run(historical_release, lambda _: script, oracle=oracle)
    assert (episode.end, episode.accepted) == ("completed", 1)
    assert [item.partition(":")[0] for item in episode.breaches] == ["threshold", "threshold"]


@pytest.mark.parametrize(
    ("predictor", "problem"),
    [
        ({}, "predictor/pull: is missing"),
        ({"pull": 1.0, "energy": 1.0}, "predictor/energy: is no readout"),
        ({"pull": {"var": "mass"}}, "predictor/pull: uses 'mass'"),
        ({"pull": {"var": "s"}}, "predictor/pull: uses 's'"),
        ({"pull": {"op": "evil", "args": []}}, "predictor/pull/op"),
        ({"pull": "2*stretch"}, "predictor/pull"),
        ({"pull": None}, "predictor/pull"),
    ],
)
def test_an_inadmissible_predictor_ends_as_invalid(
    historical_release: Path, predictor: Any, problem: str
) -> None:
    episode = run(historical_release, lambda _: Script(finish(predictor)), "prior-only")
    assert episode.end == "invalid"
    assert problem in (episode.problem or "")
    assert episode.completion is None
    assert episode.turns[0].action.completion is not None


@pytest.mark.parametrize("protocol", ["fixed", "prior-only"])
def test_other_protocols_take_no_experiments(historical_release: Path, protocol: Protocol) -> None:
    episode = run(historical_release, lambda _: Script(ask(), finish()), protocol)
    assert (episode.end, episode.accepted, episode.rejected) == ("completed", 0, 1)
    assert "no experiments" in (episode.turns[0].diagnostic or "")


def test_an_oracle_that_dies_is_an_infrastructure_fault(historical_release: Path) -> None:
    class Dying(Script):
        def act(self, view: PlayerView, turns: Sequence[Turn]) -> Action:
            if turns:
                stop()
            return super().act(view, turns)

    process = oracle_process(historical_release)
    client = process.__enter__()
    stopped: list[bool] = []

    def stop() -> None:
        if not stopped:
            stopped.append(True)
            process.__exit__(None, None, None)

    episode = run(historical_release, lambda _: Dying(ask()), oracle=client)
    assert (episode.end, episode.accepted) == ("infrastructure", 1)
    assert "Oracle" in (episode.problem or "")


def test_a_player_without_an_answer_fails_determined(historical_release: Path) -> None:
    class Silent:
        def act(self, view: PlayerView, turns: Sequence[Turn]) -> Action:
            raise NoAnswerError("nothing to say")

    episode = run(historical_release, lambda _: Silent(), "prior-only")
    assert (episode.end, episode.problem) == ("no_answer", "nothing to say")
    mean = run(historical_release, BASELINES["mean"], "prior-only")
    assert mean.end == "no_answer"


def test_the_adaptive_protocol_needs_an_oracle(historical_release: Path) -> None:
    with pytest.raises(InputError, match="needs an Oracle"):
        run(historical_release, lambda _: Script(finish()))


def test_every_episode_gets_a_new_player(historical_release: Path) -> None:
    made: list[PlayerView] = []

    def make(view: PlayerView) -> Script:
        made.append(view)
        return Script(finish())

    public: PublicRelease = read_public(historical_release)
    ids = {run(historical_release, make, "fixed", 4, task=i).id for i in range(len(public.tasks))}
    assert len(made) == len(ids) == 4


def test_baselines_play_fixed_and_end_the_same_every_time(historical_release: Path) -> None:
    for name, make in BASELINES.items():
        one, other = (run(historical_release, make, "fixed", 4) for _ in range(2))
        assert one.end == "completed", name
        assert one.to_json() == other.to_json()
        assert len(one.given) == 4
        assert one.breaches == ()
