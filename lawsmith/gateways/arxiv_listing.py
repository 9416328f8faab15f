"""Lists of arXiv's API, proven whole by counts or known not to be.

A list is whole when as many different papers came as the feed said there are, for every slice
that was asked and for the whole span. What does not add up is asked for once more, and what
came in either pass is kept.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from urllib.parse import parse_qs, urlsplit

import arxiv

from lawsmith.gateways.arxiv_entries import category_query, identity
from lawsmith.gateways.polite_http import PoliteSession
from lawsmith.settings import Arxiv

MAX_SLICE = 2_000
"""Entries of one query beyond which deep paging loses entries; larger spans are halved."""
MAX_HALVINGS = 10
"""Slices of a window of weeks are then minutes long; a server that ignores dates ends here."""
EMPTY_TRIES = 3
"""How often a first page without entries, though some are stated, is asked for."""
_TOTAL = re.compile(rb"<(?:\w+:)?totalResults[^>]*>\s*(\d+)\s*<")
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Listing:
    """What the feed said of a span.

    Attributes:
        newest: arXiv id -> its entry of the highest version that came.
        expected: how many papers the feed said there are.
        strays: entries submitted outside the span, which a date filter must not give.
        whole: whether the counts add up, here and in every slice.
    """

    newest: dict[str, arxiv.Result]
    expected: int
    strays: int
    whole: bool


class Lister:
    """Asks arXiv's API for entries through a polite session."""

    def __init__(self, session: PoliteSession, settings: Arxiv) -> None:
        """Make ready to ask; the session's check becomes that of the feed."""
        self._settings = settings
        self._total = 0
        session.check = self._fault
        # The session owns pace and retries; the client's own delay would add to them.
        self._client = arxiv.Client(page_size=settings.page_size, delay_seconds=0, num_retries=2)
        self._client.query_url_format = settings.url + "?{}"
        self._client._session = session

    def submitted(self, first: datetime, last: datetime, depth: int = 0) -> Listing:
        """All papers first submitted from one minute to another, both included.

        Args:
            first: the first minute, UTC.
            last: the last one.
            depth: how often a longer span was halved to come to this one.

        Raises:
            DownloadError: the API cannot be reached, or answers with something else.
        """
        splits = depth < MAX_HALVINGS and last - first > _MINUTE
        listing = self._once(first, last, splits=splits)
        if listing is None:
            return self._halved(first, last, self._total, depth)
        if not listing.whole and listing.expected <= MAX_SLICE:
            again = self._once(first, last, splits=False)
            listing = _merged([listing, again], again.expected) if again else listing
        return listing

    def named(self, arxiv_ids: Sequence[str]) -> dict[str, arxiv.Result]:
        """The entries of ids as they are now; an id that the API does not know is left out.

        Raises:
            DownloadError: the API cannot be reached, or answers with something else.
        """
        found: dict[str, arxiv.Result] = {}
        size = self._settings.page_size
        for start in range(0, len(arxiv_ids), size):
            some = list(arxiv_ids[start : start + size])
            search = arxiv.Search(id_list=some, max_results=None)
            entries = self._entries(search)
            found.update(_newest(entries))
        return found

    def _once(self, first: datetime, last: datetime, *, splits: bool) -> Listing | None:
        """One pass over the pages of a span; None where it is to be halved.

        A span that is too long and cannot be halved is read as far as is safe, and is not whole.
        """
        search = arxiv.Search(
            query=f"({category_query(self._settings.categories)}) AND "
            f"submittedDate:[{first:%Y%m%d%H%M} TO {last:%Y%m%d%H%M}]",
            max_results=None,
            sort_by=arxiv.SortCriterion.SubmittedDate,
            sort_order=arxiv.SortOrder.Ascending,
        )
        pages = self._begun(search)
        head = next(pages, None)
        expected = self._total
        if expected > MAX_SLICE and splits:
            return None
        entries = [] if head is None else [head, *self._rest(islice(pages, MAX_SLICE))]
        newest = _newest(entries)
        strays = sum(
            not first <= entry.published.astimezone(UTC) < last + _MINUTE
            for entry in newest.values()
        )
        return Listing(newest, expected, strays, len(newest) == expected)

    def _halved(self, first: datetime, last: datetime, expected: int, depth: int) -> Listing:
        """Two slices that share the minute in the middle, held against the total of the whole."""
        minutes = (last - first) // _MINUTE
        middle = first + (minutes // 2) * _MINUTE
        spans = ((first, middle), (middle, last))
        halves = [self.submitted(*span, depth=depth + 1) for span in spans]
        return _merged(halves, expected, every=True)

    def _begun(self, search: arxiv.Search) -> Iterator[arxiv.Result]:
        """The entries of a query; a first page without any is not believed at once."""
        for _ in range(EMPTY_TRIES):
            pages = self._client.results(search)
            head = next(pages, None)
            if head is not None:
                yield head
                yield from pages
                return
            if not self._total:
                return

    def _entries(self, search: arxiv.Search) -> list[arxiv.Result]:
        return self._rest(self._begun(search))

    @staticmethod
    def _rest(pages: Iterator[arxiv.Result]) -> list[arxiv.Result]:
        entries: list[arxiv.Result] = []
        # A page that stays empty leaves fewer entries than the total, and the counts show it.
        with contextlib.suppress(arxiv.UnexpectedEmptyPageError):
            entries.extend(pages)
        return entries

    def _fault(self, url: str, body: bytes) -> str | None:
        """What is wrong with an answer of the API; notes the total that a first page states."""
        total = _TOTAL.search(body)
        if b"<feed" not in body[:2000] or total is None:
            return "the answer is not an Atom feed with a total"
        if not body.rstrip().endswith(b"</feed>"):
            return "the Atom feed is cut off"
        if parse_qs(urlsplit(url).query).get("start") == ["0"]:
            self._total = int(total.group(1))
        return None


def _newest(entries: Sequence[arxiv.Result]) -> dict[str, arxiv.Result]:
    found: dict[str, arxiv.Result] = {}
    for entry in entries:
        name, version = identity(entry)
        if name not in found or version > identity(found[name])[1]:
            found[name] = entry
    return found


def _merged(listings: Sequence[Listing], expected: int, *, every: bool = False) -> Listing:
    """The union of passes over one span, or of its slices, of which every one must be whole."""
    newest = _newest([entry for one in listings for entry in one.newest.values()])
    return Listing(
        newest=newest,
        expected=expected,
        strays=max(one.strays for one in listings),
        whole=len(newest) == expected and (not every or all(one.whole for one in listings)),
    )


__all__ = ("MAX_SLICE", "Lister", "Listing")
