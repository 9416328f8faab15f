"""`verify` for tasks on real data: their rows read leniently, and everything made again."""

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lawsmith.curation.admission import KnownLaw
from lawsmith.errors import LawsmithError
from lawsmith.release.bundle.calibrated_recomputation import problem_faults, search_faults
from lawsmith.release.bundle.lenient import LenientReader
from lawsmith.release.calibrated_leaks import calibrated_leak_faults
from lawsmith.release.manifest import PUBLIC_MANIFEST, count_kinds
from lawsmith.release.problems import POOLS, CalibratedProblem, pool_path, row_id, table_of_rows
from lawsmith.release.tables import CALIBRATED_TABLES, TABLE_PATHS, row_path
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
from schemas.record import CANARY, canonical_json
from schemas.release import Fault, PublicManifest
from schemas.world import CalibratedWorld

TASK_ID: Final = re.compile(r"t-[0-9a-f]{16}")


@dataclass(frozen=True)
class CalibratedRows:
    """The public rows on real data as far as they read."""

    tasks: tuple[ParallelTask | RealTask, ...]
    observations: tuple[RealObservation, ...]


@dataclass(frozen=True)
class SealedRows:
    """The sealed rows on real data as far as they read."""

    problems: tuple[Problem, ...]
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    """Problem id -> rows of its table."""
    parallel_keys: tuple[ParallelKey, ...]
    real_keys: tuple[RealKey, ...]
    worlds: tuple[CalibratedWorld, ...]
    scores: tuple[CalibratedScore, ...]
    submissions: tuple[CalibratedSubmission, ...]


@dataclass(frozen=True)
class Again:
    """For how many problems the search for a hidden law is done again."""

    problems: int
    known: Sequence[KnownLaw]
    """The textbook laws that it was told of."""


def read_calibrated(reader: LenientReader, manifest: PublicManifest) -> CalibratedRows:
    """The public rows; a release without problems has none of their tables."""
    if not manifest.problems:
        return CalibratedRows((), ())
    tasks: list[ParallelTask | RealTask] = [
        *reader.records("parallel", lambda _: ParallelTask),
        *reader.records("real", lambda _: RealTask),
    ]
    found: list[RealObservation] = []
    for number, row in reader.rows("real_observations"):
        try:
            found.append(RealObservation.model_validate_json(canonical_json(row)))
        except ValueError as error:
            where = f"{TABLE_PATHS['real_observations']}:{number}"
            reader.faults.append(Fault(path=where, what=" ".join(str(error).split())[:300]))
    return CalibratedRows(tuple(tasks), tuple(found))


def public_calibrated_faults(rows: CalibratedRows, manifest: PublicManifest) -> Iterator[Fault]:
    """Ids, collection and canary of tasks, and observations of no Real task."""
    for task in rows.tasks:
        where = row_path(task.kind, task.id)
        if not TASK_ID.fullmatch(task.id):
            yield Fault(path=f"{where}/id", what="is no keyed id")
        if task.collection != manifest.collection:
            yield Fault(path=f"{where}/collection", what=f"is {task.collection!r}")
        if task.canary != CANARY:
            yield Fault(path=f"{where}/canary", what="is not the canary")
    real = {task.id for task in rows.tasks if task.kind == "real"}
    for row in rows.observations:
        if row.task_id not in real:
            name = row_path("real_observations", f"{row.task_id}/{row.index}")
            yield Fault(path=name, what="belongs to no task")


def read_sealed_calibrated(reader: LenientReader, manifest: PublicManifest) -> SealedRows:
    """The sealed rows; a release without problems has none of their tables."""
    if not manifest.problems:
        return SealedRows((), {}, (), (), (), (), ())
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, row in reader.rows("problem_rows"):
        if not {"id", "problem_id", "index", "group", "inputs", "output"} <= set(row):
            where = f"{TABLE_PATHS['problem_rows']}:{number}"
            reader.faults.append(Fault(path=where, what="is no row of a table"))
            continue
        rows[str(row["problem_id"])].append(row)
    return SealedRows(
        problems=tuple(reader.records("problems", lambda _: Problem)),
        rows=rows,
        parallel_keys=tuple(reader.records("parallel_keys", lambda _: ParallelKey)),
        real_keys=tuple(reader.records("real_keys", lambda _: RealKey)),
        worlds=tuple(reader.records("calibrated_worlds", lambda _: CalibratedWorld)),
        scores=tuple(reader.records("baselines", lambda _: CalibratedScore)),
        submissions=tuple(reader.records("baseline_submissions", lambda _: CalibratedSubmission)),
    )


def sealed_calibrated_faults(
    release: Path,
    manifest: PublicManifest,
    public: CalibratedRows,
    sealed: SealedRows,
    key: bytes | None,
    again: Again,
) -> Iterator[Fault]:
    """Every figure made again from the sealed rows, and rows that belong to nothing."""
    if manifest.problems != len(sealed.problems):
        yield Fault(path=f"{PUBLIC_MANIFEST}/problems", what="is not how many problems there are")
    if not manifest.problems:
        for table in CALIBRATED_TABLES:
            if (release / TABLE_PATHS[table]).is_file():
                yield Fault(path=TABLE_PATHS[table], what="is there without problems")
        return
    yield from _foreign(release, public, sealed)
    problems: list[CalibratedProblem] = []
    for index, problem in enumerate(sealed.problems):
        try:
            stored = _joined(release, problem, public, sealed)
        except (LawsmithError, TypeError, ValueError) as error:
            yield Fault(path=row_path("problem_rows", problem.id), what=f"does not read: {error}")
            continue
        problems.append(stored)
        if key is not None:
            yield from problem_faults(stored, key, manifest.collection)
        if key is not None and index < again.problems:
            yield from search_faults(stored, key, manifest.collection, again.known)
    yield from calibrated_leak_faults(problems, public.tasks, public.observations)


def kind_faults(
    manifest: PublicManifest, paired: int, tasks: Sequence[ParallelTask | RealTask]
) -> Iterator[Fault]:
    """Counts of tasks that are not how many there are."""
    counts = {
        "paired": paired,
        "parallel": sum(task.kind == "parallel" for task in tasks),
        "real": sum(task.kind == "real" for task in tasks),
    }
    if manifest.tasks != sum(counts.values()):
        yield Fault(path=f"{PUBLIC_MANIFEST}/tasks", what="is not how many tasks there are")
    if manifest.kinds != count_kinds(counts):
        yield Fault(path=f"{PUBLIC_MANIFEST}/kinds", what="is not how many of each kind there are")


def _joined(
    release: Path, problem: Problem, public: CalibratedRows, sealed: SealedRows
) -> CalibratedProblem:
    """A problem with its own rows.

    Raises:
        LawsmithError, TypeError, ValueError: its table does not read.
    """
    parallel_key = next((k for k in sealed.parallel_keys if k.problem_id == problem.id), None)
    real_key = next((k for k in sealed.real_keys if k.problem_id == problem.id), None)
    tasks = {task.id: task for task in public.tasks}
    parallel = tasks.get(parallel_key.id) if parallel_key else None
    real = tasks.get(real_key.id) if real_key else None
    own = {key.id for key in (parallel_key, real_key) if key is not None}
    world = next((w for w in sealed.worlds if w.problem_id == problem.id), None)
    path = None if world is None else release / pool_path(world)
    return CalibratedProblem(
        problem=problem,
        table=table_of_rows(problem, sealed.rows.get(problem.id, ())),
        parallel=parallel if isinstance(parallel, ParallelTask) else None,
        parallel_key=parallel_key,
        world=world,
        pool=path.read_bytes() if path is not None and path.is_file() else None,
        real=real if isinstance(real, RealTask) else None,
        real_key=real_key,
        observations=tuple(row for row in public.observations if row.task_id in own),
        baselines=tuple(score for score in sealed.scores if score.task_id in own),
        submissions=tuple(one for one in sealed.submissions if one.task_id in own),
    )


def _foreign(release: Path, public: CalibratedRows, sealed: SealedRows) -> Iterator[Fault]:
    """Rows that name no problem, no key or no task of the release."""
    problems = {problem.id for problem in sealed.problems}
    keys = {key.id for key in (*sealed.parallel_keys, *sealed.real_keys)}
    for table, items in (
        ("parallel_keys", sealed.parallel_keys),
        ("real_keys", sealed.real_keys),
        ("calibrated_worlds", sealed.worlds),
    ):
        named = [item.problem_id for item in items]
        for item in items:
            if item.problem_id not in problems or named.count(item.problem_id) > 1:
                what = "is no problem of the release, or one that has another too"
                yield Fault(path=f"{row_path(table, item.id)}/problem_id", what=what)
    for task in public.tasks:
        if task.id not in keys:
            yield Fault(path=row_path(task.kind, task.id), what="has no sealed key")
    for table, rows in (("baselines", sealed.scores), ("baseline_submissions", sealed.submissions)):
        for row in rows:
            if row.task_id not in keys:
                yield Fault(path=f"{row_path(table, row.id)}/task_id", what="is no task")
    yield from _foreign_rows(sealed, problems)
    yield from _foreign_pools(release, sealed)


def _foreign_rows(sealed: SealedRows, problems: Container[str]) -> Iterator[Fault]:
    for problem_id, lines in sealed.rows.items():
        for line in lines:
            if problem_id not in problems or line["id"] != row_id(problem_id, line["index"]):
                yield Fault(
                    path=row_path("problem_rows", str(line["id"])), what="is no row of a problem"
                )


def _foreign_pools(release: Path, sealed: SealedRows) -> Iterator[Fault]:
    named = {pool_path(world) for world in sealed.worlds}
    for path in sorted((release / POOLS).glob("*")):
        name = path.relative_to(release).as_posix()
        if name not in named:
            yield Fault(path=name, what="is the pool of no world")


__all__ = (
    "TASK_ID",
    "Again",
    "CalibratedRows",
    "SealedRows",
    "kind_faults",
    "public_calibrated_faults",
    "read_calibrated",
    "read_sealed_calibrated",
    "sealed_calibrated_faults",
)
