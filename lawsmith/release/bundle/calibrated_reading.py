"""The tasks on real data of a release folder, read back into records."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lawsmith.calibration.problems import ProblemTable
from lawsmith.errors import IntegrityError, LawsmithError
from lawsmith.release.bundle.lines import bare, load_lines, without_canary
from lawsmith.release.problems import CalibratedProblem, pool_path, table_of_rows
from lawsmith.release.tables import TABLE_PATHS
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.problem import Problem
from schemas.world import CalibratedWorld

ValueT = TypeVar("ValueT")


def read_calibrated_public(release: Path) -> dict[str, Any]:
    """Parallel and Real tasks by id, and the observations of each Real task.

    A release without problems has none of these tables.

    Raises:
        IntegrityError: a file or row does not read; the path says which.
    """
    tasks: list[ParallelTask | RealTask] = [
        *_rows(release, "parallel", ParallelTask.from_json),
        *_rows(release, "real", RealTask.from_json),
    ]
    found: dict[str, list[RealObservation]] = defaultdict(list)
    for row in _rows(release, "real_observations", RealObservation.model_validate_json):
        found[row.task_id].append(row)
    return {
        "calibrated": tuple(sorted(tasks, key=lambda task: task.id)),
        "observations": {
            identity: tuple(sorted(rows, key=lambda row: row.index))
            for identity, rows in sorted(found.items())
        },
    }


def read_problems(
    release: Path,
    tasks: Sequence[ParallelTask | RealTask],
    observations: Mapping[str, tuple[RealObservation, ...]],
) -> tuple[CalibratedProblem, ...]:
    """The problems of the sealed tree, each with its tasks.

    Args:
        release: the folder.
        tasks: the Parallel and Real tasks of its public tree.
        observations: id of a Real task -> its public records.

    Raises:
        IntegrityError: a file or row does not read; the path says which.
    """
    problems = _rows(release, "problems", without_canary(Problem))
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(release, "problem_rows", bare):
        rows[str(row["problem_id"])].append(row)
    parallel_keys = {
        key.problem_id: key for key in _rows(release, "parallel_keys", ParallelKey.from_json)
    }
    real_keys = {key.problem_id: key for key in _rows(release, "real_keys", RealKey.from_json)}
    worlds = {
        world.problem_id: world
        for world in _rows(release, "calibrated_worlds", without_canary(CalibratedWorld))
    }
    scores = _rows(release, "baselines", without_canary(CalibratedScore))
    submissions = _rows(release, "baseline_submissions", without_canary(CalibratedSubmission))
    by_id = {task.id: task for task in tasks}
    found = []
    for problem in problems:
        parallel_key, real_key = parallel_keys.get(problem.id), real_keys.get(problem.id)
        parallel = by_id.get(parallel_key.id) if parallel_key else None
        real = by_id.get(real_key.id) if real_key else None
        own = {key.id for key in (parallel_key, real_key) if key is not None}
        world = worlds.get(problem.id)
        found.append(
            CalibratedProblem(
                problem=problem,
                table=_table(problem, rows[problem.id]),
                parallel=parallel if isinstance(parallel, ParallelTask) else None,
                parallel_key=parallel_key,
                world=world,
                pool=None if world is None else read_pool_bytes(release, world),
                real=real if isinstance(real, RealTask) else None,
                real_key=real_key,
                observations=observations.get(real_key.id, ()) if real_key else (),
                baselines=tuple(score for score in scores if score.task_id in own),
                submissions=tuple(one for one in submissions if one.task_id in own),
            )
        )
    return tuple(found)


def read_pool_bytes(release: Path, world: CalibratedWorld) -> bytes:
    """The bytes of the pool of a world.

    Raises:
        IntegrityError: the file is missing.
    """
    path = pool_path(world)
    try:
        return (release / path).read_bytes()
    except OSError as error:
        raise IntegrityError(f"does not read: {error.strerror}", path=path) from error


def _table(problem: Problem, rows: Sequence[Mapping[str, Any]]) -> ProblemTable:
    try:
        return table_of_rows(problem, rows)
    except (LawsmithError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"rows of {problem.id} do not read: {error}", path=TABLE_PATHS["problem_rows"]
        ) from error


def _rows(release: Path, table: str, parse: Callable[[str], ValueT]) -> tuple[ValueT, ...]:
    path = TABLE_PATHS[table]
    return load_lines(release, path, parse) if (release / path).is_file() else ()


__all__ = ("read_calibrated_public", "read_pool_bytes", "read_problems")
