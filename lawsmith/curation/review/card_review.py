"""Review: a second model reads packet and card, and after pairing packet, card and case.

The reviewer sees nothing else: no reasoning of the extractor, no gate results, no earlier
verdicts. A card it wants changed goes back to the extractor with its notes, passes the gates
again, and is reviewed afresh, at most twice; a case is accepted or left out.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from lawsmith.chat import Reply, Request, Result
from lawsmith.curation.admission import Reason, admit_draft
from lawsmith.curation.evidence import SearchView
from lawsmith.curation.reading import (
    MAX_REPAIRS,
    Shown,
    UnreadReply,
    opening,
    packet_values,
    prompt_hash,
    quoted_block,
    read_extraction,
    response_schema,
)
from lawsmith.curation.review.case_review import (
    CaseReview,
    CaseReviewConversation,
    case_review_conversation,
)
from lawsmith.curation.review.disagreement import (
    Dissent,
    accepted_over_doubt,
    rejected_by_reviewer,
    revision_refused,
)
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
from lawsmith.curation.review.view import Case, card_text, case_of
from schemas.card import Card, CardDraft, ExtractionReply
from schemas.packet import Packet
from schemas.review import Review, ReviewDraft
from schemas.source import Outcome, Paper, ReasonCode

MAX_REVISIONS: Final = 2


@dataclass(frozen=True)
class CardReview:
    """What the review of a card came to."""

    reason: ReasonCode
    """`ok`, `reviewer_rejected`, `revisions_exhausted`, `review_unsupported` (accepted over a
    doubt of its own, and held to it), `no_executable_relation`, the code of the gate that
    stopped a revision, or a failure: `unusable_reply`, `truncated_reply`, `same_model`."""
    sentence: str
    reviews: tuple[Review, ...]
    cards: tuple[Card, ...]
    """The card as it came in, then every revision that passed the gates."""
    drafts: tuple[CardDraft, ...]
    """The draft of each card."""
    reasons: tuple[Reason, ...]
    """Gate findings about a revision that was refused."""
    dissents: tuple[Dissent, ...] = ()
    """Where reviewer and gates disagreed, in order."""

    @property
    def card(self) -> Card:
        """The last card that passed the gates."""
        return self.cards[-1]

    @property
    def outcome(self) -> Outcome:
        """passed, rejected, or failed (may be tried again)."""
        return outcome_of(self.reason)


@dataclass(frozen=True)
class CardReviewConversation:
    """The conversation about one card; see `lawsmith.chat.Conversation`."""

    card: Card
    draft: CardDraft
    packet: Packet
    paper: Paper
    terms: ReviewTerms = field(default_factory=ReviewTerms)

    def step(self, replies: Sequence[Reply]) -> Request | Result[CardReview]:
        """The next request, to either model, or what the replies so far come to."""
        progress = _Progress(self, [self.card], [self.draft])
        turn: Turn = progress.review_turn(0)
        for n, reply in enumerate(replies):
            after = progress.take(turn, reply, n + 1)
            if isinstance(after, CardReview):
                return Result(after)
            turn = after
        return turn.request


@dataclass
class _Progress:
    """The state that a transcript has led to; rebuilt from nothing at every step."""

    talk: CardReviewConversation
    cards: list[Card]
    drafts: list[CardDraft]
    reviews: list[Review] = field(default_factory=list)
    dissents: list[Dissent] = field(default_factory=list)
    reworded: bool = False

    def review_turn(self, position: int) -> Turn:
        """Ask the reviewer about the newest card."""
        packet, card = self.talk.packet, self.cards[-1]
        values = {**packet_values(packet, self.shown), "card": card_text(card)}
        messages = opening("reviewer_card", values)
        return Turn(
            review_request("card", card.id, card.revision, position, messages, packet, self.terms)
        )

    def take(self, turn: Turn, reply: Reply, position: int) -> "Turn | CardReview":
        """The next turn after a reply, or the end."""
        self.reworded = self.reworded or reply.reworded_prompt
        if turn.request.role == "reviewer":
            return self._reviewed(turn, reply, position)
        return self._revised(turn, reply, position)

    @property
    def shown(self) -> Shown:
        """The lines that either model reads about the newest card."""
        return self.terms.shown(self.talk.packet, self.cards[-1])

    @property
    def terms(self) -> ReviewTerms:
        return self.talk.terms

    def _reviewed(self, turn: Turn, reply: Reply, position: int) -> "Turn | CardReview":
        card, packet = self.cards[-1], self.talk.packet
        same = reply.model in {known.extractor for known in self.cards}
        if same and not self.terms.allow_same_model:
            return self._end(ReasonCode.SAME_MODEL, same_model_sentence(reply.model))
        read = read_review(reply, "card", packet, SearchView(packet), self.shown)
        if not isinstance(read, tuple):
            return self._unread_review(turn, reply, read, position)
        draft, verdicts = read
        self.reviews.append(
            made_review(draft, verdicts, card, card.digest, "card", reply, same, packet)
        )
        if draft.decision == "accept":
            return self._end(ReasonCode.OK, f"accepted by {reply.model}")
        if draft.decision == "revise" and card.revision < MAX_REVISIONS:
            return self._revision_turn(draft, card.revision + 1, position)
        self.dissents.append(rejected_by_reviewer(card.revision, doubts(verdicts)))
        rejected = draft.decision == "reject"
        code = ReasonCode.REVIEWER_REJECTED if rejected else ReasonCode.REVISIONS_EXHAUSTED
        return self._end(code, doubts(verdicts))

    def _unread_review(
        self, turn: Turn, reply: Reply, read: UnreadReply, position: int
    ) -> "Turn | CardReview":
        found = accepted_over_doubt(self.cards[-1].revision, read.doubted)
        self.dissents.extend(found)
        after = self._again(turn, reply, read.reason, read.problems, read.final, position)
        if found and isinstance(after, CardReview):
            return self._end(ReasonCode.REVIEW_UNSUPPORTED, f"{reply.model}: {found[0].sentence}")
        return after

    def _revision_turn(self, review: ReviewDraft, revision: int, position: int) -> Turn:
        packet, card = self.talk.packet, self.cards[-1]
        notes = [str(review.changes)]
        notes += [
            f"{c.criterion} ({c.verdict}): {c.reason}"
            for c in review.criteria
            if c.verdict != "supported"
        ]
        draft = self.drafts[-1].model_dump(mode="json")
        values = {
            **packet_values(packet, self.shown),
            "card": json.dumps(draft, ensure_ascii=False, indent=1),
            "changes": quoted_block("\n".join(notes)),
        }
        return Turn(
            Request(
                role="extractor",
                subject_kind="card",
                subject_id=card.id,
                revision=revision,
                round=position,
                messages=opening("extractor_revision", values),
                response_schema=response_schema(ExtractionReply),
                response_schema_name="extraction_reply",
                max_tokens=self.terms.extractor_max_tokens,
                temperature=self.terms.temperature,
                prompt_sha256=prompt_hash("extractor_revision"),
                packet_sha256=packet.text_sha256,
            )
        )

    def _revised(self, turn: Turn, reply: Reply, position: int) -> "Turn | CardReview":
        read = read_extraction(reply)
        if not isinstance(read, ExtractionReply):
            return self._again(turn, reply, read.reason, read.problems, read.final, position)
        if not read.cards:
            return self._end(ReasonCode.NO_EXECUTABLE_RELATION, str(read.none_reason))
        if len(read.cards) > 1:
            problem = f"$.cards: {len(read.cards)} cards; a revision is of one card"
            return self._again(turn, reply, ReasonCode.UNUSABLE_REPLY, (problem,), False, position)
        card = self.cards[-1]
        admission = admit_draft(
            read.cards[0],
            self.talk.packet,
            card_id=card.id,
            paper=self.talk.paper,
            extractor=reply.model,
            prompt_sha256=prompt_hash("extractor_revision"),
            revision=turn.request.revision,
            replayed=reply.replayed,
            known=self.terms.known,
            override=self.terms.override,
            shown=self.shown,
        )
        if admission.card is None:
            first = admission.reasons[0]
            self.dissents.append(revision_refused(card.revision, admission.reasons))
            sentence = f"revision {turn.request.revision} is stopped by a gate: {first.sentence}"
            return self._end(first.code, sentence, admission.reasons)
        self.cards.append(admission.card)
        self.drafts.append(read.cards[0])
        return self.review_turn(position)

    def _again(
        self,
        turn: Turn,
        reply: Reply,
        reason: ReasonCode,
        problems: tuple[str, ...],
        final: bool,
        position: int,
    ) -> "Turn | CardReview":
        if final or turn.repairs >= MAX_REPAIRS:
            who = turn.request.role
            return self._end(reason, f"{who} reply {position}: {'; '.join(problems[:3])}")
        return repaired(turn, reply, problems, position)

    def _end(
        self, reason: ReasonCode, sentence: str, reasons: tuple[Reason, ...] = ()
    ) -> CardReview:
        return CardReview(
            reason,
            f"{sentence}; recorded with another prompt" if self.reworded else sentence,
            tuple(self.reviews),
            tuple(self.cards),
            tuple(self.drafts),
            reasons,
            tuple(self.dissents),
        )


def card_review_conversation(
    card: Card, draft: CardDraft, packet: Packet, paper: Paper, terms: ReviewTerms | None = None
) -> CardReviewConversation:
    """The reviewer's and extractor's conversation about a card that passed the gates."""
    return CardReviewConversation(card, draft, packet, paper, terms or ReviewTerms())


__all__ = (
    "MAX_REVISIONS",
    "CardReview",
    "CardReviewConversation",
    "Case",
    "CaseReview",
    "CaseReviewConversation",
    "ReviewTerms",
    "card_review_conversation",
    "case_of",
    "case_review_conversation",
)
