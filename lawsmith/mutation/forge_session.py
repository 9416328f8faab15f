"""One card on the bench: interface, Original, designs, and the trial of one candidate."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from lawsmith.curation.admission import background_text
from lawsmith.errors import UndefinedValueError
from lawsmith.keyed_draws import Purpose, generator
from lawsmith.measurement import Points, fixed_design, hidden_design
from lawsmith.mutation.backgrounds import background_leak
from lawsmith.mutation.candidates import Candidate
from lawsmith.mutation.difficulty_strata import difficulty_of
from lawsmith.mutation.laws import (
    CARD_FAULTS,
    Interface,
    Table,
    blend_fits,
    exact_values,
    interface_of,
    laws_of,
    original_of,
    refusal_of,
    relation_set_of,
    rows,
    tolerances_of,
    units_of,
)
from lawsmith.mutation.moves import Ground
from lawsmith.mutation.prescreen import rejected
from lawsmith.mutation.screening import STEPS_BOUND, Case, fixed_steps, found_undefined, screen
from lawsmith.units import parse_unit
from schemas.card import Card
from schemas.family import Design, Family, FamilyReadout, RejectedCandidate, RelationSet, Stratum
from schemas.historical_card import HistoricalCard
from schemas.source import ReasonCode

FIXED_PURPOSES: Final[tuple[Purpose, ...]] = (
    "fixed/0",
    "fixed/1",
    "fixed/2",
    "fixed/3",
    "fixed/4",
    "fixed/5",
)


@dataclass(frozen=True)
class _Designs:
    fixed: Points
    hidden: Points
    fixed_original: Table
    hidden_original: Table


class Workbench:
    """A card laid out for forging; designs are made once per attempt and shared by candidates.

    Attributes:
        card: the card.
        key: the collection key.
        id: the family's identity.
        interface: what both environments share.
        original: the Original.
        rejected: every candidate that failed, with its reason, in the order of trial.
        late: which of those failed after the cheap screen, by their position.
    """

    def __init__(
        self, card: Card | HistoricalCard, key: bytes, background: str | None = None
    ) -> None:
        """Args: the card, the collection key, and a background text; None = the template.

        Raises:
            UnitError: a unit that is not in the table, or not alone where it must be.
            ForgeError: the card's relations make no relation set.
            DesignError: the controls and constraints allow no design.
            UndefinedValueError: the Original has no value at a design point.
        """
        self.card = card
        self.key = key
        self._background = background
        self.id = card.id if isinstance(card, HistoricalCard) else f"{card.id}/f1"
        self.interface: Interface = interface_of(card)
        self.original: RelationSet = (
            original_of(card) if isinstance(card, HistoricalCard) else relation_set_of(card)
        )
        for unit in (
            *units_of(self.original, self.interface.controls).values(),
            *self.interface.units.values(),
        ):
            parse_unit(unit)
        self.rejected: list[RejectedCandidate] = []
        self.late: list[int] = []
        self._laws = laws_of(self.original)
        self._attempts: list[_Designs] = []
        self._designs(0)

    @cached_property
    def ground(self) -> Ground:
        """The Original over the hidden inputs: what moves and the cheap screen stand on."""
        text = self._background or background_text(self.card)
        return Ground(self.interface, self.original, self._designs(0).hidden, text)

    def tried(self, candidate: Candidate, difficulty: Stratum | None = None) -> Family | None:
        """The certified family of a candidate, or None with the reason kept.

        Args:
            candidate: the Counterfactual.
            difficulty: the stratum that it must be measured to be of.
        """
        try:
            found = self._judged(candidate, difficulty)
        except CARD_FAULTS as error:
            code, sentence = refusal_of(error)
            found = code, f"{code}: {sentence}", None
        if isinstance(found, Family):
            return found
        self.reject(candidate, *found)
        return None

    def _judged(
        self, candidate: Candidate, difficulty: Stratum | None
    ) -> Family | tuple[ReasonCode, str, int | None]:
        """The certified family, or (code, reason, number of the certificate that failed)."""
        if not blend_fits(self.original, candidate.relations):
            return ReasonCode.BLEND_TOO_LARGE, ReasonCode.BLEND_TOO_LARGE, None
        try:
            draft = self._draft(candidate)
        except UndefinedValueError as error:
            code = ReasonCode.UNDEFINED_ON_DOMAIN
            return code, f"{code}: {error.problem}", 2
        if draft is None:
            return ReasonCode.CERTIFICATE_FAILED, "not separated by any Fixed design", 4
        leak = background_leak(draft, self.card)
        if leak is not None:
            code = ReasonCode.BACKGROUND_LEAKS
            return code, f"{code}: {leak}", None
        certificates, failure = screen(Case(draft))
        if failure is not None:
            undefined = found_undefined(failure)
            code = ReasonCode.UNDEFINED_ON_DOMAIN if undefined else ReasonCode.CERTIFICATE_FAILED
            return code, failure.sentence, failure.number
        measured = difficulty_of(draft.mutations, certificates).stratum
        if difficulty is not None and measured != difficulty:
            return ReasonCode.NO_CANDIDATE, f"difficulty {measured}", None
        return draft.model_copy(update={"difficulty": measured, "certificates": certificates})

    def reject(
        self, candidate: Candidate, code: ReasonCode, reason: str, number: int | None
    ) -> None:
        """Keep a candidate that failed after the cheap screen, with the reason."""
        self.late.append(len(self.rejected))
        self.rejected.append(rejected(candidate, code, reason, number))

    def _draft(self, candidate: Candidate) -> Family | None:
        """The family with truths on the first designs that separate it; None when none does."""
        for attempt in range(len(FIXED_PURPOSES)):
            draft = self._family(candidate, self._designs(attempt))
            if fixed_steps(Case(draft)) >= STEPS_BOUND:
                return draft
        return None

    def _family(self, candidate: Candidate, designs: _Designs) -> Family:
        controls = self.interface.controls
        laws = laws_of(candidate.relations)
        hidden = exact_values(laws, controls, designs.hidden)
        fixed = exact_values(laws, controls, designs.fixed)
        pooled = np.vstack([designs.hidden_original, hidden])
        tolerances = tolerances_of(self.interface.readouts, pooled)
        return Family(
            id=self.id,
            kind="historical" if isinstance(self.card, HistoricalCard) else "temporal",
            card_id=self.card.id,
            card_digest=self.card.digest,
            paper_id=None if isinstance(self.card, HistoricalCard) else self.card.paper_id,
            controls=controls,
            readouts=tolerances.readouts,
            constraints=self.interface.constraints,
            consistency=self.interface.consistency,
            necessary=self.interface.necessary,
            original=self.original,
            counterfactual=candidate.relations,
            mutations=candidate.mutations,
            choices=(*tolerances.choices, *candidate.choices),
            background=self._text(tolerances.readouts),
            fixed=_design(designs.fixed, designs.fixed_original, fixed),
            hidden=_design(designs.hidden, designs.hidden_original, hidden),
            difficulty="easy",
            certificates=(),
        )

    def _text(self, readouts: tuple[FamilyReadout, ...]) -> str:
        if self._background is not None:
            return self._background
        return background_text(self.card, resolutions={r.name: r.resolution for r in readouts})

    def _designs(self, attempt: int) -> _Designs:
        while len(self._attempts) <= attempt:
            purpose = FIXED_PURPOSES[len(self._attempts)]
            controls, constraints = self.interface.controls, self.interface.constraints
            fixed = fixed_design(controls, constraints, generator(self.key, purpose, self.id))
            rng = generator(self.key, "hidden", self.id)
            hidden = hidden_design(controls, constraints, rng, fixed)
            self._attempts.append(
                _Designs(
                    fixed,
                    hidden,
                    exact_values(self._laws, controls, fixed),
                    exact_values(self._laws, controls, hidden),
                )
            )
        return self._attempts[attempt]


def _design(inputs: Points, original: Table, counterfactual: Table) -> Design:
    return Design(inputs=rows(inputs), original=rows(original), counterfactual=rows(counterfactual))


__all__ = ("FIXED_PURPOSES", "Workbench")
