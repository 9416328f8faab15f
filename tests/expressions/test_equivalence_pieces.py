"""Laws of pieces: small ones, holes, jumps, conditions that cannot be met together."""

from typing import Any

import pytest

from lawsmith.expressions import equivalent, evaluate_exact, parse_infix

LABELLED: list[tuple[str, str, Any, str]] = [
    (
        "2*atan(tanh(x/2))+1e-30*exp(-((x-2)/1e-3)**2)",
        "atan(sinh(x))",
        {"x": (0.3, 4)},
        "different",
    ),
    ("x/x/y*y", "1", {"x": (-1, 2), "y": (-1, 1)}, "equal"),
    ("abs(log(x))", "abs(log(abs(x)))", {"x": (-1, 2)}, "different"),
    ("abs(log(x))", "abs(log(1/x))", {"x": (-1, 2)}, "equal"),
    ("sqrt(x)*sqrt(y)", "sqrt(x*y)", {"x": (-1, 2), "y": (-1, 2)}, "different"),
    ("log(x)+log(y)", "log(x*y)", {"x": (-1e-07, 2), "y": (-1e-07, 2)}, "different"),
    ("sqrt(x-1)*sqrt(x+1)", "sqrt(x**2-1)", {"x": (-1.0000001, 5)}, "different"),
    ("sqrt(x-1)*sqrt(x+1)", "sqrt(x**2-1)", {"x": (-1, 5)}, "equal"),
    ("acos(x)", "atan2(sqrt(1-x**2),x)", {"x": (-1, 1)}, "equal"),
    (
        "max(sin(5*x),cos(5*x))",
        "(sin(5*x)+cos(5*x)+abs(sin(5*x)-cos(5*x)))/2",
        {"x": (-3, 3)},
        "equal",
    ),
    ("abs(sin(x))", "sqrt(sin(x)**2)", None, "equal"),
    ("abs(sin(x))", "sqrt(1-cos(x)**2)", None, "equal"),
    ("abs(x)", "sqrt(x**2+2*x+1-2*x-1)", {"x": (-1, 1)}, "equal"),
    ("max(x,y,z)", "max(max(z,y),x)", {"x": (-1, 1), "y": (-1, 1), "z": (-1, 1)}, "equal"),
    ("max(x,y,z)-max(z,x,y+1e-20)", "0", {"x": (-1, 1), "y": (-1, 1), "z": (-1, 1)}, "different"),
    (
        "max(x,max(y,z))+min(x,min(y,z))+max(min(x,y),max(min(y,z),min(x,z)))",
        "x+y+z",
        {"x": (-1, 1), "y": (-1, 1), "z": (-1, 1)},
        "equal",
    ),
    ("exp(x)", "exp(x)+step(x-1.7)*step(1.70000000001-x)", {"x": (-3, 3)}, "different"),
    (
        "exp(x)",
        "exp(x)+step(x*y-1.7)*step(1.70000000001-x*y)",
        {"x": (-3, 3), "y": (0, 1)},
        "different",
    ),
    (
        "x",
        "x+max(0,1e-8-abs(x-1)-abs(y-1)-abs(z-.3)-abs(w-.7))",
        {"x": (0, 2), "y": (0, 2), "z": (0, 2), "w": (0, 2)},
        "different",
    ),
    (
        "x",
        "x+max(0,1e-10-(x-1)**2-(y-1)**2-(z-.3)**2-(w-.7)**2)",
        {"x": (0, 2), "y": (0, 2), "z": (0, 2), "w": (0, 2)},
        "different",
    ),
    ("x", "x+max(0,sin(x)+sin(y)-2+1e-10)", {"x": (0, 6), "y": (0, 6)}, "different"),
    ("x", "x+max(0,x*exp(-x)-exp(-1)+1e-12)", {"x": (0, 6)}, "different"),
    ("floor(100*x)", "ceil(100*x)-1", {"x": (0, 9)}, "equal"),
    ("floor(100*x)", "floor(100*x+1e-9)", {"x": (0, 9)}, "different"),
    ("mod(x,2)", "x-2*floor(x/2)", None, "equal"),
    ("cos(2*pi*floor(x))", "1", None, "equal"),
    ("cos(pi*floor(x))", "(-1)**floor(x)", {"x": (0, 5)}, "equal"),
    ("round(x*10)/10", "floor(x*10+0.5)/10", {"x": (0, 50)}, "equal"),
    ("sign(x)*sign(y)*abs(x*y)", "x*y", None, "equal"),
    ("x**2.5", "x**2*sqrt(x)", {"x": (-1, 1)}, "equal"),
    ("abs(x)**2.5", "x**2*sqrt(abs(x))", {"x": (-1, 1)}, "equal"),
    ("cbrt(x*y)", "cbrt(x)*cbrt(y)", {"x": (-1, 1), "y": (-2, 2)}, "equal"),
    ("(x**2)**(1/3)", "cbrt(x)**2", {"x": (-1, 1)}, "equal"),
    ("atan(x)+atan(y)", "atan((x+y)/(1-x*y))", {"x": (0, 0.9), "y": (0, 0.9)}, "equal"),
    ("atan(x)+atan(y)", "atan((x+y)/(1-x*y))", {"x": (0, 1.00001), "y": (0, 1)}, "different"),
]


@pytest.mark.parametrize(("a", "b", "domain", "verdict"), LABELLED)
def test_labelled_pieces(a: str, b: str, domain: Any, verdict: str) -> None:
    found = equivalent(parse_infix(a), parse_infix(b), domain, 60.0)
    assert found.verdict == verdict, found
    assert equivalent(parse_infix(a), parse_infix(b), domain, 60.0) == found


@pytest.mark.parametrize(
    ("a", "b", "domain", "reason"),
    [
        # The bump is 10^(-10^12) at most points and the rest is no identity of exact algebra.
        (
            "2*atan(tanh(x/2)) + exp(-((x - 2)/1e-6)**2)",
            "atan(sinh(x))",
            {"x": (0.3, 4.0)},
            "too small to be seen",
        ),
        # The maximum touches zero: bounds never prove that it does not rise above it.
        ("x", "x + max(0, x*exp(-x) - exp(-1))", {"x": (0.0, 6.0)}, "could not be located"),
        (
            "x**2*floor(n/50)",
            "x**2*step(n - 49.5)",
            {"x": (1.0, 2.0), "n": [float(n) for n in range(99)]},
            "too many choices",
        ),
    ],
)
def test_what_cannot_be_told_is_undecided_with_its_reason(
    a: str, b: str, domain: Any, reason: str
) -> None:
    found = equivalent(parse_infix(a), parse_infix(b), domain, 60.0)
    assert found.verdict == "undecided"
    assert reason in found.reason


def test_a_witness_is_a_choice_and_an_equal_verdict_holds_on_all_choices() -> None:
    choices = {"x": (1.0, 2.0), "n": [float(n) for n in range(99)]}
    found = equivalent(parse_infix("x/n*n"), parse_infix("x"), choices, 60.0)
    assert found.verdict == "different"
    assert found.witness is not None
    assert found.witness["n"] == 0.0
    assert equivalent(parse_infix("x*n*x"), parse_infix("n*x**2"), choices, 60.0).equal


def test_a_difference_at_a_jump_alone_is_equal_almost_everywhere() -> None:
    a, b = parse_infix("round(x*10)/10"), parse_infix("floor(x*10 + 0.5)/10")
    assert evaluate_exact(a, {"x": 0.05}) != evaluate_exact(b, {"x": 0.05})
    found = equivalent(a, b, {"x": (0.0, 50.0)}, 60.0)
    assert found.equal
    assert "almost everywhere" in found.reason
