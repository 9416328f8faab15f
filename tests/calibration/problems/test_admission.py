"""The rules of admission, each kept and each broken."""

import math
from pathlib import Path

import numpy as np
import pytest

from lawsmith.calibration.fitting.held_out import admission_of, predicted
from lawsmith.calibration.problems.admission import (
    Standing,
    admit,
    baseline_predictions,
    group_codes,
    held_out,
    rows_suffice,
    spread,
    standing,
    to_space,
    validity_suffices,
)
from lawsmith.calibration.problems.leakage import exact_function, named_like, rank_correlation
from lawsmith.calibration.problems.problem_files import ProblemTable
from lawsmith.calibration.problems.splits import make_split
from lawsmith.expressions import parse_infix
from lawsmith.gateways.datasets.tables import LoadedProblem, load_problem, problem_ids

DATA = Path(__file__).resolve().parents[3] / "data"
RNG_ROWS = np.linspace(0.5, 9.5, 40)


@pytest.mark.parametrize(
    ("name", "target", "alike"),
    [
        ("mass", "mass", True),
        ("log_Mass", "mass", True),
        ("mass.pred", "Mass", True),
        ("bodyMass", "mass", True),
        ("massive", "mass", False),
        ("binding_MeV_fit", "binding_MeV", True),
        ("MeV_binding", "binding_MeV", False),
        ("x", "y", False),
    ],
)
def test_a_name_leaks_when_the_targets_words_stand_in_it(
    name: str, target: str, alike: bool
) -> None:
    assert named_like(name, target) is alike


@pytest.mark.parametrize(
    ("target", "form"),
    [
        (3.0 - 2.0 * RNG_ROWS, "target = a + b*(x)"),
        (0.1 * RNG_ROWS**-1.7, "log target = a + b*(log x)"),
        (2.0 * np.exp(-0.3 * RNG_ROWS), "log target = a + b*(x)"),
        (1.0 / (2.0 + 0.1 * RNG_ROWS), "1/target = a + b*(x)"),
        (4.0 + 2.0 * np.sqrt(RNG_ROWS), "target = a + b*(sqrt x)"),
        (1e200 * RNG_ROWS, "target = a + b*(x)"),
        (1e-200 * RNG_ROWS, "target = a + b*(x)"),
    ],
)
def test_an_exact_function_is_found_whatever_its_scale(
    target: np.ndarray[tuple[int], np.dtype[np.float64]], form: str
) -> None:
    with np.errstate(over="ignore", under="ignore"):
        assert exact_function(RNG_ROWS, target) == form


def test_a_noisy_or_two_valued_column_is_no_exact_function() -> None:
    noisy = RNG_ROWS * (1 + 1e-5 * np.cos(7 * RNG_ROWS))
    assert exact_function(RNG_ROWS, noisy) is None
    assert exact_function(np.sign(RNG_ROWS - 5), np.sign(RNG_ROWS - 5)) is None


def test_rank_correlation_takes_mean_ranks() -> None:
    x = np.array([1.0, 2.0, 2.0, 4.0])
    y = np.array([10.0, 20.0, 30.0, 40.0])
    assert rank_correlation(x, y) == pytest.approx(0.9486832980505138, abs=1e-12)
    assert rank_correlation(x, -y) == pytest.approx(-0.9486832980505138, abs=1e-12)
    assert rank_correlation(np.ones(4), y) == 0.0


def _loaded(name: str) -> LoadedProblem:
    return load_problem(DATA, name)


def test_a_copy_of_the_readout_among_the_controls_is_refused_three_times() -> None:
    loaded = _loaded("tree_volume")
    table = loaded.table
    inputs = table.inputs.copy()
    inputs[:, 1] = 2 * table.target
    leaking = ProblemTable(table.source, table.names, inputs, table.target, None)
    height = loaded.problem.controls[1].model_copy(update={"source": "log_Volume"})
    controls = (loaded.problem.controls[0], height)
    problem = loaded.problem.model_copy(update={"controls": controls})
    split = make_split(problem, leaking)
    found = admit(problem, leaking, split, {"schumacher_hall": table.target[split.test] * 1.01})
    assert not found.admitted
    assert [reason.rule for reason in found.reasons] == [
        "named_like_target",
        "exact_function",
        "rank_correlation",
    ]


def _table(labels: list[str] | None, rows: int) -> ProblemTable:
    values = np.arange(rows, dtype=np.float64)
    groups = None if labels is None else tuple(labels)
    return ProblemTable("test", ("x", "y"), values[:, None], values, groups)


def test_thirty_rows_or_two_groups_of_eight() -> None:
    assert rows_suffice(_table(None, 30)).passed
    assert not rows_suffice(_table(None, 29)).passed
    assert rows_suffice(_table(["a"] * 8 + ["b"] * 8 + ["c"] * 3, 19)).passed
    lone = rows_suffice(_table(["a"] * 40 + ["b"] * 7, 47))
    assert not lone.passed
    assert lone.sentence == "1 groups have 8 rows, 1 are dropped; 2 are needed"


def test_a_repeated_probe_counts_once() -> None:
    problem = _loaded("puromycin").problem
    assert validity_suffices(problem).passed
    twice = (*problem.validity[:3], problem.validity[0].model_copy(update={"id": "again"}))
    few = validity_suffices(problem.model_copy(update={"validity": twice}))
    assert not few.passed
    assert few.sentence == "3 different anchored validity items; 4 are needed"


BASELINES = (Standing("mean", 2.0, -0.1), Standing("line in x", 1.0, 0.5))


@pytest.mark.parametrize(
    ("laws", "broken"),
    [
        ((Standing("law", 0.5, 0.9),), []),
        ((Standing("law", 1.5, 0.2), Standing("other", 0.9, 0.6)), []),
        ((Standing("law", 1.0, 0.5),), ["no_law_beats_baselines"]),
        ((Standing("law", 0.5, 0.0),), ["no_law_explains"]),
        ((Standing("law", 2e-6, 1.0),), ["near_perfect"]),
        ((Standing("law", 2.1e-6, 1.0),), []),
        ((), ["no_law_beats_baselines"]),
    ],
)
def test_a_law_must_beat_baselines_explain_and_leave_something(
    laws: tuple[Standing, ...], broken: list[str]
) -> None:
    found = held_out(laws, BASELINES, scale=2.0)
    assert [finding.rule for finding in found if not finding.passed] == broken


def test_a_unit_decides_nothing() -> None:
    truth = np.array([1.0, 2.0, 4.0, 8.0])
    groups = np.zeros(4, dtype=np.intp)
    expected = 0.01 * math.sqrt(21.25 / 7.1875)
    for unit in (1.0, 1e-9, 1e12):
        there = standing("law", 1.01 * truth * unit, truth * unit, groups)
        assert there.error / spread(truth * unit, groups) == pytest.approx(expected)


def test_explained_variance_is_about_each_groups_own_mean() -> None:
    truth = np.array([0.0, 2.0, 100.0, 102.0])
    groups = np.array([0, 0, 1, 1])
    # About the pooled mean this would be 0.9996.
    assert standing("law", np.array([1.0, 1.0, 101.0, 101.0]), truth, groups).r2 == 0.0
    assert standing("law", truth + 0.5, truth, groups).r2 == 0.75
    assert standing("law", np.ones(2), np.ones(2), groups[:2]).r2 == float("-inf")


def test_baselines_are_fitted_on_the_fit_rows_of_the_same_group() -> None:
    loaded = _loaded("theophylline")
    split = make_split(loaded.problem, loaded.table)
    found = baseline_predictions(loaded.problem.residuals, loaded.table, split)
    assert list(found) == ["mean", "line in t", "line in dose"]
    codes = group_codes(loaded.table, split.test)
    for code, label in enumerate(split.test_groups):
        rows = split.fit_rows(loaded.table, label)
        mean = loaded.table.target[rows].mean()
        assert found["mean"][codes == code] == pytest.approx(mean)
        # A subject has one dose, so a line in it is the mean.
        assert found["line in dose"][codes == code] == pytest.approx(mean)
        slope, level = np.polyfit(loaded.table.inputs[rows, 0], loaded.table.target[rows], 1)
        there = loaded.table.inputs[split.test[codes == code], 0]
        assert found["line in t"][codes == code] == pytest.approx(level + slope * there)


def test_a_law_without_a_value_at_a_held_out_row_has_no_prediction() -> None:
    loaded = _loaded("tree_volume")
    split = make_split(loaded.problem, loaded.table)
    law = loaded.problem.laws[1]
    # sqrt(14.2 - girth) has no value at the thickest trees, all of which are held out.
    root = parse_infix("k*sqrt(14.2 - girth)")
    ends = law.model_copy(update={"expression": root})
    assert predicted(loaded.problem, ends, loaded.table, split, starts=2) is None
    found = admit(loaded.problem, loaded.table, split, {})
    assert [reason.rule for reason in found.reasons] == ["no_law_beats_baselines"]


@pytest.mark.parametrize("name", problem_ids(DATA))
def test_every_shipped_problem_is_admitted(name: str) -> None:
    loaded = _loaded(name)
    found = admission_of(loaded.problem, loaded.table, starts=2)
    assert found.admitted, found.reasons
    assert len(found.laws) == len(loaded.problem.laws)
    assert found.dropped_groups == (("16", "18") if name == "chick_growth" else ())


def test_logarithms_are_lifted_to_the_floor() -> None:
    residuals = _loaded("nelson_breakdown").problem.residuals
    assert to_space(residuals, np.array([100.0, -1.0])).tolist() == [2.0, -6.0]
