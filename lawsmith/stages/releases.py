"""Stage `releases`: one immutable release from the tasks of a cut."""

import base64
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import get_args

import yaml

from lawsmith.curation.reading import PromptName, prompt_hash
from lawsmith.eligibility import DaySpan, day_span
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.store import (
    Row,
    collection_key,
    read_partition,
    read_table,
    write_partition,
)
from lawsmith.release import CalibratedProblem, PaperNote, ReleaseContent, models_of
from lawsmith.release.bundle import Release, Written, check_whole, read_release, write_release
from lawsmith.runs import (
    StageContext,
    StageReport,
    all_dispositions,
    latest_by_subject,
    report,
    row_of,
)
from lawsmith.stages.calibrated_worlds import calibrated_sets
from lawsmith.stages.cuts import allow_policy, cut_of
from lawsmith.stages.eligibility import accepted
from lawsmith.stages.known_law_index import historical_cards
from lawsmith.stages.problems import admitted_problems
from lawsmith.stages.reviews import judged_cards, reviews_of
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard
from schemas.packet import Packet
from schemas.release import Cut, PlayerCleanliness, StageCount
from schemas.source import Disposition, Paper, Publication, Window
from schemas.task import Setting

TABLE = "releases"
PAIRED = get_args(Setting)
"""Settings of paired tasks; the kind of a task on real data stands in their place."""


def run(context: StageContext, release_id: str) -> StageReport:
    """Write the release, or find that it stands there with the same content.

    Raises:
        InputError: nothing is eligible, or no cut is stored for the id.
        PrerequisiteError: failed or missing papers, and the cut does not allow them.
        IntegrityError: a gate of an earlier stage or the leak check does not hold.
        ReleaseConflictError: the version exists with other content.
    """
    cut = cut_of(context, release_id)
    content = content_of(context, cut)
    written = write_release(
        context.store.releases,
        content,
        context.now(),
        context.code_version,
        expected=_written_before(context, release_id),
    )
    check_whole(written.path)
    release = read_release(written.path)
    files = release.public.manifest.files
    row = _row(context, release)
    write_partition(context.store, TABLE, context.collection, release_id, [row])
    return report(
        "releases",
        [row],
        [],
        new=int(written.status == "written"),
        columns=("file", "bytes", "sha256"),
        preview=[(file.path, str(file.bytes), file.sha256[:16]) for file in files],
        figures={
            "families": float(len(content.families)),
            "problems": float(len(content.problems)),
            **{f"{item.kind} tasks": float(item.tasks) for item in release.public.manifest.kinds},
            "bytes": float(sum(file.bytes for file in files)),
        },
        notes=_notes(written, content),
    )


def restore(context: StageContext, release: Release) -> None:
    """Write the row of a release of the store whose partition is gone."""
    row = _row(context, release)
    write_partition(context.store, TABLE, context.collection, row.id, [row])


def _row(context: StageContext, release: Release) -> Row:
    manifest = release.public.manifest
    return row_of(
        context,
        manifest,
        table=TABLE,
        partition=manifest.id,
        paper_id=None,
        subject_id=manifest.id,
        release_id=manifest.id,
        version=manifest.version,
        content_digest=release.sealed.manifest.content_digest if release.sealed else None,
        families=manifest.families,
        tasks=manifest.tasks,
        cutoff=manifest.cutoff,
        until=manifest.until,
    )


def _written_before(context: StageContext, release_id: str) -> str | None:
    """The content digest that the release had when it was written; None if it never was."""
    rows = read_partition(context.store, TABLE, context.collection, release_id)
    return str(rows[0].extra["content_digest"]) if rows else None


def content_of(context: StageContext, cut: Cut) -> ReleaseContent:
    """Everything that the cut's release is made of, read from the stages before it.

    Raises:
        InputError: nothing is eligible.
        PrerequisiteError: failed or unfinished papers, and the cut does not allow them.
    """
    rows = read_partition(context.store, "tasks", context.collection, cut.id)
    chosen = {str(row.extra["family_id"]) for row in rows if row.extra["setting"] in PAIRED}
    of_problems = {
        str(row.extra["family_id"]) for row in rows if row.extra["setting"] not in PAIRED
    }
    families = tuple(family for family in accepted(context) if family.id in chosen)
    problems = _problems(context, of_problems)
    if not families and not problems:
        raise InputError(
            f"{cut.id} would hold no task: nothing is eligible",
            path=cut.id,
            fix="look at `lawsmith status`, or cut with another --cutoff or --until",
        )
    temporal = cut.cutoff is not None
    dispositions = all_dispositions(context.store, context.collection)
    incomplete = _incomplete(context, cut, dispositions) if temporal else ()
    if incomplete and not cut.allow_incomplete:
        raise PrerequisiteError(
            f"{len(incomplete)} papers are not done: {'; '.join(incomplete[:5])}",
            path=cut.id,
            fix="run `lawsmith refresh` again, or give --allow-incomplete, which is then stated",
        )
    cards = _cards(context, families)
    papers = {paper.paper_id: paper for paper in _papers(context)}
    sources = [papers[str(family.paper_id)] for family in families if family.paper_id]
    reviews = reviews_of(context, families)
    return ReleaseContent(
        version=cut.version,
        collection=context.collection,
        synthetic_sources=any(paper.synthetic for paper in sources),
        replayed_replies=any(review.replayed for review in reviews)
        or any(isinstance(card, Card) and card.replayed for card in cards),
        window=_window(sources),
        cutoff=cut.cutoff,
        until=cut.until,
        eligibility=cut.eligibility,
        policies=(allow_policy(cut),) if temporal else (),
        families=families,
        cards=cards,
        reviews=reviews,
        papers=tuple(_note(paper) for paper in dict.fromkeys(sources)),
        dispositions=_counts(dispositions, cut.id),
        cleanliness=_cleanliness(context.settings.data_root, sources, _publications(context)),
        models=models_of(cards, reviews),
        prompts={name: prompt_hash(name) for name in get_args(PromptName)} if temporal else {},
        incomplete=incomplete,
        parents=cut.parents,
        reason=cut.reason,
        key=collection_key(context.store, context.collection, context.settings.data_root),
        packets=_packets(context, cards) if temporal else None,
        problems=problems,
    )


def _problems(context: StageContext, chosen: Collection[str]) -> tuple[CalibratedProblem, ...]:
    """The problems of the cut with what was made of them, as stored.

    Raises:
        IntegrityError: a table is no longer the one that was built.
        PrerequisiteError: a problem changed since it was built.
    """
    sets = {one.id: one for one in calibrated_sets(context) if one.id in chosen}
    if not sets:
        return ()
    loaded = {item.problem.id: item for item in admitted_problems(context)}
    changed = [
        one.id
        for one in sets.values()
        if one.id not in loaded or loaded[one.id].problem.digest != one.problem_digest
    ]
    if changed:
        raise PrerequisiteError(
            f"problems {', '.join(sorted(changed))} changed since they were built",
            fix="run `lawsmith build-historical` again",
        )
    return tuple(
        CalibratedProblem(
            problem=loaded[one.id].problem,
            table=loaded[one.id].table,
            parallel=one.parallel,
            parallel_key=one.parallel_key,
            world=one.world,
            pool=None if one.pool is None else base64.b64decode(one.pool),
            real=one.real,
            real_key=one.real_key,
            observations=one.observations,
            baselines=one.baselines,
            submissions=one.submissions,
        )
        for one in sorted(sets.values(), key=lambda item: item.id)
    )


def _notes(written: Written, content: ReleaseContent) -> tuple[str, ...]:
    notes = [f"{written.status}: {written.path}"]
    if content.synthetic_sources:
        notes.append("synthetic_sources: true (papers written for the sample)")
    if content.replayed_replies:
        notes.append("replayed_replies: true (recorded answers of models)")
    notes.extend(f"incomplete: {item}" for item in content.incomplete)
    return tuple(notes)


def _cards(context: StageContext, families: Sequence[Family]) -> tuple[Card | HistoricalCard, ...]:
    if all(family.kind == "historical" for family in families):
        known = {card.id: card for card in historical_cards(context.settings.data_root)}
        return tuple(known[family.card_id] for family in families)
    judged = judged_cards(context)
    return tuple(judged[family.card_id, family.card_digest] for family in families)


def _papers(context: StageContext) -> list[Paper]:
    rows = read_table(context.store, "sources", context.collection)
    return sorted((Paper.from_json(row.record) for row in rows), key=lambda paper: paper.version)


def _publications(context: StageContext) -> dict[str, Publication]:
    rows = read_table(context.store, "publications", context.collection)
    return {row.id: Publication.from_json(row.record) for row in rows}


def _packets(context: StageContext, cards: Sequence[Card | HistoricalCard]) -> dict[str, Packet]:
    held: dict[str, Row] = {
        row.id: row for row in read_table(context.store, "packets", context.collection)
    }
    return {
        card.id: Packet.from_json(held[card.packet_id].record)
        for card in cards
        if isinstance(card, Card)
    }


def _window(papers: Sequence[Paper]) -> Window | None:
    """From the first to the day after the last first submission of the released papers."""
    if not papers:
        return None
    first = min(paper.published for paper in papers)[:10]
    last = day_span(max(paper.published for paper in papers)[:10])
    return Window(start=first, end=_next_day(last))


def _next_day(span: DaySpan) -> str:
    return span.latest.fromordinal(span.latest.toordinal() + 1).isoformat()


def _incomplete(
    context: StageContext, cut: Cut, dispositions: Sequence[Disposition]
) -> tuple[str, ...]:
    """What failed, and the eligible papers that a cap or a missing run keeps out."""
    eligible = {
        item.subject_id
        for item in dispositions
        if item.release_id == cut.id and item.outcome == "passed"
    }
    latest = latest_by_subject(dispositions)
    read = {
        f"{item.paper_id}v{item.version}"
        for (stage, _), item in latest.items()
        if stage == "cards" and item.outcome in {"passed", "rejected"}
    }
    unread = {
        f"{item.paper_id}v{item.version}"
        for (stage, _), item in latest.items()
        if stage == "packets" and item.outcome == "rejected"
    }
    found = [
        f"{item.stage} {item.subject_id}: {item.outcome}, {item.sentence}"
        for item in latest.values()
        if item.outcome == "failed"
        or (item.outcome == "deferred" and f"{item.paper_id}v{item.version}" in eligible)
    ]
    missing = sorted(eligible - read - unread)
    found.extend(f"{paper}: eligible and not extracted yet" for paper in missing)
    return tuple(sorted(found))


def _note(paper: Paper) -> PaperNote:
    by = ", ".join(paper.authors)
    where = paper.doi or paper.paper_id
    return PaperNote(
        paper_id=paper.paper_id,
        title=paper.title,
        doi=paper.doi,
        licence=paper.licence,
        attribution=f"{by} ({paper.published[:4]}): {paper.title}. {where}",
    )


def _counts(dispositions: Sequence[Disposition], release_id: str) -> tuple[StageCount, ...]:
    latest = list(latest_by_subject(dispositions).values())
    at_cut = [item for item in dispositions if item.release_id == release_id]
    counted = Counter(
        (item.stage, item.outcome, item.reason_code.value) for item in (*latest, *at_cut)
    )
    return tuple(
        StageCount(stage=stage, outcome=outcome, reason_code=code, count=count)
        for (stage, outcome, code), count in sorted(counted.items())
    )


def _first_public(paper: Paper, publications: Mapping[str, Publication]) -> DaySpan:
    """The earliest day on which anything of the paper may have been public."""
    found = publications.get(paper.id)
    dates = [paper.published[:10]]
    if found is not None:
        dates += [item.posted for item in found.related_preprints if item.posted]
        dates += [day for day in (found.journal_online, found.journal_print) if day]
    return min((day_span(day) for day in dates), key=lambda span: span.earliest)


def _cleanliness(
    data_root: Path, papers: Sequence[Paper], publications: Mapping[str, Publication]
) -> tuple[PlayerCleanliness, ...]:
    """For each known player whether every paper appeared after its reported cutoff."""
    listed = yaml.safe_load((data_root / "players.yaml").read_text(encoding="utf-8"))
    found = []
    for player in listed["players"]:
        cutoff = player["cutoff"]
        clean: bool | None = None
        if cutoff is not None and papers:
            last = day_span(str(cutoff)).latest
            clean = all(_first_public(paper, publications).passes(last) for paper in papers)
        found.append(
            PlayerCleanliness(
                player=str(player["name"]),
                cutoff=str(cutoff) if cutoff is not None else "unknown",
                source=str(player["source"]),
                clean=clean,
            )
        )
    return tuple(found)
