"""The conversations that are open now: what a dry run counts and a batch file holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lawsmith.chat import Conversation
from lawsmith.gateways.models import RunCaps
from lawsmith.gateways.store import read_partition
from lawsmith.runs import StageContext
from lawsmith.stages import cards, families, packets, reviews, sources


@dataclass(frozen=True)
class OpenTalks:
    """Conversations without a final outcome, by subject."""

    papers: int
    conversations: tuple[tuple[str, Conversation[Any]], ...]


def take_up_answers(context: StageContext, weeks: Sequence[str]) -> None:
    """Harvest, build packets, and take every conversation as far as the replies at hand carry.

    No model is asked: a cap of nothing defers each request that ledger and recordings leave open.
    """
    free = replace(context, caps=RunCaps(max_usd=0.0, max_tokens=0))
    sources.run(free, weeks)
    packets.run(free, weeks)
    cards.run(free, weeks)
    reviews.run_card(free, weeks)
    families.run_temporal(free, weeks)
    reviews.run_case(free, weeks)


def open_conversations(
    context: StageContext, weeks: Sequence[str], *, build: bool = False
) -> OpenTalks:
    """Extractions, card reviews and case reviews of the weeks that are not done.

    Args:
        context: of the Temporal collection.
        weeks: partitions to look at.
        build: harvest papers and build packets first; both are kept.
    """
    if build:
        sources.run(context, weeks)
        packets.run(context, weeks)
    found: list[tuple[str, Conversation[Any]]] = []
    papers = 0
    for week in weeks:
        papers += len(read_partition(context.store, "sources", context.collection, week))
        found.extend(cards.open_conversations(context, week))
        found.extend(reviews.open_card_reviews(context, week))
        found.extend(reviews.open_case_reviews(context, week))
    return OpenTalks(papers, tuple(found))
