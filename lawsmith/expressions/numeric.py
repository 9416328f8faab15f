"""Values of normal forms: what is left of a difference after everything has cancelled.

A difference of two laws that is tiny against them is lost in their digits, but not in its own
normal form: `exp(-10^10)` keeps all its digits there.
"""

from collections.abc import Mapping
from typing import Any

from flint import acb, arb, fmpq

from lawsmith.expressions.balls import UndecidedError, UndefinedError, ball
from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.ring import Polynomial, Ring
from lawsmith.expressions.truth import precision


def is_nonzero(ring: Ring, top: Polynomial, point: Mapping[str, Any], bits: int) -> bool:
    """Whether a polynomial over the ring's generators is certainly not zero at a point.

    Args:
        ring: whose generators they are.
        top: the numerator of a normal form.
        point: name -> exact fraction.
        bits: precision of the balls.
    """
    with precision(bits):
        try:
            value = _Values(ring, point).polynomial(top.items())
        except (UndefinedError, UndecidedError, ZeroDivisionError):
            return False
        return bool(value.is_finite()) and not value.contains(0)


class _Values:
    def __init__(self, ring: Ring, point: Mapping[str, Any]) -> None:
        self._ring, self._point = ring, point
        self._bases: dict[int, Any] = {}

    def polynomial(self, items: Any) -> Any:
        total = acb(0)
        for monomial, coefficient in items:
            term = acb(arb(coefficient))
            for place, power in monomial:
                term = term * self._power(place, power)
            total = total + term
        return total

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


__all__ = ("is_nonzero",)
