r"""Finite sums and products of LaTeX, `\sum_{n=0}^{4} c_n x^n`, written out term by term.

The terms are read from the same tokens, once for each value of the index; `Stream.bound` holds
the value, subscripts look it up there, and factors and exponents become numbers.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal, NoReturn

from lawsmith.expressions.latex_calls import Calls
from lawsmith.expressions.latex_functions import SERIES
from lawsmith.expressions.latex_symbols import FONTS, SWITCHES, VECTORS, Symbol
from lawsmith.expressions.latex_tokens import Stream, Token
from schemas.expression import MAX_NODES, Expression, Op

MAX_TERMS: Final = 64
_MAX_DIGITS: Final = 6
_LARGEST: Final = 2**53


class Series(Calls):
    """Expands sums and products; `_product` comes from the grammar above it."""

    def __init__(
        self,
        stream: Stream,
        names: Mapping[str, str] | Collection[str] | None,
        log_base: Literal["e", 2, 10] | None,
    ) -> None:
        super().__init__(stream, names, log_base)
        self._tail = 0
        self._extents: dict[int, tuple[str, int]] = {}

    @abstractmethod
    def _product(self) -> Expression: ...

    def check_indices(self) -> None:
        """Refuses a text in which the index of a sum is also a symbol outside of it.

        Raises:
            LatexError: it is; font text and declared words of several letters do not count.
        """
        if not self._extents:
            return
        for token, word in self._letters_outside_text():
            declared = self.names is not None and len(word) > 1 and self.names.find(word, word)
            scopes = [
                (start, end)
                for start, (letter, end) in self._extents.items()
                if letter == token.text
            ]
            inside = any(start <= token.position < end for start, end in scopes)
            if scopes and not inside and not declared:
                self.stream.fail(
                    "ambiguous", f"{token.text!r} is also the index of a sum in this text",
                    at=token, fix="put the sum in brackets, or use another letter",
                )  # fmt: skip

    def power(
        self, base: Expression, exponent: Expression, at: Token, *, indexed: bool
    ) -> Expression:
        """A base with its exponent; with an index of 0 it is 1 (at 0 too), with 1 the base."""
        if indexed and exponent == 1.0:
            return base
        if indexed and exponent == 0.0:
            return self.leaf(1.0, at)
        return self.node("pow", (base, exponent), at)

    def exponent(self, value: Expression, start: int) -> Expression:
        """An exponent read from `start` on; whole arithmetic on an index is worked out."""
        end = self.stream.index
        # Places of the term before may lie further on.
        indexed = any(start <= place < end for place in self.stream.used.values())
        whole = _whole(value) if indexed else None
        self._indexed = whole is not None
        return value if whole is None else float(whole)

    def variable(self, symbol: Symbol) -> Expression:
        """The leaf of a symbol; an index is its present value."""
        bound = self.stream.bound
        if symbol.spelling in bound:
            self.stream.used[symbol.spelling] = self.stream.index - 1
            return self.leaf(float(bound[symbol.spelling]), symbol.token)
        # Scripts and accents do not tell the index from another symbol safely.
        if symbol.ident.partition("_")[0] in bound:
            self.stream.fail("ambiguous", "the index of the sum or another symbol", at=symbol.token)
        return super().variable(symbol)

    def _difference(self, mark: Symbol) -> Symbol:
        following = self.stream.peek()
        if following is not None and following.text in self.stream.bound:
            self.stream.fail("ambiguous", "a difference of the index of the sum", at=mark.token)
        return super()._difference(mark)

    def _after_symbol(self, symbol: Symbol) -> Expression:
        if symbol.spelling not in self.stream.bound:
            return super()._after_symbol(symbol)
        value = self.variable(symbol)
        self._kind = "symbol"
        self._last = None
        following = self.stream.peek()
        if following is not None and following.kind == "open" and self._lone():
            self.stream.fail("ambiguous", "the index of the sum before a lone bracket")
        return value

    def _atom(self) -> Expression:
        token = self.stream.peek()
        if token is not None and token.text in SERIES:
            return self._series()
        return super()._atom()

    def _series(self) -> Expression:
        place = self.stream.index
        sign = self.stream.take()
        letter, values = self._bounds(sign)
        self._deeper()
        start, before = self.stream.index, self._nodes
        if self.stream.sees("+", "-"):
            self.stream.fail("ambiguous", "a sign behind the sign of a sum", fix="use brackets")
        terms: list[Expression] = []
        for value in values:
            self.stream.index = start
            self.stream.bound[letter] = value
            terms.append(self._product())
            if not terms[1:]:
                self._check_body(sign, letter, place, start)
                if before + 1 + (self._nodes - before) * len(values) > MAX_NODES:
                    self.stream.fail("limit", f"more than {MAX_NODES} nodes", at=sign)
        del self.stream.bound[letter]
        del self.stream.used[letter]
        self._nesting -= 1
        self._kind = "series"
        end = max(token.end for token in self.stream.tokens[place : self.stream.index])
        self._extents[sign.position] = (letter, end)
        return terms[0] if len(terms) == 1 else self.node(SERIES[sign.text], tuple(terms), sign)

    def _check_body(self, sign: Token, letter: str, place: int, start: int) -> None:
        """Refuses a body of which print does not show where it ends."""
        used = self.stream.used.get(letter, -1)
        if used < start:
            self.stream.fail("ambiguous", f"the index {letter!r} is not in what follows", at=sign)
        if sign.text == r"\prod" and used < self._tail:
            self.stream.fail(
                "ambiguous", "whether the last factor belongs to the product over the index",
                at=self.stream.tokens[self._tail], fix="put the product or its body in brackets",
            )  # fmt: skip
        while place and self.stream.tokens[place - 1].text in ("+", "-"):
            place -= 1
        divided = place and self.stream.tokens[place - 1].text in ("/", r"\div")
        if divided and self._compound:
            self.stream.fail(
                "ambiguous", "how much of the sum is under the slash", at=sign,
                fix=r"use \frac or brackets",
            )  # fmt: skip

    def _bounds(self, sign: Token) -> tuple[str, range]:
        """The index and its values, from the scripts of the sign in either order."""
        letter, lower, upper = "", None, None
        while self.stream.sees("_", "^"):
            script = self.stream.take()
            braced = self.stream.sees("{")
            close = self.stream.closing(self.stream.index) if braced else self.stream.index + 1
            inside = self.stream.tokens[self.stream.index + braced : close]
            self.stream.index = (close or self.stream.index) + braced
            if script.text == "^" and upper is None:
                upper = self._integer(inside, sign, braced=braced)
            elif script.text == "_" and lower is None and len(inside) > 2 and inside[1].text == "=":
                letter = inside[0].text if inside[0].kind == "letter" else ""
                lower = self._integer(inside[2:], sign, braced=braced)
            else:
                self._no_bounds(sign)
        if not letter or lower is None or upper is None:
            return self._no_bounds(sign)
        if letter in ("e", "d") or letter in self.stream.bound:
            self.stream.fail("ambiguous", f"the index {letter!r} has another meaning here", at=sign)
        if upper < lower:
            self.stream.fail("sum", f"no term: the bounds are {lower} and {upper}", at=sign)
        if upper - lower >= MAX_TERMS:
            terms = upper - lower + 1
            self.stream.fail("limit", f"{terms} terms; at most {MAX_TERMS} are read", at=sign)
        return letter, range(lower, upper + 1)

    def _integer(self, tokens: list[Token], sign: Token, *, braced: bool) -> int:
        negative = bool(tokens) and tokens[0].text == "-"
        digits = tokens[negative or (bool(tokens) and tokens[0].text == "+") :]
        if len(digits) != 1 or not digits[0].text.isdigit():
            return self._no_bounds(sign)
        text = digits[0].text
        if not braced and len(text) > 1:
            self.stream.fail("ambiguous", "several digits need braces here", at=digits[0])
        if len(text) > _MAX_DIGITS:
            self.stream.fail("limit", f"a bound of more than {_MAX_DIGITS} digits", at=digits[0])
        return -int(text) if negative else int(text)

    def _no_bounds(self, sign: Token) -> NoReturn:
        self.stream.fail("sum", "a sum or product without literal bounds", at=sign)

    def _letters_outside_text(self) -> Iterator[tuple[Token, str]]:
        """The letters of the text that are no upright or bold type, each with its run."""
        tokens = self.stream.tokens
        place = 0
        while place < len(tokens):
            token = tokens[place]
            place += 1
            if token.text in FONTS or token.text in VECTORS:
                place = self._behind_text(place, switch=token.text in SWITCHES)
            elif token.kind == "letter":
                end = place
                while end < len(tokens) and tokens[end].kind == "letter" and tokens[end].glued:
                    end += 1
                run = tokens[place - 1 : end]
                word = "".join(each.text for each in run)
                yield from ((each, word) for each in run)
                place = end

    def _behind_text(self, place: int, *, switch: bool) -> int:
        """The index behind the text of a font command, or the end of a switch's group."""
        tokens = self.stream.tokens
        if not switch:
            braced = place < len(tokens) and tokens[place].text == "{"
            return (self.stream.closing(place) or place) + 1 if braced else place + 1
        depth = 0
        while place < len(tokens) and depth >= 0:
            depth += {"{": 1, "}": -1}.get(tokens[place].text, 0)
            place += 1
        return place


def _whole(value: Expression) -> int | None:
    """The integer that sums, differences, products and signs of integers make, else None."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _LARGEST else None
    if not isinstance(value, Op) or value.op not in ("add", "sub", "mul", "neg"):
        return None
    parts = [_whole(arg) for arg in value.args]
    total = parts[0]
    for part in parts[1:]:
        if total is None or part is None:
            return None
        total = {"add": total + part, "sub": total - part, "mul": total * part}[value.op]
    if value.op == "neg" and total is not None:
        total = -total
    return total if total is not None and abs(total) < _LARGEST else None
