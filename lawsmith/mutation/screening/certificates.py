"""Certificates: what every family proves about itself, and `verify` proves again.

`certify` is a pure function of a family's stored data: no key, no clock, no network.
"""

from collections.abc import Callable, Sequence
from typing import Final

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.mutation.screening.difficulty import (
    attainable,
    controls_move,
    nulls_fail,
    scale_is_sane,
)
from lawsmith.mutation.screening.distinctness import distinct, distinguishable, one_query_tells
from lawsmith.mutation.screening.inputs import Case, certificate, nine
from lawsmith.mutation.screening.possibility import possible
from lawsmith.mutation.screening.recovery import recoverable
from lawsmith.mutation.screening.soundness import defined, identities_hold, units_close
from schemas.family import Certificate, Family

FIGURE_AGREEMENT: Final = 1e-6
"""Relative difference up to which two runs of a certificate count as the same figure."""


CERTIFICATES: Final[tuple[Callable[[Case], Certificate], ...]] = (
    units_close,
    defined,
    distinct,
    distinguishable,
    nulls_fail,
    controls_move,
    recoverable,
    scale_is_sane,
    attainable,
    one_query_tells,
    identities_hold,
    possible,
)
"""Certificate 1 to 12, in order."""

CHEAPEST_FIRST: Final = (4, 8, 6, 10, 12, 11, 5, 1, 2, 3, 7, 9)


def certify(family: Family) -> tuple[Certificate, ...]:
    """All certificates of a family, recomputed from its stored data.

    Args:
        family: its own `certificates` field is not read.
    """
    case = Case(family)
    return tuple(_proved(case, number) for number in range(1, len(CERTIFICATES) + 1))


def screen(case: Case) -> tuple[tuple[Certificate, ...], Certificate | None]:
    """(certificates run, first failure): cheap ones first, stopping at the first that fails.

    Without a failure all are there, in order.
    """
    found: list[Certificate] = []
    for number in CHEAPEST_FIRST:
        found.append(_proved(case, number))
        if found[-1].outcome == "failed":
            return tuple(found), found[-1]
    return tuple(sorted(found, key=lambda one: one.number)), None


def distinguishing_query(family: Family) -> tuple[float, ...]:
    """The admissible input of certificate 10, in the order of the controls.

    Raises:
        InputError: the family has no such certificate.
    """
    for found in family.certificates:
        if found.number == 10 and found.outcome == "passed":
            values = [found.figures[f"at_{control.name}"] for control in family.controls]
            return tuple(float(value) for value in values)
    raise InputError(
        f"family {family.id!r} has no passed certificate 10",
        path="certificates",
        fix="forge the family again",
    )


def differing_figures(
    stored: Sequence[Certificate], recomputed: Sequence[Certificate]
) -> tuple[str, ...]:
    """Paths such as `certificates/3/figures/x` where a stored certificate is not the recomputed.

    Figures may differ by 1e-6 relative, and have 9 significant digits. Of a certificate of
    another version only that is said: its figures follow another rule.
    """
    faults: list[str] = []
    again = {found.number: found for found in recomputed}
    for one in stored:
        other = again.pop(one.number, None)
        where = f"certificates/{one.number}"
        if other is None:
            # A number that no certificate has, or that stands twice.
            faults.append(where)
        elif one.version != other.version:
            faults.append(f"{where}/version")
        else:
            faults.extend(f"{where}/{field}" for field in _differing_fields(one, other))
    return (*faults, *(f"certificates/{number}" for number in again))


def _differing_fields(one: Certificate, other: Certificate) -> list[str]:
    found = [
        name
        for name in ("name", "outcome", "sentence")
        if getattr(one, name) != getattr(other, name)
    ]
    figures = sorted({*one.figures, *other.figures})
    return found + [
        f"figures/{key}"
        for key in figures
        if not _same(one.figures.get(key), other.figures.get(key))
    ]


def _proved(case: Case, number: int) -> Certificate:
    """One certificate; a law without a value where it looks, or a bad unit, fails it."""
    try:
        return CERTIFICATES[number - 1](case)
    except (UndefinedValueError, InputError) as error:
        return certificate(number, False, {}, f"cannot be proved: {error}")


def _same(one: float | str | None, other: float | str | None) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        close = abs(one - other) <= FIGURE_AGREEMENT * max(abs(one), abs(other))
        return close and one == nine(one)
    return one == other


__all__ = (
    "CERTIFICATES",
    "certify",
    "differing_figures",
    "distinguishing_query",
    "screen",
)
