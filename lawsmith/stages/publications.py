"""Stage `publications`: journal dates and other preprints of every known paper."""

from lawsmith.gateways.paper_sources import open_source
from lawsmith.gateways.warehouse import read_table
from lawsmith.stages.context import StageContext, StageReport, report
from lawsmith.stages.dispositions import row_of
from lawsmith.stages.passes import PartitionPass, Subject
from schemas.source import Outcome, Paper, Publication, ReasonCode

TABLE = "publications"
PARTITION = "all"


def run(context: StageContext) -> StageReport:
    """Look up every paper that is not yet published, and store what is known of it."""
    papers = [
        Paper.from_json(row.record)
        for row in read_table(context.store, "sources", context.collection)
    ]
    source = open_source(context.settings, context.store, context.source)
    known = {item.id: item for item in source.publications(papers, context.now())}
    step = PartitionPass(context, "publications", PARTITION)
    for paper in papers:
        found = known.get(paper.id)
        if found is not None:
            _settle(step, context, paper, found)
    rows, dispositions = step.write()
    return report(
        "publications",
        rows,
        dispositions,
        new=step.new,
        columns=("paper", "first submitted", "online", "print"),
        preview=[
            (
                item.id,
                item.published[:10],
                item.journal_online or "unknown",
                item.journal_print or "unknown",
            )
            for item in known.values()
        ],
        figures={"papers": float(len(papers)), "looked_up": float(len(known))},
    )


def _settle(step: PartitionPass, context: StageContext, paper: Paper, found: Publication) -> None:
    subject = Subject("paper", paper.id, found.digest, paper.paper_id, paper.version)
    if step.done(subject):
        return
    dates = [date for date in (found.journal_online, found.journal_print) if date]
    outcome: Outcome
    if found.retracted:
        outcome, code = "rejected", ReasonCode.RETRACTED
        sentence = "retracted by its journal"
    elif dates:
        outcome, code = "passed", ReasonCode.OK
        sentence = f"journal date {min(dates)}"
    else:
        outcome, code = "waiting", ReasonCode.AWAITING_PUBLICATION
        sentence = "no journal date is known yet; looked up again every week"
    row = row_of(
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
    step.settle(subject, outcome, code, sentence, [row])
