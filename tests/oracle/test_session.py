"""The Oracle answers with rounded truth, refuses without data, and counts apart."""

import math
import re
from types import ModuleType
from typing import Any

import pytest

from lawsmith.expressions import parse_infix
from lawsmith.oracle.session import MOST_REJECTED, Session
from lawsmith.oracle.simulator import Simulator
from lawsmith.release.tasks import make_tasks
from schemas.family import FamilyConstraint
from schemas.task import PublicTask


@pytest.fixture
def task(samples: ModuleType) -> PublicTask:
    made = make_tasks(samples.historical_family(), samples.KEY, "historical-dev")
    constraint = FamilyConstraint(
        expression=parse_infix("0.5 - stretch"), meaning="stretch is at most 0.5"
    )
    task: PublicTask = samples.evolve(made.public[0], constraints=(constraint,))
    return task


def session(task: PublicTask, budget: int = 1024) -> Session:
    law = parse_infix("400*width*stretch")
    return Session(task, Simulator({"pull": law}, {"pull": 0.001}), budget)


@pytest.mark.parametrize(
    ("stretch", "width", "pull"),
    # 400*0.3*0.03 = 3.6; 400*0.0625*0.05 = 1.25; 400*0.333333*0.02 = 2.666664
    [(0.3, 0.03, 3.6), (0.0625, 0.05, 1.25), (0.333333, 0.02, 2.667)],
)
def test_observations_are_rounded_to_the_instrument(
    task: PublicTask, stretch: float, width: float, pull: float
) -> None:
    run = session(task)
    for _ in range(2):
        answer = run.propose({"stretch": stretch, "width": width}, ["pull"])
        assert answer.accepted
        assert answer.outputs == {"pull": pull}
    assert (run.accepted, run.rejected) == (2, 0)
    assert [exchange.answer.outputs for exchange in run.history] == [{"pull": pull}] * 2


def test_where_the_law_has_no_value_there_is_a_diagnostic_and_no_charge(task: PublicTask) -> None:
    law = parse_infix("400*width/(stretch - 0.25)**2")
    run = Session(task, Simulator({"pull": law}, {"pull": 0.001}), 4)
    answer = run.propose({"stretch": 0.25, "width": 0.05}, ["pull"])
    assert (answer.accepted, answer.outputs) == (False, {})
    assert answer.diagnostic == "the world has no reading at this input"
    assert (run.accepted, run.rejected, run.ended) == (0, 1, "open")
    assert run.propose({"stretch": 0.35, "width": 0.05}, ["pull"]).outputs == {"pull": 2000.0}
    assert run.accepted == 1


GOOD = {"stretch": 0.2, "width": 0.05}


@pytest.mark.parametrize(
    ("inputs", "readouts", "words"),
    [
        ({**GOOD, "mass": 1.0}, ["pull"], "unknown control 'mass'"),
        ({"stretch": 0.2}, ["pull"], "'width' has no value"),
        ({**GOOD, "width": 0.2}, ["pull"], r"outside \[0.01, 0.09\] m"),
        ({**GOOD, "width": math.nan}, ["pull"], "not a finite number"),
        ({**GOOD, "width": math.inf}, ["pull"], "not a finite number"),
        ({**GOOD, "width": 10**400}, ["pull"], "not a finite number"),
        ({**GOOD, "width": True}, ["pull"], "not a number"),
        ({**GOOD, "width": "0.05"}, ["pull"], "not a number"),
        ({**GOOD, "width": None}, ["pull"], "not a number"),
        ({"stretch": 0.55, "width": 0.05}, ["pull"], "joint condition.*at most 0.5"),
        (GOOD, [], "no readout"),
        (GOOD, ["force"], "unknown readout 'force'"),
        (GOOD, ["pull", "pull"], "twice"),
        (GOOD, [["pull"]], "unknown readout"),
    ],
)
def test_a_broken_proposal_gets_a_diagnostic_and_no_data(
    task: PublicTask, inputs: dict[str, Any], readouts: list[Any], words: str
) -> None:
    run = session(task)
    answer = run.propose(inputs, readouts)
    assert not answer.accepted
    assert answer.outputs == {}
    assert answer.diagnostic is not None
    assert re.search(words, answer.diagnostic)
    assert (run.accepted, run.rejected) == (0, 1)
    assert run.history[0].answer == answer


def test_the_budget_counts_accepted_proposals_alone(task: PublicTask) -> None:
    run = session(task, budget=2)
    assert run.propose(GOOD, ["pull"]).ended == "open"
    assert not run.propose({}, ["pull"]).accepted
    assert run.propose(GOOD, ["pull"]).ended == "capped"
    late = run.propose(GOOD, ["pull"])
    assert not late.accepted
    assert late.outputs == {}
    assert (run.accepted, run.rejected) == (2, 1)


def test_twenty_rejections_in_a_row_end_the_session(task: PublicTask) -> None:
    run = session(task)
    for _ in range(MOST_REJECTED - 1):
        assert run.propose({}, ["pull"]).ended == "open"
    assert run.propose(GOOD, ["pull"]).accepted
    for _ in range(MOST_REJECTED - 1):
        assert run.propose({}, ["pull"]).ended == "open"
    assert run.propose({}, ["pull"]).ended == "rejections"
    assert not run.propose(GOOD, ["pull"]).accepted
