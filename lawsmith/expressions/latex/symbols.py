r"""Symbols of LaTeX: one name out of a letter, its accents, primes, subscripts and labels.

Every symbol has a spelling, which tells printed symbols apart (`k_B`, `k_{\rm B}`), and an
identifier made of it (`k_B` for both, `tau_f`, `x_dot`, `Delta_T`). Two spellings with one
identifier in one text are an error, since they may be two quantities.
"""

import re
from dataclasses import dataclass
from typing import Final

from lawsmith.expressions.greek import GREEK
from lawsmith.expressions.latex.tokens import Stream, Token

_ACCENTS: Final = {
    r"\dot": "dot", r"\ddot": "ddot", r"\bar": "bar", r"\overline": "bar", r"\hat": "hat",
    r"\widehat": "hat", r"\tilde": "tilde", r"\widetilde": "tilde", r"\check": "check",
    r"\breve": "breve", r"\mathring": "ring", r"\underline": "underline",
}  # fmt: skip
_TEXTS: Final = frozenset(
    (r"\mathrm", r"\text", r"\textrm", r"\textnormal", r"\mathnormal", r"\operatorname")
) | frozenset((r"\operatorname*", r"\mathsf", r"\mathtt", r"\textsf", r"\mbox", r"\rm", r"\sf"))
_ITALIC: Final = frozenset((r"\mathit", r"\textit", r"\it"))
_SCRIPT: Final = {r"\mathcal": "cal", r"\mathscr": "scr", r"\mathfrak": "frak", r"\cal": "cal"}
VECTORS: Final = frozenset(
    (r"\vec", r"\overrightarrow", r"\mathbf", r"\boldsymbol", r"\bm", r"\bf", r"\textbf")
) | {r"\pmb", r"\mathbb"}
FONTS: Final = _TEXTS | _ITALIC | frozenset(_SCRIPT)
SWITCHES: Final = frozenset((r"\rm", r"\sf", r"\it", r"\bf", r"\cal"))
_MARKS: Final = {
    r"\infty": "infty", r"\odot": "sun", r"\oplus": "earth", r"\perp": "perp", "*": "star",
    r"\parallel": "parallel", r"\star": "star", r"\ast": "star", r"\ell": "ell", "+": "plus",
    "-": "minus", "=": "eq", "'": "prime", r"\prime": "prime", r"\dagger": "dagger", "/": "per",
}  # fmt: skip
_LABELS: Final = frozenset(("*", r"\star", r"\ast", r"\prime", r"\dagger"))


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol as read: spelling, identifier, first token, and whether it is upright text."""

    spelling: str
    ident: str
    token: Token
    upright: bool = False


def starts_symbol(token: Token | None) -> bool:
    """Whether a symbol can begin with the token."""
    if token is None:
        return False
    text = token.text
    if token.kind == "letter":
        return True
    return text in _ACCENTS or text in FONTS or text in VECTORS or text[1:] in GREEK


def read_symbol(stream: Stream, letters: int = 1, *, scripts: bool = True) -> Symbol:
    """The symbol at the stream's place; `letters` adjacent letters are one name.

    Raises:
        LatexError: no symbol stands there, or it has a part that names nothing.
    """
    symbol = _base(stream, letters, 0)
    if not scripts:
        return symbol
    spelling, ident = read_scripts(stream)
    return Symbol(symbol.spelling + spelling, symbol.ident + ident, symbol.token, symbol.upright)


def read_scripts(stream: Stream) -> tuple[str, str]:
    r"""What primes, a subscript and a label such as `^{\rm os}` add to spelling and identifier.

    An exponent before the subscript (`x^2_i`) is moved behind it.
    """
    spelling = ident = ""
    subscripted = False
    while True:
        if stream.sees("'"):
            stream.take()
            spelling, ident = spelling + "'", ident + "_prime"
        elif stream.sees("_"):
            if subscripted:
                stream.fail("syntax", "a second subscript")
            subscripted = True
            more = _script(stream)
            spelling, ident = f"{spelling}_{more[0]}", f"{ident}_{more[1]}"
        elif stream.sees("^") and is_label(stream):
            more = _script(stream)
            spelling, ident = f"{spelling}^{more[0]}", f"{ident}_{more[1]}"
        elif not (stream.sees("^") and _swap(stream)):
            return spelling, ident


def is_label(stream: Stream) -> bool:
    """Whether the superscript at the stream's place is text or a mark, and no exponent."""
    after = stream.peek(1)
    if after is None:
        return False
    if after.text in _LABELS:
        return True
    if after.text in _TEXTS:
        return not _is_constant(stream, stream.index + 1)
    close = stream.closing(stream.index + 1) if after.text == "{" else None
    if close is None:
        return False
    inside = stream.tokens[stream.index + 2 : close]
    if len(inside) == 1:
        return inside[0].text in _LABELS
    if not inside or inside[0].text not in _TEXTS:
        return False
    if inside[0].text in SWITCHES:
        return not (len(inside) == 2 and inside[1].text in "edi")
    ends = stream.closing(stream.index + 3)
    return ends == close - 1 and not _is_constant(stream, stream.index + 2)


def _is_constant(stream: Stream, index: int) -> bool:
    inside = stream.tokens[index + 1 : index + 4]
    return len(inside) == 3 and inside[1].text in "edi" and inside[2].text == "}"


def _swap(stream: Stream) -> bool:
    """Moves `^{...}` behind a `_{...}` that follows it; whether there was one."""
    start = stream.index
    middle = _after_argument(stream, start)
    if middle is None or middle >= len(stream.tokens) or stream.tokens[middle].text != "_":
        return False
    end = _after_argument(stream, middle)
    if end is None:
        return False
    tokens = stream.tokens
    tokens[start:end] = tokens[middle:end] + tokens[start:middle]
    return True


def _after_argument(stream: Stream, script: int) -> int | None:
    """The index after the argument of the script sign at an index."""
    if script + 1 >= len(stream.tokens):
        return None
    token = stream.tokens[script + 1]
    if token.text == "{":
        close = stream.closing(script + 1)
        return None if close is None else close + 1
    if token.kind in ("letter", "number") or token.text[1:] in GREEK:
        return script + 2
    return None


def _base(stream: Stream, letters: int, nesting: int) -> Symbol:
    token = stream.take()
    text = token.text
    if token.kind == "letter":
        for _ in range(letters - 1):
            text += stream.take().text
        return Symbol(text, text, token)
    if text[:1] == "\\" and text[1:] in GREEK:
        return Symbol(text, text[1:], token)
    if nesting > 4:
        stream.fail("limit", "more than 4 accents or fonts on one symbol", at=token)
    if text in _ACCENTS or text == r"\vec" or text in VECTORS:
        return _accented(stream, token, nesting)
    if text in FONTS:
        return _font(stream, token)
    return stream.fail("syntax", "no symbol stands here", at=token)


def _accented(stream: Stream, token: Token, nesting: int) -> Symbol:
    braces = stream.peek() if stream.sees("{") else None
    if braces is not None:
        stream.take()
    if not starts_symbol(stream.peek()):
        stream.fail("unsupported", "an accent or bold type stands on one symbol only")
    inner = _base(stream, 1, nesting + 1)
    spelling, ident = read_scripts(stream) if braces is not None else ("", "")
    if braces is not None:
        if not stream.sees("}"):
            stream.fail("unsupported", "an accent or bold type stands on one symbol only")
        stream.take()
    mark = _ACCENTS.get(token.text, "vec" if token.text == r"\vec" else "bold")
    return Symbol(
        f"{mark}({inner.spelling}{spelling})", f"{inner.ident}{ident}_{mark}", token, inner.upright
    )


def _font(stream: Stream, token: Token) -> Symbol:
    text, scripts = _plain(stream, token)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        stream.fail("text", f"{text[:40]!r} is no name", at=token)
    mark = "it" if token.text in _ITALIC else _SCRIPT.get(token.text, "rm")
    prefix = _SCRIPT.get(token.text, "")
    return Symbol(
        f"{mark}:{text}{scripts[0]}", f"{prefix}{text}{scripts[1]}", token, upright=mark == "rm"
    )


def _plain(stream: Stream, token: Token) -> tuple[str, tuple[str, str]]:
    """The letters and digits of the text after a font command or switch, and scripts in it."""
    switch = token.text in SWITCHES
    braced = not switch and stream.sees("{")
    close = _end_of_scope(stream) if switch else stream.index + 1
    if braced:
        found = stream.closing(stream.index)
        if found is None:
            stream.fail("syntax", "this brace is not closed")
        stream.take()
        close = found
    text = ""
    scripts = ("", "")
    while stream.index < close:
        if text and braced and stream.sees("_"):
            scripts = read_scripts(stream)
            break
        piece = stream.take()
        if text and not piece.glued and (piece.spaced or token.text.startswith(r"\text")):
            stream.fail("text", "words stand here, not a name", at=token)
        text += "_" if piece.text == r"\_" else piece.text
        if piece.kind not in ("letter", "number") and piece.text != r"\_":
            stream.fail("text", "only letters, digits and \\_ make a name", at=piece)
    if braced:
        if not stream.sees("}"):
            stream.fail("text", "only letters, digits and \\_ make a name")
        stream.take()
    return text, scripts


def _end_of_scope(stream: Stream) -> int:
    """The index of the brace that ends the group in which the stream stands."""
    depth = 0
    for place in range(stream.index, len(stream.tokens)):
        depth += {"{": 1, "}": -1}.get(stream.tokens[place].text, 0)
        if depth < 0:
            return place
    return len(stream.tokens)


def _script(stream: Stream) -> tuple[str, str]:
    """Spelling and identifier of a subscript or label."""
    stream.take()
    token = stream.take()
    if token.text != "{":
        if token.kind == "number" and len(token.text) > 1:
            stream.fail("ambiguous", "a script of several digits needs braces", at=token)
        if token.text in stream.bound:
            return _index(stream, token)
        stream.index -= 1
        return _piece(stream)
    close = stream.closing(stream.index - 1)
    if close is None:
        stream.fail("syntax", "this brace is not closed", at=token)
    spelling = ident = ""
    plain = False
    while stream.index < close:
        following = stream.take()
        if following.text in (",", "_", "{", "}"):
            spelling, plain = spelling + following.text, False
            continue
        indexed = following.text in stream.bound
        if indexed:
            more = _index_in_braces(stream, following)
        else:
            stream.index -= 1
            more = _piece(stream)
        glue = "_" if ident and not (plain and following.kind in ("letter", "number")) else ""
        apart = bool(glue) or (indexed and spelling[-1:].isdigit())
        spelling, ident = spelling + " " * apart + more[0], ident + glue + more[1]
        plain = following.kind in ("letter", "number")
    if stream.index != close or not ident:
        stream.fail("syntax", "this script names nothing", at=token)
    stream.take()
    return spelling, ident


def _index(
    stream: Stream, token: Token, shift: int = 0, *, single: bool = False
) -> tuple[str, str]:
    """The present value of the index at a token, as a subscript; `single` allows one digit only."""
    value = stream.bound[token.text] + shift
    stream.used[token.text] = stream.index - 1
    if value < 0:
        stream.fail("unsupported", f"the subscript {value} is negative", at=token)
    if single and value > 9:
        stream.fail(
            "ambiguous", f"where {value} ends among adjacent subscripts", at=token,
            fix="put commas between the subscripts",
        )  # fmt: skip
    return str(value), str(value)


def _index_in_braces(stream: Stream, token: Token) -> tuple[str, str]:
    """An index as a part of a subscript in braces: `n`, `n+1`, `n,k`, or `ij` if both are one."""
    before, after, number, last = (stream.peek(ahead) for ahead in (-2, 0, 1, 2))
    ends = (",", "}")
    alone = before is not None and before.text in ("{", ",")
    if alone and after is not None and after.text in ends:
        return _index(stream, token)
    shifted = alone and after is not None and after.text in ("+", "-")
    if shifted and number and number.text.isdigit() and last and last.text in ends:
        if len(number.text) > 6:
            stream.fail("limit", "a subscript of more than 6 digits", at=number)
        value = _index(stream, token, int(number.text) * (-1 if after and after.text == "-" else 1))
        stream.index += 2
        return value
    joins = before is not None and (alone or before.text in stream.bound)
    if joins and after is not None and (after.text in ends or after.text in stream.bound):
        return _index(stream, token, single=True)
    return stream.fail(
        "ambiguous", f"whether {token.text!r} is the index here or part of a label", at=token,
        fix="put commas between the subscripts",
    )  # fmt: skip


def _piece(stream: Stream) -> tuple[str, str]:
    token = stream.take()
    if token.kind in ("letter", "number"):
        if not token.text.isalnum():
            stream.fail("unsupported", "a decimal number as a script", at=token)
        return token.text, token.text
    if token.text in _MARKS:
        return token.text, _MARKS[token.text]
    if token.text in FONTS or token.text in (r"\bf", r"\mathbf"):
        text, scripts = _plain(stream, token)
        if text in stream.bound:
            stream.fail("ambiguous", "the index of the sum or a label, in another type", at=token)
        if text:
            return f"rm:{text}{scripts[0]}", text + scripts[1]
    if token.text[:1] == "\\" and (token.text[1:] in GREEK or token.text in (r"\max", r"\min")):
        return token.text, token.text[1:]
    return stream.fail("unsupported", f"{token.text!r} names nothing in a script", at=token)


__all__ = (
    "FONTS",
    "SWITCHES",
    "VECTORS",
    "Symbol",
    "is_label",
    "read_scripts",
    "read_symbol",
    "starts_symbol",
)
