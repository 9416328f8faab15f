"""Formulas in plain text, as a page without TeX prints them: `J = Lp P exp(-c/cg) / (1 + P/Pf)`.

Symbols that stand side by side are multiplied. What cannot be read for certain is not read:
a piece of a stacked fraction, a glued run of unknown letters, a lost exponent.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from lawsmith.curation.evidence.symbols import plain_symbols
from schemas.expression import Expression, Op, Var

FUNCTIONS: Final = frozenset(
    {"exp", "ln", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "abs"}
    | {"asin", "acos", "atan", "log", "log10", "log2", "min", "max"}
)
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z0-9]*_))"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*)|(?P<sign>\*\*|[-+*/^()\[\]{}]))"
)
_TIDY: Final = str.maketrans(
    {"−": "-", "–": "-", "‐": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "∕": "/", "⁄": "/"}
)
_STRANGE_FACTOR: Final = re.compile(r"[A-Za-z]|\s*[A-Za-z]\w*[\^(]")
"""What a formula goes on with that is neither prose nor a unit: an unknown symbol."""
_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
LogBase = str


class UnreadError(Exception):
    """The text is no formula that can be read for certain."""


@dataclass(frozen=True)
class PlainFormula:
    """A formula and the text behind it.

    Attributes:
        expression: over folded spellings.
        rest: what stands behind it.
    """

    expression: Expression
    rest: str


def read_plain(text: str, known: Collection[str], log: LogBase = "log") -> PlainFormula:
    """The longest formula at the start of a text.

    Args:
        text: behind the equals sign.
        known: folded spellings of the symbols that may be split out of a glued run.
        log: the operator that a bare `log` means.

    Raises:
        UnreadError: no formula stands there.
    """
    reader = _Reader(plain_symbols(text.translate(_TIDY)), frozenset(known), log)
    expression = reader.sum()
    rest = reader.text[reader.position :]
    if _STRANGE_FACTOR.match(rest):
        raise UnreadError(rest[:20])
    return PlainFormula(expression, rest)


class _Reader:
    def __init__(self, text: str, known: frozenset[str], log: str) -> None:
        self.text = text
        self.known = known
        self.log = log
        self.position = 0
        self.depth = 0
        self._pending: list[str] = []

    def sum(self) -> Expression:
        terms = [self._term()]
        while (sign := self._sign()) in ("+", "-"):
            self._take()
            term = self._term()
            terms.append(term if sign == "+" else Op("neg", (term,)))
        return terms[0] if len(terms) == 1 else Op("add", tuple(terms))

    def _term(self) -> Expression:
        value = self._signed()
        while True:
            sign = self._sign()
            if sign in ("*", "/"):
                self._take()
                value = Op("mul" if sign == "*" else "div", (value, self._signed()))
            elif self._starts_factor(value):
                value = Op("mul", (value, self._power()))
            else:
                return value

    def _starts_factor(self, before: Expression) -> bool:
        token = self._peek()
        if self._pending or (token["sign"] or "") in _OPEN:
            return not self._equation_number()
        word = token["word"]
        if word is None:
            return False
        # Outside brackets an unknown word behind a whole factor is a unit or prose.
        return bool(word in FUNCTIONS or self._split(word)) or self.depth > 0

    def _equation_number(self) -> bool:
        rest = self.text[self.position :]
        return self.depth == 0 and re.match(r"\s*\(\d+[a-z]?\)\s*$", rest) is not None

    def _signed(self) -> Expression:
        if self._sign() in ("-", "+"):
            sign = self._take()
            value = self._signed()
            return Op("neg", (value,)) if sign == "-" else value
        return self._power()

    def _power(self) -> Expression:
        base = self._atom()
        if self._sign() in ("^", "**"):
            self._take()
            return Op("pow", (base, self._signed()))
        return base

    def _atom(self) -> Expression:
        if self._pending:
            return Var(self._pending.pop(0))
        token = self._peek()
        if token["number"] is not None:
            self._take()
            return float(token["number"])
        if (token["sign"] or "") in _OPEN:
            return self._bracket()
        word = token["word"]
        if word is None:
            raise UnreadError(self.text[self.position : self.position + 20])
        self._take()
        if word in FUNCTIONS and word not in self.known:
            return self._call(word)
        parts = self._split(word) or [word]
        self._pending = parts[1:]
        if parts[0] == "e" and "e" not in self.known and self._sign() == "^":
            self._take()
            return Op("exp", (self._signed(),))
        return Var(parts[0])

    def _bracket(self) -> Expression:
        closing = _OPEN[self._take()]
        self.depth += 1
        value = self.sum()
        if self._sign() != closing:
            raise UnreadError("a bracket does not close")
        self._take()
        self.depth -= 1
        return value

    def _call(self, word: str) -> Expression:
        raised: Expression | None = None
        if self._sign() == "^":
            self._take()
            raised = self._atom()
        argument = self._bracket() if (self._sign() or "") in _OPEN else self._power()
        name = {"ln": "log", "log": self.log}.get(word, word)
        if name in ("min", "max"):
            raise UnreadError("a list of arguments")
        value = Op(name, (argument,))
        return value if raised is None else Op("pow", (value, raised))

    def _split(self, word: str) -> list[str] | None:
        """The known symbols that a glued run is made of, if it is made so in one way only."""
        if word in self.known:
            return [word]
        ways = _segments(word, self.known | {"pi"})
        return ways[0] if len(ways) == 1 else None

    def _peek(self) -> dict[str, str | None]:
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            return {"number": None, "word": None, "sign": None}
        return match.groupdict()

    def _sign(self) -> str | None:
        return None if self._pending else self._peek()["sign"]

    def _take(self) -> str:
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            raise UnreadError("the text ends")
        self.position = match.end()
        return match[0].strip()


def _segments(word: str, known: Collection[str]) -> list[list[str]]:
    if not word:
        return [[]]
    found: list[list[str]] = []
    for length in range(1, len(word) + 1):
        if word[:length] in known:
            found += [[word[:length], *rest] for rest in _segments(word[length:], known)]
            if len(found) > 1:
                break
    return found


__all__ = ("FUNCTIONS", "PlainFormula", "UnreadError", "read_plain")
