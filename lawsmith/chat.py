"""Requests to and replies from a model, and the pure conversations that make and read them.

The engine never calls a model. A conversation is a pure function of its transcript: given
the replies so far it returns the next request or its result, so that resuming is running it
again, a dry run counts open requests, and a recorded reply is as good as a fresh one
(design.md, section 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import Field, model_validator

from lawsmith.errors import InputError
from schemas.record import Identity, Part, Sha256, content_digest, strict_json

Role = Literal["extractor", "reviewer", "player", "judge"]
"""Who is asked; each role has a model string in the configuration."""

SubjectKind = Literal["packet", "card", "case", "episode"]
"""What the request is about; `subject_id` is the id of that record."""

Count = Annotated[int, Field(ge=0)]
"""A whole number, 0 or more."""


class Message(Part):
    """One turn of the text a model is shown."""

    role: Literal["system", "user", "assistant"]
    text: str


class RequestKey(NamedTuple):
    """What names a request in a recording, whatever its wording."""

    role: Role
    subject_kind: SubjectKind
    subject_id: str
    revision: int
    round: int

    def __str__(self) -> str:
        return (
            f"{self.role} {self.subject_kind} {self.subject_id} revision {self.revision}"
            f" round {self.round}"
        )


class Request(Part):
    """One question to a model, complete: nothing else shapes the answer but the model."""

    role: Role
    subject_kind: SubjectKind
    subject_id: Identity
    revision: Count
    """0 for the first reading of the subject, then 1, 2 after a reviewer asked for changes."""
    round: Count
    """Position of the request in its conversation, from 0; repair turns count."""
    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    response_schema: dict[str, Any] | None
    """JSON schema the reply must satisfy; null for free text."""
    response_schema_name: str | None
    """Name of the schema as the provider sees it; given exactly when there is a schema."""
    max_tokens: Annotated[int, Field(ge=1)]
    """Upper bound of the reply, in tokens."""
    temperature: Annotated[float, Field(ge=0)] | None
    """Sampling temperature; null where the model takes none."""
    prompt_sha256: Sha256
    """Hash of the prompt file that the messages were rendered from."""
    packet_sha256: Sha256 | None
    """Hash of the packet text shown, null where no packet is shown (an episode)."""

    @model_validator(mode="after")
    def _schema_is_named(self) -> "Request":
        if (self.response_schema is None) != (self.response_schema_name is None):
            raise ValueError(
                f"response_schema_name {self.response_schema_name!r} must be given exactly when"
                " response_schema is"
            )
        return self

    @property
    def key(self) -> RequestKey:
        """The name of this request in a recording."""
        return RequestKey(self.role, self.subject_kind, self.subject_id, self.revision, self.round)

    def digest(self, model: str) -> str:
        """Content digest of the request as asked of a model string.

        The key is part of it, so that two repeats of an episode never share one reply.
        """
        return content_digest("request", 1, {"model": model, **self.model_dump(mode="json")})


class Usage(Part):
    """Tokens of one call, as the provider counted them."""

    prompt_tokens: Count
    completion_tokens: Count

    @property
    def total(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


class Reply(Part):
    """One answer of a model, as given: text is never repaired."""

    text: str
    finish_reason: Literal["stop", "length", "content_filter", "other"]
    """`length` means the text is cut off and must not be parsed."""
    model: str
    """Who answered: the identity behind every rule (reviewer and extractor differ)."""
    usage: Usage | None
    """null where the provider did not say."""
    cost_usd: Annotated[float, Field(ge=0)] | None
    """What the call cost when it was made; null where the price is unknown."""
    replayed: bool
    """Read from a recording; everything made of it is marked so."""
    served_from: Literal["ledger", "replay", "provider", "batch"]
    rung: Literal["json_schema", "tool", "json_object", "prompt"] | None = None
    """How the schema was imposed; null without a schema or where it is not known."""
    reworded_prompt: bool = False
    """The recording was made with another wording of the prompt."""
    packet_changed: bool = False
    """The recording was made against another packet: anchors are found again by quote."""


ValueT = TypeVar("ValueT")
ValueT_co = TypeVar("ValueT_co", covariant=True)


@dataclass(frozen=True)
class Result(Generic[ValueT_co]):
    """The end of a conversation: what its transcript came to."""

    value: ValueT_co


@dataclass(frozen=True)
class Deferred:
    """A conversation not finished because of a cap or a stop; running again resumes it."""

    reason: Literal["over_budget", "interrupted"]
    """A reason code of schemas.source."""
    sentence: str
    open_request: RequestKey | None = None


@dataclass(frozen=True)
class Failed:
    """A conversation not finished for a technical reason; it may be tried again."""

    reason: Literal["model_failed", "reply_missing", "unusable_reply"]
    """`model_failed`: no answer came; `reply_missing`: nothing is recorded for the request;
    `unusable_reply`: a reply could not be used and no repair turn was left."""
    sentence: str
    open_request: RequestKey | None = None
    retryable: bool = True


Outcome = Result[ValueT] | Deferred | Failed
"""How one subject's conversation ended in one run."""


class Conversation(Protocol[ValueT_co]):
    """A pure function of its transcript: same replies, same request or result."""

    def step(self, replies: Sequence[Reply]) -> Request | Result[ValueT_co]:
        """The next request after these replies (all so far, oldest first), or the result.

        Raises:
            InputError: the replies cannot be used and the conversation has no turn left.
        """
        ...


class Answerer(Protocol):
    """Anything that answers requests: a provider, a recording, a person through files."""

    def answer(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """One reply per request, in their order.

        Raises:
            LawsmithError: a request got no answer; the runner asks one request at a time so
                that one fault touches one subject.
        """
        ...


def reply_json(reply: Reply) -> Any:
    """The JSON value of a reply; one code fence around the whole text is taken off.

    Raises:
        InputError: the reply was cut off or filtered, or is not strict JSON.
    """
    if reply.finish_reason != "stop":
        raise InputError(
            f"the reply ended with finish reason {reply.finish_reason!r}, so it is not complete",
            path="/",
            fix="answer again, shorter",
        )
    text = reply.text.strip()
    lines = text.split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        text = "\n".join(lines[1:-1])
    try:
        return strict_json(text)
    except ValueError as error:
        raise InputError(
            f"the reply is not one JSON value: {error}",
            path="/",
            fix="reply with the JSON object alone",
        ) from error


__all__ = (
    "Answerer",
    "Conversation",
    "Count",
    "Deferred",
    "Failed",
    "Message",
    "Outcome",
    "Reply",
    "Request",
    "RequestKey",
    "Result",
    "Role",
    "SubjectKind",
    "Usage",
    "reply_json",
)
