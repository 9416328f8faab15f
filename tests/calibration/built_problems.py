"""Problems, built once a process: what the tests of calibrated tasks are made of."""

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lawsmith.calibration.building import BuiltProblem, build_problem
from lawsmith.calibration.pools import pool_bytes, world_file
from lawsmith.gateways.datasets import LoadedProblem, load_problem
from lawsmith.release.calibrated import CalibratedTasks, calibrated_tasks
from schemas.calibrated_task import CalibratedSubmission, ParallelTask, RealTask

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(range(32))
SINGLE, GROUPED = "brain_body", "puromycin"
"""One table in logarithms; two groups, of which one is too small for the world."""


@cache
def loaded(problem_id: str) -> LoadedProblem:
    return load_problem(ROOT / "data", problem_id)


@cache
def built(problem_id: str) -> BuiltProblem:
    found = loaded(problem_id)
    return build_problem(found.problem, found.table, KEY, "historical-dev")


@cache
def tasks(problem_id: str) -> CalibratedTasks:
    return calibrated_tasks(built(problem_id), KEY, "historical-dev")


def real_of(found: CalibratedTasks) -> RealTask:
    assert found.real is not None, found.real_reason
    return found.real


def parallel_of(found: CalibratedTasks) -> ParallelTask:
    assert found.parallel is not None, found.parallel_reason
    return found.parallel


def baseline(found: CalibratedTasks, task_id: str, name: str) -> CalibratedSubmission:
    return next(
        entry
        for entry in found.submissions
        if entry.task_id == task_id and entry.player == f"baseline:{name}"
    )


def with_worlds(release: Path, target: Path, problems: Sequence[str]) -> Path:
    """A copy of a release folder in which the Parallel tasks of some problems stand as well."""
    shutil.copytree(release, target)
    for folder in (target, target / "public", target / "sealed"):
        folder.chmod(0o755)
    (target / "sealed" / "worlds").mkdir()
    (target / "sealed" / "collection.key").chmod(0o644)
    (target / "sealed" / "collection.key").write_text(KEY.hex() + "\n", encoding="ascii")
    lines: dict[str, list[str]] = {"public/parallel": [], "sealed/parallel_keys": []}
    lines["sealed/calibrated_worlds"] = []
    for problem_id in problems:
        found = tasks(problem_id)
        assert found.parallel is not None
        assert found.parallel_key is not None
        assert found.world is not None
        assert found.pool is not None
        lines["public/parallel"].append(found.parallel.to_json())
        lines["sealed/parallel_keys"].append(found.parallel_key.to_json())
        lines["sealed/calibrated_worlds"].append(found.world.to_json())
        names = [control.name for control in found.world.controls]
        world_file(target, found.world).write_bytes(pool_bytes(found.pool, names))
    for name, rows in lines.items():
        (target / f"{name}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return target
