"""Whether a player misread its own observations: they refute its law, but not the law's form."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.evaluation.predictors import Predictor
from lawsmith.expressions import compile_expression, fold_constants
from lawsmith.measurement import columns, fit_form, prediction_errors
from lawsmith.mutation.screening import free_constants
from schemas.episode import Episode, Observation
from schemas.expression import Expression
from schemas.family import FamilyReadout
from schemas.task import PublicTask

_Columns = dict[str, NDArray[np.float64]]


def misreads_evidence(predictor: Predictor, episode: Episode, task: PublicTask) -> bool:
    """Whether a predictor misses its player's observations though its own form meets them all.

    Missed is an observation with e > 1, or one where the predictor has no value. The form is
    the predictor with its literal constants (`literal_paths`) freed; it meets the observations
    of a readout when constants fitted to them leave every e at most 1.

    Args:
        predictor: readout -> expression.
        episode: whose observations count, given or asked for.
        task: its public task.
    """
    seen = [*episode.given, *(turn.observation for turn in episode.turns if turn.observation)]
    missed = False
    for readout in task.readouts:
        rows = [row for row in seen if readout.name in row.outputs]
        if not rows:
            continue
        inputs, observed = _table(rows, readout, task)
        law = predictor[readout.name]
        if _meets(law, inputs, observed, readout):
            continue
        if not _refit_meets(law, inputs, observed, readout):
            return False
        missed = True
    return missed


def _table(
    rows: Sequence[Observation], readout: FamilyReadout, task: PublicTask
) -> tuple[_Columns, NDArray[np.float64]]:
    points = [[row.inputs[control.name] for control in task.controls] for row in rows]
    observed = [row.outputs[readout.name] for row in rows]
    return columns(task.controls, np.array(points, dtype=np.float64)), np.array(observed)


def _meets(
    law: Expression,
    inputs: _Columns,
    observed: NDArray[np.float64],
    readout: FamilyReadout,
    constants: dict[str, float] | None = None,
) -> bool:
    try:
        values = compile_expression(law)({**inputs, **(constants or {})})
    except UndefinedValueError:
        return False
    predicted = np.broadcast_to(np.asarray(values), observed.shape)
    errors = prediction_errors(
        predicted[:, None], observed[:, None], [readout.absolute], [readout.relative]
    )
    return bool(errors.max() <= 1.0)


def _refit_meets(
    law: Expression, inputs: _Columns, observed: NDArray[np.float64], readout: FamilyReadout
) -> bool:
    form, start = free_constants(fold_constants(law))
    if not start:
        return False
    # Levenberg-Marquardt asks for as many rows as constants; the same rows again add nothing.
    times = -(-len(start) // len(observed))
    again = {name: np.tile(column, times) for name, column in inputs.items()}
    truth = np.tile(observed, times)
    scale = readout.absolute + readout.relative * np.abs(truth)
    try:
        fits = fit_form(form, start, again, truth, scale)
    except InputError:
        # The form has no value at some observation from any start.
        return False
    return any(_meets(form, inputs, observed, readout, fit.constants) for fit in fits)


__all__ = ("misreads_evidence",)
