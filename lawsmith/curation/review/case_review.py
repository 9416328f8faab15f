"""Review of a case: packet, card, and what was built from it; anything but accept leaves it out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lawsmith.chat import Reply, Request, Result
from lawsmith.curation.evidence import SearchView
from lawsmith.curation.reading import MAX_REPAIRS, Shown, opening, packet_values
from lawsmith.curation.review.reading import read_review
from lawsmith.curation.review.requests import (
    ReviewTerms,
    Turn,
    doubts,
    made_review,
    outcome_of,
    repaired,
    review_request,
    same_model_sentence,
)
from lawsmith.curation.review.view import Case, card_text, case_of, case_text
from schemas.card import Card
from schemas.packet import Packet
from schemas.review import Review
from schemas.source import Outcome, ReasonCode


@dataclass(frozen=True)
class CaseReview:
    """What the review of a case came to; anything but accept leaves the case out."""

    reason: ReasonCode
    sentence: str
    review: Review | None
    """None when no usable review came."""

    @property
    def outcome(self) -> Outcome:
        """passed, rejected, or failed (may be tried again)."""
        return outcome_of(self.reason)


@dataclass(frozen=True)
class CaseReviewConversation:
    """The conversation about one case; see `lawsmith.chat.Conversation`."""

    case: Case
    card: Card
    packet: Packet
    terms: ReviewTerms = field(default_factory=ReviewTerms)

    @cached_property
    def shown(self) -> Shown:
        """The lines that the reviewer reads: those of the card's review."""
        return self.terms.shown(self.packet, self.card)

    def step(self, replies: Sequence[Reply]) -> Request | Result[CaseReview]:
        """The next request, or what the replies so far come to."""
        values = {
            **packet_values(self.packet, self.shown),
            "card": card_text(self.card),
            "case": case_text(self.case),
        }
        messages = opening("reviewer_case", values)
        turn = Turn(
            review_request("case", self.case.family_id, 0, 0, messages, self.packet, self.terms)
        )
        for n, reply in enumerate(replies):
            after = self._take(turn, reply, n + 1)
            if isinstance(after, CaseReview):
                return Result(after)
            turn = after
        return turn.request

    def _take(self, turn: Turn, reply: Reply, position: int) -> Turn | CaseReview:
        same = reply.model == self.card.extractor
        if same and not self.terms.allow_same_model:
            return CaseReview(ReasonCode.SAME_MODEL, same_model_sentence(reply.model), None)
        read = read_review(reply, "case", self.packet, SearchView(self.packet), self.shown)
        if not isinstance(read, tuple):
            if read.final or turn.repairs >= MAX_REPAIRS:
                sentence = f"reviewer reply {position}: {'; '.join(read.problems[:3])}"
                return CaseReview(read.reason, sentence, None)
            return repaired(turn, reply, read.problems, position)
        draft, verdicts = read
        digest = self.case.family_digest
        review = made_review(draft, verdicts, self.card, digest, "case", reply, same, self.packet)
        if draft.decision == "accept":
            return CaseReview(ReasonCode.OK, f"accepted by {reply.model}", review)
        return CaseReview(ReasonCode.REVIEWER_REJECTED, doubts(verdicts), review)


def case_review_conversation(
    case: Case, card: Card, packet: Packet, terms: ReviewTerms | None = None
) -> CaseReviewConversation:
    """The reviewer's conversation about what was built from an accepted card."""
    return CaseReviewConversation(case, card, packet, terms or ReviewTerms())


__all__ = ("Case", "CaseReview", "CaseReviewConversation", "case_of", "case_review_conversation")
