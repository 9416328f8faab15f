r"""Brackets, bars and braces of LaTeX: which opens what, and what they hold."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Final, Literal

from lawsmith.expressions.latex_nodes import MAX_BRACKETS, Builder
from lawsmith.expressions.latex_symbols import SWITCHES, Symbol
from lawsmith.expressions.latex_tokens import Stream, Token
from schemas.expression import Expression

_CLOSING: Final = {"(": ")", "[": "]", "{{": "}}", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil"}


class Brackets(Builder):
    """Reads what stands in brackets; `sum` comes from the grammar above it."""

    def __init__(
        self,
        stream: Stream,
        names: Mapping[str, str] | Collection[str] | None,
        log_base: Literal["e", 2, 10] | None,
    ) -> None:
        super().__init__(stream, names)
        self._log_base = log_base
        self._nesting = 0
        self._bars = 0
        self._kind = ""
        self._compound = False
        self._indexed = False
        self._last: Symbol | None = None

    def _deeper(self) -> None:
        self._nesting += 1
        if self._nesting > MAX_BRACKETS:
            self.stream.fail("limit", f"nested deeper than {MAX_BRACKETS}")

    @abstractmethod
    def sum(self) -> Expression:
        """A sum up to whatever ends it."""

    @abstractmethod
    def _switched(self, brace: Token) -> Expression: ...

    def _bracket(self) -> Expression:
        token = self.stream.take()
        kept = self._bars
        bare = token.kind == "bar" and token.side in ("", "any")
        if token.kind == "bar":
            if token.side == "close":
                self.stream.fail("syntax", "a closing bar where a value is due", at=token)
            self._bars = 1
            value = self._absolute(token)
        else:
            self._bars = 0
            value = self.sum()
            self._close(token)
        self._bars = kept
        self._kind = "bars" if bare else "bracket"
        following = self.stream.peek()
        if bare and following and following.kind != "bar" and self._bar_later(following):
            self.stream.fail("ambiguous", "which bars belong together", fix=r"use \left| \right|")
        if token.text in (r"\lfloor", r"\lceil"):
            return self.node("floor" if token.text == r"\lfloor" else "ceil", (value,), token)
        return value

    def _bar_later(self, following: Token) -> bool:
        """Whether another bare bar stands at the end of the factors that follow."""
        place = self.stream.index
        tokens = self.stream.tokens
        if following.kind in ("close",) or following.text in ("+", "-", "/", "=", "^", "}"):
            return False
        while place < len(tokens):
            token = tokens[place]
            if token.kind == "bar":
                return token.side in ("", "any")
            if token.kind == "open" or token.text == "{":
                place = self.stream.closing(place) or len(tokens)
            elif token.kind == "close" or token.text in ("}", "+", "-", "=", ",", r"\cdot"):
                return False
            place += 1
        return False

    def _absolute(self, token: Token) -> Expression:
        value = self.sum()
        close = self.stream.peek()
        if close is None or close.kind != "bar" or close.side == "open":
            self.stream.fail("syntax", f"the bar of position {token.position} is not closed here")
        if (token.side == "open") != (close.side == "close"):
            self.stream.fail("ambiguous", "a bar of another kind than the one it would close")
        self.stream.take()
        if self.stream.sees("_"):
            self.stream.fail("unsupported", "a value at a point")
        return self.node("abs", (value,), token)

    def _close(self, token: Token) -> None:
        closing = self.stream.peek()
        if closing is not None and closing.kind == "bar":
            self.stream.fail("application", "a condition behind a bar")
        if self.stream.sees(",", ";"):
            self.stream.fail("application", "a list in brackets: arguments, an interval or a point")
        self.stream.expect(_CLOSING[token.text], token)
        if closing is None or "any" in (token.side, closing.side):
            return
        if (token.side == "open") != (closing.side == "close"):
            self.stream.fail("syntax", r"\left and \right do not pair", at=closing)

    def _braced(self) -> Expression:
        token = self.stream.take()
        following = self.stream.peek()
        if following is not None and following.text in SWITCHES:
            return self._switched(token)
        kept, self._bars = self._bars, 0
        value = self.sum()
        self.stream.expect("}", token)
        self._bars = kept
        if self._compound or (self._kind == "power" and self.stream.sees("^")):
            self.stream.fail(
                "ambiguous", "braces that are not printed hold more than one factor", at=token,
                fix="use brackets",
            )  # fmt: skip
        return value


__all__ = ("Brackets",)
