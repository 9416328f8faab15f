"""Symbols as a paper prints them and as a card spells them, folded so that they can be compared.

`b_0`, `$b_{0}$`, b0 and b₀ fold to one spelling; Greek letters fold to their names.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Protocol

_GREEK_NAMES: Final = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
    *("lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "", "sigma", "tau", "upsilon", "phi"),
    *("chi", "psi", "omega"),
)
_GREEK: Final = {chr(0x3B1 + n): name for n, name in enumerate(_GREEK_NAMES) if name} | {
    chr(0x391 + n): name.capitalize() for n, name in enumerate(_GREEK_NAMES) if name
}
_MORE: Final = {"ϵ": "epsilon", "ϕ": "phi", "ϑ": "theta", "µ": "mu", "∆": "Delta", "Ω": "Omega"}
_LETTERS: Final = {**_GREEK, **_MORE, **{chr(0x2080 + n): str(n) for n in range(10)}, "∞": "inf"}
_TO_LETTERS: Final = str.maketrans(_LETTERS)
_SIGNS: Final = {
    r"\pm": "±",
    r"\times": "×",
    r"\cdot": "·",
    r"\ast": "*",
    r"\approx": "≈",
    r"\simeq": "≈",
    r"\leq": "≤",
    r"\le": "≤",
    r"\geq": "≥",
    r"\ge": "≥",
    r"\equiv": "=",
    r"\leqslant": "≤",
    r"\geqslant": "≥",
    r"\infty": "inf",
    r"\propto": "∝",
    r"\%": "%",
    r"\,": " ",
    r"\;": " ",
    "\\ ": " ",
}
_SIGN: Final = re.compile(r"\\(?:[A-Za-z]+|[%,; ])")
_VARIANTS: Final = re.compile(r"\\var(?=epsilon|phi|theta|rho|sigma|kappa|pi)")
_DRESSING: Final = re.compile(
    r"\\(?:mathrm|mathit|mathbf|mathcal|mathsf|text(?:rm|it|up)?|operatorname|rm|it|bf|left|right"
    r"|bigl?|bigr?|Bigl?|Bigr?|displaystyle)(?![A-Za-z])"
)
_ARGUMENTS: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)\s*$")
_WORD: Final = re.compile(r"[^\W_]+")
_LONG: Final = 3
"""Letters up to which a word of small letters may be a product of symbols."""


class Named(Protocol):
    """A part of a card with a name."""

    @property
    def name(self) -> str:
        """The identifier of the part."""


def plain_symbols(text: str) -> str:
    r"""A text with its symbols in plain letters: `$\lambda_{\rm a}$` gives ` lambdaa `."""
    return _untexed(text).translate(_TO_LETTERS)


def _untexed(text: str) -> str:
    text = _DRESSING.sub(" ", _VARIANTS.sub(r"\\", text)).replace("$", " ")
    text = _SIGN.sub(lambda match: _SIGNS.get(match[0], match[0]), text)
    text = re.sub(r"_\s*\{\s*([^{}]*?)\s*\}", lambda m: re.sub(r"[ ,\\]", "", m[1]), text)
    text = re.sub(r"\\([A-Za-z]+)\s*_\s*", r"\\\1", text)
    text = re.sub(r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9\\])", "", text)
    return re.sub(r"\\([A-Za-z]+)", r" \1", text)


def folded_symbol(symbol: str) -> str:
    """The one spelling of a symbol; empty when it has no letter."""
    text = plain_symbols(symbol.strip().strip("$"))
    text = _ARGUMENTS.sub("", text)
    return re.sub(r"[^A-Za-z0-9]", "", text)


def spellings(part: Named) -> tuple[str, ...]:
    """The folded spellings of a part: those of its name and of its symbol."""
    symbol = getattr(part, "symbol", "")
    both = (folded_symbol(symbol), folded_symbol(part.name))
    return tuple(dict.fromkeys(spelling for spelling in both if spelling))


def spelled(parts: Iterable[Named]) -> dict[str, str]:
    """Folded spelling -> name, where the spelling belongs to one name only."""
    found: dict[str, str | None] = {}
    for part in parts:
        for spelling in spellings(part):
            found[spelling] = part.name if found.get(spelling, part.name) == part.name else None
    return {spelling: name for spelling, name in found.items() if name is not None}


def mentions(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text prints one of these folded spellings, alone or glued to other symbols."""
    words, whole = _printed_words(text)
    return any(
        any(word == spelling or (glued and spelling in word) for word, glued in words)
        # A symbol such as a difference of two colours runs over several words.
        or (len(spelling) > _LONG and spelling in whole and not spelling.islower())
        for spelling in wanted
    )


@lru_cache(maxsize=1024)
def _printed_words(text: str) -> tuple[frozenset[tuple[str, bool]], str]:
    """Each word in plain letters and whether it may be glued factors; all letters in a row."""
    raw = _untexed(text)
    words = frozenset(_forms(match[0]) for match in _WORD.finditer(raw))
    return words, re.sub(r"[^A-Za-z0-9]", "", raw.translate(_TO_LETTERS))


def _forms(word: str) -> tuple[str, bool]:
    """A printed word in plain letters, and whether it may be factors glued by the print.

    Flattened print glues factors: `aiu`, `4πDC`; a word of prose has no such pieces.
    """
    prose = word.isascii() and word.isalpha() and (word.islower() or word.istitle())
    return word.translate(_TO_LETTERS), not prose or len(word) <= _LONG


__all__ = ("Named", "folded_symbol", "mentions", "plain_symbols", "spelled", "spellings")
