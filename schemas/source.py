"""Where papers come from and what became of them: papers, publications, windows, dispositions."""

import re
from datetime import date
from enum import StrEnum
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from schemas.record import Day, Identity, Instant, Part, PartialDate, Record, Sha256

Collection = Literal["temporal", "historical", "temporal-sample", "historical-dev"]
"""What shares one collection key. The last two have committed, public keys."""

Outcome = Literal["passed", "rejected", "waiting", "failed", "deferred"]
"""rejected = final for that digest; waiting = a date is missing; failed = technical, retried;
deferred = budget or cap."""

Stage = Literal[
    "sources",
    "publications",
    "packets",
    "cards",
    "reviews/card",
    "families",
    "reviews/case",
    "problems",
    "worlds",
    "tasks",
]
"""The stage tables; eligibility at a cut is stage `tasks` with its release id."""

SubjectKind = Literal["paper", "packet", "card", "family", "problem", "week"]
"""A week is a subject where its harvest is incomplete, and where a network source gave all."""

_PAPER = re.compile(r"(arxiv|sample|folder):[A-Za-z0-9.-]+")


class ReasonCode(StrEnum):
    """Why a subject stands where it stands. Codes may be added, never renamed."""

    OK = "ok"
    UNEXPECTED_ERROR = "unexpected_error"
    # sources
    OUTSIDE_WINDOW = "outside_window"
    WITHDRAWN = "withdrawn"
    FILE_MISSING = "file_missing"
    FILE_CHANGED = "file_changed"
    DOWNLOAD_FAILED = "download_failed"
    INCOMPLETE_HARVEST = "incomplete_harvest"
    HARVESTED_WHOLE = "harvested_whole"
    # publications
    AWAITING_PUBLICATION = "awaiting_publication"
    NOT_LOOKED_UP = "not_looked_up"
    NEW_VERSION = "new_version"
    RETRACTED = "retracted"
    # packets
    NO_USABLE_FILE = "no_usable_file"
    NOT_A_PDF = "not_a_pdf"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    NO_PAGES = "no_pages"
    TOO_MANY_PAGES = "too_many_pages"
    NO_TEXT_LAYER = "no_text_layer"
    UNREADABLE_TEXT = "unreadable_text"
    EXTRACTION_TIMEOUT = "extraction_timeout"
    EXTRACTION_MEMORY = "extraction_memory"
    TEX_UNREADABLE = "tex_unreadable"
    READER_UNAVAILABLE = "reader_unavailable"
    # cards: triage and extraction
    BELOW_TRIAGE = "below_triage"
    NO_EXECUTABLE_RELATION = "no_executable_relation"
    OVER_BUDGET = "over_budget"
    INTERRUPTED = "interrupted"
    MODEL_FAILED = "model_failed"
    REPLY_MISSING = "reply_missing"
    TRUNCATED_REPLY = "truncated_reply"
    UNUSABLE_REPLY = "unusable_reply"
    # cards: admission gates
    QUOTE_NOT_FOUND = "quote_not_found"
    NUMBER_NOT_ANCHORED = "number_not_anchored"
    DERIVATION_MISMATCH = "derivation_mismatch"
    ANCHOR_INVALID = "anchor_invalid"
    UNKNOWN_UNIT = "unknown_unit"
    DIMENSION_MISMATCH = "dimension_mismatch"
    UNIT_INCOHERENT = "unit_incoherent"
    INVALID_EXPRESSION = "invalid_expression"
    UNDECLARED_NAME = "undeclared_name"
    UNUSED_NAME = "unused_name"
    UNDEFINED_ON_DOMAIN = "undefined_on_domain"
    DOMAIN_MISSING = "domain_missing"
    PAIRED_DOMAIN = "paired_domain"
    OUTSIDE_DOMAIN = "outside_domain"
    STATUS_TOO_STRONG = "status_too_strong"
    NOT_EXECUTABLE = "not_executable"
    INERT_CONTROL = "inert_control"
    RESTATED = "restated"
    TEMPORAL_RESTATED = "temporal_restated"
    DUPLICATE = "duplicate"
    BEYOND_LICENCE = "beyond_licence"
    PACKET_CHANGED = "packet_changed"
    FORMULA_MISMATCH = "formula_mismatch"
    AMBIGUOUS_SYMBOL = "ambiguous_symbol"
    VALUE_MISMATCH = "value_mismatch"
    UNIT_NOT_ANCHORED = "unit_not_anchored"
    RANGE_NOT_ANCHORED = "range_not_anchored"
    NOT_A_CONTROL = "not_a_control"
    CONDITION_DROPPED = "condition_dropped"
    ANCHOR_OFF_SUBJECT = "anchor_off_subject"
    CLAIM_NEGATED = "claim_negated"
    # reviews
    REVIEWER_REJECTED = "reviewer_rejected"
    REVISIONS_EXHAUSTED = "revisions_exhausted"
    AWAITING_REVISION = "awaiting_revision"
    REVIEW_UNSUPPORTED = "review_unsupported"
    SAME_MODEL = "same_model"
    OVERRIDDEN = "overridden"
    # families
    NO_SCALE = "no_scale"
    NO_CANDIDATE = "no_candidate"
    CERTIFICATE_FAILED = "certificate_failed"
    TOO_FEW_COMBINATIONS = "too_few_combinations"
    INFEASIBLE_DESIGN = "infeasible_design"
    BACKGROUND_LEAKS = "background_leaks"
    BLEND_TOO_LARGE = "blend_too_large"
    UNDECIDED = "undecided"
    # problems: admission, hidden laws
    TABLE_UNREADABLE = "table_unreadable"
    TOO_FEW_ROWS = "too_few_rows"
    RANK_CORRELATION = "rank_correlation"
    EXACT_FUNCTION = "exact_function"
    NAMED_LIKE_TARGET = "named_like_target"
    NO_LAW_BEATS_BASELINES = "no_law_beats_baselines"
    NO_LAW_EXPLAINS = "no_law_explains"
    NEAR_PERFECT = "near_perfect"
    FEW_VALIDITY_ITEMS = "few_validity_items"
    HELD_BACK = "held_back"
    NOT_MEASURED = "not_measured"
    NOT_RETYPED = "not_retyped"
    NO_TASK = "no_task"
    NO_HIDDEN_LAW = "no_hidden_law"
    # eligibility at the cut
    BEFORE_CUTOFF = "before_cutoff"
    JOURNAL_BEFORE_CUTOFF = "journal_before_cutoff"
    AFTER_UNTIL = "after_until"
    JOURNAL_NOT_LISTED = "journal_not_listed"
    JOURNAL_UNKNOWN = "journal_unknown"
    CATEGORY_NOT_LISTED = "category_not_listed"
    NOT_EXTRACTED = "not_extracted"
    OTHER_COLLECTION = "other_collection"


class Window(Part):
    """A half-open span of days: [start 00:00Z, end 00:00Z)."""

    start: Day
    end: Day

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if date.fromisoformat(self.start) >= date.fromisoformat(self.end):
            raise ValueError(f"window {self.start}..{self.end} does not start before it ends")
        return self

    def __str__(self) -> str:
        """The window as `A..B`."""
        return f"{self.start}..{self.end}"


class SourceFile(Part):
    """One file of a paper as it lies in the store."""

    path: str
    """Relative to the folder of the source."""
    kind: Literal["pdf", "tex", "text"]
    sha256: Sha256
    size: int
    """Bytes."""


class Paper(Record):
    """One version of a paper. `id` is the paper id and version: `sample:0001v1`."""

    paper_id: Identity
    version: int
    source: Literal["arxiv", "sample", "folder"]
    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    published: Instant
    """First submission (v1)."""
    updated: Instant
    """Submission of this version."""
    doi: str | None
    journal_ref: str | None
    """Free text, as the feed gives it; no date is read from it."""
    licence: str | None
    """SPDX identifier; null = not redistributable."""
    files: tuple[SourceFile, ...]
    withdrawn: bool
    synthetic: bool
    """Written for the bundled sample; every output that shows it says so."""

    @model_validator(mode="after")
    def _identified(self) -> Self:
        if not _PAPER.fullmatch(self.paper_id):
            raise ValueError(
                f"paper id {self.paper_id!r} is not <arxiv|sample|folder>:<letters, digits, . ->"
            )
        if self.id != f"{self.paper_id}v{self.version}":
            raise ValueError(f"id {self.id!r} is not {self.paper_id}v{self.version}")
        return self


class RelatedPreprint(Part):
    """Another preprint of the same paper."""

    identifier: str
    posted: PartialDate | None


class Publication(Record):
    """What is known of a paper's dates outside its preprint server. `id` is the paper version."""

    not_content: ClassVar[frozenset[str]] = frozenset(
        {
            "checked_at",
            "unchanged_since",
            "journal_doi",
            "journal",
            "journal_issns",
            "matched_by",
            "match_score",
        }
    )

    paper_id: Identity
    version: int
    published: Instant
    """First submission (v1), repeated here so that eligibility needs this record alone."""
    journal_online: PartialDate | None
    journal_print: PartialDate | None
    related_preprints: tuple[RelatedPreprint, ...]
    provenance: Literal["metadata", "crossref"]
    retracted: bool
    checked_at: Instant
    unchanged_since: Instant | None = None
    """When the same was first found, where the look-up at `checked_at` found nothing new."""
    journal_doi: str | None = None
    """The work that the dates are of; its record is the source of every date here."""
    journal: str | None = None
    journal_issns: tuple[str, ...] = ()
    """ISSNs of that journal, `1234-567X`, as far as its record gives them."""
    matched_by: Literal["doi", "title"] | None = None
    """How that work was found: by the DOI that the preprint states, or by title and authors."""
    match_score: float | None = None
    """Agreement of its title and authors with the paper's, 0 to 1."""


class Disposition(Record):
    """What one stage decided about one subject, once for each digest judged and release."""

    not_content: ClassVar[frozenset[str]] = frozenset({"attempts", "at"})

    subject_kind: SubjectKind
    subject_id: Identity
    stage: Stage
    digest_judged: Sha256
    release_id: str | None
    paper_id: str | None
    version: int | None
    outcome: Outcome
    reason_code: ReasonCode
    sentence: str
    retryable: bool
    attempts: int
    at: Instant
