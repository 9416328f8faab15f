"""How a model is asked for JSON, by what is known of it, and how each kind of reply is read."""

import json
from typing import Any

import pytest

from lawsmith.chat import Reply
from lawsmith.gateways.models.litellm_chat import LitellmAnswerer
from lawsmith.gateways.models.openai_protocol import finish_reason
from lawsmith.gateways.models.provider_errors import ProviderError

# litellm silences this at its import, which a later test's filters undo.
pytestmark = pytest.mark.filterwarnings("ignore:Item.* on TypedDict class:UserWarning")

SCHEMA_MARK = "satisfies this JSON schema"
ENVIRON = {"OPENAI_API_KEY": "sk-for-a-loopback-server"}


def answered(chat_server: Any, kit: Any, model: str) -> Reply:
    request = kit.request(
        response_schema=kit.schema, response_schema_name="numbers", temperature=None
    )
    answerer = LitellmAnswerer(model, environ=ENVIRON, api_base=chat_server.base)
    return answerer.answer([request])[0]


def raw(finish: str | None = "stop", **message: Any) -> bytes:
    """The body of a chat completion with this message."""
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}}
    choice |= {} if finish is None else {"finish_reason": finish}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps({**head, "choices": [choice]}).encode()


def tool_call(arguments: str) -> dict[str, Any]:
    function = {"name": "numbers", "arguments": arguments}
    return {"id": "call_1", "type": "function", "function": function}


def test_a_model_that_keeps_to_schemas_is_given_one(chat_server: Any, kit: Any) -> None:
    chat_server.script(kit.answer(text='{"value": 2.0}'))
    reply = answered(chat_server, kit, "openai/gpt-4o-mini")
    assert (reply.rung, reply.text, reply.finish_reason) == (
        "json_schema",
        '{"value": 2.0}',
        "stop",
    )
    body = chat_server.bodies[0]
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "numbers", "schema": kit.schema, "strict": True},
    }
    assert "tools" not in body
    assert SCHEMA_MARK not in json.dumps(body["messages"])


def test_a_model_without_schemas_is_asked_for_one_call(chat_server: Any, kit: Any) -> None:
    chat_server.script(
        kit.answer(raw=raw("tool_calls", tool_calls=[tool_call('{"value": 3.0}')])),
    )
    reply = answered(chat_server, kit, "openai/gpt-3.5-turbo")
    assert (reply.rung, reply.text, reply.finish_reason) == ("tool", '{"value": 3.0}', "stop")
    body = chat_server.bodies[0]
    assert body["tools"][0]["function"]["parameters"] == kit.schema
    assert body["tool_choice"] == {"type": "function", "function": {"name": "numbers"}}
    assert "response_format" not in body
    assert SCHEMA_MARK not in json.dumps(body["messages"])


def test_two_calls_are_no_single_answer(chat_server: Any, kit: Any) -> None:
    calls = [tool_call('{"value": 1.0}'), tool_call('{"value": 2.0}')]
    chat_server.script(kit.answer(raw=raw("tool_calls", tool_calls=calls)))
    assert answered(chat_server, kit, "openai/gpt-3.5-turbo").text.count("value") == 2


def test_a_cut_off_call_is_cut_off(chat_server: Any, kit: Any) -> None:
    chat_server.script(kit.answer(raw=raw("length", tool_calls=[tool_call('{"value": 1')])))
    assert answered(chat_server, kit, "openai/gpt-3.5-turbo").finish_reason == "length"


def test_a_model_with_json_mode_alone_gets_the_schema_in_words(chat_server: Any, kit: Any) -> None:
    chat_server.script(kit.answer(text='{"value": 4.0}'))
    reply = answered(chat_server, kit, "deepinfra/Qwen/Qwen2.5-7B-Instruct")
    assert (reply.rung, reply.text) == ("json_object", '{"value": 4.0}')
    body = chat_server.bodies[0]
    assert body["response_format"] == {"type": "json_object"}
    assert SCHEMA_MARK in body["messages"][-1]["content"]


def test_a_model_with_nothing_is_asked_in_plain_text(chat_server: Any, kit: Any) -> None:
    chat_server.script(kit.answer(text='```json\n{"value": 5.0}\n```'))
    reply = answered(chat_server, kit, "openai/gpt-3.5-turbo-16k")
    assert (reply.rung, reply.finish_reason) == ("prompt", "stop")
    body = chat_server.bodies[0]
    assert not {"response_format", "tools", "tool_choice"} & body.keys()
    assert SCHEMA_MARK in body["messages"][-1]["content"]


def test_a_refused_tool_goes_down_to_plain_text(chat_server: Any, kit: Any) -> None:
    chat_server.decide = lambda body: (
        kit.answer(status=400, text="tools are not supported by this model")
        if "tools" in body
        else kit.answer(text='{"value": 6.0}')
    )
    assert answered(chat_server, kit, "openai/gpt-4").rung == "prompt"
    assert len(chat_server.bodies) == 2


def test_a_server_of_ones_own_that_ignores_formats_has_the_schema_in_words(
    chat_server: Any, kit: Any
) -> None:
    chat_server.script(kit.answer(text='{"value": 7.0}'))
    assert answered(chat_server, kit, "openai/served-here").rung == "json_schema"
    body = chat_server.bodies[0]
    assert body["response_format"]["type"] == "json_schema"
    assert SCHEMA_MARK in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *((word, "stop") for word in ("stop", "end_turn", "STOP", "COMPLETE", "eos", "tool_use")),
        *((word, "length") for word in ("length", "max_tokens", "MAX_TOKENS", "model_length")),
        *((word, "length") for word in ("model_context_window_exceeded", "pause_turn")),
        *((word, "content_filter") for word in ("content_filter", "refusal", "SAFETY")),
        *((word, "content_filter") for word in ("RECITATION", "guardrail_intervened")),
        *((word, "other") for word in ("error", "network_error", "MALFORMED_RESPONSE", "?")),
    ],
)
def test_a_finish_reason_is_read_in_each_providers_spelling(
    chat_server: Any, kit: Any, said: str, meant: str
) -> None:
    # litellm alone would read the unknown ones, and some errors, as `stop`.
    chat_server.script(kit.answer(raw=raw(said, content='{"value": 1.0}')))
    assert answered(chat_server, kit, "openai/served-here").finish_reason == meant
    assert finish_reason(said) == meant


def test_no_finish_reason_is_no_stop() -> None:
    assert finish_reason(None) == "other"


def test_a_refusal_is_a_filtered_reply_with_its_words(chat_server: Any, kit: Any) -> None:
    chat_server.script(kit.answer(raw=raw("stop", refusal="I cannot help with this paper.")))
    reply = answered(chat_server, kit, "openai/gpt-4o-mini")
    assert (reply.finish_reason, reply.text) == (
        "content_filter",
        "I cannot help with this paper.",
    )


def test_the_context_of_a_known_model_is_known(chat_server: Any) -> None:
    known = LitellmAnswerer("openai/gpt-3.5-turbo-16k", environ=ENVIRON)
    assert known.input_tokens == 16385
    served = LitellmAnswerer("openai/served-here", environ=ENVIRON, api_base=chat_server.base)
    assert served.input_tokens is None


def test_a_prompt_that_is_too_long_says_which_setting_helps(chat_server: Any, kit: Any) -> None:
    said = "This model's maximum context length is 8192 tokens, your messages resulted in 9000"
    chat_server.script(kit.answer(status=400, text=said))
    with pytest.raises(ProviderError, match=r"set calls\.max_input_tokens") as caught:
        answered(chat_server, kit, "openai/gpt-4o-mini")
    assert not caught.value.transient
