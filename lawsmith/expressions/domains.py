"""Domains of names, and the deterministic points that comparisons look at."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from flint import arb

from lawsmith.errors import InputError
from lawsmith.expressions.truth import exact_number

Domain: TypeAlias = Mapping[str, Any]
"""Name -> `(low, high)`, a list of choices, `{"low", "high"}` or `{"choices"}`."""

Point: TypeAlias = dict[str, float]

_UNKNOWN: Final = (-10.0, 10.0)
_NUDGES: Final = (1e-3, 1e-6, 1e-9)


@dataclass(frozen=True, slots=True)
class Axis:
    """The values one name may take."""

    name: str
    low: float
    high: float
    choices: tuple[float, ...] = ()
    declared: bool = True
    """False when no domain was given: the name ranges over all reals."""

    @property
    def positive(self) -> bool:
        """Whether every value is > 0, apart from a lower end at 0."""
        return self.declared and self.low >= 0 and self.high > 0

    def at(self, share: float, *, logarithmic: bool) -> float:
        """The value at a share in [0, 1) of the axis."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if logarithmic and self.low > 0 and self.high / self.low > 10:
            value = math.exp(math.log(self.low) + share * math.log(self.high / self.low))
            return min(max(value, self.low), self.high)
        return self.low + share * (self.high - self.low)

    def ball(self) -> Any:
        """The whole axis as one ball; all reals when nothing is declared."""
        if not self.declared:
            return arb(0, math.inf)
        return arb(exact_number(self.low)).union(arb(exact_number(self.high)))


def axes_of(names: Sequence[str], domain: Domain | None) -> tuple[Axis, ...]:
    """The axes of the names, in their order.

    Raises:
        InputError: a domain that is neither a range low <= high of finite numbers nor a
            non-empty list of choices.
    """
    return tuple(_axis(name, None if domain is None else domain.get(name)) for name in names)


def generic_points(axes: Sequence[Axis], count: int, start: int = 0) -> Iterator[Point]:
    """`count` low-discrepancy points inside the axes; odd ones on a log scale where it fits.

    The sequence is the additive recurrence on the powers of the root of x^(d+1) = x + 1
    (Roberts 2018), so every prefix is spread evenly.
    """
    steps = _steps(len(axes))
    for index in range(start, start + count):
        yield {
            axis.name: axis.at((0.5 + (index + 1) * step) % 1.0, logarithmic=index % 2 == 1)
            for axis, step in zip(axes, steps, strict=True)
        }


def corner_points(axes: Sequence[Axis]) -> Iterator[Point]:
    """Up to 16 corners and the points 1 and 0 on the way through them."""
    ends = [(axis.low, axis.high) for axis in axes]
    for corner in itertools.islice(itertools.product(*ends), 16):
        yield dict(zip((axis.name for axis in axes), corner, strict=True))
    for value in (0.0, 1.0):
        inside = {a.name: value for a in axes if not a.choices and a.low <= value <= a.high}
        if inside:
            middle = {a.name: a.at(0.5, logarithmic=False) for a in axes}
            yield middle | inside


def nudged_corners(axes: Sequence[Axis]) -> Iterator[Point]:
    """Points just inside the corners: a difference there is one of a whole neighbourhood."""
    ends = [(axis.low, axis.high) for axis in axes]
    for nudge in _NUDGES:
        for corner in itertools.islice(itertools.product(*ends), 8):
            yield {
                axis.name: _inward(axis, end, nudge * (1 + 0.37 * place))
                for place, (axis, end) in enumerate(zip(axes, corner, strict=True))
            }


def all_choices(axes: Sequence[Axis], limit: int) -> list[Point] | None:
    """Every combination when all axes are discrete and there are at most `limit`, else None."""
    if not all(axis.choices for axis in axes):
        return None
    if math.prod(len(axis.choices) for axis in axes) > limit:
        return None
    names = [axis.name for axis in axes]
    combinations = itertools.product(*(axis.choices for axis in axes))
    return [dict(zip(names, values, strict=True)) for values in combinations]


def between(first: Point, second: Point, share: float, axes: Sequence[Axis]) -> Point:
    """The point at a share of the way from one point to another; choices stay the first's."""
    return {
        axis.name: first[axis.name]
        if axis.choices
        else first[axis.name] + share * (second[axis.name] - first[axis.name])
        for axis in axes
    }


def _inward(axis: Axis, end: float, nudge: float) -> float:
    if axis.choices:
        return end
    step = (axis.high - axis.low) * nudge
    return end + step if end == axis.low else end - step


def _steps(count: int) -> list[float]:
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (count + 1))
    return [root ** -(place + 1) for place in range(count)]


def _axis(name: str, given: Any) -> Axis:
    if given is None:
        return Axis(name, *_UNKNOWN, declared=False)
    if isinstance(given, Mapping):
        given = list(given["choices"]) if "choices" in given else (given["low"], given["high"])
    values = tuple(float(value) for value in given)
    if not values or not all(math.isfinite(value) for value in values):
        raise InputError(f"domain {given!r} is empty or not finite", path=name)
    if isinstance(given, tuple):
        if len(values) != 2 or values[0] > values[1]:
            raise InputError(f"domain {given!r} is no range (low, high)", path=name)
        return Axis(name, *values) if values[0] < values[1] else Axis(name, *values, values[:1])
    ordered = tuple(sorted(set(values)))
    return Axis(name, ordered[0], ordered[-1], ordered)


__all__ = (
    "Axis",
    "Domain",
    "Point",
    "all_choices",
    "axes_of",
    "between",
    "corner_points",
    "generic_points",
    "nudged_corners",
)
