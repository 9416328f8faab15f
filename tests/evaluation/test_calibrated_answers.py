"""Answers of players to Parallel and Real tasks: read strictly, scored, averaged."""

import json
from types import ModuleType
from typing import Any

import pytest

from lawsmith.errors import InputError, IntegrityError
from lawsmith.evaluation.calibrated import (
    MOST_BYTES,
    mean_score,
    read_submission,
    score_submission,
)
from schemas.calibrated_task import CalibratedSubmission, WorldCall, WorldReading
from schemas.expression import to_wire


def answer(problems: ModuleType, **fields: Any) -> CalibratedSubmission:
    task = problems.small_real().task
    found = read_submission(json.dumps(fields), task, release_id="r-1", player="p", repeat=2)
    assert isinstance(found, CalibratedSubmission)
    return found


def test_an_answer_in_infix_and_in_wire_form_is_the_same(problems: ModuleType) -> None:
    local = [{"name": "a", "starts": [1.0, 2.0]}]
    one = answer(problems, expression="a*x^b", shared={"b": 1.0}, local=local, explanation="e")
    wire = to_wire(one.expression)
    two = answer(problems, expression=wire, shared={"b": 1.0}, local=local, explanation="e")
    assert one == two
    assert (one.id, one.local[0].low) == ("t-real/p/2", None)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "expression: is missing"),
        ({"expression": "2*"}, "at"),
        ({"expression": {"op": "exec", "args": [1.0]}}, "exec"),
        ({"expression": "x", "queries": []}, "unknown field 'queries'"),
        ({"expression": "k*x", "shared": {"k": "2"}}, "shared/k"),
        ({"expression": "k*x", "shared": {"k": True}}, "shared/k"),
        ({"expression": "k*x", "shared": [["k", 2.0]]}, "shared"),
        ({"expression": "a*x", "local": [{"name": "a", "starts": []}]}, "local/0/starts"),
        ({"expression": "a*x", "local": [{"name": "a b", "starts": [1.0]}]}, "local/0/name"),
        ({"expression": "y*x"}, "uses 'y'"),
        ({"expression": "x", "explanation": 3}, "explanation"),
    ],
)
def test_what_is_no_answer_is_refused(
    problems: ModuleType, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        answer(problems, **fields)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"expression": "x", "shared": {"k": NaN}}',
        '{"expression": "x", "shared": {"k": 1, "k": 2}}',
        "[" * 100_000,
        " " * (MOST_BYTES + 1),
        '{"expression": ' + '{"op": "neg", "args": [' * 3000 + "1" + "]}" * 3000 + "}",
    ],
)
def test_a_text_that_is_no_answer_is_refused(problems: ModuleType, text: str) -> None:
    with pytest.raises(InputError):
        read_submission(text, problems.small_real().task, release_id="r", player="p")


def numbered(call: WorldCall, count: int) -> tuple[WorldCall, ...]:
    return tuple(call.model_copy(update={"call": n}) for n in range(1, count + 1))


def test_what_was_asked_of_a_world_stays_within_its_budget(problems: ModuleType) -> None:
    found = problems.tasks(problems.SINGLE)
    task, key = found.parallel, found.parallel_key
    reading = WorldReading(inputs=(1.0,), group=None, output=3.0, saturated=False, clipped=())
    call = WorldCall(session=1, call=1, samples=1, rows=(reading,))
    many = call.model_copy(update={"rows": (reading,) * (task.budget.points_per_call + 1)})
    dense = call.model_copy(update={"samples": 4})
    grouped = call.model_copy(update={"rows": (reading.model_copy(update={"group": "g1"}),)})
    text = json.dumps({"expression": "3*body^0.7"})
    for calls, valid in (
        ((call,), True),
        (numbered(call, 10), True),
        (numbered(call, 11), False),
        ((call, call), False),
        ((call, call.model_copy(update={"session": 2, "call": 2})), False),
        ((many,), False),
        ((dense,), False),
        ((grouped,), False),
    ):
        entry = read_submission(text, task, release_id="r", player="p", calls=calls)
        assert score_submission(entry, task, key, world=found.world).valid == valid


def test_scores_are_those_of_the_tasks_kind(problems: ModuleType) -> None:
    found = problems.tasks(problems.SINGLE)
    text = json.dumps({"expression": "3*body^0.7"})
    parallel = read_submission(text, found.parallel, release_id="r", player="p")
    score = score_submission(parallel, found.parallel, found.parallel_key, world=found.world)
    assert (score.structure, score.numeric, score.level) == (0.5, None, "base")
    real = read_submission(text, found.real, release_id="r", player="p")
    score = score_submission(real, found.real, found.real_key, observations=found.observations)
    assert score.structure is None
    assert score.numeric is not None
    assert 0 < score.numeric <= 0.6
    with pytest.raises(IntegrityError, match="is 'real' and its key is not"):
        score_submission(real, found.real, found.parallel_key)


def test_means_are_of_one_player_and_of_known_tasks(problems: ModuleType) -> None:
    score = problems.small_real().score("2*x")
    other = score.model_copy(update={"player": "q"})
    with pytest.raises(InputError, match="players"):
        mean_score(["t-real"], [score, other], "numeric")
    with pytest.raises(InputError, match="tasks 0"):
        mean_score([], [], "numeric")
    assert mean_score(["t-a", "t-b"], [], "validity").value == 0.0
