"""Calibrated worlds of stage `worlds`: hidden laws and tasks of every admitted problem.

A problem takes seconds of fitting, so problems are built in processes of their own, each with
one thread of linear algebra; what was built for a digest is kept.
"""

import base64
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from lawsmith.calibration.hidden_laws import build_problem
from lawsmith.calibration.worlds import pool_bytes
from lawsmith.curation.admission import textbook_laws
from lawsmith.curation.evidence import Reason
from lawsmith.errors import LawsmithError
from lawsmith.expressions import to_infix
from lawsmith.gateways.datasets import LoadedProblem
from lawsmith.gateways.store import Row, collection_key, read_partition, write_partition
from lawsmith.release import calibrated_tasks
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    reasons_cell,
    reasons_of,
    report,
    row_of,
)
from lawsmith.stages.problems import admitted_problems
from schemas.calibrated_set import CalibratedSet
from schemas.record import Record
from schemas.source import Collection, Disposition, ReasonCode

TABLE = "calibrated"
PARTITION = "calibrated"
"""Beside the partition of the paired worlds in table `worlds`."""
_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of linear algebra read when they are loaded."""


@dataclass(frozen=True, eq=False)
class _Job:
    """What a process is given: all of it is data."""

    loaded: LoadedProblem
    key: bytes
    collection: Collection
    data_root: str


def subject_of(loaded: LoadedProblem) -> Subject:
    """What is built: an admitted problem."""
    return Subject("problem", loaded.problem.id, loaded.problem.digest, None, None)


def run(context: StageContext) -> StageReport:
    """Find hidden laws, calibrate worlds and make the tasks of every admitted problem."""
    problems = admitted_problems(context)
    step = calibrated_pass(context)
    step.keep_only([item.problem.id for item in problems])
    todo = [item for item in problems if not step.done(subject_of(item))]
    key = collection_key(context.store, context.collection, context.settings.data_root)
    jobs = [_Job(item, key, context.collection, str(context.settings.data_root)) for item in todo]
    subjects = {item.problem.id: subject_of(item) for item in todo}
    context.progress("calibrating worlds", 0, len(jobs))
    workers = context.settings.calibration.workers or os.cpu_count() or 1
    built = _built(jobs, workers, lambda n: context.progress("calibrating worlds", n, len(jobs)))
    for job, made in zip(jobs, built, strict=True):
        _settle(context, step, subjects[job.loaded.problem.id], made)
    rows, dispositions, new = step.write()
    worlds = [_world_row(context, CalibratedSet.from_json(row.record)) for row in rows]
    found = [row for row in worlds if row is not None]
    write_partition(context.store, "worlds", context.collection, PARTITION, found)
    return _report(rows, dispositions, new)


def calibrated_pass(context: StageContext) -> PartitionPass:
    """What of this stage is done and what is not."""
    return PartitionPass(context, "worlds", PARTITION, table=TABLE)


def calibrated_sets(context: StageContext) -> list[CalibratedSet]:
    """What every problem came to, by id."""
    rows = read_partition(context.store, TABLE, context.collection, PARTITION)
    return [CalibratedSet.from_json(row.record) for row in rows]


def worlds_missing(context: StageContext) -> list[str]:
    """The built problems whose world has no row in table `worlds`."""
    rows = read_partition(context.store, "worlds", context.collection, PARTITION)
    held = {row.id for row in rows}
    sets = calibrated_sets(context)
    return [one.id for one in sets if one.world is not None and one.world.id not in held]


def calibrated_set(
    loaded: LoadedProblem, key: bytes, collection: Collection, data_root: str
) -> CalibratedSet:
    """What one problem comes to under a key.

    Raises:
        LawsmithError: it cannot be built, or its text names what it may not.
    """
    from pathlib import Path

    known = textbook_laws(Path(data_root) / "textbook_laws.jsonl")
    built = build_problem(loaded.problem, loaded.table, key, collection, known=known)
    made = calibrated_tasks(built, key, collection)
    pool = None
    if made.pool is not None:
        names = [control.name for control in loaded.problem.controls]
        pool = base64.b64encode(pool_bytes(made.pool, names)).decode("ascii")
    return CalibratedSet(
        id=loaded.problem.id,
        problem_digest=loaded.problem.digest,
        parallel=made.parallel,
        parallel_key=made.parallel_key,
        parallel_reason=made.parallel_reason,
        world=made.world,
        pool=pool,
        real=made.real,
        real_key=made.real_key,
        real_reason=made.real_reason,
        observations=made.observations,
        submissions=made.submissions,
        baselines=made.baselines,
    )


def _built(
    jobs: Sequence[_Job], workers: int, ended: Callable[[int], None]
) -> list[CalibratedSet | str]:
    """What every problem came to, or why it could not be built, in the order of the jobs.

    Args:
        jobs: the problems.
        workers: processes at the most.
        ended: told how many problems have ended, each time one does.
    """
    if not jobs:
        return []
    # The process of a stage has threads, and a fork of it could wait for ever.
    start = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(len(jobs), workers), mp_context=start) as pool:
        with _one_thread_each():
            waiting: list[Future[CalibratedSet | str]] = [
                pool.submit(_attempt, job) for job in jobs
            ]
        for count, _ in enumerate(as_completed(waiting), start=1):
            ended(count)
        return [done.result() for done in waiting]


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started meanwhile do linear algebra in one thread.

    The matrices of these fits are small: more threads would spin for each other's cores, and
    sums would be rounded by how many cores a machine has.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _attempt(job: _Job) -> CalibratedSet | str:
    try:
        return calibrated_set(job.loaded, job.key, job.collection, job.data_root)
    except LawsmithError as error:
        return str(error)


def _settle(
    context: StageContext, step: PartitionPass, subject: Subject, made: CalibratedSet | str
) -> None:
    if isinstance(made, str):
        step.settle(subject, "failed", ReasonCode.NO_TASK, made)
        return
    reasons = [
        Reason(code, f"/{kind.lower()}", f"no {kind} task: {sentence}")
        for code, kind, sentence in (
            (ReasonCode.NO_HIDDEN_LAW, "Parallel", made.parallel_reason),
            (ReasonCode.NO_TASK, "Real", made.real_reason),
        )
        if sentence
    ]
    row = _row(context, made, reasons)
    if not made.tasks:
        step.settle(subject, "rejected", ReasonCode.NO_TASK, _sentences(reasons))
        return
    code = ReasonCode.OK if made.parallel is not None else ReasonCode.NO_HIDDEN_LAW
    step.settle(subject, "passed", code, _sentences(reasons) or "a Parallel and a Real task", [row])


def _sentences(reasons: Sequence[Reason]) -> str:
    return "; ".join(reason.sentence for reason in reasons)


def _row(context: StageContext, made: CalibratedSet, reasons: Sequence[Reason]) -> Row:
    key, world = made.parallel_key, made.world
    return row_of(
        context,
        made,
        table=TABLE,
        partition=PARTITION,
        paper_id=None,
        parallel_task=made.parallel.id if made.parallel else None,
        real_task=made.real.id if made.real else None,
        base_law=key.base_law if key else None,
        law=to_infix(key.law) if key else None,
        moves=", ".join(edit.move for edit in key.edits) if key else None,
        noise_factor=min(group.noise_factor for group in world.groups) if world else None,
        groups=len(world.groups) if world else 0,
        reasons=reasons_cell(reasons),
    )


def _world_row(context: StageContext, made: CalibratedSet) -> Row | None:
    if made.world is None:
        return None
    record: Record = made.world
    return row_of(
        context,
        record,
        table="worlds",
        partition=PARTITION,
        paper_id=None,
        subject_id=made.id,
        family_id=made.id,
        environment="hidden",
    )


def _report(rows: Sequence[Row], dispositions: Sequence[Disposition], new: int) -> StageReport:
    return report(
        "worlds",
        list(rows),
        list(dispositions),
        new=new,
        columns=("problem", "moves", "hidden law", "groups", "noise", "no task of a kind"),
        preview=[
            (
                row.id,
                str(row.extra["moves"] or ""),
                str(row.extra["law"] or ""),
                str(row.extra["groups"]),
                f"{row.extra['noise_factor']:.3f}" if row.extra["noise_factor"] else "",
                _sentences(reasons_of(row)),
            )
            for row in rows
        ],
        figures={
            "parallel tasks": float(sum(bool(row.extra["parallel_task"]) for row in rows)),
            "real tasks": float(sum(bool(row.extra["real_task"]) for row in rows)),
        },
    )
