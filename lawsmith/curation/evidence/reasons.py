"""A reason: why a gate refuses a card, where, and in words."""

from dataclasses import dataclass

from schemas.source import ReasonCode


@dataclass(frozen=True)
class Reason:
    """One finding of a gate."""

    code: ReasonCode
    path: str
    """JSON Pointer into the card, draft or review; empty for the whole."""
    sentence: str

    def __str__(self) -> str:
        """Code, path and sentence in one line."""
        return f"{self.code.value} {self.path or '/'}: {self.sentence}"


@dataclass(frozen=True)
class Verdict:
    """What the gates say about a card: every reason, not only the first."""

    accepted: bool
    reasons: tuple[Reason, ...]
    not_run: tuple[str, ...]
    """Gates that could not run because another one failed before them."""


__all__ = ("Reason", "Verdict")
