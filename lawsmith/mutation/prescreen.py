"""The cheap screen in float64: what a candidate must show before its certificates are worth it."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from lawsmith.errors import CoherenceError, DimensionError, UndefinedValueError
from lawsmith.expressions import check_dimensions, check_scales, to_infix
from lawsmith.measurement import prediction_errors
from lawsmith.mutation.followers import broken_identities, followed
from lawsmith.mutation.laws import (
    CARD_FAULTS,
    Table,
    alike,
    blend_size,
    float_values,
    folded_laws,
    laws_of,
    refusal_of,
    sizes_of,
    tolerances_of,
    units_of,
)
from lawsmith.mutation.moves import Candidate, Ground
from lawsmith.mutation.screening import (
    MEDIAN_BOUND,
    S_BOUND,
    SHARE_BOUND,
    broken_values,
    out_of_proportion,
)
from lawsmith.units import parse_unit
from schemas.expression import MAX_DEPTH, MAX_NODES, Expression, names_of, node_count
from schemas.family import RejectedCandidate, RelationSet
from schemas.source import ReasonCode

LARGEST_RATIO: Final = 1e3
"""Worlds whose typical sizes differ by more are told apart by a glance, not by a law."""
BLEND_DEPTH: Final = 2
"""How much deeper a law stands in the blend (1 - s)*g + s*g'."""
ALIKE: Final = 7
"""Size within which two laws count as of one size: their least e then decides."""
SECOND_MOVE: Final = 12
"""Size nearer to the Original's size that a second move must bring the law."""
LOST_TERM: Final = 12
"""The same of a second move that takes a term away: sizes are not balanced by losing terms."""
WRONG_SIDE: Final = 12
"""The same of a shorter law, on cards whose keyed coin asks for one."""
SEEN_SHARE: Final = 0.5
"""Share of inputs at which each of several moves must show by itself, with e > 1."""


@dataclass(frozen=True)
class Sifted:
    """A candidate that passed the cheap screen, with what it is ranked by."""

    candidate: Candidate
    added: int
    """How much larger the Counterfactual's folded laws are than the Original's, by `text_size`."""
    least: float
    """The minimum e over the inputs, both ways."""
    distance: float
    """The smaller median, both ways, of the largest e at each input."""


class Sieve:
    """Screens candidates of one ground; what it refuses is kept with the reason."""

    def __init__(
        self,
        ground: Ground,
        rejected: list[RejectedCandidate],
        *,
        follow: bool = False,
        longer: bool = True,
    ) -> None:
        """A screen of candidates.

        Args:
            ground: the Original and where it is looked at.
            rejected: refused candidates are appended to it.
            follow: whether a candidate that breaks an identity may have readouts recomputed.
            longer: whether a longer law will do as well as another.

        Raises:
            UndefinedValueError: the Original has no value at a point of the ground.
        """
        self._ground = ground
        self._follow = follow
        self._laws = laws_of(ground.original)
        self._values = self._table(self._laws)
        self._longer = longer
        self._rejected = rejected

    def ranked(self, candidates: list[Candidate]) -> list[Sifted]:
        """The candidates that pass: nearest the Original's size, largest least e, order.

        A second move counts as `SECOND_MOVE`. Were the fewest added nodes asked for, nearly
        every Counterfactual would be the longer law of its pair.
        """
        found = [one for one in map(self._sifted, candidates) if one is not None]
        return sorted(found, key=lambda one: (self._unlike(one) // ALIKE, -one.least))

    def _unlike(self, one: Sifted) -> int:
        found = abs(one.added) + SECOND_MOVE * (len(one.candidate.moves) - 1)
        if len(one.candidate.moves) > 1 and "term_removed" in one.candidate.moves:
            found += LOST_TERM
        return found + (WRONG_SIDE if not self._longer and one.added >= 0 else 0)

    def _sifted(self, candidate: Candidate) -> Sifted | None:
        try:
            return self._passed(candidate)
        except UndefinedValueError as error:
            code, sentence = ReasonCode.UNDEFINED_ON_DOMAIN, error.problem
            self._reject(candidate, f"{code}: {sentence}", 2, code)
        except CARD_FAULTS as error:
            code, sentence = refusal_of(error)
            self._reject(candidate, f"{code}: {sentence}", None, code)
        return None

    def _passed(self, candidate: Candidate) -> Sifted | None:
        if self._is_too_large(candidate):
            code = ReasonCode.BLEND_TOO_LARGE
            self._reject(candidate, code, None, code)
            return None
        if alike(self._ground.original, candidate.relations):
            self._reject(candidate, "only constants change", 3)
            return None
        consistent = self._consistent(candidate)
        if consistent is not candidate:
            # By itself the move leaves an inconsistent world, whatever may follow from it.
            self._reject(candidate, "inconsistent_twin", 11)
        if consistent is None:
            return None
        candidate = consistent
        if self._is_too_large(candidate):
            code = ReasonCode.BLEND_TOO_LARGE
            self._reject(candidate, code, None, code)
            return None
        clash = self._clash(candidate)
        if clash is not None:
            self._reject(candidate, clash, 1)
            return None
        laws = laws_of(candidate.relations)
        inert = self._inert(laws)
        if inert is not None:
            self._reject(candidate, inert, 6)
            return None
        return self._compared(candidate, laws)

    def _consistent(self, candidate: Candidate) -> Candidate | None:
        """The candidate, with readouts that follow where that is allowed; None: inconsistent."""
        if not self._ground.interface.consistency:
            return candidate
        laws = laws_of(candidate.relations)
        if not broken_identities(candidate.relations, laws, self._ground):
            return candidate
        return followed(candidate, self._ground) if self._follow else None

    def _clash(self, candidate: Candidate) -> str | None:
        """What certificate 1 will say of temperatures with an offset; None where there are none.

        Most moves on such a law mix a temperature and a difference: without this screen they
        would use up the trials of a card.
        """
        controls = self._ground.interface.controls
        units = units_of(candidate.relations, controls)
        if all(parse_unit(unit).kind != "offset" for unit in units.values()):
            return None
        values = replace(self._ground, original=candidate.relations).values
        bodies = [(d.expression, d.unit) for d in candidate.relations.definitions]
        outputs = self._ground.interface.units
        bodies += [(r.expression, outputs[r.readout]) for r in candidate.relations.relations]
        try:
            for expression, unit in bodies:
                check_dimensions(expression, units, unit)
                check_scales(expression, units, unit, values)
        except (CoherenceError, DimensionError) as error:
            return f"{ReasonCode.UNIT_INCOHERENT}: {error}"
        return None

    def _compared(self, candidate: Candidate, laws: dict[str, Expression]) -> Sifted | None:
        table = self._table(laws)
        size, before = (np.abs(values).mean(axis=0) for values in (table, self._values))
        if not np.all((size < LARGEST_RATIO * before) & (before < LARGEST_RATIO * size)):
            self._reject(candidate, "off scale", 8)
            return None
        impossible = broken_values(
            self._ground.interface.necessary, list(laws), table
        ) or out_of_proportion(self._values, table)
        if impossible is not None:
            self._reject(candidate, f"impossible: {impossible}", 12)
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
        added = text_size(folded_laws(candidate.relations)) - self._size
        return Sifted(candidate, added, least, distance)

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
    def _size(self) -> int:
        return text_size(folded_laws(self._ground.original))

    @cached_property
    def _folded(self) -> dict[str, int]:
        folded = folded_laws(self._ground.original)
        return {name: node_count(law) for name, law in folded.items()}

    def _table(self, laws: dict[str, Expression]) -> Table:
        return float_values(laws, self._ground.interface.controls, self._ground.points)

    def _reject(
        self,
        candidate: Candidate,
        reason: str,
        number: int | None,
        code: ReasonCode = ReasonCode.CERTIFICATE_FAILED,
    ) -> None:
        self._rejected.append(rejected(candidate, code, reason, number))


def rejected(
    candidate: Candidate, code: ReasonCode, reason: str, number: int | None
) -> RejectedCandidate:
    """The record of a candidate that failed, and of which certificate it failed."""
    return RejectedCandidate(
        moves=candidate.moves,
        paths=tuple(mutation.path for mutation in candidate.mutations),
        reason_code=code,
        reason=reason,
        certificate=number,
    )


def text_size(laws: dict[str, Expression]) -> int:
    """Characters of laws as text, and one more for each of their nodes."""
    return sum(len(to_infix(law)) + node_count(law) for law in laws.values())


__all__ = ("Sieve", "Sifted", "rejected", "text_size")
