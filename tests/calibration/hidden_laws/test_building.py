"""What a problem is built into, and from which rows."""

from dataclasses import replace
from types import ModuleType

import numpy as np

from lawsmith.calibration.fitting.held_out import admission_of
from lawsmith.calibration.hidden_laws.building import build_problem
from lawsmith.calibration.problems.problem_files import ProblemTable


def test_no_held_out_row_shapes_the_world(problems: ModuleType) -> None:
    built = problems.built(problems.SINGLE)
    table: ProblemTable = built.table
    target = table.target.copy()
    target[built.split.test] *= np.linspace(0.5, 2.0, len(built.split.test))
    moved = replace(table, target=target)
    again = build_problem(built.problem, moved, problems.KEY, "historical-dev")
    assert built.built is not None
    assert again.built is not None
    assert again.built.world.to_json() == built.built.world.to_json()
    assert again.built.hidden.form == built.built.hidden.form
    assert again.held_out.keys() == built.held_out.keys()
    world = built.built.world
    assert (world.calibration_rows, world.rows) == ("train", len(built.split.train))
    pooled = {tuple(row) for table in built.built.pool.inputs for row in table.tolist()}
    assert pooled == {tuple(row) for row in table.inputs[built.split.train].tolist()}


def test_the_base_law_is_chosen_among_the_fits(problems: ModuleType) -> None:
    built = problems.built(problems.SINGLE)
    assert list(built.fits) == [law.id for law in built.problem.laws]
    assert built.base == built.built.hidden.base.id
    assert built.choice.structure[built.choice.index] == min(built.choice.structure)


def test_groups_that_are_too_small_are_dropped_and_said(problems: ModuleType) -> None:
    world = problems.built(problems.GROUPED).built.world
    assert [(group.label, group.rows) for group in world.groups] == [("treated", 8)]
    assert [(group.label, group.rows) for group in world.dropped] == [("untreated", 7)]


def test_admission_is_that_of_the_problem(problems: ModuleType) -> None:
    built = problems.built(problems.GROUPED)
    assert built.admission == admission_of(built.problem, built.table)


def test_what_is_not_admitted_has_no_world_and_says_why(problems: ModuleType) -> None:
    found = problems.loaded(problems.SINGLE)
    poor = found.problem.model_copy(update={"validity": found.problem.validity[:2]})
    built = build_problem(poor, found.table, problems.KEY, "historical-dev")
    assert built.built is None
    assert "few_validity_items" in built.parallel_reason
