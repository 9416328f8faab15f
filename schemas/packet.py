"""The frozen, numbered text that a card is read from."""

import hashlib
from typing import Literal, Self

from pydantic import model_validator

from schemas.record import Identity, Part, Record, Sha256

PacketKind = Literal["tex", "pdf", "text"]


class ExcludedPage(Part):
    """A page whose text is not in the packet, and why."""

    page: int
    reason: str


class Packet(Record):
    """The exact text of one paper version; a changed byte is another packet.

    `id` is `<paper>v<n>/<kind>/<first 12 hex digits of the text's sha256>`.
    """

    paper_id: Identity
    version: int
    kind: PacketKind
    extractor: str
    extractor_version: str
    options: dict[str, str]
    files: tuple[str, ...]
    """The source files read, in reading order."""
    lines: tuple[str, ...]
    r"""The text split at "\n" only; line n of the packet is lines[n - 1]."""
    sections: tuple[str | None, ...]
    """Section heading above each line."""
    pages: tuple[int | None, ...]
    """1-based page of each line; null where the source has no pages."""
    text_sha256: Sha256
    excluded_pages: tuple[ExcludedPage, ...]
    quality: dict[str, float]
    """Named figures of how readable the text is; they decide nothing by themselves."""

    @model_validator(mode="after")
    def _frozen_text(self) -> Self:
        if not (len(self.lines) == len(self.sections) == len(self.pages)):
            raise ValueError("lines, sections and pages differ in length")
        if any("\n" in line for line in self.lines):
            raise ValueError("a packet line holds a line feed")
        found = hashlib.sha256(self.text.encode("utf-8")).hexdigest()
        if found != self.text_sha256:
            raise ValueError(f"text_sha256 {self.text_sha256} is not that of the lines: {found}")
        expected = f"{self.paper_id}v{self.version}/{self.kind}/{found[:12]}"
        if self.id != expected:
            raise ValueError(f"id {self.id!r} is not {expected!r}")
        return self

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n".join(self.lines)
