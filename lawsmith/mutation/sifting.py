"""The cheap screen in float64: what a candidate must show before its certificates are worth it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from lawsmith.errors import UndefinedValueError
from lawsmith.measurement import prediction_errors
from lawsmith.mutation.distinctness import MEDIAN_BOUND, S_BOUND, SHARE_BOUND
from lawsmith.mutation.ground import Candidate, Ground
from lawsmith.mutation.kinds import alike
from lawsmith.mutation.refusals import CARD_FAULTS, refusal_of
from lawsmith.mutation.relation_sets import blend_size, folded_laws, laws_of, meanings_of, sizes_of
from lawsmith.mutation.tolerance import tolerances_of
from lawsmith.mutation.truth import Table, float_values
from schemas.expression import MAX_DEPTH, MAX_NODES, Expression, names_of, node_count, substitute
from schemas.family import RejectedCandidate, RelationSet
from schemas.source import ReasonCode

LARGEST_RATIO: Final = 1e3
"""Worlds whose typical sizes differ by more are told apart by a glance, not by a law."""
IDENTITY_GAP: Final = 1e-9
BLEND_DEPTH: Final = 2
"""How much deeper a law stands in the blend (1 - s)*g + s*g'."""
SEEN_SHARE: Final = 0.5
"""Share of inputs at which each of several moves must show by itself, with e > 1."""


@dataclass(frozen=True)
class Sifted:
    """A candidate that passed the cheap screen, with what it is ranked by."""

    candidate: Candidate
    added: int
    """Nodes that the Counterfactual has more than the Original, over all laws."""
    least: float
    """The minimum e over the inputs, both ways."""
    distance: float
    """The smaller median, both ways, of the largest e at each input."""


class Sieve:
    """Screens candidates of one ground; what it refuses is kept with the reason."""

    def __init__(self, ground: Ground, rejected: list[RejectedCandidate]) -> None:
        """Args: the ground, and a list that refused candidates are appended to.

        Raises:
            UndefinedValueError: the Original has no value at a point of the ground.
        """
        self._ground = ground
        self._laws = laws_of(ground.original)
        self._values = self._table(self._laws)
        self._nodes = _size(self._laws)
        self._rejected = rejected

    def ranked(self, candidates: list[Candidate]) -> list[Sifted]:
        """The candidates that pass: fewest moves, fewest added nodes, largest least e, order."""
        found = [one for one in map(self._sifted, candidates) if one is not None]
        return sorted(found, key=lambda one: (len(one.candidate.moves), one.added, -one.least))

    def _sifted(self, candidate: Candidate) -> Sifted | None:
        try:
            return self._passed(candidate)
        except UndefinedValueError as error:
            self._reject(candidate, f"undefined_on_domain: {error.problem}", 2)
        except CARD_FAULTS as error:
            code, sentence = refusal_of(error)
            self._reject(candidate, f"{code}: {sentence}", None)
        return None

    def _passed(self, candidate: Candidate) -> Sifted | None:
        if self._is_too_large(candidate):
            self._reject(candidate, ReasonCode.BLEND_TOO_LARGE, None)
            return None
        if alike(self._ground.original, candidate.relations):
            self._reject(candidate, "only constants change", 3)
            return None
        laws = laws_of(candidate.relations)
        inert = self._inert(laws)
        if inert is not None:
            self._reject(candidate, inert, 6)
            return None
        if self._breaks_identity(candidate, laws):
            self._reject(candidate, "inconsistent_twin", 11)
            return None
        return self._compared(candidate, laws)

    def _compared(self, candidate: Candidate, laws: dict[str, Expression]) -> Sifted | None:
        table = self._table(laws)
        size, before = (np.abs(values).mean(axis=0) for values in (table, self._values))
        if not np.all((size < LARGEST_RATIO * before) & (before < LARGEST_RATIO * size)):
            self._reject(candidate, "off scale", 8)
            return None
        if np.any(np.all(self._values > 0, axis=0) & np.any(table <= 0, axis=0)):
            self._reject(candidate, "a positive readout does not stay positive", 8)
            return None
        worst = self._worst_errors(table, self._values)
        shares = [(w > 1.0).mean() for w, _ in worst]
        distance = float(min(np.median(w) for w, _ in worst))
        closest = max(s for _, s in worst)
        if min(shares) < SHARE_BOUND or distance < MEDIAN_BOUND or closest > S_BOUND:
            self._reject(candidate, "not distinguishable both ways", 4)
            return None
        if not all(self._shows(table, part) for part in candidate.without):
            self._reject(candidate, "one of its moves hides below the tolerance", 4)
            return None
        least = float(f"{min(w.min() for w, _ in worst):.4g}")
        return Sifted(candidate, _size(laws) - self._nodes, least, distance)

    def _shows(self, table: Table, rest: RelationSet) -> bool:
        """Whether the law differs, at half of the inputs, from the law that lacks one move."""
        worst = self._worst_errors(table, self._table(laws_of(rest)))
        return bool(min((w > 1.0).mean() for w, _ in worst) >= SEEN_SHARE)

    def _worst_errors(self, first: Table, second: Table) -> list[tuple[Table, float]]:
        """(largest e of each input, S), both ways, in the tolerances of the two worlds."""
        pooled = np.vstack([self._values, first])
        readouts = tolerances_of(self._ground.interface.readouts, pooled).readouts
        absolute = [readout.absolute for readout in readouts]
        relative = [readout.relative for readout in readouts]
        found: list[tuple[Table, float]] = []
        for one, other in ((first, second), (second, first)):
            errors = prediction_errors(one, other, absolute, relative)
            found.append((errors.max(axis=1), float(1 / (1 + errors.mean()))))
        return found

    def _inert(self, laws: dict[str, Expression]) -> str | None:
        """What certificate 6 will say of controls that a law does not even name."""
        controls = set(self._ground.controls)
        before, after = (
            controls & {name for law in world.values() for name in names_of(law)}
            for world in (self._laws, laws)
        )
        unused = sorted(controls - before - after)
        if unused:
            return f"controls {', '.join(unused)} stand in neither world's law"
        if len(controls) > 1 and min(len(before), len(after)) < 2:
            return "all controls but one are inert in an environment"
        return None

    def _is_too_large(self, candidate: Candidate) -> bool:
        sizes = sizes_of(candidate.relations)
        if max(depth for _, depth in sizes.values()) + BLEND_DEPTH > MAX_DEPTH:
            return True
        # Folding only makes a law shorter, and it costs more than counting.
        most = sum(7 + self._folded[name] + nodes for name, (nodes, _) in sizes.items())
        if most <= MAX_NODES:
            return False
        return blend_size(self._ground.original, candidate.relations) > MAX_NODES

    @cached_property
    def _folded(self) -> dict[str, int]:
        folded = folded_laws(self._ground.original)
        return {name: node_count(law) for name, law in folded.items()}

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

    def _reject(self, candidate: Candidate, reason: str, number: int | None) -> None:
        self._rejected.append(rejected(candidate, reason, number))


def rejected(candidate: Candidate, reason: str, number: int | None) -> RejectedCandidate:
    """The record of a candidate that failed, and of which certificate it failed."""
    return RejectedCandidate(
        moves=candidate.moves,
        paths=tuple(mutation.path for mutation in candidate.mutations),
        reason=reason,
        certificate=number,
    )


def _size(laws: dict[str, Expression]) -> int:
    return sum(node_count(law) for law in laws.values())


__all__ = ("Sieve", "Sifted", "rejected")
