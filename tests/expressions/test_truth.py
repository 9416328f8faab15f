"""Truth is the float64 nearest to the exact value: proven against mpmath at 80 digits and more."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, evaluate_exact, parse_infix
from schemas.expression import ARITIES, Expression, Op, Var

DIGITS = 80


def _log(base: int) -> Callable[[Any], Any]:
    return lambda a: mpmath.log(a) / mpmath.log(base)


REFERENCE: dict[str, Callable[..., Any]] = {
    "add": lambda *a: mpmath.fsum(a),
    "mul": lambda *a: mpmath.fprod(a),
    "min": min,
    "max": max,
    "sub": lambda a, b: a - b,
    "div": lambda a, b: a / b,
    "pow": mpmath.power,
    "atan2": mpmath.atan2,
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": mpmath.sqrt,
    "cbrt": lambda a: mpmath.sign(a) * mpmath.cbrt(abs(a)),
    "log10": _log(10),
    "log2": _log(2),
}
SMOOTH = sorted(set(ARITIES) - {"floor", "ceil", "round", "sign", "step", "mod"})
EXTREMES = st.sampled_from(
    [5e-324, 1e-308, 1e-160, 1e-20, 1e-9, 0.999999999, 1.0, 1.0000000001, 709.7, 1e6, 1e20, 1e300]
)
NUMBERS = st.floats(-30, 30) | st.floats(0.01, 5) | EXTREMES | EXTREMES.map(lambda x: -x)


def _reference(name: str) -> Callable[..., Any]:
    return REFERENCE.get(name) or getattr(mpmath, name)


def _exact(value: float) -> Any:
    fraction = Fraction(repr(value))
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def _nearest(value: Any) -> float:
    """The float64 nearest to a number of mpmath, subnormal ones rounded once too."""
    sign, mantissa, exponent, bits = value._mpf_
    if exponent + bits < -1100:
        return 0.0
    return float(Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** exponent)


def _truth(law: Expression, inputs: dict[str, float]) -> float | None:
    try:
        return evaluate_exact(law, inputs)
    except UndefinedValueError:
        return None


@pytest.mark.parametrize("name", SMOOTH)
@settings(deadline=None)
@given(data=st.data())
def test_every_operator_is_rounded_correctly(name: str, data: st.DataObject) -> None:
    fewest, most = ARITIES[name]
    count = data.draw(st.integers(fewest, most or 3))
    values = [x + 0.0 for x in data.draw(st.lists(NUMBERS, min_size=count, max_size=count))]
    if name == "pow" and data.draw(st.booleans()):
        values[1] = float(data.draw(st.integers(-6, 6)))
    names = [f"x{i}" for i in range(count)]
    law = Op(name, tuple(Var(n) for n in names))
    found = _truth(law, dict(zip(names, values, strict=True)))
    assume(found is not None)
    assert found is not None
    # Far from 1 the argument of a sine loses its leading digits: they are added.
    with mpmath.workdps(DIGITS + 320):
        value = _reference(name)(*[_exact(x) for x in values])
        assert found == _nearest(value)
        assert math.copysign(1.0, found) == 1.0 or found < 0.0


ULPS = {"pow": 4.0} | dict.fromkeys(("sub", "div", "sqrt", "neg", "abs", "min", "max"), 0.5)


@pytest.mark.parametrize("name", SMOOTH)
@settings(deadline=None)
@given(data=st.data())
def test_float64_values_are_near_the_value_of_the_very_floats(
    name: str, data: st.DataObject
) -> None:
    fewest, most = ARITIES[name]
    numbers = st.floats(-30, 30) | st.floats(0.01, 5) | st.sampled_from([0.5, -2.0, 3.0, 1.0])
    values = data.draw(st.lists(numbers, min_size=fewest, max_size=most or 2))
    names = [f"x{i}" for i in range(len(values))]
    law = Op(name, tuple(Var(n) for n in names))
    try:
        found = compile_expression(law)(dict(zip(names, values, strict=True)))
    except UndefinedValueError:
        return
    with mpmath.workdps(DIGITS + 320):
        value = _nearest(_reference(name)(*[mpmath.mpf(x) for x in values]))
    assert abs(float(found) - value) <= max(1.0, ULPS.get(name, 3.5)) * np.spacing(abs(value))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("floor", mpmath.floor),
        ("ceil", mpmath.ceil),
        ("round", mpmath.nint),
        ("sign", mpmath.sign),
        ("step", lambda a: mpmath.mpf(a > 0)),
    ],
)
@given(value=NUMBERS | st.integers(-9, 9).map(lambda n: n / 2))
def test_jumps_are_exact(name: str, function: Any, value: float) -> None:
    with mpmath.workdps(400):
        expected = float(function(_exact(value + 0.0)))
    law = Op(name, (Var("x"),))
    assert evaluate_exact(law, {"x": value}) == expected
    assert compile_expression(law)({"x": value}) == expected


@given(st.floats(-1e9, 1e9), st.floats(-1e3, 1e3))
def test_mod_is_exact_and_has_the_sign_of_the_divisor(a: float, b: float) -> None:
    assume(abs(b) > 1e-9)
    x, y = Fraction(repr(a)), Fraction(repr(b))
    found = evaluate_exact(Op("mod", (Var("a"), Var("b"))), {"a": a, "b": b})
    assert found == float(x - y * math.floor(x / y))
    assert found * b >= 0.0


@settings(deadline=None)
@given(
    st.floats(0.1, 9).map(lambda x: round(x, 4)),
    st.floats(0.1, 9).map(lambda x: round(x, 4)),
    st.integers(1, 12),
)
def test_cancellation_takes_no_digits(x: float, y: float, zeros: int) -> None:
    law = parse_infix(f"(exp(x + 1e-{zeros}) - exp(x))/1e-{zeros} - sqrt(y)*log(y + x)")
    with mpmath.workdps(DIGITS):
        a, b, h = _exact(x), _exact(y), mpmath.mpf(10) ** -zeros
        value = (mpmath.exp(a + h) - mpmath.exp(a)) / h - mpmath.sqrt(b) * mpmath.log(b + a)
        assert evaluate_exact(law, {"x": x, "y": y}) == _nearest(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Halfway between two floats, exactly: to even.
        ("9007199254740992 + 1", 9007199254740992.0),
        ("9007199254740992 + 3", 9007199254740996.0),
        ("9007199254740992 + 1 + 1e-300", 9007199254740994.0),
        ("9007199254740992 + 3 - 1e-300", 9007199254740994.0),
        ("2**-1074/2", 0.0),
        ("2**-1074*3/2", 1e-323),
        ("2**-1074/2 + 2**-1100", 5e-324),
        ("-(2**-1074/2)", 0.0),
        ("1 + 2**-53", 1.0),
        ("1 + 3*2**-53", 1.0 + 2**-51),
        ("1 + 2**-53 + 2**-900", 1.0 + 2**-52),
        # A root or a power of fractions that is a fraction is known to be one.
        ("sqrt((9007199254740992 + 1)**2)", 9007199254740992.0),
        ("9007199254740992 + cbrt(27)", 9007199254740996.0),
        ("9007199254740992 + log2(8)", 9007199254740996.0),
        ("9007199254740992 + cos(0)", 9007199254740992.0),
        # The largest number, and what rounds to it.
        ("1.7976931348623157e308 + 1e291", 1.7976931348623157e308),
        ("sin(1e22)", -0.8522008497671888),
    ],
)
def test_ties_and_ends_are_rounded_once(text: str, expected: float) -> None:
    assert evaluate_exact(parse_infix(text), {}) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(709.7827128933)", lambda: mpmath.exp(mpmath.mpf("709.7827128933"))),
        ("exp(-745.1)", lambda: mpmath.exp(mpmath.mpf("-745.1"))),
        ("tan(355/226)", lambda: mpmath.tan(mpmath.mpf(355) / 226)),
        ("1/sin(355)", lambda: 1 / mpmath.sin(355)),
        ("exp(exp(5))*exp(-exp(5) + 1e-9)", lambda: mpmath.exp(mpmath.mpf("1e-9"))),
        ("log(1 + 1e-300)*1e300", lambda: mpmath.mpf(1) - mpmath.mpf("5e-301")),
    ],
)
def test_steep_places_lose_no_digit(text: str, value: Callable[[], Any]) -> None:
    with mpmath.workdps(DIGITS):
        assert evaluate_exact(parse_infix(text), {}) == _nearest(value())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        # A tie by roots that is not seen to be exact: no digit decides it, so it is refused.
        ("9007199254740992 + sqrt(2)*sqrt(2)/2", "cannot be decided"),
        ("floor(sqrt(2)**2)", "cannot be decided"),
        ("1.7976931348623157e308 + 2e292", "no finite real value"),
        ("sqrt(sin(pi))", "cannot be decided"),
        ("(sin(1)**2 + cos(1)**2 - 2)**0.5", "no finite real value"),
        ("exp(709.782712893384)", "no finite real value"),
    ],
)
def test_what_is_undefined_or_undecidable_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UndefinedValueError, match=problem):
        evaluate_exact(parse_infix(text), {})
