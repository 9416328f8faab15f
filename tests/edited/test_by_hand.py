"""What a person decides in overrides.toml stands over the reviewer, and is shown as a person's."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lawsmith.gateways.store import read_partition
from lawsmith.inspection.card_pages import CardPage
from lawsmith.inspection.explaining import explain
from lawsmith.runs.context import StageContext
from lawsmith.stages import cards, packets, reviews, sources
from lawsmith.stages.open_subjects import pending
from lawsmith.stages.reviews import accepted_cards

if TYPE_CHECKING:
    from tests.conftest import Home, Kit

AUGUST = "2026-08-24"
CARD = "sample:0002/r1"


@pytest.fixture
def home(kit: "Kit", tmp_path: Path) -> "Home":
    """An empty home over one paper, whose reviewer rejects its card."""
    data = kit.copy_data(tmp_path / "data")
    data.only("sample:0002")
    line = data.reply("reviewer", "card", CARD)
    # Edit: the reviewer doubts the status.
    review = json.loads(line["text"]) | {"decision": "reject"}
    next(c for c in review["criteria"] if c["criterion"] == "status")["verdict"] = "unclear"
    data.edit(line, json.dumps(review))
    return kit.home(tmp_path / "fresh", data)


def reviewed(home: "Home") -> StageContext:
    """The stages up to the review of cards."""
    with home.entered():
        context = home.context()
        for stage in (sources.run, packets.run, cards.run, reviews.run_card):
            stage(context, [AUGUST])
    return context


def waiting(context: StageContext) -> list[str]:
    """What is left to do up to the review of cards."""
    return [item for item in pending(context, [AUGUST]).get(AUGUST, []) if "famil" not in item]


def decide(context: StageContext, action: str | None) -> None:
    text = "" if action is None else "\n".join(
        ("[[decision]]", f'subject = "{CARD}"', f'action = "{action}"',
         'reason = "the fit is in table 2"', 'by = "A. Curator"')
    )  # fmt: skip
    context.store.overrides.write_text(text, encoding="utf-8")


def page(context: StageContext) -> CardPage:
    return next(part for part in explain(context, CARD) if isinstance(part, CardPage))


def test_a_person_overrules_the_reviewer_and_back(home: "Home") -> None:
    context = reviewed(home)
    assert home.found("reviews/card", CARD).reason_code == "reviewer_rejected"
    assert accepted_cards(context, AUGUST) == []
    (row,) = read_partition(context.store, "reviews/card", context.collection, AUGUST)
    assert str(row.extra["dissent"]).startswith("gates_accept_reviewer_rejects: status unclear")
    (disagreed,) = (s for s in page(context).sections if "disagree" in s.title)
    assert [row[1] for row in disagreed.rows] == ["passed"]
    assert waiting(context) == []

    decide(context, "accept")
    assert waiting(context) == [f"reviews/card {CARD} (decided by a person)"]
    context = reviewed(home)
    assert [card.id for card in accepted_cards(context, AUGUST)] == [CARD]
    found = home.found("reviews/card", CARD)
    assert (found.outcome, found.sentence) == (
        "passed",
        "accept by A. Curator: the fit is in table 2",
    )
    rows = read_partition(context.store, "reviews/card", context.collection, AUGUST)
    assert [row.extra["decision"] for row in rows] == ["reject", "accept"]
    seen = [(item.reviewer, item.by_hand, item.decision) for item in page(context).reviews]
    assert seen == [("reader-b (edited)", False, "reject"), ("A. Curator", True, "accept")]

    decide(context, "withdraw")
    context = reviewed(home)
    assert accepted_cards(context, AUGUST) == []
    assert home.found("reviews/card", CARD).reason_code == "overridden"

    decide(context, None)
    context = reviewed(home)
    assert home.found("reviews/card", CARD).reason_code == "reviewer_rejected"
    assert len(read_partition(context.store, "reviews/card", context.collection, AUGUST)) == 1
