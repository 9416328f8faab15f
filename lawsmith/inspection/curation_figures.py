"""How curation stands in figures: the funnel of a collection, reasons by count, cost a card."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lawsmith.gateways.models import CallSeen, calls_of_roles
from lawsmith.gateways.store import Row, read_table
from lawsmith.runs import StageContext, all_dispositions, latest_by_subject, reasons_of
from schemas.source import Disposition

CURATION = ("packets", "cards", "reviews/card", "families", "reviews/case")
"""Stages between a paper's file and a family that may become tasks."""
ROLES = ("extractor", "reviewer")


@dataclass(frozen=True)
class CardFigures:
    """What the cards asset shows beside three cards."""

    funnel: tuple[tuple[str, int], ...]
    """What is counted -> how many, from papers to accepted cases."""
    reasons: tuple[tuple[str, str, int, int], ...]
    """(stage, reason code, subjects decided by it, findings of it), most decisions first."""
    costs: tuple[tuple[str, str, str, str, str], ...]
    """(role, live calls, tokens, USD, replayed replies)."""
    per_accepted_card: str
    """Cost for each accepted card, or why there is no such figure."""


def card_figures(context: StageContext) -> CardFigures:
    """The figures of a whole collection, as its tables stand now."""
    cards = read_table(context.store, "cards", context.collection)
    latest = latest_by_subject(all_dispositions(context.store, context.collection))
    accepted = sum(
        row.outcome == "passed" and _passed(latest.get(("reviews/card", row.id))) for row in cards
    )
    calls = _calls(context)
    replayed = _replayed(context, latest, calls)
    return CardFigures(
        funnel=_funnel(context, cards, latest, accepted),
        reasons=_reasons(cards, latest),
        costs=tuple(_cost(role, calls, replayed[role]) for role in ROLES),
        per_accepted_card=cost_per_card(calls, accepted, sum(replayed.values())),
    )


def cost_per_card(calls: Sequence[CallSeen], accepted: int, replayed: int) -> str:
    """What an accepted card cost, in words: a price that is not known is never a zero.

    Args:
        calls: to live models; calls in doubt count at their bound.
        accepted: cards that a reviewer accepted.
        replayed: replies that were read from a recording and cost nothing now.
    """
    label = f"; {replayed} replies are replayed and cost nothing now" if replayed else ""
    if not accepted:
        return f"no card is accepted yet; {_usd(calls)} USD so far{label}"
    if not calls:
        return f"none: no live model was asked for {accepted} accepted cards{label}"
    unknown = sum(call.usd is None for call in calls)
    known = sum(call.usd for call in calls if call.usd is not None)
    if unknown:
        return (
            f"unknown: {unknown} of {len(calls)} calls have no known price; the others come to"
            f" {known / accepted:.4f} USD for each of {accepted} accepted cards{label}"
        )
    return f"{known / accepted:.4f} USD for each of {accepted} accepted cards{label}"


def _passed(item: Disposition | None) -> bool:
    return item is not None and item.outcome == "passed"


def _funnel(
    context: StageContext,
    cards: Sequence[Row],
    latest: dict[tuple[str, str], Disposition],
    accepted: int,
) -> tuple[tuple[str, int], ...]:
    def passed(table: str) -> int:
        rows = read_table(context.store, table, context.collection)
        return sum(row.outcome == "passed" for row in rows)

    judged = [item for (stage, _), item in latest.items() if stage == "cards"]
    read = [item for item in judged if item.reason_code.value != "below_triage"]
    cases = sum(
        item.outcome == "passed" for (stage, _), item in latest.items() if stage == "reviews/case"
    )
    return (
        ("papers", passed("sources")),
        ("packets", passed("packets")),
        ("packets worth reading", len(read)),
        ("packets that gave a draft", len({row.extra["packet_id"] for row in cards})),
        ("drafted cards", len(cards)),
        ("cards through the gates", sum(row.outcome == "passed" for row in cards)),
        ("cards the reviewer accepted", accepted),
        ("families", passed("families")),
        ("cases the reviewer accepted", cases),
    )


def _reasons(
    cards: Sequence[Row], latest: dict[tuple[str, str], Disposition]
) -> tuple[tuple[str, str, int, int], ...]:
    decided: Counter[tuple[str, str]] = Counter(
        (item.stage, item.reason_code.value)
        for item in latest.values()
        if item.stage in CURATION and item.outcome != "passed"
    )
    found: Counter[tuple[str, str]] = Counter(
        ("cards", reason.code.value) for row in cards for reason in reasons_of(row)
    )
    order = {stage: n for n, stage in enumerate(CURATION)}
    keys = sorted(decided | found, key=lambda key: (order[key[0]], -decided[key], key))
    return tuple((*key, decided[key], found[key]) for key in keys)


def _calls(context: StageContext) -> list[CallSeen]:
    """The ledger serves all collections of a store; a call belongs to that of its subject."""
    synthetic = context.collection == "temporal-sample"
    return [
        call
        for call in calls_of_roles(context.store.ledger, ROLES)
        if call.subject.startswith("sample:") == synthetic
    ]


def _replayed(
    context: StageContext,
    latest: dict[tuple[str, str], Disposition],
    calls: Sequence[CallSeen],
) -> dict[str, int]:
    """Role -> readings and reviews that a recording answered.

    A reading that gave no card leaves no row; it was replayed if the ledger knows no call of it.
    """
    live = {call.subject for call in calls}
    read = [
        packet
        for (stage, packet), item in latest.items()
        if stage == "cards"
        and item.outcome in {"passed", "rejected"}
        and item.reason_code.value != "below_triage"
        and packet not in live
    ]
    reviews = [
        row
        for table in ("reviews/card", "reviews/case")
        for row in read_table(context.store, table, context.collection)
        if row.extra["replayed"]
    ]
    return {"extractor": len(read), "reviewer": len(reviews)}


def _cost(role: str, calls: Sequence[CallSeen], replayed: int) -> tuple[str, str, str, str, str]:
    mine = [call for call in calls if call.role == role]
    tokens = sum(call.tokens or 0 for call in mine)
    return role, str(len(mine)), str(tokens), _usd(mine), str(replayed)


def _usd(calls: Sequence[CallSeen]) -> str:
    if any(call.usd is None for call in calls):
        return "unknown"
    return f"{sum(call.usd or 0.0 for call in calls):.4f}"


__all__ = ("CardFigures", "card_figures", "cost_per_card")
