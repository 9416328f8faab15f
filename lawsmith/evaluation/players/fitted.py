"""Law-blind answers to Parallel and Real tasks: one fit of all rows, groups pooled."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.hidden_laws import box_points
from lawsmith.errors import InputError
from lawsmith.expressions import to_infix
from lawsmith.measurement import fit_affine, fit_constant, fit_monomial
from lawsmith.oracle import ParallelClient
from schemas.calibrated_task import (
    CalibratedControl,
    ParallelTask,
    RealObservation,
    RealTask,
    WorldCall,
)
from schemas.expression import Expression

Array = NDArray[np.float64]
Fit = Callable[[Sequence[str], Array, Array], tuple[Expression, ...]]


def _zero(_names: Sequence[str], _inputs: Array, _values: Array) -> tuple[Expression, ...]:
    return (0.0,)


SHARES: Final = (1.0, 0.6, 0.3, 0.1)
"""Of the ranges, tried in turn; ten calls meet at most thirty refusals."""

FITS: Final[Mapping[str, Fit]] = {
    "null": _zero,
    "mean": fit_constant,
    "affine": fit_affine,
    "power-law": fit_monomial,
}
"""Player -> how it fits."""


def real_answer(player: str, task: RealTask, rows: Sequence[RealObservation]) -> str:
    """The law of a player for a Real task, infix, fitted to its public rows.

    Raises:
        InputError: an unknown player.
    """
    inputs = np.array([row.inputs for row in rows])
    outputs = np.array([[row.output] for row in rows])
    return _law(player, task.controls, inputs, outputs)


def parallel_answer(
    player: str, task: ParallelTask, trial: ParallelClient
) -> tuple[str, tuple[WorldCall, ...]]:
    """The law of a player for a Parallel task and the calls it made: an even design, once read.

    The trial stays open: the law is handed in by whoever opened it.

    Calls go to the groups in turn, or all to the one world.

    Raises:
        InputError: an unknown player.
        OracleFaultError: the Oracle cannot be asked.
    """
    budget, groups = task.budget, task.groups or (None,)
    for number in range(budget.calls if player != "null" else 0):
        _ask(task, trial, number, groups[number % len(groups)])
    calls = trial.history()
    seen = [row for call in calls for row in call.rows]
    if not seen:
        return to_infix(0.0), ()
    inputs = np.array([row.inputs for row in seen])
    law = _law(player, task.controls, inputs, np.array([[row.output] for row in seen]))
    return law, calls


def _ask(task: ParallelTask, trial: ParallelClient, number: int, group: str | None) -> None:
    """One answered call, if any comes: a refused design is drawn in to the middle of the ranges.

    A group's own range is known from refusals alone, which cost nothing.
    """
    budget = task.budget
    unit = box_points(
        [np.array([0.0, 1.0])] * len(task.controls), budget.calls * budget.points_per_call
    )
    mine = unit[number :: budget.calls][: budget.points_per_call]
    for share in SHARES:
        places = 0.5 + share * (mine - 0.5)
        points = [
            {
                control.name: _between(control, float(place))
                for control, place in zip(task.controls, row, strict=True)
            }
            for row in places
        ]
        if trial.query(points, group=group, samples=1).rows:
            return


def _between(control: CalibratedControl, place: float) -> float:
    low, high = control.low, control.high
    found = low * (high / low) ** place if control.logarithmic else low + (high - low) * place
    return min(high, max(low, found))


def _law(player: str, controls: Sequence[CalibratedControl], inputs: Array, outputs: Array) -> str:
    if player not in FITS:
        raise InputError(
            f"player {player!r} is not known", path="player", fix=f"use one of {', '.join(FITS)}"
        )
    return to_infix(FITS[player]([control.name for control in controls], inputs, outputs)[0])


__all__ = ("FITS", "parallel_answer", "real_answer")
