"""What a model can do, as far as litellm's bundled table knows it: formats, context, prices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lawsmith.gateways.models.openai_protocol import Rung
from lawsmith.gateways.models.prices import Price

UNKNOWN_LADDER: Final[tuple[Rung, ...]] = ("json_schema", "json_object", "prompt")


@dataclass(frozen=True)
class Abilities:
    """One model's entry of the table, read."""

    known: bool
    """Whether the table has the model; a server of one's own may serve anything."""
    ladder: tuple[Rung, ...]
    """Ways to ask it for JSON, in the order in which they are tried."""
    input_tokens: int | None
    """Longest prompt that it takes; None where the table does not say."""
    output_tokens: int | None
    """Longest reply that it gives; None where the table does not say."""
    listed_price: Price | None


def abilities_of(litellm: Any, model: str, api_base: str | None) -> Abilities:
    """What the table says of a model string.

    A JSON schema comes first where the table says that the model keeps to one; else the call
    of one function, else JSON mode, and last plain text with the schema in the prompt. A model
    that the table does not know is tried from the top: what it refuses it says.
    """
    entry = _entry(litellm, model, api_base)
    if entry is None:
        return Abilities(False, UNKNOWN_LADDER, None, None, None)
    name, provider, _, _ = litellm.get_llm_provider(model, api_base=api_base)
    takes = litellm.get_supported_openai_params(model=name, custom_llm_provider=provider) or []
    rungs: list[Rung] = []
    if litellm.supports_response_schema(model=name, custom_llm_provider=provider):
        rungs.append("json_schema")
    if entry.get("supports_function_calling") and "tool_choice" in takes:
        rungs.append("tool")
    if "response_format" in takes:
        rungs.append("json_object")
    rungs.append("prompt")
    return Abilities(
        known=True,
        ladder=tuple(rungs),
        input_tokens=_tokens(entry, "max_input_tokens"),
        output_tokens=_tokens(entry, "max_output_tokens"),
        # What a server of one's own charges is not what the namesake's provider charges.
        listed_price=None if api_base is not None else _price(entry),
    )


def _entry(litellm: Any, model: str, api_base: str | None) -> Mapping[str, Any] | None:
    listed: Mapping[str, Any] | None = litellm.model_cost.get(model)
    if listed:
        return listed
    name, provider, _, _ = litellm.get_llm_provider(model, api_base=api_base)
    entry: Mapping[str, Any] | None = litellm.model_cost.get(name)
    return entry if entry and entry.get("litellm_provider") == provider else None


def _tokens(entry: Mapping[str, Any], name: str) -> int | None:
    found = entry.get(name)
    return int(found) if found else None


def _price(entry: Mapping[str, Any]) -> Price | None:
    into, out = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    return None if into is None or out is None else Price(float(into), float(out))


__all__ = ("UNKNOWN_LADDER", "Abilities", "abilities_of")
