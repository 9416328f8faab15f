"""Values of normal forms: what is left of a difference after everything has cancelled.

A difference of two laws that is tiny against them is lost in their digits, but not in its own
normal form: `exp(-10^10)` keeps all its digits there.
"""

import enum
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flint import acb, arb, fmpq

from lawsmith.expressions.operators import (
    OPERATORS,
    Polynomial,
    Ring,
    UndecidedError,
    UndefinedError,
    ball,
)
from lawsmith.expressions.truth import precision

BLIND: Final = 8 / 7
"""Terms smaller than the largest by all but this share of the precision are not seen."""


class Seen(enum.Enum):
    """What balls tell of a polynomial at a point."""

    NONZERO = "nonzero"
    ZERO = "zero"
    """It may vanish, and no term is too small to matter in that."""
    BLIND = "blind"
    """It may vanish, but some term is lost in the digits of the others."""
    UNKNOWN = "unknown"


def look(ring: Ring, top: Polynomial, point: Mapping[str, Any], bits: int) -> Seen:
    """What can be said of a polynomial over the ring's generators at a point.

    Args:
        ring: whose generators they are.
        top: the numerator of a normal form.
        point: name -> exact fraction.
        bits: precision of the balls.
    """
    with precision(bits):
        try:
            terms = list(_Values(ring, point).terms(top.items()))
        except (UndefinedError, UndecidedError, ZeroDivisionError):
            return Seen.UNKNOWN
        value = sum(terms, acb(0))
        if not value.is_finite():
            return Seen.UNKNOWN
        if not value.contains(0):
            return Seen.NONZERO
        sizes = [abs(term) for term in terms]
        largest = max((size.abs_upper() for size in sizes), default=arb(0))
        least = largest * arb(2) ** -int(bits / BLIND)
        return Seen.BLIND if any(size < least for size in sizes) else Seen.ZERO


class _Values:
    def __init__(self, ring: Ring, point: Mapping[str, Any]) -> None:
        self._ring, self._point = ring, point
        self._bases: dict[int, Any] = {}

    def terms(self, items: Any) -> Iterator[Any]:
        for monomial, coefficient in items:
            term = acb(arb(coefficient))
            for place, power in monomial:
                term = term * self._power(place, power)
            yield term

    def polynomial(self, items: Any) -> Any:
        return sum(self.terms(items), acb(0))

    def _ratio(self, key: Any) -> Any:
        under = self.polynomial(key[1])
        return self.polynomial(key[0]) / under

    def _power(self, place: int, power: Any) -> Any:
        kind, _ = self._ring.keys[place]
        if place not in self._bases:
            self._bases[place] = self._base(*self._ring.keys[place])
        base = self._bases[place]
        if kind in ("exp", "turn"):
            return (base * arb(power)).exp()
        if power.q == 1:
            return base ** int(power.p)
        real = base.real
        if not real > 0:
            raise UndecidedError
        return acb((real.log() * arb(power)).exp())

    def _base(self, kind: str, payload: Any) -> Any:
        if kind == "name":
            return acb(arb(self._point[payload]))
        if kind == "minus":
            return acb(-arb(self._point[payload]))
        if kind == "prime":
            return acb(payload)
        if kind == "i":
            return acb(0, 1)
        if kind == "pi":
            return acb(arb.pi())
        if kind == "opaque":
            return acb(ball(self._function(*payload)))
        if kind == "log":
            return acb(OPERATORS["log"].ball(self._real(payload)))
        inner = self._inner(payload)
        return inner * acb(0, 1) if kind == "turn" else inner

    def _function(self, op: str, *keys: Any) -> Any:
        return OPERATORS[op].ball(*(self._real(key) for key in keys))

    def _real(self, payload: Any) -> Any:
        if isinstance(payload, int):
            return fmpq(payload)
        return self._inner(payload).real

    def _inner(self, payload: Any) -> Any:
        if isinstance(payload, frozenset):
            return self.polynomial(payload)
        if payload and isinstance(payload[0], frozenset):
            return self._ratio(payload)
        return self.polynomial([(payload, fmpq(1))])


__all__ = ("Seen", "look")
