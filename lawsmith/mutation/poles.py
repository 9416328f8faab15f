"""Zeros of divisors inside the domain, which no finite sample of points meets.

A law that divides by an expression of both signs is undefined wherever that expression passes
through zero. Between two inputs with the same choices and opposite signs the segment is cut in
half until both ends are neighbours in float64; where the divisor shrinks towards the crossing
(so that it is a zero and no jump) and the crossing is admissible, it is a hole in the domain.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import evaluate
from lawsmith.measurement.constraints import Conditioned, Controlled, Points, columns, feasible
from schemas.card import Choices
from schemas.expression import Expression, Op, names_of, walk

_THROUGH: Final = frozenset({"mul", "div", "pow", "neg", "abs", "sqrt", "cbrt"})
_HALVINGS: Final = 80
_SHRUNK: Final = 1e-6
"""A divisor this much smaller at the crossing than at both ends passes through zero."""
_PAIRS: Final = 8
"""Segments tried for one divisor and one choice of the discrete controls."""


def hole(
    law: Expression,
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    points: Points,
) -> tuple[str, tuple[float, ...]] | None:
    """(JSON Pointer of a divisor, input where it is zero) inside the domain, or None.

    Args:
        law: over the controls alone.
        controls: the axes.
        constraints: joint conditions.
        points: admissible inputs at which every node of the law has a value, shape (n, controls).
    """
    for path, divisor in _divisors(law):
        values = _values(divisor, controls, points)
        if values is None or not (values.min() < 0.0 < values.max()):
            continue
        for low, high in _segments(values, controls, points):
            found = _crossing(divisor, controls, points[low], points[high])
            if found is not None and feasible(controls, constraints, found[None, :])[0]:
                return path, tuple(found.tolist())
    return None


def _divisors(law: Expression) -> Iterator[tuple[str, Expression]]:
    """What may not be zero: divisors, bases of negative powers, the cosine behind a tangent."""
    for path, node in walk(law):
        if not isinstance(node, Op):
            continue
        if node.op == "div":
            yield from _factors(node.args[1], f"{path}/args/1")
        elif node.op == "pow" and _is_negative(node.args[1]):
            yield from _factors(node.args[0], f"{path}/args/0")
        elif node.op == "tan" and names_of(node):
            yield path, Op("cos", node.args)


def _factors(divisor: Expression, path: str) -> Iterator[tuple[str, Expression]]:
    """The parts of a divisor whose zeros are its zeros: a square has one sign, its base two."""
    if not names_of(divisor):
        return
    if isinstance(divisor, Op) and divisor.op in _THROUGH:
        count = len(divisor.args) if divisor.op == "mul" else 1
        for place, arg in enumerate(divisor.args[:count]):
            yield from _factors(arg, f"{path}/args/{place}")
    else:
        yield path, divisor


def _is_negative(exponent: Expression) -> bool:
    if names_of(exponent):
        return False
    try:
        return float(evaluate(exponent, {})) < 0.0
    except UndefinedValueError:
        return False


def _values(
    divisor: Expression, controls: Sequence[Controlled], points: Points
) -> NDArray[np.float64] | None:
    try:
        value = evaluate(divisor, columns(controls, points))
    except UndefinedValueError:
        return None
    return np.broadcast_to(np.asarray(value), len(points))


def _segments(
    values: NDArray[np.float64], controls: Sequence[Controlled], points: Points
) -> Iterator[tuple[int, int]]:
    """Index pairs of unlike sign and equal choices, the nearest to zero first."""
    discrete = [i for i, c in enumerate(controls) if isinstance(c.domain, Choices)]
    groups: dict[tuple[float, ...], list[int]] = {}
    for index, row in enumerate(points[:, discrete].tolist()):
        groups.setdefault(tuple(row), []).append(index)
    for members in groups.values():
        order = sorted(members, key=lambda index: abs(values[index]))
        below = [index for index in order if values[index] < 0.0][:_PAIRS]
        above = [index for index in order if values[index] > 0.0][:_PAIRS]
        yield from zip(below, above, strict=False)


def _crossing(
    divisor: Expression, controls: Sequence[Controlled], below: Points, above: Points
) -> Points | None:
    ends = _values(divisor, controls, np.stack([below, above]))
    if ends is None:
        return None
    size = float(np.abs(ends).min())
    for _ in range(_HALVINGS):
        middle = below + (above - below) / 2
        if (middle == below).all() or (middle == above).all():
            break
        value = _values(divisor, controls, middle[None, :])
        if value is None or value[0] == 0.0:
            return middle
        below, above = (middle, above) if value[0] < 0.0 else (below, middle)
    near = _values(divisor, controls, below[None, :])
    return below if near is not None and abs(near[0]) <= _SHRUNK * size else None


__all__ = ("hole",)
