from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.errors import InputError
from lawsmith.measurement import quantise


@pytest.mark.parametrize(
    ("value", "resolution", "expected"),
    [
        (0.25, 0.1, 0.2),
        (0.35, 0.1, 0.4),
        (-0.45, 0.1, -0.4),
        (0.05, 0.02, 0.04),
        (0.07, 0.02, 0.08),
        (0.3, 0.1, 0.3),
        (7.0, 5.0, 5.0),
        (1234.5, 1.0, 1234.0),
        (-0.04, 0.1, 0.0),
        (1e300, 0.1, 1e300),
        (2.675, 0.01, 2.68),
        (123456.0, 250.0, 123500.0),
    ],
)
def test_nearest_multiple_with_ties_to_even(
    value: float, resolution: float, expected: float
) -> None:
    assert quantise(value, resolution) == expected
    assert quantise(np.array([value]), resolution)[0] == expected


def test_no_resolution_leaves_the_value() -> None:
    assert quantise(0.123456789012345, None) == 0.123456789012345


def test_zero_has_no_sign() -> None:
    assert str(quantise(-0.04, 0.1)) == "0.0"
    assert str(quantise(np.array([-0.04]), 0.1)[0]) == "0.0"


@pytest.mark.parametrize(
    ("value", "resolution"),
    [(float("nan"), 0.1), (float("inf"), None), (1.0, 0.0), (1.0, -0.1), (1.7e308, 1e308)],
)
def test_impossible_requests_are_refused(value: float, resolution: float | None) -> None:
    with pytest.raises(InputError):
        quantise(value, resolution)


_WIDE = Context(prec=800, Emax=10**6, Emin=-(10**6))


def _decimal(value: float, resolution: float) -> float:
    step = Decimal(repr(resolution))
    quotient = _WIDE.divide(Decimal(repr(value)), step)
    return float(_WIDE.multiply(quotient.to_integral_value(ROUND_HALF_EVEN), step)) + 0.0


@given(
    st.lists(
        st.one_of(
            st.floats(-1e6, 1e6),
            st.floats(-1e14, 1e14),
            st.integers(-(10**6), 10**6).map(lambda k: k / 200),
        ),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([0.1, 0.01, 0.02, 0.05, 1e-5, 1e-7, 2.5, 0.25, 3.0, 100.0, 0.003, 1e-30]),
)
def test_fast_path_agrees_with_decimal(values: list[float], resolution: float) -> None:
    rounded = quantise(np.array(values), resolution).tolist()
    assert rounded == [_decimal(v, resolution) for v in values]
    assert rounded == [quantise(v, resolution) for v in values]


@given(st.floats(-1e6, 1e6), st.sampled_from([0.1, 0.02, 1e-5, 2.5]))
def test_rounding_twice_changes_nothing(value: float, resolution: float) -> None:
    once = quantise(value, resolution)
    assert quantise(once, resolution) == once
