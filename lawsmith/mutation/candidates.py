"""Candidates of a card by kind of move, made by keyed moves and screened cheaply."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from numpy.random import Generator

from lawsmith.keyed_draws import NamedDraws
from lawsmith.mutation.laws import STRUCTURAL, alike, counterfactual_of
from lawsmith.mutation.moves import MOVES, Candidate, Ground
from lawsmith.mutation.prescreen import Sieve, Sifted
from lawsmith.rules import named
from schemas.expression import Expression
from schemas.family import MoveKind, RejectedCandidate, RelationSet
from schemas.historical_card import HistoricalCard

SEARCH_POLICY: Final = named("search")
HISTORICAL_DRAWS: Final = 8
LONGER: Final = 0.3
"""Share of cards that take a longer Counterfactual as gladly as another."""
TRANSFORMS_LAST: Final = 0.5
"""Share of the cards that ask for a shorter law on which transforms come last, too."""
_PLIABLE: Final[tuple[MoveKind, ...]] = ("exponent", "coefficient")
"""Kinds that nearly always have a law of any size: a power can be left out, and a coefficient
stands beside any other move."""
MAX_PAIRS: Final = 6
"""Candidates of two moves that are made for one pair of kinds."""

Identity = tuple[frozenset[tuple[str, Expression]], tuple[tuple[str, float], ...]]


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
        longer: the card's keyed coin: whether it takes a longer law as gladly as another.
    """

    def __init__(self, ground: Ground, rng: Generator, rejected: list[RejectedCandidate]) -> None:
        """Args: the ground, the keyed generator of `moves`, and where refusals are kept.

        Raises:
            UndefinedValueError: the Original has no value at a point of the ground.
        """
        self._ground = ground
        self._given: set[tuple[MoveKind, MoveKind]] = set()
        self._draws = NamedDraws(rng)
        self.longer = bool(self._draws.generator("longer").random() < LONGER)
        self._sieve = Sieve(ground, rejected, follow=True, longer=self.longer)
        self._singles = {kind: self._made(kind) for kind in MOVES}
        # Of two moves, both must change the form or be called a coefficient.
        self._parts = {
            kind: [
                one
                for one in singles
                if kind not in STRUCTURAL or not alike(ground.original, one.relations)
            ]
            for kind, singles in self._singles.items()
        }
        self.kinds: tuple[MoveKind, ...] = self._draws.ordered(MOVES)

    def of_kind(self, kind: MoveKind) -> Iterator[Sifted]:
        """The screened candidates with a move of a kind that were not given out before.

        Order: nearest the Original's size, largest minimum e, then a keyed order. A coefficient
        alone is no structural change, so it comes with a second move.
        """
        alone = self._singles[kind] if kind in STRUCTURAL else []
        yield from self._sieve.ranked(distinct_laws([*alone, *self._pairs(kind)]))

    def in_turn(self, kinds: Sequence[MoveKind]) -> tuple[MoveKind, ...]:
        """The kinds in the order in which they are asked.

        Where a longer law is not wanted, those come last that nearly always have one:
        they would leave the others no turn. Transforms, of which most can, do on a share of them.
        """
        if self.longer:
            return tuple(kinds)
        behind = self._draws.generator("transforms last").random() < TRANSFORMS_LAST
        last = {*_PLIABLE, "transform"} if behind else {*_PLIABLE}
        return tuple(sorted(kinds, key=lambda kind: kind in last))

    def is_wanted(self, sifted: Sifted) -> bool:
        """Whether a candidate's size suits the card's keyed coin.

        Most moves make a law longer. So that the longer law of a pair is not always the
        Counterfactual, some cards take a longer one only where nothing else passes.
        """
        moves = sifted.candidate.moves
        if len(moves) > 1 and "term_removed" in moves:
            # Sizes are not balanced by losing terms.
            return False
        return self.longer or sifted.added <= 0

    def _made(self, kind: MoveKind) -> list[Candidate]:
        """The candidates of one move of a kind, in a keyed order."""
        rng = self._draws.generator(kind)
        made = list(MOVES[kind](self._ground, rng))
        return [made[i] for i in rng.permutation(len(made))]

    def _pairs(self, kind: MoveKind) -> Iterator[Candidate]:
        """Candidates of two moves, one of them of the kind; each pair of kinds has its share."""
        # A coefficient beside another move makes no law of another size: it is asked for by name.
        others = {one for one in MOVES if one in STRUCTURAL or kind not in STRUCTURAL}
        for other in self._draws.ordered(others, kind):
            pair = (min(kind, other), max(kind, other))
            if pair not in self._given:
                self._given.add(pair)
                yield from self._pairs_of(*pair)

    def _pairs_of(self, one: MoveKind, other: MoveKind) -> Iterator[Candidate]:
        if not STRUCTURAL & {one, other}:
            return
        firsts, seconds = self._parts[one], self._parts[other]
        rng = self._draws.generator(one, other)
        given = 0
        for index in rng.permutation(len(firsts) * len(seconds)).tolist():
            first, second = firsts[index // len(seconds)], seconds[index % len(seconds)]
            if composable(first, second):
                # What brings constants stands first.
                pair = (first, second) if first.introduced else (second, first)
                yield composed(self._ground, *pair)
                given += 1
            if given == MAX_PAIRS:
                return


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


def distinct_laws(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The first of those that make the same law."""
    found: dict[Identity, Candidate] = {}
    for candidate in candidates:
        found.setdefault(identity_of(candidate), candidate)
    return list(found.values())


def identity_of(candidate: Candidate) -> Identity:
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
    "distinct_laws",
    "historical_candidates",
    "identity_of",
)
