"""Spans of weekly partitions."""

from collections.abc import Sequence
from datetime import date, timedelta

from lawsmith.eligibility import FIRST_WEEK
from schemas.source import Window

EARLIEST = "1600-01-01"
"""The first partition takes every older paper."""


def window_of(weeks: Sequence[str]) -> Window:
    """The window that a run of consecutive weeks covers.

    Raises:
        ValueError: no week is given.
    """
    if not weeks:
        raise ValueError("a run needs at least one week")
    last = date.fromisoformat(max(weeks))
    first = min(weeks)
    start = EARLIEST if first == FIRST_WEEK.isoformat() else first
    return Window(start=start, end=(last + timedelta(days=7)).isoformat())
