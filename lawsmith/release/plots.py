"""The picture of a family: Original against Counterfactual along its most telling control."""

import io
from collections.abc import Mapping
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, number_text
from lawsmith.measurement.constraints import feasible
from lawsmith.measurement.sampling import from_unit, is_logarithmic
from schemas.card import Choices
from schemas.expression import Expression
from schemas.family import Environment, Family
from schemas.record import CANARY
from schemas.task import SealedLaw

POINTS: Final = 161
COLOURS: Final[Mapping[Environment, str]] = {"original": "#2a6fdb", "counterfactual": "#d9730d"}
GREY: Final = "#808790"
"""Reads on a light and on a dark page."""

Array = NDArray[np.float64]
Laws = Mapping[Environment, tuple[SealedLaw, ...]]


def family_svg(family: Family, laws: Laws) -> str:
    """An SVG with one panel a readout, the same bytes for the same family.

    Args:
        family: the family.
        laws: environment -> its folded laws, in the order of the readouts.
    """
    axis = _telling_control(family, laws)
    points = _line(family, axis)
    mask = feasible(family.controls, family.constraints, points)
    figure = Figure(figsize=(4.6 * len(family.readouts) + 0.4, 3.3), layout="constrained")
    panels = figure.subplots(1, len(family.readouts), squeeze=False)[0]
    for index, readout in enumerate(family.readouts):
        for environment, colour in COLOURS.items():
            values = _values(family, laws[environment][index].expression, points, mask)
            _draw(panels[index], family, axis, points[:, axis], values, environment, colour)
        _label(panels[index], f"{readout.name} ({readout.unit or '1'})")
    panels[0].legend(frameon=False, labelcolor=GREY, fontsize=9)
    return _svg(figure)


def _svg(figure: Figure) -> str:
    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "lawsmith", "svg.fonttype": "path"}):
        FigureCanvasSVG(figure)
        figure.savefig(stream, format="svg", metadata={"Date": None})
    head, _, rest = stream.getvalue().partition("\n")
    return f"{head}\n<!-- canary {CANARY} -->\n{rest}"


def _draw(
    panel: Axes,
    family: Family,
    axis: int,
    x: Array,
    y: Array,
    environment: str,
    colour: str,
) -> None:
    discrete = isinstance(family.controls[axis].domain, Choices)
    panel.plot(
        x,
        y,
        color=colour,
        label=environment.capitalize(),
        linewidth=1.8,
        linestyle="-" if environment == "original" else (0, (5, 1.5)),
        marker="o" if discrete else None,
        markersize=4,
    )
    if discrete and len(x) <= 10:
        panel.set_xticks(x, [number_text(float(value)) for value in x])
    if is_logarithmic(family.controls[axis]):
        panel.set_xscale("log")
    control = family.controls[axis]
    panel.set_xlabel(_plain(f"{control.name} ({control.unit or '1'})"), color=GREY)


def _label(panel: Axes, text: str) -> None:
    panel.set_ylabel(_plain(text), color=GREY)
    panel.tick_params(colors=GREY, which="both", labelsize=8)
    panel.patch.set_alpha(0.0)
    for side, spine in panel.spines.items():
        spine.set_color(GREY)
        spine.set_visible(side in ("left", "bottom"))
    panel.figure.patch.set_alpha(0.0)


def _plain(text: str) -> str:
    return text.replace("$", r"\$")


def _telling_control(family: Family, laws: Laws) -> int:
    """The control along which the two laws come apart most, in tolerances."""
    apart: list[float] = []
    for axis in range(len(family.controls)):
        points = _line(family, axis)
        mask = feasible(family.controls, family.constraints, points)
        most = 0.0
        for index, readout in enumerate(family.readouts):
            g = _values(family, laws["original"][index].expression, points, mask)
            other = _values(family, laws["counterfactual"][index].expression, points, mask)
            gap = np.abs(g - other) / (readout.absolute + readout.relative * np.abs(g))
            known = gap[np.isfinite(gap)]
            most = max(most, float(np.ptp(known)) if known.size else 0.0)
        apart.append(most)
    return int(np.argmax(apart))


def _line(family: Family, axis: int) -> Array:
    """Points along one control with the others at their middles."""
    domain = family.controls[axis].domain
    count = len(domain.choices) if isinstance(domain, Choices) else POINTS
    unit = np.full((count, len(family.controls)), 0.5)
    unit[:, axis] = (np.arange(count) + 0.5) / count
    return from_unit(family.controls, unit)


def _values(family: Family, law: Expression, points: Array, mask: NDArray[np.bool_]) -> Array:
    """The law along the points; NaN (a gap in the line) where it may not be asked."""
    function = compile_expression(law)
    values = np.full(len(points), np.nan)
    for index in np.flatnonzero(mask):
        inputs = {
            control.name: float(points[index, column])
            for column, control in enumerate(family.controls)
        }
        try:
            values[index] = float(function(inputs))
        except UndefinedValueError:
            continue
    return values


__all__ = ("family_svg",)
