"""Stage `packets`: the frozen text of every paper version."""

from collections.abc import Sequence
from pathlib import Path

from lawsmith.curation.packets import PacketError, PacketLimits, packet_of_paper
from lawsmith.curation.triage import triage
from lawsmith.gateways.paper_sources import open_source
from lawsmith.gateways.warehouse import Row, Store, read_partition
from lawsmith.stages.context import StageContext, StageReport, report
from lawsmith.stages.dispositions import row_of
from lawsmith.stages.passes import PartitionPass, Subject
from schemas.packet import Packet
from schemas.source import Disposition, Outcome, Paper, ReasonCode

TABLE = "packets"


def run(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Build the packet of every paper version that has none; unreadable ones get a reason."""
    folder = open_source(context.settings, context.store, context.source).folder
    limits = PacketLimits(
        max_pages=context.settings.packets.max_pages, seconds=context.settings.packets.seconds
    )
    rows, dispositions, new = list[Row](), list[Disposition](), 0
    for week in weeks:
        step = PartitionPass(context, "packets", week)
        papers = read_partition(context.store, "sources", context.collection, week)
        for count, source_row in enumerate(papers):
            context.progress(f"packets {week}", count, len(papers))
            if source_row.outcome != "passed":
                continue
            paper = Paper.from_json(source_row.record)
            subject = Subject("paper", paper.id, paper.digest, paper.paper_id, paper.version)
            if step.done(subject):
                continue
            try:
                packet = packet_of_paper(paper, folder, limits=limits)
            except PacketError as error:
                outcome: Outcome = "failed" if error.reason_code in _RETRYABLE else "rejected"
                step.settle(subject, outcome, error.reason_code, str(error))
                continue
            freeze(context.store, packet)
            row = _row(context, packet, week)
            sentence = f"{len(packet.lines)} lines from {packet.kind}"
            step.settle(subject, "passed", ReasonCode.OK, sentence, [row])
        week_rows, week_dispositions = step.write()
        rows.extend(week_rows)
        dispositions.extend(week_dispositions)
        new += step.new
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


def freeze(store: Store, packet: Packet) -> None:
    """Write the packet's text where people and other tools can read it, once."""
    path = packet_file(store, packet)
    if not path.exists():
        partial = path.with_suffix(".partial")
        partial.write_text(packet.text, encoding="utf-8")
        partial.replace(path)


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


_RETRYABLE = frozenset(
    {ReasonCode.EXTRACTION_TIMEOUT, ReasonCode.FILE_MISSING, ReasonCode.FILE_CHANGED}
)
