"""Stages `reviews/card` and `reviews/case`: an independent model before and after pairing."""

from collections.abc import Sequence
from dataclasses import replace

from lawsmith.chat import Result
from lawsmith.curation.admission import BY_HAND, Override, review_by_hand
from lawsmith.curation.reading import DEFAULT_MAX_TOKENS
from lawsmith.curation.review import (
    REVIEW_MAX_TOKENS,
    CardReviewConversation,
    CaseReviewConversation,
    ReviewTerms,
    card_review_conversation,
    case_of,
    case_review_conversation,
)
from lawsmith.gateways.store import Row, read_partition, read_table
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    Written,
    call_figures,
    converse,
    input_tokens,
    override_of,
    report,
    run_weeks,
    unfinished,
)
from lawsmith.stages.known_law_index import KnownLaws
from lawsmith.stages.review_rows import (
    CARD_TABLE,
    CASE_TABLE,
    card_rows,
    case_rows,
    judged,
    review_row,
)
from schemas.card import Card, CardDraft
from schemas.family import Family
from schemas.packet import Packet
from schemas.record import canonical_json
from schemas.review import Review
from schemas.source import Disposition, Paper, ReasonCode

COLUMNS = ("review", "reviewer", "decision")


def run_card(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Review every admitted card that has no final outcome, revising it at most twice.

    Raises:
        PrerequisiteError: a live model without a cap, a missing key, an unknown model.
    """
    talks = [talk for week in weeks for talk in open_card_reviews(context, week)]
    answers = converse(context, "reviewing cards", talks)

    def run_week(week: str) -> Written:
        step = PartitionPass(context, CARD_TABLE, week)
        for card, draft in admitted_cards(context, week):
            subject = _card_subject(card)
            if card_done(context, step, card):
                continue
            if (decision := override_of(context, card.id)) is not None:
                _settle_by_hand(context, step, card, draft, decision)
                continue
            outcome = answers.outcomes[card.id]
            if isinstance(outcome, Result):
                found = outcome.value
                made = card_rows(context, week, found)
                step.settle(subject, found.outcome, found.reason, found.sentence, made)
            elif (ending := unfinished(outcome)) is not None:
                step.settle(subject, *ending)
        return step.write()

    return _report(CARD_TABLE, *run_weeks(weeks, run_week), call_figures(answers))


def run_case(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Review every forged family that has no final outcome.

    Raises:
        PrerequisiteError: a live model without a cap, a missing key, an unknown model.
    """
    talks = [talk for week in weeks for talk in open_case_reviews(context, week)]
    answers = converse(context, "reviewing cases", talks)

    def run_week(week: str) -> Written:
        step = PartitionPass(context, CASE_TABLE, week)
        for family in forged_families(context, week):
            subject = _family_subject(family)
            if step.done(subject):
                continue
            outcome = answers.outcomes[family.id]
            if isinstance(outcome, Result):
                found = outcome.value
                made = case_rows(context, week, family, found)
                step.settle(subject, found.outcome, found.reason, found.sentence, made)
            elif (ending := unfinished(outcome)) is not None:
                step.settle(subject, *ending)
        return step.write()

    return _report(CASE_TABLE, *run_weeks(weeks, run_week), call_figures(answers))


def open_card_reviews(context: StageContext, week: str) -> list[tuple[str, CardReviewConversation]]:
    """The card conversations of a week that have no final outcome yet."""
    step = PartitionPass(context, CARD_TABLE, week)
    packets, papers = _packets(context, week), _papers(context, week)
    open_cards = [
        pair
        for pair in admitted_cards(context, week)
        if not card_done(context, step, pair[0]) and override_of(context, pair[0].id) is None
    ]
    if not open_cards:
        # Where nothing is asked, no model need be set up and no law be read.
        return []
    common = _terms(context)
    known = KnownLaws(context)
    found = []
    for card, draft in open_cards:
        terms = replace(
            common,
            known=known.for_paper(card.paper_id),
            override=override_of(context, card.id, card.paper_id),
        )
        paper = papers[f"{card.paper_id}v{card.version}"]
        talk = card_review_conversation(card, draft, packets[card.packet_id], paper, terms)
        found.append((card.id, talk))
    return found


def open_case_reviews(context: StageContext, week: str) -> list[tuple[str, CaseReviewConversation]]:
    """The case conversations of a week that have no final outcome yet."""
    step = PartitionPass(context, CASE_TABLE, week)
    packets = _packets(context, week)
    cards = {card.id: card for card in accepted_cards(context, week)}
    families = [
        family
        for family in forged_families(context, week)
        if not step.done(_family_subject(family))
    ]
    terms = _terms(context) if families else ReviewTerms()
    return [
        (
            family.id,
            case_review_conversation(
                case_of(family),
                cards[family.card_id],
                packets[cards[family.card_id].packet_id],
                terms,
            ),
        )
        for family in families
    ]


def card_done(context: StageContext, step: PartitionPass, card: Card) -> bool:
    """Whether a card stands as reviewed, and as a person decided where one did."""
    rows = step.rows[card.id]
    by_hand = [row for row in rows if row.id.endswith(BY_HAND)]
    decision = override_of(context, card.id)
    if decision is None:
        return not by_hand and step.done(_card_subject(card))
    wanted = review_by_hand(decision, _newest(card, rows)[0])
    if [row.digest for row in by_hand] != [wanted.digest]:
        return False
    return step.done(_card_subject(card))


def _settle_by_hand(
    context: StageContext, step: PartitionPass, card: Card, draft: CardDraft, decision: Override
) -> None:
    """A person's decision about the newest card that passed the gates, beside former reviews."""
    former = [row for row in step.rows[card.id] if not row.id.endswith(BY_HAND)]
    newest, written = _newest(card, former)
    review = review_by_hand(decision, newest)
    text = written or canonical_json(draft.model_dump(mode="json"))
    row = review_row(
        context,
        step.partition,
        CARD_TABLE,
        review,
        version=newest.version,
        card=newest.to_json(),
        draft=text,
    )
    accepted = decision.action == "accept"
    step.settle(
        _card_subject(card),
        "passed" if accepted else "rejected",
        ReasonCode.OK if accepted else ReasonCode.OVERRIDDEN,
        f"{decision.action} by {decision.by}: {decision.reason}",
        [*former, row],
    )


def _newest(card: Card, rows: Sequence[Row]) -> tuple[Card, str | None]:
    """The last revision that stood under review and its draft; else the card as admitted."""
    if not rows:
        return card, None
    last = max(rows, key=lambda row: int(row.extra["revision"] or 0))
    return judged(last), str(last.extra["draft"])


def _terms(context: StageContext) -> ReviewTerms:
    """What holds for every review, whatever its card."""
    longest = context.settings.calls.max_reply_tokens
    return ReviewTerms(
        allow_same_model=context.settings.models.allow_same_model,
        extractor_max_tokens=longest or DEFAULT_MAX_TOKENS,
        reviewer_max_tokens=longest or REVIEW_MAX_TOKENS,
        max_input_tokens=input_tokens(context),
    )


def accepted_cards(context: StageContext, week: str) -> list[Card]:
    """The cards of a week that a reviewer accepted, as they stood when accepted.

    A card whose packet was replaced since is left out until its successor is accepted.
    """
    rows = read_partition(context.store, CARD_TABLE, context.collection, week)
    by_hand = {row.extra["card_id"] for row in rows if row.id.endswith(BY_HAND)}
    cards = [
        judged(row)
        for row in rows
        if row.outcome == "passed"
        # Where a person decided, that alone counts.
        and (row.id.endswith(BY_HAND) or row.extra["card_id"] not in by_hand)
    ]
    standing = {(card.id, card.packet_id) for card, _draft in admitted_cards(context, week)}
    return [card for card in cards if (card.id, card.packet_id) in standing]


def accepted_families(context: StageContext, week: str) -> list[Family]:
    """The families of a week whose case a reviewer accepted."""
    rows = read_partition(context.store, CASE_TABLE, context.collection, week)
    accepted = {
        Review.from_json(row.record).subject_digest for row in rows if row.outcome == "passed"
    }
    return [family for family in forged_families(context, week) if family.digest in accepted]


def judged_cards(context: StageContext) -> dict[tuple[str, str], Card]:
    """(card id, digest) -> every card that stood under a review."""
    rows = read_table(context.store, CARD_TABLE, context.collection)
    cards = [judged(row) for row in rows]
    return {(card.id, card.digest): card for card in cards}


def reviews_of(context: StageContext, families: Sequence[Family]) -> tuple[Review, ...]:
    """Every review of the families' cards, and the reviews of the families' own cases."""
    cards = {family.card_id for family in families}
    digests = {family.digest for family in families}
    found = [
        Review.from_json(row.record)
        for table in (CARD_TABLE, CASE_TABLE)
        for row in read_table(context.store, table, context.collection)
        if row.extra["card_id"] in cards
    ]
    kept = [item for item in found if item.subject == "card" or item.subject_digest in digests]
    return tuple(sorted(kept, key=lambda item: item.id))


def _card_subject(card: Card) -> Subject:
    return Subject("card", card.id, card.digest, card.paper_id, card.version)


def _family_subject(family: Family) -> Subject:
    return Subject("family", family.id, family.digest, family.paper_id, None)


def admitted_cards(context: StageContext, week: str) -> list[tuple[Card, CardDraft]]:
    """The cards of a week that passed the gates, each with its draft."""
    rows = read_partition(context.store, "cards", context.collection, week)
    return [
        (
            Card.from_json(row.record),
            CardDraft.model_validate_json(str(row.extra["draft"])),
        )
        for row in rows
        if row.outcome == "passed"
    ]


def forged_families(context: StageContext, week: str) -> list[Family]:
    """The families of a week whose card stands; those of Historical cards always do."""
    rows = read_partition(context.store, "families", context.collection, week)
    families = [Family.from_json(row.record) for row in rows if row.outcome == "passed"]
    standing = {(card.id, card.digest) for card in accepted_cards(context, week)}
    return [
        family
        for family in families
        if family.kind == "historical" or (family.card_id, family.card_digest) in standing
    ]


def _packets(context: StageContext, week: str) -> dict[str, Packet]:
    rows = read_partition(context.store, "packets", context.collection, week)
    return {row.id: Packet.from_json(row.record) for row in rows}


def _papers(context: StageContext, week: str) -> dict[str, Paper]:
    rows = read_partition(context.store, "sources", context.collection, week)
    return {row.id: Paper.from_json(row.record) for row in rows}


def _report(
    stage: str,
    rows: list[Row],
    dispositions: list[Disposition],
    new: int,
    figures: dict[str, float],
) -> StageReport:
    return report(
        stage,
        rows,
        dispositions,
        new=new,
        columns=COLUMNS,
        preview=[(row.id, str(row.extra["reviewer"]), str(row.extra["decision"])) for row in rows],
        figures=figures,
    )
