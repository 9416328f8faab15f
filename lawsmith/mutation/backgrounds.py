"""What the background text of a family gives away of its laws or of its source."""

import re
from collections.abc import Sequence

from lawsmith.curation.admission import Input, Output, check_background
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard


def background_leak(
    family: Family,
    card: Card | HistoricalCard,
    *,
    packet_text: str | None = None,
    names: Sequence[str] = (),
) -> str | None:
    """The first thing that the background text of a family gives away, None when nothing.

    Args:
        family: with its text and both laws.
        card: what it was forged from.
        packet_text: the source, to find runs of its words; None where it is not at hand.
        names: what else may not be named: authors, journal, identifiers.
    """
    inputs = tuple(Input(c.name, c.meaning, c.unit, c.domain) for c in family.controls)
    outputs = tuple(Output(r.name, r.meaning, r.unit, r.resolution) for r in family.readouts)
    reasons = check_background(
        family.background,
        inputs=inputs,
        outputs=outputs,
        laws=(family.original, family.counterfactual),
        names=(*_private_names(card), *names),
        packet_text=packet_text,
    )
    return reasons[0].sentence if reasons else None


def _private_names(card: Card | HistoricalCard) -> tuple[str, ...]:
    if isinstance(card, Card):
        return (card.title, card.paper_id, card.id)
    people = re.findall(r"[A-Z][a-z]{3,}", card.discoverer)
    return (card.title, card.id, *people)


__all__ = ("background_leak",)
