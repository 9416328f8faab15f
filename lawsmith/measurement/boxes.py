"""Proof by interval bisection that a law has a finite real value on a whole box of controls."""

from collections.abc import Sequence
from typing import Final

from lawsmith.expressions import Axis, exact_value
from lawsmith.expressions.operators import UndecidedError, UndefinedError, ball
from lawsmith.measurement.constraints import Controlled
from schemas.card import Choices
from schemas.expression import Expression

MAX_BOXES: Final = 4096
_BITS: Final = 64


Box = tuple[Axis, ...]


def proved_finite(law: Expression, controls: Sequence[Controlled], limit: int) -> bool:
    """Whether rigorous balls show that a law is defined everywhere on its box.

    Args: as `undecided_boxes`.
    """
    return not undecided_boxes(law, controls, limit)


def undecided_boxes(law: Expression, controls: Sequence[Controlled], limit: int) -> tuple[Box, ...]:
    """Boxes on which balls do not show that a law is defined, the last looked at first.

    None left is a proof. Choices count as the interval that holds them, and constraints are not
    used: what is proved is proved for more than the domain.

    Args:
        law: over the controls alone.
        controls: the axes.
        limit: the largest number of boxes looked at, at most 4,096; a box on which the law is
            certainly undefined ends the search.
    """
    whole = tuple(_axis(control) for control in controls)
    stack = [whole]
    for _ in range(min(limit, MAX_BOXES)):
        if not stack:
            break
        box = stack.pop()
        try:
            if _finite(law, box):
                continue
        except UndefinedError:
            return (box, *reversed(stack))
        except UndecidedError:
            pass
        stack.extend(_halves(box, whole))
    return tuple(reversed(stack))


def _finite(law: Expression, box: Box) -> bool:
    value = exact_value(law, {axis.name: axis.ball() for axis in box}, _BITS)
    return bool(ball(value).is_finite())


def _halves(box: Box, whole: Box) -> list[Box]:
    """The box cut across the axis that is longest against the whole."""
    shares = [
        (axis.high - axis.low) / (full.high - full.low) if full.high > full.low else 0.0
        for axis, full in zip(box, whole, strict=True)
    ]
    i = shares.index(max(shares))
    axis = box[i]
    middle = axis.low + (axis.high - axis.low) / 2
    ends = ((axis.low, middle), (middle, axis.high))
    return [(*box[:i], Axis(axis.name, low, high), *box[i + 1 :]) for low, high in ends]


def _axis(control: Controlled) -> Axis:
    domain = control.domain
    if isinstance(domain, Choices):
        return Axis(control.name, domain.choices[0], domain.choices[-1])
    return Axis(control.name, domain.low, domain.high)


__all__ = ("MAX_BOXES", "Box", "proved_finite", "undecided_boxes")
