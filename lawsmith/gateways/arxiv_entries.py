"""What one entry of arXiv's Atom feed says of a paper."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import arxiv

from lawsmith.errors import PrerequisiteError
from schemas.source import Paper

_ENTRY = re.compile(r"/abs/(?P<id>.+?)v(?P<version>\d+)$")
_OLD_STYLE = re.compile(r"(?P<archive>[a-z-]+(?:\.[A-Z]{2})?)\.(?P<number>\d{7})")
_WHAT = r"\b(?:paper|article|submission|manuscript|preprint|work|version)\b"
_IN_COMMENT = re.compile(rf"^\W*withdrawn\b|{_WHAT}.{{0,40}}\bwithdrawn\b", re.I)
_IN_ABSTRACT = re.compile(
    rf"{_WHAT} (?:has been|have been|had been|was|is|is being) (?:\w+ )?withdrawn\b", re.I
)
"""Stricter: an abstract may speak of water or heat that is withdrawn."""


def identity(entry: arxiv.Result) -> tuple[str, int]:
    """(id as arXiv writes it, version) of a feed entry.

    Raises:
        PrerequisiteError: its id is not one of arXiv's.
    """
    match = _ENTRY.search(entry.entry_id)
    if match is None:
        raise PrerequisiteError(f"entry {entry.entry_id!r} has no arXiv id", path="arXiv feed")
    return match["id"], int(match["version"])


def arxiv_id(paper_id: str) -> str:
    """The id as arXiv writes it: old ids have a slash where ours have a dot."""
    name = paper_id.removeprefix("arxiv:")
    old = _OLD_STYLE.fullmatch(name)
    return f"{old['archive']}/{old['number']}" if old else name


def paper_of(entry: arxiv.Result) -> Paper:
    """The paper of an entry, without licence and files, which the feed does not have."""
    name, version = identity(entry)
    name = name.replace("/", ".")
    return Paper(
        id=f"arxiv:{name}v{version}",
        paper_id=f"arxiv:{name}",
        version=version,
        source="arxiv",
        title=_one_line(entry.title),
        abstract=_one_line(entry.summary),
        authors=tuple(author.name for author in entry.authors),
        categories=tuple(entry.categories),
        published=_instant(entry.published),
        updated=_instant(entry.updated),
        doi=entry.doi or None,
        journal_ref=entry.journal_ref or None,
        licence=None,
        files=(),
        withdrawn=_withdrawn(entry.comment or "", _one_line(entry.summary)),
        synthetic=False,
    )


def category_query(names: Sequence[str]) -> str:
    """The query of categories; a name without a dot is an archive with all below it."""
    terms = []
    for name in names:
        terms.append(f"cat:{name}")
        if "." not in name:
            terms.append(f"cat:{name}.*")
    return " OR ".join(terms)


def _withdrawn(comment: str, abstract: str) -> bool:
    return bool(_IN_COMMENT.search(comment) or _IN_ABSTRACT.search(abstract))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


__all__ = ("arxiv_id", "category_query", "identity", "paper_of")
