"""float64 functions that numpy does not have in the meaning of the operator table."""

import math
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LARGEST: Final = sys.float_info.max
FINITE: Final[Interval] = (-LARGEST, LARGEST)
POSITIVE: Final[Interval] = (math.ulp(0.0), LARGEST)
UNIT: Final[Interval] = (-1.0, 1.0)
INNER: Final[Interval] = (math.nextafter(-1.0, 0.0), math.nextafter(1.0, 0.0))
EXPONENTS: Final[Interval] = (-700.0, 700.0)


def _square(x: Any) -> Any:
    return x * x


SHORT_POWERS: Final[Mapping[float, Callable[[Any], Any]]] = MappingProxyType(
    {
        -2.0: lambda x: _square(1.0 / x),
        -1.0: lambda x: 1.0 / x,
        -0.5: lambda x: 1.0 / np.sqrt(x),
        0.5: np.sqrt,
        1.0: lambda x: x,
        1.5: lambda x: np.sqrt(x) * x,
        2.0: _square,
        2.5: lambda x: np.sqrt(x) * x * x,
        3.0: lambda x: x * x * x,
        4.0: lambda x: _square(x * x),
    }
)
"""Exponent -> the power by multiplication and roots, within 4 units of 2^-53 of the truth.

These are the values of `pow` wherever its exponent is one of them, in every way to evaluate;
compiled laws write them out.
"""


def power(base: Any, exponent: Any, out: Floats | None = None) -> Any:
    """The power of float64 arrays; only meaningful where `power_defined` holds."""
    # numpy has other ways for single exponents than for arrays of them; by value it is one way.
    if np.size(exponent) == 1:
        short = SHORT_POWERS.get(float(np.reshape(exponent, ())))
        if short is not None:
            return np.add(short(base), np.zeros_like(exponent), out=out)
        return np.power(base, exponent, out=out)
    doubled = np.add(exponent, exponent)
    halves = np.rint(doubled) == doubled
    if not halves.any():
        return np.power(base, exponent, out=out)
    # `out` may be where an argument stands, so it is written last.
    base, exponent = np.broadcast_arrays(base, exponent)
    values = np.power(base, exponent)
    met = np.unique(exponent[np.broadcast_to(halves, exponent.shape)])
    for special in sorted(SHORT_POWERS.keys() & set(met.tolist())):
        at = exponent == special
        values[at] = SHORT_POWERS[special](base[at])
    return np.add(values, 0.0, out=out)


def power_defined(base: Any, exponent: Any) -> Any:
    """Where the power is real and finite but for overflow."""
    positive = base > 0.0
    if np.all(positive):
        return positive
    zero = (base == 0.0) & (exponent > 0.0)
    return positive | zero | ((base < 0.0) & (exponent == np.floor(exponent)))


def power_at_point(base: float, exponent: float) -> float:
    """The power of two floats, where it is certain that numpy raises no flag.

    Raises:
        ArithmeticError: outside these bounds.
    """
    # Inside them nothing overflows.
    bounded = 1e-30 <= abs(base) <= 1e30 and -10.0 <= exponent <= 10.0
    if not (bounded and (base > 0.0 or exponent.is_integer())):
        raise ArithmeticError
    short = SHORT_POWERS.get(exponent)
    return float(np.power(base, exponent) if short is None else short(base))


def atan2(y: Any, x: Any, out: Floats | None = None) -> Any:
    """The angle of the point (x, y), which has no sign of zero."""
    # Adding zero drops the sign of -0.0, which no exact number has.
    return np.arctan2(np.add(y, 0.0), np.add(x, 0.0), out=out)


def step(x: Any, out: Floats | None = None) -> Any:
    """1 above zero, else 0."""
    return np.heaviside(x, 0.0, out=out)


__all__ = (
    "EXPONENTS",
    "FINITE",
    "INNER",
    "LARGEST",
    "POSITIVE",
    "SHORT_POWERS",
    "UNIT",
    "Floats",
    "Interval",
    "atan2",
    "power",
    "power_at_point",
    "power_defined",
    "step",
)
