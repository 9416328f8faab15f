"""HTTP to arXiv and Crossref: paced, with time limits, few retries, and a contact named."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from lawsmith.errors import LawsmithError, PrerequisiteError
from lawsmith.gateways.papers.pace import Pace
from lawsmith.paper_boundary import fault_sentence

MAX_TRIES = 4
BACKOFF = 5.0
"""Seconds before the second try; doubled for each further one."""
MAX_PAUSE = 600.0
"""Longest pause that a server may ask for; beyond it the run ends and says so."""
MAX_HOPS = 5
"""Redirections followed, each one in its own turn."""
_AGAIN = frozenset({429, 500, 502, 503, 504})
_MOVED = frozenset({301, 302, 303, 307, 308})
_WHOLE, _PART, _NO_SUCH_PART = 200, 206, 416
_CHUNK = 1 << 16
_LENGTH = re.compile(r"[0-9]{1,18}")
"""A number in a header; other digits than these, or more of them, state nothing."""
_Found = TypeVar("_Found")


class DownloadError(PrerequisiteError):
    """One address gave no usable answer."""


class RefusedError(DownloadError):
    """The server said for good that it has no such thing: a 4xx other than 429.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, status: int, url: str) -> None:
        self.status = status
        super().__init__(f"HTTP {status}", path=url)


class _TryAgainError(Exception):
    """A fault that may pass; `pause` is what the server asked for, in seconds."""

    def __init__(self, fault: str, pause: float = 0.0) -> None:
        self.pause = pause
        super().__init__(fault)


_PASSING = (_TryAgainError, requests.RequestException, urllib3.exceptions.HTTPError)


class PoliteSession(requests.Session):
    """A session whose every request waits for its turn."""

    def __init__(
        self,
        pace: Pace,
        *,
        contact: str,
        timeouts: tuple[float, float],
        max_bytes: int,
        max_seconds: float = 900.0,
    ) -> None:
        """Make a session.

        Args:
            pace: the turn of each request, and the clock.
            contact: e-mail address for the User-Agent.
            timeouts: seconds to connect and between two reads.
            max_bytes: longest body taken.
            max_seconds: longest time that one body may take, however it trickles.
        """
        super().__init__()
        self.headers["User-Agent"] = f"lawsmith/{version('lawsmith')} (mailto:{contact})"
        # A packed transfer would hide the size, and an archive could be unpacked on the way.
        self.headers["Accept-Encoding"] = "identity"
        self._pace = pace
        self._timeouts = timeouts
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds

    def fetch(self, url: str, check: Callable[[bytes], str | None] = lambda _body: None) -> bytes:
        """The body of an address, in memory.

        Args:
            url: the address.
            check: says what is wrong with a body, None if nothing; faults are tried again.

        Raises:
            DownloadError: none after a few tries, or too long.
            RefusedError: the server has no such thing.
        """

        def once() -> bytes:
            with self._opened(url, {}) as answer:
                body = b"".join(self._pieces(answer, url))
            wrong = check(body)
            if wrong is not None:
                raise _TryAgainError(wrong)
            return body

        return self._tried(url, once)

    def save(self, url: str, path: Path, check: Callable[[Path], str | None]) -> None:
        """Put the body of an address into a file that appears by one rename.

        What came before a break stays beside it as `.part` and is continued by the next try or
        run, if the server named the state that it is a part of (an ETag) and still has that.

        Args:
            url: the address.
            path: the file.
            check: says what is wrong with the whole file, None if nothing.

        Raises:
            DownloadError: none after a few tries, or too long.
            RefusedError: the server has no such thing.
        """
        part = path.with_name(f"{path.name}.part")
        tag = path.with_name(f"{path.name}.etag")

        def once() -> None:
            self._continue(url, part, tag)
            wrong = check(part)
            if wrong is not None:
                part.unlink()
                raise _TryAgainError(wrong)
            part.replace(path)
            tag.unlink(missing_ok=True)

        self._tried(url, once)

    def _continue(self, url: str, part: Path, tag: Path) -> None:
        """Write the body, or the rest of it, to `part`."""
        held = part.stat().st_size if part.exists() and tag.exists() else 0
        asked = {}
        if held:
            asked = {"Range": f"bytes={held}-", "If-Range": tag.read_text(encoding="ascii")}
        with self._opened(url, asked) as answer:
            size = _size_of_whole(answer, held)
            if answer.status_code == _NO_SUCH_PART or size is None:
                part.unlink(missing_ok=True)
                raise _TryAgainError(f"the server has no bytes from {held} on")
            goes_on = answer.status_code == _PART
            _note_state(answer, tag)
            try:
                with part.open("ab" if goes_on else "wb") as stream:
                    for piece in self._pieces(answer, url, taken=held if goes_on else 0):
                        stream.write(piece)
            except DownloadError:
                part.unlink()
                raise
        if size >= 0 and part.stat().st_size != size:
            found = part.stat().st_size
            part.unlink()
            raise _TryAgainError(f"{found} of {size} bytes came")

    def _tried(self, url: str, once: Callable[[], _Found]) -> _Found:
        pause, fault = 0.0, ""
        for number in range(MAX_TRIES):
            self._pace.wait(at_least=pause)
            try:
                return once()
            except _PASSING as error:
                fault = _said(error)
                pause = max(BACKOFF * 2**number, getattr(error, "pause", 0.0))
            except LawsmithError:
                raise
            except Exception as error:
                # What a stranger's server sends can break any reader; it is no answer.
                raise DownloadError(
                    f"no usable answer: {fault_sentence(error)}", path=url
                ) from error
        raise DownloadError(
            f"no usable answer in {MAX_TRIES} tries: {fault}",
            path=url,
            fix="run the same command again later; what is done stays",
        )

    @contextmanager
    def _opened(self, url: str, headers: Mapping[str, str]) -> Iterator[requests.Response]:
        """An answer whose body is still to be read; redirections take a turn each."""
        address = url
        for hop in range(MAX_HOPS + 1):
            if hop:
                self._pace.wait()
            # A proxy of the environment is no way to a server on this machine.
            self.trust_env = urlsplit(address).hostname not in {"127.0.0.1", "localhost"}
            answer = self.get(
                address,
                headers=dict(headers),
                timeout=self._timeouts,
                stream=True,
                allow_redirects=False,
            )
            with answer:
                if answer.status_code not in _MOVED:
                    self._judge(answer, address)
                    yield answer
                    return
                address = _next_address(address, answer)
        raise DownloadError(f"more than {MAX_HOPS} redirections", path=url)

    def _judge(self, answer: requests.Response, url: str) -> None:
        code = answer.status_code
        if code in _AGAIN:
            raise _TryAgainError(f"HTTP {code}", _asked_pause(answer, url, self._pace.clock()))
        if code not in {_WHOLE, _PART, _NO_SUCH_PART}:
            raise RefusedError(code, url)

    def _pieces(self, answer: requests.Response, url: str, taken: int = 0) -> Iterator[bytes]:
        """The body as it comes, under the limits of size and time; a cut body is an error."""
        start = self._pace.clock()
        while piece := answer.raw.read1(_CHUNK, decode_content=True):
            taken += len(piece)
            if taken > self._max_bytes:
                raise DownloadError(f"longer than {self._max_bytes} bytes", path=url)
            if self._pace.clock() - start > self._max_seconds:
                raise _TryAgainError(f"the answer took longer than {self._max_seconds:g} s")
            yield piece


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, _TryAgainError) else f"{type(error).__name__}: {error}"


def _next_address(address: str, answer: requests.Response) -> str:
    stated = answer.headers.get("Location", "")
    allowed = {"http", "https"} if urlsplit(address).scheme == "http" else {"https"}
    refused = DownloadError(f"redirected to {stated[:200]!r}", path=address)
    try:
        target = urljoin(address, stated)
        if urlsplit(target).scheme not in allowed:
            raise refused
    except ValueError as error:
        raise refused from error
    return target


def _size_of_whole(answer: requests.Response, held: int) -> int | None:
    """Bytes that the whole file must have; -1 if not said, None if another part came."""
    if answer.status_code == _PART:
        said = answer.headers.get("Content-Range", "")
        span, _, whole = said.removeprefix("bytes ").partition("/")
        if span.partition("-")[0] != str(held):
            return None
        return int(whole) if _LENGTH.fullmatch(whole) else -1
    length = answer.headers.get("Content-Length", "")
    packed = "Content-Encoding" in answer.headers
    return int(length) if _LENGTH.fullmatch(length) and not packed else -1


def _note_state(answer: requests.Response, tag: Path) -> None:
    """Keep the name of the state that is being sent; a weak one does not stand for bytes."""
    etag = answer.headers.get("ETag", "")
    if etag.startswith('"') and etag.isascii() and "Content-Encoding" not in answer.headers:
        tag.write_text(etag, encoding="ascii")
    else:
        tag.unlink(missing_ok=True)


def _asked_pause(answer: requests.Response, url: str, now: float) -> float:
    """Seconds that Retry-After asks for, as a number or a date; nothing readable is none."""
    asked = answer.headers.get("Retry-After", "").strip()
    seconds = 0.0
    if _LENGTH.fullmatch(asked):
        seconds = float(asked)
    elif asked:
        try:
            moment = parsedate_to_datetime(asked)
            aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            seconds = max(0.0, aware.timestamp() - now)
        except (ValueError, OverflowError):
            return 0.0
    if seconds > MAX_PAUSE:
        raise DownloadError(
            f"the server asks to wait {seconds:g} s", path=url, fix="run again after that time"
        )
    return seconds


__all__ = ("DownloadError", "PoliteSession", "RefusedError")
