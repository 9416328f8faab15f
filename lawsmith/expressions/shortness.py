"""Whether a law can be written down from short numbers."""

import re
from dataclasses import dataclass
from typing import Final

from lawsmith.expressions.folding import literal_paths, without_zeros
from schemas.expression import Expression, Op, names_of, walk

SHORT_DIGITS: Final = 5
"""Most significant digits of a short constant."""
SIMPLE_DIGITS: Final = 3
"""Most significant digits of a number in a simple exponent (1/3, 0.62)."""


@dataclass(frozen=True, slots=True)
class Literals:
    """The numbers that a law is written with, terms that are exactly zero left out."""

    constants: tuple[float, ...]
    exponents: tuple[float, ...]

    @property
    def longest_constant(self) -> int:
        """Significant digits of the longest constant, 0 without any."""
        return max(map(digits_of, self.constants), default=0)

    @property
    def longest_exponent(self) -> int:
        """Significant digits of the longest number in an exponent, 0 without any."""
        return max(map(digits_of, self.exponents), default=0)

    @property
    def short(self) -> bool:
        """Whether constants have at most 5 significant digits and exponents at most 3."""
        return self.longest_constant <= SHORT_DIGITS and self.longest_exponent <= SIMPLE_DIGITS


def literals_of(law: Expression) -> Literals:
    """The numbers of a law as it stands; pi and e are no numbers.

    What stands in an exponent that varies counts as a constant.
    """
    written = without_zeros(law)
    nodes = dict(walk(written))
    constants = (nodes[path] for path in literal_paths(written))
    exponents = (
        part
        for node in nodes.values()
        if isinstance(node, Op) and node.op == "pow" and not names_of(node.args[1])
        for _, part in walk(node.args[1])
    )
    return Literals(
        constants=tuple(value for value in constants if isinstance(value, float)),
        exponents=tuple(value for value in exponents if isinstance(value, float)),
    )


def digits_of(value: Expression) -> int:
    """Significant digits of a literal's shortest decimal text, trailing zeros apart."""
    if not isinstance(value, float):
        raise TypeError(f"{value!r} is no literal")
    mantissa = re.sub(r"[eE].*$", "", repr(value)).replace("-", "").replace(".", "")
    return max(1, len(mantissa.strip("0")))


__all__ = ("SHORT_DIGITS", "SIMPLE_DIGITS", "Literals", "digits_of", "literals_of")
