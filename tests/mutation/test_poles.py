import numpy as np
import pytest

from lawsmith.expressions import evaluate, parse_infix
from lawsmith.measurement import dense_design
from lawsmith.measurement.constraints import admissible
from lawsmith.mutation.poles import hole
from schemas.card import Choices, Range
from schemas.family import FamilyConstraint, FamilyControl

X = FamilyControl(name="x", symbol="x", meaning="", unit="1", domain=Range(low=0.5, high=4.0))
Y = FamilyControl(name="y", symbol="y", meaning="", unit="1", domain=Range(low=0.01, high=9.0))
N = FamilyControl(
    name="n", symbol="n", meaning="", unit="1", domain=Choices(choices=(1.0, 2.0, 5.0))
)
AWAY = FamilyConstraint(expression=parse_infix("(x - 2)**2 - 0.01"), meaning="away from 2")
CONTROLS = (X, Y, N)


@pytest.mark.parametrize(
    ("text", "divisor", "path"),
    [
        ("1/(x - 2)", "x - 2", "/args/1"),
        ("x/(x**2 - 2)", "x**2 - 2", "/args/1"),
        ("1/(x - y)**2", "x - y", "/args/1/args/0"),
        ("3 + y*(x - 2)**-1.0", "x - 2", "/args/1/args/1/args/0"),
        ("1/(y*abs(x - 3.3))", "x - 3.3", "/args/1/args/1/args/0"),
        ("1/(x - n)", "x - n", "/args/1"),  # for n = 1 and 2; 5 lies beyond
        ("tan(x)", "cos(x)", ""),
        ("log(1 + 1/(sin(3*x) - 0.2)**2)", "sin(3*x) - 0.2", "/args/0/args/1/args/1/args/0"),
    ],
)
def test_a_zero_of_a_divisor_is_found_where_it_is(text: str, divisor: str, path: str) -> None:
    found = hole(parse_infix(text), CONTROLS, (), dense_design(CONTROLS, (), 256))
    assert found is not None
    assert found[0] == path
    assert admissible(CONTROLS, (), found[1])
    at = dict(zip("xyn", found[1], strict=True))
    assert abs(float(evaluate(parse_infix(divisor), at))) < 1e-12


@pytest.mark.parametrize(
    "text",
    [
        "1/(x + 2)",
        "1/(x**2 + y)",
        "1/(n - 1.5)",  # choices jump over it
        "1/(floor(x) - 1.5)",  # so does a step
        "1/(x - 0.1 - 4.5*step(n - 1.5))",  # one sign for each choice
        "x**1.5*exp(-y)",
        "atan(x - 2)",
        "7/2*x",
    ],
)
def test_a_law_without_a_hole_has_none(text: str) -> None:
    assert hole(parse_infix(text), CONTROLS, (), dense_design(CONTROLS, (), 256)) is None


def test_a_constraint_may_keep_the_hole_out() -> None:
    points = dense_design(CONTROLS, (AWAY,), 256)
    assert hole(parse_infix("1/(x - 2)"), CONTROLS, (AWAY,), points) is None
    assert hole(parse_infix("1/(x - 3)"), CONTROLS, (AWAY,), points) is not None


def test_points_of_one_sign_show_nothing() -> None:
    points = np.array([[1.0, 1.0, 1.0], [1.5, 2.0, 1.0]])
    assert hole(parse_infix("1/(x - 2)"), CONTROLS, (), points) is None
