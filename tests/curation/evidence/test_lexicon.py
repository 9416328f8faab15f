"""Words that several gates look for, in prose as pages break it."""

import pytest

from lawsmith.curation.evidence.lexicon import ESTIMATED, FIT, is_table_head, prose


def test_prose_is_read_across_line_ends() -> None:
    assert (
        prose("Each load was com\u2010\nbined\nwith each  speed")
        == "each load was combined with each speed"
    )


@pytest.mark.parametrize("words", ["a least-squares fit", "by maximum likelihood", "regression"])
def test_words_of_a_fit(words: str) -> None:
    assert FIT.search(words)


def test_an_estimate_is_no_word_of_a_fit_by_itself() -> None:
    assert not FIT.search("estimated from the data")
    assert ESTIMATED.search("estimated from the data")


def test_a_table_head_has_two_of_its_words() -> None:
    assert is_table_head("Parameter Estimate Standard error Unit")
    assert not is_table_head("The value rose with the load")
