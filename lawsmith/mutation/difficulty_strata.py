"""Policy `strata-2`: how hard a family is, measured on what its certificates store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.errors import InputError
from lawsmith.mutation.screening import REFIT_CAP
from lawsmith.rules import named
from schemas.expression import Expression
from schemas.family import Certificate, MoveKind, Mutation, Stratum

STRATA_POLICY: Final = named("strata")
FAR: Final = 200.0
NEAR: Final = 50.0
"""Median errors, in tolerances, below which the worlds are not far apart, and near."""
HOPELESS: Final = REFIT_CAP
"""Largest error, in tolerances, from which a refitted Original is no near miss."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What the stratum of a family is read from."""

    moves: int
    distance: float
    """Certificate 4: the smaller of both ways' median of the largest e at each hidden input."""
    refit: float
    """Certificate 3: largest e of the Original's form with its constants refitted."""

    @property
    def stratum(self) -> Stratum:
        """No point is easy, one is medium, more are hard.

        One point each for more than one move, for a distance below 200, for one below 50, and
        for a refit that comes within 10 tolerances everywhere.
        """
        points = (self.moves > 1) + (self.distance < FAR) + (self.distance < NEAR)
        points += self.refit < HOPELESS
        return ("easy", "medium", "hard")[min(points, 2)]


def difficulty_of(mutations: Sequence[Mutation], certificates: Sequence[Certificate]) -> Difficulty:
    """The measured difficulty of a family, from stored data alone.

    Raises:
        InputError: certificates 3 and 4 are not both there with their figures.
    """
    figures = {c.number: c.figures for c in certificates}
    try:
        distance = min(float(figures[4][f"median_{e}"]) for e in ("original", "counterfactual"))
        refit = float(figures[3]["refit_worst_e"])
    except KeyError as error:
        raise InputError(
            f"no figure {error} to measure difficulty by", path="certificates"
        ) from error
    return Difficulty(len(by_move(mutations)), distance, refit)


def by_move(mutations: Sequence[Mutation]) -> list[list[Mutation]]:
    """The mutations of each move: an equal change of an equal subtree is the same move.

    A readout that follows another through an identity is no move.
    """
    groups: dict[tuple[MoveKind, Expression, Expression, str], list[Mutation]] = {}
    for m in mutations:
        if m.follows:
            continue
        own = m.path if m.path.startswith("/parameters") else ""
        groups.setdefault((m.move, m.before, m.after, own), []).append(m)
    return list(groups.values())


def reachable(moves: int, distance: float) -> frozenset[Stratum]:
    """The strata that a candidate may turn out to be of, before its refit is known."""
    return frozenset(Difficulty(moves, distance, refit).stratum for refit in (0.0, HOPELESS))


__all__ = (
    "FAR",
    "HOPELESS",
    "NEAR",
    "STRATA_POLICY",
    "Difficulty",
    "by_move",
    "difficulty_of",
    "reachable",
)
