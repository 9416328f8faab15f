"""Tasks of a problem: Parallel (a queryable calibrated world) and Real (fixed records).

As with paired tasks, what the public sees and what stays sealed are different types. Laws of
submissions are expressions over the controls and named constants: no submitted code runs.
"""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from schemas.expression import ExpressionField, names_of
from schemas.problem import MetricName
from schemas.record import Identity, Name, Part, Record, Sha256
from schemas.source import Collection
from schemas.validity import Probe

ParallelOutOfRange = Literal["reject", "clip"]
"""What a query outside the support meets: a refusal that costs nothing (default), or the
nearest point of the support, each clipped coordinate flagged (sources/001)."""

SplitName = Literal[
    "interpolation", "range_extrapolation", "temporal", "cross_condition", "unseen_group"
]


class CalibratedControl(Part):
    """An input of a calibrated task and the range its rows span."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    low: float
    high: float
    logarithmic: bool
    """A positive range of more than one decade."""


class CalibratedReadout(Part):
    """The one readout of a calibrated task."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    natural_low: float | None
    natural_high: float | None
    integer: bool


class ConstantCaps(Part):
    """How many constants a submission may hold."""

    shared: int = Field(ge=0)
    """Numbers of the expression and shared constants together; 0, 1, 2 and 1/2 of either sign,
    whole exponents up to 9, pi and e are no constants."""
    local: int = Field(ge=0)
    """Constants fitted anew in each group; 0 in a task of one group."""


class QueryBudget(Part):
    """What a player may ask of a calibrated world (sources/001, appendix A)."""

    calls: int = Field(ge=1)
    points_per_call: int = Field(ge=1)
    """max(10, floor(0.1 n)), n the training rows."""
    samples_per_point: int = Field(ge=1)
    refused_calls: int = Field(ge=0)
    """Calls that break a rule cost nothing; after so many of them the trial ends."""

    @property
    def rows(self) -> int:
        """Observations at most."""
        return self.calls * self.points_per_call * self.samples_per_point


class CalibratedTask(Record):
    """What Parallel and Real tasks share. `id` is keyed and leads nowhere."""

    collection: Collection
    background: str
    controls: tuple[CalibratedControl, ...] = Field(min_length=1)
    readout: CalibratedReadout
    groups: tuple[Name, ...]
    """Public labels `g1`, `g2`, …; empty in a task of one group."""
    residual_space: Literal["linear", "log10"]
    """Where noise adds and the scorer fits local constants."""
    floor: float | None
    """What measured values are lifted to before the log10; null when linear."""
    caps: ConstantCaps
    max_nodes: int = Field(ge=1)
    """Nodes of a submitted expression at most."""
    world: str
    """One sentence: the case defines the world."""
    canary: str

    @model_validator(mode="after")
    def _floor_with_log(self) -> Self:
        if (self.residual_space == "log10") != (self.floor is not None):
            raise ValueError(f"space {self.residual_space!r} with floor {self.floor!r}")
        return self

    @model_validator(mode="after")
    def _local_constants_need_groups(self) -> Self:
        if self.caps.local and not self.groups:
            raise ValueError(f"{self.caps.local} local constants and no groups")
        return self


class ParallelTask(CalibratedTask):
    """A hidden law with calibrated noise behind the Oracle; it starts without observations."""

    kind: Literal["parallel"]
    budget: QueryBudget
    out_of_range: ParallelOutOfRange


class RealTask(CalibratedTask):
    """Real records with held-out rows."""

    kind: Literal["real"]
    split: SplitName
    """What the held-out rows ask of a law."""
    metric: MetricName
    training_rows: int = Field(ge=1)
    fit_rows: int = Field(ge=0)
    """Rows of unseen groups from which local constants are fitted."""
    test_rows: int = Field(ge=1)
    test_groups: tuple[Name, ...]


class RealObservation(Part):
    """One public record of a Real task."""

    task_id: Identity
    part: Literal["train", "fit"]
    index: int
    group: Name | None
    inputs: tuple[float, ...]
    output: float
    canary: str


class GroupConstants(Part):
    """Values of all constants of a law in one group."""

    group: str | None
    """Label of the table; null in a table without groups."""
    values: dict[Name, float]


class HiddenEdit(Part):
    """One typed change from the base law to the hidden law."""

    move: str
    path: str
    """JSON Pointer into the base law's expression."""
    before: ExpressionField
    after: ExpressionField
    introduced: tuple[Name, ...]
    """Constants that only the hidden law has."""


class WorldCertificate(Part):
    """One screened property of a hidden law, with the figures it was judged by."""

    name: Literal[
        "dimensions", "adequacy", "integrity", "novelty", "visibility", "solvability", "noise"
    ]
    passed: bool
    sentence: str
    figures: dict[str, float]


class RefusedLaw(Part):
    """A candidate that was screened out, and why."""

    expression: str
    """Infix."""
    moves: tuple[str, ...]
    failed: str
    sentence: str


class ParallelKey(Record):
    """The answer to one Parallel task. `id` is the task's."""

    problem_id: Identity
    problem_digest: Sha256
    world_id: Identity
    world_digest: Sha256
    public_digest: Sha256
    base_law: str
    base: ExpressionField
    """The published form that the hidden law grew from."""
    law: ExpressionField
    """Over the controls and the constants named below."""
    shared: tuple[Name, ...]
    """The same in every group, the fixed ones included."""
    fixed: tuple[Name, ...]
    """Those of them that scale or convert: another form need not have them as constants."""
    local: tuple[Name, ...]
    constants: tuple[GroupConstants, ...] = Field(min_length=1)
    edits: tuple[HiddenEdit, ...] = Field(min_length=1)
    group_labels: dict[str, str]
    """Public label -> label of the table."""
    certificates: tuple[WorldCertificate, ...]
    refused: tuple[RefusedLaw, ...]
    canary: str

    @model_validator(mode="after")
    def _constants_named(self) -> Self:
        named = {*self.shared, *self.local}
        if not set(self.fixed) <= set(self.shared):
            raise ValueError(f"fixed {self.fixed!r} are not all shared")
        if named - names_of(self.law):
            raise ValueError(f"the law does not use {sorted(named - names_of(self.law))}")
        for group in self.constants:
            if set(group.values) != named:
                raise ValueError(f"group {group.group!r} has other constants than {sorted(named)}")
        return self


class HeldOutRow(Part):
    """One sealed record of a Real task."""

    group: Name | None
    inputs: tuple[float, ...]
    output: float


class Anchor(Part):
    """What one published law reaches on the held-out rows."""

    law_id: Name
    metric: float | None
    """Null where a value is undefined."""
    by_group: dict[Name, float | None]


class RealProbe(Part):
    """One validity item, as it is executed."""

    item: Name
    statement: str
    probe: Probe


class RealKey(Record):
    """The held-out rows and anchors of one Real task. `id` is the task's."""

    problem_id: Identity
    problem_digest: Sha256
    public_digest: Sha256
    held_out: tuple[HeldOutRow, ...] = Field(min_length=1)
    anchors: tuple[Anchor, ...] = Field(min_length=1)
    reference: Name
    """The anchor with the best metric: S_N = 0.5."""
    probes: tuple[RealProbe, ...]
    group_labels: dict[str, str]
    canary: str


class LocalConstant(Part):
    """A constant that the scorer fits anew in each group."""

    name: Name
    starts: tuple[float, ...] = Field(min_length=1, max_length=8)
    low: float | None
    high: float | None


class WorldReading(Part):
    """One measurement of a calibrated world, as the Oracle returned it."""

    inputs: tuple[float, ...]
    """Where it was taken, in the order of the task's controls."""
    group: Name | None
    output: float
    saturated: bool
    """A bound of the readout replaced the value."""
    clipped: tuple[Name, ...]
    """Controls that were moved to the nearest end of their support."""


class WorldCall(Part):
    """One answered call of a trial."""

    session: int = Field(ge=1)
    """Number of the Oracle's trial; with `call` it decides the noise."""
    call: int = Field(ge=1)
    samples: int = Field(ge=1)
    rows: tuple[WorldReading, ...] = Field(min_length=1)


class CalibratedSubmission(Record):
    """What a player hands in for a Parallel or Real task. `id` is `<task>/<player>/<repeat>`."""

    not_content: ClassVar[frozenset[str]] = frozenset({"release_digest"})

    task_id: Identity
    release_id: Identity | None
    """Null: a baseline, made before its release had a name."""
    release_digest: Sha256 | None
    """Of the public manifest that was played; null where the player states none."""
    player: str
    repeat: int
    expression: ExpressionField
    shared: dict[Name, float]
    """Values of the named constants that hold in all groups."""
    local: tuple[LocalConstant, ...]
    calls: tuple[WorldCall, ...]
    """What was asked of the world; empty in a Real task."""
    explanation: str


__all__ = (
    "Anchor",
    "CalibratedControl",
    "CalibratedReadout",
    "CalibratedSubmission",
    "CalibratedTask",
    "ConstantCaps",
    "GroupConstants",
    "HeldOutRow",
    "HiddenEdit",
    "LocalConstant",
    "ParallelKey",
    "ParallelOutOfRange",
    "ParallelTask",
    "QueryBudget",
    "RealKey",
    "RealObservation",
    "RealProbe",
    "RealTask",
    "RefusedLaw",
    "SplitName",
    "WorldCall",
    "WorldCertificate",
    "WorldReading",
)
