"""Rounding to an instrument's step: nearest multiple, ties to even, no floating residue.

The oracle answers `y = Q_r(g_r(x))` (SciGame). Value and resolution are read as their
shortest decimal texts, so 0.35 at a step of 0.1 is a tie and goes to 0.4.
"""

from fractions import Fraction
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError

_EXACT_INTEGER: Final = float(2**52)
_TIE_MARGIN: Final = 1e-6
_EXACT_POWER: Final = 22
"""10**22 is the largest power of ten that float64 holds exactly."""


@overload
def quantise(value: float, resolution: float | None) -> float: ...
@overload
def quantise(value: NDArray[np.float64], resolution: float | None) -> NDArray[np.float64]: ...
def quantise(
    value: float | NDArray[np.float64], resolution: float | None
) -> float | NDArray[np.float64]:
    """The multiple of `resolution` nearest to each value, ties to even; None leaves it as it is.

    Args:
        value: a number or an array of any shape, in the unit of the resolution.
        resolution: the instrument's step, > 0, or None for an unrounded readout.

    Raises:
        InputError: a value is not finite, the resolution is not a positive finite number,
            or the rounded value is beyond float64.
    """
    if not np.all(np.isfinite(value)):
        raise InputError("a value to be rounded is not finite", path="value")
    if resolution is None:
        return value
    if not (np.isfinite(resolution) and resolution > 0):
        raise InputError(
            f"resolution {resolution!r} is not a positive finite number", path="resolution"
        )
    if isinstance(value, np.ndarray):
        return _quantise_array(value, float(resolution))
    return _quantise_exact(float(value), float(resolution))


def _quantise_exact(value: float, resolution: float) -> float:
    step = Fraction(repr(resolution))
    multiple = round(Fraction(repr(value)) / step)
    try:
        return float(multiple * step)
    except OverflowError:
        raise InputError(
            f"value {value!r} rounded to a step of {resolution!r} is beyond float64", path="value"
        ) from None


def _quantise_array(values: NDArray[np.float64], resolution: float) -> NDArray[np.float64]:
    """The fast path where float64 provably gives the exact result, else number by number.

    With step = m*10^-d the result k*m/10^d is one correctly rounded division of two exact
    integers; k is certain wherever value/step is far from a tie.
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    step = Fraction(repr(resolution))
    decimals = next((d for d in range(_EXACT_POWER + 1) if (step * 10**d).denominator == 1), None)
    if decimals is None:
        rounded = np.array([_quantise_exact(v, resolution) for v in flat.tolist()])
        return rounded.reshape(values.shape)
    units = float((step * 10**decimals).numerator)
    with np.errstate(over="ignore"):
        ratio = flat / resolution
        multiple = np.rint(ratio)
        digits = multiple * units
        # The quotient carries a relative error of a few ulp; below 2^40 that is far under 1e-6.
        certain = (np.abs(ratio) < 2.0**30) & (np.abs(digits) < _EXACT_INTEGER)
        certain &= np.abs(np.abs(ratio - multiple) - 0.5) > _TIE_MARGIN
    rounded = np.where(certain, digits, 0.0) / 10.0**decimals + 0.0
    for index in np.flatnonzero(~certain):
        rounded[index] = _quantise_exact(float(flat[index]), resolution)
    return rounded.reshape(values.shape)


__all__ = ("quantise",)
