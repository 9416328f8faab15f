"""One work as Crossref records it, and how well it agrees with a paper.

Score of a work for a paper: 0.75 t + 0.25 a. t is the share of characters that the two titles,
in lower case and without marks, have in common in order (difflib's ratio); a is the share of
the paper's family names among the work's authors, and of the work's among the paper's, whichever
is smaller. Without authors on either side a is 0. Titles that differ in a number (`II`, `2`), or
of which one alone begins as a note about another work does (`Erratum`, `Reply to`), have t = 0;
so do titles of which each has a word that the other lacks (`steady`, `unsteady`), since authors
name their papers alike.
"""

import calendar
import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from lawsmith.eligibility import as_issn
from schemas.source import RelatedPreprint

JOURNAL_KINDS = frozenset({"journal-article", "proceedings-article"})
_TITLE_SHARE = 0.75
_RETRACTING = frozenset({"retraction", "withdrawal", "removal"})
_RETRACTED_TITLE = re.compile(r"\W*(?:retracted|withdrawn)(?: article| paper)?\s*[:\])]", re.I)
_NUMBER = re.compile(r"\d+|[ivx]+")
_NOTES = frozenset(
    {
        "addendum",
        "comment",
        "comments",
        "correction",
        "corrigendum",
        "errata",
        "erratum",
        "publisher",
        "reply",
        "response",
        "retraction",
    }
)
_SHORT = 3
"""Letters of the longest word that does not tell papers apart."""
_MARKUP = re.compile(r"<[^>]{1,40}>")
_RESOLVER = re.compile(r"^https?://(?:dx\.)?doi\.org/")
_ARXIV = re.compile(r"^(?:10\.48550/)?arxiv[.:/](?P<name>.+?)(?:v\d+)?$")


@dataclass(frozen=True)
class Work:
    """What a record says that matters here.

    Attributes:
        doi: in lower case.
        kind: Crossref's type, as `journal-article`.
        title: without markup.
        families: family names of its authors.
        journal: name of the journal, None if not given.
        issns: ISSNs of the journal, those whose check digit holds.
        online: day, month or year of publication online, as precise as given.
        in_print: the same for print.
        posted: the same for a preprint.
        preprints: DOIs that it names as its preprints.
        preprint_of: DOIs that it names as what it is a preprint of.
        retracted: whether a notice of retraction, removal or withdrawal is recorded.
    """

    doi: str
    kind: str
    title: str
    families: tuple[str, ...]
    journal: str | None
    issns: tuple[str, ...]
    online: str | None
    in_print: str | None
    posted: str | None
    preprints: tuple[str, ...]
    preprint_of: tuple[str, ...]
    retracted: bool

    @property
    def in_a_journal(self) -> bool:
        """Whether it is what a journal date can be of."""
        return self.kind in JOURNAL_KINDS

    def as_preprint(self) -> RelatedPreprint:
        """The work as another preprint of a paper."""
        return RelatedPreprint(identifier=self.doi, posted=self.posted)


def is_arxiv(identifier: str, name: str) -> bool:
    """Whether a DOI or another identifier is that of an arXiv paper, of whatever version."""
    match = _ARXIV.fullmatch(identifier.lower())
    return match is not None and match["name"] == name.lower()


def read_work(message: dict[str, Any]) -> Work:
    """The work of a record; what the record lacks, or has in no readable form, is unknown."""
    title = " ".join(_MARKUP.sub("", text) for text in _texts(message.get("title"))[:1])
    relation = message.get("relation")
    return Work(
        doi=str(message.get("DOI", "")).lower(),
        kind=str(message.get("type", "")),
        title=re.sub(r"\s+", " ", title).strip(),
        families=tuple(
            str(author.get("family") or author.get("name") or "")
            for author in _dicts(message.get("author"))
        ),
        journal=next(map(html.unescape, _texts(message.get("container-title"))), None),
        issns=tuple(
            sorted({issn for text in _texts(message.get("ISSN")) if (issn := as_issn(text))})
        ),
        online=_earliest(message, "published-online", "published-other"),
        in_print=_earliest(message, "published-print"),
        posted=_earliest(message, "posted", "published", "issued"),
        preprints=_related(relation, "has-preprint"),
        preprint_of=_related(relation, "is-preprint-of"),
        retracted=bool(_RETRACTED_TITLE.match(title))
        or any(item.get("type") in _RETRACTING for item in _dicts(message.get("updated-by"))),
    )


def agreement(title: str, authors: Sequence[str], work: Work) -> float:
    """How well a work agrees with a paper's title and authors, 0 to 1, to four digits."""
    same = _likeness(_plain(title), _plain(_RETRACTED_TITLE.sub("", work.title)))
    if not same:
        return 0.0
    mine = {_plain(author).split()[-1] for author in authors if _plain(author)}
    others = {_plain(name).split()[-1] for name in work.families if _plain(name)}
    shared = len(mine & others) / max(len(mine), len(others)) if mine and others else 0.0
    return round(_TITLE_SHARE * same + (1 - _TITLE_SHARE) * shared, 4)


def _likeness(ours: str, theirs: str) -> float:
    """Share of characters that two plain titles have in common in order; 0 if not of one work."""
    if not ours or not theirs:
        return 0.0
    words, others = ours.split(), theirs.split()
    if sorted(filter(_NUMBER.fullmatch, words)) != sorted(filter(_NUMBER.fullmatch, others)):
        return 0.0
    if words[0] != others[0] and (words[0] in _NOTES or others[0] in _NOTES):
        return 0.0
    if _telling(words) - _telling(others) and _telling(others) - _telling(words):
        return 0.0
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio()


def _telling(words: Sequence[str]) -> set[str]:
    """The words that tell papers apart, without the s of a plural."""
    return {word.removesuffix("s") for word in words if len(word) > _SHORT}


def _earliest(message: dict[str, Any], *fields: str) -> str | None:
    """The earliest of some dates, each at its own precision."""
    dates = [date for field in fields if (date := _date(message.get(field))) is not None]
    return min(dates, default=None)


def _date(value: Any) -> str | None:
    """`2026`, `2026-10` or `2026-10-15` of a record's date-parts; None for anything else."""
    rows = value.get("date-parts") if isinstance(value, dict) else None
    parts = rows[0] if isinstance(rows, list) and rows else None
    if not isinstance(parts, list) or not parts or not all(type(n) is int for n in parts):
        return None
    year, month, day = (*parts, 1, 1)[:3] if len(parts) < 3 else parts[:3]
    if not (1500 <= year <= 9999 and 1 <= month <= 12):
        return None
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return "-".join([f"{year:04}", f"{month:02}", f"{day:02}"][: min(len(parts), 3)])


def _related(relation: Any, name: str) -> tuple[str, ...]:
    found = _dicts(relation.get(name)) if isinstance(relation, dict) else []
    named = (str(item["id"]).strip().lower() for item in found if item.get("id"))
    return tuple(sorted({_RESOLVER.sub("", name) for name in named}))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _plain(text: str) -> str:
    """Small letters and digits only, accents off, words one space apart."""
    bare = unicodedata.normalize("NFKD", text)
    bare = "".join(sign for sign in bare if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", bare.casefold()))


__all__ = ("JOURNAL_KINDS", "Work", "agreement", "is_arxiv", "read_work")
