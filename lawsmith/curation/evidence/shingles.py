"""Shared runs of words between a text and a packet: the measure of copying."""

import re
from typing import Final

SHINGLE: Final = 8
"""Consecutive words that count as copied."""
_LEAST_REAL_WORDS: Final = 5
_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")


def shared_shingle(text: str, source: str, length: int = SHINGLE) -> str | None:
    """The first run of `length` words of a text that also stands in the source, None if none.

    Case, punctuation and line ends do not count. A run with fewer than five words of three
    letters or more is a list of numbers and units, which nobody owns, and is passed over.
    """
    words = _words(text)
    if len(words) < length:
        return None
    theirs = _words(source)
    runs = {tuple(theirs[i : i + length]) for i in range(len(theirs) - length + 1)}
    for i in range(len(words) - length + 1):
        run = tuple(words[i : i + length])
        real = sum(1 for word in run if len(word) >= 3 and word.isalpha())
        if run in runs and real >= _LEAST_REAL_WORDS:
            return " ".join(run)
    return None


def _words(text: str) -> list[str]:
    joined = re.sub(r"(?<=\w)-\n(?=\w)", "", text)
    return [match[0].lower() for match in _WORD.finditer(joined)]


__all__ = ("SHINGLE", "shared_shingle")
