"""What a new card is held against: textbook laws, Historical families, families already built."""

from functools import lru_cache
from pathlib import Path

from lawsmith.curation.admission import KnownLaw, family_law, historical_law, textbook_laws
from lawsmith.gateways.store import read_table
from lawsmith.mutation.laws import load_historical
from lawsmith.runs import StageContext
from schemas.family import Family
from schemas.historical_card import HistoricalCard


class KnownLaws:
    """The laws that the cards of one run are held against, read from the store once."""

    def __init__(self, context: StageContext) -> None:
        """Read the textbook, the Historical cards and the families of a store."""
        self._bundled = _bundled(context.settings.data_root)
        self._built = tuple(
            (row.paper_id, family_law(Family.from_json(row.record)))
            for row in read_table(context.store, "families", context.collection)
            if row.outcome == "passed"
        )

    def for_paper(self, paper_id: str) -> tuple[KnownLaw, ...]:
        """The laws that a card of this paper may not repeat; its own families do not count."""
        return (*self._bundled, *(law for owner, law in self._built if owner != paper_id))


def historical_cards(data_root: Path) -> tuple[HistoricalCard, ...]:
    """The Historical cards that ship with Lawsmith, by slug.

    Raises:
        InputError: a file is not a Historical card.
    """
    return tuple(
        load_historical(path) for path in sorted((data_root / "historical").glob("*.json"))
    )


@lru_cache(maxsize=4)
def _bundled(data_root: Path) -> tuple[KnownLaw, ...]:
    historical = tuple(historical_law(card) for card in historical_cards(data_root))
    return (*textbook_laws(data_root / "textbook_laws.jsonl"), *historical)
