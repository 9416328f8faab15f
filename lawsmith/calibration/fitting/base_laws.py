"""The published law that a hidden law grows from, with the fits of all reference laws."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lawsmith.calibration.fitting.base_law import LawFit, choose_base
from lawsmith.calibration.fitting.fits import STARTS, Fit, fit
from lawsmith.calibration.problems import Records, Space
from lawsmith.errors import InputError, UndefinedValueError
from schemas.problem import Problem, ReferenceLaw

FEW_GROUPS: Final = 12
FEW_STARTS: Final = 6
"""Starts in each group where there are more groups than these."""


@dataclass(frozen=True, slots=True)
class PublishedBase:
    """The reference law of least structure in its residuals, fitted."""

    law: ReferenceLaw
    fit: Fit
    structure: float
    """B_b: the share of the residuals' variance that their local means hold."""
    r2: float
    """In residual space, the median over groups; not below 0."""
    others: tuple[ReferenceLaw, ...]
    """The other reference laws of the problem."""


@dataclass(frozen=True, slots=True)
class PublishedFits:
    """The reference laws of a problem fitted to the same records, in their order."""

    fits: Mapping[str, Fit]
    """Law -> its fit."""
    faults: tuple[str, ...]
    """Of each law that cannot be fitted: its name and why."""


def fits_of(problem: Problem, records: Records, space: Space) -> PublishedFits:
    """The fits of all reference laws to some records.

    Args:
        problem: its reference laws.
        records: usable rows that may calibrate.
        space: of the residuals.
    """
    starts = STARTS if len(records.group_rows()) <= FEW_GROUPS else FEW_STARTS
    fits: dict[str, Fit] = {}
    faults: list[str] = []
    for law in problem.laws:
        try:
            fits[law.id] = fit(law.expression, law.constants, records, space, starts)
        except (InputError, UndefinedValueError) as error:
            faults.append(f"{law.id}: {error}")
    return PublishedFits(fits, tuple(faults))


def base_of(
    problem: Problem, records: Records, space: Space, published: PublishedFits | None = None
) -> PublishedBase:
    """The base law by B_b among the reference laws, fitted to the records.

    Args:
        problem: its reference laws.
        records: usable rows that may calibrate.
        space: of the residuals.
        published: `fits_of` these records, if they are made already.

    Raises:
        InputError: no reference law can be fitted, every one is constant in some group, or none
            explains the records better than their mean.
    """
    published = published or fits_of(problem, records, space)
    fits = [(law, published.fits[law.id]) for law in problem.laws if law.id in published.fits]
    if not fits:
        raise InputError(
            f"no reference law can be fitted ({'; '.join(published.faults)})", path=problem.id
        )
    known = [LawFit(found.residuals, found.fitted) for _, found in fits]
    choice = choose_base(records.table, known, records.group_rows())
    law, found = fits[choice.index]
    structure, r2 = choice.structure[choice.index], choice.r2[choice.index]
    if structure is None or r2 is None or not choice.nonnegative:
        raise InputError(
            f"no reference law explains the records better than their mean (best R² {r2!r})",
            path=problem.id,
        )
    others = tuple(other for other in problem.laws if other.id != law.id)
    return PublishedBase(law, found, structure, r2, others)


__all__ = ("PublishedBase", "PublishedFits", "base_of", "fits_of")
