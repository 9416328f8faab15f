"""Shared constants with the groups' own ones solved for inside: variable projection."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.fitting.least_squares import Box, least, scaled_solution, unit_covariance
from lawsmith.calibration.fitting.residual_function import Misfit
from lawsmith.calibration.problems import Records, Rows, Space
from schemas.expression import Expression

Floats = NDArray[np.float64]


class Grouped:
    """Residuals of all records as a function of the shared constants alone.

    Args:
        law: over controls and constants.
        names: the shared constants, and those of each group.
        records: with a group column.
        space: of the residuals.
        known: constants that are not fitted.
        box: bounds of a group's own constants.
        start: of every group's own constants.
    """

    def __init__(
        self,
        law: Expression,
        names: tuple[Sequence[str], Sequence[str]],
        records: Records,
        space: Space,
        known: Mapping[str, float],
        box: Box,
        start: Floats,
    ) -> None:
        self._shared, own = names
        self._rows = len(records)
        self._box = box
        self.groups: dict[str, Rows] = records.group_rows()
        self._targets = {
            label: Misfit(law, own, records.take(rows), space, known)
            for label, rows in self.groups.items()
        }
        self.solution: dict[str, Floats] = dict.fromkeys(self.groups, start)
        """Each group's own constants at the shared ones last looked at."""
        self._at: Floats | None = None
        self._last: Floats = np.empty(0)

    def residuals(self, constants: Floats) -> Floats:
        """Shape (n,), in the order of the records."""
        if self._at is not None and (self._at == constants).all():
            return self._last
        shared = dict(zip(self._shared, constants.tolist(), strict=True))
        found = np.empty(self._rows)
        for label, rows in self.groups.items():
            target = self._targets[label]
            target.know(shared)
            start = self.solution[label]
            if not target.hopeless(target.residuals(start)):
                self.solution[label] = least(target, [start], self._box)
            found[rows] = target.residuals(self.solution[label])
        self._at, self._last = constants.copy(), found
        return found

    def slopes(self, constants: Floats) -> Floats:
        """Shape (n, shared): what is left of them when the groups' own constants follow."""
        self.residuals(constants)
        found = np.empty((self._rows, len(constants)))
        for label, rows in self.groups.items():
            own, shared = self._slopes(label)
            found[rows] = shared - own @ scaled_solution(own, shared)
        return found

    def deviations(
        self, constants: Floats, freedom: int
    ) -> tuple[Floats | None, dict[str, Floats | None]]:
        """Standard deviations of the shared constants and of each group's own ones."""
        residuals = self.residuals(constants)
        common = unit_covariance(self.slopes(constants))
        if common is None or freedom < 1:
            return None, dict.fromkeys(self.groups)
        square = float(residuals @ residuals) / freedom
        found: dict[str, Floats | None] = {}
        for label in self.groups:
            own, shared = self._slopes(label)
            inverse = unit_covariance(own)
            follow = scaled_solution(own, shared)
            if inverse is None:
                found[label] = None
            else:
                with np.errstate(all="ignore"):
                    own_part = np.diag(inverse + follow @ common @ follow.T) * square
                sound = bool(np.isfinite(own_part).all() and (own_part >= 0).all())
                found[label] = np.sqrt(own_part) if sound else None
        return np.sqrt(np.diag(common) * square), found

    def _slopes(self, label: str) -> tuple[Floats, Floats]:
        target, solution = self._targets[label], self.solution[label]
        return target.slopes(solution), target.slopes_in(solution, self._shared)


__all__ = ("Grouped",)
