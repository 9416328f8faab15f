"""Lists of arXiv's API, proven whole by counts or known not to be.

A list is whole when as many different papers came as the feed said there are, for every slice
that was asked and for the whole span. What does not add up is asked for once more, and what
came in either pass is kept.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from lawsmith.gateways.papers.arxiv_entries import Entry, category_query, read_feed
from lawsmith.gateways.papers.paper_source import Unread
from lawsmith.gateways.papers.polite_http import PoliteSession
from lawsmith.settings import Arxiv

MAX_SLICE = 2_000
"""Entries of one query beyond which deep paging loses entries; larger spans are halved."""
MAX_HALVINGS = 10
"""Slices of a window of weeks are then minutes long; a server that ignores dates ends here."""
EMPTY_TRIES = 3
"""How often a page without entries, though more are stated, is asked for."""
_TOTAL = re.compile(rb"<(?:\w+:)?totalResults[^>]*>\s*(\d{1,9})\s*<")
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Listing:
    """What the feed said of a span.

    Attributes:
        newest: arXiv id -> its entry of the highest version that came.
        unread: digest -> an entry that came and cannot be read.
        expected: how many papers the feed said there are.
        strays: entries submitted outside the span, which a date filter must not give.
        whole: whether the counts add up, here and in every slice.
    """

    newest: dict[str, Entry]
    unread: dict[str, Unread]
    expected: int
    strays: int
    whole: bool

    @property
    def found(self) -> int:
        """How many different entries came."""
        return len(self.newest) + len(self.unread)


class Lister:
    """Asks arXiv's API for entries through a polite session."""

    def __init__(self, session: PoliteSession, settings: Arxiv) -> None:
        """Make ready to ask; nothing is sent yet."""
        self._session = session
        self._settings = settings
        self._total = 0

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

    def named(self, arxiv_ids: Sequence[str]) -> dict[str, Entry]:
        """The entries of ids as they are now; an id that the API does not know is left out.

        Raises:
            DownloadError: the API cannot be reached, or answers with something else.
        """
        found: list[Entry | Unread] = []
        size = self._settings.page_size
        for start in range(0, len(arxiv_ids), size):
            names = ",".join(arxiv_ids[start : start + size])
            for page in self._pages({"id_list": names}):
                found.extend(page)
        return _newest(found)

    def _once(self, first: datetime, last: datetime, *, splits: bool) -> Listing | None:
        """One pass over the pages of a span; None where it is to be halved.

        A span that is too long and cannot be halved is read as far as is safe, and is not whole.
        """
        span = f"submittedDate:[{first:%Y%m%d%H%M} TO {last:%Y%m%d%H%M}]"
        terms = {
            "search_query": f"({category_query(self._settings.categories)}) AND {span}",
            "sortBy": "submittedDate",
            "sortOrder": "ascending",
        }
        found: list[Entry | Unread] = []
        for page in self._pages(terms):
            if self._total > MAX_SLICE and splits:
                return None
            found.extend(page)
            if len(found) > MAX_SLICE:
                break
        newest, unread = _newest(found), _unread(found)
        end = last + _MINUTE
        strays = sum(not first <= _submitted(entry) < end for entry in newest.values())
        # A page that stays empty leaves fewer entries than the total, and the counts show it.
        whole = len(newest) + len(unread) == self._total
        return Listing(newest, unread, self._total, strays, whole)

    def _halved(self, first: datetime, last: datetime, expected: int, depth: int) -> Listing:
        """Two slices that share the minute in the middle, held against the total of the whole."""
        minutes = (last - first) // _MINUTE
        middle = first + (minutes // 2) * _MINUTE
        spans = ((first, middle), (middle, last))
        halves = [self.submitted(*span, depth=depth + 1) for span in spans]
        return _merged(halves, expected, every=True)

    def _pages(self, terms: dict[str, str]) -> Iterator[list[Entry | Unread]]:
        """The pages of a query, until as many entries came as its first page states."""
        start = 0
        while page := self._page(terms, start):
            yield page
            start += len(page)
            if start >= self._total:
                return

    def _page(self, terms: dict[str, str], start: int) -> list[Entry | Unread]:
        """The entries from a place on; a page without any is not believed at once."""
        place = {"start": str(start), "max_results": str(self._settings.page_size)}
        address = f"{self._settings.url}?{urlencode({**terms, **place})}"
        for _ in range(EMPTY_TRIES):
            body = self._session.fetch(address, lambda body: self._fault(body, first=not start))
            page = read_feed(body)
            if page or not self._total:
                return page
        return []

    def _fault(self, body: bytes, *, first: bool) -> str | None:
        """What is wrong with an answer of the API; notes the total that a first page states."""
        total = _TOTAL.search(body)
        if b"<feed" not in body[:2000] or total is None:
            return "the answer is not an Atom feed with a total"
        if not body.rstrip().endswith(b"</feed>"):
            return "the Atom feed is cut off"
        if first:
            self._total = int(total.group(1))
        return None


def _newest(entries: Sequence[Entry | Unread]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        if isinstance(entry, Entry) and (
            entry.name not in found or entry.version > found[entry.name].version
        ):
            found[entry.name] = entry
    return found


def _unread(entries: Sequence[Entry | Unread]) -> dict[str, Unread]:
    return {entry.digest: entry for entry in entries if isinstance(entry, Unread)}


def _submitted(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry.paper.published).astimezone(UTC)


def _merged(listings: Sequence[Listing], expected: int, *, every: bool = False) -> Listing:
    """The union of passes over one span, or of its slices, of which every one must be whole."""
    newest = _newest([entry for one in listings for entry in one.newest.values()])
    unread = {digest: entry for one in listings for digest, entry in one.unread.items()}
    return Listing(
        newest=newest,
        unread=unread,
        expected=expected,
        strays=max(one.strays for one in listings),
        whole=len(newest) + len(unread) == expected
        and (not every or all(one.whole for one in listings)),
    )


__all__ = ("MAX_SLICE", "Lister", "Listing")
