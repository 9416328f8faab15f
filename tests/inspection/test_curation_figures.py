"""Figures of curation: what a card costs, and papers' words as Markdown that does nothing."""

from typing import TYPE_CHECKING

import pytest

from lawsmith.gateways.models.ledger_reading import CallSeen
from lawsmith.inspection.card_sheets import figures_shown, sheets
from lawsmith.inspection.curation_figures import card_figures, cost_per_card
from lawsmith.inspection.plain_text import markdown_code, markdown_text, one_line

if TYPE_CHECKING:
    from tests.conftest import MainJob


def call(usd: float | None) -> CallSeen:
    return CallSeen(
        *("extractor", "packet", "folder:av1/pdf/0", 0, 0, "openai/m", "done", 100, usd, "", None)
    )


def test_an_unknown_price_is_never_a_zero() -> None:
    assert cost_per_card([call(0.2), call(0.4)], 3, 0).startswith("0.2000 USD for each of 3")
    said = cost_per_card([call(0.6), call(None)], 3, 0)
    assert said.startswith("unknown: 1 of 2 calls have no known price")
    assert "0.2000 USD" in said
    assert cost_per_card([call(None)], 0, 0) == "no card is accepted yet; unknown USD so far"
    replayed = cost_per_card([], 6, 21)
    assert replayed.startswith("none: no live model was asked for 6 accepted cards")
    assert "21 replies are replayed" in replayed


def test_the_figures_of_the_sample(main_job: "MainJob") -> None:
    figures = card_figures(main_job.home.context())
    assert [count for _, count in figures.funnel] == [9, 9, 9, 7, 7, 6, 6, 6, 6]
    assert figures.reasons == (
        ("cards", "no_executable_relation", 2, 0),
        ("cards", "dimension_mismatch", 1, 1),
    )
    assert [(row[0], row[1], row[4]) for row in figures.costs] == [
        ("extractor", "0", "9"),
        ("reviewer", "0", "12"),
    ]
    shown = figures_shown(figures)
    assert shown["funnel"].startswith("![funnel](data:image/png;base64,")


def test_three_cards_are_shown_one_of_them_refused(main_job: "MainJob") -> None:
    shown = sheets(main_job.home.context())
    assert list(shown) == ["card sample:0001/r1", "card sample:0002/r1", "card sample:0005/r1"]
    for text in shown.values():
        assert "![formula](data:image/png;base64," in text
        assert "\n| parameter |" in text
    assert "- **gate** dimension\\_mismatch" in shown["card sample:0005/r1"]
    assert "9 of 9" in shown["card sample:0001/r1"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a|b", r"`a\|b`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("<img src=x onerror=alert(1)>", "`<img src=x onerror=alert(1)>`"),
        ("", "` `"),
    ],
)
def test_code_spans_hold_any_text(text: str, code: str) -> None:
    assert markdown_code(text) == code


def test_markdown_is_shown_not_obeyed() -> None:
    assert markdown_text("![x](http://a)") == r"\!\[x\]\(http://a\)"
    assert markdown_text("**a** <b> a|b\n# c") == r"\*\*a\*\* \<b\> a\|b \# c"


def test_steering_characters_are_made_visible() -> None:
    assert one_line("a\x1b[2J\x9b\u202eb\u200b\tc\nd") == r"a\x1b[2J\x9b\u202eb\u200b c d"
    assert one_line("µ ≤ Ω — “x”") == "µ ≤ Ω — “x”"
