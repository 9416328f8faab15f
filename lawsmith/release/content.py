"""What goes into a release, before it has a folder: records, policies, provenance, the key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from lawsmith.errors import InputError
from lawsmith.release.problems import CalibratedProblem
from lawsmith.rules import named
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard
from schemas.packet import Packet
from schemas.record import Day
from schemas.release import EligibilityPolicy, PlayerCleanliness, Policy, StageCount
from schemas.review import Review
from schemas.source import Collection, Window

SUFFIXES: Final[Mapping[Collection, str]] = {
    "temporal": "",
    "historical": "",
    "temporal-sample": "-sample",
    "historical-dev": "-dev",
}
"""What a collection's versions end in; forced, so that a sample is never taken for the real one."""

_VERSION = re.compile(r"\d+\.\d+\.\d+(-sample|-dev)?")


@dataclass(frozen=True)
class PaperNote:
    """What a release says about one source paper; sealed, since it leads to the law."""

    paper_id: str
    title: str
    doi: str | None
    licence: str | None
    """SPDX identifier; null = not redistributable."""
    attribution: str
    """How to cite the paper."""


@dataclass(frozen=True)
class ReleaseContent:
    """Everything a release is made of. Packets are only used by its gates, never written."""

    version: str
    collection: Collection
    synthetic_sources: bool
    replayed_replies: bool
    window: Window | None
    cutoff: Day | None
    until: Day | None
    eligibility: EligibilityPolicy | None
    policies: tuple[Policy, ...]
    families: tuple[Family, ...]
    cards: tuple[Card | HistoricalCard, ...]
    reviews: tuple[Review, ...]
    papers: tuple[PaperNote, ...]
    dispositions: tuple[StageCount, ...]
    cleanliness: tuple[PlayerCleanliness, ...]
    models: Mapping[str, tuple[str, ...]]
    prompts: Mapping[str, str]
    incomplete: tuple[str, ...]
    parents: tuple[str, ...]
    reason: str | None
    key: bytes
    packets: Mapping[str, Packet] | None = None
    """Card id -> its packet: where given, the admission gates are repeated."""
    problems: tuple[CalibratedProblem, ...] = ()
    """Of which Parallel and Real tasks are made; Historical releases alone have some."""

    @property
    def release_id(self) -> str:
        """`temporal-<version>` or `historical-<version>`: the folder's name."""
        return f"{self.collection.split('-')[0]}-{self.version}"

    @property
    def relaxed(self) -> bool:
        """Certificates may be `not_run`: only where the version says `-sample` or `-dev`."""
        return SUFFIXES[self.collection] != ""


def check_version(collection: Collection, version: str) -> None:
    """Nothing, or an error where the version is no version or has another suffix than it must.

    Raises:
        InputError: `version` is not `<n>.<n>.<n>` with exactly the suffix of its collection.
    """
    suffix = SUFFIXES[collection]
    found = _VERSION.fullmatch(version)
    if found is None or (found.group(1) or "") != suffix:
        raise InputError(
            f"version {version!r} of collection {collection} is not <n>.<n>.<n>{suffix}",
            path="version",
            fix=f"use a version such as 0.1.0{suffix}",
        )


class Cut(Protocol):
    """What the dates and the marks of a release are read from: its content or its manifest."""

    @property
    def window(self) -> Window | None:
        """The first submissions."""

    @property
    def cutoff(self) -> Day | None:
        """No paper was public before."""

    @property
    def until(self) -> Day | None:
        """No paper was published later."""

    @property
    def eligibility(self) -> EligibilityPolicy | None:
        """How dates were judged."""

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What was let through."""

    @property
    def synthetic_sources(self) -> bool:
        """Papers written for the sample."""

    @property
    def replayed_replies(self) -> bool:
        """Recorded model replies."""


def cut_policy(cut: Cut) -> Policy:
    """How the release was cut, as the policy `cut`: part of the content digest."""
    values: dict[str, float | str] = {
        "window": "none" if cut.window is None else str(cut.window),
        "cutoff": cut.cutoff or "none",
        "until": cut.until or "none",
        "eligibility": cut.eligibility or "none",
        "incomplete": "; ".join(cut.incomplete) or "none",
        "synthetic_sources": str(cut.synthetic_sources).lower(),
        "replayed_replies": str(cut.replayed_replies).lower(),
    }
    return Policy(name=named("cut"), values=values)


__all__ = ("SUFFIXES", "PaperNote", "ReleaseContent", "check_version", "cut_policy")
