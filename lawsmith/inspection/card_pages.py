"""One card as a page: its facts beside the packet, and everything that was said about it.

A card that a gate refused, and a draft that could not even be made into a card, have the same
page: the draft is always kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from lawsmith.curation.admission import GATES, LIFTED, Admission, Override, admit_draft
from lawsmith.curation.evidence import Reason
from lawsmith.expressions import to_infix
from lawsmith.gateways.models import calls_about
from lawsmith.gateways.store import Row, read_partition, read_table
from lawsmith.inspection.card_evidence import Fact, facts_of
from lawsmith.inspection.card_reviews import ReviewSeen, disagreements, reviews_seen
from lawsmith.inspection.sections import Section
from lawsmith.runs import StageContext, override_of, reasons_of
from schemas.card import CardDraft
from schemas.family import Family
from schemas.packet import Packet
from schemas.review import Review
from schemas.source import Paper, ReasonCode

OF_KNOWN_LAWS = frozenset({ReasonCode.TEMPORAL_RESTATED, ReasonCode.DUPLICATE})
"""What only a comparison with every known law finds; looking does not repeat that one."""


@dataclass(frozen=True)
class CardPage:
    """Everything the store knows of one card."""

    card_id: str
    title: str
    revision: int
    """Of the draft that is shown: the last one that passed the gates, else the first."""
    draft: CardDraft
    packet: Packet | None
    """None where the packet's row is gone; then no line can be shown."""
    facts: tuple[Fact, ...]
    findings: dict[str, tuple[str, ...]]
    """Path of a fact -> what the gates found there when they decided."""
    reviews: tuple[ReviewSeen, ...]
    head: Section
    sections: tuple[Section, ...]
    """Gates, disagreements, revisions, people's decisions, models, and what came of it."""

    def as_data(self) -> dict[str, Any]:
        """The page as JSON data."""
        return {
            "card": self.card_id,
            "title": f"Card {self.card_id}: {self.title}",
            "revision": self.revision,
            "rows": self.head.as_data()["rows"],
            "facts": [asdict(fact) for fact in self.facts],
            "findings": self.findings,
            "reviews": [asdict(review) for review in self.reviews],
            "sections": [section.as_data() for section in self.sections],
            "draft": self.draft.model_dump(mode="json"),
        }


def card_page(context: StageContext, row: Row) -> CardPage:
    """The page of one row of table `cards`."""
    drafts, digests = _drafts(context, row)
    revision, draft = max(drafts.items())
    packet = _packet(context, row)
    facts = () if packet is None else facts_of(draft, packet)
    families = {item.digest for item in _families(context, row.id)}
    reviews = tuple(reviews_seen(context, row.id, packet, digests | families))
    decision = override_of(context, row.id, str(row.paper_id))
    today = _today(context, row, revision, draft, packet, None)
    # What was decided concerns the first draft; a revision is shown with what gates say now.
    decided = reasons_of(row)
    shown = decided if revision == 0 or today is None else today.reasons
    sections = (
        _gates(decided, today, decision),
        Section(
            "Where gates and reviewer disagree",
            ("revision", "gates", "reviewer"),
            tuple(disagreements(reviews, () if today is None else today.reasons)),
        ),
        Section("Revisions", ("revision", "path", "before", "after"), tuple(_changes(drafts))),
        _people(decision, today),
        Section("Who said what", _SAID, tuple(_said(context, row, reviews))),
        *_became(context, row.id),
    )
    return CardPage(
        card_id=row.id,
        title=draft.title,
        revision=revision,
        draft=draft,
        packet=packet,
        facts=facts,
        findings={fact.path: found for fact in facts if (found := _found(shown, fact.path))},
        reviews=reviews,
        head=_head(row, revision),
        sections=tuple(section for section in sections if section.rows),
    )


def _head(row: Row, revision: int) -> Section:
    columns = ("gates", "reason", "extractor", "replayed", "revision shown", "window", "packet")
    cells = (row.outcome, row.reason_code, row.extra["extractor"], row.extra["replayed"])
    rest = (revision, f"week of {row.partition}", row.extra["packet_id"])
    return Section(f"Card {row.id}", columns, ((*cells, *rest),))


def _drafts(context: StageContext, row: Row) -> tuple[dict[int, CardDraft], set[str]]:
    """Revision -> draft, and the digests of the cards made of them.

    Revisions that a gate stopped are not kept, only their finding. Reviews of what the card was
    before (another version of the paper, an earlier reading) begin with another card: none of
    their drafts is a revision of this one.
    """
    drafts = {0: CardDraft.model_validate_json(str(row.extra["draft"]))}
    digests = {row.digest}
    reviews = sorted(
        (
            (int(item.extra["revision"] or 0), Review.from_json(item.record).subject_digest, item)
            for item in read_partition(
                context.store, "reviews/card", context.collection, row.partition
            )
            if item.extra["card_id"] == row.id
        ),
        key=lambda entry: entry[0],
    )
    if not reviews or reviews[0][1] != row.digest:
        return drafts, digests
    for revision, digest, item in reviews[1:]:
        drafts[revision] = CardDraft.model_validate_json(str(item.extra["draft"]))
        digests.add(digest)
    return drafts, digests


def _packet(context: StageContext, row: Row) -> Packet | None:
    rows = read_partition(context.store, "packets", context.collection, row.partition)
    wanted = row.extra["packet_id"]
    return next((Packet.from_json(item.record) for item in rows if item.id == wanted), None)


def _today(
    context: StageContext,
    row: Row,
    revision: int,
    draft: CardDraft,
    packet: Packet | None,
    override: Override | None,
) -> Admission | None:
    """What the gates say now, known laws apart; None where packet or paper are gone."""
    papers = read_partition(context.store, "sources", context.collection, row.partition)
    wanted = f"{row.paper_id}v{row.extra['version']}"
    paper = next((Paper.from_json(item.record) for item in papers if item.id == wanted), None)
    if packet is None or paper is None:
        return None
    return admit_draft(
        draft,
        packet,
        card_id=row.id,
        paper=paper,
        extractor=str(row.extra["extractor"]),
        prompt_sha256="0" * 64,
        revision=revision,
        override=override,
    )


def _found(reasons: Sequence[Reason], path: str) -> tuple[str, ...]:
    return tuple(
        f"{reason.code}{reason.path.removeprefix(path)}: {reason.sentence}"
        for reason in reasons
        if reason.path == path or reason.path.startswith(f"{path}/")
    )


def _gates(
    decided: Sequence[Reason], today: Admission | None, decision: Override | None
) -> Section:
    rows: list[tuple[object, ...]] = [
        ("refused", reason.code.value, reason.path or "/", reason.sentence) for reason in decided
    ]
    if not decided:
        rows.append(("passed", "ok", "/", f"all {len(GATES)} gates when it was decided"))
    if today is None:
        return Section("Gates", ("gates", "reason", "path", "finding"), tuple(rows))
    rows += [("not run", name, "/", "a gate that it builds on failed") for name in today.not_run]
    lifted = LIFTED if decision is not None and decision.action == "accept" else frozenset()
    held = {(reason.code, reason.path) for reason in decided}
    for reason in today.reasons:
        if (reason.code, reason.path) not in held:
            how = "set aside" if reason.code in lifted else "new now"
            rows.append((how, reason.code.value, reason.path or "/", reason.sentence))
    now = {(reason.code, reason.path) for reason in today.reasons}
    rows += [
        ("gone now", reason.code.value, reason.path or "/", "the gates no longer find this")
        for reason in decided
        if (reason.code, reason.path) not in now
        and reason.code not in OF_KNOWN_LAWS
        and reason.code is not ReasonCode.OVERRIDDEN
    ]
    return Section("Gates", ("gates", "reason", "path", "finding"), tuple(rows))


def _people(decision: Override | None, today: Admission | None) -> Section:
    columns = ("about", "action", "by", "reason", "effect")
    if decision is None:
        return Section("Decisions of people", columns, ())
    if decision.action == "accept":
        found = () if today is None else today.reasons
        lifted = sorted({reason.code.value for reason in found if reason.code in LIFTED})
        kept = sorted({reason.code.value for reason in found if reason.code not in LIFTED})
        effect = f"sets aside {', '.join(lifted) or 'nothing'}"
        effect += f"; cannot lift {', '.join(kept)}" if kept else ""
    else:
        effect = "refused from the next run of its week on"
    cells = (decision.subject, decision.action, decision.by, decision.reason, effect)
    return Section("Decisions of people (overrides.toml)", columns, (cells,))


def _changes(drafts: dict[int, CardDraft]) -> Iterator[tuple[object, ...]]:
    """What each revision changed, leaf by leaf."""
    order = sorted(drafts)
    for earlier, later in pairwise(order):
        before = dict(_leaves(drafts[earlier].model_dump(mode="json"), ""))
        after = dict(_leaves(drafts[later].model_dump(mode="json"), ""))
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                yield later, path, before.get(path, "(absent)"), after.get(path, "(absent)")


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}/{key}")
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _leaves(item, f"{path}/{n}")
    else:
        yield path, value


_SAID = ("role", "what", "model", "replayed", "tokens", "USD")


def _said(
    context: StageContext, row: Row, reviews: Sequence[ReviewSeen]
) -> Iterator[tuple[object, ...]]:
    extractor, packet = row.extra["extractor"], str(row.extra["packet_id"])
    if row.extra["replayed"]:
        yield "extractor", "the card", extractor, "replayed", "", "none now"
    for review in reviews:
        if review.replayed:
            what = f"{review.subject}, revision {review.revision}: {review.decision}"
            yield "reviewer", what, review.reviewer, "replayed", "", "none now"
    families = [item.id for item in _families(context, row.id)]
    for call in calls_about(context.store.ledger, [packet, row.id, *families]):
        what = f"{call.subject_kind} {call.subject}, revision {call.revision}, round {call.round}"
        usd = "unknown" if call.usd is None else f"{call.usd:.6f}"
        said = call.model if call.reply is None else call.reply.model
        yield call.role, f"{what}: {call.state}", said, "live", call.tokens, usd


def _families(context: StageContext, card_id: str) -> list[Row]:
    rows = read_table(context.store, "families", context.collection)
    return [row for row in rows if row.extra["card_id"] == card_id]


def _became(context: StageContext, card_id: str) -> Iterator[Section]:
    rows = _families(context, card_id)
    for row in rows:
        yield family_section(Family.from_json(row.record), row.outcome)
    families = {row.id for row in rows}
    columns = ("task", "setting", "environment", "release")
    tasks = tuple(
        (row.id, row.extra["setting"], row.extra["environment"], row.partition)
        for row in read_table(context.store, "tasks", context.collection)
        if row.extra["family_id"] in families
    )
    yield Section("Tasks (sealed: which world a task shows)", columns, tasks)


def family_section(family: Family, outcome: str) -> Section:
    """What a family changed in the law, and what its certificates found."""
    rows: list[tuple[object, ...]] = [
        (f"mutation {item.move}", item.path, f"{to_infix(item.before)} -> {to_infix(item.after)}")
        for item in family.mutations
    ]
    rows.extend(
        (f"certificate {item.number}", item.outcome, item.sentence) for item in family.certificates
    )
    title = f"Family {family.id} ({family.difficulty}, {outcome})"
    return Section(title, ("what", "where", "how"), tuple(rows))


__all__ = ("CardPage", "card_page", "family_section")
