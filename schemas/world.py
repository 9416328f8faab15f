"""Worlds: what the Oracle simulates.

A paired world is one environment of a family; a calibrated world is a law with the residuals
of real records. Neither holds a law.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.family import Environment
from schemas.record import Identity, Name, Part, Record, Sha256


class PairedWorld(Record):
    """One environment of a family. `id` is `<family>/<environment>`."""

    kind: Literal["paired"]
    family_id: Identity
    family_digest: Sha256
    environment: Environment
    relation_set_digest: Sha256
    resolutions: dict[str, float | None]
    """Readout name -> instrument step in its unit; null = unrounded."""


class WorldControl(Part):
    """An input that a player sets."""

    name: Name
    unit: str


class WorldReadout(Part):
    """What is measured, and the values that it can have at all."""

    name: Name
    unit: str
    low: float | None
    """Least possible value (a count, a fraction: 0); null: none."""
    high: float | None
    integer: bool
    """Whether only whole numbers are read."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"readout {self.name!r}: low {self.low!r} >= high {self.high!r}")
        for bound in (self.low, self.high):
            if self.integer and bound is not None and not bound.is_integer():
                raise ValueError(f"readout {self.name!r}: {bound!r} bounds whole numbers")
        return self


class WorldAxis(Part):
    """One control of one group: its support, and its part in distances."""

    control: Name
    low: float
    """Least and largest input of the group's records: the support."""
    high: float
    log: bool
    """Whether distances are taken between logarithms."""
    mean: float
    """Of the (log10 of the) inputs in the pool."""
    deviation: float = Field(gt=0)
    """Population standard deviation; 1 where the inputs do not vary."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"axis {self.control!r}: low {self.low!r} > high {self.high!r}")
        if self.log and self.low <= 0:
            raise ValueError(f"axis {self.control!r}: {self.low!r} on a logarithmic axis")
        return self


class WorldGroup(Part):
    """The noise of one group. Variances are in residual space."""

    label: str
    """`""` in a world without groups."""
    rows: int = Field(ge=1)
    """Records of the group that calibrate the world."""
    pool_rows: int = Field(ge=1)
    """Those of them in the pool: fewer in a thinned one."""
    lifted: int = Field(ge=0)
    """Those of the pool that the floor lifted."""
    axes: tuple[WorldAxis, ...] = Field(min_length=1)
    mean_neighbours: int = Field(ge=1)
    """Over how many records the local mean was taken."""
    sample_neighbours: int = Field(ge=1)
    """From how many records a residual is drawn; all of the pool below 8."""
    signal_variance: float = Field(gt=0)
    residual_variance: float = Field(ge=0)
    noise_factor: float = Field(gt=0, le=1)
    clipped_share: float = Field(ge=0, le=1)
    """Share of the pool's own values (law and residual at each record) that a bound clips."""


class DroppedGroup(Part):
    """A group with too few records."""

    label: str
    rows: int = Field(ge=0)


class QueryLimits(Part):
    """What one trial may ask."""

    calls: int = Field(ge=1)
    points_per_call: int = Field(ge=1)
    samples_per_point: int = Field(ge=1)
    rows: int = Field(ge=1)
    """The product: the budget, counted in returned rows."""

    @model_validator(mode="after")
    def _product(self) -> Self:
        product = self.calls * self.points_per_call * self.samples_per_point
        if self.rows != product:
            raise ValueError(f"rows {self.rows} is not the product {product}")
        return self


class PoolFile(Part):
    """The table of inputs and debiased residuals beside the world's record."""

    path: str
    """Relative to the folder of the record."""
    sha256: Sha256
    rows: int = Field(ge=1)


class CalibratedWorld(Record):
    """A queryable world calibrated on real records: everything but its law.

    `y = phi_inverse(phi(F(x)) + s*r)`, r one of the debiased residuals near x.
    """

    kind: Literal["calibrated"]
    policy: Literal["calibration-1"]
    """The rules of docs/calibration.md."""
    problem_id: Identity
    problem_digest: Sha256
    law_id: Identity
    """The sealed hidden law."""
    controls: tuple[WorldControl, ...] = Field(min_length=1)
    readout: WorldReadout
    grouped: bool
    """Whether a query names a group."""
    space: Literal["linear", "log10"]
    floor: float | None
    """What records were lifted to before the logarithm; null when linear."""
    target_r2: float = Field(gt=0, lt=1)
    calibration_rows: Literal["train", "all"]
    rows: int = Field(ge=1)
    """Records that calibrate the world, over all groups."""
    subset_seed: int | None
    """Seed of the thinning; null: no group has more records than its pool may hold."""
    groups: tuple[WorldGroup, ...] = Field(min_length=1)
    dropped: tuple[DroppedGroup, ...]
    limits: QueryLimits
    out_of_range: Literal["reject", "clip"]
    pool: PoolFile

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        names = tuple(control.name for control in self.controls)
        labels = [group.label for group in self.groups]
        if len(set(labels)) < len(labels) or (labels != [""]) != self.grouped:
            raise ValueError(f"groups {labels} with grouped {self.grouped}")
        for group in self.groups:
            if tuple(axis.control for axis in group.axes) != names:
                raise ValueError(f"group {group.label!r}: axes are not {names}")
        if sum(group.rows for group in self.groups) != self.rows:
            raise ValueError(f"the groups' rows do not add up to {self.rows}")
        if sum(group.pool_rows for group in self.groups) != self.pool.rows:
            raise ValueError(f"the groups' pools do not add up to {self.pool.rows}")
        thinned = any(group.pool_rows < group.rows for group in self.groups)
        if thinned != (self.subset_seed is not None):
            raise ValueError(f"subset_seed {self.subset_seed!r} with thinned {thinned}")
        if (self.space == "log10") != (self.floor is not None):
            raise ValueError(f"space {self.space!r} with floor {self.floor!r}")
        return self
