"""Infix text -> expression: our own allow-list reader; no text is ever evaluated.

The grammar is Python's for `+ - * / **`, unary signs, parentheses and calls, with `^` as a
second spelling of `**`. Names are ASCII identifiers (`lambda` and `in` are as good as any);
a name before `(` must be an operator of the table, `pi` is `acos(-1)`. A chain of `+` or `*`
gives one n-ary node; parentheses keep a group apart; a minus sign before a number that no
power follows belongs to the number. Sizes are counted while reading, before a node is made.
"""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from lawsmith.errors import ParseError
from schemas.expression import ARITIES, MAX_DEPTH, MAX_INTEGER, MAX_NODES, Expression, Op, Var

MAX_TEXT: Final = 20_000
MAX_NESTING: Final = 2 * MAX_DEPTH
PI: Final = Op("acos", (-1.0,))

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    # Possessive: a long row of digits is read once, not once for each way to cut it.
    r"|(?P<number>(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?![A-Za-z0-9_.])"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*+)"
    r"|(?P<sign>\*\*|\^|/(?!/)|[-+*(),])"
)
_BINARY: Final = {"+": ("add", 1), "-": ("sub", 1), "*": ("mul", 2), "/": ("div", 2)}
_POWER: Final = ("**", "^")
_UNARY_LEVEL: Final = 3


def parse_infix(text: str, names: Collection[str] | None = None) -> Expression:
    """The expression of an infix text such as `k*(m1 + m2)^2/r**2 - sqrt(2*pi)`.

    Args:
        text: ASCII, at most 20,000 characters.
        names: the declared names; None accepts every identifier.

    Raises:
        ParseError: with the 0-based position of the first character at fault.
    """
    if not isinstance(text, str):
        raise ParseError(f"a {type(text).__name__} is no text")
    if len(text) > MAX_TEXT:
        raise ParseError(f"{len(text)} characters; at most {MAX_TEXT} are read", position=MAX_TEXT)
    reader = _Reader(_tokens(text), len(text), None if names is None else frozenset(names))
    expression = reader.level(1)
    reader.expect_end()
    return expression


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ParseError(
                f"{text[position : position + 12]!r} cannot be read here",
                position=position,
                fix=_advice(text, position),
            )
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(_Token(kind, match.group(), position))
        position = match.end()
    return found


def _advice(text: str, position: int) -> str:
    if text.startswith(("//", "%"), position):
        return "write floor(a/b) or mod(a, b)"
    if not text[position].isascii():
        return "only ASCII is read: write -, *, sqrt(x), pi and Latin names"
    if text[position] in "=<>!":
        return "give the right-hand side only"
    return "use numbers, names, + - * / ** ( ) , and the operators of the table"


class _Reader:
    """A precedence climber over the tokens; it counts nodes and depth as it goes."""

    def __init__(self, tokens: list[_Token], end: int, names: frozenset[str] | None) -> None:
        self._tokens = tokens
        self._end = end
        self._names = names
        self._next = 0
        self._nodes = 0
        self._nesting = 0

    def level(self, lowest: int) -> Expression:
        """Everything from here that binds at least as tightly as `lowest`."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise ParseError(f"nested deeper than {MAX_NESTING}", position=self._position())
        left = self._unary()
        chained: str | None = None
        while (token := self._peek()) and token.kind == "sign" and token.text in _BINARY:
            name, binding = _BINARY[token.text]
            if binding < lowest:
                break
            self._next += 1
            right = self.level(binding + 1)
            if name == chained and name in ("add", "mul") and isinstance(left, Op):
                left = Op(name, (*left.args, right))
            else:
                left = self._node(name, (left, right), token.position)
            chained = name
        self._nesting -= 1
        return left

    def expect_end(self) -> None:
        """Raises ParseError unless every token is used."""
        if token := self._peek():
            raise ParseError(
                f"{token.text[:40]!r} stands after a whole expression; an operator such as"
                " '*' may be missing",
                position=token.position,
            )

    def _unary(self) -> Expression:
        token = self._peek()
        if token is None or token.text not in ("-", "+"):
            return self._power()
        self._next += 1
        if token.text == "-" and self._literal_follows():
            return -self._number(self._take()) + 0.0
        inner = self.level(_UNARY_LEVEL)
        return inner if token.text == "+" else self._node("neg", (inner,), token.position)

    def _literal_follows(self) -> bool:
        token, after = self._peek(), self._peek(1)
        if token is None or token.kind != "number":
            return False
        return after is None or after.text not in _POWER

    def _power(self) -> Expression:
        base = self._atom()
        token = self._peek()
        if token is None or token.text not in _POWER:
            return base
        self._next += 1
        return self._node("pow", (base, self.level(_UNARY_LEVEL)), token.position)

    def _atom(self) -> Expression:
        token = self._take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name":
            follower = self._peek()
            if follower is not None and follower.text == "(":
                return self._call(token)
            return self._name(token)
        if token.text != "(":
            raise ParseError(f"{token.text!r} where a value is due", position=token.position)
        inner = self.level(1)
        self._close(token)
        return inner

    def _number(self, token: _Token) -> float:
        self._count(token.position)
        value = float(token.text)
        # Digits beyond 17 need not be read; Python refuses to read thousands of them.
        digits = token.text.lstrip("0") if token.text.isdigit() else ""
        if digits and int(digits[:17]) > MAX_INTEGER:
            raise ParseError(f"integer {digits[:40]} is beyond 2^53", position=token.position)
        vanished = value == 0.0 and re.match(r"[0.]*[1-9]", token.text) is not None
        if vanished or not math.isfinite(value):
            raise ParseError(f"number {token.text[:40]} is beyond float64", position=token.position)
        return value

    def _name(self, token: _Token) -> Expression:
        if token.text == "pi":
            return self._node(
                "acos", (self._number(_Token("number", "1", token.position)) * -1,), token.position
            )
        if len(token.text) > 64:
            raise ParseError(
                f"name {token.text[:64]!r}… is longer than 64", position=token.position
            )
        if self._names is not None and token.text not in self._names:
            known = ", ".join(sorted(self._names)[:12])
            raise ParseError(
                f"name {token.text!r} is not declared",
                position=token.position,
                fix=f"the declared names are {known or 'none'}",
            )
        self._count(token.position)
        return Var(token.text)

    def _call(self, name: _Token) -> Expression:
        if name.text not in ARITIES:
            raise ParseError(
                f"{name.text[:40]!r} is not an operator",
                position=name.position,
                fix=f"operators: {', '.join(sorted(ARITIES))}; a product needs '*'",
            )
        opening = self._take()
        args = [self.level(1)]
        while (token := self._peek()) and token.text == ",":
            self._next += 1
            args.append(self.level(1))
        self._close(opening)
        fewest, most = ARITIES[name.text]
        if len(args) < fewest or (most is not None and len(args) > most):
            bound = str(fewest) if most == fewest else f"at least {fewest}"
            raise ParseError(
                f"{name.text} has {len(args)} arguments; it takes {bound}", position=name.position
            )
        return self._node(name.text, tuple(args), name.position)

    def _close(self, opening: _Token) -> None:
        token = self._peek()
        if token is None or token.text != ")":
            raise ParseError(
                f"the '(' at {opening.position} is not closed", position=self._position()
            )
        self._next += 1

    def _node(self, name: str, args: tuple[Expression, ...], position: int) -> Op:
        self._count(position)
        node = Op(name, args)
        if _depth(node) > MAX_DEPTH:
            raise ParseError(f"deeper than {MAX_DEPTH}", position=position)
        return node

    def _count(self, position: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ParseError(f"more than {MAX_NODES} nodes", position=position)

    def _peek(self, ahead: int = 0) -> _Token | None:
        index = self._next + ahead
        return self._tokens[index] if index < len(self._tokens) else None

    def _take(self) -> _Token:
        token = self._peek()
        if token is None:
            raise ParseError("the text ends where a value is due", position=self._end)
        self._next += 1
        return token

    def _position(self) -> int:
        token = self._peek()
        return self._end if token is None else token.position


def _depth(expression: Expression) -> int:
    deepest = 0
    stack = [(expression, 0)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        if isinstance(node, Op):
            stack.extend((arg, depth + 1) for arg in node.args)
    return deepest


__all__ = ("MAX_TEXT", "PI", "parse_infix")
