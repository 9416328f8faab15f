"""The story of one subject: every decision about it, and what it is made of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lawsmith.curation.overrides import BY_HAND
from lawsmith.expressions import to_infix
from lawsmith.gateways.warehouse import Row, read_table
from lawsmith.stages.context import StageContext
from lawsmith.stages.dispositions import all_dispositions
from lawsmith.stages.superseded import former_cards
from schemas.card import Anchor, Card, CardDraft, Choices, Domain
from schemas.family import Family
from schemas.review import Review
from schemas.source import Disposition


@dataclass(frozen=True)
class Section:
    """One table of a story."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def as_data(self) -> dict[str, Any]:
        """The section as JSON data."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


def explain(context: StageContext, subject: str) -> list[Section]:
    """Everything this collection knows of a paper, card, family or task; empty if nothing."""
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
    sections = []
    if decisions:
        sections.append(_decisions(subject, decisions))
    for row in read_table(context.store, "cards", context.collection):
        if _is_card_of(row, subject):
            sections.extend(card_sections(row))
    sections.extend(_former(row) for row in former_cards(context) if _is_card_of(row, subject))
    for table in ("reviews/card", "reviews/case"):
        sections.extend(_reviews(context, table, subject))
    sections.extend(
        _family(Family.from_json(row.record))
        for row in read_table(context.store, "families", context.collection)
        if subject in {row.id, row.extra["card_id"]}
    )
    return sections


def card_sections(row: Row) -> list[Section]:
    """A card as tables; a draft that could not be made into one is shown as drafted."""
    head = Section(
        f"Card {row.id}: {row.extra['title']}",
        ("outcome", "reason", "extractor", "replayed"),
        ((row.outcome, row.reason_code, row.extra["extractor"], row.extra["replayed"]),),
    )
    sections = [head]
    if row.extra["reasons"]:
        lines = tuple((line,) for line in str(row.extra["reasons"]).split("\n"))
        sections.append(Section("Why it was refused", ("gate: finding",), lines))
    if row.record == "{}":
        draft = CardDraft.model_validate_json(str(row.extra["draft"]))
        drafted = tuple((item.readout, item.expression, item.status) for item in draft.relations)
        return [*sections, Section("Drafted", ("readout", "expression", "status"), drafted)]
    return [*sections, *_card(Card.from_json(row.record))]


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


def _card(card: Card) -> Iterator[Section]:
    yield Section(
        "Relations",
        ("readout", "expression", "status", "origin", "lines"),
        tuple(
            (one.readout, to_infix(one.expression), one.status, one.origin, _lines(one.anchors))
            for one in card.relations
        ),
    )
    if card.definitions:
        yield Section(
            "Definitions",
            ("name", "expression", "unit", "lines"),
            tuple(
                (one.name, to_infix(one.expression), one.unit, _lines(one.anchors))
                for one in card.definitions
            ),
        )
    yield Section(
        "Controls",
        ("name", "meaning", "unit", "domain", "lines"),
        tuple(
            (one.name, one.meaning, one.unit, _domain(one.domain), _lines(one.anchors))
            for one in card.controls
        ),
    )
    yield Section(
        "Readouts",
        ("name", "definition", "unit", "resolution", "lines"),
        tuple(
            (one.name, one.definition, one.unit, one.resolution, _lines(one.anchors))
            for one in card.readouts
        ),
    )
    yield Section(
        "Parameters",
        ("name", "value", "unit", "uncertainty", "role", "lines"),
        tuple(
            (one.name, one.value, one.unit, one.uncertainty, one.role, _lines(one.anchors))
            for one in card.parameters
        ),
    )


def _decisions(subject: str, decisions: Sequence[Disposition]) -> Section:
    ordered = sorted(decisions, key=lambda item: (item.at, item.id))
    return Section(
        f"Decisions about {subject}",
        ("at", "stage", "subject", "outcome", "reason", "sentence"),
        tuple(
            (
                item.at,
                item.stage + (f" ({item.release_id})" if item.release_id else ""),
                item.subject_id,
                item.outcome,
                item.reason_code.value,
                item.sentence,
            )
            for item in ordered
        ),
    )


def _reviews(context: StageContext, table: str, subject: str) -> Iterator[Section]:
    for row in read_table(context.store, table, context.collection):
        named = (row.extra["card_id"], row.extra.get("family_id"), row.paper_id)
        if subject not in named:
            continue
        review = Review.from_json(row.record)
        own = ", who also extracted the card" if review.same_model else ""
        hand = ", a person (overrides.toml)" if review.id.endswith(BY_HAND) else ""
        if dissent := str(row.extra.get("dissent") or ""):
            lines = tuple((line,) for line in dissent.split("\n"))
            yield Section(f"Disagreement about {review.id}", ("what",), lines)
        yield Section(
            f"Review {review.id} by {review.reviewer}{own}{hand}: {review.decision}",
            ("criterion", "verdict", "lines", "reason"),
            tuple(
                (
                    item.criterion,
                    item.verdict,
                    "" if item.first_line is None else f"{item.first_line}-{item.last_line}",
                    item.reason,
                )
                for item in review.criteria
            ),
        )


def _family(family: Family) -> Section:
    rows: list[tuple[object, ...]] = [
        (f"mutation {item.move}", item.path, f"{to_infix(item.before)} -> {to_infix(item.after)}")
        for item in family.mutations
    ]
    rows.extend(
        (f"certificate {item.number}", item.outcome, item.sentence) for item in family.certificates
    )
    return Section(
        f"Family {family.id} ({family.difficulty})", ("what", "where", "how"), tuple(rows)
    )


def _concerns(item: Disposition, subject: str) -> bool:
    paper = f"{item.paper_id}v{item.version}" if item.paper_id else ""
    return (
        subject in {item.subject_id, item.paper_id, paper}
        or item.subject_id.startswith(f"{subject}/")
        or subject.startswith(f"{item.subject_id}/")
    )


def _is_card_of(row: Row, subject: str) -> bool:
    return subject in {row.id, row.paper_id} or subject.startswith(f"{row.id}/")


def _lines(anchors: Sequence[Anchor]) -> str:
    return ", ".join(
        f"{item.first_line}-{item.last_line}{' (repaired)' if item.repaired else ''}"
        for item in anchors
    )


def _domain(domain: Domain) -> str:
    if isinstance(domain, Choices):
        return ", ".join(f"{value:g}" for value in domain.choices)
    return f"{domain.low:g} .. {domain.high:g}"
