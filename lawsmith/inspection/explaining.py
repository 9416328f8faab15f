"""The story of one subject: every decision about it, and what it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from lawsmith.eligibility import week_of
from lawsmith.gateways.store import Row, read_table
from lawsmith.inspection.card_pages import CardPage, card_page, family_section
from lawsmith.inspection.explaining_problems import problem_sections
from lawsmith.inspection.sections import Section
from lawsmith.runs import (
    StageContext,
    all_dispositions,
    former_cards,
    latest_by_subject,
    reasons_of,
)
from lawsmith.stages.supersession import SupersededFamily, is_superseded, superseded_families
from schemas.card import CardDraft
from schemas.family import Family
from schemas.source import Disposition, Window

Story = list[Section | CardPage]
"""Tables and cards in reading order."""


def explain(context: StageContext, subject: str) -> Story:
    """Everything this collection knows of a paper, packet, card, family, problem or task."""
    task = next(
        (
            row
            for row in read_table(context.store, "tasks", context.collection)
            if row.id == subject
        ),
        None,
    )
    if task is not None:
        family = str(task.extra["family_id"])
        about = ("family", "setting", "environment", "release")
        cells = tuple(task.extra[name] for name in ("family_id", "setting", "environment"))
        head = Section(f"Task {subject}", about, ((*cells, task.partition),))
        return [head, *explain(context, family)]
    decisions = [
        item
        for item in all_dispositions(context.store, context.collection)
        if _concerns(item, subject)
    ]
    superseded = superseded_families(context)
    story: Story = []
    if decisions:
        story.append(_decisions(subject, decisions, superseded))
    decided = {item.subject_id for item in decisions}
    gone = [one for one in superseded if decided & {one.id, one.card_id}]
    if gone:
        rows = tuple((one.id, one.why) for one in gone)
        story.append(Section("Superseded families", ("family", "why"), rows))
    pages = [
        card_page(context, row)
        for row in read_table(context.store, "cards", context.collection)
        if _is_card_of(row, subject)
    ]
    story.extend(pages)
    story.extend(_former(row) for row in former_cards(context) if _is_card_of(row, subject))
    shown = {page.card_id for page in pages}
    story.extend(
        family_section(
            Family.from_json(row.record),
            "superseded" if row.id in {one.id for one in gone} else row.outcome,
        )
        for row in read_table(context.store, "families", context.collection)
        if subject == row.id and row.extra["card_id"] not in shown
    )
    return [*story, *problem_sections(context, subject)]


def _former(row: Row) -> Section:
    """What a card said before another version of its paper took its place."""
    draft = CardDraft.model_validate_json(str(row.extra["draft"]))
    return Section(
        f"Superseded card {row.id}, read from version {row.extra['version']}",
        ("outcome", "reason", "readout", "expression", "status"),
        tuple(
            (row.outcome, row.reason_code, item.readout, item.expression, item.status)
            for item in draft.relations
        ),
    )


@dataclass(frozen=True)
class Listed:
    """One line of a list of cards."""

    id: str
    """Of the card, or of the packet where its reading gave none."""
    stage: str
    """The last stage that judged it: `cards` or `reviews/card`."""
    outcome: str
    reason: str
    week: str
    extractor: str
    title: str


def listed_cards(
    context: StageContext,
    *,
    outcome: str | None = None,
    reason: str | None = None,
    window: Window | None = None,
    readings: bool = False,
) -> list[Listed]:
    """The cards of a collection as they stand after gates and review.

    Args:
        context: of the collection.
        outcome: only these.
        reason: only those with this reason code; a refused card matches any of its findings.
        window: only papers whose week begins inside.
        readings: also the packets whose reading gave no card.
    """
    latest = latest_by_subject(all_dispositions(context.store, context.collection))
    rows = read_table(context.store, "cards", context.collection)
    found = []
    for row in rows:
        codes = {item.code.value for item in reasons_of(row)}
        line = _listed(row, latest.get(("reviews/card", row.id)))
        if reason is None or reason in {line.reason, *codes}:
            found.append(line)
    if readings:
        with_cards = {str(row.extra["packet_id"]) for row in rows}
        found += [
            line
            for (stage, packet), item in sorted(latest.items())
            if stage == "cards" and packet not in with_cards
            for line in (_reading(context, packet, item),)
            if reason in {None, line.reason}
        ]
    return [
        line
        for line in found
        if outcome in {None, line.outcome}
        and (window is None or window.start <= line.week < window.end)
    ]


def _listed(row: Row, review: Disposition | None) -> Listed:
    judged = review if row.outcome == "passed" else None
    return Listed(
        id=row.id,
        stage="reviews/card" if judged else "cards",
        outcome=judged.outcome if judged else row.outcome,
        reason=judged.reason_code.value if judged else row.reason_code,
        week=row.partition,
        extractor=str(row.extra["extractor"]),
        title=str(row.extra["title"]),
    )


def _reading(context: StageContext, packet: str, item: Disposition) -> Listed:
    papers = read_table(context.store, "sources", context.collection)
    wanted = f"{item.paper_id}v{item.version}"
    published = next((str(row.extra["published"]) for row in papers if row.id == wanted), None)
    return Listed(
        id=packet,
        stage="cards",
        outcome=item.outcome,
        reason=item.reason_code.value,
        week="" if published is None else week_of(published),
        extractor="",
        title=item.sentence,
    )


def _decisions(
    subject: str, decisions: Sequence[Disposition], superseded: Sequence[SupersededFamily]
) -> Section:
    ordered = sorted(decisions, key=lambda item: (item.at, item.id))
    return Section(
        f"Decisions about {subject}",
        ("at", "stage", "subject", "outcome", "reason", "sentence"),
        tuple(
            (
                item.at,
                item.stage + (f" ({item.release_id})" if item.release_id else ""),
                item.subject_id,
                "superseded" if is_superseded(item, superseded) else item.outcome,
                item.reason_code.value,
                item.sentence,
            )
            for item in ordered
        ),
    )


def _concerns(item: Disposition, subject: str) -> bool:
    paper = f"{item.paper_id}v{item.version}" if item.paper_id else ""
    return (
        subject in {item.subject_id, item.paper_id, paper}
        or item.subject_id.startswith(f"{subject}/")
        or subject.startswith(f"{item.subject_id}/")
    )


def _is_card_of(row: Row, subject: str) -> bool:
    version = f"{row.paper_id}v{row.extra['version']}"
    named = {row.id, row.paper_id, version, row.extra.get("packet_id")}
    return subject in named or subject.startswith(f"{row.id}/")


__all__ = ("Listed", "Section", "Story", "explain", "listed_cards")
