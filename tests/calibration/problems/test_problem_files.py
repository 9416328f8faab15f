"""Reading problems, canonical tables, and the checks on load."""

import json
import math
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from lawsmith.calibration.problems.problem_files import (
    RawTable,
    canonical_table,
    check_law_units,
    check_table,
    parse_problem,
    read_problem,
    table_facts,
    table_sha256,
    usable_groups,
)
from lawsmith.errors import CoherenceError, DimensionError, InputError, IntegrityError
from lawsmith.gateways.datasets.packages import read_package
from lawsmith.gateways.datasets.tables import (
    load_problem,
    problem_ids,
    read_nist,
    rejected_datasets,
)
from schemas.dataset import NistTable
from schemas.expression import Op, Var

PROBLEMS = Path(__file__).resolve().parents[3] / "data/problems"

NO_FACTS = {
    "rows": 4,
    "columns": [{"name": "x", "low": 0.0, "high": 0.0}, {"name": "y", "low": 0.0, "high": 0.0}],
    "groups": [{"label": "a", "rows": 2}, {"label": "b", "rows": 2}],
    "sha256": "0" * 64,
}
SOURCE = {"citation": "a source of facts", "locator": None, "status": "recalled"}


def problem_data(**changes: Any) -> dict[str, Any]:
    """A small problem of two groups as it stands in a file."""
    column = {"source_unit": "cm", "unit": "m", "meaning": "a length", "integer": False}
    data: dict[str, Any] = {
        "id": "small",
        "title": "A small problem",
        "field": "tests",
        "card_id": None,
        "loader": {"kind": "csv", "path": "tables/small.csv", "filters": []},
        "controls": [{"name": "x", "source": "X", "symbol": "x", **column}],
        "readout": {
            "name": "y",
            "source": "Y",
            "symbol": "y",
            **column,
            "natural_low": 0.0,
            "natural_high": None,
        },
        "group": {"source": "G", "meaning": "a label"},
        "laws": [
            {
                "id": "line",
                "title": "A line",
                "expression": "k*x",
                "constants": [
                    {
                        "name": "k",
                        "symbol": "k",
                        "meaning": "slope",
                        "unit": "1",
                        "scope": "per_group",
                        "fixed": None,
                        "low": None,
                        "high": None,
                        "starts": [1.0],
                    }
                ],
                "source": SOURCE,
                "reported": [],
            }
        ],
        "residuals": {"space": "linear", "floor": None, "reason": "a test"},
        "split": {
            "intent": "interpolation",
            "window": {"kind": "alternate", "every": 2, "offset": 1},
            "test_groups": [],
            "rationale": "a rationale",
        },
        "metric": "rmse",
        "metric_reason": "a test",
        "licence": {"spdx": "CC0-1.0", "verdict": "redistributable", "statement": "made for tests"},
        "provenance": {
            "source": SOURCE,
            "holder": "the test",
            "holder_sha256": None,
            "retrieved": "2026-11-30",
            "made_by": "typed",
        },
        "validity": [],
        "caveats": [],
        "table": NO_FACTS,
    }
    return data | changes


def written(folder: Path, csv: str, **changes: Any) -> Path:
    """A data root that holds the small problem with true facts and its table."""
    tables = folder / "problems" / "tables"
    tables.mkdir(parents=True)
    (tables / "small.csv").write_text(csv, encoding="utf-8")
    data = problem_data(**changes)
    path = folder / "problems" / "small.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    problem = parse_problem(json.dumps(data), "small")
    raw = RawTable(
        "small",
        {
            "X": np.array([100.0, 200.0, 300.0, 50.0]),
            "Y": np.array([1.0, 2.0, 3.0, 4.0]),
            "G": np.array(["a", "a", "b", "b"], dtype=object),
        },
    )
    facts = table_facts(canonical_table(problem, raw)).model_dump(mode="json")
    path.write_text(json.dumps(data | {"table": facts}), encoding="utf-8")
    return folder


CSV = "# a comment\n# another\nG,X,Y\na,100,1\na,200,2\nb,300,3\nb,50,4\n"


def test_an_infix_expression_becomes_the_wire_form() -> None:
    problem = parse_problem(json.dumps(problem_data()), "small")
    assert problem.laws[0].expression == Op("mul", (Var("k"), Var("x")))


def test_a_table_is_converted_to_the_declared_units_in_declared_order(tmp_path: Path) -> None:
    loaded = load_problem(written(tmp_path, CSV), "small")
    assert loaded.table.names == ("x", "y")
    assert loaded.table.inputs[:, 0].tolist() == [1.0, 2.0, 3.0, 0.5]
    assert loaded.table.target.tolist() == [0.01, 0.02, 0.03, 0.04]
    assert loaded.table.groups == ("a", "a", "b", "b")
    assert loaded.table.points()["x"].tolist() == [1.0, 2.0, 3.0, 0.5]
    assert loaded.table.rows_of("b").tolist() == [2, 3]


def test_the_hash_is_over_the_stated_bytes(tmp_path: Path) -> None:
    table = load_problem(written(tmp_path, CSV), "small").table
    stated = b'lawsmith/table/1\n{"columns":["x","y"],"groups":["a","a","b","b"],"rows":4}\n'
    stated += struct.pack("<4d", 1.0, 2.0, 3.0, 0.5) + struct.pack("<4d", 0.01, 0.02, 0.03, 0.04)
    assert table_sha256(table) == sha256(stated).hexdigest()


@pytest.mark.parametrize(
    ("csv", "message"),
    [
        (CSV + "b,60,5\n", "small.csv: table/rows: found 5, expected 4"),
        (CSV.replace("a,200", "a,201"), "small.csv: table/sha256: found"),
        (CSV.replace("b,300", "b,400"), "table/columns/x/high: found 4.0, expected 3.0"),
        (CSV.replace("b,300", "a,300"), "table/groups/a: found 3, expected 2"),
        (CSV.replace("a,200", "a,"), "column 'X', data row 2: nan is no finite number"),
        (CSV.replace("a,200", ",200"), "column 'G', data row 2: '' is no label"),
        (CSV.replace("G,X,Y", "G,X,Z"), "no column 'Y'; there are G, X"),
        (CSV.replace("a,200", "a,two"), "small.csv: is no csv table"),
    ],
)
def test_a_changed_table_is_refused_by_file_field_found_and_expected(
    tmp_path: Path, csv: str, message: str
) -> None:
    with pytest.raises((InputError, IntegrityError)) as caught:
        load_problem(written(tmp_path, csv), "small")
    assert message in str(caught.value)
    assert "small.csv" in str(caught.value)


def test_a_readout_beyond_its_natural_bounds_is_refused(tmp_path: Path) -> None:
    readout = problem_data()["readout"] | {"natural_low": 0.02}
    with pytest.raises(IntegrityError, match=r"beyond its natural bounds 0\.02"):
        load_problem(written(tmp_path, CSV, readout=readout), "small")


def test_a_column_declared_integer_must_be(tmp_path: Path) -> None:
    controls = [problem_data()["controls"][0] | {"integer": True}]
    with pytest.raises(IntegrityError, match="'x' is declared integer"):
        load_problem(written(tmp_path, CSV, controls=controls), "small")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    root = written(tmp_path, CSV)
    (root / "problems" / "tables" / "small.csv").unlink()
    with pytest.raises(InputError, match=r"small\.csv: cannot be read"):
        load_problem(root, "small")
    with pytest.raises(InputError, match=r"other\.json: cannot be read"):
        load_problem(root, "other")


def test_parquet_holds_the_same_table(tmp_path: Path) -> None:
    root = written(tmp_path, CSV)
    loader = {"kind": "parquet", "path": "tables/small.parquet", "filters": []}
    path = root / "problems" / "small.json"
    path.write_text(
        json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"loader": loader}),
        encoding="utf-8",
    )
    columns = {"Y": [1.0, 2.0, 3.0, 4.0], "X": [100, 200, 300, 50], "G": ["a", "a", "b", "b"]}
    pa_parquet.write_table(pa.table(columns), root / "problems" / "tables" / "small.parquet")
    loaded = load_problem(root, "small")
    assert table_facts(loaded.table) == loaded.problem.table


def test_filters_keep_rows_in_file_order() -> None:
    filters = [
        {"column": "Y", "rule": "present", "value": None},
        {"column": "X", "rule": "at_least", "value": 60.0},
        {"column": "G", "rule": "not_equals", "value": "c"},
    ]
    data = problem_data()
    data["loader"]["filters"] = filters
    problem = parse_problem(json.dumps(data), "small")
    raw = RawTable(
        "raw",
        {
            "X": np.array([100.0, 50.0, 300.0, 70.0, 80.0]),
            "Y": np.array([1.0, 2.0, math.nan, 4.0, 5.0]),
            "G": np.array(["a", "a", "b", "b", "c"], dtype=object),
        },
    )
    table = canonical_table(problem, raw)
    assert table.inputs[:, 0].tolist() == pytest.approx([1.0, 0.7])
    assert table.groups == ("a", "b")
    with pytest.raises(IntegrityError, match="rows: found 2, expected 4"):
        check_table(problem, table)


def test_an_offset_unit_is_converted_exactly() -> None:
    control = problem_data()["controls"][0] | {"source_unit": "degC", "unit": "K"}
    data = problem_data(controls=[control])
    problem = parse_problem(json.dumps(data), "small")
    raw = RawTable(
        "raw",
        {
            "X": np.array([0.0, 100.0]),
            "Y": np.array([1.0, 2.0]),
            "G": np.array(["a", "b"], dtype=object),
        },
    )
    assert canonical_table(problem, raw).inputs[:, 0].tolist() == [273.15, 373.15]


def test_a_law_must_close_in_units() -> None:
    problem = parse_problem(json.dumps(problem_data()), "small")
    law = problem.laws[0]
    wrong = law.model_copy(update={"expression": Op("mul", (Var("x"), Var("x")))})
    check_law_units(problem, law)
    with pytest.raises(DimensionError):
        check_law_units(problem, wrong)


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(PROBLEMS.glob("*.json")) if p.stem != "rejected"],
    ids=lambda p: p.stem,
)
def test_every_bundled_law_closes_in_units_at_every_node(path: Path) -> None:
    problem = read_problem(path)
    for law in problem.laws:
        check_law_units(problem, law)


def test_a_conversion_that_hides_in_a_pure_constant_is_refused() -> None:
    problem = read_problem(PROBLEMS / "tree_volume.json")
    law = next(law for law in problem.laws if law.id == "cone")
    pure = tuple(constant.model_copy(update={"unit": "1"}) for constant in law.constants)
    with pytest.raises(CoherenceError):
        check_law_units(problem, law.model_copy(update={"constants": pure}))


def _law(**changes: Any) -> list[dict[str, Any]]:
    return [problem_data()["laws"][0] | changes]


def _constant(**changes: Any) -> list[dict[str, Any]]:
    law = problem_data()["laws"][0]
    return [law | {"constants": [law["constants"][0] | changes]}]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"laws": _law(expression="k*z")}, "undeclared names"),
        ({"laws": _law(expression="k*")}, "laws/0/expression"),
        ({"laws": _law(expression="2*x")}, "does not use"),
        ({"laws": _law(expression="k")}, "uses no control"),
        ({"laws": _constant(name="x")}, "does not use|are columns"),
        ({"laws": _constant(starts=[])}, "either fixed or has starts"),
        ({"laws": _constant(low=2.0)}, "out of bounds"),
        ({"laws": _constant(scope="global")}, "laws/0/constants/0/scope"),
        ({"group": None}, "per-group constants and there is no group column|group column"),
        ({"metric": "accuracy"}, "metric"),
        ({"residuals": {"space": "log10", "floor": None, "reason": "?"}}, "floor None"),
        ({"loader": {"kind": "csv", "path": "../x.csv", "filters": []}}, "path"),
        ({"loader": {"kind": "csv", "path": "/x.csv", "filters": []}}, "path"),
        ({"loader": {"kind": "sql", "path": "x.csv", "filters": []}}, "loader"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_problem_at_fault_is_refused_by_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_problem(json.dumps(problem_data(**changes)), "small")


@pytest.mark.parametrize("name", ["seed", "n_samples", "group_id"])
def test_names_of_a_querys_arguments_are_reserved(name: str) -> None:
    control = problem_data()["controls"][0] | {"name": name}
    facts = NO_FACTS | {"columns": [{"name": n, "low": 0.0, "high": 0.0} for n in (name, "y")]}
    data = problem_data(controls=[control], laws=_law(expression=f"k*{name}"), table=facts)
    with pytest.raises(InputError, match="reserved"):
        parse_problem(json.dumps(data), "small")


@pytest.mark.parametrize(
    "split",
    [
        {"intent": "temporal", "window": {"kind": "alternate", "every": 2, "offset": 0}},
        {"intent": "unseen_group", "test_groups": []},
        {"intent": "unseen_group", "test_groups": ["a", "b"]},
        {"intent": "unseen_group", "test_groups": ["z"]},
        {"intent": "temporal", "window": {"kind": "cut", "control": "z", "cut": 1.0, "test": "at"}},
        {"window": {"kind": "alternate", "every": 2, "offset": 2}},
    ],
)
def test_a_split_that_contradicts_itself_is_refused(split: dict[str, Any]) -> None:
    declared = problem_data()["split"] | split
    with pytest.raises(InputError):
        parse_problem(json.dumps(problem_data(split=declared)), "small")


def test_small_groups_are_dropped_and_named(tmp_path: Path) -> None:
    table = load_problem(written(tmp_path, CSV), "small").table
    assert usable_groups(table, least=2) == (("a", "b"), ())
    assert usable_groups(table, least=3) == ((), ("a", "b"))


def test_a_nist_file_states_where_its_data_stand(tmp_path: Path) -> None:
    loader = NistTable(kind="nist_dat", path="t.dat", columns=("y", "x"), filters=())
    path = tmp_path / "t.dat"
    path.write_text("File Format:\n   Data   (lines 4 to 5)\n\n 1.5E0  2\n 3  4.25\n")
    raw = read_nist(path, loader)
    assert raw.columns["y"].tolist() == [1.5, 3.0]
    assert raw.columns["x"].tolist() == [2.0, 4.25]
    path.write_text("   Data   (lines 2 to 3)\n 1.5E0  2\n 3\n")
    with pytest.raises(InputError, match="line 3 has 1 fields, not 2"):
        read_nist(path, loader)
    path.write_text("   Data   (lines 2 to 3)\n 1.5E0  2\n")
    with pytest.raises(InputError, match="1 data lines"):
        read_nist(path, loader)
    path.write_text("nothing")
    with pytest.raises(InputError, match="no line states"):
        read_nist(path, loader)


def test_an_unknown_packaged_table_is_refused() -> None:
    with pytest.raises(InputError, match="no data set statsmodels:nothing"):
        read_package("statsmodels", "nothing")


def test_a_refused_data_set_is_no_problem(tmp_path: Path) -> None:
    root = written(tmp_path, CSV)
    entry = {"id": "small", "reason_code": "too_few_rows", "reason": "only four rows"}
    listed = root / "problems" / "rejected.json"
    listed.write_text(json.dumps([entry | {"id": "other"}]), encoding="utf-8")
    assert [found.id for found in rejected_datasets(root)] == ["other"]
    assert problem_ids(root) == ("small",)
    listed.write_text(json.dumps([entry]), encoding="utf-8")
    with pytest.raises(InputError, match="are problems and rejected"):
        rejected_datasets(root)
