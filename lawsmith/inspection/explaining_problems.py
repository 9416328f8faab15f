"""The story of a problem: its admission, hidden law, world, tasks and baselines."""

from collections.abc import Iterator, Sequence
from typing import Final

from lawsmith.curation.evidence import Reason
from lawsmith.expressions import to_infix
from lawsmith.gateways.store import Store, read_partition
from lawsmith.inspection.sections import Section
from lawsmith.runs import StageContext, all_dispositions, latest_by_subject, reasons_of
from lawsmith.stages.calibrated_worlds import calibrated_sets
from lawsmith.stages.problems import PARTITION
from schemas.calibrated_set import CalibratedSet
from schemas.calibrated_task import ParallelKey
from schemas.problem import Problem
from schemas.world import CalibratedWorld


def problem_sections(context: StageContext, subject: str) -> list[Section]:
    """Everything this collection knows of a problem, by its id or that of one of its tasks."""
    sets = [
        one
        for one in calibrated_sets(context)
        if subject in {one.id, *(task.id for task in one.tasks)}
    ]
    ids = {subject, *(one.id for one in sets)}
    sections = [
        _admission(Problem.from_json(row.record), reasons_of(row))
        for row in read_partition(context.store, "problems", context.collection, PARTITION)
        if row.id in ids
    ]
    for one in sets:
        sections.extend(_set(one))
    return sections


PROBLEM_COLUMNS: Final = ("collection", "admitted", "refused", "parallel tasks", "real tasks")


def problem_counts(store: Store) -> list[tuple[object, ...]]:
    """Problems and their tasks by collection, in `PROBLEM_COLUMNS`; collections without, apart."""
    found: list[tuple[object, ...]] = []
    for collection in ("historical", "historical-dev"):
        judged = [
            item
            for (stage, _), item in latest_by_subject(all_dispositions(store, collection)).items()
            if stage == "problems"
        ]
        rows = read_partition(store, "calibrated", collection, "calibrated")
        if judged:
            found.append(
                (
                    collection,
                    sum(item.outcome == "passed" for item in judged),
                    sum(item.outcome == "rejected" for item in judged),
                    sum(bool(row.extra["parallel_task"]) for row in rows),
                    sum(bool(row.extra["real_task"]) for row in rows),
                )
            )
    return found


def _admission(problem: Problem, reasons: Sequence[Reason]) -> Section:
    rows: list[tuple[object, ...]] = [
        ("law", law.id, f"{problem.readout.name} = {to_infix(law.expression)}")
        for law in problem.laws
    ]
    rows += [("rule", reason.code.value, reason.sentence) for reason in reasons]
    rows.append(("licence", problem.licence.spdx, problem.licence.verdict))
    return Section(f"Problem {problem.id}: {problem.title}", ("what", "which", "how"), tuple(rows))


def _set(one: CalibratedSet) -> Iterator[Section]:
    tasks: list[tuple[object, ...]] = [(task.kind, task.id, "") for task in one.tasks]
    tasks += [
        (kind, "", reason)
        for kind, reason in (("parallel", one.parallel_reason), ("real", one.real_reason))
        if reason
    ]
    yield Section(f"Tasks of {one.id}", ("kind", "task", "why not"), tuple(tasks))
    if one.parallel_key is not None:
        yield _hidden(one.id, one.parallel_key)
    if one.world is not None:
        yield _world(one.world)
    yield Section(
        f"Baselines of {one.id}",
        ("kind", "baseline", "S_N", "S_V", "S_S", "why"),
        tuple(
            (item.kind, item.player, item.numeric, item.validity, item.structure, item.reason)
            for item in one.baselines
        ),
    )


def _hidden(problem_id: str, key: ParallelKey) -> Section:
    rows: list[tuple[object, ...]] = [
        ("published law", key.base_law, to_infix(key.base)),
        ("hidden law", "", to_infix(key.law)),
    ]
    rows += [
        (f"edit {edit.move}", edit.path, f"{to_infix(edit.before)} -> {to_infix(edit.after)}")
        for edit in key.edits
    ]
    rows += [
        (f"certificate {item.name}", "passed" if item.passed else "failed", item.sentence)
        for item in key.certificates
    ]
    rows += [
        ("refused", item.failed, f"{item.expression}: {item.sentence}") for item in key.refused
    ]
    return Section(f"Hidden law of {problem_id} (sealed)", ("what", "where", "how"), tuple(rows))


def _world(world: CalibratedWorld) -> Section:
    return Section(
        f"World {world.id}: residuals in {world.space} space",
        ("group", "records", "signal variance", "residual variance", "noise factor"),
        tuple(
            (
                group.label or "all",
                group.pool_rows,
                group.signal_variance,
                group.residual_variance,
                group.noise_factor,
            )
            for group in world.groups
        ),
    )


__all__ = ("PROBLEM_COLUMNS", "problem_counts", "problem_sections")
