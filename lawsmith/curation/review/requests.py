"""The turns that card and case reviews share: requests, repairs, and reviews made of replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.chat import Message, Reply, Request
from lawsmith.curation.admission import KnownLaw, Override
from lawsmith.curation.reading import (
    DEFAULT_MAX_TOKENS,
    PromptName,
    Shown,
    anchored_lines,
    prompt_hash,
    repair_turn,
    response_schema,
    shown_lines,
    with_lines,
)
from schemas.card import Card
from schemas.packet import Packet
from schemas.review import CriterionVerdict, Review, ReviewDraft, ReviewSubject
from schemas.source import Outcome, ReasonCode

REVIEW_MAX_TOKENS: Final = 8_000

FAILED: Final = frozenset(
    {ReasonCode.TRUNCATED_REPLY, ReasonCode.UNUSABLE_REPLY, ReasonCode.SAME_MODEL}
)
"""Ends that say nothing about the subject: the review may be tried again."""


@dataclass(frozen=True)
class ReviewTerms:
    """What holds for all turns of a review."""

    allow_same_model: bool = False
    """The reviewer may be the model that extracted; the review then says so."""
    known: Sequence[KnownLaw] = ()
    override: Override | None = None
    extractor_max_tokens: int = DEFAULT_MAX_TOKENS
    reviewer_max_tokens: int = REVIEW_MAX_TOKENS
    temperature: float | None = None
    max_input_tokens: int | None = None
    """Longest prompt that extractor and reviewer both take; a longer packet is shown in part."""

    def shown(self, packet: Packet, *parts: object) -> Shown:
        """The lines that the extractor was shown, and those that these cards are anchored to."""
        shown = shown_lines(packet, self.max_input_tokens)
        return with_lines(shown, [lines for part in parts for lines in anchored_lines(part)])


@dataclass(frozen=True)
class Turn:
    """An open request and how many repairs preceded it."""

    request: Request
    repairs: int = 0


def review_request(
    subject: ReviewSubject,
    subject_id: str,
    revision: int,
    position: int,
    messages: tuple[Message, ...],
    packet: Packet,
    terms: ReviewTerms,
) -> Request:
    """A request to the reviewer; the schema is that of a review."""
    return Request(
        role="reviewer",
        subject_kind=subject,
        subject_id=subject_id,
        revision=revision,
        round=position,
        messages=messages,
        response_schema=response_schema(ReviewDraft),
        response_schema_name="review",
        max_tokens=terms.reviewer_max_tokens,
        temperature=terms.temperature,
        prompt_sha256=prompt_hash(prompt_of("reviewer", subject)),
        packet_sha256=packet.text_sha256,
    )


def repaired(turn: Turn, reply: Reply, problems: Sequence[str], position: int) -> Turn:
    """The same question again, with the reply and what is wrong with it."""
    request = turn.request
    reviewing = request.role == "reviewer"
    repair: PromptName = "reviewer_repair" if reviewing else "extractor_repair"
    main = prompt_of(request.role, request.subject_kind)
    return Turn(
        request.model_copy(
            update={
                "round": position,
                "messages": request.messages + repair_turn(repair, reply.text, problems),
                "prompt_sha256": prompt_hash(main, repair),
            }
        ),
        turn.repairs + 1,
    )


def prompt_of(role: str, subject: str) -> PromptName:
    """The prompt file that a role answers to."""
    if role == "extractor":
        return "extractor_revision"
    return "reviewer_card" if subject == "card" else "reviewer_case"


def made_review(
    draft: ReviewDraft,
    verdicts: tuple[CriterionVerdict, ...],
    card: Card,
    subject_digest: str,
    subject: ReviewSubject,
    reply: Reply,
    same: bool,
    packet: Packet,
) -> Review:
    """The review record of a usable reply."""
    return Review(
        id=f"{card.id}/{subject}/{card.revision}",
        subject=subject,
        card_id=card.id,
        paper_id=card.paper_id,
        packet_sha256=packet.text_sha256,
        subject_digest=subject_digest,
        revision=card.revision,
        reviewer=reply.model,
        same_model=same,
        criteria=verdicts,
        decision=draft.decision,
        changes=draft.changes,
        prompt_sha256=prompt_hash(prompt_of("reviewer", subject)),
        replayed=reply.replayed,
    )


def doubts(verdicts: Sequence[CriterionVerdict]) -> str:
    """The criteria that are not supported, with the reviewer's reasons."""
    doubted = [v for v in verdicts if v.verdict != "supported"]
    said = [f"{v.criterion} {v.verdict}: {v.reason}" for v in doubted]
    return " · ".join(said) or "refused though every criterion is supported"


def same_model_sentence(model: str) -> str:
    """What to say and do when one model would judge its own card."""
    return (
        f"{model!r} extracted the card and answered as its reviewer; configure another reviewer"
        " or allow the same model explicitly"
    )


def outcome_of(reason: ReasonCode) -> Outcome:
    """The outcome of a disposition for the reason a review ended with."""
    if reason is ReasonCode.OK:
        return "passed"
    return "failed" if reason in FAILED else "rejected"


__all__ = (
    "REVIEW_MAX_TOKENS",
    "ReviewTerms",
    "Turn",
    "doubts",
    "made_review",
    "outcome_of",
    "prompt_of",
    "repaired",
    "review_request",
    "same_model_sentence",
)
