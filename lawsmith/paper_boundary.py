"""The boundary around one paper: whatever its files or records provoke is a fault of it alone.

A paper, a feed and a server are written by others and can break any library in a way that nobody
foresaw. Where a stage or a gateway works on one paper it does so inside `paper_boundary`, and the
paper fails with the class and the place of the error, while the others go on.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lawsmith.errors import IntegrityError, LawsmithError, PrerequisiteError

_ROOT = Path(__file__).resolve().parents[1]
_LONGEST = 200
"""Characters of an error's own words that are kept; they may quote what a stranger wrote."""


class PaperFaultError(LawsmithError):
    """Something that nobody foresaw happened over one paper; it is worth another try."""


@contextmanager
def paper_boundary(paper_id: str, *own: type[Exception]) -> Iterator[None]:
    """Turn what is raised over one paper into a PaperFaultError.

    Args:
        paper_id: whose fault it is; it may be what somebody else wrote.
        own: errors that the caller tells apart itself; they pass through.

    Raises:
        PaperFaultError: anything but `own` and faults of the store or the set-up, which
            concern every paper.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, (*own, PrerequisiteError, IntegrityError, PaperFaultError)):
            raise
        raise PaperFaultError(
            fault_sentence(error), path=_printable(paper_id)[:_LONGEST], fix="it is tried again"
        ) from error


def fault_sentence(error: Exception) -> str:
    """`OSError in lawsmith/curation/packets/tex.py:231: [Errno 36] File name too long`.

    The place is the innermost line of this project that the error came through.
    """
    words = _printable(" ".join(str(error).split()))
    cut = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
    return f"{type(error).__name__}{_place(error)}{': ' if cut else ''}{cut}"


def _place(error: Exception) -> str:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_ROOT) and path.relative_to(_ROOT).parts[0] in {
            "lawsmith",
            "schemas",
        }:
            return f" in {path.relative_to(_ROOT).as_posix()}:{frame.lineno}"
    return ""


def _printable(text: str) -> str:
    """The text with lone surrogates and control characters written out."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


__all__ = ("PaperFaultError", "fault_sentence", "paper_boundary")
