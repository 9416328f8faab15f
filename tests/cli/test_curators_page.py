"""The curator's pages against the code: what they list is what there is."""

import re
from pathlib import Path
from typing import get_args

import pytest

from lawsmith.curation.admission.gate_table import FINDINGS, LIFTED
from lawsmith.curation.admission.overrides import parse_overrides
from schemas.source import Outcome, ReasonCode

DOCS = Path(__file__).resolve().parents[2] / "docs"
CURATORS = (DOCS / "curators.md").read_text(encoding="utf-8")
REASONS = (DOCS / "reasons.md").read_text(encoding="utf-8")
WORDS_OF_A_PAGE = 600


def test_every_reason_code_has_one_line_and_no_other_has() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", REASONS, re.M)
    assert [code for code, _ in rows] == [code.value for code in ReasonCode]
    for code, meaning in rows:
        assert 10 < len(meaning) <= 120, code
        assert meaning.endswith("."), code


def test_the_codes_of_admission_mean_what_its_table_says() -> None:
    section = REASONS.split("\n## Cards: admission gates\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.M)
    assert rows == [(finding.code.value, finding.meaning) for finding in FINDINGS]


def test_the_guide_has_two_pages() -> None:
    assert len(CURATORS.split()) <= 2 * WORDS_OF_A_PAGE


def test_every_outcome_is_explained() -> None:
    rows = re.findall(r"^\| (\w+) \|", CURATORS.split("\n## What to do\n")[1], re.M)
    assert rows[1:] == list(get_args(Outcome))


def test_the_example_of_overrides_is_read() -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```", CURATORS, re.M | re.S)
    assert [item.action for item in parse_overrides(example)] == ["reject", "accept"]


def test_what_an_accept_lifts_is_listed() -> None:
    (sentence,) = re.findall(r"`accept` lifts (.*?)\. It cannot", CURATORS)
    assert {ReasonCode(code) for code in re.findall(r"`(\w+)`", sentence)} == LIFTED


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (DOCS / target).exists(), target
