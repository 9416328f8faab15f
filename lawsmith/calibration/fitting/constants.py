"""Constants of a law as a fit is told of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from lawsmith.calibration.fitting.least_squares import Box
from lawsmith.calibration.problems import Records
from lawsmith.errors import InputError
from lawsmith.expressions import compile_expression
from schemas.expression import Expression


class Declared(Protocol):
    """A constant as a problem declares it."""

    @property
    def name(self) -> str:
        """As the law calls it."""
        ...

    @property
    def scope(self) -> Literal["shared", "per_group"]:
        """Whether it is one for all records."""
        ...

    @property
    def fixed(self) -> float | None:
        """A value that is not fitted; None: fitted."""
        ...

    @property
    def low(self) -> float | None:
        """Lower bound; None: unbounded."""
        ...

    @property
    def high(self) -> float | None:
        """Upper bound; None: unbounded."""
        ...

    @property
    def starts(self) -> Sequence[float]:
        """First guesses; the i-th of all constants belong together."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """A `Declared` constant."""

    name: str
    starts: tuple[float, ...] = ()
    scope: Literal["shared", "per_group"] = "shared"
    fixed: float | None = None
    low: float | None = None
    high: float | None = None


def checked_constants(
    law: Expression, constants: Sequence[Declared], records: Records
) -> list[Declared]:
    """Those that are fitted, once all agree with the law and the records.

    Raises:
        InputError: names that do not agree, starts of unequal number or out of bounds, or
            constants per group without groups.
    """
    names = [c.name for c in constants]
    wanted = set(compile_expression(law).names)
    if len(set(names)) < len(names) or set(names) & set(records.inputs):
        raise InputError(f"constants {names} are not distinct from each other and the controls")
    if wanted - set(names) - set(records.inputs) or set(names) - wanted:
        raise InputError(f"the law's names {sorted(wanted)} are not those declared", path="law")
    free = [c for c in constants if c.fixed is None]
    if len({len(c.starts) for c in free}) > 1 or any(not c.starts for c in free):
        raise InputError("every fitted constant needs as many starts", path="constants.starts")
    if records.groups is None and any(c.scope == "per_group" for c in constants):
        raise InputError("constants per group, and records without groups", path="records.groups")
    box = box_of(free)
    for row in zip(*(c.starts for c in free), strict=True):
        if not box.holds(np.array(row)):
            raise InputError(f"start {row!r} is out of bounds", path="constants.starts")
    return free


def box_of(constants: Sequence[Declared]) -> Box:
    """The bounds of some constants, in their order."""
    low = [-np.inf if c.low is None else c.low for c in constants]
    high = [np.inf if c.high is None else c.high for c in constants]
    return Box(np.array(low, dtype=np.float64), np.array(high, dtype=np.float64))


__all__ = ("Constant", "Declared", "box_of", "checked_constants")
