"""Charts of the galleries as inline SVG: no asset, no script, colours from the page's style.

Coordinates are rounded to a tenth of a unit of the view box, so the same family gives the
same bytes. Curves carry the classes `original` and `counterfactual`; the second is dashed,
so that nothing rests on colour alone.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from lawsmith.measurement import is_logarithmic, to_unit
from lawsmith.release.pages.axes import Axis, axis_of_values, tick_text
from lawsmith.release.pages.frames import Frame, drawing, grid, short
from lawsmith.release.pages.slices import Array, Slice
from schemas.card import Choices
from schemas.family import Environment, Family, FamilyControl
from schemas.task import FixedObservation, PublicTask

ENVIRONMENTS: Final[tuple[Environment, Environment]] = ("original", "counterfactual")
MAIN_BUDGET: Final = 4
"""The budget of the main table: its observations are drawn stronger."""

MANY_CHOICES: Final = 12


def slice_svg(family: Family, found: Slice, readout: int) -> str:
    """Both laws of one readout along one control, with the Fixed inputs as ticks below."""
    control = family.controls[found.axis]
    frame = _framed(control, _finite(found, readout))
    parts = [*_grid(frame, control), *_rug(family, found.axis, frame)]
    parts += [_curve(found, readout, name, frame, control) for name in ENVIRONMENTS]
    label = (
        f"{family.readouts[readout].name} against {control.name}:"
        f" Original solid, Counterfactual dashed. {_range_words(family, found, readout)}"
    )
    return drawing(frame, "chart", label, parts)


def slice_is_logarithmic(found: Slice, readout: int) -> bool:
    """Whether the chart of a slice has a logarithmic scale upwards."""
    return axis_of_values(_finite(found, readout)).logarithmic


def thumbnail_svg(family: Family, found: Slice, readout: int) -> str:
    """The two curves of one slice alone, for the index."""
    control = family.controls[found.axis]
    axes = (_control_axis(control), axis_of_values(_finite(found, readout)))
    frame = Frame(160, 96, 6, 6, 6, 6, *axes)
    parts = [_curve(found, readout, name, frame, control, step=2) for name in ENVIRONMENTS]
    label = f"{family.readouts[readout].name} against {control.name} in both environments"
    return drawing(frame, "thumb", label, parts)


def observations_svg(
    task: PublicTask, rows: Sequence[FixedObservation], control: int, readout: int
) -> str:
    """The released observations of one readout against one control; the first four are filled."""
    axis = task.controls[control]
    points = [(row.inputs[control], row.outputs[readout]) for row in rows]
    frame = _framed(axis, [y for _, y in points])
    parts = list(_grid(frame, axis))
    for number, (x, y) in enumerate(points, start=1):
        across, up = frame.at(x, y)
        kind = "first" if number <= MAIN_BUDGET else "later"
        parts.append(f'<circle class="{kind}" cx="{across}" cy="{up}" r="4"/>')
    label = f"{task.readouts[readout].name} against {axis.name}: {len(points)} observations"
    return drawing(frame, "chart", label, parts)


def design_svg(controls: Sequence[FamilyControl], inputs: Sequence[Sequence[float]]) -> str:
    """Where the Fixed inputs lie in the first two controls, scaled: nothing of any law."""
    points = to_unit(controls, np.asarray(inputs, dtype=np.float64))
    unit = Axis(0.0, 1.0, logarithmic=False)
    frame = Frame(160, 96, 12, 12, 12, 12, unit, unit)
    parts: list[str] = []
    for number, row in enumerate(points.tolist(), start=1):
        across, up = frame.at(row[0], row[1] if len(row) > 1 else 0.5)
        kind = "first" if number <= MAIN_BUDGET else "later"
        parts.append(f'<circle class="{kind}" cx="{across}" cy="{up}" r="3.2"/>')
    axes = " and ".join(control.name for control in controls[:2])
    return drawing(frame, "thumb", f"The {len(points)} Fixed inputs over {axes}", parts)


def _framed(control: FamilyControl, values: Sequence[float]) -> Frame:
    y = axis_of_values(values)
    widest = max((len(tick_text(tick)) for tick in y.ticks()), default=1)
    return Frame(360, 210, 14 + 6.4 * widest, 12, 8, 27, _control_axis(control), y)


def _control_axis(control: FamilyControl) -> Axis:
    domain = control.domain
    if not isinstance(domain, Choices):
        return Axis(domain.low, domain.high, is_logarithmic(control))
    low, high = domain.choices[0], domain.choices[-1]
    if low == high:
        return Axis(low - 0.5, high + 0.5, logarithmic=False)
    if low > 0 and high / low > 100:
        room = (high / low) ** 0.04
        return Axis(low / room, high * room, logarithmic=True)
    room = 0.04 * (high - low)
    return Axis(low - room, high + room, logarithmic=False)


def _grid(frame: Frame, control: FamilyControl) -> Iterable[str]:
    return grid(frame, _x_ticks(frame, control))


def _x_ticks(frame: Frame, control: FamilyControl) -> list[float]:
    domain = control.domain
    if isinstance(domain, Choices) and len(domain.choices) <= MANY_CHOICES:
        kept: list[float] = []
        for choice in domain.choices:
            # 26 units hold a tick's text.
            if not kept or float(frame.across(choice)) - float(frame.across(kept[-1])) >= 26:
                kept.append(choice)
        return kept
    return frame.x.ticks(most=7)


def _rug(family: Family, axis: int, frame: Frame) -> Iterable[str]:
    """A tick at the Fixed inputs' values of the control; the first four are longer."""
    for number, row in enumerate(family.fixed.inputs, start=1):
        first = number <= MAIN_BUDGET
        height = 13 if first else 7
        kind = "rug first" if first else "rug"
        across = frame.across(row[axis])
        yield f'<path class="{kind}" d="M{across} {short(frame.floor)}v-{height}"/>'


def _curve(
    found: Slice,
    readout: int,
    name: Environment,
    frame: Frame,
    control: FamilyControl,
    step: int = 1,
) -> str:
    xs, ys = found.inputs[:, found.axis], found.values[name][:, readout]
    discrete = isinstance(control.domain, Choices)
    runs, dots = [], []
    for run in _runs(ys):
        kept = run if discrete else [*run[:-1:step], run[-1]]
        places = [frame.at(float(xs[i]), float(ys[i])) for i in kept]
        if len(places) > 1:
            runs.append("M" + "L".join(f"{x} {y}" for x, y in places))
        if discrete or len(places) == 1:
            dots += [f'<circle class="{name}" cx="{x}" cy="{y}" r="2.6"/>' for x, y in places]
    kind = f"curve {name} thin" if discrete else f"curve {name}"
    path = f'<path class="{kind}" d="{"".join(runs)}"/>' if runs else ""
    return path + "".join(dots)


def _runs(values: Array) -> list[list[int]]:
    """Indices of neighbouring finite values."""
    runs: list[list[int]] = []
    for i in np.flatnonzero(np.isfinite(values)).tolist():
        if runs and runs[-1][-1] == i - 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _finite(found: Slice, readout: int) -> list[float]:
    both = np.concatenate([found.values[name][:, readout] for name in ENVIRONMENTS])
    return [value for value in both.tolist() if math.isfinite(value)]


def _range_words(family: Family, found: Slice, readout: int) -> str:
    words = []
    for name in ENVIRONMENTS:
        known = found.values[name][:, readout]
        known = known[np.isfinite(known)]
        if known.size:
            low, high = (tick_text(float(f"{end:.3g}")) for end in (known.min(), known.max()))
            words.append(f"{name.capitalize()} from {low} to {high}")
    unit = family.readouts[readout].unit
    return "; ".join(words) + (f" {unit}." if unit not in ("", "1") else ".")


__all__ = (
    "MAIN_BUDGET",
    "design_svg",
    "observations_svg",
    "slice_is_logarithmic",
    "slice_svg",
    "thumbnail_svg",
)
