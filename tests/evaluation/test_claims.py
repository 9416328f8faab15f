"""What an episode says of itself is computed again: every claim that is changed is named."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lawsmith.evaluation.claims import ForgedError, check_claims
from lawsmith.evaluation.episodes import episode_id, episode_of, open_run
from lawsmith.evaluation.scoring import score_episode
from lawsmith.oracle.client import OracleClient, oracle_process
from lawsmith.release.bundle import read_release
from schemas.episode import (
    Action,
    Completion,
    Episode,
    Forecast,
    Hypothesis,
    Observation,
    Proposal,
    Protocol,
)
from schemas.task import PublicTask, SealedKey

NOW = "2026-11-30T00:00:00Z"
OTHER = "0" * 64


def hypotheses(*confidences: float) -> tuple[Hypothesis, ...]:
    return tuple(
        Hypothesis(label=label, statement=f"it is {label}", confidence=value)
        for label, value in zip("AB", confidences, strict=False)
    )


def experiment(stretch: float, confidence: float = 0.5) -> Action:
    return Action(
        hypotheses=hypotheses(confidence, 1 - confidence),
        proposal=Proposal(
            inputs={"stretch": stretch, "width": 0.05},
            readouts=("pull",),
            rationale="to tell them apart",
            forecasts=tuple(Forecast(hypothesis=one, readout="pull", value=1.0) for one in "AB"),
        ),
        completion=None,
    )


def final(predictor: Any = 1.0, confidence: float = 0.95) -> Action:
    return Action(
        hypotheses=hypotheses(confidence, 1 - confidence),
        proposal=None,
        completion=Completion(
            selected="A", predictor={"pull": predictor}, explanation="", applicability=""
        ),
    )


@pytest.fixture(scope="module")
def oracle(historical_release: Path) -> Iterator[OracleClient]:
    with oracle_process(historical_release) as client:
        yield client


@pytest.fixture(scope="module")
def target(historical_release: Path) -> tuple[PublicTask, SealedKey]:
    release = read_release(historical_release)
    assert release.sealed is not None
    task = release.public.tasks[0]
    return task, next(key for key in release.sealed.keys if key.id == task.id)


Played = Callable[..., Episode]


@pytest.fixture(scope="module")
def played(historical_release: Path, oracle: OracleClient) -> Played:
    public = read_release(historical_release).public

    def make(
        *actions: Action, protocol: Protocol = "adaptive", budget: int | None = None
    ) -> Episode:
        task = public.tasks[0]
        run = open_run(public, task, protocol, budget, lambda b: oracle.open(task.id, b))
        for action in actions:
            if run.end is None:
                run.submit(action)
        if run.end is None:
            run.give_up("nothing more to say")
        return episode_of(run, public, player="p", repeat=0, started_at=NOW, ended_at=NOW)

    return make


@pytest.fixture(scope="module")
def episodes(played: Played) -> dict[str, Episode]:
    """Honest episodes of every protocol and end."""
    bad = experiment(9.0)
    neither = Action(hypotheses=(), proposal=None, completion=None)
    return {
        "adaptive": played(experiment(0.2), bad, experiment(0.3), final()),
        "breaches": played(experiment(0.2, confidence=0.95), neither, final(confidence=0.5)),
        "capped": played(experiment(0.2), experiment(0.3), experiment(0.4), budget=2),
        "in time": played(experiment(0.2), experiment(0.3), final(), budget=2),
        "rejected": played(*[bad] * 20),
        "gave up": played(experiment(0.2)),
        "invalid": played(final({"var": "mass"})),
        "fixed": played(experiment(0.2), final(), protocol="fixed", budget=2),
        "prior-only": played(neither, final(), protocol="prior-only"),
    }


def test_honest_episodes_of_every_end_hold(
    episodes: dict[str, Episode], target: tuple[PublicTask, SealedKey], historical_release: Path
) -> None:
    task, key = target
    fixed = read_release(historical_release).public.fixed[task.id]
    ends = set()
    for episode in episodes.values():
        check_claims(episode, task, key, fixed=fixed)
        ends.add(episode.end)
    assert ends == {"completed", "capped", "no_answer", "invalid"}


def turned(episode: Episode, place: int, **changes: Any) -> dict[str, Any]:
    turns = list(episode.turns)
    turns[place] = turns[place].model_copy(update=changes)
    return {"turns": tuple(turns)}


def seen(value: float, stretch: float = 0.2) -> Observation:
    return Observation(inputs={"stretch": stretch, "width": 0.05}, outputs={"pull": value})


LIES: list[tuple[str, Callable[[Episode], dict[str, Any]], str]] = [
    ("adaptive", lambda e: {"release_digest": OTHER}, "release_digest"),
    ("adaptive", lambda e: {"accepted": 1}, "accepted"),
    ("adaptive", lambda e: {"rejected": 0}, "rejected"),
    ("breaches", lambda e: {"breaches": ()}, "breaches"),
    ("breaches", lambda e: {"breaches": e.breaches[:1]}, "breaches"),
    ("adaptive", lambda e: {"turns": ()}, "end"),
    ("adaptive", lambda e: {"turns": e.turns[:-1]}, "end"),
    ("adaptive", lambda e: {"turns": e.turns[1:]}, "accepted"),
    ("adaptive", lambda e: {"turns": (e.turns[-1], *e.turns)}, "turns/1"),
    ("adaptive", lambda e: turned(e, 0, observation=seen(1.0)), "turns/0/observation/outputs/pull"),
    ("adaptive", lambda e: turned(e, 0, observation=seen(1.0, 0.3)), "turns/0/observation/inputs"),
    ("adaptive", lambda e: turned(e, 0, observation=None), "turns/0/observation"),
    ("adaptive", lambda e: turned(e, 1, observation=seen(1.0, 9.0)), "turns/1/observation"),
    ("adaptive", lambda e: turned(e, 1, diagnostic="no"), "turns/1/diagnostic"),
    ("adaptive", lambda e: turned(e, 1, diagnostic=None), "turns/1/diagnostic"),
    ("adaptive", lambda e: turned(e, 3, diagnostic="no"), "turns/3/diagnostic"),
    ("adaptive", lambda e: turned(e, 3, observation=seen(1.0)), "turns/3/observation"),
    ("adaptive", lambda e: turned(e, 3, action=final(2.0)), "completion"),
    ("adaptive", lambda e: {"completion": None}, "completion"),
    ("adaptive", lambda e: {"end": "no_answer", "problem": "x"}, "end"),
    ("adaptive", lambda e: {"end": "infrastructure", "problem": "x"}, "end"),
    ("adaptive", lambda e: {"given": (seen(1.0),)}, "given"),
    ("capped", lambda e: {"end": "infrastructure"}, "end"),
    ("capped", lambda e: {"end": "no_answer"}, "end"),
    ("capped", lambda e: {"problem": None}, "problem"),
    (
        "in time",
        lambda e: {"budget": 1, "id": episode_id(e.task_id, "adaptive", 1, "p", 0)},
        "turns/1/observation",
    ),
    (
        "in time",
        lambda e: {"budget": 9999, "id": episode_id(e.task_id, "adaptive", 9999, "p", 0)},
        "budget",
    ),
    ("gave up", lambda e: {"end": "completed", "problem": None}, "end"),
    ("rejected", lambda e: {"end": "infrastructure"}, "end"),
    ("invalid", lambda e: {"end": "completed", "problem": None}, "end"),
    ("invalid", lambda e: {"end": "infrastructure"}, "end"),
    ("fixed", lambda e: {"given": e.given[:1]}, "given"),
    ("fixed", lambda e: {"given": (seen(1.0), e.given[1])}, "given/0"),
    ("fixed", lambda e: {"given": e.given[::-1]}, "given/0"),
    ("fixed", lambda e: turned(e, 0, observation=seen(1.0)), "turns/0/observation"),
    (
        "fixed",
        lambda e: {"budget": 3, "id": episode_id(e.task_id, "fixed", 3, "p", 0)},
        "budget",
    ),
    ("prior-only", lambda e: {"given": (seen(1.0),)}, "given"),
    ("prior-only", lambda e: turned(e, 0, observation=seen(1.0)), "turns/0/observation"),
]


@pytest.mark.parametrize("number", range(len(LIES)))
def test_every_lie_is_named_by_its_field_and_not_scored(
    episodes: dict[str, Episode],
    target: tuple[PublicTask, SealedKey],
    historical_release: Path,
    samples: ModuleType,
    number: int,
) -> None:
    kind, lie, field = LIES[number]
    task, key = target
    episode = episodes[kind]
    forged = samples.evolve(episode, **lie(episode))
    fixed = read_release(historical_release).public.fixed[task.id]
    with pytest.raises(ForgedError) as caught:
        score_episode(forged, task, key, fixed=fixed)
    assert caught.value.path == field


def test_without_the_fixed_rows_given_values_are_those_of_the_world(
    episodes: dict[str, Episode], target: tuple[PublicTask, SealedKey], samples: ModuleType
) -> None:
    task, key = target
    episode = episodes["fixed"]
    assert score_episode(episode, task, key).valid
    forged = samples.evolve(episode, given=(seen(1.0), episode.given[1]))
    with pytest.raises(ForgedError) as caught:
        score_episode(forged, task, key)
    assert caught.value.path == "given/0/outputs/pull"


def test_a_completion_alone_is_taken_where_nothing_could_be_asked(
    played: Played, target: tuple[PublicTask, SealedKey], samples: ModuleType
) -> None:
    task, key = target
    alone = samples.evolve(
        played(final(), protocol="prior-only"), turns=(), breaches=(), accepted=0, rejected=0
    )
    assert score_episode(alone, task, key).valid
    with pytest.raises(ForgedError, match="accepted"):
        score_episode(samples.evolve(alone, accepted=1), task, key)
