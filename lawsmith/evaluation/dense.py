"""A world all over its domain: where a predictor of the right form is held to its constants.

The design is law-blind and the same for everyone: corners and 1,024 plain Sobol points of the
task's domain, constraints kept, or every combination where all controls are choices and there
are no more. What decides is the exact law: float64 only says where to look.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.evaluation.predictors import Predictor, predictions
from lawsmith.expressions import compile_expression, evaluate_exact
from lawsmith.measurement import columns, dense_design, prediction_errors
from lawsmith.rules import named
from schemas.expression import Expression
from schemas.family import FamilyConstraint, FamilyControl, FamilyReadout
from schemas.task import PublicTask, SealedKey, SealedLaw

DENSE_POLICY: Final = named("dense")
DENSE_POINTS: Final = 1024
CLEAR: Final = 0.8
"""An e up to here in float64 is no failure: certificate 2 holds both to a tenth of a tolerance."""


@dataclass(frozen=True)
class DenseWorld:
    """The values of a world's laws on the dense design of its domain."""

    names: tuple[str, ...]
    """Controls."""
    laws: tuple[Expression, ...]
    """In the order of the readouts."""
    points: NDArray[np.float64]
    """Shape (n, controls); points where a law has no value are left out."""
    truth: NDArray[np.float64]
    """Shape (n, readouts), in float64 where that has a value, else exact."""
    _exact: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)

    def exact(self, i: int, r: int) -> float:
        """The law of readout r at point i, correctly rounded."""
        if (i, r) not in self._exact:
            self._exact[i, r] = evaluate_exact(self.laws[r], self.inputs(i))
        return self._exact[i, r]

    def inputs(self, i: int) -> dict[str, float]:
        """Control -> value at point i."""
        return dict(zip(self.names, self.points[i].tolist(), strict=True))


def beyond_tolerance(predictor: Predictor, task: PublicTask, key: SealedKey) -> str | None:
    """Where on the dense design a predictor misses its world by e > 1; None where nowhere.

    Args:
        predictor: readout -> expression, in the order of the task's readouts.
        task: the public task.
        key: its sealed key.
    """
    world = _dense_world(task.controls, task.constraints, _ordered(task.readouts, key.laws))
    try:
        predicted = predictions(predictor, task.controls, world.points.tolist())
    except InputError as problem:
        return str(problem)
    absolute = np.array([readout.absolute for readout in task.readouts])
    relative = np.array([readout.relative for readout in task.readouts])
    errors = prediction_errors(predicted, world.truth, absolute, relative)
    suspects = np.argwhere(errors > CLEAR)
    order = np.argsort(-errors[errors > CLEAR], kind="stable")
    for i, r in suspects[order].tolist():
        error = prediction_errors(
            [predicted[i, r]], [world.exact(i, r)], absolute[r : r + 1], relative[r : r + 1]
        )
        if error[0] > 1.0:
            where = ", ".join(f"{name} = {value:g}" for name, value in world.inputs(i).items())
            return f"{task.readouts[r].name} is {error[0]:.3g} tolerances off at {where}"
    return None


def _ordered(
    readouts: Sequence[FamilyReadout], laws: Sequence[SealedLaw]
) -> tuple[Expression, ...]:
    found = {law.readout: law.expression for law in laws}
    return tuple(found[readout.name] for readout in readouts)


@lru_cache(maxsize=1024)
def _dense_world(
    controls: tuple[FamilyControl, ...],
    constraints: tuple[FamilyConstraint, ...],
    laws: tuple[Expression, ...],
) -> DenseWorld:
    points = dense_design(controls, constraints, DENSE_POINTS)
    names = tuple(control.name for control in controls)
    given = columns(controls, points)
    truth = np.empty((len(points), len(laws)))
    for r, law in enumerate(laws):
        try:
            truth[:, r] = compile_expression(law)(given)
        except UndefinedValueError:
            truth[:, r] = [
                _exact_or_none(law, dict(zip(names, row, strict=True))) for row in points.tolist()
            ]
    has_value = ~np.isnan(truth).any(axis=1)
    return DenseWorld(names, laws, points[has_value], truth[has_value])


def _exact_or_none(law: Expression, inputs: dict[str, float]) -> float:
    """The exact value, NaN where the law has none: there is nothing to compare with."""
    try:
        return evaluate_exact(law, inputs)
    except UndefinedValueError:
        return np.nan


__all__ = ("CLEAR", "DENSE_POINTS", "DENSE_POLICY", "DenseWorld", "beyond_tolerance")
