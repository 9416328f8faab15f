"""Dimensions: products of rational powers of the SI seven and the tags beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from lawsmith.errors import UnitError

TAGS: Final[Mapping[str, str]] = {
    "mass": "M",
    "length": "L",
    "time": "T",
    "current": "I",
    "temperature": "Th",
    "amount": "N",
    "luminosity": "J",
    "angle": "angle",
    "count": "count",
    "information": "information",
    "currency": "currency",
    "currency_euro": "EUR",
    "currency_pound": "GBP",
    "currency_yen": "JPY",
    "currency_yuan": "CNY",
}
"""Tag -> the sign it is written with, in the order of writing."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A product of rational powers of tags; hashable, written as `M L^2 T^-2`, none as `1`.

    The angle is a tag that is carried and shown but never compared: a radian is a metre per
    metre, so `r*theta` is a length and `sin(theta)` is a sine. A degree differs from a radian
    by its scale, which the unit coherence check sees.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, Fraction | int]) -> "Dimension":
        """The dimension of tag -> power; zero powers are dropped.

        Raises:
            UnitError: an unknown tag.
        """
        for tag in powers:
            if tag not in TAGS:
                raise UnitError(f"{tag!r} is not a dimension tag", fix=f"tags: {', '.join(TAGS)}")
        return cls(tuple((tag, Fraction(powers[tag])) for tag in TAGS if powers.get(tag)))

    def __mul__(self, other: "Dimension") -> "Dimension":
        total = dict(self.powers)
        for tag, power in other.powers:
            total[tag] = total.get(tag, Fraction(0)) + power
        return Dimension.of(total)

    def __pow__(self, exponent: Fraction | int) -> "Dimension":
        return Dimension.of({tag: power * exponent for tag, power in self.powers})

    def __truediv__(self, other: "Dimension") -> "Dimension":
        return self * other**-1

    def __iter__(self) -> Iterator[tuple[str, Fraction]]:
        return iter(self.powers)

    def __str__(self) -> str:
        parts = [TAGS[t] if p == 1 else f"{TAGS[t]}^{p}" for t, p in self.powers]
        return " ".join(parts) or "1"

    @property
    def compared(self) -> "Dimension":
        """The dimension without its angle: what equality of dimensions means in a law."""
        return Dimension(tuple(item for item in self.powers if item[0] != "angle"))

    @property
    def is_pure(self) -> bool:
        """Whether it is a pure number, angles included."""
        return not self.compared.powers


__all__ = ("TAGS", "Dimension")
