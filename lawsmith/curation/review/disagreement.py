"""Where gates and reviewer, or a reviewer and its own verdicts, disagree: stored and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lawsmith.curation.evidence import Reason

DissentKind = Literal[
    "gates_accept_reviewer_rejects", "accepts_over_doubt", "gates_refuse_revision"
]

ACCEPT_OVER_DOUBT: Final = "$.decision: accept is refused while"
"""How the problem of a reply begins that accepts a card and doubts a criterion of it."""


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


def accepted_over_doubt(revision: int, problems: Sequence[str]) -> tuple[Dissent, ...]:
    """A reply that accepts what one of its own verdicts does not bear; none for other faults."""
    return tuple(
        Dissent(revision, "accepts_over_doubt", problem.removeprefix("$.decision: "))
        for problem in problems
        if problem.startswith(ACCEPT_OVER_DOUBT)
    )


def revision_refused(revision: int, reasons: Sequence[Reason]) -> Dissent:
    """The reviewer asked for a change, and the gates refuse the card that came of it."""
    said = "; ".join(str(reason) for reason in reasons)
    return Dissent(revision, "gates_refuse_revision", said)


__all__ = (
    "ACCEPT_OVER_DOUBT",
    "Dissent",
    "DissentKind",
    "accepted_over_doubt",
    "rejected_by_reviewer",
    "revision_refused",
)
