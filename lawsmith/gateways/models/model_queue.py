"""The queue in front of one model, and how it behaves while the provider refuses calls.

Requests of one model go out in order. A provider that answers "too fast" makes the whole
queue wait; afterwards one request alone tries whether calls are taken again, and each answer
lets twice as many go together, so that a pause does not end in a herd.
"""

from dataclasses import dataclass, field

UNBOUNDED = 1 << 20
"""Calls in flight that no run reaches."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how soon a request is tried again; times in seconds."""

    attempts: int = 5
    """Tries of a request that fails for another reason than the pace."""
    first_wait: float = 1.0
    """Doubled at each further try; up to half as much again is added, drawn from the digest."""
    longest_wait: float = 60.0
    longest_retry_after: float = 600.0
    """A provider that asks for a longer pause than this is not asked again in this run."""
    refusals: int = 20
    """How often one request may be refused for the pace."""
    patience: float = 600.0
    """How long a model may refuse everything before it is not asked again in this run."""

    def backoff(self, tries: int, spread: float) -> float:
        """Seconds to wait after so many tries; `spread` in [0, 1) keeps requests apart."""
        doubled = min(self.first_wait * 2.0 ** (tries - 1), self.longest_wait / 1.5)
        return doubled * (1.0 + spread / 2.0)


@dataclass
class Lane:
    """The queue of one model in one run; its owner holds a lock around every use."""

    waiting: set[int] = field(default_factory=set)
    """Places that have not been let go yet."""
    in_flight: int = 0
    at_once: int = UNBOUNDED
    """Calls that may be in flight together."""
    closed: str = ""
    """Why the model is not asked again in this run; empty while it is."""
    refused_at: float | None = None
    """When the first refusal of an unbroken row came."""
    last_refused_at: float = float("-inf")
    bursts: int = 0
    """Refusals in a row, those of calls that were in flight together counted once."""

    def may_go(self, place: int) -> bool:
        """Whether a place is first in the queue and there is room for one more call."""
        return min(self.waiting) == place and self.in_flight < self.at_once

    def answered(self) -> None:
        """A call was taken: the row of refusals is broken."""
        self.refused_at, self.bursts = None, 0
        if self.at_once < UNBOUNDED:
            self.at_once *= 2

    def refused(
        self, policy: RetryPolicy, *, began: float, now: float, asked: float | None, spread: float
    ) -> float | None:
        """Seconds for which nobody should ask, None once the model is closed.

        Args:
            policy: the run's patience.
            began: when the refused call went out.
            now: when the refusal came.
            asked: what the provider's Retry-After says.
            spread: in [0, 1).
        """
        self.at_once = 1
        if self.refused_at is None:
            self.refused_at = now
        if began >= self.last_refused_at:
            self.bursts += 1
        self.last_refused_at = now
        pause = policy.backoff(self.bursts, spread) if asked is None else asked
        if pause > policy.longest_retry_after:
            self.closed = f"the provider wants no call for {pause:.0f} s"
        elif now + pause - self.refused_at > policy.patience:
            self.closed = f"every call was refused for {now - self.refused_at:.0f} s"
        return None if self.closed else pause


__all__ = ("Lane", "RetryPolicy")
