"""Text of papers and models made inert before it is shown: it is data, never a command.

A terminal acts on control characters and a browser on Markdown and HTML; both are written so
that the reader sees the characters themselves.
"""

import re

from lawsmith.curation.evidence import inert

_BACKTICKS = re.compile(r"`+")
_BREAKS = re.compile(r"[\t\n]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!<>&$~|])")


def one_line(text: str) -> str:
    """The text with hidden characters written out, and tabs and line ends as spaces."""
    return _BREAKS.sub(" ", inert(text))


def markdown_text(text: str) -> str:
    """The text as Markdown that shows its characters: no link, picture, tag or table cell."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def markdown_code(text: str) -> str:
    """The text as a code span for a cell of a Markdown table; not even an address is a link."""
    plain = one_line(text).strip() or " "
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(plain)), default=0) + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}".replace("|", "\\|")


__all__ = ("markdown_code", "markdown_text", "one_line")
