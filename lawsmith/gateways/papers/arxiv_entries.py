"""What one page of arXiv's Atom feed says: a paper from each entry that can be read.

A feed is read as far as it goes: an entry that is no paper is told apart and never keeps the
others from being read.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.papers.paper_source import Unread
from lawsmith.paper_boundary import PaperFaultError, fault_sentence, paper_boundary
from schemas.record import content_digest
from schemas.source import Paper

_ENTRY = re.compile(r"/abs/(?P<id>[A-Za-z0-9][^\s?#]{0,59}?)v(?P<version>[0-9]{1,4})$")
_OLD_STYLE = re.compile(r"(?P<archive>[a-z-]+(?:\.[A-Z]{2})?)\.(?P<number>\d{7})")
_WHAT = r"\b(?:paper|article|submission|manuscript|preprint|work|version)\b"
_IN_COMMENT = re.compile(rf"^\W*withdrawn\b|{_WHAT}.{{0,40}}\bwithdrawn\b", re.I)
_IN_ABSTRACT = re.compile(
    rf"{_WHAT} (?:has been|have been|had been|was|is|is being) (?:\w+ )?withdrawn\b", re.I
)
"""Stricter: an abstract may speak of water or heat that is withdrawn."""
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_ERRORS = "/api/errors"
"""In the id of an entry by which the API says that it does not understand the question."""


@dataclass(frozen=True)
class Entry:
    """One paper version of the feed.

    Attributes:
        name: its id as arXiv writes it, with the slash of old ones.
        paper: without licence and files, which the feed does not have.
        pdf_url: address of its PDF, None if the feed names none.
    """

    name: str
    paper: Paper
    pdf_url: str | None

    @property
    def version(self) -> int:
        """The version that the feed lists."""
        return self.paper.version


def read_feed(body: bytes) -> list[Entry | Unread]:
    """The entries of one page, in its order.

    Raises:
        PrerequisiteError: the API says that it does not understand the question, or its
            answer is no XML at all.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(body, parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise PrerequisiteError(f"no XML: {fault_sentence(error)}", path="arXiv feed") from error
    return [] if root is None else [_read(item) for item in root.iterfind(f"{_ATOM}entry")]


def arxiv_id(paper_id: str) -> str:
    """The id as arXiv writes it: old ids have a slash where ours have a dot."""
    name = paper_id.removeprefix("arxiv:")
    old = _OLD_STYLE.fullmatch(name)
    return f"{old['archive']}/{old['number']}" if old else name


def category_query(names: Sequence[str]) -> str:
    """The query of categories; a name without a dot is an archive with all below it."""
    terms = []
    for name in names:
        terms.append(f"cat:{name}")
        if "." not in name:
            terms.append(f"cat:{name}.*")
    return " OR ".join(terms)


def _read(item: Any) -> Entry | Unread:
    stated = _text(item, f"{_ATOM}id").strip()
    if _ERRORS in stated:
        raise PrerequisiteError(
            f"arXiv refuses the query: {_one_line(_text(item, f'{_ATOM}summary'))[:200]}",
            path="arXiv feed",
        )
    try:
        with paper_boundary(stated):
            return _entry(item, stated)
    except PaperFaultError as error:
        return _unread(item, stated, error.problem)


def _entry(item: Any, stated: str) -> Entry:
    match = _ENTRY.search(stated)
    if match is None:
        raise ValueError(f"id {stated!r} is none of arXiv's")
    name, version = match["id"].replace("/", "."), int(match["version"])
    abstract = _one_line(_text(item, f"{_ATOM}summary"))
    paper = Paper(
        id=f"arxiv:{name}v{version}",
        paper_id=f"arxiv:{name}",
        version=version,
        source="arxiv",
        title=_one_line(_text(item, f"{_ATOM}title")),
        abstract=abstract,
        authors=tuple(_text(author, f"{_ATOM}name") for author in item.iterfind(f"{_ATOM}author")),
        categories=tuple(
            term for found in item.iterfind(f"{_ATOM}category") if (term := found.get("term"))
        ),
        published=_instant(_text(item, f"{_ATOM}published")),
        updated=_instant(_text(item, f"{_ATOM}updated")),
        doi=_text(item, f"{_ARXIV}doi") or None,
        journal_ref=_text(item, f"{_ARXIV}journal_ref") or None,
        licence=None,
        files=(),
        withdrawn=_withdrawn(_text(item, f"{_ARXIV}comment"), abstract),
        synthetic=False,
    )
    links = (link for link in item.iterfind(f"{_ATOM}link") if link.get("title") == "pdf")
    return Entry(match["id"], paper, next((link.get("href") for link in links), None))


def _unread(item: Any, stated: str, sentence: str) -> Unread:
    match = _ENTRY.search(stated)
    whole = etree.tostring(item)
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", match["id"].replace("/", ".") if match else stated)
    if match is None or len(name) > 60:
        mark = hashlib.sha256(stated.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        name = f"{name[-30:].strip('-')}-{mark}"
    try:
        published = _instant(_text(item, f"{_ATOM}published"))
    except ValueError:
        published = None
    return Unread(
        paper_id=f"arxiv:{name}",
        version=int(match["version"]) if match else None,
        published=published,
        digest=content_digest("feed_entry", 1, hashlib.sha256(whole).hexdigest()),
        sentence=f"the feed's entry cannot be read: {sentence}",
    )


def _withdrawn(comment: str, abstract: str) -> bool:
    return bool(_IN_COMMENT.search(comment) or _IN_ABSTRACT.search(abstract))


def _text(item: Any, path: str) -> str:
    found = item.find(path)
    return "" if found is None or found.text is None else str(found.text)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _instant(text: str) -> str:
    """An RFC 3339 time stamp in UTC, to the second.

    Raises:
        ValueError: it is none.
    """
    moment = datetime.fromisoformat(text.strip())
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


__all__ = ("Entry", "arxiv_id", "category_query", "read_feed")
