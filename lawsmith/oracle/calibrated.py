"""One player's dealings with a calibrated world: points in, noisy readings out.

Noise is the server's alone: the generator of a call comes from the collection key, the task,
the random nonce of the server's start, the number of the trial and the number of the answered
call. A player who asks again, or nearby, or of a server started anew, meets other noise.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lawsmith.calibration.worlds import CalibratedSimulator
from lawsmith.errors import UndefinedValueError
from lawsmith.keyed_draws import generator
from schemas.calibrated_task import ParallelTask, WorldCall, WorldReading

ParallelEnded = Literal["open", "spent", "refusals", "closed"]
_FIELDS: Final = frozenset({"points", "group", "samples"})
_SHOWN: Final = 40


@dataclass(frozen=True)
class ParallelWorld:
    """The world of one Parallel task; sealed."""

    task: ParallelTask
    simulator: CalibratedSimulator
    labels: Mapping[str, str]
    """Public label -> label of the table; empty in a world without groups."""
    secret: bytes
    """The collection key."""


@dataclass(frozen=True)
class QueryAnswer:
    """What the Oracle says to one call: readings, or what was wrong with it."""

    accepted: bool
    rows: tuple[WorldReading, ...]
    """A point's samples stand together, points in the order asked; empty when refused."""
    error: str | None
    calls_left: int
    rows_left: int
    refusals_left: int
    ended: ParallelEnded


@dataclass
class ParallelSession:
    """The calls of one trial. Not thread-safe: its owner keeps a lock."""

    world: ParallelWorld
    number: int
    """Of the trial, from 1; the noise depends on it."""
    nonce: str = ""
    """Of the server's start; empty where no server keeps the trial."""
    refused: int = 0
    history: list[WorldCall] = field(default_factory=list)
    ended: ParallelEnded = "open"
    _rows: int = 0

    @property
    def answered(self) -> int:
        """Calls that were answered and charged."""
        return len(self.history)

    def query(self, body: Mapping[str, Any]) -> QueryAnswer:
        """The answer to one call `{"points": [{control: value}], "group", "samples"}`.

        A call that breaks a rule costs nothing of the budget and is counted apart; a trial
        with too many of them ends.
        """
        if self.ended != "open":
            return self._refuse(f"the trial has ended ({self.ended})", counted=False)
        problem = check_query(self.world.task, body)
        if problem is not None:
            return self._refuse(problem)
        return self._measure(*_asked(self.world.task, body))

    def restore(self, call: WorldCall) -> None:
        """Take an answered call back from the log."""
        self._keep(call)

    def restore_refusal(self) -> None:
        """Take a refused call back from the log."""
        self._refuse("")

    def close(self) -> None:
        """The trial takes no more calls."""
        if self.ended == "open":
            self.ended = "closed"

    def _measure(self, points: NDArray[np.float64], group: str | None, samples: int) -> QueryAnswer:
        task, simulator = self.world.task, self.world.simulator
        labels = None if group is None else [self.world.labels[group]] * len(points)
        outside = simulator.out_of_range(points, labels)
        if outside.any() and task.out_of_range == "reject":
            return self._refuse(_beyond(task, points, outside, group))
        call = self.answered + 1
        try:
            readings = read_world(
                self.world,
                points,
                group,
                samples,
                noise_of(self.world, self.nonce, self.number, call),
            )
        except UndefinedValueError:
            # The engine's own words may hold the law's value.
            return self._refuse("the world has no reading at one of these points")
        self._keep(WorldCall(session=self.number, call=call, samples=samples, rows=readings))
        return self._answer(readings, None)

    def _keep(self, call: WorldCall) -> None:
        self.history.append(call)
        self._rows += len(call.rows)
        budget = self.world.task.budget
        if self.answered >= budget.calls or self._rows >= budget.rows:
            self.ended = "spent"

    def _refuse(self, problem: str, *, counted: bool = True) -> QueryAnswer:
        self.refused += counted
        if self.ended == "open" and self.refused >= self.world.task.budget.refused_calls:
            self.ended = "refusals"
        return self._answer((), problem)

    def _answer(self, rows: tuple[WorldReading, ...], error: str | None) -> QueryAnswer:
        budget = self.world.task.budget
        return QueryAnswer(
            accepted=error is None,
            rows=rows,
            error=error,
            calls_left=budget.calls - self.answered,
            rows_left=budget.rows - self._rows,
            refusals_left=max(0, budget.refused_calls - self.refused),
            ended=self.ended,
        )


def noise_of(world: ParallelWorld, nonce: str, number: int, call: int) -> Generator:
    """The generator of the noise of one answered call of one trial."""
    return generator(world.secret, "world", f"{world.task.id}/{nonce}/{number}/{call}")


def read_world(
    world: ParallelWorld,
    points: NDArray[np.float64],
    group: str | None,
    samples: int,
    noise: Generator,
) -> tuple[WorldReading, ...]:
    """Readings of a world at some points, each read so many times, with the noise drawn anew.

    Raises:
        UndefinedValueError: the law has no value at a point.
    """
    simulator, names = world.simulator, [control.name for control in world.task.controls]
    labels = None if group is None else [world.labels[group]] * len(points)
    outside = simulator.out_of_range(points, labels)
    rows = np.repeat(simulator.clipped(points, labels), samples, axis=0)
    flags = np.repeat(outside, samples, axis=0)
    row_labels = None if labels is None else labels[:1] * len(rows)
    measured = simulator.measure(rows, row_labels, noise)
    return tuple(
        WorldReading(
            inputs=tuple(map(float, row)),
            group=group,
            output=float(value),
            saturated=bool(saturated),
            clipped=tuple(name for name, moved in zip(names, moves, strict=True) if moved),
        )
        for row, value, saturated, moves in zip(
            rows, measured.values, measured.saturated, flags, strict=True
        )
    )


def check_query(task: ParallelTask, body: Mapping[str, Any]) -> str | None:
    """What is wrong with a call, the first fault in a sentence, or None.

    Whether points are in the support is not asked here: that is sealed, group by group.
    """
    foreign = sorted(set(body) - _FIELDS)
    if foreign:
        # A seed among them: noise is never the player's to choose.
        return f"unknown field {foreign[0][:_SHOWN]!r}; give points, group and samples"
    return (
        _check_samples(task, body.get("samples", 1))
        or _check_group(task, body.get("group"))
        or _check_points(task, body.get("points"))
    )


def _check_samples(task: ParallelTask, samples: object) -> str | None:
    most = task.budget.samples_per_point
    if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= most:
        return f"samples is {str(samples)[:_SHOWN]!r}, not a whole number from 1 to {most}"
    return None


def _check_group(task: ParallelTask, group: object) -> str | None:
    if not task.groups:
        return None if group is None else "this world has no groups; leave group out"
    if group is None:
        return f"no group is named; the groups are {', '.join(task.groups)}"
    if group not in task.groups:
        return f"unknown group {str(group)[:_SHOWN]!r}; the groups are {', '.join(task.groups)}"
    return None


def _check_points(task: ParallelTask, points: object) -> str | None:
    if not isinstance(points, list) or not points:
        return "points is not a non-empty list of objects, one number for each control"
    most = task.budget.points_per_call
    if len(points) > most:
        return f"{len(points)} points, more than {most} in one call"
    for place, point in enumerate(points):
        problem = _check_point(task, point)
        if problem is not None:
            return f"points[{place}]: {problem}"
    return None


def _check_point(task: ParallelTask, point: object) -> str | None:
    names = [control.name for control in task.controls]
    if not isinstance(point, dict):
        return f"not an object with the controls {', '.join(names)}"
    unknown = sorted(set(point) - set(names))
    if unknown:
        return f"unknown control {unknown[0][:_SHOWN]!r}; the controls are {', '.join(names)}"
    for name in names:
        if name not in point:
            return f"control {name!r} has no value; every control needs one"
        value = point[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"control {name!r} is {str(value)[:_SHOWN]!r}, not a number"
        if not _finite(value):
            return f"control {name!r} is not a finite number"
    return None


def _asked(
    task: ParallelTask, body: Mapping[str, Any]
) -> tuple[NDArray[np.float64], str | None, int]:
    points: Sequence[Mapping[str, float]] = body["points"]
    table = [[float(point[control.name]) for control in task.controls] for point in points]
    return np.array(table, dtype=np.float64), body.get("group"), body.get("samples", 1)


def _beyond(
    task: ParallelTask,
    points: NDArray[np.float64],
    outside: NDArray[np.bool_],
    group: str | None,
) -> str:
    row, place = np.argwhere(outside)[0]
    where = "this world" if group is None else f"group {group!r}"
    return (
        f"points[{row}]: {task.controls[place].name!r} = {points[row, place].item()!r} is outside"
        f" the support of {where}"
    )


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


__all__ = (
    "ParallelEnded",
    "ParallelSession",
    "ParallelWorld",
    "QueryAnswer",
    "check_query",
    "noise_of",
    "read_world",
)
