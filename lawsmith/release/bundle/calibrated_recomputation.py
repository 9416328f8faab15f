"""Everything that follows from a problem's records and its stored hidden law, made again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from lawsmith.calibration.building import (
    BuiltProblem,
    BuiltWorld,
    calibration_records,
    plan_of,
    published_problem,
)
from lawsmith.calibration.hidden_laws import HiddenLaw, Search
from lawsmith.calibration.pools import Pool, read_pool
from lawsmith.calibration.problems import check_table
from lawsmith.calibration.worlds import WorldPlan, calibrate
from lawsmith.errors import IntegrityError, LawsmithError
from lawsmith.oracle.calibrated_sealed import hidden_form
from lawsmith.release.calibrated import CalibratedTasks, calibrated_tasks
from lawsmith.release.differences import differences
from lawsmith.release.problems import CalibratedProblem, pool_path, table_rows
from lawsmith.release.tables import row_path
from schemas.calibrated_task import ParallelKey
from schemas.problem import Constant, Problem
from schemas.record import Record
from schemas.release import Fault
from schemas.source import Collection
from schemas.world import CalibratedWorld

RELATIVE: Final = 1e-6
"""Fits and what follows from them agree to this on every machine."""
_APART: Final = re.compile(r"^/submission_digest$|^/local/\d+/(starts|low|high)")
NOT_GIVEN: Final = "is not what the problem and its stored law give"


@dataclass(frozen=True, eq=False)
class Remade:
    """What the stored records of a problem give."""

    tasks: CalibratedTasks
    pool: Pool | None


def problem_faults(
    stored: CalibratedProblem, key: bytes, collection: Collection
) -> Iterator[Fault]:
    """Every figure of a problem's rows that its records, its law and the key do not give."""
    where = row_path("problems", stored.problem.id)
    try:
        check_table(stored.problem, stored.table)
    except IntegrityError as error:
        yield Fault(path=row_path("problem_rows", stored.problem.id), what=error.problem)
        yield Fault(path=f"{where}/table", what=f"is not that of the rows: {error.problem}")
    yield from row_faults(stored)
    try:
        remade = _remade(stored, key, collection)
    except LawsmithError as error:
        yield Fault(path=where, what=f"gives no tasks: {error}")
        keys = (("parallel_keys", stored.parallel_key), ("real_keys", stored.real_key))
        for table, record in keys:
            if record is not None:
                yield Fault(path=row_path(table, record.id), what=f"gives no task: {error}")
        return
    yield from _record_faults(stored, remade.tasks)
    yield from _observation_faults(stored, remade.tasks)
    yield from _world_faults(stored, remade)
    yield from _baseline_faults(stored, remade.tasks)


def row_faults(stored: CalibratedProblem) -> Iterator[Fault]:
    """Rows of the table that no task shows or holds back, and the other way round."""
    if stored.real_key is None:
        return
    labels = stored.real_key.group_labels
    of_task: dict[tuple[Any, ...], str] = {}
    for row in stored.observations:
        group = None if row.group is None else labels.get(row.group)
        name = row_path("real_observations", f"{row.task_id}/{row.index}")
        of_task[(group, row.inputs, row.output)] = name
    for index, held in enumerate(stored.real_key.held_out):
        group = None if held.group is None else labels.get(held.group)
        name = f"{row_path('real_keys', stored.real_key.id)}/held_out/{index}"
        of_task[(group, held.inputs, held.output)] = name
    known = set(labels.values())
    found = set()
    for line in table_rows(stored.problem, stored.table):
        row_of_table = (line["group"], tuple(line["inputs"]), line["output"])
        found.add(row_of_table)
        used = line["group"] is None or line["group"] in known
        if used and row_of_table not in of_task:
            yield Fault(
                path=row_path("problem_rows", line["id"]),
                what="is neither among the observations nor held out",
            )
    for values, name in of_task.items():
        if values not in found:
            yield Fault(path=name, what="is no row of the problem's table")


def hidden_law_of(key: ParallelKey, problem: Problem) -> HiddenLaw:
    """The stored hidden law, as the search gave it.

    Raises:
        IntegrityError: the base law is none of the problem's, or a group stands twice.
    """
    base = next((law for law in problem.laws if law.id == key.base_law), None)
    if base is None:
        raise IntegrityError(f"{key.base_law!r} is no law of {problem.id}", path="base_law")
    form = hidden_form(key)
    values = next(iter(form.constants.values()))
    constants = [
        _constant(name, values[name], fixed=name in key.fixed, scope=scope)
        for scope, names in (("shared", key.shared), ("per_group", key.local))
        for name in names
    ]
    return HiddenLaw(
        law=key.law,
        constants=tuple(constants),
        form=form,
        edits=key.edits,
        base=base,
        base_r2=0.0,
        base_structure=0.0,
        by_design=False,
        certificates=key.certificates,
    )


def _constant(name: str, value: float, *, fixed: bool, scope: Any) -> Constant:
    return Constant(
        name=name,
        symbol=name,
        meaning="",
        unit="1",
        scope=scope,
        fixed=value if fixed else None,
        low=None,
        high=None,
        starts=() if fixed else (value,),
    )


def _remade(stored: CalibratedProblem, key: bytes, collection: Collection) -> Remade:
    built: BuiltProblem = published_problem(stored.problem, stored.table, collection)
    pool = None
    if stored.parallel_key is not None and stored.world is not None:
        hidden = hidden_law_of(stored.parallel_key, stored.problem)
        records = calibration_records(stored.table, built.split)
        world, pool = calibrate(
            _plan(stored.problem, stored.world, len(built.split.train)),
            hidden.form,
            records,
            built.space,
        )
        # The pool's hash is that of one machine's rounding; its numbers are compared apart.
        near = not differences(_data(stored.world), _data(world), relative=RELATIVE)
        world = stored.world if near or _only_hash(stored.world, world) else world
        search = Search(hidden, "", stored.parallel_key.refused)
        built = replace(built, search=search, built=BuiltWorld(hidden, world, pool))
    return Remade(calibrated_tasks(built, key, collection), pool)


def _plan(problem: Problem, world: CalibratedWorld, train_rows: int) -> WorldPlan:
    return replace(plan_of(problem, train_rows), out_of_range=world.out_of_range)


def _only_hash(stored: CalibratedWorld, made: CalibratedWorld) -> bool:
    paths = differences(_data(stored), _data(made), relative=RELATIVE)
    return paths == ["/pool/sha256"]


def _record_faults(stored: CalibratedProblem, made: CalibratedTasks) -> Iterator[Fault]:
    pairs: Sequence[tuple[str, Record | None, Record | None]] = (
        ("parallel", stored.parallel, made.parallel),
        ("real", stored.real, made.real),
        ("parallel_keys", stored.parallel_key, made.parallel_key),
        ("real_keys", stored.real_key, made.real_key),
        ("calibrated_worlds", stored.world, made.world),
    )
    for table, found, expected in pairs:
        if found is None and expected is None:
            continue
        if found is None or expected is None:
            record = found or expected
            state = "is missing" if found is None else "has no reason to be there"
            if record is not None:
                yield Fault(path=row_path(table, record.id), what=state)
            continue
        for path in differences(_data(found), _data(expected), relative=RELATIVE):
            yield Fault(path=row_path(table, found.id) + path, what=NOT_GIVEN)


def _observation_faults(stored: CalibratedProblem, made: CalibratedTasks) -> Iterator[Fault]:
    found = {row.index: row for row in stored.observations}
    expected = {row.index: row for row in made.observations}
    for index in sorted({*found, *expected}):
        row = found.get(index) or expected[index]
        name = row_path("real_observations", f"{row.task_id}/{index}")
        if index not in found or index not in expected:
            yield Fault(path=name, what="is missing" if index not in found else "is one too many")
            continue
        for path in differences(found[index].model_dump(), expected[index].model_dump()):
            yield Fault(path=name + path, what="is not what the table and the split give")


def _world_faults(stored: CalibratedProblem, remade: Remade) -> Iterator[Fault]:
    world, key = stored.world, stored.parallel_key
    if world is None or key is None or remade.pool is None:
        return
    path = pool_path(world)
    made = remade.tasks.world
    wrong = made is not None and differences(_data(world), _data(made), relative=RELATIVE) != []
    try:
        pool = read_pool(stored.pool or b"", world)
    except (LawsmithError, OSError, ValueError) as error:
        yield Fault(path=path, what=f"is not the pool of its world: {error}")
        wrong = True
    else:
        for name in ("inputs", "residuals"):
            groups = zip(getattr(pool, name), getattr(remade.pool, name), strict=True)
            near = (a.shape == b.shape and np.allclose(a, b, RELATIVE, 1e-12) for a, b in groups)
            if not all(near):
                yield Fault(path=f"{path}/{name}", what=NOT_GIVEN)
                wrong = True
    if wrong:
        for field in ("law", "constants"):
            yield Fault(
                path=f"{row_path('parallel_keys', key.id)}/{field}",
                what="does not give the stored world and pool",
            )


def _baseline_faults(stored: CalibratedProblem, made: CalibratedTasks) -> Iterator[Fault]:
    """Scores and submissions of the baselines beside those made again."""
    given = {one.id: one for one in stored.submissions}
    for score in stored.baselines:
        one = given.get(score.id)
        if one is None or one.digest != score.submission_digest:
            yield Fault(
                path=f"{row_path('baselines', score.id)}/submission_digest",
                what="is not that of the stored submission",
            )
            yield Fault(
                path=row_path("baseline_submissions", score.id), what="is not what was scored"
            )
    tables: Sequence[tuple[str, Sequence[Record], Sequence[Record]]] = (
        ("baselines", stored.baselines, made.baselines),
        ("baseline_submissions", stored.submissions, made.submissions),
    )
    for table, found, expected in tables:
        known = {item.id: item for item in found}
        wanted = {item.id: item for item in expected}
        for identity in sorted({*known, *wanted}):
            where = row_path(table, identity)
            if identity not in known or identity not in wanted:
                state = "is missing" if identity not in known else "belongs to no baseline"
                yield Fault(path=where, what=state)
                continue
            paths = differences(_data(known[identity]), _data(wanted[identity]), relative=RELATIVE)
            for path in paths:
                # A digest is of one machine's rounding, and how a hidden law was fitted is not
                # stored; the digest that the score states holds both.
                if not _APART.search(path):
                    yield Fault(path=where + path, what="is not what the baseline gives")


def _data(record: Record) -> dict[str, Any]:
    return record.model_dump(mode="json")


__all__ = ("RELATIVE", "hidden_law_of", "problem_faults", "row_faults")
