"""What a request may use at most, in tokens and US dollars, before it is sent."""

from dataclasses import dataclass

from lawsmith.chat import Request, Usage
from schemas.record import canonical_json

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English prose; symbol-rich text uses more tokens than this says."""
TOKENS_PER_MESSAGE = 8
"""Allowance for the role marks that providers put around each message."""


@dataclass(frozen=True)
class Price:
    """US dollars per token."""

    input_usd: float
    output_usd: float

    def of(self, usage: Usage) -> float:
        """What a call of this usage costs."""
        return usage.prompt_tokens * self.input_usd + usage.completion_tokens * self.output_usd


@dataclass(frozen=True)
class Bound:
    """What one call is counted at until its real usage is known."""

    tokens: int
    usd: float | None
    """None where the price is unknown: an unknown cost is never taken for nothing."""


def estimated_prompt_tokens(request: Request) -> int:
    """Prompt size at four characters a token, the response schema included, rounded up."""
    characters = sum(len(message.text) for message in request.messages)
    if request.response_schema is not None:
        characters += len(canonical_json(request.response_schema))
    return -(-characters // CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE * len(request.messages)


def upper_bound(request: Request, price: Price | None) -> Bound:
    """The estimated prompt plus the whole reply allowance `max_tokens`, and its cost."""
    usage = Usage(
        prompt_tokens=estimated_prompt_tokens(request), completion_tokens=request.max_tokens
    )
    return Bound(tokens=usage.total, usd=None if price is None else price.of(usage))


__all__ = ("Bound", "Price", "estimated_prompt_tokens", "upper_bound")
