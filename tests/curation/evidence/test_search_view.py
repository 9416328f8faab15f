"""Quotes in folded text: typography folds, words and numbers do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.curation.evidence.search_view import NearMiss, SearchView, Span, fold, lost_exponents
from tests.curation.conftest import make_packet


def _view(text: str) -> SearchView:
    return SearchView(make_packet(tuple(text.split("\n"))))


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("the coeﬃcient of drag", "coefficient of drag", (1, 1)),
        ("the coefficient of dif-\nfusion D is", "coefficient of diffusion D", (1, 2)),
        ("the self-\ndiffusivity D", "self-diffusivity D", (1, 2)),
        ("well‐known result", "well-known result", (1, 1)),
        ("T rises\nby 3 K  per\nhour here", "rises by 3 K per hour", (1, 3)),
        ("when r →∞, g →1.", "r → ∞, g → 1", (1, 1)),
        ("a slope of −18 ± 2", "slope of -18 ± 2", (1, 1)),
        ("the “cold” wall’s heat", '"cold" wall\'s heat', (1, 1)),
        ("rate v^0.62 found", "rate v0.62 found", (1, 1)),
        ("ages of the Sun^13. This", "ages of the Sun", (1, 1)),
        ("D =\u00a03 µm", "D = 3 μm", (1, 1)),
        ("caf\u00e9 table", "cafe\u0301 table", (1, 1)),
        ("ratio x-\n3 holds", "ratio x-3 holds", (1, 2)),
        ("a one\ntwo three\nfour", "two three", (2, 2)),
        ("D = 6.3 × 10^−4 m s^−1", "6.3 × 10⁻⁴ m s⁻¹", (1, 1)),
        ("D = 6.3 × 10⁻⁴ m s⁻¹", "6.3 × 10^-4 m s^-1", (1, 1)),
        ("D = 6.3 × 10^−4 m s^−1", "6.3 × 10−4 m s−1", (1, 1)),
        ("a rate of 3 x 10^7 per day", "3 × 10^7 per day", (1, 1)),
        ("a rate of 3·10^7 per day", "3 × 10^7 per day", (1, 1)),
        ("a load of 1,000 kg", "load of 1 000 kg", (1, 1)),
        ("a load of 1\u2009000 kg", "load of 1,000 kg", (1, 1)),
        ("a load of 1,000 kg", "load of 1000 kg", (1, 1)),
        ("a load of 12'345'678 kg", "12,345,678 kg", (1, 1)),
        ("between 10–20 K", "between 10-20 K", (1, 1)),
        ("between 10–\n20 K", "between 10-20 K", (1, 2)),
        ("of x² and", "of x^2 and", (1, 1)),
    ],
)
def test_typography_does_not_hide_a_quote(text: str, quote: str, expected: tuple[int, int]) -> None:
    assert _view(text).find(quote) == [Span(*expected)]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("the drag does not scale with Re", "does scale with Re"),
        ("the drag does not scale with Re", "does ... scale with Re"),
        ("a value of 31.25 m", "1.25 m"),
        ("a value of 31.25 m", "31.2"),
        ("a value of 31.25 m", "31"),
        ("ratio x-\n3 holds", "ratio x3 holds"),
        ("ratio x-\n3 holds", "ratio x 3 holds"),
        ("from 10-\n20 K", "1020"),
        ("F = kT-mu x", "F = kTmux"),
        ("a notable effect", "a not able effect"),
        ("a rate of 106 per day", "rate of 10^6 per day"),
        ("a rate of 106 per day", "rate of 10⁶ per day"),
        ("a rate of 10^6 per day", "rate of 106 per day"),
        ("a rate of 10^6 per day", "a rate of 10"),
        ("a rate of 10^6 per day", "6 per day"),
        ("energy m c2 here", "energy m c^2 here"),
        ("a load of 1,200 kg", "200 kg"),
        ("the row 5 100", "row 5100"),
        ("the row 5100", "row 5 100"),
        ("steps of 1,0000 kg", "of 10000 kg"),
        ("The Drag", "the drag"),
        ("anything", ""),
        ("anything", " \n"),
    ],
)
def test_other_words_and_numbers_are_not_found(text: str, quote: str) -> None:
    assert _view(text).find(quote) == []


def test_a_broken_word_is_found_with_its_hyphen_and_a_space() -> None:
    view = _view("it merely plots equa\u2010\ntions of a calculus; pre- and postnatal")
    assert view.find("plots equa\u2010 tions of") == view.find("plots equations of") == [Span(1, 2)]
    assert view.find("pre- and postnatal") == [Span(2, 2)]
    assert view.find("equa\u2010 tion") == []


def test_every_place_counts_once() -> None:
    view = _view("k = 3 here, k = 3 there\nnothing\nk = 3 again")
    assert view.find("k = 3") == [Span(1, 1), Span(3, 3)]


_WORDS = st.sampled_from(["alpha", "beta", "coefﬁcient", "3.5", "−2", "x^2", "self-made", "(a)"])
_LINES = st.lists(st.lists(_WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=5)


@given(_LINES, st.data())
def test_whole_lines_are_found_where_they_stand(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    quote = " ".join(lines[first - 1 : last])
    assert Span(first, last) in _view("\n".join(lines)).find(quote)


@given(_LINES)
def test_folding_twice_is_folding_once(lines: list[str]) -> None:
    once = fold("\n".join(lines))
    assert fold(once) == once


def test_a_lost_exponent_is_said_and_not_guessed() -> None:
    view = _view("nothing\na rate of 106 per day\na rate of 10^5 per hour")
    assert view.near("a rate of 10^6 per day") == [
        NearMiss(Span(2, 2), "the packet shows no exponent where the quote has one")
    ]
    assert view.near("a rate of 105 per hour") == [
        NearMiss(Span(3, 3), "the quote has no exponent where the packet shows one")
    ]
    assert view.near("a rate of 106 per day") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("about 6.02 × 1023 per mole", ("6.02 × 1023",)),
        ("D was 3·10-4 m", ("3·10-4",)),
        ("a step of 10−3 s", ("10−3",)),
        ("counts (x 109) a day", ("(x 109",)),
        ("about 6.02 × 10^23 per mole", ()),
        ("a grid of 1024 × 1024 cells", ()),
        ("a grid of 64 × 100 cells", ()),
        ("from 10–20 K and 10-20 K", ()),
        ("of 3 × 10 m and 3 × 100 m", ()),
        ("of 3 × 10.5 m", ()),
        ("α/2 × 100% of it", ()),
        ("v10−3 and (2)10−3", ()),
        ("pages 40(10-11)", ()),
    ],
)
def test_what_looks_like_a_lost_exponent(text: str, expected: tuple[str, ...]) -> None:
    assert lost_exponents(text) == expected
    assert _view(f"first\n{text}").doubtful(1, 2) == expected
    assert _view(f"first\n{text}").doubtful(1, 1) == ()
