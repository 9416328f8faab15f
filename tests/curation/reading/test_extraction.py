"""Extraction: a pure function of its replies, repairs of form only, and stable card numbers."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.chat import Reply, Request, Result
from lawsmith.curation.reading.extraction import (
    Extraction,
    NumberedCard,
    extraction_conversation,
    number_cards,
)
from lawsmith.curation.reading.prompting import prompt_hash
from schemas.card import CardDraft, ExtractionReply
from schemas.packet import Packet
from schemas.source import ReasonCode

Data = dict[str, Any]
ReplyOf = Callable[..., Reply]


def _result(step: Request | Result[Extraction]) -> Extraction:
    assert isinstance(step, Result)
    return step.value


def _request(step: Request | Result[Extraction]) -> Request:
    assert isinstance(step, Request)
    return step


def test_the_first_request_names_packet_and_prompt(packet: Packet) -> None:
    request = _request(extraction_conversation(packet, max_tokens=900).step([]))
    assert request.key == ("extractor", "packet", packet.id, 0, 0)
    assert request.prompt_sha256 == prompt_hash("extractor")
    assert request.packet_sha256 == packet.text_sha256
    assert request.max_tokens == 900
    assert request.response_schema == ExtractionReply.model_json_schema()
    assert "9| j = (b0 + b1 (v/v0)^0.62) D/(D + Dh)   (1)" in request.messages[-1].text
    assert request == extraction_conversation(packet, max_tokens=900).step([])


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```"])
def test_a_whole_reply_gives_cards(
    packet: Packet, data: Data, reply_of: ReplyOf, fence: str
) -> None:
    text = fence.replace(
        "{}", json.dumps({"cards": [data], "none_reason": None, "near_misses": []})
    )
    found = _result(extraction_conversation(packet).step([reply_of(text)]))
    assert (found.reason, found.outcome, found.repairs) == (ReasonCode.OK, "passed", 0)
    assert found.cards[0].relations[0].readout == "j"
    assert found.model == "reader-a"


def test_no_relation_is_an_answer(packet: Packet, reply_of: ReplyOf) -> None:
    reply = reply_of(
        {"cards": [], "none_reason": "only a proportionality is supported", "near_misses": []}
    )
    found = _result(extraction_conversation(packet).step([reply]))
    assert found.reason is ReasonCode.NO_EXECUTABLE_RELATION
    assert found.outcome == "rejected"
    assert found.sentence == "only a proportionality is supported"


@pytest.mark.parametrize(
    ("spoil", "path"),
    [
        (lambda d: d["controls"][0].pop("unit"), "$.cards[0].controls[0].unit: Field required"),
        (lambda d: d["controls"][1].update(low="0.3"), "$.cards[0].controls[1].low"),
        (lambda d: d.update(note="mine"), "$.cards[0].note"),
        (lambda d: d["relations"][0].update(status="exact"), "$.cards[0].relations[0].status"),
        (lambda d: d["parameters"][0]["anchors"][0].update(first_line=1.5), ".first_line"),
    ],
)
def test_faults_of_form_go_back_with_their_path(
    packet: Packet, data: Data, reply_of: ReplyOf, spoil: Callable[[Data], Any], path: str
) -> None:
    sound = {"cards": [json.loads(json.dumps(data))], "none_reason": None, "near_misses": []}
    spoil(data)
    bad = reply_of({"cards": [data], "none_reason": None, "near_misses": []})
    talk = extraction_conversation(packet)
    repair = _request(talk.step([bad]))
    assert repair.round == 1
    assert repair.prompt_sha256 == prompt_hash("extractor", "extractor_repair")
    assert [m.role for m in repair.messages] == ["system", "user", "assistant", "user"]
    assert repair.messages[2].text == bad.text
    assert path in repair.messages[3].text
    found = _result(talk.step([bad, reply_of(sound)]))
    assert (found.reason, found.repairs) == (ReasonCode.OK, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Here you are: {}", "not one JSON value"),
        ('{"cards": [], "cards": [], "none_reason": "x", "near_misses": []}', "stands twice"),
        ('{"cards": [], "none_reason": NaN}', "NaN"),
        ('{"cards": [], "none_reason": 1e400}', "$"),
        ('{"cards": [], "none_reason": null, "near_misses": []}', "either cards or a none_reason"),
        ("[" * 5000, "$"),
    ],
)
def test_loose_json_is_refused(packet: Packet, reply_of: ReplyOf, text: str, said: str) -> None:
    repair = _request(extraction_conversation(packet).step([reply_of(text)]))
    assert said in repair.messages[-1].text


def test_two_repairs_and_no_more(packet: Packet, reply_of: ReplyOf) -> None:
    talk = extraction_conversation(packet)
    bad = reply_of("no json")
    assert _request(talk.step([bad, bad])).round == 2
    found = _result(talk.step([bad, bad, bad]))
    assert (found.reason, found.outcome) == (ReasonCode.UNUSABLE_REPLY, "failed")


def test_a_cut_off_reply_is_never_parsed(packet: Packet, data: Data, reply_of: ReplyOf) -> None:
    whole = {"cards": [data], "none_reason": None, "near_misses": []}
    found = _result(extraction_conversation(packet).step([reply_of(whole, finish_reason="length")]))
    assert (found.reason, found.outcome) == (ReasonCode.TRUNCATED_REPLY, "failed")
    assert found.cards == ()


def test_a_filtered_reply_is_unusable(packet: Packet, reply_of: ReplyOf) -> None:
    found = _result(
        extraction_conversation(packet).step([reply_of("{}", finish_reason="content_filter")])
    )
    assert found.reason is ReasonCode.UNUSABLE_REPLY


def test_facts_are_not_handed_back(packet: Packet, data: Data, reply_of: ReplyOf) -> None:
    data["parameters"][1]["value"] = 0.14
    found = _result(
        extraction_conversation(packet).step(
            [reply_of({"cards": [data], "none_reason": None, "near_misses": []})]
        )
    )
    assert found.reason is ReasonCode.OK


def _drafts(
    data: Data, draft_of: Callable[[Data], CardDraft], *cases: tuple[int, str]
) -> list[CardDraft]:
    drafts = []
    for line, symbol in cases:
        copy = json.loads(json.dumps(data))
        copy["relations"][0]["anchors"][0]["first_line"] = line
        copy["readouts"][0]["symbol"] = symbol
        drafts.append(draft_of(copy))
    return drafts


def test_cards_are_numbered_by_first_anchored_line(
    data: Data, draft_of: Callable[[Data], CardDraft]
) -> None:
    drafts = _drafts(data, draft_of, (9, "P"), (2, "C"))
    found = number_cards(drafts, "sample:0001")
    assert [card.card_id for card in found] == ["sample:0001/r2", "sample:0001/r1"]
    assert found[0].symbol == "P"


def test_a_card_keeps_its_number(data: Data, draft_of: Callable[[Data], CardDraft]) -> None:
    first = number_cards(_drafts(data, draft_of, (2, "C"), (9, "P")), "sample:0001")
    again = number_cards(_drafts(data, draft_of, (1, "Q"), (9, "P")), "sample:0001", first)
    assert [card.card_id for card in again] == ["sample:0001/r3", "sample:0001/r2"]
    twice = [NumberedCard("sample:0001/r1", "P", "kg/(m^2*h)")]
    found = number_cards(_drafts(data, draft_of, (5, "P"), (7, "P")), "sample:0001", twice)
    assert [card.card_id for card in found] == ["sample:0001/r1", "sample:0001/r2"]


def test_a_refusal_is_a_failure_with_its_words(packet: Packet, reply_of: ReplyOf) -> None:
    reply = reply_of("I cannot help with that.", finish_reason="content_filter")
    found = _result(extraction_conversation(packet).step([reply]))
    assert (found.reason, found.outcome) == (ReasonCode.UNUSABLE_REPLY, "failed")
    assert "declined" in found.sentence
    assert "'I cannot help with that.'" in found.sentence


def test_another_end_is_a_failure_though_the_text_is_whole(
    packet: Packet, data: Data, reply_of: ReplyOf
) -> None:
    whole = reply_of(
        {"cards": [data], "none_reason": None, "near_misses": []}, finish_reason="other"
    )
    found = _result(extraction_conversation(packet).step([whole]))
    assert (found.outcome, found.cards) == ("failed", ())


def test_an_empty_reply_is_asked_again_without_an_empty_turn(
    packet: Packet, data: Data, reply_of: ReplyOf
) -> None:
    talk = extraction_conversation(packet)
    repair = _request(talk.step([reply_of(" \n")]))
    assert repair.messages[2].text == "(no text)"
    assert "$: the reply is empty" in repair.messages[3].text
    found = _result(
        talk.step(
            [reply_of(""), reply_of({"cards": [data], "none_reason": None, "near_misses": []})]
        )
    )
    assert found.reason is ReasonCode.OK


def test_a_blank_reason_for_no_card_is_no_answer(packet: Packet, reply_of: ReplyOf) -> None:
    repair = _request(
        extraction_conversation(packet).step(
            [reply_of({"cards": [], "none_reason": " ", "near_misses": []})]
        )
    )
    assert "$.none_reason: ' '" in repair.messages[-1].text


def test_a_fault_names_path_value_and_what_is_allowed(
    packet: Packet, data: Data, reply_of: ReplyOf
) -> None:
    data["relations"][0]["status"] = "exact"
    reply = reply_of({"cards": [data], "none_reason": None, "near_misses": []})
    said = _request(extraction_conversation(packet).step([reply])).messages[-1].text
    line = next(line for line in said.split("\n") if "$.cards[0].relations[0].status" in line)
    assert "'equality'" in line
    assert "(got 'exact')" in line


def test_a_recording_with_another_prompt_says_so(
    packet: Packet, data: Data, reply_of: ReplyOf
) -> None:
    reply = reply_of({"cards": [data], "none_reason": None, "near_misses": []})
    talk = extraction_conversation(packet)
    assert not _result(talk.step([reply])).prompt_reworded
    recorded = reply.model_copy(update={"replayed": True, "reworded_prompt": True})
    assert _result(talk.step([recorded])).prompt_reworded
