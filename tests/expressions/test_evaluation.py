"""float64 values against mpmath; one meaning for scalars, arrays and compiled laws."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import (
    OPERATORS,
    compile_expression,
    evaluate,
    evaluate_exact,
    parse_infix,
)
from schemas.expression import ARITIES, Op, Var

REFERENCE: dict[str, Any] = {
    "add": lambda *a: mpmath.fsum(a),
    "mul": lambda *a: mpmath.fprod(a),
    "min": min,
    "max": max,
    "sub": lambda a, b: a - b,
    "div": lambda a, b: a / b,
    "pow": mpmath.power,
    "atan2": mpmath.atan2,
    "mod": lambda a, b: a - b * mpmath.floor(a / b),
    "neg": lambda a: -a,
    "abs": abs,
    "cbrt": lambda a: mpmath.sign(a) * mpmath.cbrt(abs(a)),
    "log2": lambda a: mpmath.log(a, 2),
    "round": mpmath.nint,
    "step": lambda a: mpmath.mpf(a > 0),
    "ceil": mpmath.ceil,
}


def test_the_table_has_exactly_the_operators_of_the_wire_form() -> None:
    assert set(OPERATORS) == set(ARITIES)
    assert all(OPERATORS[name].arity == ARITIES[name] for name in ARITIES)


@pytest.mark.parametrize("name", sorted(ARITIES))
@given(data=st.data())
def test_values_follow_mpmath(name: str, data: st.DataObject) -> None:
    fewest, most = ARITIES[name]
    count = data.draw(st.integers(fewest, most or 4))
    numbers = st.floats(-50, 50).map(lambda x: round(x, 3) + 0.0) | st.integers(-3, 3).map(float)
    values = data.draw(st.lists(numbers, min_size=count, max_size=count))
    names = [f"x{i}" for i in range(count)]
    expression = Op(name, tuple(Var(n) for n in names))
    inputs = dict(zip(names, values, strict=True))
    try:
        truth = evaluate_exact(expression, inputs)
    except UndefinedValueError:
        with pytest.raises(UndefinedValueError):
            evaluate(expression, inputs)
        return
    with mpmath.workdps(60):
        exact = [mpmath.mpf(repr(value)) for value in values]
        function = REFERENCE.get(name) or getattr(mpmath, name)
        expected = float(function(*exact))
    assert truth == expected
    # A float64 input differs from its decimal text: steep and jumping operators show it.
    if name not in ("floor", "ceil", "round", "mod", "step", "sign"):
        scale = max(abs(truth), 1e-3, *(abs(value) for value in values))
        found = float(evaluate(expression, inputs))
        assert abs(found - truth) <= 1e-12 * scale * max(1.0, abs(truth))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mod(-1, 3)", 2.0),
        ("mod(1, -3)", -2.0),
        ("round(2.5)", 2.0),
        ("round(-3.5)", -4.0),
        ("step(0)", 0.0),
        ("sign(0)", 0.0),
        ("sign(-2)", -1.0),
        ("cbrt(-27)", -3.0),
        ("(-8)**3", -512.0),
        ("(-2)**-2", 0.25),
        ("0**0.5", 0.0),
        ("atan2(0, -1)", math.pi),
        ("atan2(-0.0*1, -1)", math.pi),
        ("exp(-1e5)", 0.0),
        ("floor(-0.5)", -1.0),
        ("max(1, 2, 3) - min(1, 2, 3)", 2.0),
    ],
)
def test_edges_have_one_meaning(text: str, expected: float) -> None:
    expression = parse_infix(text)
    assert evaluate(expression, {}) == expected
    assert compile_expression(expression)({}) == expected
    assert evaluate_exact(expression, {}) == expected


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("1 + 1/x", "/args/1"),
        ("log(x)", "/"),
        ("log10(-1 - x)", "/"),
        ("sqrt(-1 - x)", "/"),
        ("x**0", "/"),
        ("x**-1", "/"),
        ("(-8)**(1/3)", "/"),
        ("asin(2 + x)", "/"),
        ("acosh(x)", "/"),
        ("atanh(1 - x)", "/"),
        ("atan2(x, x)", "/"),
        ("mod(1, x)", "/"),
        ("step(log(x))", "/args/0"),
        ("0*(1/x)", "/args/1"),
        ("atan(1/x)", "/args/0"),
        ("exp(-1/x)", "/args/0/args/0"),
        ("min(1, 1/x)", "/args/1"),
    ],
)
def test_what_is_not_a_finite_real_number_is_undefined(text: str, path: str) -> None:
    expression = parse_infix(text.replace("-1/x", "-(1/x)"))
    points: tuple[dict[str, Any], ...] = ({"x": 0.0}, {"x": np.array([0.0, 0.0])})
    for inputs in points:
        for law in (lambda i: evaluate(expression, i), compile_expression(expression)):
            with pytest.raises(UndefinedValueError) as caught:
                law(inputs)
            assert caught.value.path == path
            if "x" in text:
                assert caught.value.inputs == {"x": 0.0}
    with pytest.raises(UndefinedValueError):
        evaluate_exact(expression, {"x": 0.0})


def test_the_first_offending_input_of_an_array_is_named() -> None:
    law = parse_infix("y/x")
    inputs: dict[str, Any] = {"x": np.array([1.0, 0.0, 0.0]), "y": 7.0}
    with pytest.raises(UndefinedValueError) as caught:
        evaluate(law, inputs)
    assert caught.value.inputs == {"x": 0.0, "y": 7.0}


@pytest.mark.parametrize(
    "text", ["exp(x)", "x**x", "x*x*x*x", "sinh(x)", "1/(1/x)", "atan(exp(x))"]
)
def test_overflow_is_undefined(text: str) -> None:
    law = parse_infix(text)
    x = 1e200 if "1/" not in text else 1e-320
    for function in (lambda i: evaluate(law, i), compile_expression(law)):
        with pytest.raises(UndefinedValueError):
            function({"x": x})


def test_missing_and_wrong_inputs_are_errors() -> None:
    with pytest.raises(InputError, match="no input for name 'y'"):
        evaluate(parse_infix("x + y"), {"x": 1.0})
    with pytest.raises(InputError, match="not a number"):
        evaluate(parse_infix("x"), {"x": "1"})
    with pytest.raises(UndefinedValueError):
        evaluate(parse_infix("x"), {"x": math.nan})
    with pytest.raises(InputError, match="no input"):
        evaluate_exact(parse_infix("x"), {})


LAWS = (
    "k*m1*m2/r**2*(1 + 0.8*(1 + r/20)*exp(-r/20))",
    "sqrt(k/m1)*sin(r*3)**2 + cos(m2)*tanh(k)",
    "max(k - m1, 0) + min(m2, r, 1)*step(k - 2) + abs(m1 - m2)**1.5",
    "log(1 + k)/log10(m1 + 1) + cbrt(m2 - 3) + atan2(k - 2, m1 - 2) + mod(r, 0.7)",
    "(k/m1)**2 + r**2 + m2**-1.3 + 2**r + asinh(k) + acosh(1 + r) + atanh(0.1*r)",
    "3.5",
)


@pytest.mark.parametrize("text", LAWS)
def test_scalars_arrays_and_compiled_laws_agree(text: str) -> None:
    law = parse_infix(text)
    generator = np.random.Generator(np.random.PCG64(5))
    inputs = {name: generator.uniform(0.5, 4.0, 64) for name in ("k", "m1", "m2", "r")}
    together = evaluate(law, inputs)
    compiled = compile_expression(law)(inputs)
    assert isinstance(together, np.ndarray)
    assert together.shape == (64,)
    np.testing.assert_array_equal(together, compiled)
    for place in range(64):
        point = {name: float(column[place]) for name, column in inputs.items()}
        value = evaluate(law, point)
        assert isinstance(value, float)
        assert value == compile_expression(law)(point)
        assert value == pytest.approx(together[place], rel=4e-16, abs=0)
        assert value == pytest.approx(evaluate_exact(law, point), rel=1e-13)


def test_shapes_are_broadcast() -> None:
    law = parse_infix("a*b")
    grid = compile_expression(law)({"a": np.ones((3, 1)), "b": np.arange(4.0)})
    assert isinstance(grid, np.ndarray)
    assert grid.shape == (3, 4)
    constant = evaluate(2.0, {"a": np.ones(5)})
    assert isinstance(constant, np.ndarray)
    assert constant.tolist() == [2.0] * 5
    assert evaluate(parse_infix("a/2"), {"a": 3}) == 1.5


def test_compiled_laws_are_cached_by_expression() -> None:
    assert compile_expression(parse_infix("x + 1")) is compile_expression(parse_infix("x+1"))


@pytest.mark.parametrize(
    ("text", "inputs", "expected"),
    [
        ("0.1 + 0.2", {}, 0.3),
        ("x + y", {"x": 0.1, "y": 0.2}, 0.3),
        ("step(x - 0.3)", {"x": 0.3}, 0.0),
        ("step(0.1 + 0.2 - 0.3)", {}, 0.0),
        ("floor(x/0.1)", {"x": 0.3}, 3.0),
        ("floor(log10(1000))", {}, 3.0),
        ("sin(pi)", {}, 0.0),
        ("sin(1e300)", {}, -0.985750425160377),
        ("(1 - cos(x))/x**2", {"x": 1e-9}, 0.5),
        ("exp(1000)/exp(999)", {}, math.e),
        ("exp(x)/(1 + exp(x))", {"x": 1000.0}, 1.0),
        ("cbrt(sin(pi))", {}, 0.0),
        ("mod(0.3, 0.1)", {}, 0.0),
        ("exp(-1e9)", {}, 0.0),
        ("4**1.5 + (1/8)**(1/3)", {}, 8.5),
    ],
)
def test_truth_is_exact(text: str, inputs: dict[str, float], expected: float) -> None:
    assert evaluate_exact(parse_infix(text), inputs) == expected


@pytest.mark.parametrize(
    "text", ["step(sin(pi))", "1/sin(pi)", "exp(1000)", "exp(exp(exp(exp(9))))"]
)
def test_truth_that_cannot_be_decided_is_refused(text: str) -> None:
    with pytest.raises(UndefinedValueError):
        evaluate_exact(parse_infix(text), {})
