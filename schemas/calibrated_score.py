"""Scores of Parallel and Real tasks; never averaged with those of paired tasks."""

from typing import ClassVar, Literal

from schemas.record import Identity, Name, Part, Record, Sha256
from schemas.score import Attestation

StructureLevel = Literal["none", "variables", "base", "most_edits", "full"]
"""S_S = 0, 0.25, 0.5, 0.75, 1 (science.md, section 6)."""


class ProbeVerdict(Part):
    """Whether a submission passed one validity item."""

    item: Name
    passed: bool | None
    """Null where the probe could not be taken (counts as failed)."""
    reason: str


class GroupMetric(Part):
    """The metric of a submission in one group beside that of the reference."""

    group: Name
    metric: float | None
    reference: float | None
    score: float | None
    """Null where the group is left out of the mean."""
    reason: str


class CalibratedScore(Record):
    """The score of one submission or baseline. `id` is the submission's."""

    not_content: ClassVar[frozenset[str]] = frozenset({"attestation"})

    submission_digest: Sha256
    release_id: Identity | None
    """Null: a baseline, scored before its release had a name."""
    task_id: Identity
    problem_id: Identity
    kind: Literal["parallel", "real"]
    player: str
    repeat: int
    determined: bool
    valid: bool
    """An admissible law was submitted."""
    numeric: float | None
    """S_N of a Real task, 0..1."""
    validity: float | None
    """S_V of a Real task: the share of items passed, 0 behind a broken constant discipline."""
    structure: float | None
    """S_S of a Parallel task: 0, 0.25, 0.5, 0.75 or 1."""
    level: StructureLevel | None
    metric: float | None
    groups: tuple[GroupMetric, ...]
    probes: tuple[ProbeVerdict, ...]
    disciplined: bool | None
    """The constants stay within the caps."""
    reason: str
    scorer_version: str
    attestation: Attestation = "self_reported"


__all__ = ("CalibratedScore", "GroupMetric", "ProbeVerdict", "StructureLevel")
