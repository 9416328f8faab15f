"""A built problem -> its Parallel and Real task, their sealed keys, rows, world and baselines."""

from dataclasses import dataclass

from lawsmith.calibration import parallel_submissions, real_submissions, score_parallel, score_real
from lawsmith.calibration.hidden_laws import BuiltProblem
from lawsmith.calibration.worlds import Pool
from lawsmith.errors import InputError
from lawsmith.keyed_draws import generator
from lawsmith.release.calibrated_parallel import parallel_task
from lawsmith.release.calibrated_parts import NoTaskError
from lawsmith.release.calibrated_real import real_task
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.source import Collection
from schemas.world import CalibratedWorld


@dataclass(frozen=True, eq=False)
class CalibratedTasks:
    """What one problem puts into a release."""

    parallel: ParallelTask | None
    parallel_key: ParallelKey | None
    parallel_reason: str
    """Why there is no Parallel task; empty with one."""
    real: RealTask | None
    real_key: RealKey | None
    real_reason: str
    """Why there is no Real task; empty with one."""
    observations: tuple[RealObservation, ...]
    world: CalibratedWorld | None
    pool: Pool | None
    submissions: tuple[CalibratedSubmission, ...]
    """Of the baselines, in the order of their scores."""
    baselines: tuple[CalibratedScore, ...]


def calibrated_tasks(built: BuiltProblem, key: bytes, collection: Collection) -> CalibratedTasks:
    """The Parallel and the Real task of a problem, as far as it has them.

    Args:
        built: the problem.
        key: the collection key.
        collection: whose key it is.

    Raises:
        InputError: the built problem is of another collection, or its background text names
            what it may not.
    """
    if built.collection != collection:
        raise InputError(f"built for {built.collection!r}, not {collection!r}", path="collection")
    submissions: list[CalibratedSubmission] = []
    baselines: list[CalibratedScore] = []
    parallel, parallel_key, parallel_reason = None, None, ""
    try:
        world, parallel, parallel_key = parallel_task(built, key)
        draws = generator(key, "design", parallel.id)
        for entry in parallel_submissions(built, world, parallel, draws).values():
            submissions.append(entry)
            baselines.append(score_parallel(entry, parallel, parallel_key, world.world))
    except NoTaskError as finding:
        parallel_reason = str(finding)
    real, real_key, real_reason = None, None, ""
    observations: tuple[RealObservation, ...] = ()
    try:
        real, real_key, observations = real_task(built, key)
        for entry in real_submissions(built, real, real_key.reference).values():
            submissions.append(entry)
            baselines.append(score_real(entry, real, real_key, observations))
    except NoTaskError as finding:
        real_reason = str(finding)
    return CalibratedTasks(
        parallel=parallel,
        parallel_key=parallel_key,
        parallel_reason=parallel_reason,
        real=real,
        real_key=real_key,
        real_reason=real_reason,
        observations=observations,
        world=None if parallel is None or built.built is None else built.built.world,
        pool=None if parallel is None or built.built is None else built.built.pool,
        submissions=tuple(submissions),
        baselines=tuple(baselines),
    )


__all__ = ("CalibratedTasks", "calibrated_tasks")
