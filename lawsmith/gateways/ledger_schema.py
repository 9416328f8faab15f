"""The ledger's SQLite file: its tables, how it is opened, and its indices."""

import sqlite3
from pathlib import Path

from lawsmith.errors import IntegrityError, PrerequisiteError

FORMAT = 2
"""`PRAGMA user_version` of the file."""
BUSY_SECONDS = 60.0
"""How long a process waits for another one's transaction; each lasts milliseconds."""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs(
  holder INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL,
  pid INTEGER NOT NULL,
  at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS calls(
  request_digest TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  role TEXT NOT NULL,
  subject TEXT NOT NULL,
  round INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('intent', 'done', 'failed', 'in_doubt')),
  request TEXT NOT NULL,
  response TEXT,
  usage TEXT,
  cost REAL,
  latency REAL,
  at TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  revision INTEGER NOT NULL,
  model TEXT NOT NULL,
  served_from TEXT,
  error TEXT,
  tokens INTEGER,
  upper_tokens INTEGER NOT NULL,
  upper_usd REAL,
  run TEXT NOT NULL,
  holder INTEGER,
  PRIMARY KEY(request_digest, attempt)
);
CREATE TABLE IF NOT EXISTS exports(
  request_digest TEXT PRIMARY KEY,
  model TEXT NOT NULL,
  request TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS pauses(
  model TEXT PRIMARY KEY,
  until TEXT NOT NULL
);
DROP INDEX IF EXISTS calls_by_role;
DROP INDEX IF EXISTS calls_by_run;
DROP INDEX IF EXISTS calls_by_pace;
CREATE INDEX IF NOT EXISTS calls_by_subject ON calls(subject);
CREATE INDEX IF NOT EXISTS calls_by_spend
  ON calls(run, role, state, tokens, upper_tokens, cost, upper_usd);
CREATE INDEX IF NOT EXISTS calls_by_minute ON calls(model, at, holder, state, tokens, upper_tokens);
CREATE INDEX IF NOT EXISTS calls_open ON calls(holder) WHERE state = 'intent';
"""
# Format 1 lacked `pauses` and these indices. A row holds a whole prompt, so totals over rows
# would read every prompt again at each call: the indices hold all that totals need.


def open_ledger_file(path: Path) -> sqlite3.Connection:
    """A connection to the ledger file, made with its tables where it does not exist yet.

    Raises:
        PrerequisiteError: the folder or file cannot be written.
        IntegrityError: the file is no ledger, or one of another format.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.OperationalError) as error:
        raise _unwritable(path, error) from error
    try:
        _prepare(connection, path)
    except sqlite3.OperationalError as error:
        connection.close()
        raise _unwritable(path, error) from error
    except sqlite3.DatabaseError as error:
        connection.close()
        raise IntegrityError(
            f"not a ledger: {error}", path=str(path), fix="move the file away and run again"
        ) from error
    except IntegrityError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found == FORMAT:
        return
    if found not in (0, 1):
        raise IntegrityError(
            f"ledger format {found}; this code reads {FORMAT}",
            path=str(path),
            fix="use the version of Lawsmith that wrote it",
        )
    connection.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version={FORMAT};COMMIT;")


def _unwritable(path: Path, error: Exception) -> PrerequisiteError:
    return PrerequisiteError(
        f"the ledger cannot be written: {error}",
        path=str(path),
        fix="point LAWSMITH_HOME at a folder that you can write",
    )


__all__ = ("FORMAT", "open_ledger_file")
