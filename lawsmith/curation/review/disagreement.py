"""Where gates and reviewer, or a reviewer and its own verdicts, disagree: stored and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lawsmith.curation.evidence import Reason

DissentKind = Literal[
    "gates_accept_reviewer_rejects", "accepts_over_doubt", "gates_refuse_revision"
]


@dataclass(frozen=True)
class Dissent:
    """One disagreement about a card."""

    revision: int
    """Of the card that the reviewer read."""
    kind: DissentKind
    sentence: str

    def __str__(self) -> str:
        """Kind and sentence in one line."""
        return f"{self.kind}: {' '.join(self.sentence.split())}"


def rejected_by_reviewer(revision: int, doubts: str) -> Dissent:
    """Every gate passed the card, and the reviewer does not."""
    return Dissent(revision, "gates_accept_reviewer_rejects", doubts)


def accepted_over_doubt(revision: int, doubted: Sequence[str]) -> tuple[Dissent, ...]:
    """The disagreement of an accept with the reply's own verdicts; none where none is doubted."""
    if not doubted:
        return ()
    return (Dissent(revision, "accepts_over_doubt", accept_refused(doubted)),)


def accept_refused(doubted: Sequence[str]) -> str:
    """Why an accept does not count, in words: criteria that its verdicts do not support."""
    return f"accept is refused while {', '.join(doubted)} is not supported"


def revision_refused(revision: int, reasons: Sequence[Reason]) -> Dissent:
    """The reviewer asked for a change, and the gates refuse the card that came of it."""
    said = "; ".join(str(reason) for reason in reasons)
    return Dissent(revision, "gates_refuse_revision", said)


__all__ = (
    "Dissent",
    "DissentKind",
    "accept_refused",
    "accepted_over_doubt",
    "rejected_by_reviewer",
    "revision_refused",
)
