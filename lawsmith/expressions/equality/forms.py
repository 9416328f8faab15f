"""Whether two laws have the same form: one becomes the other by changing constants alone.

The constants of the second law are solved for and the two laws must then agree to 331 digits
at points not used for solving. Any rearrangement is seen through, because only values are
compared.
"""

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lawsmith.errors import InputError
from lawsmith.expressions.domains import Axis, Domain, axes_of, generic_points
from lawsmith.expressions.equality.equivalence import Verdict, equivalent
from lawsmith.expressions.equality.newton_refinement import ExpiredError, LostError
from lawsmith.expressions.equality.refutation import QUICK_BITS, TIME_LIMIT, Meter, WorkError
from lawsmith.expressions.equality.solving import STARTS, ConstantSearch
from lawsmith.expressions.exponentials import is_exponential, natural
from lawsmith.expressions.folding import literal_paths
from lawsmith.expressions.operators import UndecidedError, UndefinedError, ball
from lawsmith.expressions.truth import exact_number, exact_value, precision
from schemas.expression import Expression, Op, Var, names_of, node_count, walk

WORK: Final = 5_000_000
"""Nodes that a search for constants may evaluate, at its sample points or once in balls."""


def same_form(
    a: Expression,
    b: Expression,
    free_constants: Iterable[str] | None = None,
    domain: Domain | None = None,
    time_limit: float = TIME_LIMIT,
    clock: Callable[[], float] = time.thread_time,
    work: float = 1.0,
) -> Verdict:
    """Compare two laws up to the values of b's free constants.

    Args:
        a: the law in question, say a submission.
        b: the law whose form is asked for, say the truth.
        free_constants: JSON Pointers of literals of b that may take any other value; None =
            `literal_paths(b)`, which leaves exponents that do not vary, pi and e as structure.
            An exponent is free when its pointer is among them.
        domain: as in `equivalent`.
        time_limit: seconds until the guard interrupts (`undecided`, `time_limit`); the counted
            work ends first (`work_budget`).
        clock: as in `equivalent`.
        work: share of the usual counted work that may be done.

    Returns:
        `equal` with `constant_map` (path in b -> the value that makes b equal to a; where
        only a product of constants is determined, the later ones keep b's value); `different`,
        how `names` or `linear` when proved, `search` when 48 starts found no constants and the
        trees differ beyond their constants; `undecided` when the trees do not differ so.

    Raises:
        InputError: a path in `free_constants` is no literal of b, or the domain is malformed.
    """
    paths = literal_paths(b) if free_constants is None else list(free_constants)
    nodes: dict[str, Any] = dict(walk(b))
    for path in paths:
        if not isinstance(nodes.get(path), float):
            raise InputError(f"{path!r} is no literal of the second law", path=path)
    direct = _direct(a, b, paths)
    if direct is not None:
        return Verdict("equal", "structure", "the trees agree but for constants", None, direct)
    started = clock()
    plain = equivalent(a, b, domain, time_limit / 2, clock, work)
    own = {path: nodes[path] for path in paths}
    if plain.verdict == "equal":
        return Verdict("equal", plain.how, plain.reason, None, own)
    if not paths:
        return plain
    left = _Left.of(node_count(a) + node_count(b), started + time_limit, clock, work)
    try:
        return _searched(a, b, own, domain, left)
    except ExpiredError:
        return Verdict("undecided", "", "time_limit")
    except WorkError as error:
        return Verdict("undecided", "", str(error))
    except (UndecidedError, UndefinedError):
        return Verdict("undecided", "", "the constants could not be sharpened")


def _searched(
    a: Expression,
    b: Expression,
    own: dict[str, float],
    domain: Domain | None,
    left: "_Left",
) -> Verdict:
    axes = axes_of(sorted(names_of(a) | names_of(b)), domain)
    odd = _odd_name(a, b, axes)
    if odd is not None:
        return Verdict("different", "names", f"only one law depends on {odd!r}")
    slots = fresh_names(len(own), names_of(a) | names_of(b))
    bases = _bases(b, own)
    open_law = replace_literals(b, _opened(own, slots, bases))
    starts = [math.log(value) if path in bases else value for path, value in own.items()]
    search = ConstantSearch(a, open_law, slots, starts, axes, left.over)
    if not search.sample():
        return Verdict("undecided", "", "few_points")
    for place in search.unseen:
        path, value = list(own.items())[place]
        doubled = replace_literals(b, {path: value**2 if path in bases else 2.0 * value})
        if not equivalent(b, doubled, domain, left.seconds(), left.now, left.share).equal:
            return Verdict("undecided", "", f"the constant at {path!r} is too small to be seen")
    lost = close = False
    for candidate in search.candidates():
        try:
            sharp = search.sharpened(candidate)
        except LostError:
            lost = True
            continue
        except (UndecidedError, UndefinedError):
            close = True
            continue
        if sharp is not None:
            pairs = zip(own, sharp, strict=True)
            mapping = {path: _exp(v) if path in bases else v for path, v in pairs}
            return _found(a, b, mapping, domain, left)
        # A linear form has one solution; it misses.
        close = close or not search.proved
    return _missing(a, b, proved=search.proved and not close, lost=lost, close=close)


def _bases(law: Expression, paths: Iterable[str]) -> frozenset[str]:
    """Those of the constants that are the base c of a c^u, sought as log(c) as in exp."""
    nodes = dict(walk(law))
    return frozenset(
        path
        for path in paths
        if path.endswith("/args/0") and is_exponential(nodes[path.removesuffix("/args/0")])
    )


def _opened(
    paths: Iterable[str], slots: Sequence[str], bases: frozenset[str]
) -> dict[str, Expression]:
    pairs = zip(paths, slots, strict=True)
    return {p: Op("exp", (Var(slot),)) if p in bases else Var(slot) for p, slot in pairs}


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError as error:
        raise UndecidedError("") from error


@dataclass(slots=True)
class _Left:
    """What is left of the work of a search, counted in nodes evaluated, and of its time."""

    end: float
    now: Callable[[], float]
    nodes: int
    share: float
    meter: Meter

    @classmethod
    def of(cls, nodes: int, end: float, now: Callable[[], float], work: float) -> "_Left":
        return cls(end, now, nodes, work, Meter(int(work * WORK), lambda: now() > end))

    def over(self) -> bool:
        """Whether the guard has fired; asked before every evaluation of the laws.

        Raises:
            WorkError: the counted work is used up, or the guard fired.
        """
        self.meter.spend(self.nodes, 0)
        return False

    def seconds(self) -> float:
        """Seconds left for the guard."""
        return max(0.0, self.end - self.now())


def _found(
    a: Expression,
    b: Expression,
    mapping: dict[str, float],
    domain: Domain | None,
    left: _Left,
) -> Verdict:
    whole = equivalent(
        a, replace_literals(b, dict(mapping)), domain, left.seconds(), left.now, left.share
    )
    if whole.verdict == "equal":
        return Verdict("equal", whole.how, whole.reason, None, mapping)
    reason = "agreement to 331 digits at points not used for solving"
    return Verdict("equal", "identity", reason, None, mapping)


def _missing(a: Expression, b: Expression, *, proved: bool, lost: bool, close: bool) -> Verdict:
    if proved:
        return Verdict("different", "linear", "no constants bring the second law to the first")
    if close:
        return Verdict("undecided", "", "constants come close but cannot be sharpened")
    if lost:
        return Verdict("different", "search", "a constant of the second law would be zero")
    if skeleton(a) == skeleton(b):
        return Verdict("undecided", "", "like trees, but no constants were found")
    return Verdict("different", "search", f"no constants were found from {STARTS} starts")


def _odd_name(a: Expression, b: Expression, axes: Sequence[Axis]) -> str | None:
    for name in sorted(names_of(a) ^ names_of(b)):
        if _depends(a if name in names_of(a) else b, name, axes):
            return name
    return None


def fresh_names(count: int, taken: frozenset[str]) -> list[str]:
    """Names for constants that stand for nothing else."""
    names = (f"constant_{place}" for place in itertools.count())
    return list(itertools.islice((name for name in names if name not in taken), count))


def replace_literals(
    expression: Expression, values: Mapping[str, Expression], path: str = ""
) -> Expression:
    """The expression with the nodes at the given JSON Pointers replaced."""
    if path in values:
        return values[path]
    if not isinstance(expression, Op):
        return expression
    return Op(
        expression.op,
        tuple(
            replace_literals(arg, values, f"{path}/args/{place}")
            for place, arg in enumerate(expression.args)
        ),
    )


def skeleton(expression: Expression) -> Any:
    """A hashable that forgets constants outside fixed exponents, order and grouping."""
    if isinstance(expression, Var):
        return expression.var
    if not isinstance(expression, Op):
        return "#" if expression else "0"
    if is_exponential(expression):
        return skeleton(natural(expression))
    if expression.op == "pow":
        base, exponent = expression.args
        inner = skeleton(exponent) if names_of(exponent) else exponent
        return ("pow", skeleton(base), inner)
    parts: list[Any] = []
    op = {"sub": "add", "neg": "mul", "div": "mul"}.get(expression.op, expression.op)
    for place, arg in enumerate(expression.args):
        part = skeleton(arg)
        under = expression.op == "div" and place == 1 and part != "#"
        nested = isinstance(part, tuple) and part[0] == op and op in ("add", "mul") and not under
        parts.extend(part[1] if nested else [("under", part) if under else part])
    if op in ("mul",):
        parts = [part for part in parts if part != "#"]
        if len(parts) < 2 and not any(isinstance(p, tuple) and p[0] == "under" for p in parts):
            return parts[0] if parts else "#"
    commutes = op in ("add", "mul", "min", "max")
    return op, tuple(sorted(parts, key=repr) if commutes else parts)


def _direct(a: Expression, b: Expression, paths: Sequence[str]) -> dict[str, float] | None:
    found: dict[str, float] = {}
    wanted = set(paths)
    stack = [("", a, b)]
    while stack:
        path, left, right = stack.pop()
        if path in wanted and isinstance(left, float) and isinstance(right, float):
            if left == 0.0:
                return None
            found[path] = left
        elif isinstance(left, Op) and isinstance(right, Op):
            if left.op != right.op or len(left.args) != len(right.args):
                return None
            stack.extend(
                (f"{path}/args/{place}", x, y)
                for place, (x, y) in enumerate(zip(left.args, right.args, strict=True))
            )
        elif left != right:
            return None
    return {path: found[path] for path in paths}


def _depends(law: Expression, name: str, axes: Sequence[Axis]) -> bool:
    points = list(generic_points(axes, 24))
    for first, second in itertools.pairwise(points):
        try:
            moved = exact_value(law, _exact(first | {name: second[name]}), QUICK_BITS)
            still = exact_value(law, _exact(first), QUICK_BITS)
        except (UndefinedError, UndecidedError):
            continue
        with precision(QUICK_BITS):
            if not (ball(moved) - ball(still)).contains(0):
                return True
    return False


def _exact(point: Mapping[str, float]) -> dict[str, Any]:
    return {name: exact_number(value) for name, value in point.items()}


__all__ = ("fresh_names", "replace_literals", "same_form", "skeleton")
