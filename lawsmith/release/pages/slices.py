"""Slices: both laws of a family along one control, the others held at stated values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import Compiled, compile_expression
from lawsmith.measurement import columns, feasible, from_unit, to_unit
from schemas.card import Choices
from schemas.family import Environment, Family
from schemas.task import SealedLaw

POINTS: Final = 81
ENOUGH: Final = 0.6
"""Share of a line that must be admissible for the middle of the domain to be its base."""

NEAREST: Final = 24
"""How many hidden inputs near the middle are tried as a base instead."""

Array = NDArray[np.float64]
Laws = Mapping[Environment, tuple[SealedLaw, ...]]


@dataclass(frozen=True)
class Slice:
    """Both laws along one control."""

    axis: int
    """Which control varies."""
    base: tuple[float, ...]
    """Where the others are held; the value at `axis` has no meaning."""
    middle: bool
    """The others are at the middle of their ranges; else at a hidden input near it."""
    inputs: Array
    """(n, controls), ascending along `axis`."""
    values: Mapping[Environment, Array]
    """(n, readouts), NaN where the inputs are not admissible."""


def slices_of(family: Family, laws: Laws) -> tuple[Slice, ...]:
    """One slice a control, in declared order.

    Args:
        family: the family.
        laws: environment -> its folded laws, in the order of the readouts.
    """
    compiled = {
        name: [compile_expression(law.expression) for law in items] for name, items in laws.items()
    }
    return tuple(_slice(family, axis, compiled) for axis in range(len(family.controls)))


def telling_slice(family: Family, found: tuple[Slice, ...]) -> tuple[Slice, int]:
    """The slice and readout along which the laws come apart most, in tolerances."""
    best, most = (found[0], 0), -1.0
    for one in found:
        for index, readout in enumerate(family.readouts):
            g, other = (one.values[name][:, index] for name in ("original", "counterfactual"))
            gap = np.abs(g - other) / (readout.absolute + readout.relative * np.abs(g))
            known = gap[np.isfinite(gap)]
            spread = float(np.ptp(known)) if known.size else 0.0
            if spread > most:
                best, most = (one, index), spread
    return best


def _slice(family: Family, axis: int, laws: Mapping[Environment, list[Compiled]]) -> Slice:
    centre = from_unit(family.controls, np.full((1, len(family.controls)), 0.5))
    inputs, mask = _line(family, axis, centre[0])
    middle = bool(mask.mean() >= ENOUGH)
    base = centre[0]
    if not middle:
        for candidate in _near(family, centre):
            line, allowed = _line(family, axis, candidate)
            if allowed.sum() > mask.sum():
                inputs, mask, base = line, allowed, candidate
    middle = bool((base == centre[0]).all())
    values = {name: _values(family, items, inputs, mask) for name, items in laws.items()}
    return Slice(axis, tuple(base.tolist()), middle, inputs, values)


def _near(family: Family, centre: Array) -> Array:
    """Hidden inputs, those nearest to the middle first."""
    points = np.asarray(family.hidden.inputs, dtype=np.float64)
    away = np.abs(to_unit(family.controls, points) - to_unit(family.controls, centre)).max(axis=1)
    near: Array = points[np.argsort(away, kind="stable")[:NEAREST]]
    return near


def _line(family: Family, axis: int, base: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Points along one control, and which of them are admissible."""
    domain = family.controls[axis].domain
    if isinstance(domain, Choices):
        along = np.asarray(domain.choices)
    else:
        unit = np.full((POINTS, len(family.controls)), 0.5)
        unit[:, axis] = np.linspace(0.0, 1.0, POINTS)
        along = from_unit(family.controls, unit)[:, axis]
    points = np.tile(base, (len(along), 1))
    points[:, axis] = along
    return points, feasible(family.controls, family.constraints, points)


def _values(family: Family, laws: list[Compiled], points: Array, mask: NDArray[np.bool_]) -> Array:
    values = np.full((len(points), len(laws)), np.nan)
    for index, law in enumerate(laws):
        if mask.any():
            values[mask, index] = _along(family, law, points[mask])
    return values


def _along(family: Family, law: Compiled, points: Array) -> Array:
    """The law at every point; NaN, a gap in the line, where it is not defined."""
    try:
        found = law(columns(family.controls, points))
        return np.broadcast_to(np.asarray(found, dtype=np.float64), len(points))
    except UndefinedValueError:
        if len(points) == 1:
            return np.full(1, np.nan)
    return np.concatenate([_along(family, law, points[i : i + 1]) for i in range(len(points))])


__all__ = ("POINTS", "Array", "Laws", "Slice", "slices_of", "telling_slice")
