"""Every way in which a paper writes a number, and what is no such number."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.curation.evidence.stated_numbers import (
    Flattened,
    flattened_in,
    numbers_in,
    readings_of,
)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("slope −18 ± 2", ["-18", "2"]),
        ("6 × 10^-10 M", ["6e-10"]),
        (r"$6\times 10^{-10}$ M", ["6e-10"]),
        (r"$6\cdot10^{4}$", ["6e4"]),
        ("2.5 x 10^3", ["2.5e3"]),
        ("10⁻³ and 10^6", ["1e-3", "1e6"]),
        ("1.5e-3, 2E6", ["0.0015", "2000000"]),
        ("1.23(4) s", ["1.23", "0.04"]),
        ("12.5(13)", ["12.5", "1.3"]),
        ("10–20 K", ["10", "20"]),
        ("from 0.2 m/s to 8 m/s", ["0.2", "8"]),
        ("1,000 points", ["1000"]),
        ("200,000.5", ["200000.5"]),
        ("1 000 points", ["1000"]),
        ("1\u2009000\u2009000", ["1000000"]),
        (r"1{,}000 and 2\,500", ["1000", "2500"]),
        ("5 %", ["5", "0.05"]),
        (r"5\% and 3 percent and 2 per cent", ["0.05", "0.03", "0.02"]),
        ("0,41 and 0,125", ["0.41", "0.125"]),
        ("5 kPa", ["5", "5000"]),
        ("50 mm", ["50", "0.05"]),
        ("3 µm", ["3", "0.000003"]),
        ("x^{-0.5}", ["-0.5"]),
        ("(v/v0)^0.62", ["0.62"]),
        ("-4.9 $\\pm$ 0.2", ["-4.9", "0.2"]),
        ("x - 18", ["18", "-18"]),
        ("(-3,-5)", ["-3", "-5"]),
        ("seven air speeds, Two fans", ["7", "2"]),
        (".5", ["0.5"]),
    ],
)
def test_numbers_are_read(text: str, stated: list[str]) -> None:
    found = numbers_in([text])
    for number in stated:
        assert Decimal(number) in found, (number, found)


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("slope 218 ± 2", "-18"),
        ("slope −18", "18"),
        ("10–20 K", "-20"),
        ("10--20 K", "-20"),
        ("$10$--$20$ K", "-20"),
        ("6 × 10−10M", "6e-10"),
        ("a rate of 106 per day", "1e6"),
        ("6.02 × 1023", "6.02e23"),
        ("10−3 s", "0.001"),
        ("1.23(4)", "0.23"),
        ("31.25", "1.25"),
        ("31.25", "25"),
        ("1,000", "1"),
        ("0.87 ± 0.01", "0.78"),
        ("5 kPa", "0.005"),
        ("5 min", "0.005"),
        ("5 K", "0.05"),
        ("someone", "1"),
    ],
)
def test_what_is_not_stated_is_not_read(text: str, absent: str) -> None:
    assert Decimal(absent) not in numbers_in([text])


def test_each_number_comes_once_in_order() -> None:
    assert numbers_in(["3 and 2", "3.0 and 1"]) == [Decimal(3), Decimal(2), Decimal(1)]


def test_a_number_may_be_split_from_its_power_by_a_line_end() -> None:
    assert Decimal("6e-10") in numbers_in(["k = 6 ×", "10^-10 M"])


_PRINTED = st.one_of(
    st.integers(0, 10**9).map(str),
    st.integers(0, 10**9).map("{:,}".format),
    st.decimals(0, 10**4, places=2, allow_nan=False, allow_infinity=False).map(str),
    st.tuples(st.integers(1, 9), st.integers(-12, 12)).map(lambda pair: "{}e{}".format(*pair)),
)
_BETWEEN = st.sampled_from(
    ["–", "-", "—", "−", "\u2010", "\u2011", "--", " to ", " and ", "…", "; "]
)


def _value(printed: str) -> Decimal:
    return Decimal(printed.replace(",", ""))


@given(low=_PRINTED, high=_PRINTED, between=_BETWEEN, unit=st.sampled_from(["", " K", " min"]))
def test_a_range_has_its_two_ends_and_nothing_else(
    low: str, high: str, between: str, unit: str
) -> None:
    assert set(numbers_in([f"{low}{between}{high}{unit}"])) == {_value(low), _value(high)}


@given(low=_PRINTED, high=_PRINTED, between=st.sampled_from(["–", "-", "--", " to ", " and "]))
def test_the_unit_of_a_range_is_that_of_both_ends(low: str, high: str, between: str) -> None:
    ends = {_value(low), _value(high)}
    for unit, shift in ((" %", -2), (" kPa", 3), (" mm", -3)):
        expected = ends | {end.scaleb(shift) for end in ends}
        assert set(numbers_in([f"{low}{between}{high}{unit}"])) == expected


@given(low=_PRINTED, high=_PRINTED, between=st.sampled_from(["–", "--", " to ", " and "]))
def test_a_range_of_negative_numbers_keeps_its_signs(low: str, high: str, between: str) -> None:
    found = numbers_in([f"−{low}{between}−{high}"])
    assert set(found) == {-_value(low), -_value(high)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a rate of 106 per day", [Flattened(Decimal("1e6"), "106", "10^6")]),
        ("6.0 × 1023 of", [Flattened(Decimal("6.0e23"), "6.0 × 1023", "6.0 × 10^23")]),
        ("3·10-4 m", [Flattened(Decimal("3e-4"), "3 × 10-4", "3 × 10^-4")]),
        ("3 × 10^6 and 10⁶ and 10^-3", []),
        ("100, 10.6, 10600 and 2106", []),
    ],
)
def test_what_a_lost_exponent_would_mean(text: str, expected: list[Flattened]) -> None:
    assert flattened_in([text]) == expected


@pytest.mark.parametrize(
    ("numeral", "expected"),
    [
        ("3 × 10^6", ["3e6"]),
        ("10^6", ["1e6"]),
        ("10", ["10"]),
        ("1,000", ["1000"]),
        ("0,41", ["0", "41", "0.41"]),
        ("", []),
    ],
)
def test_a_numeral_is_read_as_a_whole(numeral: str, expected: list[str]) -> None:
    assert set(readings_of(numeral)) <= {Decimal(number) for number in expected}
    assert bool(readings_of(numeral)) is bool(expected)
