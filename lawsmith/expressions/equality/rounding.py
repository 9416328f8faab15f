"""How far two laws are apart in the last digits of the constants of a form that both have.

The constants of the form are sharpened to 50 digits twice, once to each law, from the same
start; what a law does not determine keeps its value. Where constants can make up for one another
(a factor that could stand elsewhere), the distance is the least over all the ways to do so, a
linear program: so only combinations that can be told apart count, however either law is written.
"""

import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions.domains import Axis, Domain, axes_of, generic_points
from lawsmith.expressions.equality.forms import fresh_names, replace_literals
from lawsmith.expressions.equality.newton_refinement import DEPTHS, POINTS, ExpiredError, LostError
from lawsmith.expressions.equality.refutation import TIME_LIMIT
from lawsmith.expressions.equality.solving import NEIGHBOURS, ConstantSearch
from lawsmith.expressions.evaluation import compile_expression
from lawsmith.expressions.operators import UndecidedError, UndefinedError
from lawsmith.expressions.truth import precision
from schemas.expression import Expression, Var, names_of, walk

WORTH_TRADING: Final = 1e6
"""Distance in the last place above which it is no longer asked who can make up for whom."""


class TooCloseToCallError(Exception):
    """The distance cannot be measured; the text is the reason, `time_limit` for the guard."""


def ulps_apart(
    form: Expression,
    free: Sequence[str],
    a: Expression,
    b: Expression,
    domain: Domain | None = None,
    time_limit: float = TIME_LIMIT,
    clock: Callable[[], float] = time.thread_time,
) -> float:
    """The largest distance of a constant that makes `form` equal to `a` from that for `b`.

    Args:
        form: a law with constants near those looked for, say `b` with its constants folded.
        free: JSON Pointers of its literals that are constants; none of them zero.
        a: a law of that form.
        b: another.
        domain: as in `equivalent`.
        time_limit: seconds until the guard interrupts.
        clock: as in `equivalent`.

    Returns:
        The distance in units in the last place of the form's own constants, the least over
        constants that make up for one another; infinite where no
        constants near its own bring the form to one of the laws.

    Raises:
        InputError: a path in `free` is no literal of the form, or the domain is malformed.
        TooCloseToCallError: the constants cannot be sharpened, or the guard fired.
    """
    nodes = dict(walk(form))
    own: dict[str, float] = {}
    for path in free:
        node = nodes.get(path)
        if not isinstance(node, float):
            raise InputError(f"{path!r} is no literal of the form", path=path)
        own[path] = node
    if not own:
        return math.inf
    axes = axes_of(sorted(names_of(form) | names_of(a) | names_of(b)), domain)
    if _far(a, b, axes):
        return math.inf
    end = clock() + time_limit
    guard = _Guard(lambda: clock() > end)
    first = _sharpened(form, tuple(own.items()), b, axes, guard)
    second = None if first is None else _sharpened(form, tuple(own.items()), a, axes, guard)
    if first is None or second is None:
        return math.inf
    units = np.array([math.ulp(value) for value in own.values()])
    with precision(DEPTHS[0].bits):
        apart = np.array(
            [float((one - other).mid()) for one, other in zip(first[0], second[0], strict=True)]
        )
    return _least(apart / units, second[1] / units)


def determined(form: Expression, free: Sequence[str], domain: Domain | None = None) -> int | None:
    """How many of a law's free constants its values determine; None where that cannot be told.

    Args:
        form: the law.
        free: JSON Pointers of its literals that are constants; none of them zero.
        domain: as in `equivalent`.

    Raises:
        InputError: the domain is malformed.
    """
    nodes = dict(walk(form))
    own = tuple((path, node) for path in free if isinstance(node := nodes[path], float))
    if not own:
        return 0
    axes = axes_of(sorted(names_of(form)), domain)
    try:
        sharp = _sharpened(form, own, form, axes, _Guard(lambda: False))
    except TooCloseToCallError:
        return None
    return None if sharp is None else len(own) - len(sharp[1])


def _far(a: Expression, b: Expression, axes: Sequence[Axis]) -> bool:
    """Whether most values of two laws differ by more than rounding could; quick, in float64."""
    points = list(generic_points(axes, POINTS))
    inputs = {axis.name: np.array([point[axis.name] for point in points]) for axis in axes}
    try:
        first, second = compile_expression(a)(inputs), compile_expression(b)(inputs)
    except UndefinedValueError:
        return False
    size = np.maximum(np.abs(first), np.abs(second))
    return bool(np.mean(np.abs(np.subtract(first, second)) > NEIGHBOURS * size) > 0.5)


class _Guard:
    """Whether the time is over. All guards are equal: what is cached does not hang on time."""

    def __init__(self, over: Callable[[], bool]) -> None:
        self.over = over

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Guard)

    def __hash__(self) -> int:
        return 0


# The sealed law of a world is asked for with every predictor.
@lru_cache(maxsize=1024)
def _sharpened(
    form: Expression,
    own: tuple[tuple[str, float], ...],
    law: Expression,
    axes: tuple[Axis, ...],
    guard: _Guard,
) -> tuple[list[Any], NDArray[np.float64]] | None:
    """The constants that make the form equal to a law, and what they trade; None far from it."""
    slots = fresh_names(len(own), names_of(form) | names_of(law))
    names = zip(own, slots, strict=True)
    open_form = replace_literals(form, {path: Var(slot) for (path, _), slot in names})
    search = ConstantSearch(law, open_form, slots, [v for _, v in own], axes, guard.over)
    try:
        if not search.sample():
            raise TooCloseToCallError("few_points")
        sharp = search.sharp_from_own()
        return None if sharp is None else (sharp, search.trades())
    except ExpiredError as error:
        raise TooCloseToCallError("time_limit") from error
    except LostError:
        return None
    except (UndecidedError, UndefinedError) as error:
        raise TooCloseToCallError("the constants could not be sharpened") from error


def _least(apart: NDArray[np.float64], trades: NDArray[np.float64]) -> float:
    """The least largest size of `apart + t @ trades` over all t."""
    largest = float(np.abs(apart).max())
    if not len(trades):
        return largest
    # Rounding says nothing of a distance like this, and t would be badly scaled.
    if largest > WORTH_TRADING:
        return largest
    # scipy.optimize costs 0.4 s to import and most laws have no redundant constants.
    from scipy.optimize import linprog

    scaled = trades / np.abs(trades).max(axis=1, keepdims=True)
    ones = np.ones((len(apart), 1))
    solved = linprog(
        [*np.zeros(len(scaled)), 1.0],
        A_ub=np.vstack([np.hstack([scaled.T, -ones]), np.hstack([-scaled.T, -ones])]),
        b_ub=np.concatenate([-apart, apart]),
        bounds=[(None, None)] * len(scaled) + [(0.0, None)],
    )
    return float(solved.fun) if solved.success else largest


__all__ = ("TooCloseToCallError", "determined", "ulps_apart")
