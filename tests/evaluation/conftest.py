"""The worlds of the bundled Historical cards, and scores of laws against them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lawsmith.evaluation.scoring import score_episode
from lawsmith.expressions import parse_infix
from lawsmith.keyed_draws import parse_key
from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.pairing import forge_family
from lawsmith.release.tasks import make_tasks
from schemas.episode import Completion, Episode, Observation
from schemas.expression import Expression, to_wire
from schemas.family import Environment, Family
from schemas.score import EpisodeScore
from schemas.task import FixedObservation, PublicTask, SealedKey

ROOT = Path(__file__).resolve().parents[2]
NOW = "2026-11-30T00:00:00Z"


@dataclass(frozen=True)
class World:
    """One Discovery task with its key and all of its Fixed observations."""

    family: Family
    task: PublicTask
    key: SealedKey
    fixed: tuple[FixedObservation, ...]

    @property
    def name(self) -> str:
        """Family and environment."""
        return self.key.world_id

    def law(self, readout: str) -> Expression:
        """The sealed law of a readout."""
        return next(law.expression for law in self.key.laws if law.readout == readout)

    def score(self, laws: dict[str, Expression] | dict[str, str], given: int = 0) -> EpisodeScore:
        """The score of a predictor after the first Fixed observations."""
        trees = {n: parse_infix(law) if isinstance(law, str) else law for n, law in laws.items()}
        return score_episode(self.episode(trees, given), self.task, self.key)

    def episode(self, laws: dict[str, Expression], given: int) -> Episode:
        """An episode that ended with these laws."""
        names = [control.name for control in self.task.controls]
        readouts = [readout.name for readout in self.task.readouts]
        return Episode(
            id=f"{self.task.id}/fixed/test/0",
            release_id="historical-1.0.0-dev",
            release_digest="ab" * 32,
            task_id=self.task.id,
            player="test",
            protocol="fixed" if given else "prior-only",
            budget=given or None,
            repeat=0,
            given=tuple(
                Observation(
                    inputs=dict(zip(names, row.inputs, strict=True)),
                    outputs=dict(zip(readouts, row.outputs, strict=True)),
                )
                for row in self.fixed[:given]
            ),
            turns=(),
            end="completed",
            problem=None,
            completion=Completion(
                selected="H",
                predictor={name: to_wire(law) for name, law in laws.items()},
                explanation="",
                applicability="",
            ),
            accepted=0,
            rejected=0,
            breaches=(),
            synthetic_sources=False,
            replayed=False,
            started_at=NOW,
            ended_at=NOW,
            prompt_tokens=0,
            completion_tokens=0,
            cost_usd=0.0,
        )


def worlds_of_family(family: Family, key: bytes) -> list[World]:
    """The two Discovery worlds of a family."""
    made = make_tasks(family, key, "historical-dev")
    tasks = {task.id: task for task in made.public}
    return [
        World(family, tasks[k.id], k, tuple(row for row in made.fixed if row.task_id == k.id))
        for k in made.sealed
        if k.setting == "discovery"
    ]


@pytest.fixture(scope="session")
def historical_worlds() -> dict[tuple[str, Environment], World]:
    """(card, environment) -> world, of every bundled Historical card under the dev key."""
    key = parse_key((ROOT / "data/keys/historical-dev").read_text(encoding="ascii"))
    cards = map(load_historical, sorted((ROOT / "data/historical").glob("*.json")))
    every = [world for card in cards for world in worlds_of_family(forge_family(card, key), key)]
    return {(world.family.card_id, world.key.environment): world for world in every}


@pytest.fixture(scope="session")
def worlds_of() -> Callable[[Family, bytes], list[World]]:
    """For tests that make worlds of their own."""
    return worlds_of_family
