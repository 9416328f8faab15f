"""Trials: one player's try at one task, handed out by the holder of a release as a token."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.episode import Protocol
from schemas.record import Identity, Part, Sha256
from schemas.task import TaskKind

TrialKind = TaskKind | Literal["parallel", "real"]

Token = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
"""128 random bits in hex: of a trial, or the name of a session."""

PlayerName = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,80}$")]


class Trial(Part):
    """Who may try what. There is one trial for a task, player and repeat."""

    task_id: Identity
    kind: TrialKind
    player: PlayerName
    repeat: int = Field(ge=0)
    protocol: Protocol | None
    """Of a paired task; null: the player chooses when it opens the trial."""
    budget: int | None
    """As the protocol takes it; null: the protocol's default, or the player's choice."""


class TrialToken(Trial):
    """What a player gets: the trial, and the token that opens it."""

    release_id: Identity
    token: Token


class IssuedTrial(Trial):
    """What the holder keeps of a token that was handed out."""

    trial: Sha256
    """sha256 of the token; the trial's name in the log."""
    by: Literal["holder", "request"]
    """request: a server that runs open gave it to whoever asked, so the player is not known."""


__all__ = ("IssuedTrial", "PlayerName", "Token", "Trial", "TrialKind", "TrialToken")
