"""PDFs read in a child process under a wall limit; the child lives on from file to file."""

import atexit
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from lawsmith.curation.packets.failure import PacketError
from schemas.source import ReasonCode

_WORKER = "lawsmith.curation.packets.pdf_worker"
RECYCLED_AFTER = 500
"""Files after which a child is replaced, so that nothing it leaks grows for ever."""
_LAST_WORDS = 5.0
"""Seconds that a child that broke off may take to end."""
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

    def read(self, path: Path, *, max_pages: int, seconds: float, max_bytes: int) -> dict[str, Any]:
        """The text of one PDF as PdfText data.

        Raises:
            PacketError: the reason that the child gives; EXTRACTION_TIMEOUT when it takes
                longer than `seconds`; EXTRACTION_MEMORY when the system kills it, as it does
                where memory runs out; CORRUPT when it dies over the file in another way.
        """
        request = {
            "path": str(path),
            "max_pages": max_pages,
            "max_bytes": max_bytes,
            "seconds": seconds,
        }
        with self._lock:
            process = self._running()
            self._files += 1
            answer = self._ask(process, json.dumps(request).encode() + b"\n", seconds, path.name)
        found: dict[str, Any] = json.loads(answer)
        if "code" in found:
            code = ReasonCode(found["code"])
            raise PacketError(code, found["problem"], path=path.name, fix=found["fix"])
        text: dict[str, Any] = found["text"]
        return text

    def close(self) -> None:
        """End the child process, if it runs and is ours."""
        process, self._process = self._process, None
        if process is None or os.getpid() != self._owner:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
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
            self._files = 0
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
                # An interrupt is for the parent, which decides what becomes of the file at hand.
                start_new_session=True,
            )
        return self._process

    def _ask(
        self, process: "subprocess.Popen[bytes]", request: bytes, seconds: float, name: str
    ) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        answer = b""
        try:
            process.stdin.write(request)
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
            raise self._death(process, seconds, name) from error
        return answer

    def _death(self, process: "subprocess.Popen[bytes]", seconds: float, name: str) -> PacketError:
        """Why the process ended over a file, as far as the way it ended tells."""
        try:
            ended = process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            # It closed its output and lives on: nothing is known but that it gave no answer.
            ended = 0
        self.close()
        if ended == -signal.SIGKILL:
            problem = "the reader was killed over the file, as happens when memory runs out"
            return PacketError(ReasonCode.EXTRACTION_MEMORY, problem, path=name)
        if ended == -signal.SIGXCPU:
            problem = f"reading took more processor time than {seconds:g} s allow"
            return PacketError(ReasonCode.EXTRACTION_TIMEOUT, problem, path=name)
        return PacketError(ReasonCode.CORRUPT, "the reader died over the file", path=name)


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
