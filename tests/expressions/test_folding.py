"""Zero terms of a law."""

import pytest

from lawsmith.expressions import parse_infix, to_infix, without_zeros
from lawsmith.expressions.shortness import literals_of


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("a*x + 0*y", "a*x"),
        ("a*(1 + 0*y)", "a"),
        ("0 - x", "-x"),
        ("x - 0", "x"),
        ("x*exp(-0*t)", "x"),
        ("0*x/(a + b)", "0"),
        ("(x/1)**1", "x"),
        ("2*3*x", "2*3*x"),
    ],
)
def test_zero_terms_are_left_out(text: str, short: str) -> None:
    assert to_infix(without_zeros(parse_infix(text))) == short


def test_numbers_of_an_exponent_that_varies_are_constants() -> None:
    found = literals_of(parse_infix("2.5*10**(4.1375 - 0.95*x)*y**0.62"))
    assert found.constants == (2.5, 4.1375, 0.95)
    assert found.exponents == (0.62,)
    assert found.short
