"""Lines of the Oracle's log: what was opened, asked, answered, refused and handed in."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas.calibrated_task import WorldCall
from schemas.episode import Action, Protocol
from schemas.record import Identity, Instant, Part, Sha256
from schemas.trial import IssuedTrial

EXCERPT: int = 400
"""Characters that are kept of a proposal that was refused."""


class Started(Part):
    """A server began to answer for a release."""

    kind: Literal["started"] = "started"
    release_id: Identity
    release_digest: Sha256
    """Of the public manifest."""
    nonce: str = Field(pattern=r"^[0-9a-f]{32}$")
    """Random; it enters every noise seed until the next start."""


class Issued(Part):
    """A trial may be opened from here on."""

    kind: Literal["issued"] = "issued"
    trial: IssuedTrial


class Opened(Part):
    """A trial was opened, or opened again under another session."""

    kind: Literal["opened"] = "opened"
    trial: Sha256
    session: Sha256
    """sha256 of the session's name."""
    number: int = Field(ge=1)
    """Of the trial in this log, by first opening; the noise of a calibrated world depends on it."""
    protocol: Protocol | None
    """Null for Parallel and Real tasks."""
    budget: int | None


class Answered(Part):
    """A proposal and the observations it was answered with."""

    kind: Literal["answered"] = "answered"
    trial: Sha256
    action: Action
    outputs: dict[str, float]


class Measured(Part):
    """An answered call of a Parallel trial."""

    kind: Literal["measured"] = "measured"
    trial: Sha256
    call: WorldCall


class Rejected(Part):
    """A proposal or call that was refused; of what was asked only an excerpt is kept."""

    kind: Literal["rejected"] = "rejected"
    trial: Sha256
    excerpt: str = Field(max_length=EXCERPT)
    diagnostic: str
    breaches: tuple[str, ...]
    """Protocol rules that the proposal broke."""


class Completed(Part):
    """The final answer of a paired task."""

    kind: Literal["completed"] = "completed"
    trial: Sha256
    action: Action


class HandedIn(Part):
    """The final answer of a Parallel or Real task, as the player gave it."""

    kind: Literal["handed_in"] = "handed_in"
    trial: Sha256
    answer: dict[str, Any]


class Closed(Part):
    """The player gave the trial up."""

    kind: Literal["closed"] = "closed"
    trial: Sha256


class Expired(Part):
    """A session was idle for too long; the token opens the trial again."""

    kind: Literal["expired"] = "expired"
    trial: Sha256


Event = Annotated[
    Started
    | Issued
    | Opened
    | Answered
    | Measured
    | Rejected
    | Completed
    | HandedIn
    | Closed
    | Expired,
    Field(discriminator="kind"),
]


class LogLine(Part):
    """One line: an event, and the hash of the line before it."""

    previous: Sha256
    """sha256 of the bytes of the line before, without its end; 64 zeros in the first."""
    at: Instant
    event: Event


__all__ = (
    "EXCERPT",
    "Answered",
    "Closed",
    "Completed",
    "Event",
    "Expired",
    "HandedIn",
    "Issued",
    "LogLine",
    "Measured",
    "Opened",
    "Rejected",
    "Started",
)
