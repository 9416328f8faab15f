"""Episodes: everything one player did on one task under one protocol."""

from typing import Any, ClassVar, Literal

from schemas.record import Identity, Instant, Part, Record, Sha256

Protocol = Literal["prior-only", "fixed", "adaptive"]
EpisodeEnd = Literal["completed", "no_answer", "invalid", "capped", "infrastructure"]
"""completed: an admissible predictor; no_answer, invalid, capped: determined failures;
infrastructure: undetermined."""


class Hypothesis(Part):
    """A scientific statement with the player's confidence in it."""

    label: str
    statement: str
    confidence: float


class Forecast(Part):
    """What one hypothesis expects of one readout at the proposed input."""

    hypothesis: str
    readout: str
    value: float


class Proposal(Part):
    """One experiment: one input vector and a non-empty set of readouts."""

    inputs: dict[str, float]
    readouts: tuple[str, ...]
    rationale: str
    forecasts: tuple[Forecast, ...]


class Completion(Part):
    """A final submission."""

    selected: str
    """Label of the selected hypothesis."""
    predictor: dict[str, Any]
    """Readout -> expression in wire form, as the player gave it."""
    explanation: str
    applicability: str


class Action(Part):
    """One move of a player: hypotheses, and either a proposal or a completion."""

    hypotheses: tuple[Hypothesis, ...]
    proposal: Proposal | None
    completion: Completion | None


class Observation(Part):
    """What the world returned for one input."""

    inputs: dict[str, float]
    outputs: dict[str, float]


class Turn(Part):
    """One action and the answer to it: observations or a diagnostic without data."""

    action: Action
    observation: Observation | None
    diagnostic: str | None


class Episode(Record):
    """One run of a player on one task. `id` is `<task>/<protocol>/<player>/<repeat>`."""

    not_content: ClassVar[frozenset[str]] = frozenset(
        {"started_at", "ended_at", "prompt_tokens", "completion_tokens", "cost_usd", "replayed"}
    )

    release_id: Identity
    release_digest: Sha256
    """Digest of the public manifest that was played."""
    task_id: Identity
    player: str
    protocol: Protocol
    budget: int | None
    """Observations allowed or given; null where the protocol sets none."""
    repeat: int
    given: tuple[Observation, ...]
    """Observations shown at the start (Fixed)."""
    turns: tuple[Turn, ...]
    end: EpisodeEnd
    problem: str | None
    """Why there is no admissible predictor; null when completed."""
    completion: Completion | None
    accepted: int
    rejected: int
    breaches: tuple[str, ...]
    """Protocol rules broken; any breach keeps S and fails ESR."""
    synthetic_sources: bool
    replayed: bool
    started_at: Instant
    ended_at: Instant
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
