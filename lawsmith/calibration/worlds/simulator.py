"""Measurements of a calibrated world: its law at a point and a residual of the records near it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from lawsmith.calibration.problems import Axes, Space, table_of
from lawsmith.calibration.residuals import ResidualSampler
from lawsmith.calibration.worlds.calibration import HiddenForm
from lawsmith.calibration.worlds.pools import Pool
from lawsmith.calibration.worlds.readout_bounds import ReadoutRule, law_values
from lawsmith.errors import InputError
from schemas.world import CalibratedWorld, WorldGroup

Floats = NDArray[np.float64]
Labels = NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Measurements:
    """What one call returns, row by row."""

    values: Floats
    """The readout, shape (m,)."""
    saturated: NDArray[np.bool_]
    """Whether a bound of the readout replaced the value."""


class CalibratedSimulator:
    """Measures a world: the law at a point and one residual of the records near it.

    Args:
        world: its record.
        pool: its pool.
        form: its sealed law.

    Raises:
        InputError: the pool or the law lacks a group of the world.
    """

    def __init__(self, world: CalibratedWorld, pool: Pool, form: HiddenForm) -> None:
        labels = tuple(group.label for group in world.groups)
        if pool.labels != labels or not set(labels) <= set(form.constants):
            raise InputError(f"the pool or the law lacks one of the groups {labels}")
        self._world = world
        self._form = form
        self._space = Space(world.space) if world.floor is None else Space("log10", world.floor)
        self._rule = ReadoutRule(world.readout)
        self._groups = {group.label: group for group in world.groups}
        self._samplers = {
            group.label: ResidualSampler(inputs, residuals, axes=_axes_of_group(group))
            for group, inputs, residuals in zip(
                world.groups, pool.inputs, pool.residuals, strict=True
            )
        }

    def out_of_range(
        self, points: ArrayLike, groups: Sequence[str] | None = None
    ) -> NDArray[np.bool_]:
        """Which coordinates are outside their group's support, shape (m, controls).

        Raises:
            InputError: as `measure`.
        """
        table, labels = self._asked(points, groups)
        found = np.zeros(table.shape, dtype=bool)
        for label, rows in _rows_by_label(labels).items():
            low, high = self._support(label)
            found[rows] = (table[rows] < low) | (table[rows] > high)
        return found

    def clipped(self, points: ArrayLike, groups: Sequence[str] | None = None) -> Floats:
        """The points with each coordinate moved to the nearest end of its support."""
        table, labels = self._asked(points, groups)
        found = table.copy()
        for label, rows in _rows_by_label(labels).items():
            found[rows] = np.clip(table[rows], *self._support(label))
        return found

    def measure(
        self, points: ArrayLike, groups: Sequence[str] | None, generator: Generator
    ) -> Measurements:
        """One measurement a row; a point asked for n times is n rows and n draws.

        One rank is drawn for every row, in the order of the rows, whatever their groups.

        Args:
            points: shape (m, controls), inside the support.
            groups: the label of each row; None in a world without groups.
            generator: the server's own.

        Raises:
            InputError: a number is not finite, a coordinate is out of range, another number of
                columns, unknown groups, or groups where there are none.
            UndefinedValueError: the law has no value there, or none that the readout can have.
        """
        table, labels = self._asked(points, groups)
        outside = self.out_of_range(table, groups)
        if outside.any():
            row, place = np.argwhere(outside)[0]
            raise InputError(
                f"{table[row, place].item()!r} is outside the support",
                path=f"points[{row}].{self._world.controls[place].name}",
            )
        by_label = _rows_by_label(labels)
        ranks = self._ranks(labels, by_label, generator)
        values, saturated = np.empty(len(table)), np.zeros(len(table), dtype=bool)
        for label, rows in by_label.items():
            sampler = self._samplers[label]
            drawn = sampler.ranked(table[rows], ranks[rows])
            law = self._clean(table[rows], label)
            noisy = self._space.of_law(law) + self._groups[label].noise_factor * drawn
            read = self._space.back(noisy)
            saturated[rows] = self._rule.outside(read)
            values[rows] = self._rule.read(read)
        return Measurements(values, saturated)

    def clean(self, points: ArrayLike, groups: Sequence[str] | None = None) -> Floats:
        """The law itself at each point, shape (m,); errors as `measure`, but for the range."""
        table, labels = self._asked(points, groups)
        values = np.empty(len(table))
        for label, rows in _rows_by_label(labels).items():
            values[rows] = self._clean(table[rows], label)
        return values

    def _ranks(
        self, labels: Labels, by_label: Mapping[str, NDArray[np.int64]], generator: Generator
    ) -> NDArray[np.int64]:
        if len(by_label) == 1:
            return generator.integers(0, self._samplers[str(labels[0])].count, size=len(labels))
        counts = np.array([self._samplers[str(label)].count for label in labels])
        return generator.integers(0, counts)

    def _clean(self, table: Floats, label: str) -> Floats:
        names = (control.name for control in self._world.controls)
        given = dict(zip(names, table.T, strict=True))
        constants = self._form.constants[label]
        return law_values(self._form.law, constants, given, self._world.readout)

    def _support(self, label: str) -> tuple[Floats, Floats]:
        axes = self._groups[label].axes
        return np.array([axis.low for axis in axes]), np.array([axis.high for axis in axes])

    def _asked(self, points: ArrayLike, groups: Sequence[str] | None) -> tuple[Floats, Labels]:
        table = table_of(points, "points")
        if table.shape[1] != len(self._world.controls):
            raise InputError(
                f"points have {table.shape[1]} columns, not {len(self._world.controls)}",
                path="points",
            )
        if (groups is not None) != self._world.grouped:
            raise InputError("this world has groups" if groups is None else "no groups here")
        labels = np.full(len(table), "") if groups is None else np.asarray(groups, dtype=np.str_)
        if labels.shape != (len(table),):
            raise InputError(f"{labels.size} groups for {len(table)} points", path="groups")
        unknown = sorted(set(labels.tolist()) - set(self._groups))
        if unknown:
            raise InputError(f"unknown group {unknown[0]!r}", path="groups")
        return table, labels


def _axes_of_group(group: WorldGroup) -> Axes:
    return Axes(
        tuple(axis.log for axis in group.axes),
        tuple(axis.mean for axis in group.axes),
        tuple(axis.deviation for axis in group.axes),
    )


def _rows_by_label(labels: Labels) -> dict[str, NDArray[np.int64]]:
    return {str(label): np.flatnonzero(labels == label) for label in np.unique(labels)}


__all__ = ("CalibratedSimulator", "Measurements")
