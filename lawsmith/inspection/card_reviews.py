"""Reviews as a person reads them: verdicts with the reviewer's quotations, and disagreements.

A review record keeps only the hash of a quotation; its words are in the reply. They are looked
up in the ledger and in the recording that is configured, and a reply is taken by that hash, so
that words can never be shown under a verdict that they do not belong to.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.chat import Reply
from lawsmith.curation.admission import BY_HAND, CRITERIA_OF_CODE
from lawsmith.curation.evidence import Reason
from lawsmith.curation.reading import read_reply
from lawsmith.gateways.models import PREFIX, calls_about, read_recording, replay_file
from lawsmith.gateways.store import read_table
from lawsmith.inspection.card_evidence import Line, lines_beside
from lawsmith.runs import StageContext
from schemas.packet import Packet
from schemas.review import Criterion, CriterionVerdict, Review, ReviewDraft


@dataclass(frozen=True)
class CriterionSeen:
    """One verdict beside the lines it cites."""

    criterion: str
    verdict: str
    reason: str
    quote: str | None
    """None where the reviewer gave none, or its reply is no longer at hand."""
    quoted: bool
    """Whether the reviewer gave a quotation that code had found in the packet."""
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class ReviewSeen:
    """One pass of a reviewer."""

    id: str
    subject: str
    revision: int
    reviewer: str
    same_model: bool
    replayed: bool
    by_hand: bool
    """A person's decision in overrides.toml, not a model's."""
    former: bool
    """It judged what the card or its family was before, not what is shown."""
    decision: str
    changes: str | None
    criteria: tuple[CriterionSeen, ...]


def reviews_seen(
    context: StageContext, card_id: str, packet: Packet | None, standing: Collection[str]
) -> Iterator[ReviewSeen]:
    """Every review of a card and of its cases, in the order they were held.

    Args:
        context: of the collection.
        card_id: whose.
        packet: the text that its lines are shown from.
        standing: digests of the card, its revisions and its families as they are now.
    """
    rows = [
        row
        for table in ("reviews/card", "reviews/case")
        for row in read_table(context.store, table, context.collection)
        if row.extra["card_id"] == card_id
    ]
    families = sorted({str(row.extra["family_id"]) for row in rows if row.extra.get("family_id")})
    words = _words(context, [card_id, *families]) if rows else {}
    for row in sorted(rows, key=lambda row: (row.extra.get("family_id") is not None, row.id)):
        review = Review.from_json(row.record)
        yield ReviewSeen(
            id=review.id,
            subject=review.subject,
            revision=review.revision,
            reviewer=review.reviewer,
            same_model=review.same_model,
            replayed=review.replayed,
            by_hand=review.id.endswith(BY_HAND),
            former=review.subject_digest not in standing,
            decision=review.decision,
            changes=review.changes,
            criteria=tuple(_criterion(item, packet, review, words) for item in review.criteria),
        )


def _criterion(
    verdict: CriterionVerdict, packet: Packet | None, review: Review, words: dict[str, str]
) -> CriterionSeen:
    quote = words.get(verdict.quote_sha256) if verdict.quote_sha256 else None
    lines: tuple[Line, ...] = ()
    if (
        packet is not None
        and packet.text_sha256 == review.packet_sha256
        and verdict.first_line is not None
        and verdict.last_line is not None
    ):
        lines = lines_beside(packet, verdict.first_line, verdict.last_line, quote)
    return CriterionSeen(
        criterion=verdict.criterion,
        verdict=verdict.verdict,
        reason=verdict.reason,
        quote=quote,
        quoted=verdict.quote_sha256 is not None,
        lines=lines,
    )


def _words(context: StageContext, subjects: Sequence[str]) -> dict[str, str]:
    """sha256 -> quotation, of every reviewer's reply about these subjects that is at hand."""
    found: dict[str, str] = {}
    for reply in _replies(context, subjects):
        draft = read_reply(reply, ReviewDraft)
        if isinstance(draft, ReviewDraft):
            quotes = [item.quote for item in draft.criteria if item.quote is not None]
            found |= {hashlib.sha256(quote.encode()).hexdigest(): quote for quote in quotes}
    return found


def _replies(context: StageContext, subjects: Sequence[str]) -> Iterator[Reply]:
    for call in calls_about(context.store.ledger, subjects):
        if call.role == "reviewer" and call.reply is not None:
            yield call.reply
    model = context.settings.models.reviewer
    if not model.startswith(PREFIX):
        return
    recording = read_recording(replay_file(model, context.settings.data_root))
    for key, recorded in recording.items():
        if key.role == "reviewer" and key.subject_id in subjects:
            yield Reply(
                text=recorded.text,
                finish_reason=recorded.finish_reason,
                model=recorded.model,
                usage=recorded.usage,
                cost_usd=None,
                replayed=True,
                served_from="replay",
            )


_BY_TABLE: Final[dict[str, tuple[Criterion, ...]]] = {
    "relations": ("relation", "formula"),
    "definitions": ("formula",),
    "consistency": ("formula",),
    "controls": ("controls", "domain"),
    "readouts": ("readouts",),
    "parameters": ("parameters",),
    "constraints": ("domain", "conditions"),
    "sampling": ("domain",),
    "sampling_anchors": ("domain",),
}


def criteria_of(reason: Reason) -> tuple[Criterion, ...]:
    """The criteria of a review that speak of what a gate found."""
    table = reason.path.strip("/").split("/")[0]
    return CRITERIA_OF_CODE.get(reason.code) or _BY_TABLE.get(
        table, ("conditions",) if table else ()
    )


def disagreements(
    reviews: Sequence[ReviewSeen], reasons: Sequence[Reason]
) -> Iterator[tuple[object, ...]]:
    """(revision, what gates say, what the reviewer says), wherever the two differ.

    Args:
        reviews: of one card; a card under review had passed the gates.
        reasons: what the gates find in the newest draft now.
    """
    current = [review for review in reviews if not review.former and not review.by_hand]
    newest = max((review.revision for review in current), default=0)
    for review in current:
        standing = reasons if review.revision == newest else ()
        touched = {name: reason for reason in standing for name in criteria_of(reason)}
        for item in review.criteria:
            said = f"{review.subject}: {item.criterion} {item.verdict}: {item.reason}"
            if item.verdict == "supported" and item.criterion in touched:
                yield review.revision, str(touched[item.criterion]), said
            elif item.verdict != "supported" and item.criterion not in touched:
                yield review.revision, "passed", said


__all__ = ("CriterionSeen", "ReviewSeen", "criteria_of", "disagreements", "reviews_seen")
