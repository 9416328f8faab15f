"""Policy `tol-1`: what counts as agreement, the same in both environments of a family.

lambda = 1e-3; a_r = 10^floor(log10(1e-3 * median of the non-zero |g_r|)) over the hidden
inputs of both environments pooled. A precision that the source or a Historical card states wins.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.mutation.laws.refusals import ForgeError
from lawsmith.rules import named
from schemas.card import Readout
from schemas.family import ConstructionChoice, FamilyReadout
from schemas.historical_card import HistoricalReadout
from schemas.source import ReasonCode

TOLERANCE_POLICY: Final = named("tol")
RELATIVE: Final = 1e-3
_STEPS: Final = 5
"""A stated resolution needs a tolerance of 5 steps: half a step is then a tenth of it."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The readouts of a family and the choices that were made for them."""

    readouts: tuple[FamilyReadout, ...]
    choices: tuple[ConstructionChoice, ...]


def scale_tolerance(values: NDArray[np.float64], name: str) -> float:
    """a_r of `tol-1` from the pooled truths of one readout.

    Raises:
        ForgeError: `no_scale`, every value is zero.
    """
    sizes = np.abs(values[values != 0.0])
    if sizes.size == 0:
        raise ForgeError(
            f"readout {name!r} is zero at every hidden input",
            reason_code=ReasonCode.NO_SCALE,
            path=f"readouts/{name}",
        )
    return float(f"1e{math.floor(math.log10(RELATIVE * float(np.median(sizes))))}")


def tolerances_of(
    readouts: tuple[Readout, ...] | tuple[HistoricalReadout, ...], pooled: NDArray[np.float64]
) -> Tolerances:
    """Tolerances of a card's readouts, by the rule of its track.

    Args:
        readouts: as the card states them.
        pooled: truths of both environments, shape (2n, readouts).

    Raises:
        ForgeError: `no_scale`.
    """
    temporal = tuple(one for one in readouts if isinstance(one, Readout))
    if temporal:
        return temporal_tolerances(temporal, pooled)
    historical = tuple(one for one in readouts if isinstance(one, HistoricalReadout))
    return historical_tolerances(historical, pooled)


def temporal_tolerances(readouts: tuple[Readout, ...], pooled: NDArray[np.float64]) -> Tolerances:
    """Tolerances of a card's readouts.

    Args:
        readouts: as the source states them.
        pooled: truths of both environments, shape (2n, readouts).

    Raises:
        ForgeError: `no_scale`.
    """
    made: list[FamilyReadout] = []
    choices: list[ConstructionChoice] = []
    for r, readout in enumerate(readouts):
        absolute, relative = None, None
        if readout.uncertainty is not None and readout.uncertainty > 0:
            if readout.uncertainty_kind == "absolute":
                absolute = readout.uncertainty
            elif readout.uncertainty_kind == "relative":
                relative = readout.uncertainty
        if absolute is None:
            absolute = scale_tolerance(pooled[:, r], readout.name)
            if readout.resolution is not None:
                absolute = max(absolute, float(f"{_STEPS * readout.resolution:.12g}"))
            choices.append(_choice(readout.name, "absolute", absolute, readout.unit))
        if relative is None:
            relative = RELATIVE
            choices.append(_choice(readout.name, "relative", relative, "1"))
        made.append(_family_readout(readout, readout.resolution, absolute, relative))
    return Tolerances(tuple(made), tuple(choices))


def historical_tolerances(
    readouts: tuple[HistoricalReadout, ...], pooled: NDArray[np.float64]
) -> Tolerances:
    """Tolerances of a Historical card: its own, else `tol-1` and a step of a_r/10.

    Raises:
        ForgeError: `no_scale`.
    """
    made: list[FamilyReadout] = []
    choices: list[ConstructionChoice] = []
    for r, readout in enumerate(readouts):
        absolute, relative = readout.absolute, readout.relative
        resolution = readout.resolution
        if absolute is None:
            absolute = scale_tolerance(pooled[:, r], readout.name)
            choices.append(_choice(readout.name, "absolute", absolute, readout.unit))
        if relative is None:
            relative = RELATIVE
            choices.append(_choice(readout.name, "relative", relative, "1"))
        if resolution is None:
            resolution = float(f"{absolute / 10:.12g}")
            choices.append(_choice(readout.name, "resolution", resolution, readout.unit))
        made.append(_family_readout(readout, resolution, absolute, relative))
    return Tolerances(tuple(made), tuple(choices))


def _family_readout(
    readout: Readout | HistoricalReadout,
    resolution: float | None,
    absolute: float,
    relative: float,
) -> FamilyReadout:
    return FamilyReadout(
        name=readout.name,
        symbol=readout.symbol,
        meaning=readout.definition,
        unit=readout.unit,
        resolution=resolution,
        absolute=absolute,
        relative=relative,
    )


def _choice(name: str, what: str, value: float, unit: str) -> ConstructionChoice:
    return ConstructionChoice(
        rule=TOLERANCE_POLICY, subject=f"readout {name}: {what}", value=value, unit=unit
    )


__all__ = (
    "RELATIVE",
    "TOLERANCE_POLICY",
    "Tolerances",
    "historical_tolerances",
    "scale_tolerance",
    "temporal_tolerances",
    "tolerances_of",
)
