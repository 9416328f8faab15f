"""What a release holds of one problem: its records, its tasks, its world, its baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lawsmith.calibration.problems import ProblemTable
from lawsmith.errors import InputError
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.dataset import Licence
from schemas.problem import Problem
from schemas.world import CalibratedWorld

POOLS: Final = "sealed/worlds"
"""Folder of the pools: data alone, one Parquet file a world."""


@dataclass(frozen=True, eq=False)
class CalibratedProblem:
    """A problem with all that was made of it, as stored; nothing here is drawn again."""

    problem: Problem
    table: ProblemTable
    """The canonical table, row by row."""
    parallel: ParallelTask | None
    """None where no hidden law survived its screens."""
    parallel_key: ParallelKey | None
    world: CalibratedWorld | None
    pool: bytes | None
    """The Parquet file of the world's pool."""
    real: RealTask | None
    real_key: RealKey | None
    observations: tuple[RealObservation, ...]
    baselines: tuple[CalibratedScore, ...]
    submissions: tuple[CalibratedSubmission, ...]
    """What the baselines handed in."""

    @property
    def tasks(self) -> tuple[ParallelTask | RealTask, ...]:
        """The tasks that there are."""
        return tuple(task for task in (self.parallel, self.real) if task is not None)


def pool_path(world: CalibratedWorld) -> str:
    """Where the pool of a world stands in a release."""
    return f"{POOLS}/{world.problem_id}.parquet"


def data_licences(problems: Sequence[CalibratedProblem]) -> list[tuple[Licence, int]]:
    """The licence of each problem's data with the number of its tasks."""
    return [(item.problem.licence, len(item.tasks)) for item in problems]


def row_id(problem_id: str, row: object) -> str:
    """The id of a row of a canonical table; ids are in the order of the rows."""
    return f"{problem_id}/{row:0>7}"


def table_rows(problem: Problem, table: ProblemTable) -> list[dict[str, Any]]:
    """The canonical table as rows, in its order: `<problem>/<row>`, from 0."""
    return [
        {
            "id": row_id(problem.id, row),
            "problem_id": problem.id,
            "index": row,
            "group": None if table.groups is None else table.groups[row],
            "inputs": table.inputs[row].tolist(),
            "output": float(table.target[row]),
        }
        for row in range(table.rows)
    ]


def table_of_rows(problem: Problem, rows: Sequence[Mapping[str, Any]]) -> ProblemTable:
    """The canonical table of the rows of a release, in the order of their index.

    Raises:
        InputError: a row has another number of inputs, or no label where there are groups.
    """
    ordered = sorted(rows, key=lambda row: int(row["index"]))
    width = len(problem.controls)
    for row in ordered:
        if len(row["inputs"]) != width or (row["group"] is None) != (problem.group is None):
            raise InputError(f"row {row['index']} is not of {problem.id}", path=str(row["id"]))
    return ProblemTable(
        source=f"problem_rows of {problem.id}",
        names=problem.names,
        inputs=np.array([row["inputs"] for row in ordered], dtype=np.float64).reshape(-1, width),
        target=np.array([row["output"] for row in ordered], dtype=np.float64),
        groups=None if problem.group is None else tuple(str(row["group"]) for row in ordered),
    )


__all__ = (
    "POOLS",
    "CalibratedProblem",
    "data_licences",
    "pool_path",
    "row_id",
    "table_of_rows",
    "table_rows",
)
