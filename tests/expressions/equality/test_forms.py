"""Equal up to constants: labelled cases with their constant maps, and folding."""

import math
from typing import Any

import pytest

from lawsmith.errors import InputError
from lawsmith.expressions import (
    equivalent,
    evaluate_exact,
    fold_constants,
    literal_paths,
    parse_infix,
    replace_literals,
    same_form,
    to_infix,
)

DOMAIN = dict.fromkeys("xymrtk", (0.5, 5.0))


@pytest.mark.parametrize(
    ("a", "b", "values"),
    [
        ("3*x", "2*x", [3.0]),
        ("-3*x", "2*x", [-3.0]),
        ("k*m/r**2", "2*k*m/r**2", [1.0]),
        ("5*x/7", "2*x", [5 / 7]),
        ("2*x*y", "y*x*3", [2.0]),
        ("2*3.3e-11*m/r**2", "6e-11*m/r**2", [6.6e-11]),
        ("x**1.5*2", "sqrt(x)*x*3", [2.0]),
        ("2*(x + 3)", "7*x + 1", [2.0, 6.0]),
        ("0.1*x**2 + 3*y", "2*y + 5*x**2", [3.0, 0.1]),
        ("4*exp(-t/3)", "2*exp(-0.7*t)", [4.0, -1 / 3]),
        ("5*x/(x + 3)", "x/(1 + 0.2*x)", [0.6, 0.2]),
        ("1/(exp(0.5*x) - 1)", "2/(exp(x*3) - 1)", [1.0, 0.5, 1.0]),
        ("sqrt(4*x + 1)", "3*sqrt(x + 0.3)", [2.0, 0.25]),
        ("4*x/(2*y)", "5*x/y/3", [6.0, 3.0]),
        ("4*pi*r**2", "3*pi*r**2", [4.0]),
    ],
)
def test_same_form_gives_the_constants(a: str, b: str, values: list[float]) -> None:
    left, right = parse_infix(a), parse_infix(b)
    found = same_form(left, right, domain=DOMAIN)
    assert found.equal, found
    assert found.constant_map is not None
    assert list(found.constant_map) == literal_paths(right)
    assert list(found.constant_map.values()) == pytest.approx(values, rel=1e-15)
    refitted = replace_literals(right, dict(found.constant_map))
    point = dict.fromkeys(DOMAIN, 1.7)
    assert evaluate_exact(refitted, point) == pytest.approx(evaluate_exact(left, point), rel=1e-14)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("3*x**2", "2*x**2.5"),
        ("3*x + 1", "2*x"),
        ("3*x", "2*x + 5"),
        ("x + y", "2*x*y"),
        ("exp(2*x)", "3*exp(x)"),
        ("3*x*y", "2*x"),
        ("2*x", "2*x*y"),
        ("2*sin(x)", "3*cos(x)"),
        ("2*x/(1 + x)", "3*tanh(0.5*x)"),
        ("x**2.0001", "2*x**2"),
        ("4*pi*r**2", "3.1*r**3"),
    ],
)
def test_another_structure_or_exponent_is_another_form(a: str, b: str) -> None:
    found = same_form(parse_infix(a), parse_infix(b), domain=DOMAIN)
    assert found.verdict == "different", found
    assert found.constant_map is None


@pytest.mark.parametrize(
    ("a", "b", "values"),
    [
        ("10**(4.1 - 0.9501*x)*t", "10**(4.1 - 0.95*x)*t", [4.1, 0.9501]),
        ("exp(2 - x)*t", "10**(4.1 - 0.95*x)*t", [2 / math.log(10), 1 / math.log(10)]),
        ("10**(0.3 - 0.2*x)*t", "exp(2 - 0.5*x)*t", [0.3 * math.log(10), 0.2 * math.log(10)]),
        ("exp(-t/3)", "2**(-t/11.1)", [3.0 * math.log(2)]),
        ("exp(0.7*t)", "2**t", [math.exp(0.7)]),
        ("3**t", "2**t", [3.0]),
        ("x**(0.3 + 0.25*y)", "x**(0.31 + 0.2*y)", [0.3, 0.25]),
    ],
)
def test_constants_of_an_exponent_that_varies_are_free(a: str, b: str, values: list[float]) -> None:
    found = same_form(parse_infix(a), parse_infix(b), None, DOMAIN)
    assert found.equal, found
    assert found.constant_map is not None
    assert list(found.constant_map.values()) == pytest.approx(values, rel=1e-14)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("2**y*x", "2**x*2**y*x"),
        ("2**y*x", "exp(0.7*x)*2**y*x"),
        ("exp(0.7*y)*x", "2**x*2**y*x"),
        ("10**(0.3*x)*t", "10**(0.2*x**2)*t"),
        ("x**(1 + 0.2*y)", "y**(1 + 0.2*x)"),
    ],
)
def test_another_exponent_that_varies_is_another_form(a: str, b: str) -> None:
    found = same_form(parse_infix(a), parse_infix(b), None, DOMAIN)
    assert found.verdict == "different", found


def test_a_declared_exponent_is_free_when_it_is_named() -> None:
    a, b = parse_infix("3*x**1.3*y"), parse_infix("2*x**1.2*y")
    free = ["/args/0", "/args/1/args/1"]
    assert same_form(a, b, free, DOMAIN).constant_map == {free[0]: 3.0, free[1]: 1.3}
    other = parse_infix("exp(1.3*log(x) + 1)*y")
    found = same_form(other, b, free, DOMAIN)
    assert found.equal, found
    assert found.constant_map is not None
    assert list(found.constant_map.values()) == pytest.approx([math.e, 1.3], rel=1e-14)


def test_only_the_named_constants_are_free() -> None:
    b = parse_infix("2*x + 2")
    free = ["/args/0/args/0"]
    assert same_form(parse_infix("3*x + 2"), b, free, DOMAIN).constant_map == {free[0]: 3.0}
    assert same_form(parse_infix("3*x + 2.5"), b, free, DOMAIN).verdict == "different"
    assert same_form(parse_infix("3*x + 2"), b, [], DOMAIN).verdict == "different"
    with pytest.raises(InputError, match="no literal"):
        same_form(b, b, ["/args/0"], DOMAIN)


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("2*x**3", [2.0]),
        ("x**(2/3)*exp(-0.5*t)", [-0.5]),
        # An exponent that varies holds constants; its base only where no other scales a term.
        ("3*10**(4.1 - 0.95*x)*t", [3.0, 4.1, 0.95]),
        ("2**(-t/11.1)", [11.1]),
        ("2**t", [2.0]),
        ("10**(x - 0.3*t)", [0.3, 10.0]),
        ("x**(0.3 + 0.2*t)", [0.3, 0.2]),
        ("2**(3*t**2)", [3.0]),
        ("(-1)**t", [-1.0]),
        ("4*pi*exp(1)*x", [4.0]),
        ("max(0, x - 2)", [2.0]),
        ("x*y", []),
    ],
)
def test_exponents_pi_e_and_zero_are_structure(text: str, literals: list[float]) -> None:
    law: Any = parse_infix(text)
    found = []
    for path in literal_paths(law):
        node = law
        for place in path.split("/args/")[1:]:
            node = node.args[int(place)]
        found.append(node)
    assert found == literals


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("2*pi*x/3*5", "10.471975511965978*x"),
        ("x**(3/2)", "x**1.5"),
        ("x**(1/3)", "x**(1/3)"),
        ("1 + x + 2 - 5", "x + -2"),
        ("-(2*x)", "-2*x"),
        ("x/4/2", "0.125*x"),
        ("2/x", "2/x"),
        ("x*log(0)", "x*log(0)"),
        ("(1 + 2)*(x - 1 - 2)*sqrt(4)", "6*(x + -3)"),
        ("x*y + 1", "x*y + 1"),
        # log(10)*4.1 and log(10)*0.95, to the nearest float64 of their exact values.
        ("10**(4.1 - 0.95*x)", "exp(9.440598881275587 - 2.187455838344343*x)"),
        ("2**(-x/11.1)", "exp(-0.062445691942337414*x)"),
        ("2**x", "exp(0.6931471805599453*x)"),
        ("10**(x - y)", "exp(2.302585092994046*(x - y))"),
        ("exp(1)**(x/2)", "exp(x/2)"),
        ("(-1)**x", "(-1)**x"),
        ("x**(1/3 + y/4)", "x**(0.3333333333333333 + y/4)"),
    ],
)
def test_constants_that_act_as_one_are_folded(text: str, folded: str) -> None:
    assert to_infix(fold_constants(parse_infix(text))) == folded


def test_exact_folds_keep_the_law() -> None:
    law = parse_infix("0.1*x*3/0.5 - (2 - y)*4/8")
    assert equivalent(law, fold_constants(law), DOMAIN).how == "algebraic"
