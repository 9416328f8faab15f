"""Shares: readouts that words call a fraction of a whole, and the bounds that this implies."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from lawsmith.errors import UnitError
from lawsmith.mutation.laws.truth import Table
from lawsmith.units import parse_unit
from schemas.family import FamilyNecessary

SLACK: Final = 1e-9
"""Rounding allowed to a bound or a step, relative to the readout's largest size."""
_SHARES: Final = re.compile(
    r"\b(shares?|fractions?|fractional|probabilit(?:y|ies)|efficienc(?:y|ies)|yields?"
    r"|proportions?|occupanc(?:y|ies)|saturations?|retention|transmittances?|transmission"
    r"|transmissivit(?:y|ies)|reflectances?|reflectivit(?:y|ies)|albedos?|absorptances?"
    r"|absorptivit(?:y|ies)|emissivit(?:y|ies)|survival|survivorship|coverages?|percentages?"
    r"|likelihoods?|chances?|conversion|removal|recovery|selectivity|prevalence|porosity"
    r"|utili[sz]ation|completeness|purity|humidity|degree of)\b",
    re.IGNORECASE,
)


def inferred_bounds(
    readouts: Iterable[tuple[str, str, str]], largest: Mapping[str, tuple[float, float]]
) -> tuple[FamilyNecessary, ...]:
    """The bounds of readouts that their words call a share and that the Original keeps in [0, 1].

    Args:
        readouts: (name, unit, definition) of each; a unit without dimension sets where 1 lies, so
            that percent ends at 100.
        largest: readout -> (least, largest) value of the Original on the dense design.
    """
    found: list[FamilyNecessary] = []
    for name, unit, words in readouts:
        whole = _whole(unit)
        if whole is None or name not in largest or not is_share(words):
            continue
        least, most = largest[name]
        if least >= -SLACK * whole and most <= (1 + SLACK) * whole:
            found.append(
                FamilyNecessary(
                    readout=name,
                    kind="bound",
                    control=None,
                    direction=None,
                    at=None,
                    value=None,
                    low=0.0,
                    high=whole,
                    origin="inferred",
                )
            )
    return tuple(found)


def is_share(words: str) -> bool:
    """Whether words call a quantity a share, a fraction, a probability or the like."""
    return _SHARES.search(words) is not None


def ranges_of(readouts: Sequence[str], table: Table) -> dict[str, tuple[float, float]]:
    """Readout -> (least, largest) of its column."""
    return {
        name: (float(table[:, r].min()), float(table[:, r].max()))
        for r, name in enumerate(readouts)
    }


def _whole(unit: str) -> float | None:
    """1 in a unit without dimension, as 100 in percent; None in any other."""
    try:
        read = parse_unit(unit)
    except UnitError:
        return None
    if read.kind != "linear" or read.dimension.powers:
        return None
    return float(f"{1 / float(read.scale):.12g}")


__all__ = ("SLACK", "inferred_bounds", "is_share", "ranges_of")
