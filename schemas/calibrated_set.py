"""What a problem came to under a collection's key: its tasks, world, sealed answers, baselines."""

from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.record import Record, Sha256
from schemas.world import CalibratedWorld


class CalibratedSet(Record):
    """Everything that a release holds of a problem beside its records. `id` is the problem's."""

    problem_digest: Sha256
    parallel: ParallelTask | None
    parallel_key: ParallelKey | None
    parallel_reason: str
    """Why there is no Parallel task; empty with one."""
    world: CalibratedWorld | None
    pool: str | None
    """The Parquet file of the world's pool, base64."""
    real: RealTask | None
    real_key: RealKey | None
    real_reason: str
    """Why there is no Real task; empty with one."""
    observations: tuple[RealObservation, ...]
    submissions: tuple[CalibratedSubmission, ...]
    """Of the baselines."""
    baselines: tuple[CalibratedScore, ...]

    @property
    def tasks(self) -> tuple[ParallelTask | RealTask, ...]:
        """The tasks that there are."""
        return tuple(task for task in (self.parallel, self.real) if task is not None)


__all__ = ("CalibratedSet",)
