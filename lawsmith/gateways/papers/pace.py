"""One request at a time and a pause between requests, across threads and processes."""

from collections.abc import Callable
from pathlib import Path

from filelock import FileLock


class Pace:
    """Lets a request go when enough time has passed since the last one of this store.

    Attributes:
        path: the file that holds when the last request went out.
        delay: seconds between two requests.
        clock: seconds since 1970 UTC.
    """

    def __init__(
        self,
        path: Path,
        delay: float,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        """Pace requests by a file that all processes share.

        Args:
            path: where the last time is kept; its lock lies beside it.
            delay: seconds between two requests.
            clock: seconds since 1970 UTC; processes must share it.
            sleep: waits some seconds.
        """
        self.path = path
        self.delay = delay
        self.clock = clock
        self._sleep = sleep

    def wait(self, *, at_least: float = 0.0) -> None:
        """Return when the next request may go out, and count it as sent now.

        The time is stamped before the request, so that failed tries are paced, too.

        Args:
            at_least: seconds to wait from now on in any case, as a server asked for.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.path.with_suffix(".lock")):
            now = self.clock()
            # A clock that was set back must not stop all requests until it has caught up.
            due = min(self._last() + self.delay, now + self.delay)
            pause = max(due - now, at_least)
            if pause > 0:
                self._sleep(pause)
            self.path.write_text(repr(max(self.clock(), now + pause)), encoding="ascii")

    def _last(self) -> float:
        try:
            return float(self.path.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            # Never written, or torn by a kill: as if the last request were long ago.
            return float("-inf")


__all__ = ("Pace",)
