"""Where two pieces of JSON data differ, as paths."""

from typing import Any


def differences(left: Any, right: Any, path: str = "") -> list[str]:
    """JSON Pointers to every place where two JSON values differ, in document order.

    Numbers differ when their values do; a missing key and a missing item are differences at
    the path they would have.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        found = []
        for key in sorted({*left, *right}):
            if key in left and key in right:
                found += differences(left[key], right[key], f"{path}/{key}")
            else:
                found.append(f"{path}/{key}")
        return found
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        found = []
        for index, (a, b) in enumerate(zip(left, right, strict=False)):
            found += differences(a, b, f"{path}/{index}")
        shorter, longer = sorted((len(left), len(right)))
        return found + [f"{path}/{index}" for index in range(shorter, longer)]
    if isinstance(left, bool) or isinstance(right, bool):
        return [] if left is right else [path or "/"]
    return [] if left == right else [path or "/"]


__all__ = ("differences",)
