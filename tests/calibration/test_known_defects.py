"""The numbered defects of the published benchmark, each shown to be absent here.

The numbers are those of the study of SciLaws-Bench (its section on weaknesses). Some are
tested where the room is; the pointer stands here:

| No. | Also shown by |
| --- | --- |
| 4, 5, 6, 7, 8 | tests/calibration/problems/test_metrics.py |
| 11, 15 | tests/calibration/test_structure.py, tests/release/test_calibrated_tasks.py |
| 17, 18, 19, 20 | tests/oracle/test_calibrated_sessions.py |
| 16, 19 | tests/oracle/test_calibrated_server.py |
| 21 | tests/calibration/worlds/test_calibration.py |
| 22 | tests/calibration/residuals/test_neighbours.py |
| 23 | tests/calibration/hidden_laws/test_building.py |
| 24 | tests/calibration/hidden_laws/test_search.py |
| 2, 13, 14, 26, 28 | tests/evaluation/test_calibrated_answers.py |
| 29 | tests/release/test_calibrated_tasks.py |
| 30 | tests/calibration/problems/test_problem_files.py |
"""

import json
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest

from lawsmith.calibration.discipline import counted_literals
from lawsmith.calibration.hidden_laws.building import build_problem
from lawsmith.calibration.problems.metrics import Metric, metric_scale, near_perfect
from lawsmith.calibration.problems.problem_files import read_problem
from lawsmith.calibration.problems.records import Space, records_of
from lawsmith.calibration.problems.references import best_reference
from lawsmith.calibration.worlds.calibration import HiddenForm, WorldPlan, calibrate
from lawsmith.calibration.worlds.pools import pool_bytes, read_pool
from lawsmith.calibration.worlds.simulator import CalibratedSimulator
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.evaluation.calibrated import mean_score, read_submission
from lawsmith.expressions import parse_infix
from lawsmith.gateways.datasets.tables import problem_ids
from lawsmith.oracle.calibrated import ParallelSession, ParallelWorld
from lawsmith.release.calibrated import calibrated_tasks
from schemas.calibrated_task import CalibratedSubmission, ParallelOutOfRange
from schemas.expression import ARITIES
from schemas.problem import RESERVED, MetricName, Problem
from schemas.validity import Limit, Sign
from schemas.world import WorldControl, WorldReadout

ROOT = Path(__file__).resolve().parents[2]
POSITIVE = Sign(kind="sign", sign="positive")


def plan(readout: WorldReadout, train_rows: int = 60) -> WorldPlan:
    return WorldPlan(
        id="p/world",
        problem_id="p",
        problem_digest="0" * 64,
        law_id="p/law",
        controls=(WorldControl(name="x", unit="m"),),
        readout=readout,
        calibration_rows="train",
        train_rows=train_rows,
    )


def plain_readout() -> WorldReadout:
    return WorldReadout(name="y", unit="m", low=None, high=None, integer=False)


@pytest.mark.parametrize("name", ["y", "group", "group_id"])
def test_defect_01_the_target_or_the_group_cannot_be_an_input(
    problems: ModuleType, name: str
) -> None:
    """Any header name was accepted as an input, the target's too."""
    case = problems.small_real()
    score = case.score(name)
    assert (score.valid, score.numeric) == (False, 0.0)
    named = case.score(name, shared={name: 1.0})
    assert (named.valid, named.numeric) == (False, 0.0)


def test_defect_02_a_submission_is_data_and_runs_nothing(problems: ModuleType) -> None:
    """Submitted code ran in the scorer's process with access to its files."""
    task = problems.small_real().task
    for text in ("__import__('os').system('true')", "open('test.csv')", "x.__class__"):
        with pytest.raises(InputError):
            read_submission(json.dumps({"expression": text}), task, release_id="r", player="p")
    with pytest.raises(InputError, match="unknown field 'fit'"):
        read_submission(
            '{"expression": "x", "fit": "def fit(): ..."}', task, release_id="r", player="p"
        )


def test_defect_03_no_submission_can_swallow_a_limit_on_its_fit(problems: ModuleType) -> None:
    """A submission's own `except` caught the time limit of its fit: fits are the scorer's."""
    fields = set(CalibratedSubmission.model_fields)
    assert not fields & {"fit", "code", "source", "predict"}
    score = problems.small_real().score("a*x + 0*log(-a^2)", local=problems.local("a"))
    assert score.valid
    assert score.numeric == 0.0
    assert all("no fit" in group.reason for group in score.groups)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_defect_04_a_unit_decides_nothing(problems: ModuleType, unit: float) -> None:
    """Near-perfect was an absolute 1e-4: a readout in small units gave everybody 0."""
    score = problems.small_real(unit=unit).score(
        "a*x", local=problems.local("a", starts=(3.0 * unit,))
    )
    assert score.numeric == pytest.approx(
        problems.small_real().score("a*x", local=problems.local("a", starts=(3.0,))).numeric,
        rel=1e-6,
    )
    truth = unit * np.linspace(1, 2, 9)
    assert not near_perfect("rmse", 0.01 * unit, metric_scale("rmse", truth))


def test_defect_05_no_reference_wins_by_failing() -> None:
    """References were compared by the mean over the groups where they did not fail."""
    survivor, whole = {"a": 0.1, "b": None}, {"a": 0.5, "b": 0.5}
    assert best_reference("rmse", [survivor, whole], {"a": 1.0, "b": 1.0}) == 1


def test_defect_06_no_group_decides_by_its_size() -> None:
    """The best reference was the one with the smallest raw mean: one large group decided."""
    good_everywhere = {"large": 110.0, "small": 0.1}
    good_in_large = {"large": 100.0, "small": 0.9}
    scales = {"large": 1000.0, "small": 1.0}
    assert best_reference("rmse", [good_in_large, good_everywhere], scales) == 1


def test_defect_07_a_negative_r2_is_no_reference() -> None:
    """Beside an R2 of -9 a constant scored 0.95."""
    with pytest.raises(InputError, match="r2 <= 0"):
        best_reference("r2", [{"": -9.0}], {"": 1.0})


def test_defect_08_a_metric_without_a_value_costs_its_group_alone(problems: ModuleType) -> None:
    """A null metric raised TypeError: the whole submission was 0 under a false status."""
    case = problems.small_real(metric="smape", reference={"g1": 0.5, "g2": 0.5}, outputs=[0.0] * 4)
    score = case.score("a*max(0, 6.5 - x)*x", local=problems.local("a"))
    assert score.valid
    assert [group.metric for group in score.groups] == [None, None]
    assert all("smape has no value" in group.reason for group in score.groups)


def test_defect_09_numbers_in_the_expression_are_counted(problems: ModuleType) -> None:
    """A cap on named constants was void, for constants could be written as numbers."""
    case = problems.small_real()
    assert case.task.caps.shared == 3
    law = "1.5 + 2.5*x + 3.5*x^2 + 4.5*x^3"
    score = case.score(law)
    assert (score.valid, score.disciplined, score.numeric, score.validity) == (False, False, 0, 0)
    assert "4 numbers" in score.reason
    assert case.score("1.5 + 2.5*x + 3.5*x^2").disciplined
    mixed = case.score("1.5 + 2.5*x + k*x^2 + m*x^3", shared={"k": 3.5, "m": 4.5})
    assert mixed.disciplined is False
    assert counted_literals(parse_infix("2*x^3/2 - 1 + 0.5*x^7 + pi*x + x^0.7")) == (0.7,)


def test_defect_09_the_size_of_an_expression_is_capped(problems: ModuleType) -> None:
    """Nothing capped the size: numbers can be written as sums of ones."""
    case = problems.small_real()
    score = case.score("x + " + " + ".join(["1"] * 80))
    assert (score.valid, score.numeric) == (False, 0.0)
    assert "nodes" in score.reason


def test_defect_10_validity_is_counted_from_verdicts_behind_a_closed_gate(
    problems: ModuleType,
) -> None:
    """The judge's own number was trusted, its gate open when a verdict was missing, and the
    discipline item gave 1/N for free."""
    nowhere = Limit(kind="limit", control="x", toward=-1.0, value=0.0, tolerance=0.1)
    case = problems.small_real(probes=[POSITIVE, nowhere])
    score = case.score("a*x + 0*log(x)", local=problems.local("a"))
    assert [verdict.passed for verdict in score.probes] == [True, None]
    assert score.validity == 0.5
    assert len(score.probes) == 2
    over = case.score("1.5 + 2.5*x + 3.5*x^2 + 4.5*x^3")
    assert (over.disciplined, over.validity) == (False, 0.0)
    failed = problems.small_real(probes=[Sign(kind="sign", sign="negative")]).score("2*x")
    assert failed.validity == 0.0


@pytest.mark.parametrize("problem_id", ["brain_body", "puromycin"])
def test_defect_11_the_levels_come_from_the_edits(problems: ModuleType, problem_id: str) -> None:
    """Five fixed levels supposed that a hidden law is its base and a term: some replace it."""
    found = problems.tasks(problem_id)
    moves = {edit.move for edit in found.parallel_key.edits}
    assert moves <= {"term_added", "exponent"}
    levels = [s.level for s in found.baselines if s.kind == "parallel"]
    assert levels == ["full", "base", "none"]


def test_defect_12_a_law_is_asked_at_records_only(problems: ModuleType) -> None:
    """A contract probe moved all inputs together along a ramp and fed the fit a ramp too: laws
    that are singular there were forced to 0."""
    case = problems.small_real()
    # Singular between two records, and off their range.
    score = case.score("a*x + 0/(x - 3.5) + 0*sqrt(x - 0.5)", local=problems.local("a"))
    assert score.valid
    assert score.numeric == pytest.approx(0.5, abs=0.05)


def test_defect_13_a_task_without_a_submission_counts_as_zero(problems: ModuleType) -> None:
    """Strict means counted staged items alone: tasks without a submission vanished."""
    score = problems.small_real().score("a*x", local=problems.local("a"))
    mean = mean_score(["t-real", "t-absent"], [score], "numeric")
    assert mean.value == pytest.approx(score.numeric / 2)
    assert (mean.tasks, mean.absent, mean.undetermined) == (2, ("t-absent",), ())


def test_defect_14_repeats_are_counted_and_no_cell_is_lost(problems: ModuleType) -> None:
    """One trial a cell; absent cells counted as 0 or not, depending on the script."""
    score = problems.small_real().score("a*x", local=problems.local("a"))
    second = score.model_copy(update={"id": "t-real/p/2", "repeat": 2, "numeric": 0.0})
    mean = mean_score(["t-real"], [score, second], "numeric")
    assert mean.value == pytest.approx(score.numeric / 2)
    unknown = score.model_copy(update={"determined": False})
    assert mean_score(["t-real"], [unknown], "numeric").undetermined == ("t-real",)
    with pytest.raises(InputError, match="foreign"):
        mean_score(["t-other"], [score], "numeric")


def test_defect_15_structure_is_decided_by_algebra_or_a_fit(problems: ModuleType) -> None:
    """A judge's exact agreement on structure was 66.7 %: here a verdict is one of a rule."""
    found = problems.tasks(problems.GROUPED)
    reasons = [s.reason for s in found.baselines if s.kind == "parallel"]
    assert [reason.rpartition("(")[2] for reason in reasons[:2]] == ["exact)", "exact)"]


def test_defect_16_no_answer_ships_with_a_world(problems: ModuleType) -> None:
    """The pickled state held the law's source, and a method that returned it."""
    found = problems.tasks(problems.SINGLE)
    names = [control.name for control in found.world.controls]
    assert read_pool(pool_bytes(found.pool, names), found.world).labels == found.pool.labels
    text = found.world.to_json()
    assert not {"law", "constants", "expression", "formula_source"} & set(json.loads(text))
    values = {v for g in found.parallel_key.constants for v in g.values.values() if v != 1}
    assert not [value for value in values if repr(value) in text]
    assert not [name for name in ("pickle", "joblib") if imports(name)]


def imports(name: str) -> bool:
    rooms = [ROOT / "lawsmith" / room for room in ("calibration", "oracle", "release")]
    sources = [path.read_text(encoding="utf-8") for room in rooms for path in room.rglob("*.py")]
    return any(f"import {name}" in source for source in sources)


def test_defect_17_noise_is_never_common_to_near_points() -> None:
    """A player's seed gave the same neighbour rank in every call: differences were free of
    noise, also in groups of fewer than 8 rows, whose pool is global."""
    x = np.linspace(1, 2, 7)
    y = x + np.array([0.1, -0.2, 0.3, -0.1, 0.2, -0.3, 0.1])
    form = HiddenForm(parse_infix("x"), {"": {}})
    world, pool = calibrate(plan(plain_readout()), form, records_of({"x": x}, y), Space("linear"))
    simulator = CalibratedSimulator(world, pool, form)
    points = np.repeat([1.5, 1.5 + 1e-9], 40)[:, None]
    values = simulator.measure(points, None, np.random.default_rng(1)).values
    away = values[:40] - values[40:]
    assert np.mean(np.abs(away) < 1e-6) < 0.5


def test_defect_21_a_law_without_a_logarithm_fails_the_build() -> None:
    """A law that is not positive was lifted to 1e-12: a broken one looked like a constant."""
    x = np.linspace(1, 9, 60)
    form = HiddenForm(parse_infix("5 - x"), {"": {}})
    records = records_of({"x": x}, np.abs(5 - x) + 0.1)
    with pytest.raises(UndefinedValueError, match="no logarithm"):
        calibrate(plan(plain_readout()), form, records, Space("log10"))


def test_defect_22_ties_have_an_order_and_bounds_hold() -> None:
    """Equal inputs had no defined neighbours, and noise could leave a readout's domain."""
    rng = np.random.default_rng(5)
    x = np.repeat([0.0, 1.0], 30)
    y = np.clip(0.2 + 0.6 * x + 0.1 * rng.standard_normal(60), 0, 1)
    readout = WorldReadout(name="y", unit="1", low=0.0, high=1.0, integer=False)
    form = HiddenForm(parse_infix("0.2 + 0.6*x"), {"": {}})
    found = [
        calibrate(plan(readout), form, records_of({"x": x}, y), Space("linear")) for _ in range(2)
    ]
    (world, pool), (_, again) = found
    assert pool_bytes(pool, ["x"]) == pool_bytes(again, ["x"])
    points = rng.choice([0.0, 1.0], 400)[:, None]
    read = CalibratedSimulator(world, pool, form).measure(points, None, np.random.default_rng(2))
    assert read.values.min() >= 0
    assert read.values.max() <= 1


@pytest.mark.parametrize("problem_id", ["brain_body", "puromycin"])
def test_defect_24_what_was_added_shows_within_the_budget(
    problems: ModuleType, problem_id: str
) -> None:
    """R2 >= 0.9 of the whole law does not make its added term visible."""
    key = problems.tasks(problem_id).parallel_key
    figures = {c.name: c.figures for c in key.certificates if c.passed}
    assert figures["visibility"]["power"] >= 0.99
    assert "solvability" in figures


def trial(problems: ModuleType, out_of_range: ParallelOutOfRange = "reject") -> ParallelSession:
    found = problems.tasks(problems.SINGLE)
    form = problems.built(problems.SINGLE).built.hidden.form
    task = found.parallel.model_copy(update={"out_of_range": out_of_range})
    simulator = CalibratedSimulator(found.world, found.pool, form)
    return ParallelSession(ParallelWorld(task, simulator, {}, problems.KEY), 1)


def test_defect_17_no_seed_is_taken(problems: ModuleType) -> None:
    """The player chose the seed."""
    answer = trial(problems).query({"points": [{"body": 1.0}], "seed": 20260514})
    assert not answer.accepted
    assert "seed" in str(answer.error)


def test_defect_18_a_spent_budget_gives_nothing(problems: ModuleType) -> None:
    """One row a call was free for ever once the budget was spent."""
    session = trial(problems)
    body = {"points": [{"body": 1.0}] * 10, "samples": 3}
    assert sum(len(session.query(body).rows) for _ in range(30)) == 300
    assert session.query({"points": [{"body": 1.0}]}).rows == ()


def test_defect_19_one_budget_and_refusals_that_end(problems: ModuleType) -> None:
    """Two unrelated budgets held, and refused calls were without end."""
    found = problems.tasks(problems.SINGLE)
    assert found.world.limits.rows == found.parallel.budget.rows
    session = trial(problems)
    for _ in range(found.parallel.budget.refused_calls):
        assert session.query({"points": [{"body": -1.0}]}).rows_left == 300
    assert session.ended == "refusals"


def test_defect_20_what_is_clipped_is_flagged_point_by_point(problems: ModuleType) -> None:
    """Points beyond the support piled up at its edge, told by one count of coordinates."""
    point = {"body": 1e9}
    assert not trial(problems).query({"points": [point]}).accepted
    rows = trial(problems, "clip").query({"points": [point, {"body": 1.0}]}).rows
    assert [row.clipped for row in rows] == [("body",), ()]


def test_defect_23_the_world_knows_no_held_out_row(problems: ModuleType) -> None:
    """Worlds were calibrated on all rows, the Real task's test rows too."""
    found, built = problems.tasks(problems.SINGLE), problems.built(problems.SINGLE)
    assert found.world.calibration_rows == "train"
    held = {row.inputs for row in found.real_key.held_out}
    assert not held & {tuple(row) for table in found.pool.inputs for row in table.tolist()}
    assert sum(len(rows) for rows in found.pool.residuals) == len(built.split.train)


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_defect_25_no_name_clashes_with_a_query(problems: ModuleType, name: str) -> None:
    """An input called seed, n_samples or group_id would clash with keyword arguments."""
    problem: Problem = problems.loaded(problems.SINGLE).problem
    data = json.loads(problem.to_json().replace('"body"', f'"{name}"'))
    del data["digest"], data["schema_version"]
    with pytest.raises(ValueError, match="are reserved"):
        Problem.model_validate_json(json.dumps(data))
    score = problems.small_real().score(name, shared={name: 1.0})
    assert not score.valid


def test_defect_26_an_answer_is_read_whole(problems: ModuleType) -> None:
    """By the rule the first block counted, in the code the last one."""
    task = problems.small_real().task
    one = '{"expression": "2*x"}'
    for text in (one + one, f"first {one}", '{"expression": "x", "expression": "2*x"}'):
        with pytest.raises(InputError, match="not strict JSON"):
            read_submission(text, task, release_id="r", player="p")
    assert read_submission(one, task, release_id="r", player="p").expression == parse_infix("2*x")


def test_defect_27_metrics_and_operators_have_one_list() -> None:
    """Defaults and file places disagreed between the parts of the harness."""
    assert set(get_args(Metric)) == set(get_args(MetricName))
    assert not [
        name for name, field in CalibratedSubmission.model_fields.items() if not field.is_required()
    ]
    assert "exec" not in ARITIES


def test_defect_28_harmless_names_and_words_are_harmless(problems: ModuleType) -> None:
    """A blocklist on raw text tripped over comments and names."""
    case = problems.small_real()
    names = ("import_rate", "os", "eval", "exec_", "subprocess")
    for name in names:
        more: dict[str, Any] = {"shared": {name: 2.0}, "explanation": "import os; eval(x)"}
        assert case.score(f"{name}*x", **more).valid


def test_defect_29_tasks_are_built_again_from_what_is_committed(problems: ModuleType) -> None:
    """Construction code, seeds and splits were unpublished: nobody could rebuild the set."""
    found = problems.loaded(problems.GROUPED)
    again = build_problem(found.problem, found.table, problems.KEY, "historical-dev")
    first = problems.tasks(problems.GROUPED)
    made = calibrated_tasks(again, problems.KEY, "historical-dev")
    for part in ("parallel", "parallel_key", "real", "real_key", "world"):
        assert getattr(made, part).to_json() == getattr(first, part).to_json()


@pytest.mark.parametrize("problem_id", problem_ids(ROOT / "data"))
def test_defect_30_every_table_has_its_licence_origin_and_digest(problem_id: str) -> None:
    """Licences were free text, with no digest of the upstream data and no date."""
    problem = read_problem(ROOT / "data" / "problems" / f"{problem_id}.json")
    assert problem.licence.spdx
    assert problem.licence.verdict != "not_redistributable"
    assert problem.provenance.retrieved
    assert problem.provenance.holder_sha256 is not None or "typed" in problem.provenance.made_by
    assert len(problem.table.sha256) == 64
