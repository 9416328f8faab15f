"""Residuals of a law over some records as a function of some of its constants."""

import math
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.fitting.slopes import value_and_slopes
from lawsmith.calibration.problems import Records, Space
from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression
from schemas.expression import Expression

Floats = NDArray[np.float64]

HOPELESS: Final = 1e9
"""In spreads of the records: the residual of constants at which the law has no value."""


_STEEPEST: Final = 1e140
"""Slopes beyond it would have squares beyond float64."""


class Target(Protocol):
    """Residuals and their slopes; both finite everywhere."""

    def residuals(self, constants: Floats) -> Floats:
        """Shape (n,)."""
        ...

    def slopes(self, constants: Floats) -> Floats:
        """Shape (n, constants)."""
        ...


class Misfit:
    """phi(y) - phi(F) over rows, as a function of the constants that are named.

    Args:
        law: over controls and constants.
        names: the free constants, in the order of the vectors taken.
        records: the rows.
        space: of the residuals.
        known: the other constants.
    """

    def __init__(
        self,
        law: Expression,
        names: Sequence[str],
        records: Records,
        space: Space,
        known: Mapping[str, float],
    ) -> None:
        self._law = law
        self._compiled = compile_expression(law)
        self._names = tuple(names)
        self._space = space
        used = frozenset(self._compiled.names)
        self._inputs: dict[str, Floats | float] = {
            **{name: column for name, column in records.inputs.items() if name in used},
            **known,
        }
        self._rows = len(records)
        self.observed = space.of_records(records.target)
        spread = float(np.std(self.observed))
        self._hopeless = HOPELESS * (spread if spread > 0 else 1.0)

    def fitted(self, constants: Floats) -> Floats:
        """phi(F), shape (n,).

        Raises:
            UndefinedValueError: the law has no value, or no logarithm, at a record.
        """
        values = self._compiled(self._given(constants))
        return self._space.of_law(np.broadcast_to(values, (self._rows,)))

    def residuals(self, constants: Floats) -> Floats:
        """Shape (n,); all hopeless where the law has no value at some record."""
        try:
            fitted = self.fitted(constants)
        except UndefinedValueError:
            return np.full(self._rows, self._hopeless)
        with np.errstate(over="ignore"):
            return np.clip(self.observed - fitted, -self._hopeless, self._hopeless)

    def slopes(self, constants: Floats) -> Floats:
        """Shape (n, constants); 0 where residuals are hopeless."""
        return self.slopes_in(constants, self._names)

    def slopes_in(self, constants: Floats, names: Sequence[str]) -> Floats:
        """Slopes of the residuals in any constants, free or known."""
        try:
            values, slopes = value_and_slopes(self._law, names, self._given(constants), self._rows)
            fitted = self._space.of_law(values)
        except UndefinedValueError:
            return np.zeros((self._rows, len(names)))
        with np.errstate(over="ignore"):
            if self._space.kind == "log10":
                slopes /= (values * math.log(10))[:, None]
            far = np.abs(self.observed - fitted) >= self._hopeless
        return np.where(far[:, None], 0.0, -np.clip(slopes, -_STEEPEST, _STEEPEST))

    def hopeless(self, residuals: Floats) -> bool:
        """Whether the law has no value there, or is as far off as if it had none."""
        return bool((np.abs(residuals) >= self._hopeless).all())

    def know(self, known: Mapping[str, float]) -> None:
        """Set constants that are not free."""
        self._inputs.update(known)

    def _given(self, constants: Floats) -> dict[str, Floats | float]:
        return {**self._inputs, **dict(zip(self._names, constants.tolist(), strict=True))}


__all__ = ("HOPELESS", "Misfit", "Target")
