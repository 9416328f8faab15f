"""Distances in the last places of constants, however the laws are written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.errors import InputError
from lawsmith.expressions import fold_constants, literal_paths, parse_infix
from lawsmith.expressions.domains import Domain
from lawsmith.expressions.equality.rounding import TooCloseToCallError, determined, ulps_apart
from schemas.expression import Op, Var

DOMAIN: Domain = {"x": (1.0, 5.0), "y": (2.0, 9.0), "T": (310.0, 400.0)}


def apart(one: str, law: str) -> float:
    """As scores ask: in the constants of the folded law."""
    second = parse_infix(law)
    form = fold_constants(second)
    return ulps_apart(form, literal_paths(form), parse_infix(one), second, DOMAIN)


@pytest.mark.parametrize(
    ("one", "law"),
    [
        ("acos(-1)*x/(4*1.1)", "acos(-1)*0.001**2/(4*1.1e-6)*x"),
        ("exp(-x*log(2)/8.0252)*y", "exp(-(log(2)/8.0252)*x)*y"),
        ("y/(T - (273.15 + 25))", "y/(T - 298.15)"),
        ("6*sqrt(x**3/(4*y))", "3*sqrt(x**3/y)"),
        ("2.5*x + 1.5*x", "4*x"),
    ],
)
def test_what_is_equal_is_nothing_apart(one: str, law: str) -> None:
    assert apart(one, law) == 0.0


@pytest.mark.parametrize(
    ("one", "law"),
    [
        ("0.7139983303613167*x", "acos(-1)*0.001**2/(4*1.1e-6)*x"),
        ("exp(-x*0.08637132788714864)*y", "exp(-(log(2)/8.0252)*x)*y"),
        ("1/(0.011764705882352941 + 0.19647058823529412/x)", "85*x/(16.7 + x)"),
        # Three constants of which two are determined: 1/298.15 folded shifts both others.
        (
            "20033.15550751287*exp(12424.1342759136*(1/T - 0.00335401643468053))",
            "log(2)/3.46e-05*exp(103300/8.31446261815324*(1/T - 1/298.15))",
        ),
    ],
)
def test_constants_folded_to_float64_are_about_a_last_place_apart(one: str, law: str) -> None:
    assert 0.0 < apart(one, law) <= 2.0


@given(st.integers(min_value=-40, max_value=40), st.floats(0.5, 900.0))
def test_the_distance_of_a_prefactor_is_its_count_of_last_places(steps: int, value: float) -> None:
    law = Op("mul", (value, Var("x")))
    one = Op("mul", (Var("x"), value + steps * math.ulp(value)))
    # A number is its shortest decimal text, which lies within half a last place of the float.
    assert abs(ulps_apart(law, ["/args/0"], one, law, DOMAIN) - abs(steps)) <= 1.0


@given(st.floats(1.1, 3.0), st.floats(3.1, 5.0), st.sampled_from(("mul", "div", "pow")))
def test_a_factor_may_stand_anywhere(a: float, b: float, how: str) -> None:
    # (a*x)^2 * b, a*(x/b), a*(b*x)^0.5: only one number can be told from the values.
    inner = {
        "mul": Op("mul", (Op("pow", (Op("mul", (a, Var("x"))), 2.0)), b)),
        "div": Op("mul", (a, Op("div", (Var("x"), b)))),
        "pow": Op("mul", (a, Op("sqrt", (Op("mul", (b, Var("x"))),)))),
    }[how]
    form = fold_constants(inner)
    assert determined(form, literal_paths(form), DOMAIN) == 1
    assert ulps_apart(form, literal_paths(form), inner, inner, DOMAIN) == 0.0
    doubled = Op("mul", (2.0, inner))
    assert math.isinf(ulps_apart(form, literal_paths(form), doubled, inner, DOMAIN))


def test_a_constant_that_is_off_is_far_or_infinitely_far() -> None:
    assert 1e3 < apart("0.7139983303623*x", "acos(-1)*0.001**2/(4*1.1e-6)*x") < 1e5
    assert math.isinf(apart("0.714*x", "acos(-1)*0.001**2/(4*1.1e-6)*x"))
    # A small term does not hide behind a large one.
    assert apart("1000000*x + 0.0000010001*y", "1000000*x + 0.000001*y") > 1e6


def test_what_cannot_be_measured_is_said() -> None:
    law = parse_infix("2*x")
    with pytest.raises(InputError, match="no literal of the form"):
        ulps_apart(law, ["/args/1"], law, law, DOMAIN)
    assert math.isinf(ulps_apart(parse_infix("x"), [], law, law, DOMAIN))
    ticks = iter(range(10**6))
    with pytest.raises(TooCloseToCallError, match="time_limit"):
        ulps_apart(law, ["/args/0"], parse_infix("2*x*1"), law, DOMAIN, 0.5, lambda: next(ticks))
