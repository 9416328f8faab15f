"""Stage `families`: a pair of worlds forged from each accepted card."""

from collections.abc import Sequence
from functools import cached_property

from lawsmith.gateways.store import Row, collection_key, read_partition
from lawsmith.mutation import background_leak, by_move, forge
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
from lawsmith.stages.known_law_index import historical_cards
from lawsmith.stages.reviews import accepted_cards
from schemas.card import Card
from schemas.family import Family, ForgeReport
from schemas.historical_card import HistoricalCard
from schemas.packet import Packet
from schemas.source import Disposition, Paper, ReasonCode

TABLE = "families"
HISTORICAL_PARTITION = "all"


def subject_of(card: Card | HistoricalCard) -> Subject:
    """What this stage judges: an accepted card, or a Historical card."""
    paper = (None, None) if isinstance(card, HistoricalCard) else (card.paper_id, card.version)
    return Subject("card", card.id, card.digest, *paper)


def run_temporal(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Forge the family of every accepted card that has none."""

    def run_week(week: str) -> Written:
        return _forge(context, week, accepted_cards(context, week))

    return _report(*run_weeks(weeks, run_week))


def run_historical(context: StageContext) -> StageReport:
    """Forge the Historical families by keyed draws within the rules of their cards."""
    cards = historical_cards(context.settings.data_root)
    return _report(*_forge(context, HISTORICAL_PARTITION, cards))


def _forge(
    context: StageContext, partition: str, cards: Sequence[Card | HistoricalCard]
) -> Written:
    key = collection_key(context.store, context.collection, context.settings.data_root)
    step = PartitionPass(context, "families", partition)
    texts = _Texts(context, partition)
    for count, card in enumerate(cards):
        context.progress("forging families", count, len(cards))
        subject = subject_of(card)
        if step.done(subject):
            continue
        made = forge(card, key)
        code = made.reason_code
        if made.family is None:
            step.settle(subject, "rejected", code, made.sentence)
            continue
        leak = texts.leak(made.family, card)
        if leak is not None:
            step.settle(subject, "rejected", ReasonCode.BACKGROUND_LEAKS, leak)
            continue
        row = _row(context, partition, card, made.family)
        step.settle(subject, "passed", ReasonCode.OK, _sentence(made), [row])
    context.progress("forging families", len(cards), len(cards))
    return step.write()


class _Texts:
    """The packets and papers of a week, read at the first family that is held against them."""

    def __init__(self, context: StageContext, partition: str) -> None:
        self._context = context
        self._partition = partition

    def leak(self, family: Family, card: Card | HistoricalCard) -> str | None:
        """What the background text gives away of the paper, which the forge has not at hand."""
        if isinstance(card, HistoricalCard):
            return None
        text = Packet.from_json(self._packets[card.packet_id].record).text
        paper = Paper.from_json(self._papers[f"{card.paper_id}v{card.version}"].record)
        named = (paper.title, *paper.authors, *(x for x in (paper.doi, paper.journal_ref) if x))
        return background_leak(family, card, packet_text=text, names=named)

    @cached_property
    def _packets(self) -> dict[str, Row]:
        return self._rows("packets")

    @cached_property
    def _papers(self) -> dict[str, Row]:
        return self._rows("sources")

    def _rows(self, table: str) -> dict[str, Row]:
        context = self._context
        rows = read_partition(context.store, table, context.collection, self._partition)
        return {row.id: row for row in rows}


def _sentence(made: ForgeReport) -> str:
    return f"{made.sentence}; {len(made.rejected)} candidates refused"


def _row(context: StageContext, partition: str, card: Card | HistoricalCard, family: Family) -> Row:
    return row_of(
        context,
        family,
        table=TABLE,
        partition=partition,
        paper_id=family.paper_id,
        version=None if isinstance(card, HistoricalCard) else card.version,
        card_id=card.id,
        title=card.title,
        moves=", ".join(group[0].move for group in by_move(family.mutations)),
        stratum=family.difficulty,
        readouts=len(family.readouts),
        controls=len(family.controls),
    )


def _report(rows: list[Row], dispositions: list[Disposition], new: int) -> StageReport:
    return report(
        "families",
        rows,
        dispositions,
        new=new,
        columns=("family", "moves", "difficulty", "title"),
        preview=[
            (row.id, str(row.extra["moves"]), str(row.extra["stratum"]), str(row.extra["title"]))
            for row in rows
        ],
        figures={"families": float(len(rows))},
    )
