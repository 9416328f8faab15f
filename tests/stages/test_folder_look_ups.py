"""Papers of a folder whose metadata state no journal date are looked up at Crossref."""

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from lawsmith.gateways.store import read_table
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import all_dispositions, latest_by_subject
from lawsmith.runs.opening import open_context
from lawsmith.stages import publications, sources
from lawsmith.stages.checks import publications as look
from lawsmith.stages.publications import due_papers
from schemas.source import Publication, RelatedPreprint

if TYPE_CHECKING:
    from tests.conftest import Home

ROOT = Path(__file__).resolve().parents[2]
WEEK = "2026-10-05"
DOI = "10.5555/flow.7"
Line = dict[str, Any]


def _load(name: str) -> ModuleType:
    loaded = f"loaded_{name}"
    if loaded not in sys.modules:
        path = ROOT / "tests" / "gateways" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(loaded, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[loaded] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[loaded])
    return sys.modules[loaded]


stub = _load("loopback_arxiv").stub


def _line(**changes: object) -> Line:
    line = {
        "id": "folder:scour",
        "version": 1,
        "published": "2026-10-06T08:00:00Z",
        "updated": "2026-10-06T08:00:00Z",
        "title": "Scour depth behind a cylinder",
        "abstract": "Depth.",
        "authors": ["Ana Poleni", "Yi Li"],
        "categories": [],
        "doi": None,
        "journal_ref": None,
        "journal_online": None,
        "journal_print": None,
        "related_preprints": [],
        "licence": None,
        "files": [],
    }
    return {**line, **changes}


def _work(**changes: object) -> Line:
    return {
        "DOI": DOI,
        "type": "journal-article",
        "title": ["Scour depth behind a cylinder"],
        "author": [{"family": "Poleni"}, {"family": "Li"}],
        "container-title": ["Journal of Flows"],
        "ISSN": ["1095-3787"],
        "published-online": {"date-parts": [[2026, 10, 27]]},
        **changes,
    }


@dataclass
class Desk:
    """A folder of papers, a store, and Crossref on loopback."""

    folder: Path
    port: int

    def write(self, *lines: Line) -> None:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / "metadata.jsonl").write_text(text, encoding="utf-8")

    def at(self, day: str, contact: str = "curator@example.org") -> StageContext:
        flags = {
            "crossref.url": f"http://127.0.0.1:{self.port}",
            "crossref.delay_seconds": 0.01,
            "contact_email": contact,
        }
        source = str(self.folder)
        return open_context(source=source, flags=flags, clock=lambda: f"{day}T05:00:00Z")

    def run(self, day: str, **how: str) -> list[Publication]:
        """Harvest and look up; what is known then."""
        context = self.at(day, **how)
        sources.run(context, [WEEK])
        publications.run(context)
        assert look(context).faults == ()
        rows = read_table(context.store, "publications", context.collection)
        return [Publication.from_json(row.record) for row in rows]

    def stands(self) -> dict[str, tuple[str, str]]:
        context = self.at("2027-01-01")
        latest = latest_by_subject(all_dispositions(context.store, context.collection))
        return {
            subject: (item.outcome, item.reason_code.value)
            for (stage, subject), item in latest.items()
            if stage == "publications"
        }


@pytest.fixture
def desk(stub: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("lawsmith.gateways.papers.polite_http.BACKOFF", 0.01)
    folder = tmp_path / "papers"
    folder.mkdir()
    return Desk(folder, stub.port)


@pytest.mark.parametrize(("doi", "by"), [(None, "title"), (DOI, "doi")])
def test_an_undated_paper_is_found(stub: Any, desk: Desk, doi: str | None, by: str) -> None:
    stub.works = {DOI: _work()}
    desk.write(_line(doi=doi))
    (found,) = desk.run("2026-11-02")
    assert (found.journal_online, found.provenance) == ("2026-10-27", "crossref")
    assert (found.matched_by, found.match_score, found.journal_doi) == (by, 1.0, DOI)
    assert (found.journal, found.journal_issns) == ("Journal of Flows", ("1095-3787",))
    assert all("mailto=curator%40example.org" in path for path in stub.asked)
    assert desk.stands() == {"folder:scourv1": ("passed", "ok")}


@pytest.mark.parametrize(
    ("line", "contact"),
    [
        (_line(), ""),
        (_line(journal_print="2026-11"), "curator@example.org"),
        (_line(authors=[]), "curator@example.org"),
    ],
    ids=["no address", "dated", "nothing to go by"],
)
def test_nobody_is_asked(stub: Any, desk: Desk, line: Line, contact: str) -> None:
    stub.works = {DOI: _work()}
    desk.write(line)
    (found,) = desk.run("2026-11-02", contact=contact)
    assert stub.asked == []
    assert due_papers(desk.at("2026-12-31", contact)) == []
    assert (found.journal_print, found.provenance) == (line["journal_print"], "metadata")


def test_the_sample_is_never_looked_up(
    stub: Any, empty_home: "Home", monkeypatch: pytest.MonkeyPatch
) -> None:
    with empty_home.entered():
        monkeypatch.setenv("LAWSMITH_CONTACT_EMAIL", "curator@example.org")
        monkeypatch.setenv("LAWSMITH_CROSSREF_URL", f"http://127.0.0.1:{stub.port}")
        context = open_context(source="sample")
        sources.run(context, [WEEK])
        report = publications.run(context)
        assert due_papers(context) == []
    assert report.figures["looked_up"] > 0
    assert stub.asked == []


def test_a_waiting_paper_is_asked_about_once_a_week(stub: Any, desk: Desk) -> None:
    desk.write(_line())
    (waiting,) = desk.run("2026-11-02")
    assert (waiting.provenance, waiting.journal_online) == ("crossref", None)
    assert desk.stands() == {"folder:scourv1": ("waiting", "awaiting_publication")}
    stub.works = {DOI: _work()}
    stub.asked.clear()
    assert desk.run("2026-11-05") == [waiting]
    assert due_papers(desk.at("2026-11-05")) == []
    assert stub.asked == []
    assert [paper.id for paper in due_papers(desk.at("2026-11-09"))] == ["folder:scourv1"]
    (found,) = desk.run("2026-11-09")
    assert found.journal_online == "2026-10-27"
    # A published one is due again after four weeks, for retractions.
    assert due_papers(desk.at("2026-11-16")) == []
    stub.works = {DOI: _work(**{"updated-by": [{"type": "retraction", "DOI": "10.5555/n"}]})}
    (gone,) = desk.run("2026-12-07")
    assert gone.retracted
    assert desk.stands() == {"folder:scourv1": ("rejected", "retracted")}


def test_what_the_metadata_say_later_counts_at_once(stub: Any, desk: Desk) -> None:
    stub.works = {
        DOI: _work(relation={"has-preprint": [{"id": "10.21203/rs.1", "id-type": "doi"}]}),
        "10.21203/rs.1": {
            "DOI": "10.21203/rs.1",
            "type": "posted-content",
            "posted": {"date-parts": [[2026, 9, 2]]},
        },
    }
    desk.write(_line())
    preprint = RelatedPreprint(identifier="10.21203/rs.1", posted="2026-09-02")
    (found,) = desk.run("2026-11-02")
    assert found.related_preprints == (preprint,)
    stub.asked.clear()
    # A date by hand replaces the found one; the early preprint is not forgotten for it.
    desk.write(_line(journal_online="2026-10-20", journal="J. of Flows"))
    (dated,) = desk.run("2026-11-03")
    assert (dated.journal_online, dated.journal) == ("2026-10-20", "J. of Flows")
    assert dated.related_preprints == (preprint,)
    desk.write(_line(journal_online="2026-10-20", retracted=True))
    (gone,) = desk.run("2026-11-03")
    assert gone.retracted
    assert stub.asked == []


def test_an_address_given_later_has_waiting_papers_looked_up(stub: Any, desk: Desk) -> None:
    stub.works = {DOI: _work()}
    desk.write(_line())
    desk.run("2026-11-02", contact="")
    assert desk.stands() == {"folder:scourv1": ("waiting", "awaiting_publication")}
    (found,) = desk.run("2026-11-02")
    assert found.journal_online == "2026-10-27"
    # Without the address again, what was found stands.
    assert desk.run("2026-12-31", contact="") == [found]


def test_an_outage_loses_nothing(stub: Any, desk: Desk) -> None:
    stub.works = {DOI: _work()}
    stub.faults = [(503, b"", {})] * 4
    desk.write(_line())
    (waiting,) = desk.run("2026-11-02")
    assert (waiting.provenance, waiting.journal_online) == ("metadata", None)
    (found,) = desk.run("2026-11-03")
    assert found.journal_online == "2026-10-27"
    stub.faults = [(503, b"", {})] * 4
    assert desk.run("2026-12-31") == [found]


def test_the_doi_of_a_preprint_leads_to_what_it_became(stub: Any, desk: Desk) -> None:
    stub.works = {
        DOI: _work(title=["Depth of scour, revised beyond recognition"]),
        "10.21203/rs.1": {
            "DOI": "10.21203/rs.1",
            "type": "posted-content",
            "posted": {"date-parts": [[2026, 10, 6]]},
            "relation": {"is-preprint-of": [{"id": DOI}]},
        },
    }
    desk.write(_line(doi="10.21203/rs.1"))
    (found,) = desk.run("2026-11-02")
    assert (found.journal_doi, found.matched_by) == (DOI, "doi")
    assert found.match_score is not None
    assert found.match_score < 0.95
    posted = RelatedPreprint(identifier="10.21203/rs.1", posted="2026-10-06")
    assert found.related_preprints == (posted,)
