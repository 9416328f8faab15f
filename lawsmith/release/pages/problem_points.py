"""What charts of a problem show: records, published law, its residuals, world and hidden law.

A panel is one group over one control. With one control the laws are lines; with several they
are drawn at the records, since the other controls vary from record to record.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from lawsmith.calibration.fitting import space_of
from lawsmith.calibration.hidden_laws import calibration_records, published_fits
from lawsmith.calibration.problems import SINGLE, Records, make_split, spans_decade
from lawsmith.calibration.worlds import CalibratedSimulator, read_pool
from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression
from lawsmith.oracle import hidden_form
from lawsmith.release.problems import CalibratedProblem
from schemas.dataset import Column, ReadoutColumn
from schemas.expression import Expression
from schemas.world import CalibratedWorld

PANEL_GROUPS: Final = 3
PANEL_CONTROLS: Final = 3
LINE_POINTS: Final = 601
"""Enough for a yearly cycle over decades."""
SAMPLE_SEED: Final = 20_251_130
"""Seed of the samples shown: a page is the same whenever it is made. No trial uses it."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Panel:
    """One group over one control. Every array has one entry a training record of the group."""

    group: str
    """Label of the table; `""` without groups."""
    control: Column
    x: Floats
    records: Floats
    published: Floats | None
    """The base law with its fitted constants; None where it has no value."""
    residuals: Floats | None
    """Of the base law, in residual space."""
    samples: Floats | None
    """One measurement of the world at each record's inputs; None without a world."""
    hidden: Floats | None
    """The hidden law there."""
    line: Floats | None
    """Points along the only control; None with several."""
    published_line: Floats | None
    hidden_line: Floats | None
    logarithmic_x: bool
    logarithmic_y: bool


@dataclass(frozen=True, eq=False)
class ProblemPoints:
    """The panels of a problem."""

    problem_id: str
    readout: ReadoutColumn
    base: str | None
    """Id of the published law that is drawn."""
    constants: Mapping[str, Mapping[str, float]]
    """Group -> constants of that law, fitted to the training rows."""
    panels: tuple[Panel, ...]


def points_of(stored: CalibratedProblem) -> ProblemPoints:
    """The panels of a problem: at most three groups over one control, or one over three.

    Raises:
        IntegrityError: the pool is not that of the world.
    """
    problem = stored.problem
    records = calibration_records(stored.table, make_split(problem, stored.table))
    fits, choice = published_fits(problem, records)
    base = problem.laws[0].id if choice is None else tuple(fits)[choice.index]
    law = next(item for item in problem.laws if item.id == base)
    fitted = fits.get(base)
    constants = {} if fitted is None else {g: fitted.values(g) for g in fitted.constants}
    drawer = _Drawer(stored, records, law.expression, constants)
    groups = _groups(records, constants)
    controls = range(len(problem.controls))
    if len(problem.controls) > 1:
        groups = groups[:1]
    panels = [
        drawer.panel(group, place)
        for group in groups[:PANEL_GROUPS]
        for place in controls[:PANEL_CONTROLS]
    ]
    return ProblemPoints(problem.id, problem.readout, base, constants, tuple(panels))


def _groups(records: Records, constants: Mapping[str, object]) -> list[str]:
    """The fitted groups, those with the most training rows first."""
    rows = records.group_rows()
    known = [label for label in rows if not constants or label in constants]
    return sorted(known, key=lambda label: (-len(rows[label]), label))


class _Drawer:
    """Values of the laws and of the world at records and along lines."""

    def __init__(
        self,
        stored: CalibratedProblem,
        records: Records,
        law: Expression,
        constants: Mapping[str, Mapping[str, float]],
    ) -> None:
        self._problem = stored.problem
        self._space = space_of(stored.problem.residuals)
        self._records = records
        self._law, self._constants = law, constants
        self._world: CalibratedWorld | None = stored.world
        self._simulator: CalibratedSimulator | None = None
        if stored.world is not None and stored.pool is not None and stored.parallel_key is not None:
            pool = read_pool(stored.pool, stored.world)
            form = hidden_form(stored.parallel_key)
            self._simulator = CalibratedSimulator(stored.world, pool, form)

    def panel(self, group: str, place: int) -> Panel:
        """One group over one control."""
        rows = self._records.group_rows()[group]
        own = self._records if len(rows) == len(self._records) else self._records.take(rows)
        inputs = own.table
        published = self._published(group, inputs)
        residuals = None if published is None else self._residuals(own.target, published)
        line = published_line = hidden_line = None
        x = inputs[:, place]
        logarithmic = bool(spans_decade(x))
        if inputs.shape[1] == 1:
            ends = (float(x.min()), float(x.max()))
            make = np.geomspace if logarithmic else np.linspace
            line = np.clip(make(*ends, LINE_POINTS), *ends)
            published_line = self._published(group, line[:, None])
            hidden_line = self._hidden(group, line[:, None])
        return Panel(
            group=group,
            control=self._problem.controls[place],
            x=x,
            records=own.target,
            published=published,
            residuals=residuals,
            samples=self._samples(group, inputs),
            hidden=self._hidden(group, inputs),
            line=line,
            published_line=published_line,
            hidden_line=hidden_line,
            logarithmic_x=logarithmic,
            logarithmic_y=self._space.kind == "log10" and bool((own.target > 0).all()),
        )

    def _published(self, group: str, inputs: Floats) -> Floats | None:
        if group not in self._constants:
            return None
        names = (control.name for control in self._problem.controls)
        given = dict(zip(names, inputs.T, strict=True))
        try:
            found = compile_expression(self._law)({**given, **self._constants[group]})
        except UndefinedValueError:
            return None
        return np.array(np.broadcast_to(found, (len(inputs),)), dtype=np.float64)

    def _residuals(self, target: Floats, published: Floats) -> Floats | None:
        try:
            return self._space.of_records(target) - self._space.of_law(published)
        except UndefinedValueError:
            return None

    def _in_world(self, group: str) -> bool:
        return self._world is not None and group in {item.label for item in self._world.groups}

    def _samples(self, group: str, inputs: Floats) -> Floats | None:
        if self._simulator is None or not self._in_world(group):
            return None
        labels = None if group == SINGLE else [group] * len(inputs)
        generator = Generator(PCG64(SAMPLE_SEED))
        return self._simulator.measure(inputs, labels, generator).values

    def _hidden(self, group: str, inputs: Floats) -> Floats | None:
        if self._simulator is None or not self._in_world(group):
            return None
        labels = None if group == SINGLE else [group] * len(inputs)
        return self._simulator.clean(inputs, labels)


__all__ = ("Panel", "ProblemPoints", "points_of")
