"""Near misses: relations of a paper that a reader would have taken but for one thing."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from schemas.record import Identity, Part, Record, Sha256

BlockedBy = Literal[
    "missing_range",
    "missing_constant",
    "form_cited_only",
    "restated",
    "paired",
    "not_closed_form",
    "out_of_language",
    "unit_does_not_close",
    "misprint_suspected",
    "unclear",
]
"""What stands in the way; a closed list, so that papers can be read again when a rule changes."""


class NearMissDraft(Part):
    """A relation that no card was made of, as a model reports it."""

    what: str
    """The relation, in a few words of the reader's own."""
    first_line: int
    last_line: int
    """Where its formula stands: 1-based, inclusive."""
    blocked_by: BlockedBy
    missing: str | None
    """What would have to be printed; null where nothing is missing."""


class NearMiss(Record):
    """A reported near miss of one paper version. `id` is `<paper version>/n<k>`.

    k counts, from 1, the near misses of the reply in its order.
    """

    not_content: ClassVar[frozenset[str]] = frozenset({"extractor", "prompt_sha256", "replayed"})

    paper_id: Identity
    version: int
    packet_id: Identity
    packet_sha256: Sha256
    what: str
    first_line: int
    last_line: int
    blocked_by: BlockedBy
    missing: str | None
    extractor: str
    """The model that answered."""
    prompt_sha256: Sha256
    replayed: bool

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 1 <= self.first_line <= self.last_line:
            raise ValueError(f"lines {self.first_line}-{self.last_line} are not ascending from 1")
        return self


__all__ = ("BlockedBy", "NearMiss", "NearMissDraft")
