"""Is a submission an admissible predictor? One expression a readout, over the controls."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.measurement import columns
from schemas.expression import MAX_NODES, Expression, WireError, from_wire, names_of, node_count
from schemas.family import FamilyControl, FamilyReadout

Predictor = dict[str, Expression]
"""Readout -> expression, in the order of the task's readouts."""


def read_predictor(
    data: Mapping[str, Any], controls: Sequence[FamilyControl], readouts: Sequence[FamilyReadout]
) -> Predictor:
    """The predictor of a submission in wire form.

    Raises:
        InputError: readouts are missing or extra, an expression is none, a name is no
            control, or all expressions together have more than 1,024 nodes.
    """
    wanted = [readout.name for readout in readouts]
    for name in wanted:
        if name not in data:
            raise InputError("is missing", path=f"predictor/{name}")
    for name in sorted(set(data) - set(wanted)):
        raise InputError(f"is no readout; the readouts are {wanted}", path=f"predictor/{name}")
    names = {control.name for control in controls}
    found: Predictor = {}
    for name in wanted:
        try:
            expression = from_wire(data[name])
        except WireError as error:
            raise InputError(error.problem, path=f"predictor/{name}{error.path}") from error
        foreign = sorted(names_of(expression) - names)
        if foreign:
            raise InputError(
                f"uses {foreign[0]!r}; the controls are {sorted(names)}", path=f"predictor/{name}"
            )
        found[name] = expression
    total = sum(node_count(expression) for expression in found.values())
    if total > MAX_NODES:
        raise InputError(
            f"{total} nodes over all readouts, more than {MAX_NODES}", path="predictor"
        )
    return found


def predictions(
    predictor: Predictor, controls: Sequence[FamilyControl], inputs: Sequence[Sequence[float]]
) -> NDArray[np.float64]:
    """The predictor's values, shape (n, readouts).

    Raises:
        InputError: a value is undefined somewhere; the path is the node's.
    """
    points = np.asarray(inputs, dtype=np.float64)
    table = np.empty((len(points), len(predictor)), dtype=np.float64)
    given = columns(controls, points)
    for r, (name, expression) in enumerate(predictor.items()):
        try:
            table[:, r] = compile_expression(expression)(given)
        except UndefinedValueError as error:
            inner = "" if error.path == "/" else error.path
            raise InputError(
                f"{error.problem} at {error.inputs!r}", path=f"predictor/{name}{inner}"
            ) from error
    return table


__all__ = ("Predictor", "predictions", "read_predictor")
