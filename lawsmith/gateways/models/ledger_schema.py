"""The ledger's SQLite file: its tables, how it is opened, and its indices."""

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from lawsmith.errors import IntegrityError, LawsmithError, PrerequisiteError
from lawsmith.gateways.store import check_not_lost, mark_of, remember

FORMAT = 3
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
CREATE TABLE IF NOT EXISTS answered(
  request_digest TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  model TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY(request_digest, attempt)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answered_by_model ON answered(model);
DROP INDEX IF EXISTS calls_by_role;
DROP INDEX IF EXISTS calls_by_run;
DROP INDEX IF EXISTS calls_by_pace;
CREATE INDEX IF NOT EXISTS calls_by_subject ON calls(subject);
CREATE INDEX IF NOT EXISTS calls_by_spend
  ON calls(run, role, state, tokens, upper_tokens, cost, upper_usd);
CREATE INDEX IF NOT EXISTS calls_by_minute ON calls(model, at, holder, state, tokens, upper_tokens);
CREATE INDEX IF NOT EXISTS calls_open ON calls(holder) WHERE state = 'intent';
"""
# Format 1 lacked `pauses` and these indices, format 2 `answered`. A row of `calls` holds a whole
# prompt, so totals over rows would read every prompt again at each call: the indices hold all that
# totals need. `answered` repeats which calls have a reply, and the hash of both: a reply that is
# damaged or gone is missed there.


def open_ledger_file(path: Path) -> sqlite3.Connection:
    """A connection to the ledger file, made with its tables where there never was one.

    Raises:
        PrerequisiteError: the folder or file cannot be written.
        IntegrityError: the file is no ledger, is empty, is gone, or is one of another format.
    """
    anew = f"if no reply in it was paid for, delete {mark_of(path.parent, path)}"
    check_not_lost(path.parent, path, "the ledger of paid replies", anew)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        remember(path.parent, path)
        if not path.stat().st_size:
            raise damaged(path, "the file is empty")
        connection = _connected(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise _unwritable(path, error) from error
    try:
        with told_apart(path):
            _prepare(connection, path)
    except LawsmithError:
        connection.close()
        raise
    return connection


@contextmanager
def told_apart(path: Path) -> Iterator[None]:
    """Turn what SQLite and records say of a ledger into errors that say what to do.

    Raises:
        IntegrityError: the file is damaged.
        PrerequisiteError: the file cannot be read or written now.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if "decode" in str(error) or _is_damage(error):
            raise damaged(path, str(error)) from error
        raise _unwritable(path, error) from error
    except (sqlite3.DatabaseError, ValidationError) as error:
        raise damaged(path, " ".join(str(error).split())[:200]) from error


def reply_hash(request_digest: str, attempt: int, request: str, response: str) -> str:
    """sha256 over one call with its reply, as stored."""
    text = "\n".join((request_digest, str(attempt), request, response))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def damaged(path: Path, why: str) -> IntegrityError:
    """The error of a ledger that cannot be believed."""
    return IntegrityError(
        f"not a ledger, or one that cannot be read: {why}; only a backup restores its replies",
        path=str(path),
        fix="restore it from a backup; nothing is asked or bought until then",
    )


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _make(path: Path) -> None:
    """Put a ledger without calls in place by one link, so that no half of one is ever seen."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    fresh.unlink(missing_ok=True)
    connection = _connected(fresh)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(_creation())
    finally:
        connection.close()
    try:
        # Another process may have been first; its ledger is then the ledger.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(fresh)
    finally:
        fresh.unlink(missing_ok=True)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    stored = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if stored == FORMAT:
        return
    if stored not in (1, 2):
        raise IntegrityError(
            f"ledger format {stored}; this code reads {FORMAT}",
            path=str(path),
            fix="use the version of Lawsmith that wrote it, or restore it from a backup",
        )
    connection.create_function("reply_hash", 4, reply_hash, deterministic=True)
    connection.executescript(
        _creation(
            "INSERT OR IGNORE INTO answered SELECT request_digest, attempt, model,"
            " reply_hash(request_digest, attempt, request, response) FROM calls"
            " WHERE state = 'done';"
        )
    )


def _creation(then: str = "") -> str:
    return f"BEGIN IMMEDIATE;{_TABLES}{then}PRAGMA user_version={FORMAT};COMMIT;"


def _is_damage(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _unwritable(path: Path, error: Exception) -> PrerequisiteError:
    return PrerequisiteError(
        f"the ledger cannot be written: {error}",
        path=str(path),
        fix="point LAWSMITH_HOME at a folder that you can write",
    )


__all__ = ("FORMAT", "damaged", "open_ledger_file", "reply_hash", "told_apart")
