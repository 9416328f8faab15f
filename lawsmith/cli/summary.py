"""The summary of a main job: what became of every paper, what it cost, which files to open."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from lawsmith.cli import console
from lawsmith.release.bundle import read_public
from lawsmith.stages.context import StageContext
from lawsmith.stages.dispositions import all_dispositions, furthest_by_paper

if TYPE_CHECKING:
    from pipelines.main_job import Outcome


def show_outcome(context: StageContext, outcome: "Outcome", *, as_json: bool) -> None:
    """Print what a main job did, as tables or as JSON."""
    dispositions = all_dispositions(context.store, context.collection)
    papers = furthest_by_paper(dispositions)
    waiting = {
        f"{item.paper_id}v{item.version}": item.sentence
        for item in dispositions
        if item.stage == "tasks" and item.outcome != "passed"
    }
    rows = [
        (paper, item.stage, item.outcome, item.reason_code.value, item.sentence)
        for paper, item in sorted(papers.items())
    ]
    with context.ledger() as ledger:
        spent = ledger.spent()
    releases = [_release_row(path, new) for path, new in outcome.releases]
    if as_json:
        console.as_json(
            {
                "weeks": list(outcome.weeks),
                "weeks_with_work": sorted(outcome.todo),
                "runs": [{"job": job, "run_id": run} for job, run in outcome.runs],
                "papers": [
                    dict(zip(("paper", "stage", "outcome", "reason", "sentence"), row, strict=True))
                    for row in rows
                ],
                "not_eligible": waiting,
                "tokens": spent.tokens,
                "usd": spent.usd,
                "releases": releases,
                "notes": outcome.notes,
            }
        )
        return
    if outcome.weeks and not outcome.todo:
        console.say(
            f"Nothing new in {outcome.weeks[0]}..{outcome.weeks[-1]}: every paper is done;"
            " no model was asked."
        )
    console.table("Papers", ("paper", "furthest stage", "outcome", "reason", "sentence"), rows)
    if waiting:
        console.table("Not in the release", ("paper", "why"), sorted(waiting.items()))
    counts = Counter(item.outcome for item in papers.values())
    said = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    console.say(f"{len(papers)} papers: {said or 'none'}. Model calls cost {_usd(spent.usd)}.")
    for note in outcome.notes:
        console.say(note)
    if releases:
        console.table(
            "Releases",
            ("release", "families", "tasks", "state", "marks"),
            [(r["id"], r["families"], r["tasks"], r["state"], r["marks"]) for r in releases],
        )
    console.say("Open next:")
    for row in releases:
        console.say(f"  {row['path']}/public/gallery/index.html   the tasks, without laws")
        console.say(f"  {row['path']}/sealed/gallery/index.html   the laws (keep it sealed)")
        report = context.store.evaluations / str(row["id"]) / "report" / "report.html"
        if report.is_file():
            console.say(f"  {report}   first scores")
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
        "tasks": manifest.tasks,
        "state": "written" if new else "stands unchanged",
        "marks": ", ".join(marks),
        "path": str(path),
    }


def _usd(amount: float | None) -> str:
    return "an unknown sum" if amount is None else f"{amount:.2f} USD"
