r"""Symbols and names as MathML: a printed symbol such as `\varepsilon_0`, or an identifier."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

GREEK: Final[Mapping[str, str]] = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε",
    "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ",
    "varkappa": "ϰ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "varpi": "ϖ",
    "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ",
    "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "hbar": "ℏ", "ell": "ℓ", "infty": "∞", "odot": "⊙",
    "oplus": "⊕", "perp": "⊥", "parallel": "∥", "prime": "′", "star": "⋆", "ast": "∗",
}  # fmt: skip
"""Command or identifier part -> its letter."""

_ACCENTS: Final = {
    "dot": "˙", "ddot": "¨", "bar": "¯", "overline": "¯", "hat": "^", "tilde": "~",
    "vec": "→",
}  # fmt: skip
_UPRIGHT: Final = frozenset(("mathrm", "rm", "text", "textrm", "operatorname", "mathsf"))
_PASSED: Final = frozenset(("mathit", "it", "mathbf", "boldsymbol", "bm", "mathcal", "cal"))
_TOKEN: Final = re.compile(r"\\[A-Za-z]+|\\[,;:! ]|[{}_^']|[A-Za-z]|\d+|\s+|[-+*/=,.]")
_WORD: Final = re.compile(r'(?:<(?:msub|msup|mrow)>)*<mi mathvariant="normal">')

Symbols = Mapping[str, str]
"""Name -> its MathML."""


class _UnreadableError(ValueError):
    """A symbol beyond this small reader; its name is shown in its place."""


def symbols_of(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Name -> MathML of its printed symbol, or of the name itself where that is none.

    A symbol that two names share would make a formula ambiguous, so both are shown by name.

    Args:
        named: (name, printed symbol or "") of everything that one formula may hold.
    """
    pairs = list(named)
    drawn = {name: symbol_mathml(symbol) or name_mathml(name) for name, symbol in pairs}
    count = Counter(drawn.values())
    return {name: text if count[text] == 1 else name_mathml(name) for name, text in drawn.items()}


def symbol_mathml(symbol: str) -> str | None:
    """MathML of a LaTeX symbol with sub- and superscripts, or None where it is no such thing."""
    if re.fullmatch(r"\\?[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)?", symbol):
        # A plain name: its letters side by side are no product, and all that follows `_` is low.
        name = symbol.removeprefix("\\")
        known = name.partition("_")[0] in GREEK
        return name_mathml(name) if known or name == symbol else None
    tokens = _TOKEN.findall(symbol)
    if not symbol.strip() or "".join(tokens) != symbol:
        return None
    try:
        text, rest = _row([token for token in tokens if not token.isspace()], upright=False)
    except _UnreadableError:
        return None
    return None if rest else text


def name_mathml(name: str) -> str:
    """MathML of an identifier: Greek by name, what follows an underscore or digits below."""
    head, _, tail = name.partition("_")
    if not head or (not tail and "_" in name):
        return f'<mi mathvariant="normal">{escape(name)}</mi>'
    digits = re.fullmatch(r"([A-Za-z]+?)(\d+)", head)
    if digits and not tail:
        head, tail = digits.group(1), digits.group(2)
    base = _word(head)
    return f"<msub>{base}{_label(tail)}</msub>" if tail else base


def is_word(mathml: str) -> bool:
    """Whether a symbol begins as an upright word: such neighbours need a visible product sign."""
    return _WORD.match(mathml) is not None


def _word(word: str) -> str:
    if word in GREEK:
        return f"<mi>{GREEK[word]}</mi>"
    if len(word) == 1:
        return f"<mi>{escape(word)}</mi>"
    return f'<mi mathvariant="normal">{escape(word)}</mi>'


def _label(text: str) -> str:
    parts = [part for part in text.split("_") if part]
    shown = " ".join(GREEK.get(part, part) for part in parts)
    if shown.isdigit():
        return f"<mn>{shown}</mn>"
    if len(shown) == 1:
        return f"<mi>{escape(shown)}</mi>"
    return f"<mtext>{escape(shown)}</mtext>"


def _row(tokens: list[str], *, upright: bool) -> tuple[str, list[str]]:
    """The symbols up to the end or a closing brace, and what is left."""
    parts: list[str] = []
    while tokens and tokens[0] != "}":
        if tokens[0][0] == "\\" and tokens[0][1:] in ("rm", "it", "cal"):
            upright = tokens[0] == "\\rm"
            tokens = tokens[1:]
            continue
        part, tokens = _scripted(tokens, upright=upright)
        parts.append(part)
    if not parts:
        raise _UnreadableError
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>", tokens


def _scripted(tokens: list[str], *, upright: bool) -> tuple[str, list[str]]:
    base, tokens = _unit(tokens, upright=upright)
    scripts: dict[str, str] = {}
    while tokens and tokens[0] in ("_", "^", "'"):
        mark = tokens[0]
        if mark == "'":
            text, tokens, mark = '<mo lspace="0" rspace="0">′</mo>', tokens[1:], "^"
        else:
            text, tokens = _unit(tokens[1:], upright=upright)
        if mark in scripts:
            raise _UnreadableError
        scripts[mark] = text
    if len(scripts) == 2:
        return f"<msubsup>{base}{scripts['_']}{scripts['^']}</msubsup>", tokens
    for mark, tag in (("_", "msub"), ("^", "msup")):
        if mark in scripts:
            return f"<{tag}>{base}{scripts[mark]}</{tag}>", tokens
    return base, tokens


def _unit(tokens: list[str], *, upright: bool) -> tuple[str, list[str]]:
    if not tokens:
        raise _UnreadableError
    token, tokens = tokens[0], tokens[1:]
    if token == "{":
        text, rest = _letters(tokens) if upright else ("", tokens)
        if not text:
            text, rest = _row(tokens, upright=upright)
        if not rest or rest[0] != "}":
            raise _UnreadableError
        return text, rest[1:]
    if token[0] == "\\":
        return _command(token[1:], tokens)
    if token.isdigit():
        return f"<mn>{token}</mn>", tokens
    if token.isalpha():
        return f'<mi mathvariant="normal">{token}</mi>' if upright else f"<mi>{token}</mi>", tokens
    if token == "/":
        return '<mo lspace="0" rspace="0">/</mo>', tokens
    if token in ("+", "-", "*", "=", ","):
        return f"<mo>{'−' if token == '-' else token}</mo>", tokens
    raise _UnreadableError


def _command(name: str, tokens: list[str]) -> tuple[str, list[str]]:
    if name in GREEK:
        return f"<mi>{GREEK[name]}</mi>", tokens
    if name in _UPRIGHT:
        return _unit(tokens, upright=True)
    if name in _PASSED:
        return _unit(tokens, upright=False)
    if name in _ACCENTS:
        inner, tokens = _unit(tokens, upright=False)
        return f'<mover accent="true">{inner}<mo>{_ACCENTS[name]}</mo></mover>', tokens
    raise _UnreadableError


def _letters(tokens: list[str]) -> tuple[str, list[str]]:
    """Letters up to a closing brace as one upright word, or nothing where there are others."""
    end = tokens.index("}") if "}" in tokens else 0
    if end and all(token.isalpha() for token in tokens[:end]):
        word = "".join(tokens[:end])
        return f'<mi mathvariant="normal">{word}</mi>', tokens[end:]
    return "", tokens


__all__ = ("GREEK", "Symbols", "is_word", "name_mathml", "symbol_mathml", "symbols_of")
