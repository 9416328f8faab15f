"""Stage `cards`: drafts of the extractor, anchored and admitted by code."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lawsmith.chat import Result
from lawsmith.curation.admission import Admission, admit_draft, draft_sha256
from lawsmith.curation.reading import (
    DEFAULT_MAX_TOKENS,
    Extraction,
    ExtractionConversation,
    NumberedCard,
    extraction_conversation,
    main_readout,
    number_cards,
)
from lawsmith.gateways.store import Cell, Row, columns_of, read_partition, read_table
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    Written,
    call_figures,
    converse,
    input_tokens,
    override_of,
    reasons_cell,
    report,
    row_of,
    run_weeks,
    unfinished,
)
from lawsmith.stages.known_law_index import KnownLaws
from lawsmith.stages.packets import packets_of
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.record import canonical_json
from schemas.source import Outcome, Paper, ReasonCode

TABLE = "cards"


def subject_of(packet: Packet) -> Subject:
    """What this stage judges: a packet."""
    return Subject("packet", packet.id, packet.digest, packet.paper_id, packet.version)


def open_conversations(
    context: StageContext, week: str
) -> list[tuple[str, ExtractionConversation]]:
    """The conversations of a week that have no final outcome yet, best packets first."""
    step = PartitionPass(context, "cards", week)
    packets = [
        packet
        for row, packet in packets_of(context, week)
        if not step.done(subject_of(packet))
        and float(row.extra["triage_score"] or 0) >= context.settings.triage.threshold
    ]
    if not packets:
        # Nothing is asked, so no model need be set up.
        return []
    limit = input_tokens(context)
    longest = context.settings.calls.max_reply_tokens or DEFAULT_MAX_TOKENS
    return [
        (packet.id, extraction_conversation(packet, max_tokens=longest, max_input_tokens=limit))
        for packet in packets
    ]


def run(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Draft and admit the cards of every packet that has no final outcome.

    Raises:
        PrerequisiteError: a live model without a cap, a missing key, an unknown model.
    """
    talks = [talk for week in weeks for talk in open_conversations(context, week)]
    gates = _Gates(context, weeks)
    answers = converse(context, "reading papers", talks, heard=gates.judge)

    def run_week(week: str) -> Written:
        step = PartitionPass(context, "cards", week)
        packets = packets_of(context, week)
        for row, packet in packets:
            subject = subject_of(packet)
            if step.done(subject):
                continue
            if packet.id not in answers.outcomes:
                score, bound = row.extra["triage_score"], context.settings.triage.threshold
                sentence = f"triage score {score:.2f} is below {bound:.2f}"
                step.settle(subject, "rejected", ReasonCode.BELOW_TRIAGE, sentence)
                continue
            outcome = answers.outcomes[packet.id]
            if isinstance(outcome, Result):
                judged = gates.judged[packet.id]
                step.settle(subject, judged.outcome, judged.code, judged.sentence, judged.rows)
            elif (ending := unfinished(outcome)) is not None:
                step.settle(subject, *ending)
        step.keep_only([packet.id for _row, packet in packets])
        return step.write()

    rows, dispositions, new = run_weeks(weeks, run_week)
    return report("cards", rows, dispositions, new=new, figures=call_figures(answers))


@dataclass(frozen=True)
class _Judged:
    """What became of one packet, with the rows of its cards."""

    outcome: Outcome
    code: ReasonCode
    sentence: str
    rows: tuple[Row, ...] = ()


class _Gates:
    """Judges what the extractor drafted, packet by packet, while other packets are being read.

    Attributes:
        judged: by packet id.
    """

    def __init__(self, context: StageContext, weeks: Sequence[str]) -> None:
        self.judged: dict[str, _Judged] = {}
        self._context = context
        self._weeks = weeks

    def judge(self, packet_id: str, found: Extraction) -> None:
        """Put the drafts of a packet through the gates."""
        week, packet = self._packets[packet_id]
        if found.reason is not ReasonCode.OK:
            final = found.reason is ReasonCode.NO_EXECUTABLE_RELATION
            outcome: Outcome = "rejected" if final else "failed"
            sentence = found.sentence + _recording(found)
            self.judged[packet_id] = _Judged(outcome, found.reason, sentence)
            return
        numbers = number_cards(found.cards, packet.paper_id, self._numbered(packet.paper_id))
        rows, kept, first = list[Row](), 0, None
        for draft, number in zip(found.cards, numbers, strict=True):
            admission = admit_draft(
                draft,
                packet,
                card_id=number.card_id,
                paper=self._papers[f"{packet.paper_id}v{packet.version}"],
                extractor=found.model,
                prompt_sha256=found.prompt_sha256,
                replayed=found.replayed,
                known=self._known.for_paper(packet.paper_id),
                override=override_of(self._context, number.card_id, packet.paper_id),
                shown=found.shown,
            )
            kept += admission.card is not None
            if admission.reasons and first is None:
                first = admission.reasons[0]
            rows.append(_row(self._context, week, packet, number.card_id, draft, admission, found))
        if kept:
            sentence = f"{kept} of {len(rows)} drafted cards admitted{_other_text(found)}"
            self.judged[packet_id] = _Judged("passed", ReasonCode.OK, sentence, tuple(rows))
            return
        code = first.code if first else ReasonCode.NOT_EXECUTABLE
        sentence = f"{first or 'no card'}{_other_text(found)}"
        self.judged[packet_id] = _Judged("rejected", code, sentence, tuple(rows))

    def _numbered(self, paper_id: str) -> list[NumberedCard]:
        """The cards that this paper already has, so that numbers are never given twice."""
        found = []
        for row in self._standing[paper_id]:
            draft = CardDraft.model_validate_json(str(row.extra["draft"]))
            found.append(NumberedCard(row.id, *main_readout(draft)))
        return found

    # Read at the first result, while the other models think, and then for the whole run.

    @cached_property
    def _packets(self) -> dict[str, tuple[str, Packet]]:
        return {
            packet.id: (week, packet)
            for week in self._weeks
            for _row, packet in packets_of(self._context, week)
        }

    @cached_property
    def _papers(self) -> dict[str, Paper]:
        context = self._context
        return {
            row.id: Paper.from_json(row.record)
            for week in self._weeks
            for row in read_partition(context.store, "sources", context.collection, week)
        }

    @cached_property
    def _standing(self) -> dict[str | None, list[Row]]:
        by_paper = defaultdict[str | None, list[Row]](list)
        for row in read_table(self._context.store, TABLE, self._context.collection):
            by_paper[row.paper_id].append(row)
        return by_paper

    @cached_property
    def _known(self) -> KnownLaws:
        return KnownLaws(self._context)


def _other_text(found: Extraction) -> str:
    said = "" if found.shown.whole else f"; {found.shown.sentence()}"
    if found.packet_changed:
        said += f"; {ReasonCode.PACKET_CHANGED}: the recorded reply was made to another text"
    return said + _recording(found)


def _recording(found: Extraction) -> str:
    return "; recorded with another prompt" if found.prompt_reworded else ""


def _row(
    context: StageContext,
    week: str,
    packet: Packet,
    card_id: str,
    draft: CardDraft,
    admission: Admission,
    found: Extraction,
) -> Row:
    cells: dict[str, Cell] = {
        "version": packet.version,
        "packet_id": packet.id,
        "title": draft.title,
        "readouts": ", ".join(readout.name for readout in draft.readouts),
        "extractor": found.model,
        "revision": 0,
        "replayed": found.replayed,
        "reasons": reasons_cell(admission.reasons),
        "draft": canonical_json(draft.model_dump(mode="json")),
    }
    card = admission.card or admission.refused
    code = admission.reasons[0].code if admission.reasons else ReasonCode.OK
    outcome: Outcome = "passed" if admission.card else "rejected"
    if card is not None:
        return row_of(
            context,
            card,
            table=TABLE,
            partition=week,
            paper_id=packet.paper_id,
            outcome=outcome,
            code=code,
            **cells,
        )
    # No card could be made of the draft: the row keeps the draft and says why.
    return Row(
        id=card_id,
        paper_id=packet.paper_id,
        collection=context.collection,
        partition=week,
        outcome=outcome,
        reason_code=code.value,
        digest=draft_sha256(draft),
        schema_version=1,
        code_version=context.code_version,
        record="{}",
        extra={**dict.fromkeys(columns_of(TABLE)), **cells},
    )
