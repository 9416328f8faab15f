"""Whether a control gives the readout away: by its name, as a function of it, by its order."""

import re
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MAX_RANK_CORRELATION: Final = 0.9999
EXACT: Final = 1e-12
"""Two transformed columns whose |correlation| is nearer to 1 than this are one column."""
_TRANSFORMS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "x": lambda x: x,
    "log x": np.log,
    "1/x": lambda x: 1 / x,
    "x^2": np.square,
    "sqrt x": np.sqrt,
    "exp x": np.exp,
}
_POSITIVE: Final = ("log x", "1/x", "sqrt x")
_MAX_EXPONENT: Final = 50.0


def named_like(name: str, target: str) -> bool:
    """Whether a name is the target's, or the target's words stand in it as words.

    Case and signs between words do not count: `log_Mass` and `mass.pred` are named like `mass`,
    `massive` is not.
    """
    words, wanted = _words(name), _words(target)
    span = len(wanted)
    return bool(wanted) and any(words[i : i + span] == wanted for i in range(len(words) - span + 1))


def exact_function(values: Floats, target: Floats) -> str | None:
    """The transforms by which a column gives the target exactly, None if none does.

    Tried are affine maps between the column and the target, each as it is and transformed by
    log, reciprocal, square, root or exponential where defined: this covers scaled copies,
    powers, logarithms and exponentials. Beyond these, rows that share an input and never
    disagree prove nothing, so they are not taken as evidence.

    Args:
        values: shape (n,).
        target: shape (n,).
    """
    if len(np.unique(values)) < 3 or len(np.unique(target)) < 3:
        return None
    for of_target, left in _transformed(target):
        for of_values, right in _transformed(values):
            if 1 - abs(_correlation(left, right)) <= EXACT:
                return f"{of_target.replace('x', 'target')} = a + b*({of_values})"
    return None


def rank_correlation(values: Floats, target: Floats) -> float:
    """Spearman's rank correlation with mean ranks for ties; 0 where a column is constant."""
    return _correlation(scipy.stats.rankdata(values), scipy.stats.rankdata(target))


def _words(name: str) -> list[str]:
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z0-9]+", split.lower())


def _transformed(values: Floats) -> list[tuple[str, Floats]]:
    found: list[tuple[str, Floats]] = []
    for name, transform in _TRANSFORMS.items():
        if name in _POSITIVE and not (values > 0).all():
            continue
        if name == "exp x" and np.abs(values).max() > _MAX_EXPONENT:
            continue
        found.append((name, np.asarray(transform(values), dtype=np.float64)))
    return found


def _correlation(a: Floats, b: Floats) -> float:
    a, b = _scaled(a), _scaled(b)
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0 else 0.0


def _scaled(values: Floats) -> Floats:
    """Centred, and of unit size, so that squares neither overflow nor vanish."""
    centred = values - values.mean()
    size = float(np.abs(centred).max())
    return np.asarray(centred / size if size > 0 else centred, dtype=np.float64)


__all__ = ("MAX_RANK_CORRELATION", "exact_function", "named_like", "rank_correlation")
