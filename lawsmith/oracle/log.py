"""The Oracle's log: append-only JSON lines, each with the hash of the line before.

A change, a swap or a loss of any line but the last ones shows in the line after it. What was
cut off at the end cannot show; `head` is what a holder keeps to see that.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from pydantic import ValidationError

from lawsmith.errors import IntegrityError, LockHeldError, PrerequisiteError
from schemas.oracle_log import Event, LogLine

LOG: Final = "log.jsonl"
NO_LINE: Final = "0" * 64
"""What the first line gives as the hash of the line before."""


class LogFaultError(PrerequisiteError):
    """The log could not be written: nothing more is answered until the server starts again."""


class OracleLog:
    """The log of one server; safe to use from many threads.

    `append` puts an event into the chain, `commit` returns when it is on disk. One thread writes
    all that was appended meanwhile, so that many answers share one flush.
    """

    def __init__(self, path: Path) -> None:
        """Open a log for writing, what a kill left of its last line cut off.

        Raises:
            LockHeldError: another server writes it.
            IntegrityError: a line is not the one that was written.
            PrerequisiteError: it cannot be written.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._held = FileLock(path.with_suffix(".lock"), thread_local=False)
            self._held.acquire(timeout=0)
        except Timeout as error:
            raise LockHeldError(
                "another Oracle writes this log", path=str(path), fix="stop it, or use --record"
            ) from error
        except OSError as error:
            raise PrerequisiteError(f"cannot be written: {error}", path=str(path)) from error
        try:
            self.events, self.head, whole = read_log(path) if path.is_file() else ([], NO_LINE, 0)
            # With DSYNC a write returns when its bytes, and what finds them, are on disk.
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_DSYNC
            self._file = os.open(path, flags, 0o600)
            os.ftruncate(self._file, whole)
        except OSError as error:
            self._held.release()
            raise PrerequisiteError(f"cannot be written: {error}", path=str(path)) from error
        except IntegrityError:
            self._held.release()
            raise
        self._order = threading.Lock()
        self._waiting: list[bytes] = []
        self._thens: list[Callable[[str | None], None]] = []
        self._appended = self._flushed = 0
        self._fault: str | None = None
        self._work = threading.Event()
        self._writer = threading.Thread(target=self._write, name="oracle-log", daemon=True)
        self._writer.start()

    def append(self, event: Event, at: str) -> int:
        """Put an event into the chain; its place, to be committed.

        Raises:
            LogFaultError: an earlier line could not be written.
        """
        with self._order:
            self._check()
            line = LogLine(previous=self.head, at=at, event=event).model_dump_json().encode()
            self.head = hashlib.sha256(line).hexdigest()
            self._waiting.append(line + b"\n")
            self._appended += 1
            return self._appended

    def after(self, place: int, then: Callable[[str | None], None]) -> None:
        """Call a function when the event of a place, and all before it, are on disk.

        Args:
            place: as `append` gave it.
            then: called once, in the thread that writes, with None or what went wrong; it must
                neither wait nor raise.
        """
        with self._order:
            done, fault, first = self._flushed >= place, self._fault, False
            if not done and fault is None:
                self._thens.append(then)
                first = len(self._thens) == 1
        if done or fault is not None:
            then(None if done else fault)
        elif first:
            self._work.set()

    def commit(self, place: int) -> None:
        """Return when the event of a place, and all before it, are on disk.

        Raises:
            LogFaultError: they are not.
        """
        # A lock of its own for each that waits: they wake together and not one by another.
        gate = threading.Lock()
        gate.acquire()
        self.after(place, lambda _fault: gate.release())
        gate.acquire()
        if self._flushed < place:
            self._check()

    def close(self) -> None:
        """Let go of the file, all that was appended written; the log takes no more events."""
        with self._order:
            if self._fault is None:
                self._fault = "is closed"
        self._work.set()
        self._writer.join()
        self._held.release()

    def _write(self) -> None:
        while True:
            self._work.wait()
            self._work.clear()
            with self._order:
                data, upto, last = b"".join(self._waiting), self._appended, self._fault is not None
                thens, self._thens, self._waiting = self._thens, [], []
            fault = None
            try:
                _write(self._file, data)
            except OSError as error:
                fault = f"cannot be written: {error}"
            with self._order:
                if fault is None:
                    self._flushed = upto
                else:
                    # Whoever came meanwhile waits for nothing.
                    self._fault = fault
                    thens += self._thens
            for then in thens:
                then(fault)
            if last or fault is not None:
                break
        os.close(self._file)

    def _check(self) -> None:
        if self._fault is not None:
            raise LogFaultError(
                self._fault, path=str(self.path), fix="make room and start the Oracle again"
            )


def read_log(path: Path) -> tuple[list[tuple[int, LogLine]], str, int]:
    """The lines of a log with their numbers, the hash of the last, and the bytes they take.

    What stands behind the last line end was never answered, and is left out.

    Raises:
        IntegrityError: a line does not read, or does not follow on the one before.
        OSError: the file cannot be read.
    """
    found: list[tuple[int, LogLine]] = []
    head, whole = NO_LINE, 0
    for number, line in _lines(path):
        found.append((number, _read(path, number, line, head)))
        head = hashlib.sha256(line).hexdigest()
        whole += len(line) + 1
    return found, head, whole


def is_log(path: Path) -> bool:
    """Whether a file begins as a log does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(13) == b'{"previous":"'


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield number, line[:-1]


def _read(path: Path, number: int, line: bytes, head: str) -> LogLine:
    where = f"{path}:{number}"
    try:
        read = LogLine.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise IntegrityError(
            f"is no line of a log: {field} {first['msg']}",
            path=where,
            fix="restore the log from a backup",
        ) from error
    if read.previous != head:
        raise IntegrityError(
            "does not follow on the line before: previous is not its hash, so one of the two was"
            " changed, put in or taken out",
            path=where,
            fix="restore the log from a backup",
        )
    return read


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


__all__ = ("LOG", "LogFaultError", "OracleLog", "is_log", "read_log")
