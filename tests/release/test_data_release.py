"""Releases with tasks on real data: tables, digests, leaks; `verify` names every change."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest

from lawsmith.cli import run
from lawsmith.errors import IntegrityError, ReleaseConflictError
from lawsmith.release.bundle import (
    diff_releases,
    export_release,
    read_release,
    verify_release,
    write_release,
)
from lawsmith.release.calibrated_leaks import calibrated_leak_faults
from lawsmith.release.tables import CALIBRATED_TABLES, TABLE_PATHS, row_path
from schemas.release import Fault


def load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"lawsmith_release_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"lawsmith_release_{name}"] = module
    spec.loader.exec_module(module)
    return module


tampering = load("tampering")


def a_little(value: float) -> float:
    return value * (1 + 1e-4) if value else 1e-4


def more(value: int) -> int:
    return value + 1


def dotted(text: str) -> str:
    return text + "."


def another_path(_: str) -> str:
    return "/args/9"


ALTERATIONS: list[tuple[str, int, str, Callable[[Any], Any]]] = [
    ("parallel", 0, "background", dotted),
    ("parallel", 0, "controls/0/high", a_little),
    ("parallel", 1, "controls/0/unit", lambda _: "s"),
    ("parallel", 0, "budget/points_per_call", more),
    ("parallel", 0, "caps/shared", more),
    ("parallel", 1, "max_nodes", more),
    ("parallel", 0, "out_of_range", lambda _: "clip"),
    ("parallel", 0, "readout/natural_low", lambda _: -1.0),
    ("real", 0, "background", dotted),
    ("real", 1, "metric", lambda m: "mae" if m != "mae" else "rmse"),
    ("real", 0, "training_rows", more),
    ("real", 0, "controls/0/low", a_little),
    ("real_observations", 3, "output", a_little),
    ("real_observations", 7, "inputs/0", a_little),
    ("problems", 0, "title", dotted),
    ("problems", 1, "laws/0/constants/0/unit", lambda _: "kg"),
    ("problems", 0, "licence/statement", dotted),
    ("problems", 0, "split/rationale", dotted),
    ("problem_rows", 3, "output", a_little),
    ("problem_rows", 5, "inputs/0", a_little),
    ("parallel_keys", 0, "constants/0/values/*", a_little),
    ("parallel_keys", 1, "world_id", dotted),
    ("parallel_keys", 0, "edits/0/path", another_path),
    ("real_keys", 0, "held_out/2/output", a_little),
    ("real_keys", 1, "held_out/0/inputs/0", a_little),
    ("real_keys", 0, "anchors/0/metric", a_little),
    ("real_keys", 0, "probes/0/statement", dotted),
    ("calibrated_worlds", 0, "groups/0/noise_factor", lambda f: f * 0.999),
    ("calibrated_worlds", 1, "groups/0/residual_variance", a_little),
    ("calibrated_worlds", 0, "groups/0/axes/0/high", a_little),
    ("calibrated_worlds", 0, "target_r2", lambda r: r - 0.01),
    ("baselines", 3, "reason", dotted),
    ("baseline_submissions", 2, "explanation", dotted),
]
"""Table, row, pointer, change. `*` is the first of the names there."""

SEARCHED: list[tuple[str, int, str, Callable[[Any], Any]]] = [
    ("parallel_keys", 0, "certificates/4/figures/*", a_little),
    ("parallel_keys", 0, "certificates/1/sentence", dotted),
    ("parallel_keys", 0, "edits/0/move", lambda _: "exponent_by_hand"),
]
"""What only the search for the hidden law, done again, can tell."""


QUICK = frozenset(
    (
        "parallel controls/0/high",
        "real_observations output",
        "problem_rows output",
        "parallel_keys constants/0/values/*",
        "real_keys anchors/0/metric",
        "calibrated_worlds groups/0/noise_factor",
        "parallel_keys certificates/4/figures/*",
    )
)
"""One a kind of figure; the others are tried in the long run of the tests."""


def marked(cases: list[tuple[str, int, str, Any]], quick: frozenset[str]) -> list[Any]:
    return [
        pytest.param(
            *case,
            id=f"{case[0]} {case[2]}",
            marks=() if f"{case[0]} {case[2]}" in quick else pytest.mark.long,
        )
        for case in cases
    ]


def first_name(release: Path, table: str, row: int, pointer: str) -> str:
    if not pointer.endswith("*"):
        return pointer
    parent = pointer.removesuffix("/*")
    return f"{parent}/{sorted(tampering.value_at(release, table, row, parent))[0]}"


def test_a_release_of_problems_has_no_fault(data_release: Path) -> None:
    assert verify_release(data_release) == []
    read = read_release(data_release)
    assert read.sealed is not None
    kinds = {item.kind: item.tasks for item in read.public.manifest.kinds}
    assert kinds == {"parallel": 2, "real": 2}
    assert read.public.manifest.tasks == 4
    for problem in read.sealed.problems:
        assert problem.parallel is not None
        assert problem.real is not None
        assert len(problem.baselines) == len(problem.submissions) == 6
        rows = problem.table.rows
        assert len(problem.observations) + len(problem.real_key.held_out) == rows  # type: ignore[union-attr]


@pytest.mark.parametrize(("table", "row", "pointer", "change"), marked(ALTERATIONS, QUICK))
def test_an_alteration_is_named_with_its_path(
    samples: ModuleType,
    data_release: Path,
    tmp_path: Path,
    table: str,
    row: int,
    pointer: str,
    change: Callable[[Any], Any],
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    name, _ = tampering.alter(copy, table, row, first_name(copy, table, row, pointer), change)
    tampering.rehash(copy, table)
    faults = verify_release(copy)
    assert not any("sha256 differs" in fault.what for fault in faults)
    where = row_path(table, name)
    assert [fault for fault in faults if fault.path.startswith(where)], [f.path for f in faults]
    if table not in ("problems", "problem_rows", "baseline_submissions"):
        first = pointer.split("/", maxsplit=1)[0]
        assert any(fault.path.startswith(f"{where}/{first}") for fault in faults), [
            fault.path for fault in faults
        ]


@pytest.mark.parametrize(("table", "row", "pointer", "change"), marked(SEARCHED, QUICK))
def test_what_the_search_gave_is_recomputed_where_certificates_are(
    samples: ModuleType,
    data_release: Path,
    tmp_path: Path,
    table: str,
    row: int,
    pointer: str,
    change: Callable[[Any], Any],
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    pointer = first_name(copy, table, row, pointer)
    name, _ = tampering.alter(copy, table, row, pointer, change)
    tampering.rehash(copy, table)
    paths = {fault.path for fault in verify_release(copy, certificates=-1)}
    assert f"{row_path(table, name)}/{pointer}" in paths


def test_verify_exits_with_3_and_names_the_path(
    samples: ModuleType, data_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    name, _ = tampering.alter(copy, "real_keys", 0, "held_out/0/output", a_little)
    capsys.readouterr()
    assert run(["verify", str(copy), "--json"]) == 3
    faults = [Fault(**one) for one in json.loads(capsys.readouterr().out)]
    assert any(fault.path.startswith(row_path("real_keys", name)) for fault in faults)


@pytest.mark.long
def test_a_structure_score_is_recomputed(
    samples: ModuleType, data_release: Path, tmp_path: Path
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    lines = (copy / TABLE_PATHS["baselines"]).read_text(encoding="utf-8").splitlines()
    row = next(n for n, line in enumerate(lines) if json.loads(line)["structure"] == 1.0)
    name, _ = tampering.alter(copy, "baselines", row, "structure", lambda _: 0.75)
    tampering.rehash(copy, "baselines")
    paths = {fault.path for fault in verify_release(copy, certificates=-1)}
    assert f"{row_path('baselines', name)}/structure" in paths


def test_a_damaged_pool_is_a_fault_and_no_crash(
    samples: ModuleType, data_release: Path, tmp_path: Path
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    pools = sorted((copy / "sealed/worlds").glob("*.parquet"))
    pools[0].write_bytes(b"PAR1")
    pools[1].unlink()
    paths = {fault.path for fault in verify_release(copy)}
    assert {f"sealed/worlds/{pool.name}" for pool in pools} <= paths


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(name, marks=() if name == "real_keys" else pytest.mark.long)
        for name in CALIBRATED_TABLES
    ],
)
def test_a_missing_or_unreadable_table_is_a_fault_and_no_crash(
    samples: ModuleType, data_release: Path, tmp_path: Path, table: str
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    path = copy / TABLE_PATHS[table]
    path.write_bytes(path.read_bytes()[:-9] + b'{"a":NaN}\n')
    assert any(fault.path.startswith(TABLE_PATHS[table]) for fault in verify_release(copy))


def test_identical_changed_and_refused(
    samples: ModuleType, problems: ModuleType, data_release: Path
) -> None:
    both = tuple(samples.calibrated_problem(problems, one) for one in problems.BOTH)
    content = samples.historical_content(families=(), cards=(), problems=both)
    root = data_release.parent
    assert write_release(root, content, samples.NOW, "test").status == "identical"
    fewer = samples.historical_content(families=(), cards=(), problems=both[:1])
    with pytest.raises(ReleaseConflictError, match="parallel/t-"):
        write_release(root, fewer, samples.NOW, "test")


def test_a_changed_hidden_law_under_an_old_task_is_refused(
    samples: ModuleType, problems: ModuleType, data_release: Path
) -> None:
    from dataclasses import replace

    made = samples.calibrated_problem(problems, problems.SINGLE)
    group = made.parallel_key.constants[0]
    moved = group.model_copy(update={"values": {k: v * 2 for k, v in group.values.items()}})
    key = made.parallel_key.model_copy(update={"constants": (moved,)})
    content = samples.historical_content(
        version="0.2.0-dev", families=(), cards=(), problems=(replace(made, parallel_key=key),)
    )
    with pytest.raises(ReleaseConflictError, match="the law changed"):
        write_release(data_release.parent, content, samples.NOW, "test")


def test_releases_without_problems_have_none_of_the_tables(historical_release: Path) -> None:
    assert not [t for t in CALIBRATED_TABLES if (historical_release / TABLE_PATHS[t]).exists()]
    with duckdb.connect(str(historical_release / "public/tasks.duckdb"), read_only=True) as base:
        names = {row[0] for row in base.execute("SHOW TABLES").fetchall()}
    assert names == {"discovery", "identification", "fixed_observations"}


def test_the_database_holds_tasks_and_observations(data_release: Path) -> None:
    with duckdb.connect(str(data_release / "public/tasks.duckdb"), read_only=True) as base:
        counts = base.execute(
            "SELECT (SELECT count(*) FROM parallel), (SELECT count(*) FROM real),"
            " (SELECT count(*) FROM real_observations o JOIN real r ON o.task_id = r.id)"
        ).fetchone()
        groups = base.execute('SELECT count(*) FROM real_observations WHERE "group" IS NULL')
        without = groups.fetchone()
    read = read_release(data_release).public
    assert counts == (2, 2, sum(len(rows) for rows in read.observations.values()))
    assert without is not None
    assert 0 < without[0] < counts[2]


def test_public_files_hold_nothing_sealed(
    problems: ModuleType, data_release: Path, tmp_path: Path
) -> None:
    copy = export_release(data_release, tmp_path, public_only=True)
    assert not (copy / "sealed").exists()
    assert verify_release(copy) == []
    texts = {
        path: path.read_text(encoding="utf-8").lower()
        for path in copy.rglob("*")
        if path.suffix in (".jsonl", ".html", ".md", ".json")
    }
    for identity in problems.BOTH:
        problem = problems.loaded(identity).problem
        for secret in (problem.id, problem.title, problem.laws[0].source.citation):
            assert not [path.name for path, text in texts.items() if secret.lower() in text]
    read = read_release(data_release)
    assert read.sealed is not None
    for item in read.sealed.problems:
        assert item.real_key is not None
        shown = {(row.group, row.inputs, row.output) for row in item.observations}
        assert not shown & {(row.group, row.inputs, row.output) for row in item.real_key.held_out}


def test_a_named_source_a_told_constant_and_a_shown_row_are_leaks(
    samples: ModuleType, problems: ModuleType
) -> None:
    from dataclasses import replace

    made = samples.calibrated_problem(problems, problems.SINGLE)
    constant = next(
        v for v in made.parallel_key.constants[0].values.values() if not float(v).is_integer()
    )
    text = f"{made.problem.title}; {constant!r}"
    task = made.parallel.model_copy(update={"background": text})
    faults = calibrated_leak_faults([replace(made, parallel=task)], [task], made.observations)
    where = f"{row_path('parallel', task.id)}/background"
    assert {"names what is sealed of its problem", "holds a constant of the hidden law"} <= {
        fault.what.partition(":")[0] for fault in faults if fault.path == where
    }
    held = made.real_key.held_out[0]
    shown = made.observations[0].model_copy(
        update={"group": held.group, "inputs": held.inputs, "output": held.output}
    )
    found = calibrated_leak_faults(
        [replace(made, observations=(shown, *made.observations[1:]))], made.tasks, ()
    )
    assert any("held_out/0" in fault.path for fault in found)
    content = samples.historical_content(
        version="0.3.0-dev", families=(), cards=(), problems=(replace(made, parallel=task),)
    )
    with pytest.raises(IntegrityError, match="leaks"):
        write_release(Path("unused"), content, samples.NOW, "test")


def test_diff_names_added_and_changed_tasks(
    samples: ModuleType, problems: ModuleType, data_release: Path, tmp_path: Path
) -> None:
    one = samples.calibrated_problem(problems, problems.SINGLE)
    content = samples.historical_content(families=(), cards=(), problems=(one,))
    fewer = write_release(tmp_path, content, samples.NOW, "test").path
    found = diff_releases(fewer, data_release)
    grouped = problems.tasks(problems.GROUPED)
    assert set(found.added) == {grouped.parallel.id, grouped.real.id}
    assert not found.removed


def test_pages_show_data_laws_and_baselines(data_release: Path) -> None:
    public = (data_release / "public/gallery/real-data.html").read_text(encoding="utf-8")
    sealed = (data_release / "sealed/gallery/problems.html").read_text(encoding="utf-8")
    read = read_release(data_release)
    for task in read.public.calibrated:
        assert f"{task.id}.html" in public
        page = (data_release / f"public/gallery/{task.id}.html").read_text(encoding="utf-8")
        assert ("<svg" in page) == (task.kind == "real")
    assert read.sealed is not None
    for number, item in enumerate(read.sealed.problems, start=1):
        page = (data_release / f"sealed/gallery/problem-{number:04d}.html").read_text("utf-8")
        assert item.problem.title in sealed
        for wanted in ("Hidden", "<math", "residuals", "world, hidden law", "oracle-form", "1.000"):
            assert wanted in page, wanted
