"""Dagster's record of a run at a lower price: its SQLite files are opened once, not per event.

Dagster opens, commits and closes an SQLite file three times for each event, and a run over a
span of weeks has two events a week and asset. Here a connection that is closed is kept and
handed out again until the run is over, and commits leave waiting for the disk to SQLite's own
checkpoints: in its write-ahead mode a power cut can then cost the newest events, never the
file. What stages decide lies in the tables, which are synced as before.
"""

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

_Place = tuple[str, int]
"""File and thread: SQLite's connections stay in the thread that made them."""


class _Kept(sqlite3.Connection):
    """A connection that is given back where it would be closed."""

    give_back: Callable[["_Kept"], None]

    def close(self) -> None:
        """Give it back."""
        self.give_back(self)


@contextmanager
def light_record() -> Iterator[None]:
    """Within it, SQLite files that are opened through SQLAlchemy are treated as said above."""
    free: dict[_Place, list[_Kept]] = defaultdict(list)
    running = True

    def opened(dialect: Any, _record: object, given: Any, named: Any) -> _Kept | None:
        if dialect.name != "sqlite" or not given or given[0] == ":memory:":
            return None
        place = (str(given[0]), threading.get_ident())
        if free[place]:
            return free[place].pop()

        def give_back(connection: _Kept) -> None:
            if running:
                free[place].append(connection)
            else:
                sqlite3.Connection.close(connection)

        # Only its own thread is handed it again; the end of the run may close it from another.
        how = {**named, "factory": _Kept, "check_same_thread": False}
        made: _Kept = sqlite3.connect(*given, **how)
        made.give_back = give_back
        made.execute("PRAGMA synchronous=NORMAL")
        return made

    event.listen(Engine, "do_connect", opened)
    try:
        yield
    finally:
        event.remove(Engine, "do_connect", opened)
        running = False
        # Those that another thread still holds close when they are given back.
        for connections in free.values():
            for connection in connections:
                sqlite3.Connection.close(connection)
