"""Stage `publications`: journal dates, other preprints, retractions and new versions.

A paper without a journal date is due again in each weekly run, a published one every few weeks
(retractions, new versions). What is said of a paper holds for all its versions.
"""

from collections.abc import Iterator, Sequence

from lawsmith.gateways.papers import PaperSource, Problem, open_source
from lawsmith.gateways.store import Row, read_partition, read_table
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    read_stage,
    report,
    row_of,
)
from lawsmith.stages.looking_up import dates_of_folder, due_now, due_of_folder, facts
from schemas.record import content_digest
from schemas.source import Outcome, Paper, Publication, ReasonCode

TABLE = "publications"
PARTITION = "all"


def run(context: StageContext) -> StageReport:
    """Look up every paper that is due, and store what is known of it.

    Raises:
        PrerequisiteError: the source cannot be opened, or arXiv cannot be reached.
    """
    papers = _known(context)
    source = open_source(context.settings, context.store, context.source)
    step = PartitionPass(context, "publications", PARTITION)
    if context.source == "arxiv":
        due = due_now(context, papers, _held(context))
        revised = _mark_revised(step, source, papers, due) if due else 0
        news = source.publications(due, context.now()) if due else ()
    else:
        revised, news = 0, dates_of_folder(context, source, papers, _held(context))
    by_id = {paper.id: paper for paper in papers}
    looked_up, faults = list[Publication](), list[Problem]()
    for found in news:
        if isinstance(found, Problem):
            faults.append(found)
            _put_off(step, by_id[found.paper_id], found)
        else:
            looked_up.append(found)
            _settle(step, context, by_id[found.id], found)
    rows, dispositions, new = step.write()
    return report(
        "publications",
        rows,
        dispositions,
        new=new,
        columns=("paper", "first submitted", "online", "print", "found by"),
        preview=[
            (
                item.id,
                item.published[:10],
                item.journal_online or "unknown",
                item.journal_print or "unknown",
                _found_by(item),
            )
            for item in looked_up
        ],
        figures={
            "papers": float(len(papers)),
            "looked_up": float(len(looked_up)),
            "new_versions": float(revised),
        },
        notes=tuple(_notes(faults, revised)),
    )


def due_papers(context: StageContext) -> list[Paper]:
    """The papers to be looked up now: due on the network, or their row was lost."""
    papers = _known(context)
    if not papers:
        return []
    if context.source == "sample":
        held = _held(context)
        return [paper for paper in papers if paper.id not in held]
    if context.source == "arxiv":
        return due_now(context, papers, _held(context))
    source = open_source(context.settings, context.store, context.source)
    return due_of_folder(context, source, papers, _held(context))


def revised_papers(context: StageContext, since: str = "") -> dict[str, int]:
    """Paper id -> its new version, of those found after an instant and not settled since."""
    marks = sorted(
        (str(item.paper_id), item.version or 0)
        for item in read_stage(context, "publications", PARTITION).values()
        if item.reason_code is ReasonCode.NEW_VERSION and item.at > since
    )
    return dict(marks)


def _known(context: StageContext) -> list[Paper]:
    """The papers of the source at hand; a collection may hold those of several."""
    kind = context.source if context.source in {"sample", "arxiv"} else "folder"
    rows = read_table(context.store, "sources", context.collection)
    papers = [Paper.from_json(row.record) for row in rows]
    return [paper for paper in papers if paper.source == kind]


def _held(context: StageContext) -> dict[str, Publication]:
    """What the store knows of each paper version; nothing where the decisions were lost."""
    if not read_stage(context, "publications", PARTITION):
        return {}
    rows = read_partition(context.store, TABLE, context.collection, PARTITION)
    return {row.id: Publication.from_json(row.record) for row in rows}


def _subject(paper: Paper, found: Publication) -> Subject:
    return Subject("paper", paper.id, found.digest, paper.paper_id, paper.version)


def _put_off(step: PartitionPass, paper: Paper, problem: Problem) -> None:
    """Keep what was known; a paper of which nothing was, waits with the reason."""
    if step.rows.get(paper.id):
        return
    digest = content_digest("publication_asked", 1, paper.id)
    subject = Subject("paper", paper.id, digest, paper.paper_id, paper.version)
    step.settle(subject, problem.outcome, problem.reason_code, problem.sentence)


def _settle(step: PartitionPass, context: StageContext, paper: Paper, found: Publication) -> None:
    subject = _subject(paper, found)
    before = next(iter(step.rows.get(paper.id, ())), None)
    if before is not None and before.digest == found.digest and step.done(subject):
        earlier = Publication.from_json(before.record)
        since = earlier.unchanged_since or earlier.checked_at
        same = Publication.model_validate({**found.model_dump(), "unchanged_since": since})
        if found.provenance == "crossref" or facts(found) != facts(earlier):
            outcome, code, _ = _standing(same)
            step.refresh(subject, [_row(context, paper, same, outcome, code)])
        return
    outcome, code, sentence = _standing(found)
    step.settle(subject, outcome, code, sentence, [_row(context, paper, found, outcome, code)])


def _standing(found: Publication) -> tuple[Outcome, ReasonCode, str]:
    dates = [date for date in (found.journal_online, found.journal_print) if date]
    if found.retracted:
        return "rejected", ReasonCode.RETRACTED, "retracted by its journal"
    if dates:
        return "passed", ReasonCode.OK, f"journal date {min(dates)}{_by(found)}"
    sentence = "no journal date is known yet; looked up again every week"
    return "waiting", ReasonCode.AWAITING_PUBLICATION, sentence


def _by(found: Publication) -> str:
    return f", {_found_by(found)}" if found.matched_by else ""


def _found_by(found: Publication) -> str:
    if found.matched_by is None:
        return found.provenance
    return f"{found.journal_doi} by {found.matched_by}, agreement {found.match_score:.2f}"


def _row(
    context: StageContext, paper: Paper, found: Publication, outcome: Outcome, code: ReasonCode
) -> Row:
    return row_of(
        context,
        found,
        table=TABLE,
        partition=PARTITION,
        paper_id=paper.paper_id,
        outcome=outcome,
        code=code,
        version=found.version,
        published=found.published,
        journal_online=found.journal_online,
        journal_print=found.journal_print,
        provenance=found.provenance,
        retracted=found.retracted,
    )


def _mark_revised(
    step: PartitionPass, source: PaperSource, papers: Sequence[Paper], due: Sequence[Paper]
) -> int:
    """Note the papers that have a later version than the store, and those that no longer do."""
    stored: dict[str, int] = {}
    for paper in papers:
        stored[paper.paper_id] = max(stored.get(paper.paper_id, 0), paper.version)
    later = {
        name: version
        for name, version in source.newest_versions(due).items()
        if version > stored[name]
    }
    for name, version in sorted(later.items()):
        subject = _revision(name, version)
        if (subject.id, subject.digest) not in step.held:
            sentence = f"version {version} has appeared; its week is harvested again"
            step.settle(subject, "waiting", ReasonCode.NEW_VERSION, sentence)
    for held in step.held.values():
        version = held.version or 0
        if held.reason_code is ReasonCode.NEW_VERSION and version <= stored.get(
            str(held.paper_id), 0
        ):
            subject = _revision(str(held.paper_id), version)
            step.settle(subject, "passed", ReasonCode.OK, "the new version was harvested", None)
    return len(later)


def _revision(paper_id: str, version: int) -> Subject:
    digest = content_digest("new_version", 1, f"{paper_id}v{version}")
    return Subject("paper", f"{paper_id}/new-version", digest, paper_id, version)


def _notes(faults: Sequence[Problem], revised: int) -> Iterator[str]:
    if faults:
        yield f"{len(faults)} papers were not looked up: {faults[0].sentence}"
    if revised:
        yield f"{revised} papers have a new version; refresh their weeks to read it"


__all__ = ("PARTITION", "TABLE", "due_papers", "revised_papers", "run")
