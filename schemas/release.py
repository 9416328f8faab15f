"""Releases: what is in one, who made it, and how every byte of it is accounted for."""

import json
from typing import Any, ClassVar, Literal, Self

from schemas.record import (
    Day,
    Identity,
    Instant,
    Part,
    Record,
    Sha256,
    content_digest,
    record_name,
    strict_json,
)
from schemas.source import Collection, Window

EligibilityPolicy = Literal["journal_required", "preprint_only"]


class ReleaseFile(Part):
    """One file of a release."""

    path: str
    """Relative to the release folder, with `/`."""
    sha256: Sha256
    bytes: int
    rows: int | None
    """Null where the file is not a table."""


class Policy(Part):
    """A named choice of Lawsmith's that shaped the release."""

    name: str
    values: dict[str, float | str]


class PlayerCleanliness(Part):
    """Whether the release's papers all lie after one player's reported cutoff."""

    player: str
    cutoff: str
    source: str
    clean: bool | None
    """Null where the cutoff is unknown or the collection has no dates."""


class StageCount(Part):
    """How many subjects a stage sent each way, by reason."""

    stage: str
    outcome: str
    reason_code: str
    count: int


class KindCount(Part):
    """How many tasks of a kind a release holds; scores of two kinds are never averaged."""

    kind: Literal["paired", "parallel", "real"]
    tasks: int


class StratumCount(Part):
    """How many families of a difficulty and move kind a release holds."""

    difficulty: str
    moves: str
    families: int
    original_nodes: int = 0
    """Of the folded laws, over all its families."""
    counterfactual_nodes: int = 0
    larger: int = 0
    """Of its families, those whose Counterfactual has more nodes than the Original."""


class PublicManifest(Record):
    """What the public tree holds. `id` is the release id, `temporal-2026.11.0`."""

    schema_version: ClassVar[int] = 2
    not_content: ClassVar[frozenset[str]] = frozenset({"created_at", "code_version"})

    collection: Collection
    version: str
    synthetic_sources: bool
    replayed_replies: bool
    """Some model replies were recorded ones."""
    window: Window | None
    cutoff: Day | None
    until: Day | None
    eligibility: EligibilityPolicy | None
    policies: tuple[Policy, ...]
    tasks: int
    """Of all kinds."""
    kinds: tuple[KindCount, ...]
    """How many of each kind; a kind without tasks is left out."""
    families: int
    problems: int
    """Of which Parallel or Real tasks are made."""
    dispositions: tuple[StageCount, ...]
    strata: tuple[StratumCount, ...]
    cleanliness: tuple[PlayerCleanliness, ...]
    models: dict[str, tuple[str, ...]]
    """Role -> models that answered; empty for a Historical release."""
    prompts: dict[str, Sha256]
    incomplete: tuple[str, ...]
    """What --allow-incomplete let through; empty otherwise."""
    parents: tuple[str, ...]
    reason: str | None
    """Why a version follows another: a fault or a retraction."""
    files: tuple[ReleaseFile, ...]
    sealed_commitment: Sha256
    """sha256 of the bytes of sealed/manifest.json."""
    canary: str
    code_version: str
    created_at: Instant

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The manifest of one JSON text; one of version 1 knew paired tasks alone.

        Raises:
            ValueError: as for every record; of version 1, too, the stored digest must fit.
        """
        data = _former(cls, text)
        if data is None:
            return super().from_json(text)
        kinds = [{"kind": "paired", "tasks": data["tasks"]}] if data.get("tasks") else []
        return cls.model_validate_json(json.dumps({**data, "kinds": kinds, "problems": 0}))


class SealedManifest(Record):
    """Every file of both trees and the content digest. `id` is the release id."""

    not_content: ClassVar[frozenset[str]] = frozenset({"created_at", "code_version"})

    content_digest: Sha256
    """Over canonical rows sorted by id, policies and the key's hash (`content-1`)."""
    claims: dict[str, Sha256]
    """Digest of each field by which the public manifest says something of the release (`claims`):
    window, policies, counts, strata, cleanliness, models, prompts, parents and the like."""
    key_sha256: Sha256
    attributions: dict[Identity, str]
    """Paper id -> how to cite it; sealed, since a citation leads to the law."""
    files: tuple[ReleaseFile, ...]
    canary: str
    code_version: str
    created_at: Instant


class Cut(Record):
    """What a release was asked to hold. `id` is the release id; a cut is never changed."""

    schema_version: ClassVar[int] = 2

    collection: Collection
    version: str
    cutoff: Day | None
    """Null for a Historical release."""
    until: Day | None
    eligibility: EligibilityPolicy | None
    journals: tuple[str, ...]
    """Names or ISSNs of the journals that it is restricted to; none: any journal."""
    categories: tuple[str, ...]
    """Categories or archives that it is restricted to; none: any."""
    allow_incomplete: bool
    parents: tuple[str, ...]
    reason: str | None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The cut of one JSON line; one of version 1, which had no lists, is read as without.

        Raises:
            ValueError: as for every record; of version 1, too, the stored digest must fit.
        """
        data = _former(cls, text)
        if data is None:
            return super().from_json(text)
        return cls.model_validate_json(json.dumps({**data, "journals": [], "categories": []}))


class Fault(Part):
    """One thing that `verify` found wrong."""

    path: str
    what: str


def _former(kind: type[Record], text: str) -> dict[str, Any] | None:
    """The fields of a record of version 1, its digest checked; None for other versions."""
    data = strict_json(text)
    if not isinstance(data, dict) or data.get("schema_version") != 1:
        return None
    stored, _ = data.pop("digest", None), data.pop("schema_version")
    apart = {"id", *kind.not_content}
    content = {name: value for name, value in data.items() if name not in apart}
    if content_digest(record_name(kind), 1, content) != stored:
        raise ValueError(
            f"{kind.__name__} {data.get('id')!r}: its stored digest is not that of its content"
        )
    return data
