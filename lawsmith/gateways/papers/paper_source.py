"""What a source of papers gives, and the interface that every source has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from schemas.source import Outcome, Paper, Publication, ReasonCode, Window


@dataclass(frozen=True)
class Problem:
    """What is wrong with one paper version; it stays in the harvest with this mark.

    Attributes:
        paper_id: the paper's record id, version included.
        outcome: failed where trying again may help, else rejected.
        reason_code: why.
        sentence: why, for people.
    """

    paper_id: str
    outcome: Outcome
    reason_code: ReasonCode
    sentence: str


@dataclass(frozen=True)
class Unread:
    """What a source lists as a paper and no paper can be made of.

    Attributes:
        paper_id: its id as far as it can be read; never one that a record would refuse.
        version: None where it cannot be read.
        published: instant of its first submission, None where it cannot be read.
        digest: sha256 of what the source listed.
        sentence: what is wrong with it, for people.
    """

    paper_id: str
    version: int | None
    published: str | None
    digest: str
    sentence: str


@dataclass(frozen=True)
class Harvest:
    """The papers of a window.

    Attributes:
        papers: every version listed whose first submission lies in the window, by id.
        problems: what is wrong with some of them.
        expected: how many entries the source said there are.
        found: how many different entries came.
        complete: whether all came; an incomplete window is not fit for a release.
        strays: entries that the source gave though they lie outside what it was asked for.
        unread: entries that came and of which no paper can be made.
    """

    papers: tuple[Paper, ...]
    problems: tuple[Problem, ...]
    expected: int
    found: int
    complete: bool
    strays: int = 0
    unread: tuple[Unread, ...] = ()


class PaperSource(Protocol):
    """Where papers come from."""

    @property
    def folder(self) -> Path:
        """What the paths of papers' files are relative to."""

    def harvest(self, window: Window) -> Harvest:
        """The papers first submitted in a window, with their files in `folder`.

        Raises:
            PrerequisiteError: the source cannot be reached or read at all.
            InputError: what it lists breaks a rule.
        """

    def publications(self, papers: Sequence[Paper], now: str) -> Sequence[Publication | Problem]:
        """What is known of the papers' dates outside their preprint server, as of `now`.

        Papers of other sources are left out; a problem says why a look-up did not succeed.
        """

    def newest_versions(self, papers: Sequence[Paper]) -> Mapping[str, int]:
        """Paper id -> number of its newest version, where a harvest would find a later one."""

    def submission_dates(self) -> list[str]:
        """The first submission of every paper listed, sorted.

        Raises:
            InputError: the source has no end, so that a window must be given.
        """


__all__ = ("Harvest", "PaperSource", "Problem", "Unread")
