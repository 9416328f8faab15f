r"""What LaTeX has at the stream's place, seen without reading it: names, bars, applications.

Each function looks at the tokens that follow; those named `check` refuse what has two readings.
"""

from typing import Final

from lawsmith.expressions.latex.names import Names
from lawsmith.expressions.latex.symbols import (
    SWITCHES,
    Symbol,
    read_scripts,
    read_symbol,
    starts_symbol,
)
from lawsmith.expressions.latex.tokens import LatexError, Stream, Token
from lawsmith.expressions.latex_functions import COMMANDS, FUNCTIONS, spells_function

_SIGNS: Final = (r"\cdot", r"\times", "*", "/", r"\frac", r"\pm")
_MARKS: Final = ([r"\top"], [r"\intercal"], ["T"], ["+"], ["-"])


def bar_follows(stream: Stream, following: Token) -> bool:
    """Whether another bare bar stands at the end of the factors that follow."""
    place = stream.index
    tokens = stream.tokens
    if following.kind in ("close",) or following.text in ("+", "-", "/", "=", "^", "}"):
        return False
    while place < len(tokens):
        token = tokens[place]
        if token.kind == "bar":
            return token.side in ("", "any")
        if token.kind == "open" or token.text == "{":
            place = stream.closing(place) or len(tokens)
        elif token.kind == "close" or token.text in ("}", "+", "-", "=", ",", r"\cdot"):
            return False
        place += 1
    return False


def take_power_of_ten(stream: Stream) -> str | None:
    r"""The exponent of `\times 10^{n}` after a number, its tokens taken."""
    tokens = [stream.peek(ahead) for ahead in range(7)]
    texts = ["" if token is None else token.text for token in tokens]
    if texts[:3] != [r"\times", "10", "^"]:
        return None
    if texts[3] != "{":
        if len(texts[3]) > 1 or not texts[3].isdigit():
            return None
        stream.index += 4
        return texts[3]
    sign = texts[4] if texts[4] in ("-", "+") else ""
    digits, close = texts[4 + bool(sign)], texts[5 + bool(sign) :][:1]
    if not digits.isdigit() or close != ["}"]:
        return None
    stream.index += 6 + bool(sign)
    return sign + digits


def check_derivative(stream: Stream, names: Names | None) -> None:
    """Refuses a fraction of two differentials."""
    if names is not None and names.find("d", "d"):
        return
    heads: list[list[str]] = []
    place = stream.index
    for _ in range(2):
        if place >= len(stream.tokens) or stream.tokens[place].text != "{":
            return
        close = stream.closing(place) or len(stream.tokens) - 1
        heads.append([token.text for token in stream.tokens[place + 1 : close]])
        place = close + 1
    upper, lower = heads
    if upper[:1] == ["d"] == lower[:1] and len(lower) > 1 and lower[1] not in "_+-/*^":
        stream.fail("derivative", "a derivative")


def touches_symbol(stream: Stream) -> bool:
    """Whether a symbol follows without a space."""
    following = stream.peek()
    return following is not None and not following.spaced and starts_symbol(following)


def is_lone(stream: Stream) -> bool:
    """Whether the bracket at the stream's place holds one number or symbol only."""
    start = stream.index
    close = stream.closing(start)
    inside = stream.tokens[start + 1 : close]
    if len(inside) == 1 and inside[0].kind == "number":
        return True
    copy = Stream(stream.text, list(inside))
    try:
        read_symbol(copy)
    except LatexError:
        return False
    return copy.peek() is None


def check_application(stream: Stream, names: Names | None, symbol: Symbol, opening: Token) -> None:
    """Refuses `f(x)`; with declared names `k(a + b)` is a product."""
    if opening.text not in ("(", "[", "{{"):
        return
    close = stream.closing(stream.index)
    inside = stream.tokens[stream.index + 1 : close]
    listed = any(token.text in (",", ";", "=") or token.kind == "bar" for token in inside)
    # Nobody writes k(a) for a product: a lone argument is a function's.
    if listed or not any(token.text in ("+", "-", *_SIGNS) for token in inside):
        stream.fail(
            "application", f"{symbol.ident!r} applied to an argument", at=symbol.token,
            fix="declare it with its argument as a name, if it is one quantity",
        )  # fmt: skip
    if symbol.spelling in (r"\pi", "rm:e"):
        return
    if names is None:
        stream.fail(
            "ambiguous", f"{symbol.ident!r} times or applied to what is in brackets",
            at=symbol.token, fix=r"declare the names, or write \cdot",
        )  # fmt: skip
    if names.is_function(symbol):
        stream.fail("application", f"{symbol.ident!r} at another argument", at=symbol.token)


def letters_of_name(stream: Stream, names: Names | None) -> int:
    """How many adjacent letters here spell one declared name."""
    run = 0
    while (token := stream.peek(run)) and token.kind == "letter":
        if run > 64 or (run and not token.glued):
            break
        run += 1
    if run < 2 or run > 64:
        return 1
    index = stream.index
    text = "".join(token.text for token in stream.tokens[index : index + run])
    if names is None:
        if spells_function(text):
            stream.fail("ambiguous", "a function without its backslash, or a product of letters")
        return 1
    return _split(stream, text, names)


def _split(stream: Stream, text: str, names: Names) -> int:
    """The length of the first name, where adjacent letters are names in one way only."""
    run = len(text)
    index = stream.index
    stream.index += run
    spelling, ident = read_scripts(stream)
    stream.index = index
    ways = [0] * run + [1]
    longest = [1] * run
    for start in reversed(range(run)):
        for end in range(start + 1, run + 1):
            more = (spelling, ident) if end == run else ("", "")
            name = text[start:end]
            bound = not more[0] and name in stream.bound
            if ways[end] and (bound or names.find(name + more[0], name + more[1])):
                ways[start] += ways[end]
                longest[start] = end - start
    if ways[0] > 1:
        stream.fail("ambiguous", f"{text!r} can be split into names in several ways")
    return longest[0]


def function_name(stream: Stream) -> str | None:
    """The function that starts here, as a command or as upright text."""
    token = stream.peek()
    if token is None or token.kind != "command":
        return None
    if token.text[1:] in COMMANDS:
        return token.text[1:]
    if token.text not in (r"\operatorname", r"\mathrm", r"\text", r"\operatorname*"):
        return None
    close = stream.closing(stream.index + 1)
    inside = stream.tokens[stream.index + 2 : close]
    word = "".join(piece.text for piece in inside)
    return word if word in FUNCTIONS else None


def symbol_ahead(stream: Stream) -> Symbol | None:
    """The symbol that starts here, its tokens left; None where something else does."""
    if function_name(stream) is not None:
        return None
    index = stream.index
    if stream.sees("{"):
        following = stream.peek(1)
        if following is None or following.text not in SWITCHES:
            return None
        stream.take()
    symbol = read_symbol(stream)
    stream.index = index
    return symbol


def check_exponent(stream: Stream, names: Names | None, braced: int) -> None:
    """Refuses what looks like an exponent and may be a mark, an index or a transpose."""
    token = stream.peek(braced)
    if token is None:
        stream.fail("syntax", "an exponent is due")
    close = stream.closing(stream.index) if braced else stream.index + 1
    inside = [piece.text for piece in stream.tokens[stream.index + braced : close]]
    if inside[:1] in ([r"\circ"], [r"\degree"]):
        stream.fail("unsupported", "degrees; angles are in radians", at=token)
    if inside in _MARKS and not (inside == ["T"] and names is not None):
        stream.fail("ambiguous", "an exponent, or a transpose or mark", at=token)
    if len(inside) == 3 and inside[0] in ("(", "["):
        stream.fail("ambiguous", "an exponent, an index or a derivative", at=token)
