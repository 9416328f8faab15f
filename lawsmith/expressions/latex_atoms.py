r"""The atoms of LaTeX formulas: numbers, symbols, brackets, fractions, roots and functions."""

from abc import abstractmethod
from typing import Final

from lawsmith.expressions.latex_brackets import Brackets
from lawsmith.expressions.latex_functions import (
    COMMANDS,
    FUNCTIONS,
    REFUSED,
    RELATIONS,
    spells_function,
)
from lawsmith.expressions.latex_names import DIFFERENCES, Names, joined
from lawsmith.expressions.latex_symbols import (
    SWITCHES,
    Symbol,
    read_scripts,
    read_symbol,
    starts_symbol,
)
from lawsmith.expressions.latex_tokens import LatexError, Stream, Token
from schemas.expression import Expression, Var

_FRACTIONS: Final = (r"\frac", r"\dfrac", r"\tfrac", r"\cfrac")
_SIGNS: Final = (r"\cdot", r"\times", "*", "/", r"\frac", r"\pm")


class Atoms(Brackets):
    """Reads what a product is made of; `_factor` comes from the grammar above it."""

    @abstractmethod
    def _factor(self) -> Expression: ...

    @abstractmethod
    def _exponent(self) -> Expression: ...

    def argument(self) -> Expression:
        """The argument of a command or script: a braced expression or one token."""
        token = self.stream.take()
        if token.text == "{":
            kept, self._bars = self._bars, 0
            following = self.stream.peek()
            if following is not None and following.text in SWITCHES:
                self.stream.index -= 1
                return self._braced()
            value = self.sum()
            self.stream.expect("}", token)
            self._bars = kept
            return value
        if token.kind == "number":
            if len(token.text) > 1:
                self.stream.fail("ambiguous", "several digits need braces here", at=token)
            return self.number(token)
        self.stream.index -= 1
        if token.text in (*_FRACTIONS, r"\sqrt"):
            self._deeper()
            value = self._atom()
            self._nesting -= 1
            return value
        if not starts_symbol(token):
            self.stream.fail("syntax", f"{token.text!r} where an argument in braces is due")
        return self.variable(read_symbol(self.stream, scripts=False))

    def _atom(self) -> Expression:
        token = self.stream.peek()
        if token is None:
            self.stream.fail("syntax", "the text ends where a value is due")
        self._kind = "other"
        if token.kind == "number":
            return self._literal()
        if token.kind in ("open", "bar") and token.text not in (r"\langle", r"\|"):
            return self._bracket()
        if token.text == "{":
            return self._braced()
        name = self._function_name()
        if name is not None:
            close = self.stream.closing(self.stream.index + 1)
            self.stream.index = (
                self.stream.index + 1 if name == token.text[1:] else (close or 0) + 1
            )
            return self._function(name, token)
        if token.text in _FRACTIONS:
            return self._fraction()
        if token.text == r"\sqrt":
            return self._root()
        if starts_symbol(token):
            return self._symbol()
        return self._refused(token)

    def _refused(self, token: Token) -> Expression:
        word = token.text.lstrip("\\")
        if token.kind == "command" or token.text in (r"\langle", r"\|"):
            reason, what = REFUSED.get(word, ("unsupported", "this command is not read"))
            self.stream.fail(reason, what)
        reason = "relation" if token.text in RELATIONS else "syntax"
        self.stream.fail(reason, f"{token.text!r} where a value is due")

    def _literal(self) -> Expression:
        token = self.stream.take()
        self._kind = "number"
        following = self.stream.peek()
        while following and following.kind == "number" and following.spaced:
            if len(following.text) != 3 or not token.text.isdigit():
                break
            self.stream.take()
            token = Token("number", token.text + following.text, token.position, following.end)
            following = self.stream.peek()
        if following and following.text in ("e", "E") and following.glued:
            after = self.stream.peek(1)
            if after and after.glued and (after.kind == "number" or after.text in "+-"):
                self.stream.fail("ambiguous", "a power of ten or a symbol", fix=r"\times 10^{n}")
        exponent = self._power_of_ten()
        return self.number(token) if exponent is None else self.number(token, exponent)

    def _power_of_ten(self) -> str | None:
        r"""The exponent of `\times 10^{n}` after a number, its tokens taken."""
        tokens = [self.stream.peek(ahead) for ahead in range(7)]
        texts = ["" if token is None else token.text for token in tokens]
        if texts[:3] != [r"\times", "10", "^"]:
            return None
        if texts[3] != "{":
            if len(texts[3]) > 1 or not texts[3].isdigit():
                return None
            self.stream.index += 4
            return texts[3]
        sign = texts[4] if texts[4] in ("-", "+") else ""
        digits, close = texts[4 + bool(sign)], texts[5 + bool(sign) :][:1]
        if not digits.isdigit() or close != ["}"]:
            return None
        self.stream.index += 6 + bool(sign)
        return sign + digits

    def _switched(self, brace: Token) -> Expression:
        symbol = read_symbol(self.stream, scripts=False)
        self.stream.expect("}", brace)
        if symbol.upright and symbol.ident in FUNCTIONS:
            return self._function(symbol.ident, symbol.token)
        spelling, ident = read_scripts(self.stream)
        full = Symbol(symbol.spelling + spelling, symbol.ident + ident, symbol.token, upright=True)
        return self._after_symbol(full)

    def _fraction(self) -> Expression:
        token = self.stream.take()
        self._check_derivative()
        digits = self.stream.peek()
        if digits is not None and digits.kind == "number" and len(digits.text) > 1:
            if len(digits.text) > 2 or not digits.text.isdigit():
                self.stream.fail("ambiguous", "several digits need braces here")
            self.stream.take()
            parts = [
                self.number(Token("number", digit, digits.position, digits.end))
                for digit in digits.text
            ]
            value = self.node("div", tuple(parts), token)
        else:
            over = self.argument()
            value = self.node("div", (over, self.argument()), token)
        self._kind = "other"
        return value

    def _check_derivative(self) -> None:
        if self.names is not None and self.names.find("d", "d"):
            return
        heads: list[list[str]] = []
        place = self.stream.index
        for _ in range(2):
            if place >= len(self.stream.tokens) or self.stream.tokens[place].text != "{":
                return
            close = self.stream.closing(place) or len(self.stream.tokens) - 1
            heads.append([token.text for token in self.stream.tokens[place + 1 : close]])
            place = close + 1
        upper, lower = heads
        if upper[:1] == ["d"] == lower[:1] and len(lower) > 1 and lower[1] not in "_+-/*^":
            self.stream.fail("derivative", "a derivative")

    def _root(self) -> Expression:
        token = self.stream.take()
        index: Expression = 2.0
        if self.stream.sees("["):
            opening = self.stream.take()
            index = self.sum()
            self.stream.expect("]", opening)
        value = self.argument()
        self._kind = "other"
        if index == 2.0:
            return self.node("sqrt", (value,), token)
        if index == 3.0:
            return self.node("cbrt", (value,), token)
        return self.node(
            "pow", (value, self.node("div", (self.leaf(1.0, token), index), token)), token
        )

    def _symbol(self) -> Expression:
        letters = self._letters()
        bare = read_symbol(self.stream, letters, scripts=False)
        if bare.spelling == "d" and self.names is None and self._touches():
            self.stream.fail("derivative", "a differential or a product", at=bare.token)
        spelling, ident = read_scripts(self.stream)
        symbol = Symbol(bare.spelling + spelling, bare.ident + ident, bare.token, bare.upright)
        if symbol.spelling in DIFFERENCES and starts_symbol(self.stream.peek()):
            symbol = self._difference(symbol)
        return self._after_symbol(symbol)

    def _touches(self) -> bool:
        following = self.stream.peek()
        return following is not None and not following.spaced and starts_symbol(following)

    def _difference(self, mark: Symbol) -> Symbol:
        index = self.stream.index
        whole = joined(mark, read_symbol(self.stream))
        if self.names is not None:
            found = self.names.find(whole.spelling, whole.ident)
            if found and self.names.find(mark.spelling, mark.ident):
                self.stream.fail("ambiguous", "a difference or a product", at=mark.token)
            if found:
                return whole
            self.stream.index = index
            return mark
        spaced = self.stream.tokens[index].spaced
        if spaced or mark.ident == "delta":
            self.stream.fail("ambiguous", "a difference or a product", at=mark.token)
        return whole

    def _after_symbol(self, symbol: Symbol) -> Expression:
        following = self.stream.peek()
        if self.names is not None:
            applied = self.names.applied(self.stream, symbol)
            if applied is not None:
                self._kind = "power"
                return self.leaf(Var(applied), symbol.token)
        if following is not None and following.text == "^" and self.is_euler(symbol):
            return self._exponential(symbol)
        value = self.variable(symbol)
        self._kind = "symbol"
        self._last = symbol
        if following is not None and following.kind == "open":
            self._check_application(symbol, following)
        return value

    def _lone(self) -> bool:
        """Whether the bracket at the stream's place holds one number or symbol only."""
        start = self.stream.index
        close = self.stream.closing(start)
        inside = self.stream.tokens[start + 1 : close]
        if len(inside) == 1 and inside[0].kind == "number":
            return True
        copy = Stream(self.stream.text, list(inside))
        try:
            read_symbol(copy)
        except LatexError:
            return False
        return copy.peek() is None

    def _exponential(self, symbol: Symbol) -> Expression:
        value = self._exponent()
        if symbol.spelling == "e" and self.names is None and isinstance(value, float):
            self.stream.fail(
                "ambiguous", "a power of the symbol e or of Euler's number", at=symbol.token,
                fix=r"declare the names, or write \exp or an upright e",
            )  # fmt: skip
        if self.stream.sees("^", "_", "'"):
            self.stream.fail("syntax", "a second script")
        self._kind = "power"
        return self.node("exp", (value,), symbol.token)

    def _check_application(self, symbol: Symbol, opening: Token) -> None:
        """Refuses `f(x)`; with declared names `k(a + b)` is a product."""
        if opening.text not in ("(", "[", "{{"):
            return
        close = self.stream.closing(self.stream.index)
        inside = self.stream.tokens[self.stream.index + 1 : close]
        listed = any(token.text in (",", ";", "=") or token.kind == "bar" for token in inside)
        # Nobody writes k(a) for a product: a lone argument is a function's.
        if listed or not any(token.text in ("+", "-", *_SIGNS) for token in inside):
            self.stream.fail(
                "application", f"{symbol.ident!r} applied to an argument", at=symbol.token,
                fix="declare it with its argument as a name, if it is one quantity",
            )  # fmt: skip
        if symbol.spelling in (r"\pi", "rm:e"):
            return
        if self.names is None:
            self.stream.fail(
                "ambiguous", f"{symbol.ident!r} times or applied to what is in brackets",
                at=symbol.token, fix=r"declare the names, or write \cdot",
            )  # fmt: skip
        if self.names.is_function(symbol):
            self.stream.fail(
                "application", f"{symbol.ident!r} at another argument", at=symbol.token
            )

    def _letters(self) -> int:
        """How many adjacent letters here spell one declared name."""
        run = 0
        while (token := self.stream.peek(run)) and token.kind == "letter":
            if run > 64 or (run and not token.glued):
                break
            run += 1
        if run < 2 or run > 64:
            return 1
        index = self.stream.index
        text = "".join(token.text for token in self.stream.tokens[index : index + run])
        if self.names is None:
            if spells_function(text):
                self.stream.fail(
                    "ambiguous", "a function without its backslash, or a product of letters"
                )
            return 1
        return self._split(text, self.names)

    def _split(self, text: str, names: Names) -> int:
        """The length of the first name, where adjacent letters are names in one way only."""
        run = len(text)
        index = self.stream.index
        self.stream.index += run
        spelling, ident = read_scripts(self.stream)
        self.stream.index = index
        ways = [0] * run + [1]
        longest = [1] * run
        for start in reversed(range(run)):
            for end in range(start + 1, run + 1):
                more = (spelling, ident) if end == run else ("", "")
                name = text[start:end]
                bound = not more[0] and name in self.stream.bound
                if ways[end] and (bound or names.find(name + more[0], name + more[1])):
                    ways[start] += ways[end]
                    longest[start] = end - start
        if ways[0] > 1:
            self.stream.fail("ambiguous", f"{text!r} can be split into names in several ways")
        return longest[0]

    def _function_name(self) -> str | None:
        """The function that starts here, as a command or as upright text."""
        token = self.stream.peek()
        if token is None or token.kind != "command":
            return None
        if token.text[1:] in COMMANDS:
            return token.text[1:]
        if token.text not in (r"\operatorname", r"\mathrm", r"\text", r"\operatorname*"):
            return None
        close = self.stream.closing(self.stream.index + 1)
        inside = self.stream.tokens[self.stream.index + 2 : close]
        word = "".join(piece.text for piece in inside)
        return word if word in FUNCTIONS else None

    @abstractmethod
    def _function(self, name: str, token: Token) -> Expression: ...


__all__ = ("Atoms",)
