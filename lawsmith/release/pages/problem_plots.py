"""Charts of tasks on real data as inline SVG: records, fitted laws, residuals, worlds."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from lawsmith.release.pages.axes import Axis, axis_of_values, tick_text
from lawsmith.release.pages.frames import Frame, drawing, grid
from lawsmith.release.pages.problem_points import Floats, Panel
from schemas.calibrated_task import CalibratedControl, CalibratedReadout, RealObservation

MOST_POINTS: Final = 400
"""Points of one kind on a chart: more are thinned evenly, and the page says so."""

Points = Sequence[tuple[float, float]]


def records_svg(panel: Panel, readout: str) -> str:
    """Records of a group with the published law through them."""
    frame = _frame(panel.x, [panel.records, panel.published, panel.published_line])
    parts = list(_circles(frame, panel.x, panel.records, "record", 2.6))
    parts += _law(frame, panel, panel.published, panel.published_line, "original")
    label = f"{readout} against {panel.control.name}: {len(panel.x)} records, published law"
    return drawing(frame, "chart", label, [*grid(frame, frame.x.ticks(most=7)), *parts])


def residuals_svg(panel: Panel, readout: str) -> str:
    """What the published law leaves of the records, in residual space."""
    if panel.residuals is None:
        return ""
    largest = float(np.abs(panel.residuals).max()) or 1.0
    frame = _framed(_axis(panel.x), Axis(-1.08 * largest, 1.08 * largest, logarithmic=False))
    parts = [*grid(frame, frame.x.ticks(most=7)), _zero(frame)]
    parts += _circles(frame, panel.x, panel.residuals, "record", 2.6)
    label = f"Residuals of the published law of {readout} against {panel.control.name}"
    return drawing(frame, "chart", label, parts)


def world_svg(panel: Panel, readout: str) -> str:
    """One measurement of the world at each record's inputs, with the hidden and published law."""
    if panel.samples is None:
        return ""
    frame = _frame(panel.x, [panel.samples, panel.hidden, panel.hidden_line, panel.published_line])
    parts = list(_circles(frame, panel.x, panel.samples, "counterfactual", 2.6))
    if panel.line is not None:
        parts += _law(frame, panel, None, panel.published_line, "original")
    parts += _law(frame, panel, panel.hidden, panel.hidden_line, "counterfactual")
    label = f"{readout} against {panel.control.name}: samples of the world, hidden law dashed"
    return drawing(frame, "chart", label, [*grid(frame, frame.x.ticks(most=7)), *parts])


def panel_thumbnail(panel: Panel, readout: str) -> str:
    """Records and both laws alone, for the index."""
    values = [panel.records, panel.published_line, panel.hidden_line]
    frame = Frame(160, 96, 6, 6, 6, 6, _axis(panel.x), _axis(*values))
    parts = list(_circles(frame, panel.x, panel.records, "record", 1.6, most=120))
    if panel.line is not None:
        parts += _law(frame, panel, None, panel.published_line, "original", step=4)
        parts += _law(frame, panel, None, panel.hidden_line, "counterfactual", step=4)
    label = f"{readout} against {panel.control.name}: records, published and hidden law"
    return drawing(frame, "thumb", label, parts)


def training_svg(
    rows: Sequence[RealObservation],
    place: int,
    control: CalibratedControl,
    readout: CalibratedReadout,
) -> str:
    """The public records of a Real task against one control; those of `fit` hollow."""
    x = np.array([row.inputs[place] for row in rows])
    y = np.array([row.output for row in rows])
    frame = _framed(_axis(x), _axis(y))
    parts = list(grid(frame, frame.x.ticks(most=7)))
    for part, kind in (("train", "first"), ("fit", "later")):
        here = np.array([row.part == part for row in rows])
        parts += _circles(frame, x[here], y[here], kind, 2.6)
    label = f"{readout.name} against {control.name}: {len(rows)} records"
    return drawing(frame, "chart", label, parts)


def task_thumbnail(rows: Sequence[RealObservation]) -> str:
    """The public records over the first control, for the index."""
    x = np.array([row.inputs[0] for row in rows])
    y = np.array([row.output for row in rows])
    frame = Frame(160, 96, 8, 8, 8, 8, _axis(x), _axis(y))
    return drawing(
        frame, "thumb", f"{len(rows)} records", _circles(frame, x, y, "first", 1.6, most=120)
    )


def is_logarithmic(values: Iterable[float]) -> bool:
    """Whether these values get a logarithmic scale."""
    return axis_of_values(values).logarithmic


def _axis(*values: Floats | None) -> Axis:
    known = [array[np.isfinite(array)] for array in values if array is not None]
    return axis_of_values(np.concatenate(known).tolist() if known else ())


def _frame(x: Floats, values: Sequence[Floats | None]) -> Frame:
    return _framed(_axis(x), _axis(*values))


def _framed(x: Axis, y: Axis) -> Frame:
    widest = max((len(tick_text(tick)) for tick in y.ticks()), default=1)
    return Frame(360, 210, 14 + 6.4 * widest, 12, 8, 27, x, y)


def _circles(
    frame: Frame, x: Floats, y: Floats, kind: str, radius: float, most: int = MOST_POINTS
) -> Iterator[str]:
    step = max(1, -(-len(x) // most))
    for across, up in zip(x[::step].tolist(), y[::step].tolist(), strict=True):
        if not frame.y.logarithmic or up > 0:
            place = frame.at(across, up)
            yield f'<circle class="{kind}" cx="{place[0]}" cy="{place[1]}" r="{radius}"/>'


def _law(
    frame: Frame,
    panel: Panel,
    at_records: Floats | None,
    line: Floats | None,
    kind: str,
    step: int = 1,
) -> list[str]:
    """A line, or a short dash at each record where there are several controls."""
    if panel.line is not None and line is not None:
        places = [
            frame.at(x, y)
            for x, y in zip(panel.line[::step].tolist(), line[::step].tolist(), strict=True)
            if not frame.y.logarithmic or y > 0
        ]
        path = "M" + "L".join(f"{x} {y}" for x, y in places)
        return [f'<path class="curve {kind}" d="{path}"/>']
    if panel.line is not None or at_records is None:
        return []
    every = max(1, -(-len(panel.x) // MOST_POINTS))
    dashes = []
    for x, y in zip(panel.x[::every].tolist(), at_records[::every].tolist(), strict=True):
        if not frame.y.logarithmic or y > 0:
            across, up = frame.at(x, y)
            dashes.append(f"M{across} {up}m-3 0h6")
    return [f'<path class="curve thin solid {kind}" d="{"".join(dashes)}"/>']


def _zero(frame: Frame) -> str:
    up = frame.up(0.0)
    return f'<path class="axis" d="M{frame.left:g} {up}H{frame.width - frame.right:g}"/>'


__all__ = (
    "MOST_POINTS",
    "is_logarithmic",
    "panel_thumbnail",
    "records_svg",
    "residuals_svg",
    "task_thumbnail",
    "training_svg",
    "world_svg",
)
