"""Papers from arXiv's API: complete for a window, counted, and polite.

What the feed does not say stays unknown: it has no licence (that needs OAI-PMH records) and no
journal date, so papers of this source are not redistributable and wait for publication.
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import arxiv

from lawsmith.curation.windows import in_window
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.arxiv_files import fetch_files, stored_files
from lawsmith.gateways.harvests import Harvest, Problem
from lawsmith.gateways.pace import Pace
from lawsmith.gateways.polite_http import DownloadError, PoliteSession
from lawsmith.gateways.warehouse import Store
from lawsmith.settings import Settings
from schemas.source import Paper, Publication, ReasonCode, SourceFile, Window

MAX_SLICE = 2_000
"""Entries of one query beyond which deep paging loses entries; larger windows are halved."""
_ENTRY = re.compile(r"/abs/(?P<id>.+?)v(?P<version>\d+)$")
_TOTAL = re.compile(rb"<(?:\w+:)?totalResults[^>]*>\s*(\d+)\s*<")


@dataclass(frozen=True)
class _Listing:
    """What the feed said of a span of days."""

    entries: tuple[arxiv.Result, ...]
    expected: int


class ArxivSource:
    """arXiv behind the interface of PaperSource.

    Attributes:
        folder: where its papers' files are kept.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        """Make ready to ask; nothing is sent yet.

        Raises:
            PrerequisiteError: no contact address is set.
        """
        if "@" not in settings.contact_email:
            raise PrerequisiteError(
                f"{settings.contact_email!r} is no e-mail address; arXiv asks for one",
                path="contact_email",
                fix="set contact_email in lawsmith.toml or LAWSMITH_CONTACT_EMAIL",
            )
        self.folder: Path = store.packets / "arxiv"
        self._total = 0
        self._settings = settings.arxiv
        pace = Pace(
            store.locks / "arxiv.pace", settings.arxiv.delay_seconds, clock=clock, sleep=sleep
        )
        self._session = PoliteSession(
            pace,
            contact=settings.contact_email,
            timeouts=(settings.arxiv.connect_seconds, settings.arxiv.read_seconds),
            max_bytes=settings.arxiv.max_file_bytes,
            check=self._check,
        )
        # The session owns pace and retries; the client's own delay would add to them.
        self._client = arxiv.Client(
            page_size=settings.arxiv.page_size, delay_seconds=0, num_retries=2
        )
        self._client.query_url_format = settings.arxiv.url + "?{}"
        self._client._session = self._session

    def harvest(self, window: Window) -> Harvest:
        """The papers first submitted in a window, newest version each, with their files.

        The query reaches one day further on both sides, and the window is cut here: servers
        differ in what the ends of a date filter mean.

        Raises:
            PrerequisiteError: arXiv cannot be reached, or answers with something else.
        """
        day = timedelta(days=1)
        first = date.fromisoformat(window.start) - day
        last = date.fromisoformat(window.end) + day
        listing = self._list(first, last)
        newest: dict[str, arxiv.Result] = {}
        for entry in listing.entries:
            name, version = _identity(entry)
            if name not in newest or version > _identity(newest[name])[1]:
                newest[name] = entry
        papers: list[Paper] = []
        problems: list[Problem] = []
        for name in sorted(newest):
            paper = _paper(newest[name])
            if not in_window(paper.published, window):
                continue
            files, problem = self._files(paper, newest[name])
            papers.append(Paper.model_validate({**dict(paper), "files": files}))
            problems.extend([problem] if problem else [])
        return Harvest(
            papers=tuple(papers),
            problems=tuple(problems),
            expected=listing.expected,
            found=len(newest),
            complete=len(newest) == listing.expected,
        )

    def publications(self, papers: Sequence[Paper], now: str) -> list[Publication]:
        """The papers' first submission; the feed has no journal date, so none is known."""
        return [
            Publication(
                id=paper.id,
                paper_id=paper.paper_id,
                version=paper.version,
                published=paper.published,
                journal_online=None,
                journal_print=None,
                related_preprints=(),
                provenance="metadata",
                retracted=False,
                checked_at=now,
            )
            for paper in papers
        ]

    def submission_dates(self) -> list[str]:
        """Not answered: arXiv has no end.

        Raises:
            InputError: always.
        """
        raise InputError("arXiv is asked by window", path="window", fix="give --window A..B")

    def _list(self, first: date, last: date) -> _Listing:
        """All entries submitted on the days first..last; halved while there are too many."""
        results = self._results(first, last)
        head = next(results, None)
        expected = self._total
        if expected > MAX_SLICE and first < last:
            middle = first + (last - first) // 2
            halves = (self._list(first, middle), self._list(middle + timedelta(days=1), last))
            return _Listing(
                tuple(entry for half in halves for entry in half.entries),
                sum(half.expected for half in halves),
            )
        entries = [] if head is None else [head]
        # A page that stays empty leaves fewer entries than the total: the harvest is incomplete.
        with contextlib.suppress(arxiv.UnexpectedEmptyPageError):
            entries.extend(results)
        return _Listing(tuple(entries), expected)

    def _check(self, body: bytes) -> str | None:
        """What is wrong with an answer of the API; notes the total that it states."""
        total = _TOTAL.search(body)
        if b"<feed" not in body[:2000] or total is None:
            return "the answer is not an Atom feed with a total"
        self._total = int(total.group(1))
        return None

    def _results(self, first: date, last: date) -> Iterator[arxiv.Result]:
        span = f"submittedDate:[{first:%Y%m%d}0000 TO {last:%Y%m%d}2359]"
        search = arxiv.Search(
            query=f"({_categories(self._settings.categories)}) AND {span}",
            max_results=None,
            sort_by=arxiv.SortCriterion.SubmittedDate,
            sort_order=arxiv.SortOrder.Ascending,
        )
        yield from self._client.results(search)

    def _files(
        self, paper: Paper, entry: arxiv.Result
    ) -> tuple[tuple[SourceFile, ...], Problem | None]:
        if paper.withdrawn:
            sentence = "withdrawn by its authors"
            return (), Problem(paper.id, "rejected", ReasonCode.WITHDRAWN, sentence)
        name = paper.id.removeprefix("arxiv:")
        stored = stored_files(self.folder, name)
        if stored is not None:
            return stored, None
        if entry.pdf_url is None:
            sentence = "the feed names no PDF"
            return (), Problem(paper.id, "failed", ReasonCode.DOWNLOAD_FAILED, sentence)
        try:
            return fetch_files(self._session, self.folder, name, entry.pdf_url), None
        except DownloadError as error:
            return (), Problem(paper.id, "failed", ReasonCode.DOWNLOAD_FAILED, str(error))


def _identity(entry: arxiv.Result) -> tuple[str, int]:
    """(id with dots for slashes, version) of a feed entry.

    Raises:
        PrerequisiteError: its id is not one of arXiv's.
    """
    match = _ENTRY.search(entry.entry_id)
    if match is None:
        raise PrerequisiteError(f"entry {entry.entry_id!r} has no arXiv id", path="arXiv feed")
    return match["id"].replace("/", "."), int(match["version"])


def _paper(entry: arxiv.Result) -> Paper:
    name, version = _identity(entry)
    said = f"{entry.comment or ''} {entry.summary}"
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
        withdrawn=bool(
            re.search(r"\b(?:paper|article|submission)\b.{0,40}\bwithdrawn\b", said, re.I)
        ),
        synthetic=False,
    )


def _categories(names: Sequence[str]) -> str:
    """The query of categories; a name without a dot is an archive with all below it."""
    terms = []
    for name in names:
        terms.append(f"cat:{name}")
        if "." not in name:
            terms.append(f"cat:{name}.*")
    return " OR ".join(terms)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


__all__ = ("ArxivSource",)
