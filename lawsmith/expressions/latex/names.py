"""The names that a caller declares, and which symbol of a LaTeX text each stands for."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from lawsmith.errors import InputError
from lawsmith.expressions.latex.symbols import Symbol, read_symbol, starts_symbol
from lawsmith.expressions.latex.tokens import Stream

DIFFERENCES: Final = (r"\Delta", r"\delta")
"""The marks that make one symbol with the symbol after them."""


class Names:
    """The declared names: which variable a spelling, an identifier or `S(t)` stands for."""

    def __init__(self, names: Mapping[str, str] | Collection[str]) -> None:
        self.shown = sorted(set(names.values() if isinstance(names, Mapping) else names))
        self._spelled: dict[str, str] = {}
        self._named: dict[str, str | None] = {}
        self._applied: dict[str, str] = {}
        for value in self.shown:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", value):
                raise InputError(f"declared name {value[:80]!r} is no ASCII identifier")
        if isinstance(names, Mapping):
            for key, value in names.items():
                self._add(key, value)
        else:
            self._named = dict.fromkeys(names)
            self._named.update({name: name for name in names})

    def find(self, spelling: str, ident: str) -> str | None:
        """The variable of a symbol, None when it is not declared."""
        return self._spelled.get(spelling) or self._named.get(ident)

    def spelled(self, spelling: str) -> str | None:
        """The variable declared under exactly this spelling."""
        return self._spelled.get(spelling)

    def applied(self, stream: Stream, symbol: Symbol) -> str | None:
        """The variable declared as symbol and argument, as `S(t)`; its tokens are taken."""
        close = stream.closing(stream.index) if self._applied and stream.sees("(") else None
        if close is None:
            return None
        name = self._applied.get(_application(stream, symbol, close))
        if name is not None:
            inside = stream.tokens[stream.index + 1 : close]
            if symbol.ident in stream.bound or any(each.text in stream.bound for each in inside):
                stream.fail("application", "a function of the index of a sum", at=symbol.token)
            stream.index = close + 1
        return name

    def is_function(self, symbol: Symbol) -> bool:
        """Whether the symbol is declared with an argument somewhere."""
        return any(key.startswith(f"{symbol.spelling}( ") for key in self._applied)

    def _add(self, key: str, value: str) -> None:
        stream = Stream(key)
        first = stream.peek()
        letters = 0
        while (token := stream.peek(letters)) and token.kind == "letter":
            letters += 1
        if not starts_symbol(first):
            raise InputError(f"{key[:80]!r} is no LaTeX symbol", fix=r"give one such as k_{\rm B}")
        symbol = read_symbol(stream, max(letters, 1))
        joined = self._difference(stream, symbol)
        if stream.sees("(") and stream.closing(stream.index) == len(stream.tokens) - 1:
            self._applied[_application(stream, symbol, len(stream.tokens) - 1)] = value
            return
        if joined is not None:
            symbol = joined
        if stream.peek() is not None:
            raise InputError(f"{key[:80]!r} is more than one LaTeX symbol")
        self._spelled[symbol.spelling] = value
        known = self._named.get(symbol.ident, value)
        self._named[symbol.ident] = value if known == value else None

    @staticmethod
    def _difference(stream: Stream, symbol: Symbol) -> Symbol | None:
        if symbol.spelling in DIFFERENCES and starts_symbol(stream.peek()):
            return joined(symbol, read_symbol(stream))
        return None


def joined(mark: Symbol, symbol: Symbol) -> Symbol:
    r"""The one symbol that `\Delta` and the symbol after it make."""
    return Symbol(f"{mark.spelling} {symbol.spelling}", f"{mark.ident}_{symbol.ident}", mark.token)


def _application(stream: Stream, symbol: Symbol, close: int) -> str:
    inside = stream.tokens[stream.index + 1 : close]
    return f"{symbol.spelling}( {' '.join(token.text for token in inside)}"


__all__ = ("DIFFERENCES", "Names", "joined")
