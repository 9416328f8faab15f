"""A second opinion on doubted pages: whether another library reads the same numbers.

It never decides the text. The work is bounded by counts, so that a packet's figures do not
hang on the speed of the machine; the wall limit is a guard, and its firing is a figure too.
"""

import re
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from pypdf import PdfReader
from pypdf.errors import PyPdfError

MAX_PAGES = 5
"""Doubted pages that are asked about, the first ones."""
MAX_CONTENT = 60_000
"""Bytes of drawing commands of a page above which it is not asked about."""
SECONDS = 2.0
"""Wall limit of the whole document."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FAULTS = (
    PyPdfError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What the library raises over files that are not as it expects."""


class _OutOfTimeError(Exception):
    """The wall limit fired."""


@dataclass
class SecondOpinion:
    """What another library says.

    Attributes:
        agreement: page -> share of the page's numbers that it reads as well.
        failed: pages that it could not read, or that are too heavy for it.
        stopped: whether the wall limit fired.
    """

    agreement: dict[int, float] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    stopped: bool = False


def second_opinion(path: Path, pages: Sequence[tuple[int, str]]) -> SecondOpinion:
    """Ask about pages.

    Must run on the main thread of a process that uses no alarm of its own.

    Args:
        path: the PDF.
        pages: (1-based page, its text as it was read first).
    """
    found = SecondOpinion()
    if not pages:
        return found
    try:
        with _limit(SECONDS):
            _compare(path, pages[:MAX_PAGES], found)
    except _OutOfTimeError:
        found.stopped = True
    except _FAULTS:
        asked = {page for page, _ in pages[:MAX_PAGES]}
        found.failed = sorted(asked - set(found.agreement))
    return found


def _compare(path: Path, pages: Sequence[tuple[int, str]], found: SecondOpinion) -> None:
    reader = PdfReader(path)
    for number, text in pages:
        page = reader.pages[number - 1]
        content = page.get_contents()
        if content is None or len(content.get_data()) > MAX_CONTENT:
            found.failed.append(number)
            continue
        found.agreement[number] = agreement(text, page.extract_text())


def agreement(first: str, second: str) -> float:
    """Share of the numbers of the first text that the second holds as often; 1 without any."""
    wanted, there = (Counter(_NUMBER.findall(text)) for text in (first, second))
    if not wanted:
        return 1.0
    return sum((wanted & there).values()) / sum(wanted.values())


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def fire(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, fire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


__all__ = ("SecondOpinion", "agreement", "second_opinion")
