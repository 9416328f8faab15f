"""Stage `tasks`: eligibility at the cut, four tasks for each eligible family, those of problems."""

from lawsmith.gateways.store import (
    Row,
    collection_key,
    write_partition,
)
from lawsmith.release import CalibratedProblem, make_tasks
from lawsmith.release.bundle import Release
from lawsmith.runs import StageContext, StageReport, report, row_of, write_stage
from lawsmith.stages.cuts import cut_of
from lawsmith.stages.eligibility import eligible_families, eligible_sets
from schemas.calibrated_set import CalibratedSet
from schemas.calibrated_task import ParallelKey, ParallelTask, RealKey, RealTask
from schemas.family import Family
from schemas.release import Cut
from schemas.task import PublicTask, SealedKey

TABLE = "tasks"
ENVIRONMENTS = {"parallel": "hidden", "real": "observed"}
"""What stands for the environment of a task on real data."""


def run(context: StageContext, release_id: str) -> StageReport:
    """Judge every paper at the cut and make the tasks of what is eligible.

    Raises:
        InputError: no cut is stored for the id.
    """
    cut = cut_of(context, release_id)
    families, dispositions = eligible_families(context, cut)
    key = collection_key(context.store, context.collection, context.settings.data_root)
    sets, taken_out = eligible_sets(context, cut)
    dispositions += taken_out
    rows = [row for family in families for row in _rows(context, release_id, family, key)]
    rows += [row for one in sets for row in _calibrated_rows(context, release_id, one.id, one)]
    write_partition(context.store, TABLE, context.collection, release_id, rows)
    write_stage(context, "tasks", release_id, dispositions)
    return report(
        "tasks",
        rows,
        dispositions,
        new=len(rows),
        columns=("task", "setting", "environment", "family"),
        preview=[
            (
                row.id,
                str(row.extra["setting"]),
                str(row.extra["environment"]),
                str(row.extra["family_id"]),
            )
            for row in rows
        ],
        figures={
            "families": float(len(families)),
            "problems": float(len(sets)),
            "papers judged": float(len(dispositions) - len(taken_out)),
        },
    )


def _rows(context: StageContext, release_id: str, family: Family, key: bytes) -> list[Row]:
    made = make_tasks(family, key, context.collection)
    sealed = {item.id: item for item in made.sealed}
    return [_row(context, release_id, family, task, sealed[task.id]) for task in made.public]


def _row(
    context: StageContext, release_id: str, family: Family, task: PublicTask, key: SealedKey
) -> Row:
    return row_of(
        context,
        task,
        table=TABLE,
        partition=release_id,
        paper_id=family.paper_id,
        subject_id=family.id,
        release_id=release_id,
        family_id=family.id,
        setting=task.setting,
        environment=key.environment,
        sealed=key.to_json(),
    )


def restore(context: StageContext, release: Release) -> None:
    """Write the rows of a release whose partition is gone, as the release itself has them.

    Args:
        context: of the collection of the release.
        release: a whole release of the store.
    """
    if release.sealed is None:
        return
    release_id = release.public.manifest.id
    families = {family.id: family for family in release.sealed.families}
    rows = [
        _row(context, release_id, families[key.family_id], release.public.task(key.id), key)
        for key in release.sealed.keys
    ]
    for item in release.sealed.problems:
        rows += _calibrated_rows(context, release_id, item.problem.id, item)
    write_partition(context.store, TABLE, context.collection, release_id, rows)


def restore_judgement(context: StageContext, cut: Cut) -> None:
    """Judge every paper at a cut once more, where what was decided then is gone."""
    _families, dispositions = eligible_families(context, cut)
    _sets, taken_out = eligible_sets(context, cut)
    write_stage(context, "tasks", cut.id, [*dispositions, *taken_out])


def _calibrated_rows(
    context: StageContext, release_id: str, problem_id: str, one: CalibratedSet | CalibratedProblem
) -> list[Row]:
    """The Parallel and the Real task of a problem; the problem stands for the family."""
    pairs: list[tuple[ParallelTask | RealTask, ParallelKey | RealKey]] = []
    if one.parallel is not None and one.parallel_key is not None:
        pairs.append((one.parallel, one.parallel_key))
    if one.real is not None and one.real_key is not None:
        pairs.append((one.real, one.real_key))
    return [
        row_of(
            context,
            task,
            table=TABLE,
            partition=release_id,
            paper_id=None,
            subject_id=problem_id,
            release_id=release_id,
            family_id=problem_id,
            setting=task.kind,
            environment=ENVIRONMENTS[task.kind],
            sealed=key.to_json(),
        )
        for task, key in pairs
    ]
