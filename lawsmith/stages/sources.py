"""Stage `sources`: the papers of each week, as their source lists them."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from lawsmith.eligibility import week_of
from lawsmith.errors import IntegrityError
from lawsmith.gateways.papers import Harvest, Unread, open_source
from lawsmith.gateways.store import read_partition
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    Written,
    report,
    row_of,
    run_weeks,
    window_of,
)
from schemas.record import content_digest
from schemas.source import Disposition, Paper, ReasonCode, SourceFile

TABLE = "sources"


def run(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Harvest the weeks and store their papers; a paper at fault is a row, not a failure.

    Raises:
        PrerequisiteError: the source cannot be reached or read at all.
    """
    source = open_source(context.settings, context.store, context.source)
    harvest = source.harvest(window_of(weeks))
    by_week: dict[str, list[Paper]] = defaultdict(list)
    for paper in harvest.papers:
        by_week[week_of(paper.published)].append(paper)
    unread_by_week: dict[str, list[Unread]] = defaultdict(list)
    for unread in harvest.unread:
        # Where its first submission cannot be read, the first week asked for keeps it.
        unread_by_week[week_of(unread.published) if unread.published else weeks[0]].append(unread)

    def run_week(week: str) -> Written:
        step = PartitionPass(context, "sources", week)
        for paper in by_week[week]:
            _settle(step, paper, harvest, context, week)
        for unread in unread_by_week[week]:
            _settle_unread(step, unread)
        _settle_harvest(step, harvest, week, by_week[week])
        return step.write()

    rows, dispositions, new = run_weeks(weeks, run_week)
    return report(
        "sources",
        rows,
        dispositions,
        new=new,
        columns=("paper", "published", "licence", "title"),
        preview=[
            (paper.id, paper.published[:10], paper.licence or "none stated", paper.title)
            for paper in harvest.papers
        ],
        figures={"expected": float(harvest.expected), "found": float(harvest.found)},
        notes=_notes(harvest),
    )


def check_downloads(context: StageContext, weeks: Sequence[str]) -> None:
    """Refuse to call weeks done whose downloaded files are not what was read.

    A folder keeps its own files; what was fetched from a network source lies in the store alone.

    Raises:
        IntegrityError: files are gone or changed; the message names the first.
    """
    if context.source != "arxiv":
        return
    folder = open_source(context.settings, context.store, context.source).folder
    lost = [
        folder / item.path
        for week in weeks
        for row in read_partition(context.store, TABLE, context.collection, week)
        for item in Paper.from_json(row.record).files
        if not _lies_there(folder / item.path, item)
    ]
    if lost:
        raise IntegrityError(
            f"{len(lost)} downloaded files are gone or changed since they were read; only a backup"
            " restores them, arXiv may give others",
            path=str(lost[0]),
            fix="restore packets/arxiv from a backup; what was made of them stands",
        )


def _lies_there(path: Path, item: SourceFile) -> bool:
    if not path.is_file() or path.stat().st_size != item.size:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == item.sha256


def _notes(harvest: Harvest) -> tuple[str, ...]:
    notes = []
    if not harvest.complete:
        notes.append("the harvest is incomplete; run the window again")
    if harvest.strays:
        notes.append(f"{harvest.strays} entries came from outside the days asked for; left out")
    return tuple(notes)


def _settle_harvest(
    step: PartitionPass, harvest: Harvest, week: str, papers: Sequence[Paper]
) -> None:
    """A week of an incomplete harvest is failed until a harvest of it is complete.

    That a network source gave a week whole is kept, too, so that it is not asked again, and so
    that papers of another source in the same week are not taken for it.
    """
    context = step.context
    subject = week_subject(context, week)
    failed = [item for item in step.held.values() if _is_failed_week(item)]
    if not harvest.complete:
        sentence = f"{harvest.found} of {harvest.expected} entries came"
        step.settle(subject, "failed", ReasonCode.INCOMPLETE_HARVEST, sentence)
        return
    for item in failed:
        # Also of other categories than those asked for now.
        earlier = Subject("week", item.subject_id, item.digest_judged, None, None)
        step.settle(earlier, "passed", ReasonCode.HARVESTED_WHOLE, "harvested again, complete")
    settled = any(item.digest_judged == subject.digest for item in failed)
    if context.source == "arxiv" and not settled and not step.done(subject):
        sentence = f"{len(papers)} papers, all that {context.source} lists"
        step.settle(subject, "passed", ReasonCode.HARVESTED_WHOLE, sentence)


def _is_failed_week(item: Disposition) -> bool:
    return item.subject_kind == "week" and item.outcome == "failed"


def week_subject(context: StageContext, week: str) -> Subject:
    """A week as its source is asked for it: of other categories it is another."""
    asked = {"source": context.source, "categories": list(context.settings.arxiv.categories)}
    about = [week, asked] if context.source == "arxiv" else week
    return Subject("week", week, content_digest("week", 1, about), None, None)


def _settle_unread(step: PartitionPass, unread: Unread) -> None:
    """Keep what a source listed and nobody can read as a failed paper without a row."""
    name = unread.paper_id if unread.version is None else f"{unread.paper_id}v{unread.version}"
    subject = Subject("paper", name, unread.digest, unread.paper_id, unread.version)
    step.settle(subject, "failed", ReasonCode.UNEXPECTED_ERROR, unread.sentence)


def _settle(
    step: PartitionPass, paper: Paper, harvest: Harvest, context: StageContext, week: str
) -> None:
    subject = Subject("paper", paper.id, paper.digest, paper.paper_id, paper.version)
    problem = next((item for item in harvest.problems if item.paper_id == paper.id), None)
    if problem is None and step.done(subject):
        return
    outcome = problem.outcome if problem else "passed"
    code = problem.reason_code if problem else ReasonCode.OK
    row = row_of(
        context,
        paper,
        table=TABLE,
        partition=week,
        paper_id=paper.paper_id,
        outcome=outcome,
        code=code,
        title=paper.title,
        source=paper.source,
        licence=paper.licence,
        published=paper.published,
        version=paper.version,
        doi=paper.doi,
        withdrawn=paper.withdrawn,
        synthetic=paper.synthetic,
    )
    sentence = problem.sentence if problem else "listed by its source inside the week"
    step.settle(subject, outcome, code, sentence, [row])
