"""Caps of one run, in all and by role, and the pace that a provider allows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lawsmith.chat import Role
from lawsmith.errors import InputError


@dataclass(frozen=True)
class Cap:
    """What may be spent at most; a bound that is None does not hold anything back."""

    max_usd: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("max_usd", self.max_usd), ("max_tokens", self.max_tokens)):
            if value is not None and not 0 <= value < float("inf"):
                raise InputError(f"{value!r} must be finite and 0 or more", path=name)

    @property
    def given(self) -> bool:
        """Whether any bound holds."""
        return self.max_usd is not None or self.max_tokens is not None


NO_CAP = Cap()


@dataclass(frozen=True)
class RunCaps(Cap):
    """What one run may spend at most: in all, and by each role within that."""

    by_role: Mapping[Role, Cap] = field(default_factory=dict)

    def of(self, role: Role) -> Cap:
        """The cap of one role alone; one that holds nothing back where none is set."""
        return self.by_role.get(role, NO_CAP)

    def hold(self, role: Role) -> bool:
        """Whether any cap holds the role's calls."""
        return self.given or self.of(role).given

    def hold_tokens(self, role: Role) -> bool:
        """Whether a cap holds the role's calls even where their price is unknown."""
        return self.max_tokens is not None or self.of(role).max_tokens is not None


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


__all__ = ("Cap", "RateLimits", "RunCaps")
