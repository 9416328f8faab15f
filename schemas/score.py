"""Scores of episodes. Undetermined is a value of its own, never a zero."""

from typing import ClassVar, Literal

from schemas.family import Environment
from schemas.record import Identity, Part, Record, Sha256
from schemas.task import Setting, TaskKind

FailureMode = Literal[
    "no_usable_answer",
    "symbolically_not_recovered",
    "parameter_error",
    "evidence_misreading",
    "explanation_mismatch",
    "incorrect_relation",
]


Attestation = Literal["attested", "self_reported"]
"""attested: of a holder's token, made from the Oracle's log; self_reported: anything else."""

UnscoredOutcome = Literal["forged", "unreadable", "repeated", "missing"]
"""forged: it contradicts itself or the release; unreadable: no record; repeated: the same try
stands in an earlier line; missing: a token that was never used."""


class Unscored(Part):
    """A line, or a trial, that has no score; it costs itself alone."""

    outcome: UnscoredOutcome
    place: str
    """`file:line`."""
    field: str
    """Where in the record; empty where it is none."""
    problem: str
    kind: Literal["paired", "parallel", "real"] | None
    """These and the next are null where the line does not say, or says what cannot be."""
    task_id: str | None
    collection: str | None
    setting: Setting | None
    environment: Environment | None
    player: str | None
    protocol: str | None
    budget: int | None
    repeat: int | None
    attestation: Attestation


class TaskCount(Part):
    """How many tasks of one setting and environment the scored release has."""

    collection: str
    setting: Setting
    environment: Environment
    tasks: int


class ReadoutScore(Part):
    """Normalised errors of one readout on the hidden inputs."""

    readout: str
    mean_error: float
    max_error: float


class EpisodeScore(Record):
    """The scores of one episode. `id` is the episode's."""

    schema_version: ClassVar[int] = 2
    not_content: ClassVar[frozenset[str]] = frozenset({"attestation"})

    episode_digest: Sha256
    release_id: Identity
    task_id: Identity
    family_id: Identity
    kind: TaskKind
    collection: str
    setting: Setting
    environment: Environment
    player: str
    protocol: str
    budget: int | None
    repeat: int
    determined: bool
    """False only for infrastructure faults and undecided equivalence."""
    valid: bool
    """An admissible predictor was submitted."""
    prediction: float | None
    """S = 1/(1 + mean e) (SciGame, eq. 2); null without an admissible predictor."""
    readouts: tuple[ReadoutScore, ...]
    protocol_kept: bool
    weak: bool
    form: bool | None
    """The law but for the values of constants, and within tolerance all over the domain; null
    where that is undecided."""
    strict: bool | None
    """The law itself, but for the rounding of constants; null where that is undecided."""
    strict_attainable: bool
    """The task's law can be written exactly from short numbers."""
    failure: FailureMode | None
    """Null on success and where undetermined."""
    reason: str
    scorer_version: str
    synthetic_sources: bool
    replayed: bool | None
    """As the player states; null where it states nothing, as in the Oracle's log."""
    attestation: Attestation = "self_reported"
