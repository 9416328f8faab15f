"""Checks of stored problems, calibrated worlds and their tasks, over the rows as they lie there."""

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from lawsmith.calibration.fitting import admission_of
from lawsmith.calibration.worlds import read_pool
from lawsmith.errors import LawsmithError
from lawsmith.gateways.datasets import load_problem
from lawsmith.gateways.store import Row, read_partition
from lawsmith.runs import Looked, StageContext
from lawsmith.stages.calibrated_worlds import PARTITION, calibrated_sets
from lawsmith.stages.problems import PARTITION as PROBLEM_PARTITION
from schemas.calibrated_set import CalibratedSet
from schemas.calibrated_task import ParallelKey, ParallelTask, RealKey, RealTask
from schemas.problem import Problem
from schemas.release import Fault
from schemas.world import CalibratedWorld

Parser = Callable[[str], ParallelTask | RealTask | ParallelKey | RealKey]
CALIBRATED_KINDS: Final[Mapping[str, tuple[Parser, Parser]]] = {
    "parallel": (ParallelTask.from_json, ParallelKey.from_json),
    "real": (RealTask.from_json, RealKey.from_json),
}
"""Kind of a task on real data -> how its row and its key are read."""

TRUE_FORM: Final = "baseline:oracle-form"


def problems(context: StageContext) -> Looked:
    """Every admitted problem still has the table it was admitted with, and passes every rule."""
    faults, looked = list[Fault](), 0
    for row in read_partition(context.store, "problems", context.collection, PROBLEM_PARTITION):
        if row.outcome != "passed":
            continue
        looked += 1
        path = f"problems {row.id}"
        try:
            stored = Problem.from_json(row.record)
            loaded = load_problem(context.settings.data_root, row.id)
            if loaded.problem.digest != stored.digest:
                faults.append(Fault(path=path, what="its file is another one now"))
                continue
            broken = admission_of(loaded.problem, loaded.table).reasons
        except (LawsmithError, ValueError) as error:
            faults.append(Fault(path=path, what=str(error)))
            continue
        faults += [Fault(path=path, what=f"{item.rule}: {item.sentence}") for item in broken]
    return Looked(looked, tuple(faults))


def calibrated(context: StageContext) -> Looked:
    """Keys, worlds and pools fit each other, every certificate passed, the true form scores 1."""
    faults, looked = list[Fault](), 0
    admitted = read_partition(context.store, "problems", context.collection, PROBLEM_PARTITION)
    digests = {row.id: row.digest for row in admitted if row.outcome == "passed"}
    for one in calibrated_sets(context):
        looked += 1
        path = f"calibrated {one.id}"
        if digests.get(one.id) != one.problem_digest:
            faults.append(Fault(path=path, what="its problem is not admitted, or another one now"))
        faults += [Fault(path=path, what=what) for what in _disagreements(one)]
    worlds = read_partition(context.store, "worlds", context.collection, PARTITION)
    known = {one.world.digest for one in calibrated_sets(context) if one.world is not None}
    for row in worlds:
        if CalibratedWorld.from_json(row.record).digest not in known:
            faults.append(Fault(path=f"worlds {row.id}", what="belongs to no problem"))
    return Looked(looked, tuple(faults))


def calibrated_task_faults(row: Row, path: str) -> list[Fault]:
    """Whether the row of a Parallel or Real task reads, and its key is its own."""
    task_of, key_of = CALIBRATED_KINDS[str(row.extra["setting"])]
    try:
        task, key = task_of(row.record), key_of(str(row.extra["sealed"]))
    except ValueError as error:
        return [Fault(path=path, what=str(error))]
    fits = isinstance(key, ParallelKey | RealKey) and key.public_digest == task.digest
    return [] if fits else [Fault(path=path, what="its key was sealed for another text")]


def _pool_faults(world: CalibratedWorld, pool: str) -> Iterator[str]:
    try:
        read_pool(base64.b64decode(pool), world)
    except (LawsmithError, ValueError, OSError) as error:
        yield f"the pool is not the one of its world: {error}"


def _disagreements(one: CalibratedSet) -> Iterator[str]:
    for task, key in ((one.parallel, one.parallel_key), (one.real, one.real_key)):
        if (task is None) != (key is None):
            yield "a task without its key, or a key without its task"
        elif task is not None and key is not None and key.public_digest != task.digest:
            yield f"the key of {task.id} was sealed for another text"
    if one.parallel_key is not None:
        yield from (
            f"certificate {item.name} failed: {item.sentence}"
            for item in one.parallel_key.certificates
            if not item.passed
        )
        if one.world is None or one.world.digest != one.parallel_key.world_digest:
            yield "the world is not the one of its key"
    if one.world is not None:
        yield from _pool_faults(one.world, one.pool or "")
    yield from (
        f"the true form scores S_S = {score.structure}"
        for score in one.baselines
        if (score.kind, score.player) == ("parallel", TRUE_FORM) and score.structure != 1.0
    )
