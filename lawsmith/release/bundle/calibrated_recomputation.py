"""Everything that follows from a problem's records and its stored hidden law, made again."""

from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from lawsmith.calibration import BASELINES, score_parallel, score_real
from lawsmith.calibration.hidden_laws import build_problem
from lawsmith.calibration.problems import check_table
from lawsmith.calibration.worlds import read_pool
from lawsmith.curation.admission import KnownLaw
from lawsmith.errors import IntegrityError, LawsmithError
from lawsmith.release.bundle.calibrated_remaking import RELATIVE, Remade, data_of, remake
from lawsmith.release.calibrated_parallel import parallel_task
from lawsmith.release.calibrated_parts import NoTaskError
from lawsmith.release.differences import differences
from lawsmith.release.problems import CalibratedProblem, pool_path, table_rows
from lawsmith.release.tables import row_path
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
)
from schemas.expression import walk
from schemas.record import Record
from schemas.release import Fault
from schemas.source import Collection

NOT_GIVEN: Final = "is not what the problem and its stored law give"


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
    yield from _source_faults(stored)
    try:
        remade = remake(stored, key, collection)
    except LawsmithError as error:
        yield Fault(path=where, what=f"gives no tasks: {error}")
        keys = (("parallel_keys", stored.parallel_key), ("real_keys", stored.real_key))
        for table, record in keys:
            if record is not None:
                yield Fault(path=row_path(table, record.id), what=f"gives no task: {error}")
        return
    yield from _record_faults(stored, remade)
    yield from _observation_faults(stored, remade)
    yield from _world_faults(stored, remade)
    yield from _submission_faults(stored, remade)
    yield from _score_faults(stored, remade, ("real",))


def search_faults(
    stored: CalibratedProblem, key: bytes, collection: Collection, known: Sequence[KnownLaw]
) -> Iterator[Fault]:
    """The search for the hidden law done again with every screen, and S_S of the baselines.

    Args:
        stored: the problem.
        key: of the collection; it decides the search.
        collection: whose key it is.
        known: the textbook laws that the search was told of.
    """
    where = row_path("problems", stored.problem.id)
    try:
        built = build_problem(stored.problem, stored.table, key, collection, known=known)
        remade = remake(stored, key, collection)
    except LawsmithError as error:
        yield Fault(path=where, what=f"cannot be built again: {error}")
        return
    yield from _score_faults(stored, remade, ("parallel",))
    found: ParallelKey | None = None
    with suppress(NoTaskError):
        found = parallel_task(built, key)[2]
    sealed = stored.parallel_key
    if sealed is None or found is None:
        if sealed is not found:
            name = where if sealed is None else row_path("parallel_keys", sealed.id)
            yield Fault(path=name, what="is not what the search gives")
        return
    for path in differences(data_of(sealed), data_of(found), relative=RELATIVE):
        # The digest of a world is of one machine's rounding; its figures are compared apart.
        if path != "/world_digest":
            yield Fault(
                path=row_path("parallel_keys", sealed.id) + path,
                what="is not what the search for a hidden law gives",
            )


def _source_faults(stored: CalibratedProblem) -> Iterator[Fault]:
    """Keys made from another problem, and edits of another published law."""
    problem, where = stored.problem, row_path("problems", stored.problem.id)
    for record in (stored.parallel_key, stored.real_key, stored.world):
        if record is not None and record.problem_digest != problem.digest:
            yield Fault(path=where, what="its digest is not the one its tasks were made from")
    key = stored.parallel_key
    if key is None:
        return
    name = row_path("parallel_keys", key.id)
    published = {law.id: law.expression for law in problem.laws}
    if key.base != published.get(key.base_law):
        yield Fault(path=f"{name}/base", what=f"is not the law {key.base_law!r} of the problem")
    parts = dict(walk(key.base))
    for index, edit in enumerate(key.edits):
        if parts.get(edit.path) != edit.before:
            what = "is not what the published law has at the edit's path"
            yield Fault(path=f"{name}/edits/{index}/before", what=what)
    for index, certificate in enumerate(key.certificates):
        if not certificate.passed:
            yield Fault(path=f"{name}/certificates/{index}/passed", what="a screen was failed")


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


def _record_faults(stored: CalibratedProblem, made: Remade) -> Iterator[Fault]:
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
        for path in differences(data_of(found), data_of(expected), relative=RELATIVE):
            yield Fault(path=row_path(table, found.id) + path, what=NOT_GIVEN)


def _observation_faults(stored: CalibratedProblem, made: Remade) -> Iterator[Fault]:
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
    made = remade.world
    wrong = made is not None and differences(data_of(world), data_of(made), relative=RELATIVE) != []
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


def _submission_faults(stored: CalibratedProblem, made: Remade) -> Iterator[Fault]:
    """Submissions that were not scored, or that are not the baselines' of the Real task."""
    scored = {score.id: score.submission_digest for score in stored.baselines}
    expected = {
        f"{task.id}/baseline:{name}/1"
        for task in (made.parallel, made.real)
        if task
        for name in BASELINES
    }
    for table, found in (
        ("baseline_submissions", {one.id for one in stored.submissions}),
        ("baselines", set(scored)),
    ):
        for identity in sorted(found ^ expected):
            state = "is missing" if identity in expected else "belongs to no baseline"
            yield Fault(path=row_path(table, identity), what=state)
    remade = {one.id: one for one in made.submissions}
    for one in stored.submissions:
        where = row_path("baseline_submissions", one.id)
        if scored.get(one.id) != one.digest:
            yield Fault(path=where, what="is not what was scored")
        if one.id in remade:
            for path in differences(data_of(one), data_of(remade[one.id]), relative=RELATIVE):
                yield Fault(path=where + path, what="is not what the baseline gives")


def _score_faults(
    stored: CalibratedProblem, made: Remade, kinds: Container[str]
) -> Iterator[Fault]:
    """Scores of the baselines that are not those of the stored submissions, scored again."""
    scores = {score.id: score for score in stored.baselines}
    tasks = {task.id for task in (made.real, made.parallel) if task and task.kind in kinds}
    for one in stored.submissions:
        if one.id not in scores or one.task_id not in tasks:
            continue
        where = row_path("baselines", one.id)
        try:
            again = _scored(one, made)
        except LawsmithError as error:
            yield Fault(path=where, what=f"cannot be scored again: {error}")
            continue
        if again is None:
            continue
        for path in differences(data_of(scores[one.id]), data_of(again), relative=RELATIVE):
            yield Fault(path=where + path, what="is not the score of the stored submission")


def _scored(one: CalibratedSubmission, made: Remade) -> CalibratedScore | None:
    if made.real is not None and made.real_key is not None and one.task_id == made.real.id:
        return score_real(one, made.real, made.real_key, made.observations)
    if made.parallel is None or made.parallel_key is None or made.world is None:
        return None
    return score_parallel(one, made.parallel, made.parallel_key, made.world)


__all__ = ("problem_faults", "row_faults", "search_faults")
