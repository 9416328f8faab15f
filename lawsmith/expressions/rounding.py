"""How far two laws are apart in the last digits of the constants of a form that both have.

The constants of the form are sharpened to 50 digits twice, once to each law, from the same
start, and what a law does not determine (a factor that could stand elsewhere) keeps one value
in both. So only combinations that can be told apart are compared, in whatever way either law is
written.
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from lawsmith.errors import InputError
from lawsmith.expressions.balls import UndecidedError, UndefinedError
from lawsmith.expressions.domains import Domain, axes_of
from lawsmith.expressions.forms import fresh_names, replace_literals
from lawsmith.expressions.sharpening import DEPTHS, ExpiredError, LostError
from lawsmith.expressions.solving import ConstantSearch
from lawsmith.expressions.truth import precision
from schemas.expression import Expression, Var, names_of, walk


class TooCloseToCallError(Exception):
    """The distance cannot be measured; the text is the reason, `time_limit` for the guard."""


def ulps_apart(
    form: Expression,
    free: Sequence[str],
    a: Expression,
    b: Expression,
    domain: Domain | None = None,
    time_limit: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """The largest distance of a constant that makes `form` equal to `a` from that for `b`.

    Args:
        form: a law with constants near those looked for, say `b` with its constants folded.
        free: JSON Pointers of its literals that are constants; none of them zero.
        a: a law of that form.
        b: another.
        domain: as in `equivalent`.
        time_limit: seconds until the guard interrupts.
        clock: monotonic seconds.

    Returns:
        The distance in units in the last place of the form's own constants; infinite where no
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
    names = names_of(form) | names_of(a) | names_of(b)
    slots = fresh_names(len(own), names)
    open_form = replace_literals(form, {p: Var(s) for p, s in zip(own, slots, strict=True)})
    axes = axes_of(sorted(names), domain)
    started = clock()
    found: list[list[Any]] = []
    for law in (b, a):
        search = ConstantSearch(
            law,
            open_form,
            slots,
            list(own.values()),
            axes,
            lambda: clock() - started > time_limit,
        )
        try:
            if not search.sample():
                raise TooCloseToCallError("few_points")
            sharp = search.sharp_from_own()
        except ExpiredError as error:
            raise TooCloseToCallError("time_limit") from error
        except LostError:
            return math.inf
        except (UndecidedError, UndefinedError) as error:
            raise TooCloseToCallError("the constants could not be sharpened") from error
        if sharp is None:
            return math.inf
        found.append(sharp)
    with precision(DEPTHS[0].bits):
        return max(
            float(abs(one - other).upper()) / math.ulp(value)
            for one, other, value in zip(*found, own.values(), strict=True)
        )


__all__ = ("TooCloseToCallError", "ulps_apart")
