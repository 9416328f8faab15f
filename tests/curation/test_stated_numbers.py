"""Every way in which a paper writes a number, and what is no such number."""

from decimal import Decimal

import pytest

from lawsmith.curation.stated_numbers import numbers_in, states_number


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("slope −18 ± 2", ["-18", "2"]),
        ("6 × 10−10M", ["6e-10"]),
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


def test_a_float_is_stated_by_its_shortest_text() -> None:
    assert states_number(0.1, ["a = 0.10 m"])
    assert states_number(-2e-7, ["−2 × 10⁻⁷"])
    assert not states_number(0.1000001, ["a = 0.10 m"])
    assert not states_number(1.0, [])
