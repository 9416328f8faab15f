import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.expressions import evaluate, parse_infix
from lawsmith.measurement import dense_design
from lawsmith.measurement.constraints import admissible
from lawsmith.measurement.holes import definedness, hole
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


HOLES = [
    ("1/(x**2 - 2*2.34567*x + 2.34567**2)", "/args/1"),  # a double pole, expanded
    ("1/(x**2 - 2*sqrt(2)*x + 2)", "/args/1"),  # at no float
    ("1/(x**4 - 8*x**3 + 24*x**2 - 32*x + 16)", "/args/1"),  # a fourfold one
    ("1/((x - 2)**2 + (y - 3)**2)", "/args/1"),  # a point of two controls
    ("1/((x - y)**2 + (x + y - 5)**2)", "/args/1"),  # turned axes
    ("1/(1 - exp(-(x - y)**2))", "/args/1"),
    ("1/(x**2 + y**2 - 2*x*y)", "/args/1"),  # a whole line
    ("y/(1 - sin(x))", "/args/1"),
    ("1/(n - x)**2", "/args/1/args/0"),
    ("(x**2 - 4*x + 4)**-0.5", "/args/0"),
    ("(x**2 - 4*x + 4)**-2.0", "/args/0"),
    ("mod(y, x**2 - 4*x + 4)", "/args/1"),
    ("tan(x)", ""),
    ("atan2(x - 2, y - 3)", ""),
    ("log((x - 2.34567)**2)", "/args/0/args/0"),
    ("log10(abs(x - 2.34567)*y)", "/args/0/args/0/args/0"),
    ("log2(x**2 - 2*2.34567*x + 2.34567**2)", "/args/0"),
    ("log(x**2 - 4*x + 4.0 - 1e-9)", "/args/0"),
    ("sqrt((x - 2.34567)**2 - 1e-8)", "/args/0"),
    ("sqrt(x**2 - 4*x + 4.0 - 1e-11)", "/args/0"),
    ("((x - 2.34567)**2 - 1e-8)**0.3", "/args/0"),
    ("((x - y)**2 - 1e-7)**(1/3)", "/args/0"),
    ("asin(1 + 1e-9 - (x - 2)**2/5)", "/args/0"),
    ("acos(-1.0 - 1e-9 + (x - 2)**2/5)", "/args/0"),
    ("acosh(1 - 1e-9 + (x - 2.34567)**2)", "/args/0"),
    ("atanh(1 - (x - 2.34567)**2/5)", "/args/0"),
    ("((x - 2.34567)**2)**(y - 2)", "/args/0/args/0"),  # 0 to a negative power
    ("((x - 2)**2 - 1e-8)**y", "/args/0"),
    ("(1 + 1e-9/(x**2 - 4*x + 4))*y", "/args/0/args/1/args/1"),
]
SOUND = [
    "1/(x**2 - 2*2.34567*x + 2.34567**2 + 1e-8)",  # a sharp resonance is no hole
    "1/((x**2 - 4)**2 + (1e-4*x)**2)",
    "1/(x**2 + y**2 - 2*x*y + 1e-7)",
    "sqrt((x - 2.34567)**2)",
    "sqrt(x**2 - 4*x + 4)",  # touches zero, which a root may
    "sqrt(x - 0.5)",
    "(x**2 - 4*x + 4)**0.3",
    "((x - 2)**2)**(1 + y)",
    "(x - 2)**n",  # whole numbers as exponents
    "asin(1 - (x - 2)**2/5)",
    "acosh(1 + (x - 2.34567)**2)",
    "atanh(0.999999 - (x - 2.34567)**2/20)",
    "log((x - 2.34567)**2 + 1e-6)",
    "exp(-1/(y + 1e-3))",
    "cbrt(x - 2)",
    "abs(x - 2)/(1 + abs(x - 2))",
    "max(x - 2, 1e-3)**-1.5",
    "log(max(x, 2) - 1)",
    "mod(x, y)",
    "atan2(x - 2, y)",
]


@pytest.mark.parametrize(("text", "path"), HOLES)
def test_a_hole_of_one_sign_is_found_where_it_is(text: str, path: str) -> None:
    law = parse_infix(text)
    points = dense_design(CONTROLS, (), 256)
    found = definedness(law, CONTROLS, (), points, 256)
    assert found.method == "sampled"
    assert found.hole is not None
    assert admissible(CONTROLS, (), found.hole.inputs)
    searched = hole(law, CONTROLS, (), points)
    assert searched is not None
    assert searched.path == path


@pytest.mark.parametrize("text", SOUND)
def test_a_margin_that_stays_off_its_bound_is_no_hole(text: str) -> None:
    points = dense_design(CONTROLS, (), 256)
    assert definedness(parse_infix(text), CONTROLS, (), points, 256).hole is None


def test_a_hole_at_a_few_choices_is_found() -> None:
    many = FamilyControl(
        name="n", symbol="n", meaning="", unit="1", domain=Choices(choices=tuple(range(1, 40)))
    )
    controls = (X, Y, many)
    points = dense_design(controls, (), 256)
    law = parse_infix("1/((x - 2)**2 + (n - 17)**2)")
    found = hole(law, controls, (), points)
    assert found is not None
    assert found.inputs[2] == 17.0


def test_all_choices_are_proved_by_their_values() -> None:
    controls = (N,)
    points = dense_design(controls, (), 256)
    assert definedness(parse_infix("1/(n - 1.5)"), controls, (), points, 1).method == "proved"


def test_a_constraint_keeps_a_hole_of_one_sign_out() -> None:
    points = dense_design(CONTROLS, (AWAY,), 256)
    double = "1/(x**2 - 2*{c}*x + {c}**2)"
    inside, outside = (parse_infix(double.format(c=c)) for c in ("2.05", "3.1"))
    assert definedness(inside, CONTROLS, (AWAY,), points, 64).hole is None
    assert definedness(outside, CONTROLS, (AWAY,), points, 64).hole is not None


@settings(max_examples=15, deadline=None)
@given(
    c=st.floats(0.6, 3.9).map(lambda v: round(v, 5)),
    depth=st.floats(-9, -5),
    shape=st.sampled_from(["1/({m})", "log({m})", "({m})**-0.7", "1/({m})**2"]),
)
def test_only_a_margin_that_reaches_zero_is_a_hole(c: float, depth: float, shape: str) -> None:
    points = dense_design(CONTROLS, (), 128)
    square = f"x**2 - 2*{c}*x + {c}**2"
    touching = parse_infix(shape.format(m=square))
    clear = parse_infix(shape.format(m=f"{square} + {10**depth!r}"))
    assert hole(touching, CONTROLS, (), points) is not None
    assert hole(clear, CONTROLS, (), points) is None


def test_a_constraint_may_keep_the_hole_out() -> None:
    points = dense_design(CONTROLS, (AWAY,), 256)
    assert hole(parse_infix("1/(x - 2)"), CONTROLS, (AWAY,), points) is None
    assert hole(parse_infix("1/(x - 3)"), CONTROLS, (AWAY,), points) is not None


def test_a_zero_beyond_the_points_is_found_too() -> None:
    points = np.array([[1.0, 1.0, 1.0], [1.5, 2.0, 1.0]])
    found = hole(parse_infix("1/(x - 2)"), CONTROLS, (), points)
    assert found is not None
    assert found.inputs[0] == 2.0
