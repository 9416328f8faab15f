"""The log of one run: JSON lines under runs/, one line an event."""

import re
from pathlib import Path
from threading import Lock

from lawsmith.errors import InputError
from lawsmith.gateways.store.layout import Store
from schemas.record import canonical_json

_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class RunLog:
    """Appends events to `runs/<run>.jsonl`; safe to share between threads.

    Attributes:
        path: the file.
    """

    def __init__(self, store: Store, run: str) -> None:
        """Name the run; the file appears with its first event.

        Raises:
            InputError: the run name could leave the folder.
        """
        if not _RUN.fullmatch(run):
            raise InputError(f"run name {run!r} is not made of letters, digits, '.', '_', '-'")
        self.path: Path = store.runs / f"{run}.jsonl"
        self._lock = Lock()

    def write(self, event: str, *, at: str, **fields: object) -> None:
        """Append one line {at, event, …}; `at` is an instant in UTC, fields are JSON data."""
        line = canonical_json({**fields, "at": at, "event": event}) + "\n"
        with self._lock, self.path.open("a", encoding="utf-8") as out:
            out.write(line)


__all__ = ("RunLog",)
