"""Labels of pairs proved with mpmath at 400 digits, which shares nothing with the checker."""

from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np

from benchmarks.equality.pair_drawing import Pair, Point
from benchmarks.equality.rewriting import Wire
from schemas.expression import to_wire


def value_at(node: Wire, point: Point) -> Any:
    """The value by mpmath; None where it is undefined over the reals."""
    if isinstance(node, float | int):
        return mpmath.mpf(repr(float(node)))
    if "var" in node:
        return mpmath.mpf(repr(point[node["var"]]))
    args = [value_at(arg, point) for arg in node["args"]]
    if any(arg is None for arg in args):
        return None
    try:
        value = _FUNCTIONS[node["op"]](*args)
    except (ZeroDivisionError, ValueError):
        return None
    return None if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value) else value


def _power(base: Any, exponent: Any) -> Any:
    if base == 0 and exponent <= 0:
        raise ZeroDivisionError
    return base**exponent


def _product(*args: Any) -> Any:
    total = args[0]
    for arg in args[1:]:
        total = total * arg
    return total


def _nonzero(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*args: Any) -> Any:
        if args[-1] == 0:
            raise ZeroDivisionError
        return function(*args)

    return apply


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": lambda *args: sum(args[1:], args[0]),
    "mul": _product,
    "sub": lambda a, b: a - b,
    "div": _nonzero(lambda a, b: a / b),
    "neg": lambda a: -a,
    "pow": _power,
    "min": min,
    "max": max,
    "abs": abs,
    "sqrt": mpmath.sqrt,
    "cbrt": lambda a: mpmath.sign(a) * mpmath.cbrt(abs(a)),
    "exp": mpmath.exp,
    "log": _nonzero(mpmath.log),
    "log10": _nonzero(mpmath.log10),
    "log2": _nonzero(lambda a: mpmath.log(a, 2)),
    "mod": _nonzero(lambda a, b: a - b * mpmath.floor(a / b)),
    "ceil": mpmath.ceil,
    "floor": mpmath.floor,
    "round": mpmath.nint,
    "sign": mpmath.sign,
    "step": lambda a: mpmath.mpf(1 if a > 0 else 0),
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(mpmath, name) for name in ("sinh", "cosh", "tanh", "asinh", "acosh")},
    "atanh": mpmath.atanh,
    "atan2": mpmath.atan2,
}


def label_holds(pair: Pair, points: int = 6) -> bool:
    """Whether mpmath at 400 digits agrees with the label at the witness or at other points."""
    left, right = to_wire(pair.a), to_wire(pair.b)
    with mpmath.workdps(400):
        if pair.witness is not None:
            a, b = value_at(left, pair.witness), value_at(right, pair.witness)
            if a is None or b is None:
                return a is not b
            return bool(abs(a - b) > mpmath.mpf(10) ** -390 * (abs(a) + abs(b)))
        rng = np.random.Generator(np.random.PCG64(5))
        for _ in range(points):
            point = {name: _somewhere(rng, ends) for name, ends in pair.domain.items()}
            a, b = value_at(left, point), value_at(right, point)
            if a is None or b is None:
                if a is not b:
                    return False
            elif abs(a - b) > mpmath.mpf(10) ** -300 * (1 + abs(a)):
                return False
    return True


def _somewhere(rng: np.random.Generator, ends: Any) -> float:
    if isinstance(ends, list):
        return float(ends[int(rng.integers(len(ends)))])
    return float(rng.uniform(*ends))
