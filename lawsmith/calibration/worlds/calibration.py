"""Building a calibrated world: a hidden law, and real residuals around it.

The world is data: its record and its pool. The law and its constants stay sealed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, product
from typing import Final, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.calibration.problems import Axes, Records, Space, axes_of, usable
from lawsmith.calibration.residuals import (
    LARGEST_POOL,
    TARGET,
    local_means,
    mean_count,
    noise_factor,
    sample_count,
    span_points,
    thinned,
    variance,
)
from lawsmith.calibration.worlds.pools import POOL, Pool, pool_bytes
from lawsmith.calibration.worlds.readout_bounds import ReadoutRule, law_values
from lawsmith.errors import InputError
from schemas.expression import Expression
from schemas.problem import Problem
from schemas.world import (
    CalibratedWorld,
    DroppedGroup,
    PoolFile,
    QueryLimits,
    WorldAxis,
    WorldControl,
    WorldGroup,
    WorldReadout,
)

Floats = NDArray[np.float64]

CALLS: Final = 10
SAMPLES: Final = 3
FEWEST_POINTS: Final = 10
PROBES: Final = 1024
"""Points of the support, beside its corners, at which the law must have a value."""
MOST_CORNERS: Final = 2**10
MOST_CLIPPED: Final = 0.1
"""A world whose bounds clip more of its own values than this misrepresents its law."""


@dataclass(frozen=True, slots=True)
class HiddenForm:
    """A law with all its constants, group by group; sealed."""

    law: Expression
    constants: Mapping[str, Mapping[str, float]]
    """Group label (`""` without groups) -> constant -> value."""


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """What a world is told about its problem."""

    id: str
    problem_id: str
    problem_digest: str
    law_id: str
    controls: tuple[WorldControl, ...]
    readout: WorldReadout
    calibration_rows: Literal["train", "all"]
    """Which rows the records are: `train` whenever a Real task of the problem ships."""
    train_rows: int
    """Rows of the training part, which set the query limits."""
    out_of_range: Literal["reject", "clip"] = "reject"
    target_r2: float = TARGET


def query_limits(train_rows: int) -> QueryLimits:
    """10 calls of max(10, a tenth of the training rows) points, each measured up to 3 times."""
    points = max(FEWEST_POINTS, train_rows // 10)
    return QueryLimits(
        calls=CALLS,
        points_per_call=points,
        samples_per_point=SAMPLES,
        rows=CALLS * points * SAMPLES,
    )


def calibrate(
    plan: WorldPlan,
    form: HiddenForm,
    records: Records,
    space: Space,
    *,
    subset_seed: int = 0,
    largest_pool: int = LARGEST_POOL,
) -> tuple[CalibratedWorld, Pool]:
    """The world of a law whose constants are fitted, and its pool.

    Groups with fewer than 8 records are dropped. Groups come in order of their label's text.

    Args:
        plan: what the world is told.
        form: the hidden law, with constants for every usable group.
        records: rows of the canonical table that may calibrate, controls as in the plan.
        space: of the residuals.
        subset_seed: for groups with more records than `largest_pool`, which are thinned.
        largest_pool: the most records in a group's pool.

    Raises:
        InputError: controls or groups do not agree, a group's law is constant, or the readout's
            bounds clip more than a tenth of a group's own values.
        UndefinedValueError: at a calibration input or a probed point of the support the law
            has no value, is not positive in logarithmic space, or is outside the readout's
            bounds.
    """
    names = tuple(control.name for control in plan.controls)
    if tuple(records.inputs) != names:
        raise InputError(f"records have {tuple(records.inputs)}, not {names}", path="controls")
    kept, dropped = usable(records)
    groups, inputs, residuals = [], [], []
    for label, rows in kept.group_rows().items():
        own = kept if len(rows) == len(kept) else kept.take(rows)
        builder = _GroupBuilder(
            plan, form, space, label, own, thinned(own, subset_seed, largest_pool)
        )
        group, debiased = builder.build()
        groups.append(group)
        inputs.append(builder.pool.table)
        residuals.append(debiased)
    pool = Pool(tuple(group.label for group in groups), tuple(inputs), tuple(residuals))
    data = pool_bytes(pool, names)
    few = any(group.pool_rows < group.rows for group in groups)
    world = CalibratedWorld(
        id=plan.id,
        kind="calibrated",
        policy="calibration-1",
        problem_id=plan.problem_id,
        problem_digest=plan.problem_digest,
        law_id=plan.law_id,
        controls=plan.controls,
        readout=plan.readout,
        grouped=records.groups is not None,
        space=space.kind,
        floor=space.floor if space.kind == "log10" else None,
        target_r2=plan.target_r2,
        calibration_rows=plan.calibration_rows,
        rows=len(kept),
        subset_seed=subset_seed if few else None,
        groups=tuple(groups),
        dropped=tuple(DroppedGroup(label=label, rows=rows) for label, rows in dropped.items()),
        limits=query_limits(plan.train_rows),
        out_of_range=plan.out_of_range,
        pool=PoolFile(
            path=POOL,
            sha256=sha256(data).hexdigest(),
            rows=sum(group.pool_rows for group in groups),
        ),
    )
    return world, pool


def plan_of(problem: Problem, train_rows: int) -> WorldPlan:
    """What the world of a problem is told.

    Args:
        problem: whose readout and controls it has.
        train_rows: they set the query limits.
    """
    readout = problem.readout
    return WorldPlan(
        id=f"{problem.id}/world",
        problem_id=problem.id,
        problem_digest=problem.digest,
        law_id=f"{problem.id}/law",
        controls=tuple(WorldControl(name=c.name, unit=c.unit) for c in problem.controls),
        readout=WorldReadout(
            name=readout.name,
            unit=readout.unit,
            low=readout.natural_low,
            high=readout.natural_high,
            integer=readout.integer,
        ),
        calibration_rows="train",
        train_rows=train_rows,
    )


@dataclass(frozen=True, slots=True)
class _GroupBuilder:
    plan: WorldPlan
    form: HiddenForm
    space: Space
    label: str
    whole: Records
    """Every record of the group: they set the support."""
    pool: Records

    def build(self) -> tuple[WorldGroup, Floats]:
        table = self.pool.table
        axes = self._axes(axes_of(table))
        self.space.of_law(self._law(support_points(axes)))
        fitted = self.space.of_law(self._law(table))
        residuals = self.space.of_records(self.pool.target) - fitted
        debiased = residuals - local_means(table, residuals)
        signal, noise = variance(self._signal(table, fitted, axes)), variance(debiased)
        factor = noise_factor(signal, noise, self.plan.target_r2)
        rule = ReadoutRule(self.plan.readout)
        clipped = float(rule.outside(self.space.back(fitted + factor * debiased)).mean())
        if clipped > MOST_CLIPPED:
            raise InputError(
                f"bounds clip {clipped:.1%} of the values of group {self.label!r}, over"
                f" {MOST_CLIPPED:.0%}",
                path="readout",
                fix="use logarithmic residuals or reject the law",
            )
        group = WorldGroup(
            label=self.label,
            rows=len(self.whole),
            pool_rows=len(self.pool),
            lifted=self.space.lifted(self.pool.target),
            axes=axes,
            mean_neighbours=mean_count(len(table)),
            sample_neighbours=sample_count(len(table)),
            signal_variance=signal,
            residual_variance=noise,
            noise_factor=factor,
            clipped_share=clipped,
        )
        return group, debiased

    def _law(self, table: Floats) -> Floats:
        return law_values(self.form.law, self._constants(), self._named(table), self.plan.readout)

    def _signal(self, table: Floats, fitted: Floats, axes: Sequence[WorldAxis]) -> Floats:
        """phi(F) over the span of one input, or at the records of several."""
        if table.shape[1] > 1 or axes[0].low == axes[0].high:
            return fitted
        ends = np.array([axes[0].low, axes[0].high])
        return self.space.of_law(self._law(span_points(ends)[:, None]))

    def _constants(self) -> Mapping[str, float]:
        if self.label not in self.form.constants:
            raise InputError(f"no constants for group {self.label!r}", path="form.constants")
        return self.form.constants[self.label]

    def _named(self, table: Floats) -> dict[str, Floats]:
        names = (control.name for control in self.plan.controls)
        return dict(zip(names, table.T, strict=True))

    def _axes(self, axes: Axes) -> tuple[WorldAxis, ...]:
        described = zip(
            self.whole.inputs.items(), axes.logs, axes.means, axes.deviations, strict=True
        )
        return tuple(
            WorldAxis(
                control=name,
                low=float(column.min()),
                high=float(column.max()),
                log=log,
                mean=mean,
                deviation=deviation,
            )
            for (name, column), log, mean, deviation in described
        )


def support_points(axes: Sequence[WorldAxis]) -> Floats:
    """Unkeyed Sobol points of a support and its corners, shape (points, controls).

    A player may ask anywhere between the least and the largest input of each control, also
    where no record is: the law must have a value there.
    """
    unit = scipy.stats.qmc.Sobol(len(axes), scramble=False).random(PROBES)
    corners = np.array(list(islice(product((0.0, 1.0), repeat=len(axes)), MOST_CORNERS)))
    shares = np.vstack([unit, corners])
    found = np.empty_like(shares)
    for place, axis in enumerate(axes):
        share = shares[:, place]
        if axis.log:
            moved = axis.low * (axis.high / axis.low) ** share
        else:
            moved = axis.low + (axis.high - axis.low) * share
        found[:, place] = np.clip(moved, axis.low, axis.high)
    return found


__all__ = ("HiddenForm", "WorldPlan", "calibrate", "query_limits", "support_points")
