"""Candidates of a card by kind of move, made by keyed moves and screened cheaply."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.distinctness import STRUCTURAL
from lawsmith.mutation.ground import Candidate, Ground
from lawsmith.mutation.historical import counterfactual_of
from lawsmith.mutation.moves import MOVES
from lawsmith.mutation.sifting import Sieve, Sifted
from schemas.expression import Expression
from schemas.family import MoveKind, RejectedCandidate, RelationSet
from schemas.historical_card import HistoricalCard

SEARCH_POLICY: Final = "search-1"
HISTORICAL_DRAWS: Final = 8
MAX_PAIRS: Final = 40
"""Candidates of two moves that are made for one kind of move."""

_Identity = tuple[frozenset[tuple[str, Expression]], tuple[tuple[str, float], ...]]


def historical_candidates(
    card: HistoricalCard, original: RelationSet, rng: Generator, draws: int = HISTORICAL_DRAWS
) -> Iterator[Candidate]:
    """Successive keyed draws within the card's ranges."""
    for _ in range(draws):
        relations, mutations = counterfactual_of(card, original, rng)
        moves = tuple(mutation.move for mutation in mutations)
        yield Candidate(moves, {}, mutations, relations, ())


class Pool:
    """The candidates of one ground; those of a kind are made and screened when asked for.

    Attributes:
        kinds: every kind of move, in the keyed order in which a card considers them.
    """

    def __init__(self, ground: Ground, rng: Generator, rejected: list[RejectedCandidate]) -> None:
        """Args: the ground, the keyed generator of `moves`, and where refusals are kept.

        Raises:
            UndefinedValueError: the Original has no value at a point of the ground.
        """
        self._ground = ground
        self._sieve = Sieve(ground, rejected, follow=True)
        self._seen: set[_Identity] = set()
        self._rngs = dict(zip(MOVES, rng.spawn(len(MOVES)), strict=True))
        self._singles = {
            kind: _shuffled(list(move(ground, self._rngs[kind])), self._rngs[kind])
            for kind, move in MOVES.items()
        }
        names = tuple(MOVES)
        self.kinds: tuple[MoveKind, ...] = tuple(names[i] for i in rng.permutation(len(names)))

    def of_kind(self, kind: MoveKind) -> Iterator[Sifted]:
        """The screened candidates with a move of a kind that were not given out before.

        Order: fewest moves, fewest added nodes, largest minimum e, then a keyed order. A
        coefficient alone is no structural change, so it comes with a second move.
        """
        if kind in STRUCTURAL:
            yield from self._sieve.ranked(self._fresh(self._singles[kind]))
        yield from self._sieve.ranked(self._fresh(self._pairs(kind)))

    def _pairs(self, kind: MoveKind) -> list[Candidate]:
        others = [one for singles in self._singles.values() for one in singles]
        own = self._singles[kind]
        found: list[Candidate] = []
        for index in self._rngs[kind].permutation(len(own) * len(others)).tolist():
            first, second = own[index // len(others)], others[index % len(others)]
            if len(found) == MAX_PAIRS:
                break
            if STRUCTURAL & {*first.moves, *second.moves} and composable(first, second):
                found.append(composed(self._ground, first, second))
        return found

    def _fresh(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        new: list[Candidate] = []
        for candidate in candidates:
            name = _identity(candidate)
            if name not in self._seen:
                self._seen.add(name)
                new.append(candidate)
        return new


def composable(first: Candidate, second: Candidate) -> bool:
    """Whether two moves can be made at once: no edit inside another, no name for two things."""
    for one in first.edits:
        for other in second.edits:
            if f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/"):
                return False
    known = {parameter.name: parameter for parameter in first.introduced}
    shared = [parameter for parameter in second.introduced if parameter.name in known]
    return all(p == known[p.name] and not p.mutable for p in shared)


def composed(ground: Ground, first: Candidate, second: Candidate) -> Candidate:
    """Two moves at once."""
    both = ground.combined(
        (*first.moves, *second.moves),
        first.edits | second.edits,
        (*first.mutations, *second.mutations),
    )
    return replace(both, without=(first.relations, second.relations))


def _shuffled(candidates: list[Candidate], rng: Generator) -> list[Candidate]:
    return [candidates[i] for i in rng.permutation(len(candidates))]


def _identity(candidate: Candidate) -> _Identity:
    """Equal for candidates that make the same law, whatever their moves are called."""
    introduced = tuple((parameter.name, parameter.value) for parameter in candidate.introduced)
    return frozenset(candidate.edits.items()), tuple(sorted(introduced))


__all__ = (
    "HISTORICAL_DRAWS",
    "MAX_PAIRS",
    "SEARCH_POLICY",
    "Candidate",
    "Pool",
    "composable",
    "composed",
    "historical_candidates",
)
