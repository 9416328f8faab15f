"""Published laws fitted on the training rows of a split and asked for the held-out ones."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.fitting.constants import Constant
from lawsmith.calibration.fitting.fits import STARTS, fit
from lawsmith.calibration.problems import (
    FLOOR,
    WHOLE,
    Admission,
    ProblemTable,
    Records,
    Space,
    Split,
    admit,
    make_split,
    records_of,
)
from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression
from schemas.problem import Problem, ReferenceLaw, ResidualSpace

Floats = NDArray[np.float64]


def space_of(residuals: ResidualSpace) -> Space:
    """The residual space of a problem as fits take it."""
    return Space(residuals.space, FLOOR if residuals.floor is None else residuals.floor)


def records_at(table: ProblemTable, rows: NDArray[np.intp]) -> Records:
    """Some rows of a canonical table as fits take them.

    Raises:
        InputError: there are no rows.
    """
    groups = None if table.groups is None else np.array([table.groups[row] for row in rows])
    return records_of(table.points(rows), table.target[rows], groups)


def admission_of(
    problem: Problem, table: ProblemTable, split: Split | None = None, starts: int = STARTS
) -> Admission:
    """Every rule of admission on a problem, its laws fitted on the training rows.

    Raises:
        InputError: the split cannot be made, or a law cannot be fitted.
    """
    split = make_split(problem, table) if split is None else split
    predictions = {
        law.id: values
        for law in problem.laws
        if (values := predicted(problem, law, table, split, starts)) is not None
    }
    return admit(problem, table, split, predictions)


def predicted(
    problem: Problem, law: ReferenceLaw, table: ProblemTable, split: Split, starts: int = STARTS
) -> Floats | None:
    """A law's readout at the held-out rows, in the readout's unit; None without a value there.

    Shared constants come from the training rows. Where the intent is `unseen_group` the
    per-group constants of a tested group come from its fit rows, the shared ones held.

    Raises:
        InputError: a fit is not possible.
    """
    space = space_of(problem.residuals)
    shared, known = _learned(law, table, split, space, starts)
    found = np.zeros(len(split.test))
    places = {row: i for i, row in enumerate(split.test.tolist())}
    for label in split.test_groups or (WHOLE,):
        rows = split.test_rows(table, label)
        values = known.get(label)
        if values is None:
            values = _own(law, shared, table, split, label, space, starts)
        inputs: dict[str, Floats | float] = {**table.points(rows), **values}
        try:
            readout = compile_expression(law.expression)(inputs)
        except UndefinedValueError:
            return None
        found[[places[row] for row in rows.tolist()]] = readout
    return found


def shared_constants(
    law: ReferenceLaw, table: ProblemTable, split: Split, space: Space, starts: int = STARTS
) -> dict[str, float]:
    """The fitted constants of a law that hold in all groups, from the training rows.

    Raises:
        InputError: the fit is not possible.
    """
    names = [c.name for c in law.constants if c.scope == "shared" and c.fixed is None]
    if not names:
        return {}
    shared, known = _learned(law, table, split, space, starts)
    values = shared or next(iter(known.values()))
    return {name: values[name] for name in names}


def _learned(
    law: ReferenceLaw, table: ProblemTable, split: Split, space: Space, starts: int
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """The shared constants from the training rows, and label -> all constants of known groups."""
    unseen = split.intent == "unseen_group"
    if unseen and all(c.scope == "per_group" or c.fixed is not None for c in law.constants):
        return {}, {}
    learned = fit(
        law.expression, law.constants, records_at(table, split.train), space, starts=starts
    )
    if not unseen:
        return {}, {label: learned.values(label) for label in learned.constants}
    first = learned.values(next(iter(learned.constants)))
    return {name: first[name] for name in learned.shared}, {}


def _own(
    law: ReferenceLaw,
    shared: Mapping[str, float],
    table: ProblemTable,
    split: Split,
    label: str,
    space: Space,
    starts: int,
) -> dict[str, float]:
    """The constants of an unseen group: its own from its fit rows, the shared ones held."""
    held = [
        Constant(constant.name, fixed=shared[constant.name])
        if constant.name in shared
        else constant
        for constant in law.constants
    ]
    if all(constant.fixed is not None for constant in held):
        return {c.name: c.fixed for c in held if c.fixed is not None}
    rows = split.fit_rows(table, label)
    return fit(law.expression, held, records_at(table, rows), space, starts=starts).values(label)
