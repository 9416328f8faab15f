"""Pictures of problems for people, as PNG bytes: admission, and worlds beside their records."""

import base64
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lawsmith.gateways.store import read_partition
from lawsmith.inspection.pictures import PASSED, REJECTED, plain, png
from lawsmith.release import CalibratedProblem
from lawsmith.release.pages import ProblemPoints, points_of
from lawsmith.runs import StageContext
from lawsmith.stages.calibrated_worlds import calibrated_sets
from lawsmith.stages.problems import PARTITION, admitted_problems

MOST: Final = 9
"""Worlds drawn."""


def admission(context: StageContext) -> bytes | None:
    """Held-out R² of each problem's best published law, refused ones marked; None without any."""
    rows = [
        row
        for row in read_partition(context.store, "problems", context.collection, PARTITION)
        if row.extra["held_out_r2"] is not None
    ]
    if not rows:
        return None
    figure = Figure(figsize=(8, 0.26 * len(rows) + 1.4), layout="constrained")
    axes = figure.subplots()
    heights = [max(-0.2, float(row.extra["held_out_r2"] or 0.0)) for row in rows]
    colours = [PASSED if row.outcome == "passed" else REJECTED for row in rows]
    axes.barh([row.id for row in rows], heights, color=colours)
    axes.invert_yaxis()
    axes.set_xlabel("held-out R² of the best published law, in residual space (cut at -0.2)")
    axes.set_title("Problems: admitted green, refused red")
    plain(axes)
    return png(figure)


def calibrated(context: StageContext) -> bytes | None:
    """Records, published law, hidden law and samples of the first worlds; None without any."""
    loaded = {item.problem.id: item for item in admitted_problems(context)}
    sets = [one for one in calibrated_sets(context) if one.world is not None and one.id in loaded]
    if not sets:
        return None
    shown = sets[:MOST]
    columns = min(3, len(shown))
    lines = -(-len(shown) // columns)
    figure = Figure(figsize=(4.4 * columns, 3.4 * lines), layout="constrained")
    grid = np.atleast_1d(figure.subplots(lines, columns)).ravel()
    for axes, one in zip(grid, shown, strict=False):
        problem = CalibratedProblem(
            problem=loaded[one.id].problem,
            table=loaded[one.id].table,
            parallel=one.parallel,
            parallel_key=one.parallel_key,
            world=one.world,
            pool=None if one.pool is None else base64.b64decode(one.pool),
            real=one.real,
            real_key=one.real_key,
            observations=one.observations,
            baselines=one.baselines,
            submissions=one.submissions,
        )
        _draw(axes, points_of(problem))
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    return png(figure)


def _draw(axes: Axes, points: ProblemPoints) -> None:
    """The first panel of a problem: records filled, samples of the world hollow."""
    panel = points.panels[0]
    axes.scatter(panel.x, panel.records, s=9, color="#44515f", label="records")
    if panel.samples is not None:
        axes.scatter(
            panel.x, panel.samples, s=14, facecolors="none", edgecolors="#c8553d", label="world"
        )
    if panel.line is not None and panel.published_line is not None:
        axes.plot(panel.line, panel.published_line, color="#1f4e79", label="published law")
        if panel.hidden_line is not None:
            axes.plot(panel.line, panel.hidden_line, "--", color="#c8553d", label="hidden law")
    if panel.logarithmic_x:
        axes.set_xscale("log")
    if panel.logarithmic_y:
        axes.set_yscale("log")
    group = f", {panel.group}" if panel.group else ""
    axes.set_title(f"{points.problem_id}{group}", fontsize=9)
    axes.set_xlabel(f"{panel.control.name} [{panel.control.unit}]", fontsize=8)
    axes.set_ylabel(f"{points.readout.name} [{points.readout.unit}]", fontsize=8)
    axes.legend(frameon=False, fontsize=7)
    plain(axes)
