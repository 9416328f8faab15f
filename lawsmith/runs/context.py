"""What every stage is given, and what every stage reports."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lawsmith.config import Settings
from lawsmith.gateways.models import Ledger, RateLimits, Roster, RunCaps
from lawsmith.gateways.store import Row, Store
from schemas.source import Collection, Disposition

Progress = Callable[[str, int, int], None]
"""(what, done, of): called as work goes on; of = 0 where the total is unknown."""


@dataclass(frozen=True)
class StageContext:
    """Settings, store, clock and models: everything a stage needs and nothing global."""

    settings: Settings
    store: Store
    collection: Collection
    now: Callable[[], str]
    """The clock: the present instant as `2026-10-05T00:00:00Z`."""
    code_version: str
    seconds: Callable[[], float]
    """Seconds since 1970 UTC, for latencies and the ledger."""
    roster: Callable[[], Roster]
    """Opened when a stage first talks to a model, so that the others never need a key."""
    ledger: Callable[[], Ledger]
    """A new handle of the store's ledger; whoever opens it closes it."""
    caps: RunCaps
    limits: RateLimits
    source: str
    """`sample`, `arxiv` or a folder."""
    progress: Progress = lambda _what, _done, _of: None
    stop: threading.Event = field(default_factory=threading.Event)
    """Set by an interrupt: no further request is sent; what arrives is stored."""


@dataclass(frozen=True)
class StageReport:
    """What one run of one stage did."""

    stage: str
    rows: int
    """Rows of the partitions after the run."""
    new: int
    """Subjects worked on in this run."""
    unchanged: int
    """Subjects found done and left alone."""
    outcomes: dict[str, int]
    """`outcome/reason_code` -> how many subjects of the partitions stand there."""
    columns: tuple[str, ...]
    preview: tuple[tuple[str, ...], ...]
    """A few rows for people, in `columns` order."""
    figures: dict[str, float]
    """Named figures of this run: calls, tokens, costs, margins."""
    notes: tuple[str, ...] = ()


def report(
    stage: str,
    rows: Sequence[Row],
    dispositions: Sequence[Disposition],
    *,
    new: int,
    columns: tuple[str, ...] = ("id", "outcome", "reason"),
    preview: Sequence[tuple[str, ...]] | None = None,
    figures: dict[str, float] | None = None,
    notes: Sequence[str] = (),
) -> StageReport:
    """The report of a stage from its rows and dispositions."""
    outcomes = Counter(f"{item.outcome}/{item.reason_code}" for item in dispositions)
    shown = preview
    if shown is None:
        shown = [
            (item.subject_id, item.outcome, f"{item.reason_code}: {item.sentence}")
            for item in dispositions
        ]
    return StageReport(
        stage=stage,
        rows=len(rows),
        new=new,
        unchanged=max(0, len(dispositions) - new),
        outcomes=dict(sorted(outcomes.items())),
        columns=columns,
        preview=tuple(shown[:50]),
        figures=dict(figures or {}),
        notes=tuple(notes),
    )
