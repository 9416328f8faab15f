"""Labelled forms: constants that are absorbed, swapped, signed, lost, or only seem to fit."""

import pytest

from lawsmith.expressions import evaluate_exact, parse_infix, replace_literals, same_form
from lawsmith.expressions.equality import forms

DOMAIN = dict.fromkeys((*"xymrtkT", "E"), (0.5, 5.0))

SAME = [
    ("2*3*x", "5*x"),
    ("5*x", "2*3*x"),
    ("exp(2)*x", "3*x"),
    ("3*x", "exp(2)*x"),
    ("log(2*x)", "log(x)+5"),
    ("log(6*x*y)", "log(x)+log(y)+1"),
    ("log(x)+2", "log(3*x)"),
    ("log(x)+2", "3*log(x)+1"),
    ("5*x**3", "(2*x)**3"),
    ("-5*x**3", "(2*x)**3"),
    ("8*x**1.5", "(2*x)**1.5"),
    ("2*x+3*y", "3*x+2*y"),
    ("3*x+4*y", "2*x+2*y"),
    ("x+x", "2*x"),
    ("x**2+2*x+1", "(x+3)**2"),
    ("x**2", "x**2*5"),
    ("-2*x", "3*x"),
    ("2/(x-7)", "2/(x+3)"),
    ("0*x+3*y", "2*y"),
    ("sin(2*x+1)", "sin(3*x+2)"),
    ("2*cos(x)", "3*sin(x+1)"),
    ("max(0,x-2)", "max(0,x-3)"),
    ("5*max(x,2)", "3*max(x,1)"),
    ("abs(x-2)", "abs(x-3)"),
    ("3*exp(-0.2/(8.3*T))", "2*exp(-0.5/(1.38*T))"),
    ("3*exp(-2*E/T)", "7*exp(-5*E/T)"),
    ("2*x**(1/3)", "5*cbrt(x)"),
    ("3*x+1e-9", "2*x+5"),
    ("3*x+2*x**2", "5*x*(1+0.3*x)"),
    ("2*sqrt(x)*y", "3*sqrt(x*y**2)"),
    ("x/(2+x)", "1/(1+3/x)"),
    ("5*x/(2+x)", "3*x/(1+2*x)"),
    ("x+1e-60", "x+3"),
    ("6.67e-11*m*k/r**2", "2*m*k/r**2"),
    ("2*x*(1+0.3*exp(-x/2))", "3*x*(1+0.1*exp(-x/5))"),
    ("tanh(2*x)", "(exp(3*x)-1)/(exp(3*x)+1)"),
    ("2*x+3", "4*x+4*1.5"),
    ("pi*x", "3*x"),
    ("4*x*y/(3*x+2*y)", "1/(2/x+3/y)"),
    ("sqrt(2*x+3*y)", "5*sqrt(x+7*y)"),
    ("log10(x)*3", "2*log(x)"),
    ("2*sin(x)+3*cos(x)", "5*sin(x+1)"),
    ("floor(2*x)", "floor(3*x)"),
    ("step(x-2)*3", "step(x-1)*4"),
    ("1/(exp(0.01*x)-1)", "2/(exp(3*x)-1)"),
    ("x**2/2", "0.5*x**2"),
    ("2*x/3", "x*0.7"),
    ("x*2**0.5", "x*3"),
    ("3*x", "x*2**0.5"),
    ("231.141*x**2/2+1241.9*x", "3*x**2+2*x"),
    ("231.141*x**2+1241.9*x+12.578/sqrt(x)", "3*x**2+2*x+1/sqrt(x)"),
    ("2*exp(3*x)*exp(-2*y)", "exp(1.5*x - 4*y + 1)"),
    # The literals 1 are constants like any others: the score `form` holds their values to account.
    ("1/(exp(0.01*x) - 1)", "1/(exp(3*x) + 1)"),
]
OTHER = [
    ("-3*x", "exp(2)*x"),
    ("x**2+2*x+3", "(x+3)**2"),
    ("x", "x/(1+2*x)"),
    ("2*x", "2*x+3*y"),
    ("3", "2*x"),
    ("x**2", "x**2.5*5"),
    ("exp(-(x/2)**2)", "exp(-x/3)"),
    ("max(x,2)", "min(x,2)"),
    ("abs(x-2)", "x-3"),
    ("3*exp(-2*E/T)", "7*exp(-E/T)"),
    ("x**(1/3)", "2*x**0.5"),
    ("x", "2*x**1.0001"),
    ("3*x", "2*x+5"),
    ("3*x+2*x**2", "5*x*(1+0.3*x**2)"),
    ("5*x**2/(4+x**2)", "3*x/(1+2*x)"),
    ("x", "x+1e-60"),
    ("6.67e-11*m*k/r**2.0001", "2*m*k/r**2"),
    ("2*x*(1+0.3*exp(-x/2))", "3*x*(1+0.1*exp(-y/5))"),
    ("3*x", "pi*x"),
    ("3*x**2", "2*x**2+1*x"),
    ("sqrt(2*x+3*y)", "sqrt(x+y)*2"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_one_law_becomes_the_other_by_constants(a: str, b: str) -> None:
    left, right = parse_infix(a), parse_infix(b)
    found = same_form(left, right, None, DOMAIN, 60.0)
    assert found.equal, found
    assert found.constant_map is not None
    refitted = replace_literals(right, dict(found.constant_map))
    for place in (0.7, 1.9, 4.3):
        point = {name: place + 0.01 * n for n, name in enumerate(DOMAIN)}
        expected = evaluate_exact(left, point)
        assert evaluate_exact(refitted, point) == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_no_constants_bring_the_laws_together(a: str, b: str) -> None:
    found = same_form(parse_infix(a), parse_infix(b), None, DOMAIN, 60.0)
    assert found.verdict == "different", found
    assert found.constant_map is None


@pytest.mark.parametrize(
    ("a", "b", "values"),
    [
        ("3*x", "exp(2)*x", [1.0986122886681098]),
        ("log(x) + 2", "log(3*x)", [7.38905609893065]),
        ("-5*x**3", "(2*x)**3", [-1.709975946676697]),
        ("2*x + 3*y", "3*y + 2*x", [3.0, 2.0]),
        ("5*x", "2*3*x", [5 / 3, 3.0]),
        ("2/(x - 7)", "2/(x + 3)", [2.0, -7.0]),
        ("x + 3", "x + 1e-60", [3.0]),
    ],
)
def test_the_constants_are_the_expected_ones(a: str, b: str, values: list[float]) -> None:
    found = same_form(parse_infix(a), parse_infix(b), None, DOMAIN, 60.0)
    assert found.constant_map is not None, found
    assert list(found.constant_map.values()) == pytest.approx(values, rel=1e-15)


def test_a_constant_too_small_to_be_seen_is_never_called_equal() -> None:
    one, other = (
        parse_infix("(x + 1)**60*(x + 9)**60"),
        parse_infix("(x + 1)**60*(x + 9)**60 + 1e-300"),
    )
    assert same_form(one, other, None, DOMAIN, 60.0).verdict != "equal"
    assert same_form(parse_infix("1 + 5e-324*x"), parse_infix("2"), None, DOMAIN, 60.0).verdict == (
        "different"
    )


def test_the_whole_comparison_keeps_one_limit() -> None:
    ticks = iter(0.5 * n for n in range(1_000_000))
    one, other = parse_infix("exp(-x/3)*sin(2*x) + y"), parse_infix("exp(-x/5)*sin(3*x)*y + 2*y")
    found = same_form(one, other, None, DOMAIN, 2.0, lambda: next(ticks))
    assert (found.verdict, found.reason) == ("undecided", "time_limit")
    assert next(ticks) <= 2.0 + 2 * 0.5


def test_the_counted_work_ends_a_search_whatever_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = parse_infix("exp(-x/3)*sin(2*x) + y"), parse_infix("exp(-x/5)*sin(3*x)*y + 2*y")
    monkeypatch.setattr(forms, "WORK", 2_000)
    found = same_form(one, other, None, DOMAIN, clock=lambda: 0.0)
    assert (found.verdict, found.reason) == ("undecided", "work_budget")
