"""Whether two laws have the same form: one becomes the other by changing constants alone.

The constants of the second law are solved for: those that enter linearly by linear least
squares, the others from many starts; the solution is then sharpened to 100 digits and the two
laws must agree to 50 digits at points not used for solving. Any rearrangement is seen through,
because only values are compared.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from lawsmith.errors import InputError
from lawsmith.expressions.balls import UndecidedError, UndefinedError, ball
from lawsmith.expressions.domains import Axis, Domain, Point, axes_of, generic_points
from lawsmith.expressions.equivalence import Verdict, equivalent
from lawsmith.expressions.evaluation import compile_expression
from lawsmith.expressions.folding import literal_paths
from lawsmith.expressions.truth import evaluate_exact, exact_number, exact_value, precision
from schemas.expression import Expression, Op, Var, names_of, walk

POINTS: Final = 96
STARTS: Final = 48
FIT_BOUND: Final = 1e-7
"""Relative residual under which a float64 solution is worth sharpening."""
SHARP_BITS: Final = 400
AGREED_BITS: Final = 166
"""50 digits."""

Floats = NDArray[np.float64]


def same_form(
    a: Expression,
    b: Expression,
    free_constants: Iterable[str] | None = None,
    domain: Domain | None = None,
    time_limit: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
) -> Verdict:
    """Compare two laws up to the values of b's free constants.

    Args:
        a: the law in question, say a submission.
        b: the law whose form is asked for, say the truth.
        free_constants: JSON Pointers of literals of b that may take any other value; None =
            `literal_paths(b)`, which leaves exponents, pi and e as structure.
        domain: as in `equivalent`.
        time_limit: seconds until the guard interrupts (`undecided`, `time_limit`).
        clock: monotonic seconds.

    Returns:
        `equal` with `constant_map` (path in b -> the value that makes b equal to a; where
        only a product of constants is determined, the later ones keep b's value); `different`,
        how `names` or `linear` when proved, `search` when 48 starts found no constants and the
        trees differ beyond their constants; `undecided` when the trees do not differ so.

    Raises:
        InputError: a path in `free_constants` is no literal of b, or the domain is malformed.
    """
    paths = literal_paths(b) if free_constants is None else list(free_constants)
    nodes = dict(walk(b))
    for path in paths:
        if not isinstance(nodes.get(path), float):
            raise InputError(f"{path!r} is no literal of the second law", path=path)
    direct = _direct(a, b, paths)
    if direct is not None:
        return Verdict("equal", "structure", "the trees agree but for constants", None, direct)
    started = clock()
    search = _Search(a, b, paths, domain, lambda: clock() - started > time_limit)
    return search.verdict()


class _TimeUpError(Exception):
    pass


class _LostError(Exception):
    """A constant goes to zero: a part of the second law would vanish."""


class _Search:
    def __init__(
        self,
        a: Expression,
        b: Expression,
        paths: Sequence[str],
        domain: Domain | None,
        expired: Callable[[], bool],
    ) -> None:
        self._a, self._b, self._domain, self._expired = a, b, domain, expired
        self._paths = list(paths)
        nodes = dict(walk(b))
        self._own = np.array([nodes[path] for path in paths], dtype=np.float64)
        self._slots = [f"constant_{place}_" for place in range(len(paths))]
        self._open = replace_literals(
            b, {p: Var(s) for p, s in zip(paths, self._slots, strict=True)}
        )
        self._axes = axes_of(sorted(names_of(a) | names_of(b)), domain)
        self._points: list[Point] = []
        self._truth = np.empty(0)
        self._free: list[int] = []

    def verdict(self) -> Verdict:
        try:
            return self._verdict()
        except _TimeUpError:
            return Verdict("undecided", "", "time_limit")
        except _LostError:
            return Verdict("different", "search", "a constant of the second law would be zero")
        except (UndecidedError, UndefinedError):
            return Verdict("undecided", "", "the constants could not be sharpened")

    def _verdict(self) -> Verdict:
        plain = equivalent(self._a, self._b, self._domain)
        if plain.verdict == "equal":
            own = dict(zip(self._paths, self._own.tolist(), strict=True))
            return Verdict("equal", plain.how, plain.reason, None, own)
        if not self._paths:
            return plain
        odd = self._odd_name()
        if odd is not None:
            return Verdict("different", "names", f"only one law depends on {odd!r}")
        self._sample()
        if len(self._points) < 2 * len(self._paths) + 8:
            return Verdict("undecided", "", "few_points")
        self._free = self._independent(self._own)[0]
        linear = self._linear_set()
        solution = self._solve(linear)
        if solution is None:
            return self._failure(linear)
        return self._sharpened(solution)

    def _failure(self, linear: list[int]) -> Verdict:
        if len(linear) == len(self._free):
            return Verdict("different", "linear", "no constants bring the second law to the first")
        if skeleton(self._a) == skeleton(self._b):
            return Verdict("undecided", "", "like trees, but no constants were found")
        return Verdict("different", "search", f"no constants were found from {STARTS} starts")

    def _odd_name(self) -> str | None:
        only = names_of(self._a) ^ names_of(self._b)
        for name in sorted(only):
            law = self._a if name in names_of(self._a) else self._b
            if _depends(law, name, self._axes):
                return name
        return None

    def _sample(self) -> None:
        values: list[float] = []
        for point in generic_points(self._axes, 4 * POINTS):
            value = _steady(self._a, point)
            if value and _steady(self._b, point) is not None and len(values) < POINTS:
                self._points.append(point)
                values.append(value)
        self._truth = np.array(values, dtype=np.float64)

    def _values(self, constants: Floats) -> Floats | None:
        """The open law at the sample points, None where any is undefined."""
        if self._expired():
            raise _TimeUpError
        inputs: dict[str, Any] = {
            axis.name: np.array([point[axis.name] for point in self._points]) for axis in self._axes
        }
        inputs.update(zip(self._slots, constants.tolist(), strict=True))
        try:
            return np.asarray(compile_expression(self._open)(inputs), dtype=np.float64)
        except ArithmeticError:
            return None

    def _relative(self, constants: Floats) -> Floats | None:
        values = self._values(constants)
        return None if values is None else values / self._truth

    def _linear_set(self) -> list[int]:
        """Constants in which the law is jointly affine, found by second differences."""
        chosen: list[int] = []
        for place in self._free:
            if self._affine([*chosen, place]):
                chosen.append(place)
        return chosen

    def _affine(self, places: list[int]) -> bool:
        for turn in (1.0, 0.618):
            step = np.zeros_like(self._own)
            for order, place in enumerate(places):
                step[place] = self._own[place] * 0.01 * (1.0 + turn * order)
            values = [self._relative(self._own + k * step) for k in (0.0, 1.0, 2.0)]
            if values[0] is None or values[1] is None or values[2] is None:
                return False
            bend = np.abs(values[2] - 2 * values[1] + values[0])
            if (bend > 1e-11 * (1.0 + np.abs(values[0]))).any():
                return False
        return True

    def _solve(self, linear: list[int]) -> Floats | None:
        curved = [place for place in self._free if place not in linear]
        if not curved:
            return self._accepted(self._linear_solution(self._own, linear))
        for start in self._starts(curved):
            found = self._accepted(self._descend(start, curved, linear))
            if found is not None:
                return found
        return None

    def _accepted(self, constants: Floats | None) -> Floats | None:
        if constants is None:
            return None
        values = self._relative(constants)
        if values is None or np.abs(values - 1.0).max() > FIT_BOUND:
            return None
        return constants

    def _linear_solution(self, base: Floats, linear: list[int]) -> Floats | None:
        if not linear:
            return base
        values = self._relative(base)
        if values is None:
            return None
        columns = []
        for place in linear:
            moved = base.copy()
            moved[place] *= 2.0
            shifted = self._relative(moved)
            if shifted is None:
                return None
            columns.append(shifted - values)
        matrix = np.stack(columns, axis=1)
        # A tiny weight pulls towards b's own values where only a combination is determined.
        scale = np.abs(matrix).max(axis=0)
        scale[scale == 0.0] = 1.0
        change = np.linalg.lstsq(matrix / scale, 1.0 - values, rcond=1e-13)[0] / scale
        result = base.copy()
        result[linear] += base[linear] * change
        return result

    def _starts(self, curved: list[int]) -> Iterable[Floats]:
        pools = []
        literals = [node for _, node in walk(self._a) if isinstance(node, float) and node != 0.0]
        for place in curved:
            own = float(self._own[place])
            spread = [own * factor for factor in (1.0, 0.3, 3.0, -1.0, 0.03, 30.0)]
            pools.append([own, *dict.fromkeys(literals[:8]), *spread[1:]])
        ordered = sorted(
            itertools.islice(itertools.product(*(range(len(pool)) for pool in pools)), 4000),
            key=lambda picks: (sum(picks), picks),
        )
        for picks in ordered[:STARTS]:
            start = self._own.copy()
            for place, pool, pick in zip(curved, pools, picks, strict=True):
                start[place] = pool[pick]
            yield start

    def _descend(self, start: Floats, curved: list[int], linear: list[int]) -> Floats | None:
        # scipy.optimize costs 0.4 s to import and most comparisons never come here.
        from scipy.optimize import least_squares

        signs = np.sign(start[curved])

        def constants(logs: Floats) -> Floats | None:
            base = start.copy()
            base[curved] = signs * np.exp(np.clip(logs, -600, 600))
            return self._linear_solution(base, linear)

        def residual(logs: Floats) -> Floats:
            found = constants(logs)
            values = None if found is None else self._relative(found)
            if values is None:
                return np.full(len(self._truth), 1e3)
            return np.clip(values - 1.0, -1e3, 1e3)

        fit = least_squares(
            residual, np.log(np.abs(start[curved])), xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60
        )
        return constants(np.asarray(fit.x))

    def _sharpened(self, constants: Floats) -> Verdict:
        free, rows = self._independent(constants)
        if set(self._free) - set(free):
            raise _LostError
        with precision(SHARP_BITS):
            sharp = self._newton(constants, free, rows)
            used = set(rows)
            rest = [p for place, p in enumerate(self._points) if place not in used]
            gap = max((self._gap(sharp, point) for point in rest), key=float)
            agreed = gap < arb(2) ** -AGREED_BITS
            values = [float(value.mid()) for value in sharp]
        if not agreed:
            return Verdict("different", "search", "close, but not equal to 50 digits")
        mapping = dict(zip(self._paths, values, strict=True))
        exact = replace_literals(self._b, dict(mapping))
        whole = equivalent(self._a, exact, self._domain)
        if whole.verdict == "equal":
            return Verdict("equal", whole.how, whole.reason, None, mapping)
        reason = "agreement to 50 digits at points not used for solving"
        return Verdict("equal", "identity", reason, None, mapping)

    def _independent(self, constants: Floats) -> tuple[list[int], list[int]]:
        """Constants that the points determine, the earlier first, and points that do so."""
        base = self._relative(constants)
        columns: list[Floats] = []
        free: list[int] = []
        for place in range(len(constants)):
            moved = constants.copy()
            moved[place] *= 1.0 + 1e-6
            shifted = self._relative(moved)
            if base is None or shifted is None:
                raise UndecidedError("")
            column = (shifted - base) * 1e6
            trial = np.stack([*columns, column], axis=1)
            norms = np.linalg.norm(trial, axis=0)
            if norms[-1] > 0 and np.linalg.svd(trial / norms, compute_uv=False)[-1] > 1e-6:
                columns.append(column)
                free.append(place)
        if not free:
            raise UndecidedError("")
        return free, _pivot_rows(np.stack(columns, axis=1))

    def _newton(self, constants: Floats, free: list[int], rows: list[int]) -> list[Any]:
        values = [ball(exact_number(float(value))) for value in constants]
        points = [self._points[row] for row in rows]
        step = arb(2) ** -150
        for _ in range(12):
            gaps = [self._residual(values, point) for point in points]
            jacobian = []
            for point, gap in zip(points, gaps, strict=True):
                row = []
                for place in free:
                    moved = list(values)
                    moved[place] = (moved[place] * (1 + step)).mid()
                    row.append(((self._residual(moved, point) - gap) / step).mid())
                jacobian.append(row)
            try:
                change = arb_mat(jacobian).solve(arb_mat([[gap.mid()] for gap in gaps]))
            except ZeroDivisionError as error:
                raise UndecidedError("") from error
            for order, place in enumerate(free):
                if abs(change[order, 0] - 1) < arb(2) ** -20:
                    raise _LostError
                values[place] = (values[place] * (1 - change[order, 0])).mid()
            if all(abs(change[order, 0]) < arb(2) ** -250 for order in range(len(free))):
                return values
        raise UndecidedError("")

    def _residual(self, constants: Sequence[Any], point: Mapping[str, float]) -> Any:
        inputs: dict[str, Any] = {name: exact_number(value) for name, value in point.items()}
        truth = ball(exact_value(self._a, inputs, SHARP_BITS))
        inputs.update(zip(self._slots, constants, strict=True))
        return ball(exact_value(self._open, inputs, SHARP_BITS)) / truth - 1

    def _gap(self, constants: Sequence[Any], point: Point) -> Any:
        return self._residual(constants, point).abs_upper()


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
    """A hashable that forgets constants outside exponents, order and grouping."""
    if isinstance(expression, Var):
        return expression.var
    if not isinstance(expression, Op):
        return "#"
    if expression.op == "pow":
        return ("pow", skeleton(expression.args[0]), expression.args[1])
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


def _steady(law: Expression, point: Point) -> float | None:
    """The true value where float64 comes close to it, None where it does not or is undefined."""
    try:
        value, truth = compile_expression(law)(point), evaluate_exact(law, point)
    except ArithmeticError:
        return None
    return truth if abs(float(value) - truth) <= 1e-10 * abs(truth) else None


def _depends(law: Expression, name: str, axes: Sequence[Axis]) -> bool:
    points = list(generic_points(axes, 24))
    for first, second in itertools.pairwise(points):
        try:
            moved = exact_value(law, _exact(first | {name: second[name]}), SHARP_BITS)
            still = exact_value(law, _exact(first), SHARP_BITS)
        except (UndefinedError, UndecidedError):
            continue
        with precision(SHARP_BITS):
            if not (ball(moved) - ball(still)).contains(0):
                return True
    return False


def _exact(point: Mapping[str, float]) -> dict[str, Any]:
    return {name: exact_number(value) for name, value in point.items()}


def _pivot_rows(matrix: Floats) -> list[int]:
    rest = matrix / np.linalg.norm(matrix, axis=0)
    rows: list[int] = []
    for _ in range(matrix.shape[1]):
        sizes = np.linalg.norm(rest, axis=1)
        row = int(np.argmax(sizes))
        rows.append(row)
        direction = rest[row] / sizes[row]
        rest = rest - np.outer(rest @ direction, direction)
    return rows


__all__ = ("replace_literals", "same_form", "skeleton")
