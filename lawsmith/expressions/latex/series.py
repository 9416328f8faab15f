r"""Finite sums and products of LaTeX, `\sum_{n=0}^{4} c_n x^n`: their bounds and indices.

The terms are read from the same tokens, once for each value of the index; `Stream.bound` holds
the value, subscripts look it up there, and factors and exponents become numbers.
"""

from collections.abc import Iterator
from typing import Final, NoReturn

from lawsmith.expressions.latex.names import Names
from lawsmith.expressions.latex.symbols import FONTS, SWITCHES, VECTORS
from lawsmith.expressions.latex.tokens import Stream, Token
from schemas.expression import Expression, Op

MAX_TERMS: Final = 64
_MAX_DIGITS: Final = 6
_LARGEST: Final = 2**53


class Indices:
    """The indices of the sums of one text, and where each of them counts."""

    def __init__(self) -> None:
        self._extents: dict[int, tuple[str, int]] = {}

    def note(self, start: int, letter: str, end: int) -> None:
        """A sum with an index stands at these positions of the text."""
        self._extents[start] = (letter, end)

    def check(self, stream: Stream, names: Names | None) -> None:
        """Refuses a text in which the index of a sum is also a symbol outside of it.

        Raises:
            LatexError: it is; font text and declared words of several letters do not count.
        """
        if not self._extents:
            return
        for token, word in _letters_outside_text(stream):
            declared = names is not None and len(word) > 1 and names.find(word, word)
            scopes = [
                (start, end)
                for start, (letter, end) in self._extents.items()
                if letter == token.text
            ]
            inside = any(start <= token.position < end for start, end in scopes)
            if scopes and not inside and not declared:
                stream.fail(
                    "ambiguous", f"{token.text!r} is also the index of a sum in this text",
                    at=token, fix="put the sum in brackets, or use another letter",
                )  # fmt: skip


def read_bounds(stream: Stream, sign: Token) -> tuple[str, range]:
    """The index and its values, from the scripts of the sign in either order."""
    letter, lower, upper = "", None, None
    while stream.sees("_", "^"):
        script = stream.take()
        braced = stream.sees("{")
        close = stream.closing(stream.index) if braced else stream.index + 1
        inside = stream.tokens[stream.index + braced : close]
        stream.index = (close or stream.index) + braced
        if script.text == "^" and upper is None:
            upper = _integer(stream, inside, sign, braced=braced)
        elif script.text == "_" and lower is None and len(inside) > 2 and inside[1].text == "=":
            letter = inside[0].text if inside[0].kind == "letter" else ""
            lower = _integer(stream, inside[2:], sign, braced=braced)
        else:
            _no_bounds(stream, sign)
    if not letter or lower is None or upper is None:
        return _no_bounds(stream, sign)
    if letter in ("e", "d") or letter in stream.bound:
        stream.fail("ambiguous", f"the index {letter!r} has another meaning here", at=sign)
    if upper < lower:
        stream.fail("sum", f"no term: the bounds are {lower} and {upper}", at=sign)
    if upper - lower >= MAX_TERMS:
        terms = upper - lower + 1
        stream.fail("limit", f"{terms} terms; at most {MAX_TERMS} are read", at=sign)
    return letter, range(lower, upper + 1)


def _integer(stream: Stream, tokens: list[Token], sign: Token, *, braced: bool) -> int:
    negative = bool(tokens) and tokens[0].text == "-"
    digits = tokens[negative or (bool(tokens) and tokens[0].text == "+") :]
    if len(digits) != 1 or not digits[0].text.isdigit():
        return _no_bounds(stream, sign)
    text = digits[0].text
    if not braced and len(text) > 1:
        stream.fail("ambiguous", "several digits need braces here", at=digits[0])
    if len(text) > _MAX_DIGITS:
        stream.fail("limit", f"a bound of more than {_MAX_DIGITS} digits", at=digits[0])
    return -int(text) if negative else int(text)


def _no_bounds(stream: Stream, sign: Token) -> NoReturn:
    stream.fail("sum", "a sum or product without literal bounds", at=sign)


def _letters_outside_text(stream: Stream) -> Iterator[tuple[Token, str]]:
    """The letters of the text that are no upright or bold type, each with its run."""
    tokens = stream.tokens
    place = 0
    while place < len(tokens):
        token = tokens[place]
        place += 1
        if token.text in FONTS or token.text in VECTORS:
            place = _behind_text(stream, place, switch=token.text in SWITCHES)
        elif token.kind == "letter":
            end = place
            while end < len(tokens) and tokens[end].kind == "letter" and tokens[end].glued:
                end += 1
            run = tokens[place - 1 : end]
            word = "".join(each.text for each in run)
            yield from ((each, word) for each in run)
            place = end


def _behind_text(stream: Stream, place: int, *, switch: bool) -> int:
    """The index behind the text of a font command, or the end of a switch's group."""
    tokens = stream.tokens
    if not switch:
        braced = place < len(tokens) and tokens[place].text == "{"
        return (stream.closing(place) or place) + 1 if braced else place + 1
    depth = 0
    while place < len(tokens) and depth >= 0:
        depth += {"{": 1, "}": -1}.get(tokens[place].text, 0)
        place += 1
    return place


def whole(value: Expression) -> int | None:
    """The integer that sums, differences, products and signs of integers make, else None."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _LARGEST else None
    if not isinstance(value, Op) or value.op not in ("add", "sub", "mul", "neg"):
        return None
    parts = [whole(arg) for arg in value.args]
    total = parts[0]
    for part in parts[1:]:
        if total is None or part is None:
            return None
        total = {"add": total + part, "sub": total - part, "mul": total * part}[value.op]
    if value.op == "neg" and total is not None:
        total = -total
    return total if total is not None and abs(total) < _LARGEST else None


__all__ = ("MAX_TERMS", "Indices", "read_bounds", "whole")
