"""Nodes made while LaTeX is read: sizes are counted before a node is, names are resolved."""

import math
import re
from collections.abc import Collection, Mapping
from typing import Final

from lawsmith.expressions.latex.names import Names
from lawsmith.expressions.latex.symbols import Symbol
from lawsmith.expressions.latex.tokens import Stream, Token
from lawsmith.expressions.latex_functions import UNKNOWN
from lawsmith.expressions.parsing import PI
from schemas.expression import MAX_DEPTH, MAX_INTEGER, MAX_NODES, Expression, Op, Var, walk

MAX_BRACKETS: Final = MAX_DEPTH + 4


class Nodes:
    """Counts nodes and depth, and turns numbers and symbols into leaves."""

    def __init__(self, stream: Stream, names: Mapping[str, str] | Collection[str] | None) -> None:
        self.stream = stream
        self.names = None if names is None else Names(names)
        self._spellings: dict[str, str] = {}
        self.count = 0
        """Nodes made so far."""
        self._depths: dict[int, tuple[Op, int]] = {}

    def node(self, name: str, args: tuple[Expression, ...], at: Token) -> Op:
        """An operator node.

        Raises:
            LatexError: more than 1,024 nodes or deeper than 64.
        """
        self._count(at)
        return self._kept(Op(name, args), 1 + max(map(self._depth, args)), at)

    def _kept(self, node: Op, depth: int, at: Token) -> Op:
        if depth > MAX_DEPTH:
            self.stream.fail("limit", f"deeper than {MAX_DEPTH}", at=at)
        self._depths[id(node)] = (node, depth)
        return node

    def longer(self, node: Op, arg: Expression, at: Token) -> Op:
        """The n-ary node with one more argument."""
        depth = max(self._depth(node), 1 + self._depth(arg))
        return self._kept(Op(node.op, (*node.args, arg)), depth, at)

    def again(self, expression: Expression, at: Token) -> None:
        """Counts the nodes of an expression that the tree has once more."""
        for _ in walk(expression):
            self._count(at)

    def constant(self, node: Op, at: Token) -> Op:
        """A constant such as pi, counted."""
        return self.node(node.op, tuple(self.leaf(arg, at) for arg in node.args), at)

    def leaf(self, value: Expression, at: Token) -> Expression:
        """A number or variable, counted."""
        self._count(at)
        return value

    def number(self, token: Token, exponent: str = "0") -> float:
        """The number of a token times a power of ten.

        Raises:
            LatexError: an integer beyond 2^53, or a number beyond float64.
        """
        digits = token.text.replace("{,}", "")
        if len(exponent) > 5:
            self.stream.fail("limit", "the power of ten is beyond float64", at=token)
        value = float(f"{digits}e{exponent}")
        whole = exponent == "0" and digits.isdigit()
        if whole and (len(digits) > 40 or int(digits) > MAX_INTEGER):
            self.stream.fail("limit", f"integer {digits[:40]} is beyond 2^53", at=token)
        vanished = value == 0.0 and digits.strip("0.") != ""
        if vanished or not math.isfinite(value):
            self.stream.fail("limit", f"number {digits[:40]} is beyond float64", at=token)
        self._count(token)
        return value

    def variable(self, symbol: Symbol) -> Expression:
        r"""The leaf of a symbol; `\pi` is acos(-1) and an upright e is exp(1) unless declared.

        The index of a sum is its present value.

        Raises:
            LatexError: not declared, or one of the symbols that mean several things.
        """
        bound = self.stream.bound
        if symbol.spelling in bound:
            self.stream.used[symbol.spelling] = self.stream.index - 1
            return self.leaf(float(bound[symbol.spelling]), symbol.token)
        # Scripts and accents do not tell the index from another symbol safely.
        if symbol.ident.partition("_")[0] in bound:
            self.stream.fail("ambiguous", "the index of the sum or another symbol", at=symbol.token)
        declared = None if self.names is None else self._declared(symbol)
        if declared is None:
            if symbol.spelling == r"\pi":
                return self.constant(PI, symbol.token)
            if symbol.spelling == "rm:e":
                return self.constant(Op("exp", (1.0,)), symbol.token)
            self._refuse(symbol)
            declared = symbol.ident
        if len(declared) > 64:
            self.stream.fail("name", f"name {declared[:64]!r}… is longer than 64", at=symbol.token)
        # Words are one name in either type; single letters may be two.
        spelling = re.sub(r"^(it:|rm:(?=\w\w))", "", symbol.spelling)
        known = self._spellings.setdefault(declared, spelling)
        if known != spelling and self.names is None:
            self.stream.fail(
                "ambiguous",
                f"{declared!r} would be two symbols of this text, {known!r} and {spelling!r}",
                at=symbol.token,
                fix="declare the names",
            )
        return self.leaf(Var(declared), symbol.token)

    def is_euler(self, symbol: Symbol) -> bool:
        """Whether a power of the symbol is the exponential function."""
        if symbol.spelling not in ("e", "rm:e"):
            return False
        return self.names is None or self._declared(symbol) is None

    def _declared(self, symbol: Symbol) -> str | None:
        if self.names is None:
            return None
        if symbol.spelling in (r"\pi", "rm:e"):
            return self.names.spelled(symbol.spelling)
        return self.names.find(symbol.spelling, symbol.ident)

    def _refuse(self, symbol: Symbol) -> None:
        at, spelling = symbol.token, symbol.spelling
        if spelling in ("rm:d", "rm:i"):
            what = "a differential" if spelling == "rm:d" else "the imaginary unit"
            self.stream.fail("derivative" if spelling == "rm:d" else "unsupported", what, at=at)
        if self.names is not None:
            known = ", ".join(self.names.shown[:12])
            self.stream.fail(
                "name",
                f"symbol {symbol.ident!r} is not declared",
                at=at,
                fix=f"the declared names are {known or 'none'}",
            )
        if spelling.startswith("rm:") and spelling[3:] in UNKNOWN:
            self.stream.fail("unsupported", "a function that the language has not", at=at)
        if spelling in ("e", "i"):
            other = "Euler's number" if spelling == "e" else "the imaginary unit"
            self.stream.fail(
                "ambiguous", f"{spelling!r} is a symbol or {other}", at=at, fix="declare the names"
            )
        if "_bold" in symbol.ident or "_vec" in symbol.ident:
            self.stream.fail("vector", "a vector", at=at, fix="declare it if it is a scalar")

    def _count(self, at: Token) -> None:
        self.count += 1
        if self.count > MAX_NODES:
            self.stream.fail("limit", f"more than {MAX_NODES} nodes", at=at)

    def _depth(self, expression: Expression) -> int:
        return self._depths[id(expression)][1] if isinstance(expression, Op) else 0


__all__ = ("MAX_BRACKETS", "Nodes")
