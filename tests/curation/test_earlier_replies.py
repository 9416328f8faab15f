"""Recorded replies of the form before necessary properties and two-part origins are still read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lawsmith.chat import Reply, Request, Result
from lawsmith.curation.reading.extraction import (
    UnreadReply,
    extraction_conversation,
    read_extraction,
)
from schemas.card import CardDraft, ExtractionReply, Origin
from schemas.packet import Packet

Data = dict[str, Any]
SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample" / "replies.jsonl"


def earlier(data: Data, origin: str = "fitted_here") -> Data:
    """A draft without what the earlier form had no field for."""
    draft: Data = json.loads(json.dumps(data))
    for name in ("joint_choices", "necessary", "worked_values"):
        del draft[name]
    for control in draft["controls"]:
        del control["kind"], control["range_source"]
    for relation in draft["relations"]:
        relation["origin"] = origin
    return draft


def recorded(reply: Reply) -> Reply:
    return reply.model_copy(update={"replayed": True, "served_from": "replay"})


@pytest.mark.parametrize(
    ("word", "origin", "restated"),
    [
        ("derived_here", Origin(form="own", constants="own"), False),
        ("fitted_here", Origin(form=None, constants="own"), False),
        ("restated", Origin(form="taken_over", constants="taken_over"), True),
    ],
)
def test_what_was_not_asked_is_not_claimed(
    data: Data, reply_of: Callable[..., Reply], word: str, origin: Origin, restated: bool
) -> None:
    reply = reply_of({"cards": [earlier(data, word)], "none_reason": None})
    read = read_extraction(recorded(reply))
    assert isinstance(read, ExtractionReply)
    (draft,) = read.cards
    assert read.near_misses == []
    assert (draft.joint_choices, draft.necessary, draft.worked_values) == ([], [], [])
    assert {(c.kind, c.range_source) for c in draft.controls} == {(None, None)}
    assert draft.relations[0].origin == origin
    assert draft.relations[0].origin.restated is restated


def test_a_live_model_is_held_to_the_present_form(
    data: Data, packet: Packet, reply_of: Callable[..., Reply]
) -> None:
    reply = reply_of({"cards": [earlier(data)], "none_reason": None})
    read = read_extraction(reply)
    assert isinstance(read, UnreadReply)
    told = "\n".join(read.problems)
    for path in ("$.near_misses", "$.cards[0].necessary", "$.cards[0].controls[0].kind"):
        assert path in told
    assert "$.cards[0].relations[0].origin" in told
    talk = extraction_conversation(packet)
    assert isinstance(talk.step([reply]), Request)
    assert isinstance(talk.step([recorded(reply)]), Result)


def test_a_word_that_was_never_an_origin_is_refused(
    data: Data, reply_of: Callable[..., Reply]
) -> None:
    reply = recorded(reply_of({"cards": [earlier(data, "guessed")], "none_reason": None}))
    assert isinstance(read_extraction(reply), UnreadReply)


def test_every_recorded_reply_of_the_sample_is_read() -> None:
    lines = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    texts = [line["text"] for line in lines if line["role"] == "extractor"]
    assert len(texts) == 9
    for text in texts:
        reply = ExtractionReply.model_validate_json(text)
        assert ExtractionReply.model_validate_json(reply.model_dump_json()) == reply


def test_a_draft_of_the_present_form_is_left_alone(data: Data) -> None:
    draft = CardDraft.model_validate_json(json.dumps(data))
    assert draft.model_dump(mode="json") == json.loads(json.dumps(data))
