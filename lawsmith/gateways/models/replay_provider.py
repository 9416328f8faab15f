"""The recordings as a provider of litellm, for whoever calls litellm itself.

`litellm.completion(model="replay/sample", messages=..., metadata={"lawsmith_request": ...})`
gives the same reply as the runner does; a recording goes by the request's key, which the
messages alone do not tell, so the request travels in the metadata.
"""

from pathlib import Path
from typing import Any

from lawsmith.chat import Request
from lawsmith.errors import LawsmithError, PrerequisiteError
from lawsmith.gateways.models.litellm_chat import load_litellm
from lawsmith.gateways.models.replay import PREFIX, ReplayAnswerer

METADATA_KEY = "lawsmith_request"
"""Where the request's JSON stands in the metadata of a litellm call."""


def register_replay_provider(root: Path) -> None:
    """Make litellm answer `replay/<set>` from `<root>/<set>/replies.jsonl` in this process.

    Raises:
        PrerequisiteError: litellm is not installed.
    """
    litellm = load_litellm()
    name = PREFIX.rstrip("/")
    others = [entry for entry in litellm.custom_provider_map if entry["provider"] != name]
    litellm.custom_provider_map = [
        *others,
        {"provider": name, "custom_handler": _provider(litellm, root)},
    ]
    # litellm only learns of a map entry by itself inside completion, after the first lookup.
    litellm.utils.custom_llm_setup()


def _provider(litellm: Any, root: Path) -> Any:
    from litellm.llms.custom_llm import CustomLLMError

    # Its constructor is untyped.
    refusal: Any = CustomLLMError

    class ReplayProvider(litellm.CustomLLM):  # type: ignore[misc]
        """Hands each call to the recording of its set."""

        def completion(self, *args: Any, **kwargs: Any) -> Any:
            """The recorded reply as a litellm response."""
            try:
                return _response(kwargs, root)
            except LawsmithError as error:
                raise refusal(status_code=404, message=str(error)) from error

    return ReplayProvider()


def _response(call: dict[str, Any], root: Path) -> Any:
    metadata = (call.get("litellm_params") or {}).get("metadata") or {}
    if METADATA_KEY not in metadata:
        raise PrerequisiteError(
            "a recording needs the request that is asked",
            path=f"metadata.{METADATA_KEY}",
            fix="pass the request's JSON there",
        )
    request = Request.model_validate_json(metadata[METADATA_KEY])
    model = str(call["model"])
    name = model if model.startswith(PREFIX) else PREFIX + model
    reply = ReplayAnswerer(name, root=root).answer([request])[0]
    response = call["model_response"]
    response.model = reply.model
    response.choices[0].message.content = reply.text
    response.choices[0].finish_reason = reply.finish_reason
    if reply.usage is not None:
        response.usage.prompt_tokens = reply.usage.prompt_tokens
        response.usage.completion_tokens = reply.usage.completion_tokens
        response.usage.total_tokens = reply.usage.total
    return response


__all__ = ("METADATA_KEY", "register_replay_provider")
