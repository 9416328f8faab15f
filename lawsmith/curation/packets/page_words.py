"""Words and letters of a page, counted at the speed of bytes.

Quality is counted on every page of every paper. A pass of Python or of a pattern over each
character costs as much as reading the page does; these passes run over bytes instead, and only
what is not ASCII, a small part of a page, is looked at one character at a time.
"""

from dataclasses import dataclass

_UPPER = bytes(range(65, 91))
_LETTERS = _UPPER + bytes(range(97, 123))
_DIGITS = bytes(range(48, 58))
_ASCII = bytes(range(128))
_WORDS_ONLY = bytes(code if code in _LETTERS or code > 127 else 32 for code in range(256))


@dataclass(frozen=True)
class PageWords:
    """What a text is made of.

    Attributes:
        words: runs of letters, in order.
        alphanumeric: letters and digits.
        letters: letters; digits that are no decimal ones (², ½) count as well.
        upper: of them in upper case.
    """

    words: list[str]
    alphanumeric: int
    letters: int
    upper: int


def page_words(text: str) -> PageWords:
    """The words of a text and what it is made of."""
    plain = text.encode("utf-8", "surrogatepass")
    foreign = plain.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    alphanumeric = _count(plain, _LETTERS + _DIGITS)
    letters, upper = _count(plain, _LETTERS), _count(plain, _UPPER)
    for char in foreign:
        alphanumeric += char.isalnum()
        letters += _is_letter(char)
        upper += char.isupper() and _is_letter(char)
    for char in set(foreign):
        if not _is_letter(char):
            plain = plain.replace(char.encode("utf-8", "surrogatepass"), b" ")
    words = plain.translate(_WORDS_ONLY).decode("utf-8").split(" ")
    return PageWords(list(filter(None, words)), alphanumeric, letters, upper)


def _count(plain: bytes, wanted: bytes) -> int:
    return len(plain) - len(plain.translate(None, wanted))


def _is_letter(char: str) -> bool:
    return char.isalnum() and not char.isdecimal()


__all__ = ("PageWords", "page_words")
