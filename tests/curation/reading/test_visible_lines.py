"""Long packets are shown in part by a fixed rule, under the numbers of the whole packet."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.chat import Reply, Request, Result
from lawsmith.curation.admission.gates import admit_draft
from lawsmith.curation.reading.extraction import ExtractionConversation, extraction_conversation
from lawsmith.curation.reading.prompting import load_prompt, packet_values, response_schema
from lawsmith.curation.reading.visible_lines import INSTRUCTIONS, Shown, hidden_anchors, shown_lines
from lawsmith.curation.review.card_review import CardReview, card_review_conversation
from lawsmith.curation.review.requests import ReviewTerms
from lawsmith.errors import InputError
from schemas.card import CardDraft, ExtractionReply
from schemas.packet import Packet
from schemas.source import Paper, ReasonCode

Data = dict[str, Any]
ReplyOf = Callable[..., Reply]
FILLER = "Nothing is measured in this sentence, and nothing follows from it at all."
LIMIT = 22_000
"""Tokens; after what is set aside, 7,500 characters of packet are shown."""


@pytest.fixture
def long_packet(packet_of: Callable[..., Packet], lines: tuple[str, ...]) -> Packet:
    """The small paper behind 400 lines of prose, with a list of references at the end."""
    talk = (FILLER,) * 400
    references = tuple(f"[{n}] A. Author, fit, fits, a = 1.5 ± 0.2 (1991)" for n in range(30))
    made = packet_of(talk + lines + references)
    sections = ("Introduction",) * 400 + ("Results",) * len(lines) + ("References",) * 30
    return made.model_copy(update={"sections": sections})


def moved(data: Data, by: int) -> Data:
    """A draft whose anchors stand that many lines further on."""

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            if "first_line" in part:
                part["first_line"] += by
                part["last_line"] += by
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    made: Data = json.loads(json.dumps(data))
    walk(made)
    return made


def test_what_fits_is_shown_whole(packet: Packet) -> None:
    for limit in (None, LIMIT):
        assert shown_lines(packet, limit) == Shown(((1, 13),), 13)
    assert packet_values(packet, shown_lines(packet, LIMIT)) == packet_values(packet)


def test_title_first_then_the_best_evidence_and_references_last(long_packet: Packet) -> None:
    shown = shown_lines(long_packet, LIMIT)
    assert shown.holds(1, 40)
    assert shown.holds(401, 413)
    assert not shown.holds(414, 414)
    assert shown == shown_lines(long_packet, LIMIT)
    text = packet_values(long_packet, shown)["packet_lines"]
    assert len(text) <= (LIMIT - LIMIT // 4) * 3 - INSTRUCTIONS
    assert "\n409| j = (b0 + b1 (v/v0)^0.62) D/(D + Dh)   (1)\n" in text
    for first, last in shown.gaps:
        assert f"[lines {first}-{last} left out]" in text.split("\n")
        assert f"\n{first}| " not in text
    numbers = {n for first, last in (*shown.spans, *shown.gaps) for n in range(first, last + 1)}
    assert numbers == set(range(1, len(long_packet.lines) + 1))


def test_a_limit_without_room_says_so(packet: Packet) -> None:
    with pytest.raises(InputError, match=r"calls\.max_input_tokens"):
        shown_lines(packet, 8_000)


def test_the_instructions_leave_room_for_a_card() -> None:
    for name in ("extractor", "extractor_revision", "reviewer_card", "reviewer_case"):
        prompt = load_prompt(name)
        text = f"{prompt.system}{prompt.user}{response_schema(ExtractionReply)}"
        assert len(text) + 12_000 < INSTRUCTIONS


@pytest.fixture
def talk(long_packet: Packet) -> ExtractionConversation:
    return extraction_conversation(long_packet, max_input_tokens=LIMIT)


def test_anchors_in_a_gap_are_refused(
    talk: ExtractionConversation, data: Data, reply_of: ReplyOf, long_packet: Packet, paper: Paper
) -> None:
    request = talk.step([])
    assert isinstance(request, Request)
    assert "-400 left out]" in request.messages[-1].text
    at_gap = {"first_line": 300, "last_line": 300, "quote": FILLER[:36], "support": "said"}
    good = moved(data, 400)
    bad = {**good, "mechanisms": [{"statement": "Nothing is measured", "anchors": [at_gap]}]}
    for draft, codes in ((good, set()), (bad, {ReasonCode.ANCHOR_INVALID})):
        step = talk.step([reply_of({"cards": [draft], "none_reason": None, "near_misses": []})])
        assert isinstance(step, Result)
        assert "lines shown" in step.value.sentence
        found = admit_draft(
            step.value.cards[0],
            long_packet,
            card_id="sample:0001/r1",
            paper=paper,
            extractor="reader-a",
            prompt_sha256="0" * 64,
            shown=step.value.shown,
        )
        assert {reason.code for reason in found.reasons} == codes
        assert (found.card is None) == bool(codes)


def test_a_quote_that_code_finds_in_a_gap_is_refused(
    data: Data, draft_of: Callable[[Data], CardDraft], long_packet: Packet
) -> None:
    draft = draft_of(moved(data, 400))
    hidden = Shown(((1, 403), (405, 443)), 443)
    paths = [reason.path for reason in hidden_anchors(draft, hidden)]
    assert paths == ["/controls/1/anchors/0", "/sampling_anchors/0"]
    assert hidden_anchors(draft, None) == ()


def test_the_reviewer_reads_the_same_lines_and_those_of_the_card(
    data: Data, draft_of: Callable[[Data], CardDraft], long_packet: Packet, paper: Paper,
    reply_of: ReplyOf,
) -> None:  # fmt: skip
    data["mechanisms"] = [{"statement": "Nothing is measured", "anchors": []}]
    draft = moved(data, 400)
    at_gap = {"first_line": 300, "last_line": 301, "quote": FILLER[:36], "support": "said"}
    draft["mechanisms"][0]["anchors"] = [at_gap]
    card = admit_draft(
        draft_of(draft),
        long_packet,
        card_id="sample:0001/r1",
        paper=paper,
        extractor="reader-a",
        prompt_sha256="0" * 64,
    ).card
    assert card is not None
    terms = ReviewTerms(max_input_tokens=LIMIT)
    review = card_review_conversation(card, draft_of(draft), long_packet, paper, terms)
    request = review.step([])
    assert isinstance(request, Request)
    shown = request.messages[-1].text
    extracted = extraction_conversation(long_packet, max_input_tokens=LIMIT).shown
    assert "\n300| " in shown
    assert "\n299| " not in shown
    for first, last in extracted.spans:
        assert all(f"\n{n}| " in shown for n in range(first, last + 1))
    criterion = {"criterion": "source", "verdict": "unclear", "reason": "there"}
    place = {"first_line": 200, "last_line": 200, "quote": FILLER[:36]}
    reply = {"criteria": [criterion | place], "decision": "reject", "changes": None}
    again = review.step([reply_of(reply, "reader-b")])
    assert isinstance(again, Request | CardReview)
    assert isinstance(again, Request)
    said = again.messages[-1].text
    assert "$.criteria[0].first_line: lines 200-200 were left out of what you read" in said
