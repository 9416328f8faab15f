"""Partial derivatives of single operators: the column `slopes` of the operator table.

Each takes the value and the arguments as float64 arrays and gives the slope in one argument.
Where an operator has a kink or a jump its slope is that of one side: of the first argument
for equal ones of `min` and `max`, 0 for `abs` at 0, 0 for `floor`, `ceil`, `round`, `sign`,
`step`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Partial: TypeAlias = Callable[..., Any]
"""(value, argument, ...) -> slope of the value in one argument."""


def unit(value: Any, *_: Any) -> Any:
    """Slope 1."""
    return np.ones_like(value)


def minus_unit(value: Any, *_: Any) -> Any:
    """Slope -1."""
    return -np.ones_like(value)


def flat(value: Any, *_: Any) -> Any:
    """Slope 0."""
    return np.zeros_like(value)


def base_of_power(_: Any, base: Any, exponent: Any) -> Any:
    """Of a power in its base."""
    return exponent * np.power(base, exponent - 1)


def exponent_of_power(value: Any, base: Any, _: Any) -> Any:
    """Of a power in its exponent.

    0 to a positive power stays 0 whatever the exponent; below 0 the exponent cannot move.
    """
    positive = base > 0
    return np.where(positive, value * np.log(np.where(positive, base, 1.0)), 0.0)
