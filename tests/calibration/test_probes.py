"""Probes of behaviour: each kind passes a law that behaves and fails one that does not."""

from typing import Any

import numpy as np
import pytest

from lawsmith.calibration.probes import ProbeCase, ProbeOutcome, take_probe
from lawsmith.errors import InputError
from lawsmith.expressions import parse_infix
from schemas.validity import (
    Bound,
    Curvature,
    DimensionCloses,
    Elasticity,
    Extremum,
    Homogeneity,
    Limit,
    Monotone,
    Periodic,
    Probe,
    Separability,
    Sign,
)

X = np.stack(np.meshgrid(np.linspace(0.5, 4.0, 8), np.linspace(1.0, 3.0, 5)), axis=-1)
ROWS = X.reshape(-1, 2)


def _case(law: str, group: str | None = None) -> ProbeCase:
    outputs = 2.0 * ROWS[:, 0] / (1.0 + ROWS[:, 0]) * ROWS[:, 1]
    return ProbeCase(group, parse_infix(law), ROWS, outputs)


def _ask(probe: Probe, *laws: str) -> ProbeOutcome:
    cases = [_case(law, f"g{i}" if len(laws) > 1 else None) for i, law in enumerate(laws)]
    return take_probe(
        probe, ("x", "y"), cases, open_law=parse_infix(laws[0]), units={"x": "s", "y": "m"}
    )


def _monotone(**given: Any) -> Monotone:
    base: dict[str, Any] = {
        "control": "x",
        "direction": "increasing",
        "strict": True,
        "low": None,
        "high": None,
        "step": None,
    }
    return Monotone(kind="monotone", **(base | given))


def _elasticity(**given: Any) -> Elasticity:
    base = {"low": None, "high": None, "from_value": None, "to_value": None}
    return Elasticity(kind="elasticity", control="x", **(base | given))


CASES: list[tuple[Probe, str, str]] = [
    (_monotone(), "2*x/(1 + x)*y", "y*(x - 2)^2"),
    (_monotone(strict=False), "min(x, 2)*y", "y*(x - 2)^2"),
    (_monotone(), "x*y", "min(x, 2)*y"),
    (_monotone(direction="decreasing", low=1.0, high=2.0), "y*abs(x - 2)", "y*x"),
    (Sign(kind="sign", sign="positive"), "x*y", "x*y - 1"),
    (Sign(kind="sign", sign="nonpositive"), "-x*y", "x"),
    (Bound(kind="bound", low=0.0, high=6.1), "2*x/(1 + x)*y", "x*y"),
    (
        Limit(kind="limit", control="x", toward=0.0, value=0.0, tolerance=0.01),
        "2*x/(1 + x)*y",
        "2*x/(1 + x)*y + 1",
    ),
    (
        Limit(kind="limit", control="x", toward=1e4, value=None, tolerance=0.01),
        "2*x/(1 + x)*y",
        "x*y",
    ),
    (
        Curvature(kind="curvature", control="x", shape="concave", low=None, high=None, step=None),
        "2*x/(1 + x)*y",
        "x^2*y",
    ),
    (
        Curvature(kind="curvature", control="x", shape="convex", low=None, high=None, step=None),
        "x*y",
        "sqrt(x)*y",
    ),
    (
        Extremum(kind="extremum", control="x", extremum="maximum", low=0.1, high=8.0, step=None),
        "x*exp(-x)*y",
        "x*y",
    ),
    (
        Extremum(kind="extremum", control="x", extremum="minimum", low=0.1, high=8.0, step=None),
        "(x + 1/x)*y",
        "x*exp(-x)*y",
    ),
    (_elasticity(low=0.9, from_value=0.5, to_value=1.0), "y*x/(1 + (x/2)^8)", "y*sqrt(x)"),
    (_monotone(low=1.0, high=4.0, step=1.0), "y*(x + sin(2*acos(-1)*x))", "y*cos(acos(-1)*x)"),
    (
        Curvature(kind="curvature", control="x", shape="convex", low=0.0, high=4.0, step=2.0),
        "y*(x^2 + cos(acos(-1)*x))",
        "y*(cos(acos(-1)*x) - x^2)",
    ),
    (
        Periodic(kind="periodic", control="x", period=2.0, drift="none"),
        "y*sin(acos(-1)*x)",
        "y*sin(x)",
    ),
    (
        Periodic(kind="periodic", control="x", period=1.0, drift="increasing"),
        "y*(sin(2*acos(-1)*x) + x/10)",
        "y*(sin(2*acos(-1)*x) - x/10)",
    ),
    (_elasticity(low=0.0, high=1.0), "2*x/(1 + x)*y", "x^1.5*y"),
    (_elasticity(low=0.74, high=0.76), "y*x^0.75", "y*x^0.7"),
    (
        Separability(kind="separability", first="x", second="y", form="multiplicative"),
        "2*x/(1 + x)*y",
        "x + y",
    ),
    (
        Separability(kind="separability", first="x", second="y", form="additive"),
        "x^2 + y",
        "x^2*y",
    ),
    (Homogeneity(kind="homogeneity", controls=("x", "y"), degree=2.0), "x*y + x^2", "x*y + x"),
    (DimensionCloses(kind="dimension", unit="m/s"), "y/x", "y + x"),
]


@pytest.mark.parametrize(("probe", "good", "bad"), CASES)
def test_a_probe_tells_a_law_that_behaves_from_one_that_does_not(
    probe: Probe, good: str, bad: str
) -> None:
    assert _ask(probe, good).passed is True
    found = _ask(probe, bad)
    assert found.passed is False
    assert found.reason


def test_every_group_must_pass_and_the_one_that_fails_is_named() -> None:
    found = _ask(_monotone(), "x*y", "-x*y")
    assert found.passed is False
    assert found.reason.startswith("group g1: not increasing")


def test_a_law_without_a_value_there_is_not_taken() -> None:
    found = _ask(Sign(kind="sign", sign="positive"), "log(x - 1)*y")
    assert found.passed is None
    assert "no value" in found.reason


def test_a_probe_about_no_control_and_no_rows_is_an_error() -> None:
    with pytest.raises(InputError, match="'z' is no control"):
        _ask(_monotone(control="z"), "x*y")
    with pytest.raises(InputError, match="no rows"):
        take_probe(_monotone(), ("x",), [], open_law=1.0, units={})
