"""HTTP to arXiv: paced, with time limits, few retries, and a contact in the User-Agent."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

import requests

from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.pace import Pace

MAX_TRIES = 4
BACKOFF = 5.0
"""Seconds before the second try; doubled for each further one."""
MAX_PAUSE = 600.0
"""Longest pause that a server may ask for; beyond it the run ends and says so."""
_AGAIN = frozenset({429, 500, 502, 503, 504})
_CHUNK = 1 << 16


class DownloadError(PrerequisiteError):
    """One address gave no usable answer."""


class PoliteSession(requests.Session):
    """A session whose every request waits for its turn.

    Attributes:
        check: says what is wrong with a body, None if nothing; faults are tried again.
    """

    def __init__(
        self,
        pace: Pace,
        *,
        contact: str,
        timeouts: tuple[float, float],
        max_bytes: int,
        check: Callable[[bytes], str | None] = lambda _body: None,
    ) -> None:
        """Make a session.

        Args:
            pace: the turn of each request.
            contact: e-mail address for the User-Agent.
            timeouts: seconds to connect and between two reads.
            max_bytes: longest body taken.
            check: judges bodies of `get`.
        """
        super().__init__()
        self.headers["User-Agent"] = f"lawsmith/{version('lawsmith')} (mailto:{contact})"
        self.check = check
        self._pace = pace
        self._timeouts = timeouts
        self._max_bytes = max_bytes

    def get(self, url: str | bytes, **_options: Any) -> requests.Response:
        """The checked answer of an address; headers and options of callers are left aside.

        Raises:
            DownloadError: no such answer after a few tries, or at once for other 4xx.
        """
        address = url.decode() if isinstance(url, bytes) else url
        return self._fetch(address, self.check)

    def download(self, url: str) -> bytes:
        """The body of an address.

        Raises:
            DownloadError: none after a few tries, too long, or refused.
        """
        return self._fetch(url, lambda _body: None).content

    def _fetch(self, url: str, check: Callable[[bytes], str | None]) -> requests.Response:
        pause = 0.0
        fault = ""
        for number in range(MAX_TRIES):
            self._pace.wait(at_least=pause)
            pause = BACKOFF * 2**number
            try:
                answer = self._once(url)
            except (requests.ConnectionError, requests.Timeout) as error:
                fault = f"{type(error).__name__}: {error}"
                continue
            if answer.status_code in _AGAIN:
                fault = f"HTTP {answer.status_code}"
                pause = max(pause, _asked_pause(answer, url))
                continue
            if answer.status_code != requests.codes.ok:
                raise DownloadError(f"HTTP {answer.status_code}", path=url)
            wrong = check(answer.content)
            if wrong is None:
                return answer
            fault = wrong
        raise DownloadError(
            f"no usable answer in {MAX_TRIES} tries: {fault}",
            path=url,
            fix="run the same command again later; what is done stays",
        )

    def _once(self, url: str) -> requests.Response:
        """One request with its whole body, read under the size limit."""
        # A proxy of the environment is no way to a server on this machine.
        self.trust_env = urlsplit(url).hostname not in {"127.0.0.1", "localhost"}
        answer = super().get(url, timeout=self._timeouts, stream=True)
        with answer:
            body = bytearray()
            for piece in answer.iter_content(_CHUNK):
                body += piece
                if len(body) > self._max_bytes:
                    raise DownloadError(f"longer than {self._max_bytes} bytes", path=url)
        answer._content = bytes(body)
        return answer


def _asked_pause(answer: requests.Response, url: str) -> float:
    """Seconds that Retry-After asks for; a date or nothing counts as none."""
    asked = answer.headers.get("Retry-After", "")
    seconds = float(asked) if asked.isdigit() else 0.0
    if seconds > MAX_PAUSE:
        raise DownloadError(
            f"the server asks to wait {seconds:g} s", path=url, fix="run again after that time"
        )
    return seconds


__all__ = ("DownloadError", "PoliteSession")
