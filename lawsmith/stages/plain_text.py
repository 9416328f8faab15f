"""Text of papers and models made inert before it is shown: it is data, never a command.

A terminal acts on control characters and a browser on Markdown and HTML; both are written so
that the reader sees the characters themselves.
"""

import re
import unicodedata

_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BACKTICKS = re.compile(r"`+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!<>&$~|])")


def inert(text: str, keep: str = "") -> str:
    """The text with everything that could steer a terminal made visible.

    Escape sequences, other control characters, marks that turn the direction of writing and
    invisible characters are shown by their code; tabs and line breaks become spaces.

    Args:
        text: what is to be shown.
        keep: characters left as they are, such as a line feed.
    """
    return "".join(
        char
        if char in keep or unicodedata.category(char) not in _STEERING
        else (" " if char in "\t\n\r" else f"\\u{{{ord(char):x}}}")
        for char in text
    )


def markdown_text(text: str) -> str:
    """The text as Markdown that shows its characters: no link, picture, tag or table cell."""
    return _MARKDOWN.sub(r"\\\1", inert(text))


def markdown_code(text: str) -> str:
    """The text as a code span for a cell of a Markdown table; not even an address is a link."""
    plain = inert(text).strip() or " "
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(plain)), default=0) + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}".replace("|", "\\|")


__all__ = ("inert", "markdown_code", "markdown_text")
