"""Rows of the tables `reviews/card` and `reviews/case`: one a review, with what it judged."""

from typing import Final

from lawsmith.curation.review import CardReview, CaseReview
from lawsmith.gateways.store import Row
from lawsmith.runs import StageContext, row_of
from schemas.card import Card
from schemas.family import Family
from schemas.record import canonical_json
from schemas.review import Review
from schemas.source import ReasonCode

CARD_TABLE: Final = "reviews/card"
CASE_TABLE: Final = "reviews/case"


def card_rows(context: StageContext, week: str, found: CardReview) -> list[Row]:
    """One row a review of a card, with the revision that stood under it and its draft."""
    cards = {
        card.digest: (card, draft) for card, draft in zip(found.cards, found.drafts, strict=True)
    }
    rows = []
    for review in found.reviews:
        card, draft = cards[review.subject_digest]
        dissents = [str(item) for item in found.dissents if item.revision == review.revision]
        rows.append(
            review_row(
                context,
                week,
                CARD_TABLE,
                review,
                version=card.version,
                card=card.to_json(),
                draft=canonical_json(draft.model_dump(mode="json")),
                dissent="\n".join(dissents),
            )
        )
    return rows


def case_rows(context: StageContext, week: str, family: Family, found: CaseReview) -> list[Row]:
    """The row of a case's review; none where no usable review came."""
    if found.review is None:
        return []
    return [review_row(context, week, CASE_TABLE, found.review, family_id=family.id)]


def review_row(
    context: StageContext, week: str, table: str, review: Review, **cells: str | int | None
) -> Row:
    """The row of one review."""
    accepted = review.decision == "accept"
    codes = {
        "accept": ReasonCode.OK,
        "revise": ReasonCode.AWAITING_REVISION,
        "reject": ReasonCode.REVIEWER_REJECTED,
    }
    return row_of(
        context,
        review,
        table=table,
        partition=week,
        paper_id=review.paper_id,
        outcome="passed" if accepted else "rejected",
        code=codes[review.decision],
        card_id=review.card_id,
        reviewer=review.reviewer,
        decision=review.decision,
        revision=review.revision,
        replayed=review.replayed,
        **cells,
    )


def judged(row: Row) -> Card:
    """The card that stood under a review."""
    return Card.from_json(str(row.extra["card"]))


__all__ = ("CARD_TABLE", "CASE_TABLE", "card_rows", "case_rows", "judged", "review_row")
