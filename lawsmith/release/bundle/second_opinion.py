"""`verify --second-opinion`: sympy's word on the laws of a release, beside our own verdict.

Sympy shares no code with our own decision of equality, so a place where the two differ is worth
a look by a person. Where sympy is undecided it says nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from lawsmith.expressions import Opinion, equivalent, second_opinion
from lawsmith.mutation.laws import folded, laws_of
from lawsmith.release.bundle.reading import read_release
from lawsmith.release.tables import row_path
from schemas.card import Choices, Domain
from schemas.expression import Expression
from schemas.family import Family
from schemas.release import Fault

_SETTLED: Final = ("equal", "different")


class Disagreement(NamedTuple):
    """Two laws of which we say one thing and sympy another."""

    family: str
    readout: str
    laws: str
    """Which two: `original, counterfactual`, or a law and its folded form."""
    ours: str
    theirs: Opinion

    def as_fault(self) -> Fault:
        """The disagreement as `verify` shows it."""
        return Fault(
            path=f"{row_path('families', self.family)}/{self.readout}",
            what=f"{self.laws}: we say {self.ours}, sympy says {self.theirs}",
        )


def disagreements(release: Path) -> Iterator[Disagreement]:
    """Where sympy contradicts us about the families of a whole release.

    Of every readout, the Original is compared with the Counterfactual, and each of them with
    its folded form.

    Raises:
        PrerequisiteError: the folder is no release, or sympy is not installed.
    """
    sealed = read_release(release).sealed
    for family in sealed.families if sealed is not None else ():
        yield from family_disagreements(family)


def family_disagreements(family: Family) -> Iterator[Disagreement]:
    """Where sympy contradicts us about one family."""
    domain = {control.name: _bounds(control.domain) for control in family.controls}
    original, counterfactual = laws_of(family.original), laws_of(family.counterfactual)
    for readout, law in original.items():
        other = counterfactual[readout]
        pairs: dict[str, tuple[Expression, Expression]] = {
            "original, counterfactual": (law, other),
            "original, folded": (law, folded(law)),
            "counterfactual, folded": (other, folded(other)),
        }
        for laws, (first, second) in pairs.items():
            ours = equivalent(first, second, domain).verdict
            theirs = second_opinion(first, second, domain)
            if theirs in _SETTLED and ours != theirs:
                yield Disagreement(family.id, readout, laws, ours, theirs)


def _bounds(domain: Domain) -> tuple[float, float] | list[float]:
    return list(domain.choices) if isinstance(domain, Choices) else (domain.low, domain.high)


__all__ = ("Disagreement", "disagreements", "family_disagreements")
