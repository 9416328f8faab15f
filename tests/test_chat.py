import hashlib
import json
from typing import Any

import pytest
from pydantic import ValidationError

from lawsmith.chat import Message, Reply, Request, reply_json
from lawsmith.errors import InputError


def request(**changes: Any) -> Request:
    fields: dict[str, Any] = {
        "role": "extractor",
        "subject_kind": "packet",
        "subject_id": "sample:0001v1/pdf/0123456789ab",
        "revision": 0,
        "round": 0,
        "messages": (Message(role="system", text="read"), Message(role="user", text="paper")),
        "response_schema": {"type": "object"},
        "response_schema_name": "cards",
        "max_tokens": 4000,
        "temperature": 0.0,
        "prompt_sha256": "a" * 64,
        "packet_sha256": None,
    }
    return Request(**{**fields, **changes})


def reply(text: str, finish_reason: Any = "stop") -> Reply:
    return Reply(
        text=text,
        finish_reason=finish_reason,
        model="m",
        usage=None,
        cost_usd=None,
        replayed=False,
        served_from="provider",
    )


def test_the_digest_is_sha256_over_the_canonical_request_and_model() -> None:
    content = (
        '{"max_tokens":4000,"messages":[{"role":"system","text":"read"},{"role":"user",'
        '"text":"paper"}],"model":"openai/m","packet_sha256":null,"prompt_sha256":"'
        + "a"
        * 64
        + '","response_schema":{"type":"object"},"response_schema_name":"cards","revision":0,'
        '"role":"extractor","round":0,"subject_id":"sample:0001v1/pdf/0123456789ab",'
        '"subject_kind":"packet","temperature":0.0}'
    )
    expected = hashlib.sha256(f"lawsmith/request/1\n{content}".encode()).hexdigest()
    assert request().digest("openai/m") == expected


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message(role="user", text="paper"),)},
        {"response_schema": {"type": "array"}},
        {"response_schema_name": "card"},
        {"max_tokens": 4001},
        {"temperature": 0.5},
        {"temperature": None},
        {"round": 1},
        {"revision": 1},
        {"subject_id": "sample:0002v1/pdf/0123456789ab"},
        {"role": "reviewer"},
        {"packet_sha256": "c" * 64},
        {"prompt_sha256": "c" * 64},
    ],
)
def test_every_change_of_a_request_changes_its_digest(change: dict[str, Any]) -> None:
    assert request(**change).digest("m") != request().digest("m")


def test_another_model_is_another_digest() -> None:
    assert request().digest("openai/a") != request().digest("openai/b")


def test_a_request_survives_json() -> None:
    assert Request.model_validate_json(request().model_dump_json()) == request()


def test_the_key_names_the_request_in_words() -> None:
    key = request(revision=1, round=2).key
    assert str(key) == "extractor packet sample:0001v1/pdf/0123456789ab revision 1 round 2"


@pytest.mark.parametrize(
    "change",
    [
        {"response_schema": None},
        {"response_schema_name": None},
        {"messages": ()},
        {"round": -1},
        {"max_tokens": 0},
        {"subject_id": "a|b"},
        {"role": "author"},
        {"temperature": float("nan")},
    ],
)
def test_an_ill_formed_request_cannot_exist(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        request(**change)


@pytest.mark.parametrize("text", ['{"a": 1}', '```json\n{"a": 1}\n```', ' ```\n{"a": 1}\n``` \n'])
def test_one_fence_around_the_whole_reply_is_taken_off(text: str) -> None:
    assert reply_json(reply(text)) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "finish"),
    [
        ('{"a": 1}', "length"),
        ('{"a": 1}', "content_filter"),
        ('{"a": 1}', "other"),
        ('{"a": 1', "stop"),
        ('Here it is: {"a": 1}', "stop"),
        ('{"a": 1, "a": 2}', "stop"),
        ('{"a": NaN}', "stop"),
        ("", "stop"),
    ],
)
def test_halves_and_prose_are_never_parsed(text: str, finish: str) -> None:
    with pytest.raises(InputError):
        reply_json(reply(text, finish))


def test_replies_survive_json() -> None:
    given = reply(json.dumps({"a": "é"}))
    assert Reply.model_validate_json(given.model_dump_json()) == given
