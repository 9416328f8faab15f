"""Trials of a calibrated world: what is answered, what is refused, what it costs."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lawsmith.calibration.problems.records import Space, records_of
from lawsmith.calibration.worlds.calibration import HiddenForm, WorldPlan, calibrate
from lawsmith.calibration.worlds.pools import Pool
from lawsmith.calibration.worlds.simulator import CalibratedSimulator
from lawsmith.expressions import parse_infix
from lawsmith.oracle.calibrated import ParallelSession, ParallelWorld, QueryAnswer
from schemas.calibrated_task import (
    CalibratedControl,
    CalibratedReadout,
    ConstantCaps,
    ParallelOutOfRange,
    ParallelTask,
    QueryBudget,
)
from schemas.record import CANARY
from schemas.world import CalibratedWorld, WorldControl, WorldReadout

SECRET = bytes(32)


def simulator(law: str = "a*x + z") -> tuple[CalibratedWorld, Pool, HiddenForm]:
    rng = np.random.default_rng(3)
    labels = np.repeat(["north", "south"], [60, 40])
    x = np.where(labels == "north", rng.uniform(1, 5, 100), rng.uniform(2, 9, 100))
    z = rng.uniform(0, 1, 100)
    y = 2 * x + z + 0.3 * rng.standard_normal(100)
    form = HiddenForm(parse_infix(law), {"north": {"a": 2.0}, "south": {"a": 2.0}})
    plan = WorldPlan(
        id="p/world",
        problem_id="p",
        problem_digest="0" * 64,
        law_id="p/law",
        controls=(WorldControl(name="x", unit="m"), WorldControl(name="z", unit="m")),
        readout=WorldReadout(name="y", unit="m", low=None, high=None, integer=False),
        calibration_rows="train",
        train_rows=100,
    )
    return *calibrate(plan, form, records_of({"x": x, "z": z}, y, labels), Space("linear")), form


def world(out_of_range: ParallelOutOfRange = "reject", **budget: int) -> ParallelWorld:
    record, pool, form = simulator()
    limits = {"calls": 10, "points_per_call": 10, "samples_per_point": 3, "refused_calls": 100}
    task = ParallelTask(
        id="t-1",
        kind="parallel",
        collection="historical-dev",
        background="",
        controls=tuple(
            CalibratedControl(
                name=name,
                symbol=name,
                meaning=name,
                unit="m",
                low=low,
                high=high,
                logarithmic=False,
            )
            for name, low, high in (("x", 1.0, 9.0), ("z", 0.0, 1.0))
        ),
        readout=CalibratedReadout(
            name="y",
            symbol="y",
            meaning="y",
            unit="m",
            natural_low=None,
            natural_high=None,
            integer=False,
        ),
        groups=("g1", "g2"),
        residual_space="linear",
        floor=None,
        caps=ConstantCaps(shared=4, local=1),
        max_nodes=64,
        world="",
        canary=CANARY,
        budget=QueryBudget(**(limits | budget)),
        out_of_range=out_of_range,
    )
    labels = {"g1": "south", "g2": "north"}
    return ParallelWorld(task, CalibratedSimulator(record, pool, form), labels, SECRET)


WORLD = world()


def ask(session: ParallelSession, *points: Any, **more: Any) -> QueryAnswer:
    body: dict[str, Any] = {"points": list(points), "group": "g2", "samples": 1}
    return session.query(body | more)


def point(x: float = 3.0, z: float = 0.5) -> dict[str, float]:
    return {"x": x, "z": z}


def test_samples_of_a_point_stand_together_and_in_order() -> None:
    answer = ask(ParallelSession(WORLD, 1), point(2.0), point(3.0), samples=3)
    assert answer.accepted
    assert [row.inputs[0] for row in answer.rows] == [2.0] * 3 + [3.0] * 3
    assert {row.group for row in answer.rows} == {"g2"}
    assert (answer.calls_left, answer.rows_left) == (9, 294)


def test_repeats_of_a_point_are_independent() -> None:
    session = ParallelSession(WORLD, 1)
    outputs = [
        row.output for _ in range(10) for row in ask(session, *[point()] * 10, samples=3).rows
    ]
    assert len(outputs) == 300
    assert len(set(outputs)) > 6
    ranks = np.array(outputs) - np.mean(outputs)
    assert abs(float(np.corrcoef(ranks[:-1], ranks[1:])[0, 1])) < 0.2


def test_near_points_are_not_noise_free_beside_each_other() -> None:
    session = ParallelSession(WORLD, 1)
    pairs = [point(3.0), point(3.0 + 1e-9)] * 5
    steps = []
    for _ in range(10):
        outputs = [row.output for row in ask(session, *pairs).rows]
        steps += [b - a for a, b in zip(outputs[::2], outputs[1::2], strict=True)]
    assert max(map(abs, steps)) > 0.05
    assert sum(abs(step) < 1e-6 for step in steps) < len(steps) / 2


def test_a_call_can_be_had_again_from_its_numbers_and_the_secret_alone() -> None:
    first, same, other = (ParallelSession(WORLD, number) for number in (7, 7, 8))
    points = [point(1.5 + 0.3 * i) for i in range(8)]
    calls = [[row.output for row in ask(s, *points, samples=3).rows] for s in (first, same, other)]
    assert calls[0] == calls[1]
    assert calls[0] != calls[2]
    again = [row.output for row in ask(first, *points, samples=3).rows]
    assert again != calls[0]
    foreign = ParallelWorld(WORLD.task, WORLD.simulator, WORLD.labels, bytes([1]) * 32)
    assert [r.output for r in ask(ParallelSession(foreign, 7), *points, samples=3).rows] != calls[0]


def test_refused_calls_do_not_move_the_noise() -> None:
    plain, disturbed = ParallelSession(WORLD, 1), ParallelSession(WORLD, 1)
    for _ in range(3):
        assert not ask(disturbed, point(), samples=4).accepted
    assert ask(plain, point()).rows == ask(disturbed, point()).rows


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"group": "g3"}, "unknown group 'g3'"),
        ({"group": "south"}, "unknown group 'south'"),
        ({"group": None}, "no group is named"),
        ({"group": 1}, "unknown group '1'"),
        ({"group": ["g1"]}, "unknown group"),
        ({"samples": 0}, "samples is '0'"),
        ({"samples": 4}, "samples is '4'"),
        ({"samples": True}, "samples is 'True'"),
        ({"samples": 1.0}, "samples is '1.0'"),
        ({"samples": "2"}, "samples is '2'"),
        ({"points": []}, "points is not a non-empty list"),
        ({"points": {"x": 1.0}}, "points is not a non-empty list"),
        ({"points": [[1.0, 2.0]]}, "not an object"),
        ({"points": [{"x": 3.0}]}, "control 'z' has no value"),
        ({"points": [{"x": 3.0, "z": 0.5, "y": 1.0}]}, "unknown control 'y'"),
        ({"points": [{"x": 3.0, "z": 0.5, "group_id": 1.0}]}, "unknown control 'group_id'"),
        ({"points": [{"x": math.nan, "z": 0.5}]}, "'x' is not a finite number"),
        ({"points": [{"x": math.inf, "z": 0.5}]}, "'x' is not a finite number"),
        ({"points": [{"x": -math.inf, "z": 0.5}]}, "'x' is not a finite number"),
        ({"points": [{"x": 10**400, "z": 0.5}]}, "'x' is not a finite number"),
        ({"points": [{"x": "3", "z": 0.5}]}, "control 'x' is '3', not a number"),
        ({"points": [{"x": None, "z": 0.5}]}, "control 'x' is 'None', not a number"),
        ({"points": [{"x": 3.0, "z": True}]}, "control 'z' is 'True', not a number"),
        ({"points": [{"x": 0.5, "z": 0.5}]}, "'x' = 0.5 is outside the support of group 'g2'"),
        ({"points": [{"x": 5.5, "z": 0.5}]}, "'x' = 5.5 is outside the support of group 'g2'"),
        ({"points": [point()] * 11}, "11 points, more than 10"),
        ({"seed": 1}, "unknown field 'seed'"),
        ({"n_samples": 1}, "unknown field 'n_samples'"),
    ],
)
def test_a_wrong_call_says_what_was_wrong_and_costs_nothing(
    body: dict[str, Any], message: str
) -> None:
    session = ParallelSession(WORLD, 1)
    answer = ask(session, point(), **body)
    assert not answer.accepted
    assert message in str(answer.error)
    assert (answer.rows, answer.calls_left, answer.rows_left) == ((), 10, 300)
    assert answer.refusals_left == 99
    assert "south" not in str(answer.error).replace("'south'", "")
    assert ask(session, point()).accepted


def test_the_support_is_that_of_the_group() -> None:
    session = ParallelSession(WORLD, 1)
    assert not ask(session, point(8.0)).accepted
    assert ask(session, point(8.0), group="g1").accepted


def test_clipping_moves_to_the_edge_and_flags_each_coordinate() -> None:
    session = ParallelSession(world("clip"), 1)
    answer = ask(session, point(99.0), point(99.0, -7.0), point(), samples=2)
    assert [row.clipped for row in answer.rows[::2]] == [("x",), ("x", "z"), ()]
    edge = answer.rows[0].inputs
    assert 4.0 < edge[0] < 5.0
    assert edge[1] == 0.5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_also_where_points_are_clipped(bad: float) -> None:
    assert not ask(ParallelSession(world("clip"), 1), point(bad)).accepted


def test_the_budget_holds_to_the_row() -> None:
    session = ParallelSession(WORLD, 1)
    for left in range(9, -1, -1):
        answer = ask(session, *[point()] * 10, samples=3)
        assert (answer.calls_left, answer.rows_left) == (left, 30 * left)
    assert session.ended == "spent"
    over = ask(session, point())
    assert (over.accepted, over.rows, over.rows_left) == (False, (), 0)
    assert sum(len(call.rows) for call in session.history) == WORLD.task.budget.rows


def test_small_calls_are_counted_as_calls() -> None:
    session = ParallelSession(WORLD, 1)
    left = [ask(session, point()).rows_left for _ in range(10)]
    assert (left[-1], session.ended) == (290, "spent")
    assert not ask(session, point()).accepted


def test_refusals_end_a_trial_in_the_end() -> None:
    session = ParallelSession(world(refused_calls=3), 1)
    for left in (2, 1, 0):
        assert ask(session, point(0.1)).refusals_left == left
    assert session.ended == "refusals"
    assert not ask(session, point()).accepted


@pytest.mark.parametrize("end", [ParallelSession.close])
def test_a_closed_trial_answers_nothing(end: Callable[[ParallelSession], None]) -> None:
    session = ParallelSession(WORLD, 1)
    end(session)
    answer = ask(session, point())
    assert (answer.accepted, answer.ended) == (False, "closed")
