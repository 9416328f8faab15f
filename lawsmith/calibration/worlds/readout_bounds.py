"""Values that a readout can have: bounds and whole numbers.

A law outside the bounds is an error. Noise may lead outside: the value is then the bound, as
with a saturated instrument, and is marked. Whole numbers are rounded half to even, after that.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.measurement import quantise
from schemas.expression import Expression
from schemas.world import WorldReadout

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReadoutRule:
    """How a value is read."""

    readout: WorldReadout

    def outside(self, values: Floats) -> NDArray[np.bool_]:
        """Whether each value is outside the bounds."""
        low, high = self._bounds()
        found: NDArray[np.bool_] = (values < low) | (values > high)
        return found

    def read(self, values: Floats) -> Floats:
        """The values as they are read, shape as given."""
        within: Floats = np.clip(values, *self._bounds())
        return quantise(within, 1.0) if self.readout.integer else within

    def _bounds(self) -> tuple[float, float]:
        low, high = self.readout.low, self.readout.high
        return (-np.inf if low is None else low, np.inf if high is None else high)


def law_values(
    law: Expression,
    constants: Mapping[str, float],
    inputs: Mapping[str, Floats],
    readout: WorldReadout,
) -> Floats:
    """The law at some points, shape (m,).

    Raises:
        InputError: a name of the law has no value.
        UndefinedValueError: no finite real value, or one outside the bounds of the readout.
    """
    rows = len(next(iter(inputs.values())))
    found = compile_expression(law)({**inputs, **constants})
    values = np.array(np.broadcast_to(found, (rows,)))
    outside = ReadoutRule(readout).outside(values)
    if outside.any():
        row = int(np.argmax(outside))
        raise UndefinedValueError(
            f"the law is {values[row].item()!r}, which {readout.name} cannot be",
            path="law",
            inputs={name: float(column[row]) for name, column in inputs.items()},
        )
    return values


__all__ = ("ReadoutRule", "law_values")
