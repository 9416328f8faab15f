"""From a card to a certified family: designs, candidates, truths, certificates, selection."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from lawsmith.curation.background import Input, Output, background_text, check_background
from lawsmith.errors import UndefinedValueError
from lawsmith.measurement import DesignError, fixed_design, hidden_design
from lawsmith.measurement.constraints import Points
from lawsmith.mutation.candidates import Candidate, historical_candidates, temporal_candidates
from lawsmith.mutation.case import Case
from lawsmith.mutation.difficulty import stratum
from lawsmith.mutation.distinctness import STEPS_BOUND, fixed_steps
from lawsmith.mutation.historical import original_of
from lawsmith.mutation.refusals import ForgeError
from lawsmith.mutation.relation_sets import blend_size, laws_of
from lawsmith.mutation.screening import screen
from lawsmith.mutation.sources import Interface, interface_of, relation_set_of
from lawsmith.mutation.tolerance import Tolerances, historical_tolerances, temporal_tolerances
from lawsmith.mutation.truth import Table, exact_values, rows
from lawsmith.seals import Purpose, generator
from schemas.card import Card
from schemas.expression import MAX_NODES
from schemas.family import (
    Design,
    Family,
    FamilyReadout,
    ForgeReport,
    MoveKind,
    RejectedCandidate,
    Stratum,
)
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
_OWN_CODES: Final = (
    (ReasonCode.BLEND_TOO_LARGE, ReasonCode.BLEND_TOO_LARGE.value),
    (ReasonCode.BACKGROUND_LEAKS, ReasonCode.BACKGROUND_LEAKS.value),
    (ReasonCode.NO_CANDIDATE, "difficulty "),
)
"""Reason code of a card, and how the reasons of all its late candidates then start."""
MAX_TRIALS: Final = 24
"""How many candidates are taken through the full certificates before the card is refused."""


def forge_family(
    card: Card | HistoricalCard,
    key: bytes,
    difficulty: Stratum | None = None,
    background: str | None = None,
    move: MoveKind | None = None,
) -> Family:
    """The certified family of a card.

    Args:
        card: an admitted card or a Historical card.
        key: the collection key.
        difficulty: take only candidates of this measured stratum.
        background: the background text; None = the template over the card.
        move: take only candidates with a move of this kind, so that a release can balance them.

    Raises:
        ForgeError: no family can be forged; it carries the reason code and what was tried.
    """
    report = forge(card, key, difficulty, background, move)
    if report.family is None:
        raise ForgeError(
            report.sentence,
            reason_code=ReasonCode(report.reason_code),
            path=card.id,
            rejected=report.rejected,
        )
    return report.family


def forge(
    card: Card | HistoricalCard,
    key: bytes,
    difficulty: Stratum | None = None,
    background: str | None = None,
    move: MoveKind | None = None,
) -> ForgeReport:
    """What the forge makes of a card; a refused card is a report, not an exception."""
    try:
        return _Bench(card, key, background).search(difficulty, move)
    except (DesignError, ForgeError) as error:
        return _refused(error.reason_code, str(error))
    except UndefinedValueError as error:
        return _refused(ReasonCode.UNDEFINED_ON_DOMAIN, str(error))


@dataclass(frozen=True)
class _Designs:
    fixed: Points
    hidden: Points
    fixed_original: Table
    hidden_original: Table


class _Bench:
    """One card on the bench: interface, Original, and designs made once per attempt."""

    def __init__(self, card: Card | HistoricalCard, key: bytes, background: str | None) -> None:
        self._card = card
        self._key = key
        self._background = background
        self._id = card.id if isinstance(card, HistoricalCard) else f"{card.id}/f1"
        self._interface: Interface = interface_of(card)
        self._original = original_of(card) if isinstance(card, HistoricalCard) else (
            relation_set_of(card)
        )  # fmt: skip
        self._laws = laws_of(self._original)
        self._attempts: list[_Designs] = []
        self._rejected: list[RejectedCandidate] = []
        self._late: set[int] = set()
        self._designs(0)

    def search(self, difficulty: Stratum | None, move: MoveKind | None) -> ForgeReport:
        """The first candidate, in order of preference, that passes every certificate."""
        # No move takes nodes away, so the Original twice is the smallest blend there can be.
        least = blend_size(self._original, self._original)
        if least > MAX_NODES:
            sentence = f"the blend has at least {least} nodes; {MAX_NODES} are allowed"
            return _refused(ReasonCode.BLEND_TOO_LARGE, sentence)
        wanted = (c for c in self._candidates() if move is None or move in c.moves)
        for candidate in islice(wanted, MAX_TRIALS if difficulty is None else None):
            family = self._tried(candidate, difficulty)
            if family is not None:
                return ForgeReport(
                    family=family,
                    reason_code=ReasonCode.OK,
                    sentence=f"{len(family.mutations)} mutations, {family.difficulty}",
                    rejected=tuple(self._rejected),
                )
        return self._none_left()

    def _candidates(self) -> Iterator[Candidate]:
        if isinstance(self._card, HistoricalCard):
            rng = generator(self._key, "historical", self._id)
            yield from historical_candidates(self._card, self._original, rng)
            return
        designs = self._designs(0)
        yield from temporal_candidates(
            self._interface,
            self._original,
            np.vstack([designs.hidden, designs.fixed]),
            generator(self._key, "moves", self._id),
            self._rejected,
        )

    def _tried(self, candidate: Candidate, difficulty: Stratum | None) -> Family | None:
        """The certified family of a candidate, or None with the reason kept."""
        if blend_size(self._original, candidate.relations) > MAX_NODES:
            self._reject(candidate, ReasonCode.BLEND_TOO_LARGE, None)
            return None
        try:
            draft = self._draft(candidate)
        except UndefinedValueError as error:
            self._reject(candidate, f"undefined_on_domain: {error.problem}", 2)
            return None
        if draft is None:
            self._reject(candidate, "not separated by any Fixed design", 4)
            return None
        leak = background_leak(draft, self._card)
        if leak is not None:
            self._reject(candidate, f"{ReasonCode.BACKGROUND_LEAKS}: {leak}", None)
            return None
        case = Case(draft)
        measured = stratum(case)
        if difficulty is not None and measured != difficulty:
            self._reject(candidate, f"difficulty {measured}", None)
            return None
        certificates, failure = screen(case)
        if failure is not None:
            self._reject(candidate, failure.sentence, failure.number)
            return None
        return draft.model_copy(update={"difficulty": measured, "certificates": certificates})

    def _draft(self, candidate: Candidate) -> Family | None:
        """The family with truths on the first designs that separate it; None when none does."""
        for attempt in range(len(FIXED_PURPOSES)):
            draft = self._family(candidate, self._designs(attempt))
            if fixed_steps(Case(draft)) >= STEPS_BOUND:
                return draft
        return None

    def _family(self, candidate: Candidate, designs: _Designs) -> Family:
        controls = self._interface.controls
        laws = laws_of(candidate.relations)
        hidden = exact_values(laws, controls, designs.hidden)
        fixed = exact_values(laws, controls, designs.fixed)
        tolerances = self._tolerances(np.vstack([designs.hidden_original, hidden]))
        return Family(
            id=self._id,
            kind="historical" if isinstance(self._card, HistoricalCard) else "temporal",
            card_id=self._card.id,
            card_digest=self._card.digest,
            paper_id=None if isinstance(self._card, HistoricalCard) else self._card.paper_id,
            controls=controls,
            readouts=tolerances.readouts,
            constraints=self._interface.constraints,
            consistency=self._interface.consistency,
            original=self._original,
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
        return background_text(self._card, resolutions={r.name: r.resolution for r in readouts})

    def _tolerances(self, pooled: Table) -> Tolerances:
        if isinstance(self._card, HistoricalCard):
            return historical_tolerances(self._card.readouts, pooled)
        return temporal_tolerances(self._card.readouts, pooled)

    def _designs(self, attempt: int) -> _Designs:
        while len(self._attempts) <= attempt:
            purpose = FIXED_PURPOSES[len(self._attempts)]
            controls, constraints = self._interface.controls, self._interface.constraints
            fixed = fixed_design(controls, constraints, generator(self._key, purpose, self._id))
            rng = generator(self._key, "hidden", self._id)
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

    def _reject(self, candidate: Candidate, reason: str, number: int | None) -> None:
        one = RejectedCandidate(
            moves=tuple(m.move for m in candidate.mutations),
            paths=tuple(m.path for m in candidate.mutations),
            reason=reason,
            certificate=number,
        )
        self._rejected.append(one)
        self._late.add(id(one))

    def _none_left(self) -> ForgeReport:
        tried = tuple(self._rejected)
        if not tried:
            return _refused(ReasonCode.NO_CANDIDATE, "no move applies to this card's relations")
        # What the cheap screening refused says less than what came after it.
        reasons = sorted(
            {one.reason for one in tried if id(one) in self._late} or {one.reason for one in tried}
        )
        code = next(
            (c for c, text in _OWN_CODES if all(reason.startswith(text) for reason in reasons)),
            ReasonCode.CERTIFICATE_FAILED,
        )
        sentence = f"{len(tried)} candidates failed: {'; '.join(reasons[:3])}"
        return ForgeReport(family=None, reason_code=code, sentence=sentence, rejected=tried)


def background_leak(
    family: Family,
    card: Card | HistoricalCard,
    *,
    packet_text: str | None = None,
    names: Sequence[str] = (),
) -> str | None:
    """The first thing that the background text of a family gives away, None when nothing.

    Args:
        family: with its text and both laws.
        card: what it was forged from.
        packet_text: the source, to find runs of its words; None where it is not at hand.
        names: what else may not be named: authors, journal, identifiers.
    """
    inputs = tuple(Input(c.name, c.meaning, c.unit, c.domain) for c in family.controls)
    outputs = tuple(Output(r.name, r.meaning, r.unit, r.resolution) for r in family.readouts)
    reasons = check_background(
        family.background,
        inputs=inputs,
        outputs=outputs,
        laws=(family.original, family.counterfactual),
        names=(*_private_names(card), *names),
        packet_text=packet_text,
    )
    return reasons[0].sentence if reasons else None


def _private_names(card: Card | HistoricalCard) -> tuple[str, ...]:
    if isinstance(card, Card):
        return (card.title, card.paper_id, card.id)
    people = re.findall(r"[A-Z][a-z]{3,}", card.discoverer)
    return (card.title, card.id, *people)


def _design(inputs: Points, original: Table, counterfactual: Table) -> Design:
    return Design(inputs=rows(inputs), original=rows(original), counterfactual=rows(counterfactual))


def _refused(code: ReasonCode, sentence: str) -> ForgeReport:
    return ForgeReport(family=None, reason_code=code, sentence=sentence, rejected=())


__all__ = ("background_leak", "forge", "forge_family", "relation_set_of")
