"""Validity items, executed: does a law behave as the sources say it must?

A probe is data (`schemas.validity`); here it is taken. It holds for every group with that
group's constants: the controls it does not name stand at observed medians of the group's rows,
and a stretch it leaves open is that of the group's rows. Sign and bound are asked at the rows,
and between them only where there is one control: a box around paired controls may be empty of
sense (no nucleus has 118 protons among 16 nucleons).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import closes_in_dimensions, compile_expression
from schemas.expression import Expression
from schemas.validity import (
    Bound,
    Curvature,
    DimensionCloses,
    Elasticity,
    Extremum,
    Homogeneity,
    Limit,
    Monotone,
    Periodic,
    Probe,
    Separability,
    Sign,
)

Values = NDArray[np.float64]

GRID: Final = 201
"""Points along one control."""
NOISE: Final = 1e-9
"""Fraction of the span that counts as rounding."""
LARGEST: Final = 1e150
"""In units of the readout: beyond it products of two values are no numbers any more."""
_STEP: Final = 1e-4
_FACTORS: Final = (0.5, 0.8, 1.25, 2.0)


@dataclass(frozen=True)
class ProbeCase:
    """One group: its law over the controls alone, and the rows that it is probed about."""

    group: str | None
    law: Expression
    inputs: Values
    """Shape (rows, controls)."""
    outputs: Values
    """Shape (rows,)."""


@dataclass(frozen=True)
class ProbeOutcome:
    """Whether a probe passed; None where it could not be taken."""

    passed: bool | None
    reason: str


def take_probe(
    probe: Probe,
    controls: Sequence[str],
    cases: Sequence[ProbeCase],
    *,
    open_law: Expression,
    units: Mapping[str, str],
) -> ProbeOutcome:
    """The outcome of one probe over all groups: the first that fails decides.

    Args:
        probe: what to ask.
        controls: names, in the order of the columns of `inputs`.
        cases: the groups; one with group None in a problem without groups.
        open_law: the law with its constants as names, for the dimension probe.
        units: control -> unit.

    Raises:
        InputError: the probe names a control that there is not, or there is no case.
    """
    if not cases:
        raise InputError("no rows to probe about", path="cases")
    if isinstance(probe, DimensionCloses):
        closes = closes_in_dimensions(open_law, units, probe.unit)
        return ProbeOutcome(closes, "closes" if closes else f"cannot be made {probe.unit}")
    for case in cases:
        where = "" if case.group is None else f"group {case.group}: "
        try:
            problem = _TAKERS[type(probe)](probe, _Ground(controls, case))
        except UndefinedValueError as error:
            return ProbeOutcome(None, f"{where}no value at {error.inputs!r}")
        if problem is not None:
            return ProbeOutcome(False, where + problem)
    return ProbeOutcome(True, "holds")


class _Ground:
    """One group's law as a function of columns, with its rows, medians, ranges and span."""

    def __init__(self, controls: Sequence[str], case: ProbeCase) -> None:
        self.names = tuple(controls)
        self.rows = case.inputs
        self.low, self.high = case.inputs.min(axis=0), case.inputs.max(axis=0)
        # The lower median is an observed value: half a proton is none.
        self.middle = np.sort(case.inputs, axis=0)[(len(case.inputs) - 1) // 2]
        self.span = float(np.ptp(case.outputs))
        self._law = compile_expression(case.law)

    def at(self, points: Values) -> Values:
        given = {name: points[:, i] for i, name in enumerate(self.names)}
        found: Any = np.asarray(self._law(given), dtype=np.float64)
        values = np.array(np.broadcast_to(found, len(points)))
        far = np.abs(values) > LARGEST
        if far.any():
            row = int(np.argmax(far))
            raise UndefinedValueError(
                f"{values[row].item()!r} is beyond {LARGEST:g}",
                path="law",
                inputs=dict(zip(self.names, points[row].tolist(), strict=True)),
            )
        return values

    def place(self, control: str) -> int:
        if control not in self.names:
            raise InputError(f"{control!r} is no control of {self.names}", path="probe")
        return self.names.index(control)

    def grid(
        self, control: str, low: float | None, high: float | None, step: float | None = None
    ) -> Values:
        """Values of a control over a stretch: in steps, else in equal ratios above a decade."""
        i = self.place(control)
        ends = (self.low[i] if low is None else low, self.high[i] if high is None else high)
        if step is not None:
            count = int((ends[1] - ends[0]) / step * (1 + NOISE)) + 1
            return np.asarray(ends[0] + step * np.arange(count), dtype=np.float64)
        if ends[0] > 0 and ends[1] > 10 * ends[0]:
            return np.geomspace(*ends, GRID)
        return np.linspace(*ends, GRID)

    def along(self, control: str, values: Values) -> Values:
        """The readout where one control takes the values and the others stand at medians."""
        points = np.tile(self.middle, (len(values), 1))
        points[:, self.place(control)] = values
        return self.at(points)

    def value(self, **moved: float) -> float:
        """The readout at the medians with some controls elsewhere."""
        point = self.middle.copy()
        for name, value in moved.items():
            point[self.place(name)] = value
        return float(self.at(point[np.newaxis])[0])

    def everywhere(self) -> Values:
        """The readout at the rows, and along the range of a single control."""
        if len(self.names) > 1:
            return self.at(self.rows)
        between = self.grid(self.names[0], None, None)[:, np.newaxis]
        return self.at(np.vstack([between, self.rows]))


def _monotone(probe: Monotone, ground: _Ground) -> str | None:
    x = ground.grid(probe.control, probe.low, probe.high, probe.step)
    steps = np.diff(ground.along(probe.control, x))
    if probe.direction == "decreasing":
        steps = -steps
    bad = steps <= 0 if probe.strict else steps < -NOISE * ground.span
    if not bad.any():
        return None
    return f"not {probe.direction} at {probe.control} = {x[int(np.argmax(bad))]:.4g}"


def _sign(probe: Sign, ground: _Ground) -> str | None:
    y, slack = ground.everywhere(), NOISE * ground.span
    good = {
        "positive": y > 0,
        "nonnegative": y >= -slack,
        "negative": y < 0,
        "nonpositive": y <= slack,
    }[probe.sign]
    return None if good.all() else f"a value of {y[~good][0]:.4g} is not {probe.sign}"


def _bound(probe: Bound, ground: _Ground) -> str | None:
    y, slack = ground.everywhere(), NOISE * ground.span
    if probe.low is not None and y.min() < probe.low - slack:
        return f"a value of {y.min():.4g} lies below {probe.low:.4g}"
    if probe.high is not None and y.max() > probe.high + slack:
        return f"a value of {y.max():.4g} lies above {probe.high:.4g}"
    return None


def _limit(probe: Limit, ground: _Ground) -> str | None:
    found = ground.value(**{probe.control: probe.toward})
    goal = probe.value
    if goal is None:
        goal = ground.value(**{probe.control: 2.0 * probe.toward})
    if abs(found - goal) <= probe.tolerance * ground.span:
        return None
    return f"{found:.4g} at {probe.control} = {probe.toward:.4g}, not {goal:.4g}"


def _curvature(probe: Curvature, ground: _Ground) -> str | None:
    x = ground.grid(probe.control, probe.low, probe.high, probe.step)
    slopes = np.diff(ground.along(probe.control, x)) / np.diff(x)
    turns = np.diff(slopes) * (1.0 if probe.shape == "convex" else -1.0)
    if turns.min() >= -1e-6 * float(np.abs(slopes).max()):
        return None
    return f"not {probe.shape} at {probe.control} = {x[int(np.argmin(turns)) + 1]:.4g}"


def _extremum(probe: Extremum, ground: _Ground) -> str | None:
    x = ground.grid(probe.control, probe.low, probe.high, probe.step)
    steps = np.diff(ground.along(probe.control, x))
    signs = np.sign(steps[np.abs(steps) > NOISE * ground.span])
    turns = int(np.count_nonzero(np.diff(signs)))
    if turns != 1:
        return f"{turns} turning points in {probe.control}, not one"
    found = "maximum" if signs[0] > 0 else "minimum"
    return None if found == probe.extremum else f"a {found} in {probe.control}"


def _elasticity(probe: Elasticity, ground: _Ground) -> str | None:
    x = ground.grid(probe.control, probe.from_value, probe.to_value)
    x = x[x != 0]
    above = ground.along(probe.control, x * (1 + _STEP))
    below = ground.along(probe.control, x * (1 - _STEP))
    if (above * below <= 0).any():
        return "the readout passes zero"
    found = np.log(above / below) / np.log((1 + _STEP) / (1 - _STEP))
    if probe.low is not None and found.min() < probe.low - 1e-6:
        return f"an exponent of {found.min():.4g} lies below {probe.low:.4g}"
    if probe.high is not None and found.max() > probe.high + 1e-6:
        return f"an exponent of {found.max():.4g} lies above {probe.high:.4g}"
    return None


def _periodic(probe: Periodic, ground: _Ground) -> str | None:
    i = ground.place(probe.control)
    last = ground.high[i] - probe.period
    if last < ground.low[i]:
        raise InputError(
            f"the rows span less than one period {probe.period!r} of {probe.control!r}",
            path="probe/period",
        )
    x = np.linspace(ground.low[i], last, GRID)
    moved = ground.along(probe.control, x + probe.period) - ground.along(probe.control, x)
    slack = NOISE * ground.span
    good = {
        "none": np.abs(moved) <= slack,
        "increasing": moved > slack,
        "decreasing": moved < -slack,
    }[probe.drift]
    if good.all():
        return None
    where = x[int(np.argmin(good))]
    return f"a drift that is not {probe.drift} over a period at {probe.control} = {where:.4g}"


def _separability(probe: Separability, ground: _Ground) -> str | None:
    first, second = ground.place(probe.first), ground.place(probe.second)
    here = ground.value()
    for share, other_share in ((0.2, 0.3), (0.2, 0.8), (0.5, 0.6), (0.9, 0.3), (0.9, 0.8)):
        a = ground.low[first] + share * (ground.high[first] - ground.low[first])
        b = ground.low[second] + other_share * (ground.high[second] - ground.low[second])
        both = ground.value(**{probe.first: a, probe.second: b})
        one, other = ground.value(**{probe.first: a}), ground.value(**{probe.second: b})
        if probe.form == "additive":
            left, right, size = both + here, one + other, ground.span
        else:
            left, right = both * here, one * other
            size = max(abs(left), abs(right))
        if abs(left - right) > 1e-6 * size:
            return f"{probe.first} and {probe.second} do not act as {probe.form}"
    return None


def _homogeneity(probe: Homogeneity, ground: _Ground) -> str | None:
    places = [ground.place(name) for name in probe.controls]
    rows = ground.rows[:: max(1, len(ground.rows) // 50)]
    still = ground.at(rows)
    for factor in _FACTORS:
        moved = rows.copy()
        moved[:, places] *= factor
        due = still * factor**probe.degree
        size = np.maximum(np.abs(due), NOISE * ground.span)
        if (np.abs(ground.at(moved) - due) > 1e-6 * size).any():
            return f"scaling {', '.join(probe.controls)} by {factor} gives another degree"
    return None


_TAKERS: Final[Mapping[type, Callable[..., str | None]]] = {
    Monotone: _monotone,
    Sign: _sign,
    Bound: _bound,
    Limit: _limit,
    Curvature: _curvature,
    Extremum: _extremum,
    Elasticity: _elasticity,
    Periodic: _periodic,
    Separability: _separability,
    Homogeneity: _homogeneity,
}

__all__ = ("ProbeCase", "ProbeOutcome", "take_probe")
