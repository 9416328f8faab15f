"""File locks that say who holds them; the kernel frees them when their process is gone."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from lawsmith.errors import InputError, LockHeldError
from lawsmith.gateways.store.layout import Store


@contextmanager
def partition_lock(store: Store, name: str) -> Iterator[None]:
    """Hold the lock of one partition, such as `temporal-sample/2026-10-05`.

    Raises:
        LockHeldError: another holder has it; the message says who and since when.
    """
    if not name or any(part in {"", ".", ".."} for part in name.split("/")):
        raise InputError(f"lock name {name!r} is empty or leaves the folder")
    with _held(store.locks / f"partition-{name.replace('/', '__')}.lock", f"partition {name}"):
        yield


@contextmanager
def catalogue_lock(store: Store, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock under which the catalogue is rebuilt, after waiting some seconds at most.

    Raises:
        LockHeldError: another holder has it; the message says who and since when.
    """
    with _held(store.locks / "catalogue.lock", "the catalogue", wait):
        yield


def holder_of(lock: Path) -> str:
    """Who holds a lock file, as `pid 4242 (lawsmith refresh) since 2026-10-05T00:00:00Z`."""
    note = _note_of(lock)
    try:
        text = note.read_text(encoding="utf-8")
        # The note is written on taking the lock, so its time is the time of taking.
        since = datetime.fromtimestamp(note.stat().st_mtime, tz=UTC)
        found = json.loads(text)
        return f"pid {found['pid']} ({found['command']}) since {since:%Y-%m-%dT%H:%M:%SZ}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that left no note"


@contextmanager
def _held(path: Path, what: str, wait: float = 0.0) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise LockHeldError(
            f"{what} is held by {holder_of(path)}",
            path=str(path),
            fix="wait for it to end, then run again; nothing was changed",
        ) from error
    try:
        holder = {"pid": os.getpid(), "command": shlex.join(sys.argv)}
        _note_of(path).write_text(json.dumps(holder), encoding="utf-8")
        yield
    finally:
        _note_of(path).unlink(missing_ok=True)
        lock.release()


def _note_of(lock: Path) -> Path:
    return lock.with_suffix(".holder.json")


__all__ = ("catalogue_lock", "holder_of", "partition_lock")
