"""Totals over the ledger's calls, and the caps and pace that are read off them."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lawsmith.chat import Role
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.prices import Bound

WINDOW_SECONDS = 60.0
LONGEST_PAUSE = 3600.0
"""Seconds; what lies further ahead is a clock that was set back."""


@dataclass(frozen=True)
class Wait:
    """The pace is used up; ask again after this many seconds."""

    seconds: float


@dataclass(frozen=True)
class CapReached:
    """A cap leaves no room for the request; the sentence says which and by how much."""

    sentence: str


@dataclass(frozen=True)
class Spent:
    """Totals over calls; calls in doubt or in flight count at their upper bound."""

    calls: int
    tokens: int
    known_usd: float
    unpriced_calls: int
    in_doubt_calls: int

    @property
    def usd(self) -> float | None:
        """US dollars, None when the cost of any call is unknown."""
        return None if self.unpriced_calls else self.known_usd


def totals(connection: sqlite3.Connection, *, role: Role | None, run: str | None) -> Spent:
    """Totals of all calls, or of those of one role or of one run's label."""
    row = connection.execute(
        "SELECT count(*),"
        " coalesce(sum(CASE state WHEN 'failed' THEN 0"
        "   ELSE coalesce(tokens, upper_tokens) END), 0),"
        " coalesce(sum(CASE state WHEN 'failed' THEN 0 WHEN 'done' THEN cost"
        "   ELSE upper_usd END), 0.0),"
        " coalesce(sum(state != 'failed' AND"
        "   CASE state WHEN 'done' THEN cost ELSE upper_usd END IS NULL), 0),"
        " coalesce(sum(state = 'in_doubt'), 0)"
        " FROM calls WHERE (? IS NULL OR role = ?) AND (? IS NULL OR run = ?)",
        (role, role, run, run),
    ).fetchall()[0]
    return Spent(*row)


def over_cap(
    connection: sqlite3.Connection, run: str, role: Role, bound: Bound, caps: RunCaps
) -> CapReached | None:
    """The cap that a run's label would pass with one more call of this bound, if any."""
    for whose, cap, only in (("the cap", caps, None), (f"the {role}'s cap", caps.of(role), role)):
        if not cap.given:
            continue
        tokens, usd = connection.execute(
            "SELECT coalesce(sum(coalesce(tokens, upper_tokens)), 0),"
            " coalesce(sum(coalesce(cost, upper_usd)), 0.0)"
            " FROM calls WHERE run = ? AND (? IS NULL OR role = ?) AND state != 'failed'",
            (run, only, only),
        ).fetchall()[0]
        if cap.max_tokens is not None and tokens + bound.tokens > cap.max_tokens:
            return CapReached(
                f"{whose} of {cap.max_tokens} tokens leaves no room: {tokens} are spent or"
                f" reserved and the request may take {bound.tokens}"
            )
        if cap.max_usd is not None and bound.usd is not None and usd + bound.usd > cap.max_usd:
            return CapReached(
                f"{whose} of {cap.max_usd:.6g} USD leaves no room: {usd:.6g} are spent or"
                f" reserved and the request may cost {bound.usd:.6g}"
            )
    return None


def paused(connection: sqlite3.Connection, model: str, now: float) -> Wait | None:
    """How long the provider still wants no call of a model; None: it takes calls."""
    rows = connection.execute("SELECT until FROM pauses WHERE model = ?", (model,)).fetchall()
    if not rows:
        return None
    left = datetime.fromisoformat(rows[0][0]).timestamp() - now
    # Nobody waits longer than the longest pause, even if the clock was set back since.
    return Wait(left) if 0.0 < left <= LONGEST_PAUSE else None


def over_pace(
    connection: sqlite3.Connection, model: str, bound: Bound, limits: RateLimits, now: float
) -> Wait | None:
    """How long until a model's pace allows one more call of this bound; None: it does now."""
    if limits.requests_per_minute is None and limits.tokens_per_minute is None:
        return None
    rows = connection.execute(
        "SELECT at, CASE state WHEN 'failed' THEN 0 ELSE coalesce(tokens, upper_tokens) END"
        " FROM calls WHERE model = ? AND at > ? AND holder IS NOT NULL ORDER BY at",
        (model, instant(now - WINDOW_SECONDS)),
    ).fetchall()
    count, tokens, free_at = len(rows), sum(row[1] for row in rows), None
    for at, used in rows:
        few = limits.requests_per_minute is None or count < limits.requests_per_minute
        light = (
            limits.tokens_per_minute is None or tokens + bound.tokens <= limits.tokens_per_minute
        )
        if few and light:
            break
        count, tokens = count - 1, tokens - used
        free_at = datetime.fromisoformat(at).timestamp() + WINDOW_SECONDS
    # A request larger than a whole minute's allowance goes alone, once the window is empty.
    return None if free_at is None else Wait(min(max(free_at - now, 0.001), WINDOW_SECONDS))


def instant(seconds: float) -> str:
    """Seconds since 1970 UTC as `2026-10-05T00:00:00.000000Z`; sorts as text."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


__all__ = ("CapReached", "Spent", "Wait", "instant", "over_cap", "over_pace", "paused", "totals")
