"""Characters that a PDF gives and a packet does not keep: mapped by table, or flagged.

Ligatures become letters before lines are numbered. NFKC is not used, since it would turn a
raised 2 into a plain one. What no table knows becomes U+FFFD and is counted.
"""

import unicodedata
from functools import cache

from lawsmith.curation.evidence import LIGATURES

REPLACEMENT = "\ufffd"

_BLANK = dict.fromkeys("\t\r\x0b\x0c\x85\u2028\u2029", " ")

# Codes of TeX's extension font: tall brackets and big operators that have no Unicode map. Code
# 0x20, the tallest parenthesis, is left out: extractors put spaces of their own into any font.
_CMEX = {
    **dict.fromkeys("\x00\x10\x12", "("),
    **dict.fromkeys("\x01\x11\x13\x21", ")"),
    **dict.fromkeys("\x02\x14\x22\x68", "["),
    **dict.fromkeys("\x03\x15\x23\x69", "]"),
    **dict.fromkeys("\x04\x16\x24\x6a", "⌊"),
    **dict.fromkeys("\x05\x17\x25\x6b", "⌋"),
    **dict.fromkeys("\x06\x18\x26\x6c", "⌈"),
    **dict.fromkeys("\x07\x19\x27\x6d", "⌉"),
    **dict.fromkeys("\x08\x1a\x28\x6e", "{"),
    **dict.fromkeys("\x09\x1b\x29\x6f", "}"),
    **dict.fromkeys("\x0a\x1c\x2a\x44", "⟨"),
    **dict.fromkeys("\x0b\x1d\x2b\x45", "⟩"),
    **dict.fromkeys("\x0c\x0d", "|"),
    **dict.fromkeys("\x0e\x1e\x2c\x2e", "/"),
    **dict.fromkeys("PX", "∑"),
    **dict.fromkeys("QY", "∏"),
    **dict.fromkeys("RZ", "∫"),
    **dict.fromkeys("pqrst", "√"),
}
# Codes of TeX's symbol font.
_CMSY = {"\x00": "−", "\x01": "·", "\x02": "×", "\x06": "±", "\x14": "≤", "\x15": "≥", "\x18": "∼"}

# Private-use pieces of tall brackets (Adobe's Symbol encoding): the top piece stands for all.
_PIECES = {
    "\uf8eb": "(",
    "\uf8ee": "[",
    "\uf8f1": "{",
    "\uf8f6": ")",
    "\uf8f9": "]",
    "\uf8fc": "}",
    **dict.fromkeys(
        "\uf8ec\uf8ed\uf8ef\uf8f0\uf8f2\uf8f3\uf8f4\uf8f7\uf8f8\uf8fa\uf8fb\uf8fd\uf8fe", ""
    ),
}
_BY_FONT = (("CMEX", _CMEX), ("CMSY", _CMSY))


def clean(text: str, font: str = "") -> tuple[str, int]:
    """The text with every character mapped or flagged, and how many were flagged.

    Args:
        text: characters as the extractor gives them, without line feeds.
        font: name of the font; TeX's own fonts have tables of their own.
    """
    table, plain = _table(font)
    if plain and text.isascii() and text.isprintable():
        return text, 0
    mapped = text.translate(table)
    if mapped.isprintable() and REPLACEMENT not in mapped:
        return mapped, 0
    flagged = [REPLACEMENT if _unusable(char) else char for char in mapped]
    return "".join(flagged), flagged.count(REPLACEMENT)


@cache
def _table(font: str) -> tuple[dict[int, str], bool]:
    """The table of a font, and whether printable ASCII stands for itself in it."""
    table = {**_BLANK, **LIGATURES, **_PIECES}
    extras = [extra for name, extra in _BY_FONT if name in font.upper()]
    for extra in extras:
        table.update(extra)
    return str.maketrans(table), not extras


def _unusable(char: str) -> bool:
    # Cc control, Co private use, Cs lone surrogate, Cn not a character.
    return char == REPLACEMENT or unicodedata.category(char) in {"Cc", "Co", "Cs", "Cn"}


__all__ = ("REPLACEMENT", "clean")
