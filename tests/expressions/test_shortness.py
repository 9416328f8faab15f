"""Which laws can be written down from short numbers."""

import pytest

from lawsmith.expressions import parse_infix
from lawsmith.expressions.shortness import digits_of, literals_of


@pytest.mark.parametrize(
    ("law", "short"),
    [
        ("acos(-1)*0.001**2/(4*1.1e-06)*x", True),
        ("0.7139983303613167*x", False),
        ("x*log(2)/8.0252", True),
        ("1.380649e-23*x", False),
        ("x**0.855", True),
        ("x**0.8551", False),
        ("x**(1/3)", True),
        ("2.5*x + 0.123456*0*x", True),
        ("x", True),
    ],
)
def test_short_laws(law: str, short: bool) -> None:
    assert literals_of(parse_infix(law)).short is short


def test_digits_are_significant_ones() -> None:
    assert [digits_of(x) for x in (0.00120, 9.80665, 1e22, -340.0, 0.5)] == [2, 6, 1, 2, 1]
    with pytest.raises(TypeError, match="no literal"):
        digits_of(parse_infix("x"))
