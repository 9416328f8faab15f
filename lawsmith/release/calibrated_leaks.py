"""The leak check of tasks on real data: nothing public leads to the data set or to a law."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lawsmith.expressions import to_infix
from lawsmith.release.calibrated_background import sealed_texts
from lawsmith.release.leaks import NUMBER, SMALL
from lawsmith.release.problems import CalibratedProblem
from lawsmith.release.tables import TABLE_PATHS, row_path
from schemas.calibrated_task import (
    CalibratedControl,
    CalibratedReadout,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.dataset import PackageTable
from schemas.problem import Problem
from schemas.record import canonical_json
from schemas.release import Fault

FEWEST_LETTERS: Final = 4
"""Shorter names stand in every text."""

Task = ParallelTask | RealTask


def calibrated_leak_faults(
    problems: Sequence[CalibratedProblem],
    tasks: Sequence[Task],
    observations: Sequence[RealObservation],
) -> list[Fault]:
    """Every leak of the public rows on real data, each with the row and field it stands in.

    Args:
        problems: the sealed side.
        tasks: in the order of the public tables.
        observations: in the order of their table.
    """
    faults: list[Fault] = []
    for item in problems:
        for task in item.tasks:
            faults += _named(task, item.problem)
            if item.parallel_key is not None:
                faults += _told(task, item.parallel_key)
        if item.real_key is not None:
            faults += _held_out(item.real_key, item.observations)
    faults += _order(tasks, observations)
    return faults


def sealed_names(problem: Problem) -> tuple[str, ...]:
    """What must not be read in a public row: title, ids, data set, citations, laws, groups."""
    loader = problem.loader
    dataset = loader.dataset if isinstance(loader, PackageTable) else loader.path
    stem = dataset.rpartition("/")[2].partition(".")[0]
    names = (*sealed_texts(problem), stem, *(law.id.replace("_", " ") for law in problem.laws))
    columns = {item.name.lower() for item in (*problem.controls, problem.readout)}
    # A law or file may be called by a plain word that a column has for its name.
    return tuple(
        name
        for name in dict.fromkeys(names)
        if len(name) >= FEWEST_LETTERS and name.lower() not in columns
    )


def _named(task: Task, problem: Problem) -> Iterator[Fault]:
    for field, text in _texts(task):
        for name in sealed_names(problem):
            pattern = rf"(?<![A-Za-z0-9.]){re.escape(name)}(?![A-Za-z0-9]|\.[0-9])"
            if re.search(pattern, text, re.IGNORECASE):
                yield Fault(
                    path=f"{row_path(task.kind, task.id)}/{field}",
                    what=f"names what is sealed of its problem: {name!r}",
                )


def _told(task: Task, key: ParallelKey) -> Iterator[Fault]:
    public = {value for control in task.controls for value in (control.low, control.high)}
    public |= {v for v in (task.readout.natural_low, task.readout.natural_high) if v is not None}
    hidden = {value for group in key.constants for value in group.values.values()} - public
    hidden = {value for value in hidden if not (value.is_integer() and abs(value) <= SMALL)}
    law = re.sub(r"\s+", "", to_infix(key.law))
    for field, text in _texts(task):
        if any(float(match.group()) in hidden for match in NUMBER.finditer(text)):
            yield Fault(
                path=f"{row_path(task.kind, task.id)}/{field}",
                what="holds a constant of the hidden law",
            )
    if len(law) > FEWEST_LETTERS and law in re.sub(
        r"\s+", "", canonical_json([text for _, text in _texts(task)])
    ):
        yield Fault(path=row_path(task.kind, task.id), what="holds the hidden law in text")


def _held_out(key: RealKey, observations: Sequence[RealObservation]) -> Iterator[Fault]:
    shown = {(row.group, row.inputs) for row in observations}
    for index, row in enumerate(key.held_out):
        if (row.group, row.inputs) in shown:
            yield Fault(
                path=f"{row_path('real_keys', key.id)}/held_out/{index}",
                what="stands among the public observations",
            )


def _texts(task: Task) -> Iterator[tuple[str, str]]:
    yield "id", task.id
    yield "background", task.background
    yield "world", task.world
    named: list[tuple[str, CalibratedControl | CalibratedReadout]] = [("readout", task.readout)]
    named += [(f"controls/{i}", item) for i, item in enumerate(task.controls)]
    for where, quantity in named:
        yield f"{where}/name", quantity.name
        yield f"{where}/symbol", quantity.symbol
        yield f"{where}/meaning", quantity.meaning
    for index, label in enumerate(task.groups):
        yield f"groups/{index}", label


def _order(tasks: Sequence[Task], observations: Sequence[RealObservation]) -> Iterator[Fault]:
    for kind in ("parallel", "real"):
        ids = [task.id for task in tasks if task.kind == kind]
        if ids != sorted(ids):
            yield Fault(path=TABLE_PATHS[kind], what="rows are not in the order of their ids")
    places = [(row.task_id, row.index) for row in observations]
    if places != sorted(places):
        yield Fault(
            path=TABLE_PATHS["real_observations"], what="rows are not in the order of their ids"
        )
    # The order of the source's file would tell which file it is.
    by_task: dict[tuple[str, str], list[RealObservation]] = {}
    for row in observations:
        by_task.setdefault((row.task_id, row.part), []).append(row)
    for (identity, _), rows in by_task.items():
        values = [(int((row.group or "g0")[1:]), row.inputs, row.output) for row in rows]
        if values != sorted(values):
            yield Fault(
                path=row_path("real_observations", identity),
                what="rows are not in the order of group, inputs and output",
            )


__all__ = ("calibrated_leak_faults", "sealed_names")
