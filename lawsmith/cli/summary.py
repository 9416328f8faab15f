"""The summary of a main job: what became of every paper, what it cost, which files to open."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lawsmith.cli import console
from lawsmith.gateways.store import partitions_of, read_partition
from lawsmith.release.bundle import read_public
from lawsmith.runs import StageContext, all_dispositions, furthest_by_paper, read_stage
from lawsmith.stages.supersession import SupersededFamily, counted, superseded_families
from schemas.source import Disposition, ReasonCode

if TYPE_CHECKING:
    from pipelines.main_job import Outcome

PAPER_COLUMNS = ("paper", "furthest stage", "outcome", "reason", "sentence")
SUPERSEDED_COLUMNS = ("family", "paper", "why")
RELEASE_COLUMNS = ("release", "families", "problems", "tasks", "state", "marks")
CURABLE: dict[ReasonCode, str] = {
    ReasonCode.REPLY_MISSING: "record the replies: `lawsmith requests export FILE`, then import",
    ReasonCode.MODEL_FAILED: "run the same command again",
    ReasonCode.TRUNCATED_REPLY: "set a model with longer answers for that role",
    ReasonCode.UNUSABLE_REPLY: "set another model for that role",
    ReasonCode.SAME_MODEL: "set LAWSMITH_REVIEWER to another model than the extractor's",
    ReasonCode.INTERRUPTED: "run the same command again",
    ReasonCode.OVER_BUDGET: "run again with a higher --max-usd or --max-tokens",
    ReasonCode.INCOMPLETE_HARVEST: "run the same command again",
    ReasonCode.DOWNLOAD_FAILED: "run the same command again",
    ReasonCode.READER_UNAVAILABLE: "mend what its sentence says, then run the same command again",
    ReasonCode.EXTRACTION_MEMORY: "run again with more memory free, or fewer packets.workers",
    ReasonCode.UNEXPECTED_ERROR: "run the same command again; report what stays, with its sentence",
}
"""What leaves a refresh undone though no paper is at fault, and what to do about it."""


def show_outcome(context: StageContext, outcome: "Outcome", *, as_json: bool) -> None:
    """Print what a main job did, as tables or as JSON."""
    dispositions = all_dispositions(context.store, context.collection)
    superseded = superseded_families(context)
    papers = furthest_by_paper(counted(dispositions, superseded))
    waiting = {
        f"{item.paper_id}v{item.version}": item.sentence
        for item in dispositions
        if item.stage == "tasks" and item.outcome != "passed"
    }
    rows = paper_rows(papers)
    with context.ledger() as ledger:
        spent = ledger.spent()
    releases = [_release_row(path, new) for path, new in outcome.releases]
    if as_json:
        console.as_json(
            {
                "weeks": list(outcome.weeks),
                "weeks_with_work": sorted(outcome.todo),
                "runs": [{"job": job, "run_id": run} for job, run in outcome.runs],
                "papers": console.as_objects(
                    ("paper", "stage", "outcome", "reason", "sentence"), rows
                ),
                "superseded": console.as_objects(SUPERSEDED_COLUMNS, superseded_rows(superseded)),
                "not_eligible": waiting,
                "calls": spent.calls,
                "tokens": spent.tokens,
                "usd": spent.usd,
                "releases": releases,
                "notes": outcome.notes,
            }
        )
        return
    if outcome.weeks:
        if not outcome.todo:
            console.say(
                f"Nothing new in {outcome.weeks[0]}..{outcome.weeks[-1]}: every paper is done;"
                " no model was asked."
            )
        console.table("Papers", PAPER_COLUMNS, rows, one_line=True)
        show_superseded(superseded)
        if waiting:
            columns = ("paper", "why")
            console.table("Not in the release", columns, sorted(waiting.items()), one_line=True)
        counts = Counter(item.outcome for item in papers.values())
        said = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        console.say(f"{len(papers)} papers: {said or 'none'}. {_cost(spent.calls, spent.usd)}")
        console.say("Why, in full: lawsmith explain PAPER")
    for note in outcome.notes:
        console.say(note)
    _show_releases(context, releases)


def paper_rows(papers: dict[str, Disposition]) -> list[tuple[str, ...]]:
    """Where each paper version stands, in `PAPER_COLUMNS`."""
    return [
        (paper, item.stage, item.outcome, item.reason_code.value, item.sentence)
        for paper, item in sorted(papers.items())
    ]


def superseded_rows(superseded: Sequence[SupersededFamily]) -> list[tuple[str, ...]]:
    """Superseded families, in `SUPERSEDED_COLUMNS`."""
    return [(item.id, item.paper_id, item.why) for item in superseded]


def show_superseded(superseded: Sequence[SupersededFamily]) -> None:
    """Say which families count no more, if there are any."""
    if not superseded:
        return
    console.table("Superseded families", SUPERSEDED_COLUMNS, superseded_rows(superseded))
    count = f"{len(superseded)} families are" if len(superseded) > 1 else "1 family is"
    console.say(f"{count} superseded: releases that hold them stand, new ones leave them out.")


def left_undone(context: StageContext, weeks: Sequence[str]) -> tuple[str, str] | None:
    """What models, caps or the source left undone in these weeks, and what to do; None if nothing.

    A paper that failed by its own fault, such as a file that is no PDF, is not counted.
    """
    inside = {
        f"{row.paper_id}v{row.extra['version']}"
        for week in set(weeks) & set(partitions_of(context.store, "sources", context.collection))
        for row in read_partition(context.store, "sources", context.collection, week)
    }
    for week in weeks:
        failed = (item for item in read_stage(context, "sources", week).values() if item.paper_id)
        inside.update(item.subject_id for item in failed if item.outcome == "failed")
    dispositions = all_dispositions(context.store, context.collection)
    papers = furthest_by_paper(counted(dispositions, superseded_families(context)))
    counts = Counter(
        item.reason_code
        for paper, item in papers.items()
        if paper in inside
        and item.outcome in {"failed", "deferred"}
        and item.reason_code in CURABLE
    )
    if not counts:
        return None
    said = ", ".join(f"{count} {code.value}" for code, count in sorted(counts.items()))
    fixes = dict.fromkeys(CURABLE[code] for code in sorted(counts))
    return f"{sum(counts.values())} papers are not done ({said})", "; ".join(fixes)


def _show_releases(context: StageContext, releases: Sequence[dict[str, object]]) -> None:
    if releases:
        names = ("id", "families", "problems", "kinds", "state", "marks")
        rows = [tuple(release[name] for name in names) for release in releases]
        console.table("Releases", RELEASE_COLUMNS, rows)
    console.say("Open next:")
    for row in releases:
        console.say(f"  {row['path']}/public/gallery/index.html   the tasks, without laws")
        console.say(f"  {row['path']}/sealed/gallery/index.html   the laws (keep it sealed)")
        report = context.store.evaluations / str(row["id"]) / "report" / "report.html"
        if report.is_file():
            console.say(f"  {report}   first scores")
        if report.with_name("real-data.html").is_file():
            console.say(f"  {report.with_name('real-data.html')}   baselines on real data")
    console.say(f'  {context.store.catalogue}   every table: lawsmith sql "select * from cards"')


def _release_row(path: Path, new: bool) -> dict[str, object]:
    manifest = read_public(path).manifest
    marks = [
        name
        for name, on in (
            ("synthetic_sources: true", manifest.synthetic_sources),
            ("replayed", manifest.replayed_replies),
        )
        if on
    ]
    return {
        "id": manifest.id,
        "families": manifest.families,
        "problems": manifest.problems,
        "tasks": manifest.tasks,
        "kinds": ", ".join(f"{item.tasks} {item.kind}" for item in manifest.kinds),
        "state": "written" if new else "stands unchanged",
        "marks": ", ".join(marks),
        "path": str(path),
    }


def _cost(calls: int, usd: float | None) -> str:
    if not calls:
        return "No live model was ever asked."
    cost = "cost an unknown sum" if usd is None else f"cost {usd:.2f} USD"
    return f"{calls} calls to live models so far {cost}."
