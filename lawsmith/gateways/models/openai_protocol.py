"""Requests and finish reasons as the OpenAI chat protocol writes them."""

import json
from typing import Any, Final, Literal

from lawsmith.chat import Request

Rung = Literal["json_schema", "tool", "json_object", "prompt"]
"""Ways to ask for JSON, strictest first; the last two also write the schema in the prompt."""

FinishReason = Literal["stop", "length", "content_filter", "other"]

_SPELLINGS: Final[dict[FinishReason, str]] = {
    # OpenAI, Anthropic, Cohere, Gemini, Mistral, Hugging Face and Bedrock; a call of a tool
    # ends a reply as a stop does. Providers differ in case and in nothing else.
    "stop": "stop end_turn stop_sequence complete eos eos_token"
    " tool_calls tool_call tool_use function_call",
    "length": "length max_tokens max_length model_length max_output_tokens error_limit"
    " model_context_window_exceeded continuation pause_turn compaction incomplete",
    "content_filter": "content_filter content_filtered refusal safety recitation language"
    " blocklist prohibited_content spii sensitive guardrail_intervened error_toxic",
}
_KNOWN: Final[dict[str, FinishReason]] = {
    word: reason for reason, words in _SPELLINGS.items() for word in words.split()
}


def finish_reason(reported: str | None) -> FinishReason:
    """Our finish reason for a provider's; what is unknown is `other`, never `stop`."""
    return _KNOWN.get((reported or "").lower(), "other")


def chat_messages(request: Request, *, schema_in_prompt: bool) -> list[dict[str, str]]:
    """The messages as providers take them, with the schema written out where asked."""
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    if schema_in_prompt and request.response_schema is not None:
        schema = json.dumps(request.response_schema, ensure_ascii=False)
        messages[-1] = {
            "role": messages[-1]["role"],
            "content": f"{messages[-1]['content']}\n\nReply with one JSON object that satisfies"
            f" this JSON schema, and nothing else:\n{schema}",
        }
    return messages


def response_format(request: Request, rung: Rung) -> dict[str, Any]:
    """The `response_format` of a rung; the rung `prompt` has none."""
    if rung == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {
            "name": request.response_schema_name,
            "schema": request.response_schema,
            "strict": True,
        },
    }


def tool_arguments(request: Request) -> dict[str, Any]:
    """`tools` and `tool_choice` of a request whose reply is the one call of one function."""
    name = request.response_schema_name
    function = {
        "name": name,
        "description": "Give the whole answer as the arguments of this one call.",
        "parameters": request.response_schema,
    }
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def chat_body(request: Request, model: str) -> dict[str, Any]:
    """The body of a `/v1/chat/completions` call, as it stands in a batch file."""
    body: dict[str, Any] = {
        "model": model,
        "messages": chat_messages(request, schema_in_prompt=False),
        # The older name `max_tokens` is refused by reasoning models, and nothing maps it here.
        "max_completion_tokens": request.max_tokens,
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.response_schema is not None:
        body["response_format"] = response_format(request, "json_schema")
    return body


__all__ = (
    "FinishReason",
    "Rung",
    "chat_body",
    "chat_messages",
    "finish_reason",
    "response_format",
    "tool_arguments",
)
