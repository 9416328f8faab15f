"""Every display equation of the TeX sources at hand is read rightly or refused."""

from pathlib import Path

import pytest

from benchmarks.gold.latex import Outcome, digest_of, display_equations, labels, outcome
from lawsmith.expressions import parse_infix
from lawsmith.expressions.latex.tokens import REASONS

PAPERS = Path(__file__).resolve().parents[2].parent / "shared" / "papers"


def _equations() -> dict[str, str]:
    if not PAPERS.is_dir():
        pytest.skip(f"no TeX sources at {PAPERS}")
    return {digest_of(text): text for text in display_equations(PAPERS)}


def _outcomes(*, declared: bool) -> list[Outcome]:
    readings = labels()
    return [
        outcome(text, readings.get(digest), declared=declared)
        for digest, text in _equations().items()
    ]


@pytest.mark.parametrize("declared", [False, True])
def test_no_equation_is_read_wrongly_or_without_a_label(declared: bool) -> None:
    results = {each.result for each in _outcomes(declared=declared)}
    assert results <= {"right", *REASONS}


def test_what_a_law_can_say_is_read_once_names_are_declared() -> None:
    found = {each.digest: each.result for each in _outcomes(declared=True)}
    missed = [found[digest] for digest in labels() if found[digest] != "right"]
    # One equation has its argument in braces that are not printed.
    assert missed == ["ambiguous"]


def test_every_label_is_an_expression_of_the_language() -> None:
    for label in labels().values():
        assert parse_infix(label.right)
        assert label.left is None or parse_infix(label.left)
