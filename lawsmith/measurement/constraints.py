"""Joint conditions on the controls: an expression that is >= 0 where an input is admissible."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import compile_expression
from schemas.card import Choices, Domain
from schemas.expression import Expression

Points = NDArray[np.float64]
"""Shape (n, controls), in the declared units and order."""


class Controlled(Protocol):
    """A control of a card, a Historical card or a family."""

    @property
    def name(self) -> str:
        """The name that expressions use."""

    @property
    def domain(self) -> Domain:
        """A closed range or a finite set of choices."""


class Conditioned(Protocol):
    """A constraint of a card, a Historical card or a family."""

    @property
    def expression(self) -> Expression:
        """Admissible where >= 0."""


def columns(controls: Sequence[Controlled], points: Points) -> dict[str, Points]:
    """Name -> column: points as the inputs of an expression.

    Raises:
        InputError: the points have another number of columns.
    """
    if points.ndim != 2 or points.shape[1] != len(controls):
        raise InputError(
            f"points of shape {points.shape} do not have {len(controls)} columns", path="inputs"
        )
    return {control.name: points[:, i] for i, control in enumerate(controls)}


def inside(controls: Sequence[Controlled], points: Points) -> NDArray[np.bool_]:
    """Which points lie in every control's own domain, shape (n,)."""
    mask = np.ones(len(points), dtype=np.bool_)
    for i, control in enumerate(controls):
        column = points[:, i]
        if isinstance(control.domain, Choices):
            mask &= np.isin(column, control.domain.choices)
        else:
            mask &= (column >= control.domain.low) & (column <= control.domain.high)
    return mask


def feasible(
    controls: Sequence[Controlled], constraints: Sequence[Conditioned], points: Points
) -> NDArray[np.bool_]:
    """Which points fulfil every constraint, shape (n,); an undefined condition is not fulfilled."""
    mask = np.ones(len(points), dtype=np.bool_)
    for constraint in constraints:
        mask &= _fulfilled(constraint.expression, columns(controls, points), len(points))
    return mask


def admissible(
    controls: Sequence[Controlled], constraints: Sequence[Conditioned], point: Sequence[float]
) -> bool:
    """Whether one input lies in every domain and fulfils every constraint."""
    points = np.asarray([point], dtype=np.float64)
    return bool(
        inside(controls, points)[0]
        and len(point) == len(controls)
        and feasible(controls, constraints, points)[0]
    )


def _fulfilled(expression: Expression, inputs: dict[str, Points], n: int) -> NDArray[np.bool_]:
    condition = compile_expression(expression)
    try:
        return np.broadcast_to(np.asarray(condition(inputs)) >= 0.0, (n,))
    except UndefinedValueError:
        if n == 1:
            return np.zeros(1, dtype=np.bool_)
    # Somewhere the condition has no value: those points alone are refused.
    single = ({name: column[i : i + 1] for name, column in inputs.items()} for i in range(n))
    return np.array([_fulfilled(expression, one, 1)[0] for one in single], dtype=np.bool_)


__all__ = ("Conditioned", "Controlled", "Points", "admissible", "columns", "feasible", "inside")
