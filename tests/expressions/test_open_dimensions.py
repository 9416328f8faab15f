"""Laws with constants of unknown units: which can close, which cannot."""

import pytest

from lawsmith.expressions import parse_infix
from lawsmith.expressions.open_dimensions import closes_in_dimensions

UNITS = {"t": "s", "x": "m", "m": "kg", "T": "K"}


@pytest.mark.parametrize(
    ("law", "unit"),
    [
        ("a*exp(-t/tau)", "m"),
        ("3.2*exp(-0.7*t)", "m"),
        ("a + b*t + c*t^2", "kg"),
        ("k*x^0.75", "W"),
        ("x/t", "m/s"),
        ("sqrt(2*g*x)", "m/s"),
        ("a*log(x/x0)", "Pa"),
        ("b1/(b2 + x)^(1/b3)", "1"),
        ("min(x, c)", "m"),
        ("a*step(x - c)", "A"),
        ("x*0", "A"),
        ("a*x^b", "W"),
    ],
)
def test_closes(law: str, unit: str) -> None:
    assert closes_in_dimensions(parse_infix(law), UNITS, unit)


@pytest.mark.parametrize(
    ("law", "unit"),
    [
        ("a*exp(-t)", "m"),
        ("x + t", "m"),
        ("a*log(x)", "Pa"),
        ("x + x^2", "m"),
        ("x/t", "m"),
        ("a*x^t", "m"),
        ("a*(exp(k*x) + exp(k*t))", "1"),
        ("sin(x*k) + cos(t*k)", "1"),
        ("atan2(x, m)", "1"),
    ],
)
def test_cannot_close(law: str, unit: str) -> None:
    assert not closes_in_dimensions(parse_infix(law), UNITS, unit)
