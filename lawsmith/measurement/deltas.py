"""How far each constant of a law may move before the weak standard breaks (`delta-1`).

delta = the largest relative change of that constant alone, either way, that keeps e <= 1 on
all hidden inputs; at most 1e-2. It is stored sealed before play and rounded down to three
digits, so that it is the same on every machine.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import Compiled, compile_expression, literal_paths
from lawsmith.measurement.constraints import Controlled, columns
from schemas.expression import Expression, Op, Var, walk
from schemas.task import ConstantTolerance

DELTA_POLICY: Final = "delta-1"
LARGEST: Final = 1e-2
SMALLEST: Final = 1e-9
"""A constant that may not even move by this has delta 0: only its exact value counts."""

_GRID: Final = 15
_ROUNDS: Final = 4
_FREED: Final = "free_constant"


def constant_tolerances(
    laws: Mapping[str, Expression],
    controls: Sequence[Controlled],
    hidden: ArrayLike,
    truth: ArrayLike,
    absolute: Sequence[float],
    relative: Sequence[float],
) -> tuple[ConstantTolerance, ...]:
    """The tolerance of every literal constant of folded laws, in readout then path order.

    Args:
        laws: readout -> law over the controls alone.
        controls: the controls, in the order of the hidden inputs' columns.
        hidden: shape (n, controls).
        truth: shape (n, readouts), columns in the order of `laws`.
        absolute: a_r of each readout.
        relative: lambda of each readout.

    Raises:
        UndefinedValueError: a law has no value at a hidden input.
    """
    points = np.asarray(hidden, dtype=np.float64)
    values = np.asarray(truth, dtype=np.float64)
    inputs = columns(controls, points)
    found: list[ConstantTolerance] = []
    for r, (readout, law) in enumerate(laws.items()):
        scale = absolute[r] + relative[r] * np.abs(values[:, r])
        nodes = dict(walk(law))
        for path in literal_paths(law):
            value = nodes[path]
            if not isinstance(value, float):
                raise TypeError(f"{path} of {readout} is no literal")
            function = compile_expression(with_node(law, path, Var(_FREED)))
            delta = _largest(function, value, inputs, values[:, r], scale)
            found.append(ConstantTolerance(readout=readout, path=path, value=value, delta=delta))
    return tuple(found)


def with_node(expression: Expression, path: str, new: Expression) -> Expression:
    """The expression with the node at a JSON Pointer replaced."""
    if not path:
        return new
    _, _, index, *rest = path.split("/")
    if not isinstance(expression, Op):
        raise ValueError(f"{path} leads below a leaf")
    args = list(expression.args)
    args[int(index)] = with_node(args[int(index)], "".join(f"/{part}" for part in rest), new)
    return Op(expression.op, tuple(args))


def _largest(
    function: Compiled,
    value: float,
    inputs: Mapping[str, NDArray[np.float64]],
    truth: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> float:
    """The end of the first run of harmless changes, by ever finer geometric grids."""
    low, high = 0.0, LARGEST
    for _ in range(_ROUNDS):
        start = max(low, SMALLEST)
        if high <= start:
            break
        grid = np.geomspace(start, high, _GRID + 1)
        harmless = [_harmless(function, value, float(d), inputs, truth, scale) for d in grid]
        if all(harmless):
            return _down(float(grid[-1]))
        first = harmless.index(False)
        if first == 0:
            return 0.0
        low, high = float(grid[first - 1]), float(grid[first])
    return _down(low)


def _harmless(
    function: Compiled,
    value: float,
    change: float,
    inputs: Mapping[str, NDArray[np.float64]],
    truth: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> bool:
    for sign in (1.0, -1.0):
        moved: dict[str, Any] = {**inputs, _FREED: value * (1.0 + sign * change)}
        try:
            predicted = function(moved)
        except UndefinedValueError:
            return False
        if not bool(np.all(np.abs(predicted - truth) <= scale)):
            return False
    return True


def _down(delta: float) -> float:
    """Rounded down to three significant digits."""
    if delta <= 0.0:
        return 0.0
    places = 2 - math.floor(math.log10(delta) + 1e-9)
    return float(f"{math.floor(delta * 10**places + 1e-6) / 10**places:.3g}")


__all__ = ("DELTA_POLICY", "LARGEST", "constant_tolerances", "with_node")
