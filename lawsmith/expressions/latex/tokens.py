r"""LaTeX text -> tokens with positions; layout (spacing, alignment, numbering) is dropped here.

Only a closed list of commands passes the reader; whatever else stands in a text is an error at
its place. Everything is bounded by the 20,000 characters that are read: one pass, no expansion
of macros, no nesting here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from lawsmith.errors import ParseError
from lawsmith.expressions.latex_functions import RELATIONS
from lawsmith.expressions.parsing import MAX_TEXT

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n]+|(?<!\\)%[^\n]*)"
    r"|(?P<command>\\(?:[A-Za-z]+\*?|[^A-Za-z]))"
    r"|(?P<number>[0-9]+(?:\{,\}[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<letter>[A-Za-z])"
    r"|(?P<sign>:=|\$\$|[-+*/=<>^_{}()\[\]|,;:.'!~&$])"
)
_ENVIRONMENT_NAMES: Final = (
    "equation align aligned alignat alignedat flalign eqnarray gather gathered split multline"
    " displaymath math"
)
_ENVIRONMENTS: Final = frozenset(_ENVIRONMENT_NAMES.split())
_SPACES: Final = frozenset(
    (r"\,", r"\:", r"\;", r"\>", r"\ ", r"\quad", r"\qquad", r"\thinspace", r"\enspace", "~")
)
_LAYOUT: Final = (
    frozenset(
        (r"\!", r"\/", r"\displaystyle", r"\textstyle", r"\scriptstyle", r"\limits", r"\nolimits")
    )
    | frozenset(
        (r"\nonumber", r"\notag", r"\mathstrut", r"\strut", r"\negthinspace", r"\allowbreak", "&")
    )
    | frozenset((r"\nobreak", r"\medspace", r"\thickspace", r"\centering", r"\noindent"))
)
_WITH_ARGUMENT: Final = frozenset((r"\label", r"\tag", r"\tag*", r"\hspace", r"\hspace*"))
_SIZES: Final = frozenset(
    rf"\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
)
_BRACKETS: Final = {
    r"\{": "{{", r"\lbrace": "{{", r"\}": "}}", r"\rbrace": "}}", r"\lbrack": "[",
    r"\rbrack": "]", r"\lvert": "|", r"\rvert": "|", r"\vert": "|", r"\lparen": "(",
    r"\rparen": ")",
}  # fmt: skip
_SIDES: Final = {r"\lvert": "open", r"\rvert": "close", r"\left": "open", r"\right": "close"}
DELIMITERS: Final = frozenset(("(", ")", "[", "]", "{{", "}}", "|", r"\lfloor", r"\rfloor",
                               r"\lceil", r"\rceil", r"\langle", r"\rangle", r"\|"))  # fmt: skip
_WRAPPERS: Final = {"$": "$", "$$": "$$", r"\[": r"\]", r"\(": r"\)"}


class LatexError(ParseError):
    """A LaTeX text is no scalar expression, or more than one reading of it is possible.

    Attributes:
        position: 0-based offset of the first character at fault.
        line: 1-based line of it.
        column: 1-based column of it.
        excerpt: the text at that place, at most 24 characters.
        reason: the kind of refusal, one of `REASONS`.
    """

    def __init__(self, text: str, position: int, reason: str, problem: str, fix: str = "") -> None:
        self.line = text.count("\n", 0, position) + 1
        self.column = position - (text.rfind("\n", 0, position) + 1) + 1
        self.excerpt = text[position : position + 24].partition("\n")[0]
        self.reason = reason
        where = f" near {self.excerpt!r}" if self.excerpt else " at the end"
        super().__init__(
            f"line {self.line}, column {self.column},{where}: {problem}", position=position, fix=fix
        )


REASONS: Final = (
    *("syntax", "limit", "unsupported", "ambiguous", "application", "name", "relation"),
    *("several", "condition", "cases", "matrix", "integral", "sum", "limit_of", "derivative"),
    *("vector", "average", "text"),
)
"""Every value of `LatexError.reason`."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: command, letter, number, sign, open, close, bar or row.
        text: the normalised text; `{{` and `}}` are printed braces.
        position: offset of its first character.
        end: offset after its last character.
        glued: whether it follows the token before it without a blank.
        spaced: whether a printed space stands before it.
        side: open or close, where a bar or bracket says which it is.
    """

    kind: str
    text: str
    position: int
    end: int
    glued: bool = False
    spaced: bool = False
    side: str = ""


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text, without layout, enclosing environments and trailing punctuation.

    Raises:
        LatexError: a character or environment outside the list.
    """
    if not isinstance(text, str):
        raise LatexError("", 0, "syntax", f"a {type(text).__name__} is no text")
    if len(text) > MAX_TEXT:
        raise LatexError(
            text, MAX_TEXT, "limit", f"{len(text)} characters; at most {MAX_TEXT} are read"
        )
    return _trimmed(_rows_joined(_Scanner(text).tokens(), text))


class _Scanner:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._side = ""
        self._glued = self._spaced = False
        self._open: list[str] = []

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        for kind, text, start in self._raw():
            if kind == "blank":
                self._glued = False
            elif text in _SPACES:
                self._glued, self._spaced = False, True
            elif not self._layout(text, start):
                found.append(self._token(kind, text, start))
                self._glued, self._spaced = True, False
        if self._open:
            self._fail(len(self._text), f"environment {self._open[-1]!r} is not closed")
        if self._side:
            self._fail(len(self._text), "the text ends where a bracket is due")
        return found

    def _raw(self) -> Iterator[tuple[str, str, int]]:
        while self._at < len(self._text):
            match = _TOKEN.match(self._text, self._at)
            if match is None:
                self._fail(self._at, "this cannot be read", fix=_advice(self._text[self._at]))
            self._at = match.end()
            yield str(match.lastgroup), match.group(), match.start()

    def _layout(self, text: str, start: int) -> bool:
        """Whether it was dropped; arguments of dropped commands go with it."""
        if text in _LAYOUT:
            return True
        if text in _WITH_ARGUMENT:
            self._argument(start)
            return True
        if text in (r"\begin", r"\end"):
            self._environment(text, start)
            return True
        if text in _SIZES or text in (r"\left", r"\right"):
            if self._side:
                self._fail(start, "a bracket is due")
            self._side = _SIDES.get(text) or {"l": "open", "r": "close"}.get(text[-1], "any")
            return True
        return False

    def _argument(self, start: int) -> str:
        match = re.compile(r"\s*\{([^{}]*)\}").match(self._text, self._at)
        if match is None:
            self._fail(start, "its argument in braces is missing")
        self._at = match.end()
        return match.group(1)

    def _environment(self, command: str, start: int) -> None:
        name = self._argument(start)
        bare = name.removesuffix("*")
        if bare not in _ENVIRONMENTS:
            reason = "cases" if "cases" in bare else "matrix" if "matrix" in bare else "unsupported"
            self._fail(start, f"environment {name[:40]!r} is not read", reason)
        if command == r"\end":
            if not self._open or self._open.pop() != name:
                self._fail(start, f"environment {name!r} was not opened here")
            return
        self._open.append(name)
        if bare in ("alignat", "alignedat"):
            self._argument(start)

    def _token(self, kind: str, text: str, start: int) -> Token:
        side = self._side or _SIDES.get(text, "")
        if kind == "command":
            text = _BRACKETS.get(text, text)
        if text == ".":
            kind = "sign"
        if text == r"\\":
            kind = "row"
            self._row_options()
        elif text in DELIMITERS:
            kind = "bar" if text == "|" else "close" if text in _CLOSERS else "open"
        if self._side and text not in DELIMITERS:
            self._fail(start, "a bracket is due here", "unsupported")
        self._side = ""
        return Token(kind, text, start, self._at, self._glued, self._spaced, side)

    def _row_options(self) -> None:
        match = re.compile(r"\*?\s*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|\\jot)\s*\]").match(
            self._text, self._at
        )
        if match is not None:
            self._at = match.end()

    def _fail(self, at: int, problem: str, reason: str = "syntax", *, fix: str = "") -> NoReturn:
        raise LatexError(self._text, at, reason, problem, fix)


_CLOSERS: Final = frozenset((")", "]", "}}", r"\rfloor", r"\rceil", r"\rangle"))
_JOINING: Final = frozenset(("+", "-", "/", "*", r"\times", r"\cdot", *RELATIONS))


def _advice(character: str) -> str:
    if not character.isascii():
        return "write it as a LaTeX command"
    return ""


def _rows_joined(tokens: list[Token], text: str) -> list[Token]:
    r"""Without `\\` where an operator stands on either side, so that the rows are one text."""
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        if token.kind == "row":
            after = tokens[index + 1] if index + 1 < len(tokens) else None
            joins = after is None or after.text in _JOINING or not kept
            if joins or kept[-1].text in _JOINING or kept[-1].text == ",":
                continue
            raise LatexError(
                text,
                token.position,
                "several",
                "a line break between two texts that no operator joins",
                "give one equation at a time",
            )
        kept.append(token)
    return kept


def _trimmed(tokens: list[Token]) -> list[Token]:
    """Without one pair of math delimiters around, and punctuation at the end."""
    closing = _WRAPPERS.get(tokens[0].text) if tokens else None
    if closing is not None and len(tokens) > 1 and tokens[-1].text == closing:
        tokens = tokens[1:-1]
    while tokens and tokens[-1].text in (",", ".", ";"):
        tokens = tokens[:-1]
    return tokens


class Stream:
    """The tokens of a text with a place in them.

    Attributes:
        text: the text itself.
        tokens: its tokens.
        index: the place of the next token.
        bound: the indices of the sums and products being expanded, each with its present value.
        used: for each index, the place at which it was last read.
    """

    def __init__(self, text: str, tokens: list[Token] | None = None) -> None:
        self.text = text
        self.tokens = tokens_of(text) if tokens is None else tokens
        self.index = 0
        self.bound: dict[str, int] = {}
        self.used: dict[str, int] = {}

    def peek(self, ahead: int = 0) -> Token | None:
        """The token `ahead` places on, None at the end."""
        index = self.index + ahead
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def sees(self, *texts: str) -> bool:
        """Whether the next token is one of the texts."""
        token = self.peek()
        return token is not None and token.text in texts

    def take(self) -> Token:
        """The next token.

        Raises:
            LatexError: at the end of the text.
        """
        token = self.peek()
        if token is None:
            self.fail("syntax", "the text ends where a value is due")
        self.index += 1
        return token

    def expect(self, text: str, opening: Token) -> None:
        """Takes the token that closes `opening`.

        Raises:
            LatexError: another token stands there.
        """
        if not self.sees(text):
            shown = self.text[opening.position : opening.end]
            self.fail("syntax", f"{shown!r} of position {opening.position} is not closed here")
        self.index += 1

    def closing(self, index: int) -> int | None:
        """The index of the token that closes the bracket or brace at `index`."""
        depth = 0
        for place in range(index, len(self.tokens)):
            token = self.tokens[place]
            if token.kind == "open" or token.text == "{":
                depth += 1
            elif token.kind == "close" or token.text == "}":
                depth -= 1
                if depth == 0:
                    return place
        return None

    def fail(
        self, reason: str, problem: str, *, at: Token | int | None = None, fix: str = ""
    ) -> NoReturn:
        """Raises the error of a place, by default that of the next token."""
        if at is None:
            at = self.peek()
        position = len(self.text) if at is None else at if isinstance(at, int) else at.position
        raise LatexError(self.text, position, reason, problem, fix)


__all__ = ("DELIMITERS", "REASONS", "LatexError", "Stream", "Token", "tokens_of")
