"""Real records as columns, and the space in which residuals are taken."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.calibration.problems.axes import table_of
from lawsmith.errors import InputError, UndefinedValueError

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

SINGLE: Final = ""
"""The label of the one group of a table without groups."""
FLOOR: Final = 1e-12
"""What records <= it are lifted to before their logarithm, in the unit of the readout."""
FEWEST_IN_GROUP: Final = 8


@dataclass(frozen=True, slots=True)
class Records:
    """The rows of a canonical table; make one with `records_of`."""

    inputs: dict[str, Floats]
    """Control -> column, shape (n,), in declared order."""
    target: Floats
    groups: NDArray[np.str_] | None
    """The label of each row; None for a table without groups."""

    def __len__(self) -> int:
        return len(self.target)

    @property
    def table(self) -> Floats:
        """The inputs, shape (n, controls)."""
        return np.column_stack(list(self.inputs.values()))

    def group_rows(self) -> dict[str, Rows]:
        """Label -> its rows, ascending; labels in order of their text."""
        if self.groups is None:
            return {SINGLE: np.arange(len(self))}
        labels, places = np.unique(self.groups, return_inverse=True)
        order = np.argsort(places, kind="stable")
        ends = np.cumsum(np.bincount(places, minlength=len(labels)))
        parts = np.split(order, ends[:-1])
        return {str(label): rows for label, rows in zip(labels, parts, strict=True)}

    def take(self, rows: Rows) -> "Records":
        """The records of some rows, in the given order."""
        inputs = {name: column[rows] for name, column in self.inputs.items()}
        groups = None if self.groups is None else self.groups[rows]
        return Records(inputs, self.target[rows], groups)


def records_of(
    inputs: Mapping[str, ArrayLike], target: ArrayLike, groups: ArrayLike | None = None
) -> Records:
    """Records of columns.

    Raises:
        InputError: columns of unequal length, no rows or no controls, or a number that is not
            finite.
    """
    if not inputs:
        raise InputError("no controls", path="inputs")
    columns = {name: table_of(column, name)[:, 0] for name, column in inputs.items()}
    readout = table_of(target, "target")[:, 0]
    labels = None if groups is None else np.asarray(groups, dtype=np.str_)
    for name, column in {**columns, **({} if labels is None else {"groups": labels})}.items():
        if column.shape != readout.shape:
            raise InputError(f"shape {column.shape} beside {readout.shape}", path=name)
    return Records(columns, readout, labels)


def usable(records: Records, fewest: int = FEWEST_IN_GROUP) -> tuple[Records, dict[str, int]]:
    """The records of groups with at least 8 rows, and the dropped groups with their rows.

    A table without groups is returned as it is.

    Raises:
        InputError: no group has enough rows.
    """
    if records.groups is None:
        return records, {}
    groups = records.group_rows()
    dropped = {label: len(rows) for label, rows in groups.items() if len(rows) < fewest}
    if len(dropped) == len(groups):
        raise InputError(f"none of {len(groups)} groups has {fewest} rows", path="groups")
    if not dropped:
        return records, {}
    return records.take(np.flatnonzero(~np.isin(records.groups, list(dropped)))), dropped


@dataclass(frozen=True, slots=True)
class Space:
    """Where residuals live: phi is the readout itself or its log10 (SciLaws-Bench, eq. 4)."""

    kind: Literal["linear", "log10"]
    floor: float = FLOOR
    """For records alone: a law that is not positive has no logarithm and is an error."""

    def of_records(self, target: Floats) -> Floats:
        """Phi of measured values, lifted to the floor in logarithmic space."""
        return np.log10(np.maximum(target, self.floor)) if self.kind == "log10" else target

    def of_law(self, values: Floats) -> Floats:
        """Phi of a law's values.

        Raises:
            UndefinedValueError: in logarithmic space a value is not positive.
        """
        if self.kind == "linear":
            return values
        if not (values > 0).all():
            row = int(np.argmin(values > 0))
            raise UndefinedValueError(
                f"the law is {values[row].item()!r}, which has no logarithm",
                path="law",
                inputs={"row": float(row)},
            )
        return np.log10(values)

    def back(self, phi: Floats) -> Floats:
        """The readout of a value in this space."""
        return 10.0**phi if self.kind == "log10" else phi

    def lifted(self, target: Floats) -> int:
        """How many records the floor lifts."""
        return int((target < self.floor).sum()) if self.kind == "log10" else 0


__all__ = (
    "FEWEST_IN_GROUP",
    "FLOOR",
    "SINGLE",
    "Records",
    "Space",
    "records_of",
    "usable",
)
