r"""The grammar of LaTeX formulas: sums, products by juxtaposition, powers, functions, series.

A precedence climber over `latex_tokens.Stream`. Trees are those of the infix reader: a chain
of `+` or of products is one n-ary node, `-ab` is `(-a)*b`, a minus sign before a number that
no power follows belongs to the number. What has two readings is refused where it stands.
"""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from lawsmith.expressions.latex.lookahead import (
    bar_follows,
    check_application,
    check_derivative,
    check_exponent,
    function_name,
    is_lone,
    letters_of_name,
    symbol_ahead,
    take_power_of_ten,
    touches_symbol,
)
from lawsmith.expressions.latex.names import DIFFERENCES, joined
from lawsmith.expressions.latex.nodes import MAX_BRACKETS, Nodes
from lawsmith.expressions.latex.series import Indices, read_bounds, whole
from lawsmith.expressions.latex.symbols import (
    SWITCHES,
    Symbol,
    read_scripts,
    read_symbol,
    starts_symbol,
)
from lawsmith.expressions.latex.tokens import Stream, Token
from lawsmith.expressions.latex_functions import (
    COMMANDS,
    FUNCTIONS,
    INVERSES,
    LISTED,
    RECIPROCALS,
    REFUSED,
    RELATIONS,
    RUNNING,
    SERIES,
)
from schemas.expression import MAX_NODES, Expression, Op, Var

_TIMES: Final = (r"\cdot", r"\times", "*")
_OVER: Final = ("/", r"\div")
_STOPS: Final = frozenset(
    ("+", "-", "=", "<", ">", ":=", ",", ";", ":", ".", "}", "^", "_", "'", "!", "~", "$", "$$")
) | {r"\over", r"\bmod", r"\mod", r"\]", r"\)", *_TIMES, *_OVER}
_FRACTIONS: Final = (r"\frac", r"\dfrac", r"\tfrac", r"\cfrac")
_CLOSING: Final = {"(": ")", "[": "]", "{{": "}}", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil"}
_UPRIGHT: Final = (r"\mathrm", r"\text", r"\textrm", r"\mathsf", r"\operatorname", "{")


class Grammar:
    """Reads expressions; every method takes the tokens it reads.

    Args:
        stream: the tokens of a text.
        names: declared names, or None where symbols are names as they stand.
        log_base: what a logarithm without a base means; None = refused.
    """

    def __init__(
        self,
        stream: Stream,
        names: Mapping[str, str] | Collection[str] | None,
        log_base: Literal["e", 2, 10] | None,
    ) -> None:
        self.stream = stream
        self.nodes = Nodes(stream, names)
        self.names = self.nodes.names
        self.indices = Indices()
        self._log_base = log_base
        self._nesting = 0
        self._bars = 0
        self._kind = ""
        self._compound = False
        self._indexed = False
        self._last: Symbol | None = None
        self._tail = 0

    def sum(self) -> Expression:
        r"""A sum up to whatever ends it, or a fraction made with `\over`."""
        self._deeper()
        left = self._terms()
        token = self.stream.peek()
        if token is not None and token.text == r"\over":
            self.stream.take()
            left = self.nodes.node("div", (left, self._terms()), token)
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
                left = self.nodes.longer(left, right, token)
            else:
                left = self.nodes.node(name, (left, right), token)
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
                left = self.nodes.node("div", (left, self._signed()), token)
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
                left = self.nodes.longer(left, right, token)
            else:
                left = self.nodes.node("mul", (left, right), token)
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
        if token.text == "(" and kind in ("number", "bracket", "call") and is_lone(self.stream):
            self.stream.fail(
                "ambiguous", "a factor, an argument or an uncertainty", fix="leave the brackets out"
            )
        after = self.stream.peek(1)
        powered = kind == "symbol" and after is not None and after.text == "^"
        if token.kind == "number" and kind in ("number", "symbol", "run") and not powered:
            self.stream.fail("ambiguous", "a number after a factor without a sign between")
        if kind == "number" and self.names is None and token.text in _UPRIGHT:
            symbol = symbol_ahead(self.stream)
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
        return self.nodes.node("mod", (left, right), token)

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
        return self.nodes.node("neg", (inner,), token)

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
            check_application(self.stream, self.names, last, following)
        if self.stream.sees("^", "_", "'"):
            self.stream.fail("syntax", "a second script")
        return base

    def _exponent(self) -> Expression:
        self.stream.take()
        check_exponent(self.stream, self.names, int(self.stream.sees("{")))
        kept = self._bars
        self._bars = 0
        start = self.stream.index
        value = self.argument()
        self._bars = kept
        return self.exponent(value, start)

    def power(
        self, base: Expression, exponent: Expression, at: Token, *, indexed: bool
    ) -> Expression:
        """A base with its exponent; with an index of 0 it is 1 (at 0 too), with 1 the base."""
        if indexed and exponent == 1.0:
            return base
        if indexed and exponent == 0.0:
            return self.nodes.leaf(1.0, at)
        return self.nodes.node("pow", (base, exponent), at)

    def exponent(self, value: Expression, start: int) -> Expression:
        """An exponent read from `start` on; whole arithmetic on an index is worked out."""
        end = self.stream.index
        # Places of the term before may lie further on.
        indexed = any(start <= place < end for place in self.stream.used.values())
        integer = whole(value) if indexed else None
        self._indexed = integer is not None
        return value if integer is None else float(integer)

    def _atom(self) -> Expression:
        token = self.stream.peek()
        if token is None:
            self.stream.fail("syntax", "the text ends where a value is due")
        if token.text in SERIES:
            return self._series()
        self._kind = "other"
        if token.kind == "number":
            return self._literal()
        if token.kind in ("open", "bar") and token.text not in (r"\langle", r"\|"):
            return self._bracket()
        if token.text == "{":
            return self._braced()
        name = function_name(self.stream)
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
            return self.nodes.number(token)
        self.stream.index -= 1
        if token.text in (*_FRACTIONS, r"\sqrt"):
            self._deeper()
            value = self._atom()
            self._nesting -= 1
            return value
        if not starts_symbol(token):
            self.stream.fail("syntax", f"{token.text!r} where an argument in braces is due")
        return self.nodes.variable(read_symbol(self.stream, scripts=False))

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
        exponent = take_power_of_ten(self.stream)
        return self.nodes.number(token) if exponent is None else self.nodes.number(token, exponent)

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
        check_derivative(self.stream, self.names)
        digits = self.stream.peek()
        if digits is not None and digits.kind == "number" and len(digits.text) > 1:
            if len(digits.text) > 2 or not digits.text.isdigit():
                self.stream.fail("ambiguous", "several digits need braces here")
            self.stream.take()
            parts = [
                self.nodes.number(Token("number", digit, digits.position, digits.end))
                for digit in digits.text
            ]
            value = self.nodes.node("div", tuple(parts), token)
        else:
            over = self.argument()
            value = self.nodes.node("div", (over, self.argument()), token)
        self._kind = "other"
        return value

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
            return self.nodes.node("sqrt", (value,), token)
        if index == 3.0:
            return self.nodes.node("cbrt", (value,), token)
        return self.nodes.node(
            "pow",
            (value, self.nodes.node("div", (self.nodes.leaf(1.0, token), index), token)),
            token,
        )

    def _symbol(self) -> Expression:
        letters = letters_of_name(self.stream, self.names)
        bare = read_symbol(self.stream, letters, scripts=False)
        if bare.spelling == "d" and self.names is None and touches_symbol(self.stream):
            self.stream.fail("derivative", "a differential or a product", at=bare.token)
        spelling, ident = read_scripts(self.stream)
        symbol = Symbol(bare.spelling + spelling, bare.ident + ident, bare.token, bare.upright)
        if symbol.spelling in DIFFERENCES and starts_symbol(self.stream.peek()):
            symbol = self._difference(symbol)
        return self._after_symbol(symbol)

    def _difference(self, mark: Symbol) -> Symbol:
        following = self.stream.peek()
        if following is not None and following.text in self.stream.bound:
            self.stream.fail("ambiguous", "a difference of the index of the sum", at=mark.token)
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
        if symbol.spelling in self.stream.bound:
            return self._index(symbol, following)
        if self.names is not None:
            applied = self.names.applied(self.stream, symbol)
            if applied is not None:
                self._kind = "power"
                return self.nodes.leaf(Var(applied), symbol.token)
        if following is not None and following.text == "^" and self.nodes.is_euler(symbol):
            return self._exponential(symbol)
        value = self.nodes.variable(symbol)
        self._kind = "symbol"
        self._last = symbol
        if following is not None and following.kind == "open":
            check_application(self.stream, self.names, symbol, following)
        return value

    def _index(self, symbol: Symbol, following: Token | None) -> Expression:
        value = self.nodes.variable(symbol)
        self._kind = "symbol"
        self._last = None
        if following is not None and following.kind == "open" and is_lone(self.stream):
            self.stream.fail("ambiguous", "the index of the sum before a lone bracket")
        return value

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
        return self.nodes.node("exp", (value,), symbol.token)

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
        if bare and following and following.kind != "bar" and bar_follows(self.stream, following):
            self.stream.fail("ambiguous", "which bars belong together", fix=r"use \left| \right|")
        if token.text in (r"\lfloor", r"\lceil"):
            return self.nodes.node("floor" if token.text == r"\lfloor" else "ceil", (value,), token)
        return value

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
        return self.nodes.node("abs", (value,), token)

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

    def _deeper(self) -> None:
        self._nesting += 1
        if self._nesting > MAX_BRACKETS:
            self.stream.fail("limit", f"nested deeper than {MAX_BRACKETS}")

    def _function(self, name: str, token: Token) -> Expression:
        if name in LISTED:
            return self._listed(name, token)
        base, power, indexed = self._scripts(name, token)
        operator = FUNCTIONS[name]
        if operator == "log?":
            operator = self._log(base, token)
        if power == -1.0:
            operator = INVERSES.get(operator, "")
            if not operator:
                self.stream.fail("ambiguous", "an inverse function or a reciprocal", at=token)
        value = self._apply(operator, self._argument_of(operator), token)
        if isinstance(base, float) and operator == "log/":
            value = self.nodes.node("div", (value, self.nodes.node("log", (base,), token)), token)
        if power is not None and power != -1.0:
            return self.power(value, power, token, indexed=indexed)
        return value

    def _scripts(
        self, name: str, token: Token
    ) -> tuple[Expression | None, Expression | None, bool]:
        """The base and the power of a function, and whether the power comes of an index."""
        base = power = None
        indexed = False
        while self.stream.sees("_", "^", "'"):
            if self.stream.sees("'"):
                self.stream.fail("derivative", "the derivative of a function")
            if self.stream.sees("_"):
                if base is not None or FUNCTIONS[name] != "log?":
                    self.stream.fail("unsupported", "a subscript on this function")
                self.stream.take()
                base = self._base_of_log()
                continue
            if power is not None or name == "exp":
                self.stream.fail("ambiguous", "a power of the function's name")
            power = self._exponent()
            indexed = self._indexed
            if isinstance(power, float) and power < 0 and (power != -1.0 or indexed):
                self.stream.fail("ambiguous", "a negative power of the function's name", at=token)
        return base, power, indexed

    def _base_of_log(self) -> Expression:
        braced = self.stream.sees("{")
        token = self.stream.peek(int(braced))
        if token is not None and token.text == "e":
            self.stream.index += 1 + 2 * braced
            return self.nodes.node("exp", (self.nodes.leaf(1.0, token),), token)
        if token is not None and token.kind == "number" and not braced and token.text == "10":
            self.stream.fail("ambiguous", "a base of several digits needs braces", at=token)
        return self.argument()

    def _log(self, base: Expression | None, token: Token) -> str:
        if base is None:
            if self._log_base is None:
                self.stream.fail(
                    "ambiguous", "a logarithm without a base is natural or decimal", at=token,
                    fix=r"write \ln or \log_{10}, or give log_base",
                )  # fmt: skip
            return {"e": "log", 2: "log2", 10: "log10"}[self._log_base]
        known = {10.0: "log10", 2.0: "log2"}
        if not isinstance(base, float):
            if base == Op("exp", (1.0,)):
                return "log"
            self.stream.fail("unsupported", "a logarithm to a base that is no number", at=token)
        return known.get(base, "log/")

    def _apply(self, operator: str, argument: Expression, token: Token) -> Expression:
        kept = self._kind
        if operator == "cot":
            # The argument stands twice in the tree.
            self.nodes.again(argument, token)
            above = self.nodes.node("cos", (argument,), token)
            value: Expression = self.nodes.node(
                "div", (above, self.nodes.node("sin", (argument,), token)), token
            )
        elif operator in RECIPROCALS:
            below = self.nodes.node(RECIPROCALS[operator], (argument,), token)
            value = self.nodes.node("div", (self.nodes.leaf(1.0, token), below), token)
        else:
            value = self.nodes.node(operator.removesuffix("/"), (argument,), token)
        self._kind = kept
        return value

    def _listed(self, name: str, token: Token) -> Expression:
        opening = self.stream.take()
        if opening.text not in ("(", "[", "{{"):
            self.stream.fail("unsupported", f"{name} needs its arguments in brackets", at=opening)
        kept, self._bars = self._bars, 0
        args = [self.sum()]
        while self.stream.sees(","):
            self.stream.take()
            args.append(self.sum())
        self._close(opening)
        self._bars = kept
        if len(args) < 2 or (name == "atan2" and len(args) != 2):
            self.stream.fail("syntax", f"{name} has {len(args)} arguments", at=token)
        self._kind = "call"
        return self.nodes.node(name, tuple(args), token)

    def _argument_of(self, operator: str) -> Expression:
        token = self.stream.peek()
        if token is None:
            self.stream.fail("syntax", "the text ends where an argument is due")
        if token.text == "{":
            return self._braced_argument(token)
        if token.kind in ("open", "bar") and token.text not in (r"\langle", r"\|"):
            value = self._bracket()
            self._kind = "call"
            return value
        if token.text in SERIES:
            self.stream.fail(
                "ambiguous", "where the argument ends that begins with a sum",
                fix="put the argument in brackets",
            )  # fmt: skip
        self._deeper()
        value = self._factor()
        self._nesting -= 1
        if isinstance(value, float) or self._kind == "symbol":
            value = self._run(operator, value, token)
        self._kind = "run"
        return value

    def _braced_argument(self, token: Token) -> Expression:
        inside = self.stream.peek(1)
        if inside is not None and inside.kind == "open":
            # A bracket with more behind it prints like the argument and something more.
            ends = self.stream.closing(self.stream.index + 1)
            if ends is None or ends + 1 != self.stream.closing(self.stream.index):
                self.stream.fail(
                    "ambiguous", "braces are not printed: where the argument ends", at=token,
                    fix="put the whole argument in brackets",
                )  # fmt: skip
        value = self.argument()
        self._kind = "call"
        return value

    def _run(self, operator: str, value: Expression, first: Token) -> Expression:
        r"""The product of a number and symbols, as in the argument of `\sin 2\pi f t`."""
        product: Expression = value
        symbols: list[Symbol | None] = []
        # The index of a sum is a number, and no symbol is kept for it.
        if self._kind == "symbol" and self._last is not None:
            symbols.append(self._last)
        while (token := self.stream.peek()) and starts_symbol(token) and not token.spaced:
            if function_name(self.stream) is not None:
                break
            euler = token.text == "e" and self.stream.peek(1) is not None
            angular = not symbols or (symbols[0] is not None and _is_rate(symbols[0]))
            if operator not in RUNNING or euler or not angular:
                self.stream.fail(
                    "ambiguous", "whether this belongs to the argument of the function before it",
                    fix="put the argument in brackets",
                )  # fmt: skip
            factor = self._factor()
            symbols.append(self._last)
            if product is not value and isinstance(product, Op):
                product = self.nodes.longer(product, factor, first)
            else:
                product = self.nodes.node("mul", (product, factor), first)
        return product

    def _series(self) -> Expression:
        place = self.stream.index
        sign = self.stream.take()
        letter, values = read_bounds(self.stream, sign)
        self._deeper()
        start, before = self.stream.index, self.nodes.count
        if self.stream.sees("+", "-"):
            self.stream.fail("ambiguous", "a sign behind the sign of a sum", fix="use brackets")
        terms: list[Expression] = []
        for value in values:
            self.stream.index = start
            self.stream.bound[letter] = value
            terms.append(self._product())
            if not terms[1:]:
                self._check_body(sign, letter, place, start)
                if before + 1 + (self.nodes.count - before) * len(values) > MAX_NODES:
                    self.stream.fail("limit", f"more than {MAX_NODES} nodes", at=sign)
        del self.stream.bound[letter]
        del self.stream.used[letter]
        self._nesting -= 1
        self._kind = "series"
        end = max(token.end for token in self.stream.tokens[place : self.stream.index])
        self.indices.note(sign.position, letter, end)
        return (
            terms[0] if len(terms) == 1 else self.nodes.node(SERIES[sign.text], tuple(terms), sign)
        )

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


def _is_rate(symbol: Symbol) -> bool:
    """Whether a symbol needs another one behind it to be an angle, as omega in omega t."""
    return symbol.spelling.split("_")[0] in (r"\omega", r"\Omega", r"\pi", "k")


__all__ = ("Grammar",)
