"""Where two pieces of JSON data differ, as paths."""

import math
from typing import Any, Final

SMALLEST: Final = 1e-6
"""Beside a number of this size the share becomes absolute: rounding around 0 is no difference."""


def differences(left: Any, right: Any, path: str = "", *, relative: float = 0.0) -> list[str]:
    """JSON Pointers to every place where two JSON values differ, in document order.

    Numbers differ when their values do, by more than a relative share of the larger where one
    is given; a missing key and a missing item are differences at the path they would have.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        found = []
        for key in sorted({*left, *right}):
            if key in left and key in right:
                found += differences(left[key], right[key], f"{path}/{key}", relative=relative)
            else:
                found.append(f"{path}/{key}")
        return found
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        found = []
        for index, (a, b) in enumerate(zip(left, right, strict=False)):
            found += differences(a, b, f"{path}/{index}", relative=relative)
        shorter, longer = sorted((len(left), len(right)))
        return found + [f"{path}/{index}" for index in range(shorter, longer)]
    if isinstance(left, bool) or isinstance(right, bool):
        return [] if left is right else [path or "/"]
    if relative and isinstance(left, float) and isinstance(right, float):
        near = math.isclose(left, right, rel_tol=relative, abs_tol=relative * SMALLEST)
        return [] if near else [path or "/"]
    return [] if left == right else [path or "/"]


__all__ = ("differences",)
