"""Single lines of the OpenAI batch format, and requests as a person reads them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from lawsmith.chat import Reply, Request, Usage
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.openai_protocol import finish_reason
from lawsmith.gateways.models.prices import Price
from lawsmith.gateways.models.replay import PREFIX
from schemas.record import strict_json

FaultKind = Literal["malformed", "foreign", "refused", "no_completion", "second", "conflict"]
"""Why a line was not taken.

malformed: no line of the batch format. foreign: this store exported no such request. refused:
the provider gave an error or no answer; the request stays open. no_completion: the answer is
no chat completion. second: an earlier line of the file answers the request. conflict: the
ledger holds another reply, which stays.
"""


@dataclass(frozen=True)
class LineFault:
    """One line of a reply file that was not taken."""

    line: int
    """Counted from 1."""
    custom_id: str | None
    what: str
    kind: FaultKind

    def __str__(self) -> str:
        named = "" if self.custom_id is None else f" ({self.custom_id[:12]}…)"
        return f"line {self.line}{named}: {self.what}"


@dataclass(frozen=True)
class Answered:
    """A request and the reply that the ledger now holds for it."""

    request: Request
    model: str
    """The model string that was asked; `reply.model` says who answered."""
    reply: Reply
    line: int = 0
    """Where it stands in the file, counted from 1."""
    new: bool = False
    """Whether the ledger had no reply to the request before."""


def reply_line(
    custom_id: str,
    text: str,
    *,
    model: str,
    finish: str = "stop",
    usage: Usage | None = None,
) -> str:
    """One line of a batch output file, for replies that no batch service wrote.

    Args:
        custom_id: the digest that the exported line or text carries.
        text: the reply, as given.
        model: who answered.
        finish: `stop`, or `length` where the reply was cut off.
        usage: tokens, where they were counted.
    """
    body: dict[str, Any] = {
        "object": "chat.completion",
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
    }
    if usage is not None:
        body["usage"] = {**usage.model_dump(), "total_tokens": usage.total}
    line = {
        "custom_id": custom_id,
        "response": {"status_code": 200, "body": body},
        "error": None,
    }
    return json.dumps(line, ensure_ascii=False) + "\n"


def render_request_text(request: Request, custom_id: str) -> str:
    """A request as a person reads it: all that the model would see, and nothing else."""
    parts = [
        f"custom_id: {custom_id}",
        f"request: {request.key}",
        f"at most {request.max_tokens} tokens",
    ]
    for message in request.messages:
        parts += ["", f"===== {message.role} =====", message.text]
    if request.response_schema is not None:
        schema = json.dumps(request.response_schema, ensure_ascii=False, indent=2)
        parts += [
            "",
            f"===== one JSON object of the schema {request.response_schema_name} =====",
            schema,
        ]
    return "\n".join(parts) + "\n"


class _Message(BaseModel):
    # Null where a model says nothing, as it may when it is cut off; a live call takes it so, too.
    content: str | None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None


class _Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class _Body(BaseModel):
    model: str = Field(min_length=1)
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class _Response(BaseModel):
    status_code: int
    body: dict[str, Any]


class _Line(BaseModel):
    custom_id: str
    response: _Response | None = None
    error: dict[str, Any] | None = None


def read_reply_line(
    number: int,
    data: bytes,
    ledger: Ledger,
    prices: Mapping[str, Price],
    price_factor: float = 1.0,
) -> Answered | LineFault:
    """The reply of one line, held against what was exported.

    Args:
        number: of the line, from 1.
        data: its bytes.
        ledger: knows the exported requests.
        prices: USD per token by model string.
        price_factor: what part of them a batch costs.
    """
    try:
        text = data.decode("utf-8-sig" if number == 1 else "utf-8")
        strict_json(text)
        line = _Line.model_validate_json(text)
    except ValueError as error:
        return LineFault(number, None, f"not a batch reply: {_first(error)}", "malformed")
    named = line.custom_id
    known = ledger.exported(named)
    if known is None:
        what = "no request of this id was exported from this store"
        return LineFault(number, named, what, "foreign")
    if line.response is None or line.error is not None or line.response.status_code != 200:
        said = line.error or (line.response and line.response.model_dump())
        what = f"no answer: {str(said)[:200]}" if said else "no answer and no error"
        return LineFault(number, named, what, "refused")
    try:
        body = _Body.model_validate(line.response.body)
    except ValidationError as error:
        what = f"not a chat completion: {_first(error)}"
        return LineFault(number, named, what, "no_completion")
    request, model = known
    usage = None if body.usage is None else Usage(**body.usage.model_dump())
    price = prices.get(model)
    if model.startswith(PREFIX):
        price = Price(0.0, 0.0)
    reply = Reply(
        text=body.choices[0].message.content or "",
        finish_reason=finish_reason(body.choices[0].finish_reason),
        model=body.model,
        usage=usage,
        cost_usd=None if price is None or usage is None else price.of(usage) * price_factor,
        replayed=False,
        served_from="batch",
    )
    return Answered(request, model, reply, number)


def _first(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(error)


__all__ = (
    "Answered",
    "FaultKind",
    "LineFault",
    "read_reply_line",
    "render_request_text",
    "reply_line",
)
