"""Journal dates from Crossref: by DOI, else by title and authors with a stated score.

Plain HTTP through the polite session, with the contact address in the User-Agent and as
`mailto`. A date is taken at the precision that the record has; none is made up, and a work
that is not certainly the paper gives none.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from lawsmith.gateways.papers.arxiv_entries import arxiv_id
from lawsmith.gateways.papers.crossref_works import Work, agreement, is_arxiv, read_work
from lawsmith.gateways.papers.pace import Pace
from lawsmith.gateways.papers.paper_source import Problem
from lawsmith.gateways.papers.polite_http import DownloadError, PoliteSession, RefusedError
from lawsmith.gateways.store import Store
from lawsmith.paper_boundary import PaperFaultError, paper_boundary
from lawsmith.settings import Settings
from schemas.source import Paper, Publication, ReasonCode, RelatedPreprint

ROWS = 20
"""Works looked at in one answer."""
CLEARANCE = 0.05
"""By how much the best work must agree better than the next one with another title."""
OUTAGE = 2
"""Papers whose look-up fails one after the other before the rest is left for the next run."""


@dataclass(frozen=True)
class _Finding:
    """What was found of one paper."""

    work: Work | None
    matched_by: str | None
    score: float | None
    preprints: tuple[RelatedPreprint, ...]


class Crossref:
    """Looks papers up; what it says of a paper holds for all its versions."""

    def __init__(
        self, session: PoliteSession, address: str, *, contact: str, match_score: float
    ) -> None:
        """Make ready to ask; nothing is sent yet.

        Args:
            session: paced for Crossref.
            address: of the API, without a slash at the end.
            contact: e-mail address.
            match_score: least agreement of a work that was found by its title.
        """
        self._session = session
        self._address = address
        self._contact = contact
        self._match_score = match_score

    def publications(self, papers: Sequence[Paper], now: str) -> list[Publication | Problem]:
        """The dates of each paper version given; a problem where the look-up failed."""
        versions: dict[str, list[Paper]] = defaultdict(list)
        for paper in papers:
            versions[paper.paper_id].append(paper)
        found: list[Publication | Problem] = []
        failures, sentence = 0, ""
        for some in versions.values():
            # A DOI comes with a later version more often than with the first.
            newest = max(some, key=lambda paper: paper.version)
            if failures < OUTAGE:
                try:
                    with paper_boundary(newest.id):
                        finding = self._look_up(newest)
                        looked_up = [_publication(paper, finding, now) for paper in some]
                        # Half of a surrogate pair, as JSON can hold it, is in no table.
                        "".join(one.to_json() for one in looked_up).encode("utf-8")
                except DownloadError as error:
                    failures, sentence = failures + 1, str(error)
                except PaperFaultError as error:
                    code = ReasonCode.UNEXPECTED_ERROR
                    found.extend(Problem(one.id, "failed", code, error.problem) for one in some)
                    continue
                else:
                    failures = 0
                    found.extend(looked_up)
                    continue
            found.extend(
                Problem(paper.id, "waiting", ReasonCode.NOT_LOOKED_UP, sentence) for paper in some
            )
        return found

    def _look_up(self, paper: Paper) -> _Finding:
        for doi in (paper.doi or "").split():
            work = self._published(doi)
            if work is not None:
                score = agreement(paper.title, paper.authors, work)
                return _Finding(work, "doi", score, self._preprints(paper, work))
        return self._by_title(paper)

    def _published(self, doi: str) -> Work | None:
        """The work of a DOI if it is in a journal; of a preprint, what it became."""
        work = self._work(doi)
        if work is None or work.in_a_journal:
            return work
        became = map(self._work, work.preprint_of)
        return next((one for one in became if one is not None and one.in_a_journal), None)

    def _by_title(self, paper: Paper) -> _Finding:
        """The work that agrees best in title and authors, if it does so well and alone."""
        query = {"query.bibliographic": paper.title, "rows": str(ROWS)}
        if paper.authors:
            query["query.author"] = " ".join(paper.authors[:3])
        scored = [
            (agreement(paper.title, paper.authors, work), work)
            for work in self._works(query)
            if not is_arxiv(work.doi, arxiv_id(paper.paper_id))
        ]
        agreeing = sorted(
            (pair for pair in scored if pair[0] >= self._match_score),
            key=lambda pair: (-pair[0], pair[1].doi),
        )
        preprints = tuple(
            work.as_preprint() for _, work in agreeing if work.kind == "posted-content"
        )
        journal = [pair for pair in agreeing if pair[1].in_a_journal]
        if not journal or (len(journal) > 1 and journal[0][0] - journal[1][0] < CLEARANCE):
            return _Finding(None, None, None, preprints)
        score, work = journal[0]
        related = {item.identifier: item for item in (*preprints, *self._preprints(paper, work))}
        return _Finding(work, "title", score, tuple(related[key] for key in sorted(related)))

    def _preprints(self, paper: Paper, work: Work) -> tuple[RelatedPreprint, ...]:
        """Other preprints that a record relates to the work, from either side of the relation."""
        own = arxiv_id(paper.paper_id)
        found: dict[str, RelatedPreprint] = {}
        query = {"filter": f"relation.type:is-preprint-of,relation.object:{work.doi}"}
        for related in self._works({**query, "rows": str(ROWS)}):
            if work.doi in related.preprint_of and not is_arxiv(related.doi, own):
                found[related.doi] = related.as_preprint()
        for name in work.preprints:
            if name in found or is_arxiv(name, own):
                continue
            other = self._work(name)
            found[name] = (
                other.as_preprint() if other else RelatedPreprint(identifier=name, posted=None)
            )
        return tuple(found[name] for name in sorted(found))

    def _work(self, doi: str) -> Work | None:
        """The work of a DOI; None where Crossref has none (other agencies give DOIs, too)."""
        try:
            message = self._message(f"/works/{quote(doi, safe='')}", {})
        except RefusedError as error:
            if error.status != 404:
                raise
            return None
        return read_work(message)

    def _works(self, query: dict[str, str]) -> list[Work]:
        try:
            message = self._message("/works", query)
        except RefusedError as error:
            if error.status != 404:
                raise
            return []
        items = message.get("items")
        return [read_work(item) for item in items or () if isinstance(item, dict)]

    def _message(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        terms = urlencode({**query, "mailto": self._contact})
        body = self._session.fetch(f"{self._address}{path}?{terms}", _fault)
        message: dict[str, Any] = json.loads(body)["message"]
        return message


def open_crossref(
    settings: Settings,
    store: Store,
    *,
    clock: Callable[[], float],
    sleep: Callable[[float], object],
) -> Crossref:
    """Crossref behind a polite session of this store; nothing is sent yet."""
    pace = Pace(
        store.locks / "crossref.pace", settings.crossref.delay_seconds, clock=clock, sleep=sleep
    )
    session = PoliteSession(
        pace,
        contact=settings.contact_email,
        timeouts=(settings.arxiv.connect_seconds, settings.arxiv.read_seconds),
        max_bytes=settings.arxiv.max_file_bytes,
        max_seconds=settings.arxiv.body_seconds,
    )
    return Crossref(
        session,
        settings.crossref_url,
        contact=settings.contact_email,
        match_score=settings.crossref.match_score,
    )


def _fault(body: bytes) -> str | None:
    try:
        answer = json.loads(body)
    except ValueError as error:
        return f"the answer is no JSON: {error}"
    if not isinstance(answer, dict) or not isinstance(answer.get("message"), dict):
        return "the answer is not one of Crossref's: it has no message"
    return None


def _publication(paper: Paper, finding: _Finding, now: str) -> Publication:
    work = finding.work
    return Publication.model_validate(
        {
            "id": paper.id,
            "paper_id": paper.paper_id,
            "version": paper.version,
            "published": paper.published,
            "journal_online": work.online if work else None,
            "journal_print": work.in_print if work else None,
            "related_preprints": finding.preprints,
            "provenance": "crossref",
            "retracted": work.retracted if work else False,
            "checked_at": now,
            "journal_doi": work.doi if work else None,
            "journal": work.journal if work else None,
            "journal_issns": work.issns if work else (),
            "matched_by": finding.matched_by,
            "match_score": finding.score,
        }
    )


__all__ = ("Crossref", "open_crossref")
