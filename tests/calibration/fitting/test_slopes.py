import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.calibration.fitting.slopes import value_and_slopes
from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import OPERATORS, evaluate, parse_infix
from schemas.expression import Expression, Op, Var

POINTS = {
    "acosh": (1.3, 2.5),
    "mod": (7.3, 2.1),
    "tan": (0.4, 1.0),
}
SMALL = {"asin", "acos", "atanh"}


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_operator_has_the_slope_of_its_differences(name: str) -> None:
    fewest = OPERATORS[name].arity[0]
    at = POINTS.get(name, (0.35, 0.6) if name in SMALL else (1.37, 2.61))[:fewest]
    names = ["p", "q"][:fewest]
    law: Expression = Op(name, tuple(Var(n) for n in names))
    values = dict(zip(names, at, strict=True))
    found_value, found = value_and_slopes(law, names, values, 1)
    assert found_value[0] == evaluate(law, values)
    for place, moved in enumerate(names):
        h = 1e-5
        up, down = ({**values, moved: values[moved] + sign * h} for sign in (1, -1))
        difference = (float(evaluate(law, up)) - float(evaluate(law, down))) / (2 * h)
        assert found[0, place] == pytest.approx(difference, rel=1e-7, abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.2, 3.0), min_size=3, max_size=3),
    st.sampled_from(
        [
            "a*x**b + c*x",
            "exp(-a*x)/(b + c*x)",
            "a/(1 + exp((b - x)/c))",
            "sqrt(a + b*x**2/(x**2 + c)) - a*b",
            "a*(x/b)**c + log(a + x)*tanh(b*x)",
            "max(a*x, b) + min(c, x*a, 2*b)",
        ]
    ),
)
def test_slopes_of_laws_are_those_of_differences(values: list[float], text: str) -> None:
    law = parse_infix(text)
    constants = dict(zip("abc", values, strict=True))
    x = np.array([0.31, 1.7, 2.9])
    _, found = value_and_slopes(law, "abc", {**constants, "x": x}, 3)
    for place, name in enumerate("abc"):
        h = 1e-6 * constants[name]
        up = evaluate(law, {**constants, name: constants[name] + h, "x": x})
        down = evaluate(law, {**constants, name: constants[name] - h, "x": x})
        difference = (np.asarray(up) - np.asarray(down)) / (2 * h)
        near = np.abs(found[:, place] - difference) <= 1e-5 * (1 + np.abs(difference))
        # A step of the difference may cross a kink.
        assert near.all() or "max" in text


def test_a_base_of_zero_does_not_move_with_its_exponent() -> None:
    _, found = value_and_slopes(
        parse_infix("x**b"), ["b"], {"x": np.array([0.0, 2.0]), "b": 2.0}, 2
    )
    assert found[:, 0] == pytest.approx([0.0, 4 * np.log(2)])


def test_an_infinite_slope_is_an_error() -> None:
    with pytest.raises(UndefinedValueError, match="slope in a"):
        value_and_slopes(parse_infix("sqrt(a*x)"), ["a"], {"x": np.array([1.0]), "a": 0.0}, 1)


def test_blocks_make_no_difference() -> None:
    x = np.linspace(0.1, 5, 70_001)
    law = parse_infix("a*x**b + exp(-a*x)")
    values, slopes = value_and_slopes(law, ["a", "b"], {"x": x, "a": 1.5, "b": 0.7}, len(x))
    np.testing.assert_allclose(values, 1.5 * x**0.7 + np.exp(-1.5 * x), rtol=1e-13)
    np.testing.assert_allclose(slopes[:, 0], x**0.7 - x * np.exp(-1.5 * x), atol=1e-12)
