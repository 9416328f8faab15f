"""Human decisions are read strictly and name the person and the reason."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.curation.admission.gates import admit_draft
from lawsmith.curation.admission.overrides import (
    BY_HAND,
    Override,
    accepted_by_hand,
    override_for,
    overruled,
    parse_overrides,
    review_by_hand,
)
from lawsmith.curation.evidence.reasons import Reason, Verdict
from lawsmith.errors import InputError
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.review import CARD_CRITERIA
from schemas.source import Paper, ReasonCode

ROW = """
[[decision]]
subject = "sample:0004/r1"
action = "reject"
reason = "the prefactor was set by eye"
by = "A. Curator"
"""


def test_decisions_are_read() -> None:
    found = parse_overrides(ROW)
    assert found == (
        Override("sample:0004/r1", "reject", "the prefactor was set by eye", "A. Curator"),
    )
    assert parse_overrides("") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[decision]", "not TOML"),
        ("[[decisions]]\nsubject = 'x'", "unknown key 'decisions'"),
        ("decision = 3", "no list"),
        ("decision = [3]", "no table"),
        (ROW.replace("reject", "drop"), "action 'drop'"),
        (ROW.replace('"A. Curator"', '" "'), "by is ' '"),
        (ROW.replace("reason =", "why ="), "unknown key 'why'"),
        (ROW + ROW, "second decision"),
    ],
)
def test_loose_decisions_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_overrides(text)


def test_the_most_particular_decision_counts() -> None:
    card = Override("sample:0004/r1", "accept", "checked", "A")
    paper = Override("sample:0004", "withdraw", "retracted", "B")
    assert override_for((paper, card), "sample:0004/r1", "sample:0004") == card
    assert override_for((paper,), "sample:0004/r1", "sample:0004") == paper
    assert override_for((card,), "sample:0004/r2") is None


def test_accept_lifts_findings_of_judgement_only() -> None:
    number = Reason(ReasonCode.NUMBER_NOT_ANCHORED, "/parameters/0/value", "3 is not printed")
    quote = Reason(ReasonCode.QUOTE_NOT_FOUND, "/relations/0/anchors/0", "nowhere")
    accept = Override("x", "accept", "read in the figure", "A")
    assert overruled(Verdict(False, (number,), ()), accept).accepted
    assert overruled(Verdict(False, (number, quote), ()), accept).reasons == (quote,)


@pytest.mark.parametrize("action", ["reject", "withdraw"])
def test_reject_and_withdraw_refuse(action: str) -> None:
    verdict = overruled(Verdict(True, (), ()), Override("x", action, "retracted", "A"))  # type: ignore[arg-type]
    assert not verdict.accepted
    assert verdict.reasons[0].code is ReasonCode.OVERRIDDEN
    assert verdict.reasons[0].sentence == f"{action} by A: retracted"


@pytest.mark.parametrize(
    ("action", "decision", "verdict"),
    [
        ("accept", "accept", "supported"),
        ("reject", "reject", "unclear"),
        ("withdraw", "reject", "unclear"),
    ],
)
def test_a_persons_decision_is_a_review_that_says_so(
    action: Any, decision: str, verdict: str, data: dict[str, Any], packet: Packet, paper: Paper,
    draft_of: Callable[[dict[str, Any]], CardDraft],
) -> None:  # fmt: skip
    card = admit_draft(
        draft_of(data),
        packet,
        card_id="sample:0001/r1",
        paper=paper,
        extractor="reader-a",
        prompt_sha256="0" * 64,
    ).card
    assert card is not None
    review = review_by_hand(Override(card.id, action, "read again", "A. Curator"), card)
    assert review.id == f"sample:0001/r1/card/0{BY_HAND}"
    assert (review.reviewer, review.decision, review.same_model) == ("A. Curator", decision, False)
    assert tuple(item.criterion for item in review.criteria) == CARD_CRITERIA
    assert {item.verdict for item in review.criteria} == {verdict}
    assert {item.reason for item in review.criteria} == {f"{action} by A. Curator: read again"}
    assert review.subject_digest == card.digest
    found = accepted_by_hand(card, (review,))
    assert (found is not None and found.by == "A. Curator") == (action == "accept")
    assert accepted_by_hand(card.model_copy(update={"title": "another"}), (review,)) is None
