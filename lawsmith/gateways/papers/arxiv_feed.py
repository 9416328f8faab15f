"""Papers from arXiv: complete for a window, counted, and polite.

The feed has neither licences nor journal dates. Licences come from arXiv's OAI-PMH records,
journal dates from Crossref.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lawsmith.eligibility import in_window
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.papers.arxiv_archives import WithdrawnSourceError
from lawsmith.gateways.papers.arxiv_entries import Entry, arxiv_id
from lawsmith.gateways.papers.arxiv_files import fetch_files, stored_files
from lawsmith.gateways.papers.arxiv_licences import Licences
from lawsmith.gateways.papers.arxiv_listing import Lister
from lawsmith.gateways.papers.crossref import open_crossref
from lawsmith.gateways.papers.pace import Pace
from lawsmith.gateways.papers.paper_source import Harvest, Problem
from lawsmith.gateways.papers.polite_http import DownloadError, PoliteSession, RefusedError
from lawsmith.gateways.store import Store
from lawsmith.paper_boundary import PaperFaultError, paper_boundary
from lawsmith.settings import Settings
from schemas.source import Paper, Publication, ReasonCode, SourceFile, Window

OUTAGE = 3
"""Downloads that fail one after the other before the rest is left for the next run."""


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
        # One session, so one pace, for all that is asked of arXiv.
        self._session = PoliteSession(
            Pace(
                store.locks / "arxiv.pace", settings.arxiv.delay_seconds, clock=clock, sleep=sleep
            ),
            contact=settings.contact_email,
            timeouts=(settings.arxiv.connect_seconds, settings.arxiv.read_seconds),
            max_bytes=settings.arxiv.max_file_bytes,
            max_seconds=settings.arxiv.body_seconds,
        )
        self._lister = Lister(self._session, settings.arxiv)
        self._licences = Licences(
            self._session, settings.arxiv.oai, store.packets / "arxiv-licences"
        )
        self._crossref = open_crossref(settings, store, clock=clock, sleep=sleep)
        self._failures = 0

    def harvest(self, window: Window) -> Harvest:
        """The papers first submitted in a window, newest version each, with their files.

        The query reaches one day further on both sides, and the window is cut here: servers
        differ in what the ends of a date filter mean.

        Raises:
            PrerequisiteError: arXiv cannot be reached, or answers with something else.
        """
        day = timedelta(days=1)
        first = datetime.fromisoformat(window.start).replace(tzinfo=UTC) - day
        last = datetime.fromisoformat(window.end).replace(tzinfo=UTC) + 2 * day
        listing = self._lister.submitted(first, last - timedelta(minutes=1))
        self._failures = 0
        papers: list[Paper] = []
        problems: list[Problem] = []
        for entry in listing.newest.values():
            if not in_window(entry.paper.published, window):
                continue
            whole, problem = self._completed(entry)
            papers.append(whole)
            problems.extend([problem] if problem else [])
        return Harvest(
            papers=tuple(sorted(papers, key=lambda paper: paper.id)),
            problems=tuple(sorted(problems, key=lambda problem: problem.paper_id)),
            expected=listing.expected,
            found=listing.found,
            complete=listing.whole,
            strays=listing.strays,
            unread=tuple(
                one
                for _, one in sorted(listing.unread.items())
                if one.published is None or in_window(one.published, window)
            ),
        )

    def publications(self, papers: Sequence[Paper], now: str) -> list[Publication | Problem]:
        """What Crossref knows of the papers; one request or a few for all versions of a paper."""
        return self._crossref.publications([one for one in papers if one.source == "arxiv"], now)

    def newest_versions(self, papers: Sequence[Paper]) -> Mapping[str, int]:
        """Paper id -> the number of its newest version, as the API lists it now.

        Raises:
            PrerequisiteError: arXiv cannot be reached, or answers with something else.
        """
        names = {arxiv_id(one.paper_id): one.paper_id for one in papers if one.source == "arxiv"}
        found = self._lister.named(sorted(names))
        return {names[name]: entry.version for name, entry in found.items() if name in names}

    def submission_dates(self) -> list[str]:
        """Not answered: arXiv has no end.

        Raises:
            InputError: always.
        """
        raise InputError("arXiv is asked by window", path="window", fix="give --window A..B")

    def _completed(self, entry: Entry) -> tuple[Paper, Problem | None]:
        """The paper with its files and licence, or with what is wrong with it."""
        paper = entry.paper
        if paper.withdrawn:
            return paper, _withdrawn(paper, "withdrawn by its authors")
        files: tuple[SourceFile, ...] = ()
        try:
            with paper_boundary(paper.id):
                files = self._files(entry)
                licence = self._licence(entry.name, entry.version)
                whole = Paper.model_validate({**dict(paper), "files": files, "licence": licence})
        except WithdrawnSourceError as error:
            gone = Paper.model_validate({**dict(paper), "withdrawn": True})
            return gone, _withdrawn(paper, error.problem)
        except DownloadError as error:
            self._failures += not isinstance(error, RefusedError)
            problem = Problem(paper.id, "failed", ReasonCode.DOWNLOAD_FAILED, str(error))
            return Paper.model_validate({**dict(paper), "files": files}), problem
        except PaperFaultError as error:
            return paper, Problem(paper.id, "failed", ReasonCode.UNEXPECTED_ERROR, error.problem)
        return whole, None

    def _files(self, entry: Entry) -> tuple[SourceFile, ...]:
        name = entry.paper.id.removeprefix("arxiv:")
        stored = stored_files(self.folder, name)
        if stored is not None:
            return stored
        if entry.pdf_url is None:
            raise DownloadError("the feed names no PDF")
        self._not_in_an_outage()
        files = fetch_files(self._session, self.folder, name, entry.pdf_url)
        self._failures = 0
        return files

    def _licence(self, name: str, version: int) -> str | None:
        if not self._licences.known(name, version):
            self._not_in_an_outage()
        return self._licences.licence(name, version)

    def _not_in_an_outage(self) -> None:
        if self._failures >= OUTAGE:
            raise DownloadError(f"not tried: {self._failures} downloads before it failed")


def _withdrawn(paper: Paper, sentence: str) -> Problem:
    return Problem(paper.id, "rejected", ReasonCode.WITHDRAWN, sentence)


__all__ = ("ArxivSource",)
