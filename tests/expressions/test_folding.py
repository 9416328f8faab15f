"""Zero terms of a law."""

import pytest

from lawsmith.expressions import parse_infix, to_infix, without_zeros


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
