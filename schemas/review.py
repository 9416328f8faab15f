"""Reviews: an independent model's verdicts, criterion by criterion, with quotes code can find."""

from typing import ClassVar, Literal

from schemas.record import Identity, Part, Record, Sha256

ReviewSubject = Literal["card", "case"]
ReviewVerdict = Literal["supported", "unsupported", "unclear"]
Decision = Literal["accept", "revise", "reject"]

CARD_CRITERIA = (
    "source",
    "relation",
    "formula",
    "parameters",
    "controls",
    "readouts",
    "domain",
    "status",
    "conditions",
)
CASE_CRITERIA = (*CARD_CRITERIA, "construction", "background")

Criterion = Literal[
    "source",
    "relation",
    "formula",
    "parameters",
    "controls",
    "readouts",
    "domain",
    "status",
    "conditions",
    "construction",
    "background",
]


class CriterionDraft(Part):
    """One verdict as a model gives it."""

    criterion: Criterion
    verdict: ReviewVerdict
    first_line: int | None
    last_line: int | None
    quote: str | None
    """8 to 300 characters verbatim from those lines; null only where nothing can be quoted."""
    reason: str


class ReviewDraft(Part):
    """The whole reply of a reviewer."""

    criteria: list[CriterionDraft]
    decision: Decision
    changes: str | None
    """What a revision must change; null unless the decision is revise."""


class CriterionVerdict(Part):
    """One verdict with its quote found in the packet."""

    criterion: Criterion
    verdict: ReviewVerdict
    first_line: int | None
    last_line: int | None
    quote_sha256: Sha256 | None
    reason: str


class Review(Record):
    """One pass of a reviewer over a card or a case. `id` is `<card>/<subject>/<revision>`."""

    not_content: ClassVar[frozenset[str]] = frozenset({"replayed", "prompt_sha256"})

    subject: ReviewSubject
    card_id: Identity
    paper_id: Identity
    packet_sha256: Sha256
    subject_digest: Sha256
    """Digest of the card (subject card) or of the family (subject case) under review."""
    revision: int
    reviewer: str
    """The model that answered, or the name of a person for an override."""
    same_model: bool
    """The reviewer is the extractor too (only by explicit configuration)."""
    criteria: tuple[CriterionVerdict, ...]
    decision: Decision
    changes: str | None
    prompt_sha256: Sha256
    replayed: bool
