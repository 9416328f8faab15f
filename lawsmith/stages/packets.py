"""Stage `packets`: the frozen text of every paper version."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from lawsmith.curation.packets import PacketError, PacketLimits, packets_of_papers
from lawsmith.curation.reading import triage
from lawsmith.gateways.papers import open_source
from lawsmith.gateways.store import Row, Store, read_partition
from lawsmith.paper_boundary import PaperFaultError, paper_boundary
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    Written,
    report,
    row_of,
    run_weeks,
)
from schemas.packet import Packet
from schemas.source import Outcome, Paper, ReasonCode

TABLE = "packets"


def run(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Build the packet of every paper version that has none; unreadable ones get a reason."""
    folder = open_source(context.settings, context.store, context.source).folder

    def run_week(week: str) -> Written:
        step = PartitionPass(context, "packets", week)
        papers = read_partition(context.store, "sources", context.collection, week)
        todo = _todo(step, papers)
        built = packets_of_papers(todo, folder, limits=_limits(context), workers=_workers(context))
        for count, (paper, result) in enumerate(built, start=len(papers) - len(todo)):
            context.progress(f"packets {week}", count, len(papers))
            _settle(context, step, paper, result)
        written = step.write()
        for row in written.rows:
            freeze(context.store, Packet.from_json(row.record))
        return written

    rows, dispositions, new = run_weeks(weeks, run_week)
    return report(
        "packets",
        rows,
        dispositions,
        new=new,
        columns=("packet", "lines", "triage score"),
        preview=[
            (row.id, str(row.extra["lines"]), f"{row.extra['triage_score']:.2f}") for row in rows
        ],
        figures={"lines": float(sum(int(row.extra["lines"] or 0) for row in rows))},
    )


def _todo(step: PartitionPass, papers: Sequence[Row]) -> list[Paper]:
    """The paper versions of a week that have neither a packet nor a reason against one."""
    passed = (Paper.from_json(row.record) for row in papers if row.outcome == "passed")
    return [paper for paper in passed if not step.done(_subject(paper))]


def _settle(
    context: StageContext, step: PartitionPass, paper: Paper, result: Packet | PacketError
) -> None:
    if isinstance(result, PacketError):
        outcome: Outcome = "failed" if result.passing else "rejected"
        step.settle(_subject(paper), outcome, result.reason_code, str(result))
        return
    try:
        with paper_boundary(paper.id):
            freeze(context.store, result)
            row = _row(context, result, step.partition)
    except PaperFaultError as error:
        step.settle(_subject(paper), "failed", ReasonCode.UNEXPECTED_ERROR, error.problem)
        return
    sentence = f"{len(result.lines)} lines from {result.kind}"
    step.settle(_subject(paper), "passed", ReasonCode.OK, sentence, [row])


def _subject(paper: Paper) -> Subject:
    return Subject("paper", paper.id, paper.digest, paper.paper_id, paper.version)


def _limits(context: StageContext) -> PacketLimits:
    settings = context.settings.packets
    return PacketLimits(
        max_pages=settings.max_pages,
        seconds=settings.seconds,
        max_bytes=settings.max_megabytes * 1_000_000,
    )


def _workers(context: StageContext) -> int:
    return context.settings.packets.workers or min(2, os.cpu_count() or 1)


def freeze(store: Store, packet: Packet) -> None:
    """Write the packet's text where people and other tools can read it, unless it is there."""
    path = packet_file(store, packet)
    if not is_frozen(store, packet):
        partial = path.with_suffix(".partial")
        partial.write_text(packet.text, encoding="utf-8")
        partial.replace(path)


def is_frozen(store: Store, packet: Packet) -> bool:
    """Whether the packet's text lies there, with the hash it is named by."""
    path = packet_file(store, packet)
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == packet.text_sha256


def packet_file(store: Store, packet: Packet) -> Path:
    """Where a packet's text lies."""
    return store.packets / f"{packet.id.replace(':', '_').replace('/', '_')}.txt"


def packets_of(context: StageContext, week: str) -> list[tuple[Row, Packet]]:
    """The packets of a week with their rows, best triage score first."""
    rows = read_partition(context.store, TABLE, context.collection, week)
    found = [(row, Packet.from_json(row.record)) for row in rows]
    return sorted(found, key=lambda pair: (-float(pair[0].extra["triage_score"] or 0), pair[0].id))


def _row(context: StageContext, packet: Packet, week: str) -> Row:
    return row_of(
        context,
        packet,
        table=TABLE,
        partition=week,
        paper_id=packet.paper_id,
        outcome="passed",
        code=ReasonCode.OK,
        version=packet.version,
        kind=packet.kind,
        extractor=packet.extractor,
        lines=len(packet.lines),
        text_sha256=packet.text_sha256,
        triage_score=triage(packet).score,
    )
