r"""Functions in LaTeX: where the argument of `\sin^2 2x`, `\ln(a/b)` or `\exp{-x}` ends."""

from abc import abstractmethod

from lawsmith.expressions.latex_atoms import Atoms
from lawsmith.expressions.latex_functions import (
    FUNCTIONS,
    INVERSES,
    LISTED,
    RECIPROCALS,
    RUNNING,
    SERIES,
)
from lawsmith.expressions.latex_symbols import Symbol, starts_symbol
from lawsmith.expressions.latex_tokens import Token
from schemas.expression import Expression, Op


class Calls(Atoms):
    """Reads functions with their scripts and arguments; `power` comes from the grammar above it."""

    @abstractmethod
    def power(
        self, base: Expression, exponent: Expression, at: Token, *, indexed: bool
    ) -> Expression:
        """A base with its exponent."""

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
            value = self.node("div", (value, self.node("log", (base,), token)), token)
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
            return self.node("exp", (self.leaf(1.0, token),), token)
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
            self.again(argument, token)
            above = self.node("cos", (argument,), token)
            value: Expression = self.node(
                "div", (above, self.node("sin", (argument,), token)), token
            )
        elif operator in RECIPROCALS:
            below = self.node(RECIPROCALS[operator], (argument,), token)
            value = self.node("div", (self.leaf(1.0, token), below), token)
        else:
            value = self.node(operator.removesuffix("/"), (argument,), token)
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
        return self.node(name, tuple(args), token)

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
            if self._function_name() is not None:
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
                product = self.longer(product, factor, first)
            else:
                product = self.node("mul", (product, factor), first)
        return product


def _is_rate(symbol: Symbol) -> bool:
    """Whether a symbol needs another one behind it to be an angle, as omega in omega t."""
    return symbol.spelling.split("_")[0] in (r"\omega", r"\Omega", r"\pi", "k")


__all__ = ("Calls",)
