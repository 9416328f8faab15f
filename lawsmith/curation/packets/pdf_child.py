"""PDFs read in a child process under a wall limit; the child lives on from file to file."""

import atexit
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from lawsmith.curation.packets.failure import PacketError
from schemas.source import ReasonCode

_WORKER = "lawsmith.curation.packets.pdf_worker"
RECYCLED_AFTER = 500
"""Files after which a child is replaced, so that nothing it leaks grows for ever."""
_LAST_WORDS = 5.0
"""Seconds that a child that broke off may take to end."""
_LONGEST_WORDS = 1_000_000
"""Bytes of its standard error that are looked at."""
_CHECKOUT = Path(__file__).resolve().parents[3]


class PdfChild:
    """Asks one child process at a time, and starts another when it had to be ended."""

    def __init__(self, command: list[str] | None = None) -> None:
        """Make ready; the process starts with the first file.

        Args:
            command: what to run; None: the worker of this package.
        """
        self._command = command or [sys.executable, "-m", _WORKER]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._files = 0
        self._answered = 0
        self._words: IO[bytes] | None = None

    def read(self, path: Path, *, max_pages: int, seconds: float, max_bytes: int) -> dict[str, Any]:
        """The text of one PDF as PdfText data.

        Raises:
            PacketError: the reason that the child gives; EXTRACTION_TIMEOUT when it takes
                longer than `seconds`; EXTRACTION_MEMORY, to be tried again, when the system
                kills it, as it does where memory runs out; CORRUPT when it dies over the file
                in another way; READER_UNAVAILABLE when it dies over every file.
        """
        request = {
            "path": str(path),
            "max_pages": max_pages,
            "max_bytes": max_bytes,
            "seconds": seconds,
        }
        with self._lock:
            answer = self._ask(self._running(), request, seconds, path.name)
        found: dict[str, Any] = json.loads(answer)
        if "code" in found:
            code = ReasonCode(found["code"])
            raise PacketError(code, found["problem"], path=path.name, fix=found["fix"])
        text: dict[str, Any] = found["text"]
        return text

    def close(self) -> None:
        """End the child process, if it runs and is ours."""
        process, self._process = self._process, None
        if self._words is not None:
            self._words.close()
            self._words = None
        if process is None or os.getpid() != self._owner:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # A request that a dead child never took is lost with it.
                with suppress(BrokenPipeError):
                    pipe.close()
        process.wait()

    def _running(self) -> "subprocess.Popen[bytes]":
        if os.getpid() != self._owner:
            # After a fork the pipes belong to the parent.
            self._process, self._owner = None, os.getpid()
        worn = self._files >= RECYCLED_AFTER
        if self._process is None or worn or self._process.poll() is not None:
            self.close()
            path = os.pathsep.join(filter(None, [str(_CHECKOUT), os.environ.get("PYTHONPATH")]))
            self._files = self._answered = 0
            self._words = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the child
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._words,
                    env={**os.environ, "PYTHONPATH": path},
                    # An interrupt is for the parent, which decides what becomes of the file.
                    start_new_session=True,
                )
            except OSError as error:
                self.close()
                raise _unavailable(f"it cannot be started: {error}") from error
        return self._process

    def _ask(
        self,
        process: "subprocess.Popen[bytes]",
        request: dict[str, object],
        seconds: float,
        name: str,
        *,
        probing: bool = False,
    ) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        self._files += 1
        if self._words is not None:
            # Only what the child says of this file counts; both sides share the place in it.
            self._words.seek(0)
            self._words.truncate()
        answer = b""
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            with selectors.DefaultSelector() as ready:
                ready.register(process.stdout, selectors.EVENT_READ)
                while not answer.endswith(b"\n"):
                    if not ready.select(seconds):
                        self.close()
                        raise PacketError(
                            ReasonCode.EXTRACTION_TIMEOUT,
                            f"reading took longer than {seconds:g} s",
                            path=name,
                        )
                    piece = os.read(process.stdout.fileno(), 1 << 20)
                    if not piece:
                        raise BrokenPipeError
                    answer += piece
        except BrokenPipeError as error:
            raise self._death(process, seconds, name, probing=probing) from error
        self._answered += 1
        return answer

    def _death(
        self, process: "subprocess.Popen[bytes]", seconds: float, name: str, *, probing: bool
    ) -> PacketError:
        """Why the process ended over a file, as far as the way it ended tells."""
        try:
            ended = process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            # It closed its output and lives on: nothing is known but that it gave no answer.
            ended = 0
        said, first = self._last_words(), self._answered == 0
        self.close()
        if ended == -signal.SIGKILL:
            problem = "the system killed the reader over the file, as it does where memory runs out"
            return PacketError(ReasonCode.EXTRACTION_MEMORY, problem, path=name, passing=True)
        if ended == -signal.SIGXCPU:
            problem = f"reading took more processor time than {seconds:g} s allow"
            return PacketError(ReasonCode.EXTRACTION_TIMEOUT, problem, path=name)
        if probing or (first and not self._answers_a_probe(seconds)):
            return _unavailable(said or f"it ended with status {ended} before it read any file")
        return PacketError(ReasonCode.CORRUPT, "the reader died over the file", path=name)

    def _answers_a_probe(self, seconds: float) -> bool:
        """Whether a new child answers at all, so that it was the file that ended the last one."""
        try:
            self._ask(self._running(), {"probe": True}, seconds, "probe", probing=True)
        except PacketError:
            return False
        return True

    def _last_words(self) -> str:
        """The last line that the child wrote to standard error, as Python names an error."""
        if self._words is None:
            return ""
        self._words.seek(0)
        lines = self._words.read(_LONGEST_WORDS).decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")[:200]


def _unavailable(why: str) -> PacketError:
    return PacketError(
        ReasonCode.READER_UNAVAILABLE,
        f"the reader of PDFs does not run here: {why}",
        path="reader",
        fix="install Lawsmith with the extra `curation`, then run the same command again",
    )


class PdfChildren:
    """As many children as there are threads that read at the same moment, kept for later ones."""

    def __init__(self) -> None:
        """Make ready; children start with the first files."""
        self._idle: list[PdfChild] = []

    def read(self, path: Path, *, max_pages: int, seconds: float, max_bytes: int) -> dict[str, Any]:
        """The text of one PDF as PdfText data, read by a child that is free.

        Raises:
            PacketError: as PdfChild.read.
        """
        # Taking and giving back are single steps of a list, safe between threads.
        try:
            child = self._idle.pop()
        except IndexError:
            child = PdfChild()
        try:
            return child.read(path, max_pages=max_pages, seconds=seconds, max_bytes=max_bytes)
        finally:
            self._idle.append(child)

    def close(self) -> None:
        """End the children that are free."""
        while self._idle:
            self._idle.pop().close()


SHARED = PdfChildren()
"""The children of this process; the start of one costs more than most papers."""
atexit.register(SHARED.close)

__all__ = ("SHARED", "PdfChild", "PdfChildren")
