import pytest

from lawsmith.expressions import parse_infix
from lawsmith.measurement.boxes import proved_finite
from schemas.card import Choices, Range
from schemas.family import FamilyControl

X = FamilyControl(name="x", symbol="x", meaning="", unit="1", domain=Range(low=0.5, high=4.0))
N = FamilyControl(
    name="n", symbol="n", meaning="", unit="1", domain=Choices(choices=(1.0, 2.0, 5.0))
)


@pytest.mark.parametrize(
    "text",
    [
        "exp(-x)/(1 + x)",
        "log(x)*n",
        "1/(x**2 - 3*x + 2.5)",  # needs bisection: its least value is 0.25
        "sqrt(x*n - 0.4)",
        "asin(x/4.5)",
    ],
)
def test_laws_without_a_gap_are_proved(text: str) -> None:
    assert proved_finite(parse_infix(text), (X, N), 1024)


@pytest.mark.parametrize(
    "text",
    [
        "1/(x - 2)",
        "log(x - 1)",
        "sqrt(x - n)",
        "1/(x**2 - 2)",  # the hole is at no binary fraction: sampling would miss it
        "asin(x)",
    ],
)
def test_laws_with_a_gap_are_never_proved(text: str) -> None:
    assert not proved_finite(parse_infix(text), (X, N), 1024)


def test_few_boxes_prove_less() -> None:
    law = parse_infix("1/(x**2 - 3*x + 2.5)")
    assert not proved_finite(law, (X,), 1)
