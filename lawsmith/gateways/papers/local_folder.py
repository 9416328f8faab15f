"""Papers of a folder: `metadata.jsonl`, one line a paper version, beside their files."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from lawsmith.eligibility import in_window
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.papers.paper_source import Harvest, Problem
from lawsmith.paper_boundary import PaperFaultError, paper_boundary
from schemas.record import Instant, Part, PartialDate, Sha256, canonical_json, strict_json
from schemas.source import (
    Paper,
    Publication,
    ReasonCode,
    RelatedPreprint,
    SourceFile,
    Window,
)

METADATA = "metadata.jsonl"
_KINDS: dict[str, Literal["pdf", "tex", "text"]] = {
    ".pdf": "pdf",
    ".tex": "tex",
    ".txt": "text",
    ".md": "text",
}
_SHAPE = (
    '{"id": "folder:flux-7", "version": 1, "published": "2026-10-06T08:00:00Z",'
    ' "updated": "2026-10-06T08:00:00Z", "title": "…", "abstract": "…", "authors": ["…"],'
    ' "categories": [], "doi": null, "journal_ref": null, "journal_online": null,'
    ' "journal_print": "2026-11", "related_preprints": [{"identifier": "…", "posted": null}],'
    ' "licence": null, "files": ["flux-7.pdf"]}'
)


class ListedFile(Part):
    """A file with the hash that it must have."""

    path: str
    sha256: Sha256


class PaperLine(Part):
    """One line of metadata.jsonl. Unknown facts are null; a fact left out is an error."""

    id: str
    version: int
    published: Instant
    updated: Instant
    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    doi: str | None
    journal_ref: str | None
    journal_online: PartialDate | None
    journal_print: PartialDate | None
    related_preprints: tuple[RelatedPreprint, ...]
    licence: str | None
    files: tuple[str | ListedFile, ...]
    journal: str | None = None
    """Give it where the paper has appeared in one; cuts may be restricted to journals."""
    issns: tuple[str, ...] = ()
    """Of that journal."""
    withdrawn: bool = False
    """Give it where the preprint server says so."""
    retracted: bool = False
    """Give it where the journal says so."""


@dataclass(frozen=True)
class FolderSource:
    """The papers of one folder.

    Attributes:
        folder: where metadata.jsonl lies.
        prefix: what the ids of its papers start with.
    """

    folder: Path
    prefix: Literal["sample", "folder"]

    def harvest(self, window: Window) -> Harvest:
        """The papers first submitted in a window; a missing file is a problem, not an end.

        Raises:
            PrerequisiteError: there is no metadata.jsonl.
            InputError: a line breaks a rule; the message names line and field.
        """
        listed = [line for line in self._lines if in_window(line.published, window)]
        papers: list[Paper] = []
        problems: list[Problem] = []
        for line in listed:
            name = f"{line.id}v{line.version}"
            try:
                with paper_boundary(name, InputError):
                    files, faults = self._files(line)
            except PaperFaultError as error:
                files = ()
                faults = [Problem(name, "failed", ReasonCode.UNEXPECTED_ERROR, error.problem)]
            papers.append(self._paper(line, files))
            problems.extend(faults)
        return Harvest(
            papers=tuple(sorted(papers, key=lambda paper: paper.id)),
            problems=tuple(problems),
            expected=len(listed),
            found=len(papers),
            complete=True,
        )

    def publications(self, papers: Sequence[Paper], now: str) -> list[Publication]:
        """The dates that the metadata gives for those of the papers that it lists."""
        by_id = {f"{line.id}v{line.version}": line for line in self._lines}
        return [
            Publication(
                id=paper.id,
                paper_id=paper.paper_id,
                version=paper.version,
                published=line.published,
                journal_online=line.journal_online,
                journal_print=line.journal_print,
                related_preprints=line.related_preprints,
                provenance="metadata",
                retracted=line.retracted,
                checked_at=now,
                journal=line.journal,
                journal_issns=line.issns,
            )
            for paper in papers
            if (line := by_id.get(paper.id)) is not None
        ]

    def newest_versions(self, papers: Sequence[Paper]) -> Mapping[str, int]:
        """Nothing: every harvest reads the metadata afresh, with all versions in it."""
        del papers
        return {}

    def submission_dates(self) -> list[str]:
        """The first submission of every paper listed, sorted."""
        return sorted(line.published for line in self._lines)

    @cached_property
    def _lines(self) -> tuple[PaperLine, ...]:
        path = self.folder / METADATA
        if not path.is_file():
            raise PrerequisiteError(
                f"the folder has no {METADATA}",
                path=str(self.folder),
                fix=f"write one line a paper, null where a fact is unknown: {_SHAPE}",
            )
        found: dict[str, PaperLine] = {}
        # Split at line feeds only: a title may hold other line separators.
        for number, raw in enumerate(path.read_bytes().split(b"\n"), start=1):
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(f"not UTF-8: {error}", path=f"{path}:{number}") from error
            if not text.strip():
                continue
            line = self._line(text, f"{path}:{number}")
            identity = f"{line.id}v{line.version}"
            if identity in found:
                raise InputError(f"{identity!r} is listed twice", path=f"{path}:{number}")
            found[identity] = line
        return tuple(found.values())

    def _line(self, text: str, where: str) -> PaperLine:
        try:
            # Through the strict reader first: it refuses keys that stand twice.
            line = PaperLine.model_validate_json(canonical_json(strict_json(text)))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"]))
            raise InputError(
                f"{field}: {first['msg']}", path=where, fix=f"a line looks like {_SHAPE}"
            ) from error
        except ValueError as error:
            raise InputError(f"not JSON: {error}", path=where) from error
        if not line.id.startswith(f"{self.prefix}:"):
            raise InputError(
                f"id {line.id!r} does not start with {self.prefix + ':'!r}",
                path=where,
                fix="sample papers are never mixed with others; use --source sample for them",
            )
        return line

    def _files(self, line: PaperLine) -> tuple[tuple[SourceFile, ...], list[Problem]]:
        files: list[SourceFile] = []
        problems: list[Problem] = []

        def fault(code: ReasonCode, sentence: str) -> None:
            problems.append(Problem(f"{line.id}v{line.version}", "failed", code, sentence))

        for entry in line.files:
            name = entry if isinstance(entry, str) else entry.path
            path = self.folder / name
            if not path.resolve().is_relative_to(self.folder.resolve()):
                raise InputError(f"file {name!r} lies outside the folder", path=line.id)
            if not path.is_file():
                fault(ReasonCode.FILE_MISSING, f"file {name} is not there")
                continue
            file = _source_file(path, name, line.id)
            if isinstance(entry, ListedFile) and entry.sha256 != file.sha256:
                fault(ReasonCode.FILE_CHANGED, f"file {name} is not the one that is listed")
                continue
            files.append(file)
        return tuple(files), problems

    def _paper(self, line: PaperLine, files: tuple[SourceFile, ...]) -> Paper:
        try:
            return Paper(
                id=f"{line.id}v{line.version}",
                paper_id=line.id,
                version=line.version,
                source=self.prefix,
                title=line.title,
                abstract=line.abstract,
                authors=line.authors,
                categories=line.categories,
                published=line.published,
                updated=line.updated,
                doi=line.doi,
                journal_ref=line.journal_ref,
                licence=line.licence,
                files=files,
                withdrawn=line.withdrawn,
                synthetic=self.prefix == "sample",
            )
        except ValidationError as error:
            message = error.errors(include_url=False)[0]["msg"]
            raise InputError(message, path=f"{self.folder / METADATA} {line.id}") from error


def _source_file(path: Path, name: str, owner: str) -> SourceFile:
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(
            f"file {name!r} is none of {sorted(_KINDS)}", path=owner, fix="leave it out of `files`"
        )
    data = path.read_bytes()
    return SourceFile(path=name, kind=kind, sha256=hashlib.sha256(data).hexdigest(), size=len(data))


__all__ = ("METADATA", "FolderSource", "PaperLine")
