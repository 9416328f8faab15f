"""Spans of weekly partitions."""

from collections.abc import Sequence
from datetime import date, timedelta

from schemas.source import Window


def window_of(weeks: Sequence[str]) -> Window:
    """The window that a run of consecutive weeks covers.

    Raises:
        ValueError: no week is given.
    """
    if not weeks:
        raise ValueError("a run needs at least one week")
    last = date.fromisoformat(max(weeks))
    return Window(start=min(weeks), end=(last + timedelta(days=7)).isoformat())
