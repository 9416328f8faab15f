"""Splits by declared intent: every row in one place, nothing shared between the sides."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.calibration.problems.problem_files import ProblemTable, parse_problem
from lawsmith.calibration.problems.splits import check_split, make_split
from lawsmith.errors import InputError, IntegrityError
from lawsmith.gateways.datasets.tables import load_problem
from schemas.problem import Problem

DATA = Path(__file__).resolve().parents[3] / "data"
PUROMYCIN = json.loads((DATA / "problems" / "puromycin.json").read_text(encoding="utf-8"))


def declared(labels: list[str], **split: Any) -> Problem:
    """Puromycin's problem (control S, readout v) over other groups and another split."""
    facts = PUROMYCIN["table"] | {
        "groups": [{"label": label, "rows": 1} for label in labels],
        "rows": len(labels),
    }
    laws = [law | {"reported": []} for law in PUROMYCIN["laws"]]
    data = PUROMYCIN | {
        "table": facts,
        "laws": laws,
        "split": PUROMYCIN["split"] | split,
    }
    return parse_problem(json.dumps(data), "declared")


def table_of(x: list[float], y: list[float], groups: list[str]) -> ProblemTable:
    return ProblemTable("test", ("S", "v"), np.array(x)[:, None], np.array(y), tuple(groups))


TWO = table_of(
    [*map(float, range(10)), *map(float, range(0, 20, 2)), 1.0, 2.0],
    [*map(float, range(22))],
    ["a"] * 10 + ["b"] * 10 + ["small"] * 2,
)


def test_interpolation_leaves_every_so_many_th_inner_input_out() -> None:
    window = {"kind": "alternate", "every": 3, "offset": 0}
    split = make_split(declared(["a", "b", "small"], window=window), TWO)
    # 0 and 9 (18 in b) would be the first and fourth of the turn; the ends are kept.
    assert split.test.tolist() == [3, 6, 13, 16]
    assert split.fit.size == 0
    assert split.dropped_groups == ("small",)
    assert split.test_groups == split.train_groups == ("a", "b")
    assert [(e.name, e.train, e.fit, e.test) for e in split.extents] == [
        ("S", (0.0, 18.0), None, (3.0, 12.0)),
        ("v", (0.0, 19.0), None, (3.0, 16.0)),
    ]


def test_repeats_of_an_input_stay_together() -> None:
    x = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]
    table = table_of(x, [1.0, 1.5] * 4, ["a"] * 8)
    window = {"kind": "alternate", "every": 2, "offset": 1}
    split = make_split(declared(["a"], window=window), table)
    assert split.test.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("intent", "window", "tested"),
    [
        (
            "temporal",
            {"kind": "cut", "control": "S", "cut": 8.0, "test": "at_or_above"},
            [8, 9, 14, 15, 16, 17, 18, 19],
        ),
        (
            "range_extrapolation",
            {"kind": "cut", "control": "S", "cut": 1.0, "test": "at_or_below"},
            [0, 1, 10],
        ),
        (
            "cross_condition",
            {"kind": "condition", "control": "S", "low": 4.0, "high": 4.0},
            [4, 12],
        ),
    ],
)
def test_cuts_and_conditions_test_what_they_name(
    intent: str, window: dict[str, Any], tested: list[int]
) -> None:
    problem = declared(["a", "b", "small"], intent=intent, window=window)
    assert make_split(problem, TWO).test.tolist() == tested


def test_an_unseen_group_has_its_own_fit_and_test_rows() -> None:
    window = {"kind": "alternate", "every": 2, "offset": 1}
    problem = declared(["a", "b", "small"], intent="unseen_group", window=window, test_groups=["b"])
    split = make_split(problem, TWO)
    assert split.train.tolist() == list(range(10))
    assert split.test.tolist() == [11, 13, 15, 17]
    assert split.fit.tolist() == [10, 12, 14, 16, 18, 19]
    assert split.train_groups == ("a",)
    assert split.test_groups == ("b",)
    assert split.fit_rows(TWO, "b").tolist() == split.fit.tolist()
    assert split.test_rows(TWO, "b").tolist() == split.test.tolist()
    assert split.extents[0].fit == (0.0, 18.0)


def test_a_window_that_leaves_a_side_empty_is_refused() -> None:
    window = {"kind": "cut", "control": "S", "cut": 99.0, "test": "at_or_above"}
    problem = declared(["a", "b", "small"], intent="temporal", window=window)
    with pytest.raises(InputError, match="group 'a' has 0 test rows of 10"):
        make_split(problem, TWO)


def test_a_test_group_too_small_to_use_is_refused() -> None:
    problem = declared(["a", "b", "small"], intent="unseen_group", test_groups=["small"])
    with pytest.raises(InputError, match=r"small.*fewer than 8 rows"):
        make_split(problem, TWO)


def test_a_tested_group_needs_fit_inputs_for_its_own_constants() -> None:
    # Puromycin's first law sets two constants in each group.
    window = {"kind": "cut", "control": "S", "cut": 1.0, "test": "at_or_above"}
    problem = declared(["a", "b", "small"], intent="range_extrapolation", window=window)
    with pytest.raises(InputError, match="1 distinct fit inputs; its laws set 2 constants"):
        make_split(problem, TWO)


def test_a_split_made_elsewhere_is_held_to_the_same_rules() -> None:
    loaded = load_problem(DATA, "theophylline")
    problem, table = loaded.problem, loaded.table
    good = make_split(problem, table)
    check_split(problem, table, good)
    with pytest.raises(IntegrityError, match="1 rows stand twice, 0 usable rows stand nowhere"):
        check_split(problem, table, replace(good, test=np.append(good.test, good.fit[0])))
    with pytest.raises(IntegrityError, match="1 usable rows stand nowhere"):
        check_split(problem, table, replace(good, test=good.test[1:]))
    moved = replace(good, train=good.train[1:], fit=np.sort(np.append(good.fit, good.train[0])))
    with pytest.raises(IntegrityError, match=r"groups \['1'\] are trained on and tested"):
        check_split(problem, table, moved)


def test_one_input_on_two_sides_is_refused() -> None:
    loaded = load_problem(DATA, "puromycin")
    problem, table = loaded.problem, loaded.table
    good = make_split(problem, table)
    swapped = replace(
        good,
        train=np.sort(np.append(good.train, good.test[0])),
        test=good.test[1:],
    )
    with pytest.raises(IntegrityError, match="has the group and inputs of a row in 'train'"):
        check_split(problem, table, swapped)


LABELS = ("a", "b", "c")
TABLES = st.integers(24, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5, 7.0]), min_size=n, max_size=n),
        st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=n, max_size=n),
        st.lists(st.sampled_from(LABELS), min_size=n, max_size=n),
    )
)
SPLITS = st.one_of(
    st.fixed_dictionaries(
        {
            "intent": st.just("interpolation"),
            "window": st.fixed_dictionaries(
                {"kind": st.just("alternate"), "every": st.just(3), "offset": st.integers(0, 2)}
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "intent": st.just("unseen_group"),
            "test_groups": st.sampled_from([["a"], ["c", "b"]]),
            "window": st.fixed_dictionaries(
                {"kind": st.just("alternate"), "every": st.just(2), "offset": st.integers(0, 1)}
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "intent": st.just("range_extrapolation"),
            "window": st.fixed_dictionaries(
                {
                    "kind": st.just("cut"),
                    "control": st.just("S"),
                    "cut": st.floats(0.0, 7.0),
                    "test": st.sampled_from(["at_or_above", "at_or_below"]),
                }
            ),
        }
    ),
)


@settings(max_examples=40, deadline=None)
@given(columns=TABLES, split=SPLITS)
def test_any_split_that_is_made_keeps_the_rules(
    columns: tuple[list[float], list[float], list[str]], split: dict[str, Any]
) -> None:
    table = table_of(*columns)
    problem = declared(list(LABELS), **split)
    try:
        made = make_split(problem, table)
    except InputError:
        return
    again = make_split(problem, table)
    sides = [made.train, made.fit, made.test]
    for side, repeated in zip(sides, (again.train, again.fit, again.test), strict=True):
        assert np.array_equal(side, repeated)
    rows = np.concatenate(sides)
    dropped = [i for i, label in enumerate(table.groups or ()) if label in made.dropped_groups]
    assert sorted([*rows.tolist(), *dropped]) == list(range(table.rows))
    seen = [
        {((table.groups or ())[i], table.inputs[i, 0], table.target[i]) for i in side}
        for side in sides
    ]
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert not seen[1] & seen[2]
    if made.intent == "unseen_group":
        assert not set(made.train_groups) & set(made.test_groups)
    if made.intent == "interpolation":
        train, test = made.extents[0].train, made.extents[0].test
        assert train[0] < test[0] <= test[1] < train[1]
