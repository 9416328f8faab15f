"""Constants sharpened by Newton's method in balls, and judged where they were not made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, arb_mat

from lawsmith.expressions.domains import Point
from lawsmith.expressions.operators import UndecidedError, ball
from lawsmith.expressions.truth import exact_number, exact_value, precision
from schemas.expression import Expression

POINTS: Final = 96


@dataclass(frozen=True, slots=True)
class Depth:
    """How far constants are sharpened and compared, in bits."""

    bits: int
    """Precision of the balls."""
    step: int
    """Relative step of the differences that stand for derivatives."""
    goal: int
    """Relative change of the constants under which they stand."""
    agreed: int
    """Relative difference of the laws that counts as none."""
    points: int
    """How many points, not used for the constants, are looked at."""


DEPTHS: Final = (Depth(400, 150, 250, 166, POINTS), Depth(3000, 900, 1700, 1100, 12))
"""50 digits at all points, then 331 at some: a term of any float64 size is seen."""


class ExpiredError(Exception):
    """The wall guard fired."""


class LostError(Exception):
    """A constant goes to zero: a part of the second law would vanish."""


class Sharpening:
    """Sharpens constants that bring an open law to a law.

    Args:
        law: the law to reach.
        open_law: the other law with the names `slots` in place of its free constants.
        slots: those names.
        expired: whether the wall guard has fired.
    """

    def __init__(
        self,
        law: Expression,
        open_law: Expression,
        slots: Sequence[str],
        expired: Callable[[], bool],
    ) -> None:
        self._law, self._open, self._slots, self._expired = law, open_law, slots, expired

    def sharpened(
        self,
        constants: Sequence[float],
        free: list[int],
        rows: list[int],
        points: Sequence[Point],
    ) -> list[float] | None:
        """The sharp constants, rounded; None when the laws then differ.

        Args:
            constants: where to start.
            free: places of the constants that the points determine.
            rows: places of as many points that determine them.
            points: all points; those not in `rows` judge.

        Raises:
            ExpiredError: the wall guard fired.
            LostError: a constant goes to zero.
            UndecidedError, UndefinedError: the work cannot be done at some point.
        """
        sharp = self.sharp(constants, free, rows, points, DEPTHS)
        return None if sharp is None else [float(value.mid()) for value in sharp]

    def sharp(
        self,
        constants: Sequence[float],
        free: list[int],
        rows: list[int],
        points: Sequence[Point],
        depths: Sequence[Depth],
    ) -> list[Any] | None:
        """The sharp constants as exact balls, unrounded; None when the laws then differ.

        Args:
            constants: where to start.
            free: places of the constants that the points determine.
            rows: places of as many points that determine them.
            points: all points; those not in `rows` judge.
            depths: how far, the last the farthest.

        Raises:
            ExpiredError, LostError, UndecidedError, UndefinedError: as `sharpened`.
        """
        used = set(rows)
        rest = [p for place, p in enumerate(points) if place not in used]
        with precision(depths[-1].bits):
            sharp = [ball(exact_number(float(value))).mid() for value in constants]
        for depth in depths:
            with precision(depth.bits):
                sharp = self._newton(sharp, free, rows, points, depth)
                bound = arb(2) ** -depth.agreed
                tested = rest[: depth.points]
                if not all(self._residual(sharp, p, depth).abs_upper() < bound for p in tested):
                    return None
        return sharp

    def _newton(
        self,
        start: Sequence[Any],
        free: list[int],
        rows: list[int],
        points: Sequence[Point],
        depth: Depth,
    ) -> list[Any]:
        values = list(start)
        at = [points[row] for row in rows]
        step = arb(2) ** -depth.step
        for _ in range(12):
            gaps = [self._residual(values, point, depth) for point in at]
            jacobian = []
            for point, gap in zip(at, gaps, strict=True):
                row = []
                for place in free:
                    moved = list(values)
                    moved[place] = (moved[place] * (1 + step)).mid()
                    row.append(((self._residual(moved, point, depth) - gap) / step).mid())
                jacobian.append(row)
            try:
                change = arb_mat(jacobian).solve(arb_mat([[gap.mid()] for gap in gaps]))
            except ZeroDivisionError as error:
                raise UndecidedError("") from error
            for order, place in enumerate(free):
                if abs(change[order, 0] - 1) < arb(2) ** -20:
                    raise LostError
                values[place] = (values[place] * (1 - change[order, 0])).mid()
            if all(abs(change[order, 0]) < arb(2) ** -depth.goal for order in range(len(free))):
                return values
        raise UndecidedError("")

    def _residual(self, constants: Sequence[Any], point: Mapping[str, float], depth: Depth) -> Any:
        if self._expired():
            raise ExpiredError
        inputs: dict[str, Any] = {name: exact_number(value) for name, value in point.items()}
        truth = ball(exact_value(self._law, inputs, depth.bits))
        inputs.update(zip(self._slots, constants, strict=True))
        return ball(exact_value(self._open, inputs, depth.bits)) / truth - 1


__all__ = ("DEPTHS", "POINTS", "Depth", "ExpiredError", "LostError", "Sharpening")
