r"""The grammar of LaTeX formulas: sums, products by juxtaposition, powers, functions.

A precedence climber over `latex_tokens.Stream`. Trees are those of the infix reader: a chain
of `+` or of products is one n-ary node, `-ab` is `(-a)*b`, a minus sign before a number that
no power follows belongs to the number. What has two readings is refused where it stands.
"""

from typing import Final

from lawsmith.expressions.latex_functions import COMMANDS, RELATIONS
from lawsmith.expressions.latex_series import Series
from lawsmith.expressions.latex_symbols import SWITCHES, Symbol, read_symbol
from lawsmith.expressions.latex_tokens import Token
from schemas.expression import Expression, Op, Var

_TIMES: Final = (r"\cdot", r"\times", "*")
_OVER: Final = ("/", r"\div")
_STOPS: Final = frozenset(
    ("+", "-", "=", "<", ">", ":=", ",", ";", ":", ".", "}", "^", "_", "'", "!", "~", "$", "$$")
) | {r"\over", r"\bmod", r"\mod", r"\]", r"\)", *_TIMES, *_OVER}
_MARKS: Final = ([r"\top"], [r"\intercal"], ["T"], ["+"], ["-"])


_UPRIGHT: Final = (r"\mathrm", r"\text", r"\textrm", r"\mathsf", r"\operatorname", "{")


class Reader(Series):
    """Reads expressions; every method takes the tokens it reads."""

    def sum(self) -> Expression:
        r"""A sum up to whatever ends it, or a fraction made with `\over`."""
        self._deeper()
        left = self._terms()
        token = self.stream.peek()
        if token is not None and token.text == r"\over":
            self.stream.take()
            left = self.node("div", (left, self._terms()), token)
            self._compound = False
            self._kind = "other"
        self._nesting -= 1
        return left

    def _terms(self) -> Expression:
        left = self._product()
        compound = self._compound
        chained = ""
        while (token := self.stream.peek()) and token.text in ("+", "-"):
            self.stream.take()
            name = "add" if token.text == "+" else "sub"
            right = self._product()
            if name == chained == "add" and isinstance(left, Op):
                left = self.longer(left, right, token)
            else:
                left = self.node(name, (left, right), token)
            chained = name
        self._compound = compound or bool(chained)
        return left

    def _product(self) -> Expression:
        start = tail = self.stream.index
        left = self._signed()
        chained = slashed = False
        while (token := self.stream.peek()) is not None:
            explicit = token.text in _TIMES
            if token.text in _OVER:
                self._check_slash(left, token)
                self.stream.take()
                tail = self.stream.index
                left = self.node("div", (left, self._signed()), token)
                chained, slashed = False, True
                continue
            if token.text in (r"\bmod", r"\mod"):
                signed = self.stream.tokens[start].text in ("-", "+")
                return self._modulo(left, start, simple=not (chained or slashed or signed))
            if not explicit and not self._starts(token):
                break
            if slashed:
                self.stream.fail(
                    "ambiguous", "whether this factor belongs under the slash", at=token,
                    fix=r"use \frac or brackets",
                )  # fmt: skip
            tail = self.stream.index
            if explicit:
                self.stream.take()
                right = self._signed()
            else:
                right = self._next_factor(token)
            if chained and isinstance(left, Op):
                left = self.longer(left, right, token)
            else:
                left = self.node("mul", (left, right), token)
            chained = True
        signed = self.stream.tokens[start].text in ("-", "+")
        self._compound = chained or slashed or signed or self._kind == "series"
        self._tail = tail
        return left

    def _check_slash(self, left: Expression, token: Token) -> None:
        if self._kind == "run":
            self.stream.fail(
                "ambiguous", "whether the slash belongs to the argument of the function", at=token,
                fix="put the argument in brackets",
            )  # fmt: skip
        factors = left.args if isinstance(left, Op) and left.op == "mul" else (left,)
        if Var("d") in factors and self.names is None:
            self.stream.fail("derivative", "a derivative", at=token)

    def _next_factor(self, token: Token) -> Expression:
        kind = self._kind
        if token.text == "(" and kind in ("number", "bracket", "call") and self._lone():
            self.stream.fail(
                "ambiguous", "a factor, an argument or an uncertainty", fix="leave the brackets out"
            )
        after = self.stream.peek(1)
        powered = kind == "symbol" and after is not None and after.text == "^"
        if token.kind == "number" and kind in ("number", "symbol", "run") and not powered:
            self.stream.fail("ambiguous", "a number after a factor without a sign between")
        if kind == "number" and self.names is None and token.text in _UPRIGHT:
            symbol = self._looked_up()
            if symbol is not None and symbol.spelling != "rm:e":
                self.stream.fail(
                    "ambiguous", "upright text after a number is a unit or a symbol",
                    fix=r"write \cdot between them, or declare the names",
                )  # fmt: skip
        if kind == "run" and token.text.removeprefix("\\") not in COMMANDS:
            self.stream.fail(
                "ambiguous", "whether this belongs to the argument of the function before it",
                fix="put the argument in brackets",
            )  # fmt: skip
        return self._factor()

    def _looked_up(self) -> Symbol | None:
        if self._function_name() is not None:
            return None
        index = self.stream.index
        if self.stream.sees("{"):
            following = self.stream.peek(1)
            if following is None or following.text not in SWITCHES:
                return None
            self.stream.take()
        symbol = read_symbol(self.stream)
        self.stream.index = index
        return symbol

    def _modulo(self, left: Expression, start: int, *, simple: bool) -> Expression:
        before = self.stream.tokens[start - 1] if start else None
        token = self.stream.take()
        right = self._factor()
        after = self.stream.peek()
        alone = before is None or before.kind == "open" or before.text in (*RELATIONS, ",", "{")
        ends = after is None or after.kind == "close" or after.text in (",", "}")
        if not (alone and ends and simple):
            self.stream.fail(
                "ambiguous", "what the remainder is taken of", at=token,
                fix="put both sides and the whole in brackets",
            )  # fmt: skip
        self._compound = True
        return self.node("mod", (left, right), token)

    def _starts(self, token: Token) -> bool:
        if token.kind == "bar":
            return token.side == "open" or (token.side != "close" and not self._bars)
        stops = token.text in _STOPS or token.text in RELATIONS
        return not (stops or token.kind in ("close", "row"))

    def _signed(self) -> Expression:
        token = self.stream.peek()
        if token is None or token.text not in ("-", "+"):
            return self._factor()
        self.stream.take()
        if self.stream.sees("-", "+"):
            self.stream.fail("syntax", "two signs in a row")
        if token.text == "+":
            return self._factor()
        following = self.stream.peek()
        inner = self._factor()
        literal = following is not None and (
            following.kind == "number" or following.text in self.stream.bound
        )
        if literal and isinstance(inner, float):
            return -inner + 0.0
        return self.node("neg", (inner,), token)

    def _factor(self) -> Expression:
        base = self._atom()
        token = self.stream.peek()
        if token is not None and token.text == "!":
            self.stream.fail("unsupported", "a factorial")
        if token is not None and token.text in ("'", "_"):
            self.stream.fail("unsupported", "a prime or subscript on what is no symbol")
        if token is None or token.text != "^":
            return base
        if self._kind == "call":
            self.stream.fail(
                "ambiguous", "whether the power is that of the function or of its argument",
                fix="put the function in brackets",
            )  # fmt: skip
        last = self._last if self._kind == "symbol" else None
        exponent = self._exponent()
        base = self.power(base, exponent, token, indexed=self._indexed)
        self._kind = "power"
        following = self.stream.peek()
        if last is not None and following is not None and following.kind == "open":
            self._check_application(last, following)
        if self.stream.sees("^", "_", "'"):
            self.stream.fail("syntax", "a second script")
        return base

    def _exponent(self) -> Expression:
        self.stream.take()
        self._check_exponent(int(self.stream.sees("{")))
        kept = self._bars
        self._bars = 0
        start = self.stream.index
        value = self.argument()
        self._bars = kept
        return self.exponent(value, start)

    def _check_exponent(self, braced: int) -> None:
        """Refuses what looks like an exponent and may be a mark, an index or a transpose."""
        token = self.stream.peek(braced)
        if token is None:
            self.stream.fail("syntax", "an exponent is due")
        close = self.stream.closing(self.stream.index) if braced else self.stream.index + 1
        inside = [piece.text for piece in self.stream.tokens[self.stream.index + braced : close]]
        if inside[:1] in ([r"\circ"], [r"\degree"]):
            self.stream.fail("unsupported", "degrees; angles are in radians", at=token)
        if inside in _MARKS and not (inside == ["T"] and self.names is not None):
            self.stream.fail("ambiguous", "an exponent, or a transpose or mark", at=token)
        if len(inside) == 3 and inside[0] in ("(", "["):
            self.stream.fail("ambiguous", "an exponent, an index or a derivative", at=token)


__all__ = ("RELATIONS", "Reader")
