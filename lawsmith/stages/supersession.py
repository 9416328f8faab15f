"""What still counts: families whose card stands no more are superseded, and say so.

A source that changes under its id gives its paper another packet; the card is read again, and
what was forged from the former one is left out of cuts. Its rows and decisions stay; here they
are told from those that count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lawsmith.gateways.store import Row, partitions_of, read_partition, read_table
from lawsmith.runs import StageContext
from lawsmith.stages.reviews import forged_families, judged_cards
from schemas.family import Family
from schemas.source import Disposition


@dataclass(frozen=True)
class SupersededFamily:
    """A family that counts no more.

    Attributes:
        id: of the family.
        paper_id: the paper that it was forged from.
        card_id: the card that it was forged from.
        card_digest: that card as it stood then.
        card_now: digest of the card as it stands now; None where it is gone or refused.
        why: what took its place, for people.
    """

    id: str
    paper_id: str
    card_id: str
    card_digest: str
    card_now: str | None
    why: str


def superseded_families(context: StageContext) -> list[SupersededFamily]:
    """The families of a collection whose card changed or fell since they were forged, by id."""
    cards = {row.id: row for row in read_table(context.store, "cards", context.collection)}
    packets = {key: card.packet_id for key, card in judged_cards(context).items()}
    found = []
    for week in partitions_of(context.store, "families", context.collection):
        standing = {family.id for family in forged_families(context, week)}
        for row in read_partition(context.store, "families", context.collection, week):
            if row.outcome != "passed" or row.id in standing:
                continue
            family = Family.from_json(row.record)
            packet = packets.get((family.card_id, family.card_digest))
            card = cards.get(family.card_id)
            found.append(
                SupersededFamily(
                    id=family.id,
                    paper_id=family.paper_id or "",
                    card_id=family.card_id,
                    card_digest=family.card_digest,
                    card_now=card.digest if card and card.outcome == "passed" else None,
                    why=_why(card, row, packet),
                )
            )
    return sorted(found, key=lambda item: item.id)


def counted(
    dispositions: Iterable[Disposition], superseded: Sequence[SupersededFamily]
) -> list[Disposition]:
    """The dispositions without those about superseded families and the cards they came from."""
    return [item for item in dispositions if not is_superseded(item, superseded)]


def is_superseded(item: Disposition, superseded: Sequence[SupersededFamily]) -> bool:
    """Whether a disposition is about a superseded family, or about the card it came from."""
    if item.release_id is not None:
        return False
    of_card = [one for one in superseded if one.card_id == item.subject_id]
    if item.stage == "reviews/card":
        return any(item.digest_judged != one.card_now for one in of_card)
    if item.stage == "families":
        return any(item.digest_judged == one.card_digest for one in of_card)
    made = item.stage in {"reviews/case", "worlds"}
    return made and any(item.subject_id == one.id for one in superseded)


def _why(card: Row | None, family: Row, packet: str | None) -> str:
    if card is None:
        return f"card {family.extra['card_id']} is there no more"
    stands = f"the card is now {card.outcome} ({card.reason_code})"
    if card.extra["version"] != family.extra["version"]:
        return f"version {card.extra['version']} of the paper was read; {stands}"
    if packet != card.extra["packet_id"]:
        return f"the paper's source changed under its id; {stands}"
    return "its card is no longer accepted"


__all__ = ("SupersededFamily", "counted", "is_superseded", "superseded_families")
