"""Candidates in order of preference: made by moves, screened cheaply in float64."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.random import Generator

from lawsmith.errors import UndefinedValueError
from lawsmith.measurement import prediction_errors
from lawsmith.measurement.constraints import Points
from lawsmith.mutation.distinctness import MEDIAN_BOUND, S_BOUND, SHARE_BOUND, STRUCTURAL
from lawsmith.mutation.ground import Candidate, Ground
from lawsmith.mutation.historical import counterfactual_of
from lawsmith.mutation.moves import MOVES
from lawsmith.mutation.relation_sets import laws_of, meanings_of
from lawsmith.mutation.sources import Interface
from lawsmith.mutation.tolerance import RELATIVE, scale_tolerance
from lawsmith.mutation.truth import Table, float_values
from schemas.expression import Expression, node_count, substitute
from schemas.family import RejectedCandidate, RelationSet
from schemas.historical_card import HistoricalCard

HISTORICAL_DRAWS: Final = 8
MAX_PAIRS: Final = 60
LARGEST_RATIO: Final = 1e3
"""Worlds whose typical sizes differ by more are told apart by a glance, not by a law."""
IDENTITY_GAP: Final = 1e-9


def historical_candidates(
    card: HistoricalCard, original: RelationSet, rng: Generator
) -> Iterator[Candidate]:
    """Successive keyed draws within the card's ranges."""
    for _ in range(HISTORICAL_DRAWS):
        relations, mutations = counterfactual_of(card, original, rng)
        moves = tuple(mutation.move for mutation in mutations)
        yield Candidate(moves, {}, mutations, relations, ())


def temporal_candidates(
    interface: Interface,
    original: RelationSet,
    points: Points,
    rng: Generator,
    rejected: list[RejectedCandidate],
) -> Iterator[Candidate]:
    """Every screened candidate of one move, then, when those are used up, of two moves.

    Order: fewest moves, fewest added nodes, largest minimum e, then a keyed order.

    Args:
        interface: controls, units, constraints, identities.
        original: the Original.
        points: feasible inputs at which the worlds are compared.
        rng: the keyed generator of `moves`.
        rejected: what the screening refuses is appended here.

    Raises:
        UndefinedValueError: the Original has no value at a point.
    """
    ground = Ground(interface, original, points)
    screen = _Screen(ground, rejected)
    singles = [candidate for move in MOVES.values() for candidate in move(ground, rng)]
    singles = [singles[i] for i in rng.permutation(len(singles))]
    structural = [c for c in singles if STRUCTURAL & set(c.moves)]
    yield from screen.sorted(structural)
    pairs = list(_pairs(ground, structural, singles))
    order = rng.permutation(len(pairs))[:MAX_PAIRS]
    yield from screen.sorted([pairs[i] for i in order])


class _Screen:
    def __init__(self, ground: Ground, rejected: list[RejectedCandidate]) -> None:
        self._ground = ground
        self._laws = laws_of(ground.original)
        self._values = self._table(self._laws)
        self._nodes = _size(self._laws)
        self._rejected = rejected

    def sorted(self, candidates: list[Candidate]) -> list[Candidate]:
        """The candidates that pass, best first."""
        ranked: list[tuple[tuple[int, int, float, int], Candidate]] = []
        for order, candidate in enumerate(candidates):
            laws = laws_of(candidate.relations)
            gap = self._judged(candidate, laws)
            if gap is not None:
                rank = (len(candidate.moves), _size(laws) - self._nodes, -gap, order)
                ranked.append((rank, candidate))
        return [candidate for _, candidate in sorted(ranked, key=lambda pair: pair[0])]

    def _judged(self, candidate: Candidate, laws: dict[str, Expression]) -> float | None:
        """The minimum e of a candidate, None when it is rejected."""
        try:
            table = self._table(laws)
            if self._breaks_identity(candidate, laws):
                self._reject(candidate, "inconsistent_twin", 11)
                return None
        except UndefinedValueError as error:
            self._reject(candidate, f"undefined_on_domain: {error.problem}", 2)
            return None
        size, before = (np.abs(values).mean(axis=0) for values in (table, self._values))
        if not np.all((size < LARGEST_RATIO * before) & (before < LARGEST_RATIO * size)):
            self._reject(candidate, "off scale", 8)
            return None
        worst = self._worst_errors(table)
        shares = [(w > 1.0).mean() for w, _ in worst]
        medians = [np.median(w) for w, _ in worst]
        scores = [s for _, s in worst]
        if min(shares) < SHARE_BOUND or min(medians) < MEDIAN_BOUND or max(scores) > S_BOUND:
            self._reject(candidate, "not distinguishable both ways", 4)
            return None
        return float(f"{min(w.min() for w, _ in worst):.4g}")

    def _worst_errors(self, table: Table) -> list[tuple[Table, float]]:
        """(largest e of each input, S), both ways."""
        pooled = np.vstack([self._values, table])
        names = list(self._laws)
        absolute = [scale_tolerance(pooled[:, r], name) for r, name in enumerate(names)]
        found: list[tuple[Table, float]] = []
        for one, other in ((table, self._values), (self._values, table)):
            errors = prediction_errors(one, other, absolute, RELATIVE)
            found.append((errors.max(axis=1), float(1 / (1 + errors.mean()))))
        return found

    def _breaks_identity(self, candidate: Candidate, laws: dict[str, Expression]) -> bool:
        for identity in self._ground.interface.consistency:
            sides = (identity.left, identity.right)
            if self._gap(self._ground.original, self._laws, sides) > IDENTITY_GAP:
                continue
            if self._gap(candidate.relations, laws, sides) > IDENTITY_GAP:
                return True
        return False

    def _gap(
        self,
        relations: RelationSet,
        laws: dict[str, Expression],
        sides: tuple[Expression, Expression],
    ) -> float:
        known = meanings_of(relations) | laws
        table = self._table({str(i): substitute(side, known) for i, side in enumerate(sides)})
        size = np.abs(table).max(axis=1)
        gap = np.abs(table[:, 0] - table[:, 1]) / np.where(size > 0, size, 1.0)
        return float(gap.max())

    def _table(self, laws: dict[str, Expression]) -> Table:
        return float_values(laws, self._ground.interface.controls, self._ground.points)

    def _reject(self, candidate: Candidate, reason: str, number: int) -> None:
        self._rejected.append(
            RejectedCandidate(
                moves=candidate.moves,
                paths=tuple(candidate.edits),
                reason=reason,
                certificate=number,
            )
        )


def _pairs(
    ground: Ground, structural: list[Candidate], others: list[Candidate]
) -> Iterator[Candidate]:
    """Two moves at once where their edits and introduced names do not meet."""
    rank = {id(candidate): i for i, candidate in enumerate(others)}
    for first in structural:
        for second in others:
            both = second.moves[0] in STRUCTURAL and rank[id(second)] <= rank[id(first)]
            if both or first is second or _meet(first, second):
                continue
            yield ground.combined(
                (*first.moves, *second.moves),
                first.edits | second.edits,
                (*first.mutations, *second.mutations),
            )


def _meet(first: Candidate, second: Candidate) -> bool:
    roots = [{"/".join(path.split("/")[:3]) for path in c.edits} for c in (first, second)]
    names = [{p.name for p in c.introduced} for c in (first, second)]
    return bool(roots[0] & roots[1] or names[0] & names[1])


def _size(laws: dict[str, Expression]) -> int:
    return sum(node_count(law) for law in laws.values())


__all__ = ("Candidate", "historical_candidates", "temporal_candidates")
