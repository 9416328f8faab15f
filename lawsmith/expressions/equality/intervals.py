"""Enclosures of a law over a box: pairs of certain bounds, exact while they are rational."""

from collections.abc import Mapping
from typing import Final

from flint import fmpq

from lawsmith.expressions.operators import OPERATORS, Interval, UndecidedError, ball, bits_of
from lawsmith.expressions.truth import exact_number, precision
from schemas.expression import Expression, Op, Var

BITS: Final = 128
_MOST_BITS: Final = 1024


def enclose(law: Expression, box: Mapping[str, Interval]) -> Interval | None:
    """Bounds of the values over a box; None where nothing is known.

    Raises:
        UndefinedError: the law is certainly undefined all over the box.
    """
    with precision(BITS):
        return _walk(law, box)


def _walk(law: Expression, box: Mapping[str, Interval]) -> Interval | None:
    if isinstance(law, Var):
        return box.get(law.var)
    if not isinstance(law, Op):
        number = exact_number(law)
        return number, number
    args = [_walk(arg, box) for arg in law.args]
    if law.op == "mul" and len(law.args) == 2 and law.args[0] == law.args[1]:
        square = fmpq(2)
        return combine("pow", [args[0], (square, square)])
    return combine(law.op, args)


def combine(op: str, args: list[Interval | None]) -> Interval | None:
    """The bounds of one operator; see `enclose`."""
    operator = OPERATORS[op]
    bounded = [arg for arg in args if arg is not None]
    if len(bounded) < len(args):
        return operator.reach
    try:
        bounds = operator.encloses(*bounded)
    except UndecidedError:
        return None
    return None if bounds is None else _short(bounds)


def _short(bounds: Interval) -> Interval | None:
    out = []
    for end in bounds:
        if isinstance(end, fmpq):
            out.append(end if bits_of(end) <= _MOST_BITS else ball(end))
        elif not end.is_finite():
            return None
        else:
            out.append(end)
    return out[0], out[1]


__all__ = ("combine", "enclose")
