"""Two laws compared piece by piece: the signs of their switches are assumed in turn.

On a piece both laws are smooth. Exact algebra may show that they agree wherever such a piece
lies; where it does not, a point of the piece is located and the difference is judged there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from flint import fmpq

from lawsmith.expressions.domains import Axis, Point, generic_points
from lawsmith.expressions.equality.algebra import Algebra, BudgetError, without_common_terms
from lawsmith.expressions.equality.assumptions import Assumptions, Signs
from lawsmith.expressions.equality.intervals import enclose
from lawsmith.expressions.equality.kink_resolution import Side
from lawsmith.expressions.equality.locating import Condition, around, holds, locate
from lawsmith.expressions.equality.normal_form_values import Seen, look
from lawsmith.expressions.equality.refutation import (
    DEEP_BITS,
    LAST_BITS,
    QUICK_BITS,
    TELLING,
    Comparison,
    Meter,
    Relation,
)
from lawsmith.expressions.equality.sign_conditions import Switch, is_stepped
from lawsmith.expressions.operators import Interval, UndefinedError
from lawsmith.expressions.truth import exact_number
from schemas.expression import Expression, Op, walk

IDENTITY_POINTS: Final = 208
POOL: Final = 64
LAST_POINTS: Final = 4
MOST_BRANCHES: Final = 400
_STEPPED: Final = ("floor", "ceil", "round", "mod")
_NEAR: Final = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)


@dataclass(slots=True)
class Outcome:
    """What the pieces say together."""

    witness: Point | None = None
    undecided: str = ""
    """Why some piece is open; nothing when all agree."""
    identity: bool = False
    """Whether some piece rests on points rather than on algebra."""
    almost: bool = False
    """Whether single points, or jumps, may differ."""
    agreed: bool = False
    """Whether the laws agree on some piece."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is assumed to be > 0, and known points there."""

    path: tuple[Condition, ...]
    points: list[Point]

    def with_side(self, switch: Switch, side: int) -> "_Piece":
        new = Condition(switch.law if side > 0 else Op("neg", (switch.law,)))
        points = [point for point in self.points if holds([new], point)]
        return _Piece((*self.path, new), points)


class _FoundError(Exception):
    """The laws differ; the argument is the witness."""


class Cases:
    """Compares two laws on a box of continuous axes.

    Args:
        a: one law.
        b: the other.
        axes: of all names.
        compare: of the same laws.
        meter: the counted work.
    """

    def __init__(
        self,
        a: Expression,
        b: Expression,
        axes: tuple[Axis, ...],
        compare: Comparison,
        meter: Meter,
    ) -> None:
        self._laws = (a, b)
        self._axes, self._compare, self._meter = axes, compare, meter
        self._box: dict[str, Interval] = {
            axis.name: (exact_number(axis.low), exact_number(axis.high))
            for axis in axes
            if axis.declared
        }
        self._assumptions = Assumptions(axes, self._box, self._tick)
        self._branches = 0
        self._sighted = True
        self._outcome = Outcome()

    def outcome(self) -> Outcome:
        """Look at every piece.

        Raises:
            WorkError: the work is used up.
        """
        try:
            self._branch(_Piece((), list(generic_points(self._axes, POOL, start=POOL))))
        except _FoundError as found:
            self._outcome.witness = found.args[0]
        return self._outcome

    def _tick(self, count: int = 1) -> None:
        self._meter.spend(count, 0)

    def _side(self, signs: Signs) -> Side:
        return Side(self._box, signs.keys, signs.assumed, self._tick)

    def _branch(self, piece: _Piece) -> None:
        self._branches += 1
        if self._branches > MOST_BRANCHES:
            self._outcome.undecided = "too many pieces"
            return
        signs = self._assumptions.signs(piece.path)
        if signs.empty:
            return
        sides = [self._side(signs) for _ in self._laws]
        settled = [_settled(side, law) for side, law in zip(sides, self._laws, strict=True)]
        first, second = settled
        if first is None and second is None:
            return
        if first is None or second is None:
            self._lone(piece, sides[0] if second is None else sides[1])
            return
        for side, other in (sides, sides[::-1]):
            # Bounds depend on how a function is written: what one way proves holds for all.
            side.guards = {k: g for k, g in side.guards.items() if k not in other.proved}
        top = self._difference(signs.algebra, first, second)
        odd = _odd_guard(*sides)
        if (top is not None and not top) or first == second:
            odd = odd or self._odd_divisor(signs, *sides)
            if odd is not None:
                self._split(piece, odd)
            else:
                self._agree(signs.algebra, sides, vague=first != second)
            return
        located = self._located(piece)
        if located is None:
            return
        kink = self._next_kink(signs, sides)
        if kink is not None or odd is not None:
            self._split(located, kink or odd)
            return
        self._smooth(located, sides, settled, (signs.algebra, top))

    def _split(self, piece: _Piece, switch: Switch | None) -> None:
        if switch is not None:
            for side in (1, -1):
                self._branch(piece.with_side(switch, side))

    def _difference(self, algebra: Algebra, a: Expression, b: Expression) -> Any:
        for left, right in ((a, b), without_common_terms(a, b)):
            try:
                return algebra.difference(left, right)[0]
            except BudgetError:
                continue
        return None

    def _odd_divisor(self, signs: Signs, one: Side, other: Side) -> Switch | None:
        """A switch of a divisor of one law alone that may vanish on a whole piece."""
        for key in one.zeros.keys() ^ other.zeros.keys():
            law = one.zeros.get(key, other.zeros.get(key, 0.0))
            if not is_stepped(law):
                continue
            inner = self._side(signs)
            _settled(inner, law)
            for switch in chain(inner.guards.values(), inner.kinks.values()):
                return switch
            self._outcome.undecided = "a divisor with steps"
        return None

    def _agree(self, algebra: Algebra, sides: list[Side], *, vague: bool) -> None:
        one, other = sides
        outcome = self._outcome
        if vague and (one.vague or other.vague):
            outcome.undecided = "a power of what may be negative"
        outcome.agreed = True
        outcome.almost = (
            outcome.almost
            or one.zeros.keys() != other.zeros.keys()
            or (one.jumps or other.jumps)
            or (vague and algebra.turned)
        )

    def _lone(self, piece: _Piece, defined: Side) -> None:
        """Only one law exists on the piece: does the piece?"""
        switch = next(iter(defined.guards.values()), None)
        if switch is not None:
            self._split(piece, switch)
            return
        located = self._located(piece)
        if located is None:
            return
        for point in located.points:
            if self._compare.telling(point, QUICK_BITS, self._axes):
                raise _FoundError(point)
        self._outcome.undecided = "a piece where only one law seems to exist"

    def _located(self, piece: _Piece) -> _Piece | None:
        """The piece with at least one point; None when there is none, or none is found."""
        if piece.points:
            return piece
        found = locate(piece.path, self._axes, self._tick)
        if found.point is not None:
            return _Piece(piece.path, [found.point])
        if not found.nowhere:
            self._outcome.undecided = "a piece that could not be located"
        return None

    def _next_kink(self, signs: Signs, sides: list[Side]) -> Switch | None:
        for side in sides:
            for switch in side.kinks.values():
                inner = self._side(signs)
                _settled(inner, switch.law)
                # The kink only matters where its function exists.
                return next(iter(inner.guards.values()), switch)
        return None

    def _smooth(
        self,
        piece: _Piece,
        sides: list[Side],
        settled: list[Expression | None],
        top: tuple[Algebra, Any],
    ) -> None:
        guards = {**sides[0].guards, **sides[1].guards}
        whole = piece
        for switch in guards.values():
            whole = whole.with_side(switch, 1)
        located = self._located(whole)
        if located is None:
            return
        stepped = [law for law in settled if law is not None and _is_stepped(law)]
        agreed, self._sighted = 0, top[1] is None
        for point in self._points(located):
            agreed += self._judge(point, agreed, top)
            if agreed == (POOL if stepped else IDENTITY_POINTS):
                break
        if stepped:
            self._steps(located, stepped, top)
        elif agreed < IDENTITY_POINTS:
            self._outcome.undecided = self._outcome.undecided or "few_points"
        elif not self._sighted:
            self._outcome.undecided = "a term is too small to be seen beside the others"
        self._outcome.identity = self._outcome.agreed = True
        self._outcome.almost = (
            self._outcome.almost
            or sides[0].zeros.keys() != sides[1].zeros.keys()
            or any(side.jumps for side in sides)
        )

    def _points(self, piece: _Piece) -> Iterator[Point]:
        more = generic_points(self._axes, 8 * IDENTITY_POINTS, start=2 * POOL)
        return chain(piece.points, around(piece.path, piece.points[0], self._axes, more))

    def _judge(self, point: Point, agreed: int, difference: tuple[Algebra, Any]) -> bool:
        """Whether the laws agree at a point.

        Raises:
            _FoundError: they differ.
        """
        bits = LAST_BITS if agreed < LAST_POINTS else DEEP_BITS
        relation = self._compare.at(point, bits)
        if relation in TELLING:
            if self._compare.telling(point, bits, self._axes):
                raise _FoundError(point)
            self._outcome.almost = True
        algebra, top = difference
        if top is not None and agreed < 4 * LAST_POINTS:
            exact = {name: exact_number(value) for name, value in point.items()}
            self._meter.spend(len(top), bits)
            seen = look(algebra, top, exact, bits)
            if seen is Seen.NONZERO:
                raise _FoundError(point)
            self._sighted = self._sighted or seen is Seen.ZERO
        if relation is Relation.UNDECIDED:
            self._outcome.undecided = "a point cannot be told apart"
        return relation is Relation.AGREE

    def _steps(self, piece: _Piece, laws: Iterable[Expression], top: tuple[Algebra, Any]) -> None:
        """Look on both sides of whole numbers; what agrees there is still not proved."""
        for inner, number in self._crossings(laws):
            gap = Op("sub", (inner, number))
            for side in (gap, Op("neg", (gap,))):
                for near in _NEAR[1::2]:
                    thin = (Condition(side), Condition(Op("sub", (near, side))))
                    found = locate((*piece.path, *thin), self._axes, self._tick)
                    if found.point is not None:
                        self._judge(found.point, POOL, top)
        self._outcome.undecided = "steps or remainders that algebra cannot match"

    def _crossings(self, laws: Iterable[Expression]) -> Iterator[tuple[Expression, float]]:
        for law in laws:
            for _, node in walk(law):
                if not isinstance(node, Op) or node.op not in _STEPPED:
                    continue
                inner = Op("div", node.args) if node.op == "mod" else node.args[0]
                bounds = enclose(inner, self._box)
                if bounds is None:
                    continue
                middle = (bounds[0] + bounds[1]) / 2
                shift = 0.5 if node.op == "round" else 0.0
                if isinstance(middle, fmpq):
                    yield inner, float(int(middle.floor())) + shift


def _settled(side: Side, law: Expression) -> Expression | None:
    try:
        return side.settle(law)
    except UndefinedError:
        return None


def _odd_guard(one: Side, other: Side) -> Switch | None:
    """A condition for existence that only one law has."""
    for key in [*one.guards, *other.guards]:
        if (key in one.guards) != (key in other.guards):
            return (one.guards if key in one.guards else other.guards)[key]
    return None


def _is_stepped(law: Expression) -> bool:
    return any(isinstance(node, Op) and node.op in _STEPPED for _, node in walk(law))


__all__ = ("Cases", "Outcome")
