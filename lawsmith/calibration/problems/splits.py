"""Splits of a problem's rows by declared intent: what is trained on, fitted, tested.

A split is a function of the table and the declared intent alone: no draw is made. Windows look
at inputs, never at the readout, and take all rows of one group at one input together, so that
no repeated measurement (let alone a duplicate) stands on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.problems.problem_files import (
    MIN_GROUP_ROWS,
    Floats,
    ProblemTable,
    usable_groups,
)
from lawsmith.errors import InputError, IntegrityError
from schemas.problem import (
    AlternateWindow,
    ConditionWindow,
    CutWindow,
    Problem,
    ReferenceLaw,
    Window,
)

Rows = NDArray[np.intp]
WHOLE: Final = ""
"""Label that stands for the one group of a table without groups."""


@dataclass(frozen=True)
class Extent:
    """The range of one column on the three sides of a split; None where a side is empty."""

    name: str
    train: tuple[float, float]
    fit: tuple[float, float] | None
    test: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows by purpose; every usable row stands in exactly one of the three."""

    intent: str
    train: Rows
    """What a law is learned from."""
    fit: Rows
    """Rows of unseen groups that only set their per-group constants; else empty."""
    test: Rows
    extents: tuple[Extent, ...]
    """Of each control and the readout, in order."""
    train_groups: tuple[str, ...]
    test_groups: tuple[str, ...]
    dropped_groups: tuple[str, ...]
    """Groups with too few rows to be used at all."""

    def fit_rows(self, table: ProblemTable, label: str) -> Rows:
        """The rows from which the constants of a tested group are set."""
        pool = self.fit if self.intent == "unseen_group" else self.train
        return _within(table, pool, label)

    def test_rows(self, table: ProblemTable, label: str) -> Rows:
        """The held-out rows of a tested group."""
        return _within(table, self.test, label)


def local_constants(law: ReferenceLaw) -> int:
    """How many constants a law fits anew in each group."""
    return sum(c.fixed is None and c.scope == "per_group" for c in law.constants)


def make_split(problem: Problem, table: ProblemTable) -> Split:
    """The split that a problem declares.

    Raises:
        InputError: a test group is unknown or too small, a side is empty, or a tested group has
            too few distinct fit inputs for the local constants of some law.
    """
    intent = problem.split
    kept, dropped = usable_groups(table)
    lost = set(intent.test_groups) - set(kept)
    if lost:
        raise InputError(
            f"test groups {sorted(lost)} are absent or have fewer than {MIN_GROUP_ROWS} rows",
            path=f"{problem.id}: split/test_groups",
        )
    train: list[Rows] = []
    fit: list[Rows] = []
    test: list[Rows] = []
    unseen = set(intent.test_groups)
    for label in kept or (WHOLE,):
        rows = table.rows_of(label) if table.groups is not None else np.arange(table.rows)
        if unseen and label not in unseen:
            train.append(rows)
            continue
        tested = _tested(intent.window, table, rows)
        if not tested.any() or tested.all():
            raise InputError(
                f"group {label!r} has {int(tested.sum())} test rows of {len(rows)}",
                path=f"{problem.id}: split/window",
                fix="give a window that leaves rows on both sides",
            )
        (fit if unseen else train).append(rows[~tested])
        test.append(rows[tested])
    split = _split(problem, table, (_joined(train), _joined(fit), _joined(test)), dropped)
    check_split(problem, table, split)
    return split


def check_split(problem: Problem, table: ProblemTable, split: Split) -> None:
    """The rules every split keeps, whoever made it.

    Raises:
        IntegrityError: a row in two sides or in none, one input of a group on two sides, or
            groups that are not disjoint where the intent says so.
        InputError: a tested group has too few distinct fit inputs for its local constants.
    """
    _check_cover(problem, table, split)
    _check_straddling(problem, table, split)
    if split.intent == "unseen_group":
        asked = _labels(table, np.concatenate([split.fit, split.test]))
        both = set(_labels(table, split.train)) & set(asked)
        if both:
            raise IntegrityError(
                f"groups {sorted(both)} are trained on and tested", path=f"{problem.id}: split"
            )
    needed = max(local_constants(law) for law in problem.laws)
    for label in split.test_groups or (WHOLE,):
        rows = split.fit_rows(table, label)
        distinct = len(np.unique(table.inputs[rows], axis=0))
        if distinct < max(needed, 1):
            raise InputError(
                f"group {label!r} has {distinct} distinct fit inputs; its laws set {needed}"
                " constants in each group",
                path=f"{problem.id}: split/window",
            )


def _tested(window: Window, table: ProblemTable, rows: Rows) -> NDArray[np.bool_]:
    if isinstance(window, AlternateWindow):
        return _alternate(window, table.inputs[rows])
    values = table.inputs[rows, table.names.index(window.control)]
    if isinstance(window, ConditionWindow):
        return np.asarray((values >= window.low) & (values <= window.high), dtype=bool)
    return _beyond(window, values)


def _beyond(window: CutWindow, values: Floats) -> NDArray[np.bool_]:
    tested = values >= window.cut if window.test == "at_or_above" else values <= window.cut
    return np.asarray(tested, dtype=bool)


def _alternate(window: AlternateWindow, inputs: Floats) -> NDArray[np.bool_]:
    """Every so-many-th distinct input, in lexicographic order; extremes are never tested."""
    _, turns = np.unique(inputs, axis=0, return_inverse=True)
    low, high = inputs.min(axis=0), inputs.max(axis=0)
    extreme = (((inputs == low) | (inputs == high)) & (high > low)).any(axis=1)
    return np.asarray((turns % window.every == window.offset) & ~extreme, dtype=bool)


def _split(
    problem: Problem,
    table: ProblemTable,
    sides: tuple[Rows, Rows, Rows],
    dropped: tuple[str, ...],
) -> Split:
    train, fit, test = sides
    columns = [*table.inputs.T, table.target]
    extents = []
    for name, values in zip(table.names, columns, strict=True):
        ranges = [_range(values, rows) for rows in sides]
        if ranges[0] is None or ranges[2] is None:
            raise InputError("the split leaves a side empty", path=f"{problem.id}: split")
        extents.append(Extent(name, ranges[0], ranges[1], ranges[2]))
    return Split(
        intent=problem.split.intent,
        train=train,
        fit=fit,
        test=test,
        extents=tuple(extents),
        train_groups=_labels(table, train),
        test_groups=_labels(table, test),
        dropped_groups=dropped,
    )


def _range(values: Floats, rows: Rows) -> tuple[float, float] | None:
    if not len(rows):
        return None
    return float(values[rows].min()), float(values[rows].max())


def _joined(parts: Sequence[Rows]) -> Rows:
    if not parts:
        return np.zeros(0, dtype=np.intp)
    return np.sort(np.concatenate(parts)).astype(np.intp)


def _labels(table: ProblemTable, rows: Rows) -> tuple[str, ...]:
    present = np.unique(table.codes[rows])
    return tuple(table.labels[code] for code in present) if table.groups is not None else ()


def _within(table: ProblemTable, rows: Rows, label: str) -> Rows:
    if table.groups is None:
        return rows
    return np.asarray(rows[table.codes[rows] == table.labels.index(label)], dtype=np.intp)


def _check_cover(problem: Problem, table: ProblemTable, split: Split) -> None:
    dropped = [table.labels.index(label) for label in split.dropped_groups]
    usable = ~np.isin(table.codes, dropped)
    placed = np.bincount(np.concatenate([split.train, split.fit, split.test]), minlength=table.rows)
    twice, nowhere = int((placed > 1).sum()), int((usable & (placed == 0)).sum())
    foreign = int((~usable & (placed > 0)).sum())
    if twice or nowhere or foreign:
        raise IntegrityError(
            f"{twice} rows stand twice, {nowhere} usable rows stand nowhere, {foreign} are of"
            " dropped groups",
            path=f"{problem.id}: split",
        )


def _check_straddling(problem: Problem, table: ProblemTable, split: Split) -> None:
    rows = np.concatenate([split.train, split.fit, split.test])
    sides = np.repeat([0, 1, 2], [len(split.train), len(split.fit), len(split.test)])
    keys = np.column_stack([table.codes[rows], table.inputs[rows]])
    _, point = np.unique(keys, axis=0, return_inverse=True)
    lowest = np.full(int(point.max()) + 1, 2)
    np.minimum.at(lowest, point, sides)
    straddling = np.flatnonzero(sides != lowest[point])
    if straddling.size:
        names = ("train", "fit", "test")
        first = straddling[0]
        raise IntegrityError(
            f"row {int(rows[first])} has the group and inputs of a row in"
            f" {names[lowest[point[first]]]!r} and stands in {names[sides[first]]!r}",
            path=f"{problem.id}: split",
        )
