"""Axes of small charts: which scale, which ticks, which texts."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lawsmith.release.pages.mathml import decimal_parts

LOG_SPAN: Final = 40.0
"""Positive values that span more than this factor get a logarithmic scale."""

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_RAISED: Final = str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Axis:
    """A scale from values to 0..1."""

    low: float
    high: float
    logarithmic: bool

    def place(self, value: float) -> float:
        """Where a value stands, 0 at `low` and 1 at `high`."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 6) -> list[float]:
        """Round values on the axis, ascending."""
        return _log_ticks(self, most) if self.logarithmic else _linear_ticks(self, most)


def axis_of_values(values: Iterable[float]) -> Axis:
    """An axis that holds all values with a little room; it begins at 0 where that is near."""
    known = sorted(values)
    low, high = (known[0], known[-1]) if known else (0.0, 1.0)
    if low > 0 and high / low > LOG_SPAN:
        room = (high / low) ** 0.04
        return Axis(low / room**2, high * room, logarithmic=True)
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    room = 0.05 * (high - low)
    if 0 <= low < 0.35 * high:
        return Axis(0.0, high + room, logarithmic=False)
    # The ticks of the Fixed inputs stand below the lowest value.
    return Axis(low - 2 * room, high + room, logarithmic=False)


def tick_text(value: float) -> str:
    """The text of a tick, as `0.25` or `2×10⁻⁵`."""
    mantissa, power = decimal_parts(float(f"{value:.6g}"))
    if not power and abs(value) >= 1e5:
        power = math.floor(math.log10(abs(value)))
        mantissa = f"{value / 10**power:.4g}".replace("-", "−")
    if not power:
        return mantissa
    raised = "10" + str(power).replace("-", "−").translate(_RAISED)
    return raised if mantissa == "1" else f"{mantissa}×{raised}"


def _linear_ticks(axis: Axis, most: int) -> list[float]:
    raw = (axis.high - axis.low) / max(1, most - 1)
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * s for s in _STEPS if size * s >= raw * (1 - 1e-9))
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [float(f"{n * step:.10g}") + 0.0 for n in range(first, last + 1)]


def _log_ticks(axis: Axis, most: int) -> list[float]:
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    decades = range(first, last + 1)
    ticks: list[float] = []
    for parts in ((1, 2, 5), (1, 3), (1,)):
        ticks = _between(axis, [s * 10.0**n for n in decades for s in parts])
        if len(ticks) <= most + 1:
            break
    return ticks[:: math.ceil(len(ticks) / most)] if len(ticks) > 1 else _linear_ticks(axis, most)


def _between(axis: Axis, ticks: Iterable[float]) -> list[float]:
    low, high = axis.low * (1 - 1e-9), axis.high * (1 + 1e-9)
    return [float(f"{tick:.10g}") for tick in ticks if low <= tick <= high]


__all__ = ("LOG_SPAN", "Axis", "axis_of_values", "tick_text")
