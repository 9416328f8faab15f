"""Caps of one run and the pace that a provider allows."""

from dataclasses import dataclass

from lawsmith.errors import InputError


@dataclass(frozen=True)
class RunCaps:
    """What one run may spend at most; a cap that is None does not hold anything back."""

    max_usd: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("max_usd", self.max_usd), ("max_tokens", self.max_tokens)):
            if value is not None and not 0 <= value < float("inf"):
                raise InputError(f"{value!r} must be finite and 0 or more", path=name)

    @property
    def given(self) -> bool:
        """Whether any cap holds."""
        return self.max_usd is not None or self.max_tokens is not None


@dataclass(frozen=True)
class RateLimits:
    """Pace per model over any 60 seconds, across all processes of one ledger."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    def __post_init__(self) -> None:
        for name, value in (
            ("requests_per_minute", self.requests_per_minute),
            ("tokens_per_minute", self.tokens_per_minute),
        ):
            if value is not None and value < 1:
                raise InputError(f"{value!r} must be 1 or more", path=name)


__all__ = ("RateLimits", "RunCaps")
