"""Parallel and Real tasks: what they say, what they keep back, and what baselines reach."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lawsmith.calibration.baselines import BASELINES
from lawsmith.calibration.discipline import caps_of
from lawsmith.errors import InputError
from lawsmith.gateways.datasets.tables import problem_ids
from lawsmith.keyed_draws import task_id
from lawsmith.release.calibrated import calibrated_tasks
from lawsmith.release.calibrated_background import sealed_texts
from lawsmith.release.calibrated_parts import group_labels
from schemas.calibrated_task import ParallelTask, RealTask

ROOT = Path(__file__).resolve().parents[2]
BOTH = pytest.mark.parametrize("problem_id", ["brain_body", "puromycin"])


@BOTH
def test_ids_are_keyed_and_belong_to_the_problem(problems: ModuleType, problem_id: str) -> None:
    found = problems.tasks(problem_id)
    assert found.parallel.id == task_id(problems.KEY, problem_id, "parallel", "hidden")
    assert found.real.id == task_id(problems.KEY, problem_id, "real", "observed")
    assert found.parallel.id != found.real.id
    assert found.parallel_key.public_digest == found.parallel.digest
    assert found.real_key.public_digest == found.real.digest
    assert found.parallel_key.world_digest == found.world.digest


@BOTH
def test_texts_define_every_column_and_name_no_source(
    problems: ModuleType, problem_id: str
) -> None:
    problem, found = problems.loaded(problem_id).problem, problems.tasks(problem_id)
    for task in (found.real, found.parallel):
        for column in (*problem.controls, problem.readout):
            assert f"`{column.name}`" in task.background
            assert column.meaning in task.background
        whole = task.to_json().lower()
        for text in (*sealed_texts(problem), *(law.id for law in problem.laws)):
            assert text.lower() not in whole, text


def test_nothing_of_the_law_stands_in_a_parallel_task(problems: ModuleType) -> None:
    found = problems.tasks(problems.SINGLE)
    fields = set(ParallelTask.model_fields)
    assert not fields & {"law", "base_law", "constants", "edits", "problem_id", "world_id"}
    text = found.parallel.to_json()
    for group in found.parallel_key.constants:
        assert not [value for value in group.values.values() if value != 1 and repr(value) in text]


@BOTH
def test_budget_and_caps_follow_their_rules(problems: ModuleType, problem_id: str) -> None:
    found, built = problems.tasks(problem_id), problems.built(problem_id)
    budget = found.parallel.budget
    assert (budget.calls, budget.samples_per_point) == (10, 3)
    assert budget.points_per_call == max(10, len(built.split.train) // 10)
    assert found.parallel.caps == found.real.caps == caps_of(built.problem.laws)
    assert found.world.limits.rows == budget.rows


@BOTH
def test_every_row_stands_on_one_side(problems: ModuleType, problem_id: str) -> None:
    found, built = problems.tasks(problem_id), problems.built(problem_id)
    task: RealTask = found.real
    assert len(found.observations) == task.training_rows + task.fit_rows
    assert len(found.real_key.held_out) == task.test_rows
    public = {(row.group, row.inputs) for row in found.observations}
    held = {(row.group, row.inputs) for row in found.real_key.held_out}
    assert not public & held
    outputs = sorted(row.output for row in (*found.observations, *found.real_key.held_out))
    assert outputs == sorted(built.table.target.tolist())


def test_rows_are_not_in_the_order_of_the_source(problems: ModuleType) -> None:
    found = problems.tasks(problems.SINGLE)
    inputs = [row.inputs for row in found.observations]
    assert inputs == sorted(inputs)
    assert [row.index for row in found.observations] == list(range(len(inputs)))


def test_groups_have_public_labels_in_a_keyed_order(problems: ModuleType) -> None:
    found = problems.tasks(problems.GROUPED)
    labels = found.real_key.group_labels
    assert set(labels) == set(found.real.groups) == {"g1", "g2"}
    assert set(labels.values()) == {"treated", "untreated"}
    assert all(text not in found.real.to_json() for text in labels.values())
    many = [f"{i}" for i in range(12)]
    orders = {tuple(group_labels(bytes([i]) * 32, "t-1", many).values()) for i in range(4)}
    assert len(orders) == 4


@BOTH
def test_baselines_reach_what_they_must(problems: ModuleType, problem_id: str) -> None:
    found = problems.tasks(problem_id)
    scores = {(s.kind, s.player.removeprefix("baseline:")): s for s in found.baselines}
    assert [s.submission_digest for s in found.baselines] == [s.digest for s in found.submissions]
    assert scores["parallel", "oracle-form"].structure == 1.0
    assert scores["parallel", "published-form"].structure == 0.5
    assert scores["parallel", "null"].structure == 0.0
    best = scores["real", "oracle-form"]
    assert best.numeric == pytest.approx(0.5, abs=1e-6)
    assert best.validity == 1.0
    assert scores["real", "published-form"].numeric <= 0.5 + 1e-6
    assert scores["real", "null"].numeric < 0.25
    assert scores["real", "null"].validity < 1.0


def test_tasks_are_made_again_to_the_byte(problems: ModuleType) -> None:
    first = problems.tasks(problems.SINGLE)
    again = calibrated_tasks(problems.built(problems.SINGLE), problems.KEY, "historical-dev")
    assert again.parallel_key is not None
    assert again.real_key is not None
    assert again.parallel_key.to_json() == first.parallel_key.to_json()
    assert again.real_key.to_json() == first.real_key.to_json()
    assert [s.to_json() for s in again.baselines] == [s.to_json() for s in first.baselines]


def test_a_problem_of_another_collection_is_refused(problems: ModuleType) -> None:
    with pytest.raises(InputError, match="built for 'historical-dev'"):
        calibrated_tasks(problems.built(problems.SINGLE), problems.KEY, "historical")


def test_anchors_are_those_of_every_published_law(problems: ModuleType) -> None:
    found, built = problems.tasks(problems.SINGLE), problems.built(problems.SINGLE)
    truth = built.table.target[built.split.test]
    for anchor in found.real_key.anchors:
        away = np.abs(np.log10(built.held_out[anchor.law_id]) - np.log10(truth))
        assert anchor.metric == pytest.approx(float(away.mean()), rel=1e-12)
    metrics = {anchor.law_id: anchor.metric for anchor in found.real_key.anchors}
    assert found.real_key.reference == min(metrics, key=lambda law: metrics[law])


@pytest.mark.long
@pytest.mark.parametrize("problem_id", problem_ids(ROOT / "data"))
def test_every_problem_ships_a_real_task_and_its_baselines_do_as_expected(
    problems: ModuleType, problem_id: str
) -> None:
    found = problems.tasks(problem_id)
    assert found.real is not None, found.real_reason
    scores = {(s.kind, s.player.removeprefix("baseline:")): s for s in found.baselines}
    assert scores["real", "oracle-form"].numeric == pytest.approx(0.5, abs=1e-6)
    assert scores["real", "oracle-form"].validity == 1.0
    assert scores["real", "null"].numeric < 0.25
    if found.parallel is None:
        assert found.parallel_reason
        return
    levels = {name: scores["parallel", name].structure for name in BASELINES}
    assert levels == {"oracle-form": 1.0, "published-form": 0.5, "null": 0.0}
