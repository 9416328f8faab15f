"""Baselines of Parallel and Real tasks, as submissions: each is scored like any player's.

`oracle-form` has the true (or best published) form and fits its constants, `published-form`
the form that the hidden law grew from, `null` says one number.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lawsmith.calibration.discipline import handed_in
from lawsmith.calibration.fitting import Constant, Declared, fit, records_at, shared_constants
from lawsmith.calibration.hidden_laws import BuiltProblem, BuiltWorld, box_points
from lawsmith.calibration.problems import Records, Space, records_of
from lawsmith.calibration.worlds import CalibratedSimulator
from schemas.calibrated_task import (
    CalibratedSubmission,
    CalibratedTask,
    LocalConstant,
    ParallelTask,
    RealTask,
)
from schemas.expression import Expression, Var
from schemas.problem import ReferenceLaw

Baseline = Literal["oracle-form", "published-form", "null"]
BASELINES: Final[tuple[Baseline, ...]] = ("oracle-form", "published-form", "null")
MOST_POINTS: Final = 600
"""Distinct points that a baseline asks for over all groups; larger budgets are spent in part."""
MOST_GROUPS: Final = 3
"""Groups among which a baseline spends its budget."""

Floats = NDArray[np.float64]


def real_submissions(
    built: BuiltProblem, task: RealTask, reference: str
) -> dict[Baseline, CalibratedSubmission]:
    """The baselines of a Real task: the best published law, the base law, one number.

    Args:
        built: the problem.
        task: its Real task.
        reference: the published law that does best on the held-out rows.

    Raises:
        InputError: a law cannot be fitted.
    """
    laws = {law.id: law for law in built.problem.laws}
    level = _level(built.space, records_at(built.table, built.split.train))
    return {
        "oracle-form": published_submission(built, task, laws[reference], "oracle-form"),
        "published-form": published_submission(
            built, task, laws[built.base or reference], "published-form"
        ),
        "null": null_submission(task, level),
    }


def published_submission(
    built: BuiltProblem, task: RealTask, law: ReferenceLaw, name: str
) -> CalibratedSubmission:
    """A published law handed in for a Real task, its shared constants from the training rows.

    Raises:
        InputError: the law cannot be fitted.
    """
    shared = shared_constants(law, built.table, built.split, built.space)
    return _submission(task, name, law.expression, law.constants, shared)


def parallel_submissions(
    built: BuiltProblem, world: BuiltWorld, task: ParallelTask, draws: Generator
) -> dict[Baseline, CalibratedSubmission]:
    """The baselines of a Parallel task, fitted to readings that its budget buys.

    Args:
        built: the problem.
        world: its hidden law and world.
        task: its Parallel task.
        draws: noise of the readings.

    Raises:
        InputError: a form cannot be fitted to the readings.
        UndefinedValueError: a law has no value at a point asked for.
    """
    readings = budgeted_readings(world, draws)
    space = built.space
    found: dict[Baseline, CalibratedSubmission] = {}
    forms: dict[Baseline, tuple[Expression, Sequence[Declared]]] = {
        "oracle-form": (world.hidden.law, world.hidden.constants),
        "published-form": (world.hidden.base.expression, world.hidden.base.constants),
    }
    for name, (law, constants) in forms.items():
        fitted = fit(law, constants, readings, space)
        values = fitted.values(next(iter(fitted.constants)))
        shared = {key: values[key] for key in fitted.shared}
        found[name] = _submission(task, name, law, constants, shared)
    found["null"] = null_submission(task, _level(space, readings))
    return found


def budgeted_readings(world: BuiltWorld, draws: Generator) -> Records:
    """What a law-blind design reads within the budget, on at most three groups.

    Raises:
        UndefinedValueError: the law has no value at a point.
    """
    record = world.world
    groups = record.groups[:MOST_GROUPS]
    limits = record.limits
    each = min(limits.calls * limits.points_per_call, MOST_POINTS) // len(groups)
    tables, labels = [], []
    for group in groups:
        ends = [np.array([axis.low, axis.high]) for axis in group.axes]
        tables.append(np.repeat(box_points(ends, each), limits.samples_per_point, axis=0))
        labels += [group.label] * len(tables[-1])
    points = np.vstack(tables)
    named = labels if record.grouped else None
    simulator = CalibratedSimulator(record, world.pool, world.hidden.form)
    values = simulator.measure(points, named, draws).values
    inputs = {control.name: points[:, i] for i, control in enumerate(record.controls)}
    return records_of(inputs, values, None if named is None else np.array(named))


def null_submission(task: CalibratedTask, level: float) -> CalibratedSubmission:
    """One number, or one a group where the task allows local constants."""
    taken = {task.readout.name, *(control.name for control in task.controls)}
    name = next(item for item in ("level", "level_0", "level_1") if item not in taken)
    if task.caps.local:
        constants = [Constant(name, (level,), "per_group")]
        return _submission(task, "null", Var(name), constants, {})
    return _submission(task, "null", Var(name), [Constant(name, (level,))], {name: level})


def _submission(
    task: CalibratedTask,
    name: str,
    law: Expression,
    constants: Sequence[Declared],
    shared: Mapping[str, float],
) -> CalibratedSubmission:
    player = f"baseline:{name}"
    expression, named = handed_in(law, constants)
    return CalibratedSubmission(
        id=f"{task.id}/{player}/1",
        task_id=task.id,
        release_id=None,
        release_digest=None,
        player=player,
        repeat=1,
        expression=expression,
        shared={**shared, **named},
        local=tuple(
            LocalConstant(name=c.name, starts=tuple(c.starts), low=c.low, high=c.high)
            for c in constants
            if c.scope == "per_group" and c.fixed is None
        ),
        calls=(),
        explanation="",
    )


def _level(space: Space, records: Records) -> float:
    """The number nearest to the records in residual space."""
    return float(space.back(np.array([space.of_records(records.target).mean()]))[0])


__all__ = (
    "BASELINES",
    "Baseline",
    "budgeted_readings",
    "null_submission",
    "parallel_submissions",
    "published_submission",
    "real_submissions",
)
