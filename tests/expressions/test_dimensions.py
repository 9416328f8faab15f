"""Dimensions term by term and unit coherence, on rules and on two sets of known laws."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.errors import DimensionError, InputError, UndefinedValueError, UnitError
from lawsmith.expressions import check_dimensions, dimension_of, parse_infix, unit_coherent

REFERENCE = Path(__file__).resolve().parents[3] / "shared/reference"
UNITS = {"x": "m", "y": "km", "t": "s", "m": "kg", "a": "1", "th": "rad", "de": "deg", "n": "count"}


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("x + y", "L"),
        ("m*x/t**2", "M L T^-2"),
        ("sqrt(x*y)", "L"),
        ("cbrt(x)", "L^1/3"),
        ("x**(3/2)/t^-0.5", "L^3/2 T^1/2"),
        ("abs(-x)", "L"),
        ("mod(x, y) + min(x, y) + max(y, x)", "L"),
        ("sin(th) + cos(de) + exp(x/y)", "1"),
        ("th*x + x", "angle L"),
        ("step(x - y)*m", "M"),
        ("sign(t)", "1"),
        ("atan2(x, y)", "1"),
        ("a**a", "1"),
        ("n/t", "T^-1 count"),
        ("5", "1"),
    ],
)
def test_dimension(text: str, dimension: str) -> None:
    found = str(dimension_of(parse_infix(text), UNITS))
    assert sorted(found.split()) == sorted(dimension.split())


@pytest.mark.parametrize(
    ("text", "path", "both"),
    [
        ("m*(x + t)", "/args/1", ("L", "T")),
        ("x + 1", "/", ("L", "1")),
        ("max(0, x)", "/", ("1", "L")),
        ("2*exp(x)", "/args/1", ("L", "1")),
        ("floor(x)", "/", ("L", "1")),
        ("atan2(x, t)", "/", ("L", "T")),
        ("2**x", "/args/1", ("L", "1")),
        ("x**a", "/", ("L", "1")),
        ("x**exp(1)", "/", ("L", "1")),
        ("n + 1", "/", ("count", "1")),
        ("exp(x + x)*(t + m)", "/args/0", ("L", "1")),
        ("1 - m*x**2/t**2", "/", ("1", "M")),
        ("sqrt(x) + cbrt(x)", "/", ("L^1/2", "L^1/3")),
        ("x**1.5 + x**(3/2) + t", "/", ("L^3/2", "T")),
        ("mod(x, 2)", "/", ("L", "1")),
        ("min(x, y, t)", "/", ("L", "T")),
        ("x**th", "/", ("L", "1")),
        ("a**n", "/args/1", ("count", "1")),
        ("sin(n)", "/", ("count", "1")),
        ("log10(m/x)", "/", ("M", "1")),
        ("round(t)", "/", ("T", "1")),
        ("step(x - t)", "/args/0", ("L", "T")),
        ("0*x + t", "/", ("L", "T")),
        ("x**0 + t", "/", ("1", "T")),
    ],
)
def test_the_first_clash_is_named_with_both_dimensions(
    text: str, path: str, both: tuple[str, str]
) -> None:
    with pytest.raises(DimensionError) as caught:
        dimension_of(parse_infix(text), UNITS)
    assert caught.value.path == path
    assert all(dimension in caught.value.problem for dimension in both)


def test_the_whole_must_have_the_expected_unit() -> None:
    assert str(check_dimensions(parse_infix("x/t"), UNITS, "km/h")) == "L T^-1"
    with pytest.raises(DimensionError, match="'kg' is M"):
        check_dimensions(parse_infix("x/t"), UNITS, "kg")
    with pytest.raises(InputError, match="no unit for name 'q'"):
        dimension_of(parse_infix("q"), UNITS)
    with pytest.raises(UnitError):
        dimension_of(parse_infix("x"), {"x": "parsnip"})


@pytest.mark.parametrize(
    ("text", "output", "coherent"),
    [
        ("x + y", "m", False),
        ("x + k*y", "m", True),
        ("x/t", "m/s", True),
        ("x/t", "km/s", False),
        ("sin(th)", "1", True),
        ("sin(de)", "1", False),
        ("sin(acos(-1)/180*de)", "1", False),
        ("sin(per*de)", "1", True),
        ("c*m", "kg", True),
        ("exp(de)", "1", False),
        ("exp(th)", "1", True),
        ("om*x", "m/s", False),
        ("om*per_turn*x", "m/s", True),
        ("hz*x", "m/s", True),
        ("pc*x", "m", False),
        ("pc/hundred*x", "m", True),
        ("10**(lev/10)", "1", True),
        ("sqrt(y)", "m^0.5", False),
        ("sqrt(y)", "km^0.5", True),
    ],
)
def test_a_missing_factor_is_seen_by_coherence_only(text: str, output: str, coherent: bool) -> None:
    units = UNITS | {"k": "m/km", "per": "rad/deg", "c": "1", "om": "rpm", "hz": "Hz"}
    units |= {"per_turn": "rad/s/rpm", "pc": "percent", "hundred": "percent", "lev": "dB"}
    law = parse_infix(text)
    check_dimensions(law, units, output)
    values: dict[str, Any] = {
        "x": [1.0, 2.5],
        "y": [0.3, 7.0],
        "t": 2.0,
        "m": 3.0,
        "th": 0.4,
        "de": [30.0, 77.0],
    }
    values |= {"k": 1000.0, "per": math.pi / 180, "c": 2.0, "om": 60.0, "hz": 50.0, "lev": 13.0}
    values |= {"per_turn": 2 * math.pi / 60, "pc": 12.0, "hundred": 100.0}
    found = unit_coherent(law, units, output, values)
    assert bool(found) is coherent
    assert (found.worst < 1e-12) is coherent


def test_offset_units_are_converted_with_their_offset() -> None:
    law = parse_infix("k*(T_1 - T_2)")
    units = {"k": "W/K", "T_1": "degC", "T_2": "degC"}
    assert unit_coherent(law, units, "W", {"k": 2.0, "T_1": [30.0, 50.0], "T_2": 20.0})
    ratio = parse_infix("k*T_1/T_2")
    assert not unit_coherent(ratio, units, "W/K", {"k": 2.0, "T_1": 30.0, "T_2": 20.0})


def test_coherence_needs_a_defined_law() -> None:
    with pytest.raises(UndefinedValueError):
        unit_coherent(parse_infix("1/x"), UNITS, "1/m", {"x": 0.0})


def _rows(name: str) -> list[dict[str, Any]]:
    path = REFERENCE / name
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference folder is not at hand")
def test_dimensions_of_the_newtonbench_laws_fail_exactly_where_stated() -> None:
    failed = 0
    for row in _rows("newtonbench_laws.jsonl"):
        stated = row["dimensions"]
        implied = stated["implied_constant_units"]
        if any("E" in unit for unit in implied.values()):
            continue
        try:
            check_dimensions(
                parse_infix(row["expression"]), row["units"] | implied, row["output_unit"]
            )
            closes = True
        except DimensionError:
            closes = False
            failed += 1
        assert closes is stated["consistent_with_declared_output_unit"], row["id"]
    assert failed == 33


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference folder is not at hand")
def test_every_historical_relation_closes_and_is_coherent() -> None:
    data = json.loads((REFERENCE / "historical.json").read_text(encoding="utf-8"))
    for family in data["families"]:
        rows = [*family["inputs"], *family["parameters"], *family["derived"]]
        units = {row["name"]: row["unit"] for row in rows}
        values: dict[str, Any] = {r["name"]: r["original"] for r in rows if "original" in r}
        for row in family["inputs"]:
            span = (row["low"], row["high"]) if "low" in row else row["values"][:2]
            values[row["name"]] = np.array(span, dtype=float)
        for observable in family["observables"]:
            law = parse_infix(family["relations"][observable["name"]])
            check_dimensions(law, units, observable["unit"])
            assert unit_coherent(law, units, observable["unit"], values), family["id"]
