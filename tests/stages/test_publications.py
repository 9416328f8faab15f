"""Stage publications over live papers: what is due, what is found, what a revision sets off."""

import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lawsmith.eligibility.date_windows import parse_window, weeks_of
from lawsmith.gateways.store import read_partition, read_table
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import all_dispositions, latest_by_subject
from lawsmith.runs.opening import AMBIENT, open_context
from lawsmith.stages import packets, publications, sources
from lawsmith.stages.checks import publications as look
from lawsmith.stages.open_subjects import pending
from lawsmith.stages.revisions import weeks_to_take_up
from schemas.source import Publication

ROOT = Path(__file__).resolve().parents[2]
WEEK = "2026-10-05"
DOI = "10.5555/flow.7"
Open = Callable[[str], StageContext]


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


NET = _load("loopback_arxiv")
stub = NET.stub


@pytest.fixture
def at(stub: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a context on the servers at an instant, after one paper was harvested."""
    base = f"http://127.0.0.1:{stub.port}"
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("lawsmith.gateways.papers.polite_http.BACKOFF", 0.01)
    flags = {
        "arxiv.url": f"{base}/api/query",
        "arxiv.delay_seconds": 0.01,
        "crossref.url": base,
        "crossref.delay_seconds": 0.01,
        "contact_email": "curator@example.org",
    }
    assert AMBIENT.get() is None
    stub.entries = [NET.Entry("2610.00002", "2026-10-05T00:00:00Z", title="Scour depth")]
    stub.files = {
        f"/src/2610.00002v{n}": (200, NET.packed(**{"ms.tex": NET.TEX, "body.tex": text}), {})
        for n, text in ((1, b"k = 3"), (2, b"k = 4"))
    }

    def open_at(instant: str) -> StageContext:
        return open_context(source="arxiv", flags=flags, clock=lambda: f"{instant}T05:00:00Z")

    sources.run(open_at("2026-10-15"), [WEEK])
    packets.run(open_at("2026-10-15"), [WEEK])
    stub.asked.clear()
    return open_at


def _work(**changes: object) -> dict[str, object]:
    return {
        "DOI": DOI,
        "type": "journal-article",
        "title": ["Scour depth"],
        "author": [{"family": "Author"}],
        "published-online": {"date-parts": [[2026, 10, 27]]},
        **changes,
    }


def _row(context: StageContext) -> Publication:
    (row,) = read_table(context.store, "publications", context.collection)
    return Publication.from_json(row.record)


def _stands(context: StageContext) -> dict[str, tuple[str, str]]:
    every = all_dispositions(context.store, context.collection)
    return {
        subject: (item.outcome, item.reason_code.value)
        for (stage, subject), item in latest_by_subject(every).items()
        if stage == "publications"
    }


def test_a_waiting_paper_is_looked_up_every_week_until_it_is_published(stub: Any, at: Open) -> None:
    publications.run(at("2026-10-15"))
    assert _stands(at("2026-10-15")) == {"arxiv:2610.00002v1": ("waiting", "awaiting_publication")}
    asked = len(stub.asked)
    report = publications.run(at("2026-10-19"))
    assert (len(stub.asked), report.figures["looked_up"]) == (asked, 0)
    stub.works = {DOI: _work()}
    _, cursor = weeks_to_take_up(at("2026-10-19"), None)
    publications.run(at("2026-10-22"))
    context = at("2026-10-22")
    found = _row(context)
    assert (found.journal_online, found.matched_by, found.match_score) == ("2026-10-27", "title", 1)
    assert _stands(context) == {"arxiv:2610.00002v1": ("passed", "ok")}
    assert weeks_to_take_up(context, cursor) == ([WEEK], "2026-10-22T05:00:00Z")
    assert look(context).faults == ()


def test_a_published_paper_is_looked_up_for_retractions(stub: Any, at: Open) -> None:
    stub.works = {DOI: _work()}
    publications.run(at("2026-10-15"))
    stub.asked.clear()
    publications.run(at("2026-10-29"))
    assert stub.asked == []
    # Nothing new: the row says when it was looked at, and no week is taken up for it.
    publications.run(at("2026-11-12"))
    found = _row(at("2026-11-12"))
    assert (found.checked_at[:10], str(found.unchanged_since)[:10]) == ("2026-11-12", "2026-10-15")
    assert weeks_to_take_up(at("2026-11-12"), "2026-10-15T05:00:00Z")[0] == []
    stub.works = {DOI: _work(**{"updated-by": [{"type": "retraction", "DOI": "10.5555/n"}]})}
    publications.run(at("2026-12-10"))
    assert _row(at("2026-12-10")).retracted
    assert _stands(at("2026-12-10")) == {"arxiv:2610.00002v1": ("rejected", "retracted")}
    assert weeks_to_take_up(at("2026-12-10"), "2026-11-12T05:00:00Z")[0] == [WEEK]


def test_a_revision_is_found_harvested_and_read_beside_the_first(stub: Any, at: Open) -> None:
    publications.run(at("2026-10-15"))
    before = at("2026-10-15")
    (old,) = read_partition(before.store, "packets", before.collection, WEEK)
    _, cursor = weeks_to_take_up(before, None)
    assert "sources (not harvested whole)" not in pending(before, [WEEK]).get(WEEK, [])
    stub.entries[0].version = 2
    report = publications.run(at("2026-10-22"))
    assert report.figures["new_versions"] == 1
    after = at("2026-10-22")
    assert _stands(after)["arxiv:2610.00002/new-version"] == ("waiting", "new_version")
    assert weeks_to_take_up(after, cursor)[0] == [WEEK]
    assert "sources (not harvested whole)" in pending(after, [WEEK])[WEEK]

    stub.asked.clear()
    sources.run(after, [WEEK])
    packets.run(after, [WEEK])
    assert [path for path in stub.asked if path.startswith(("/src", "/pdf"))] == [
        "/src/2610.00002v2"
    ]
    rows = {row.id: row for row in read_partition(after.store, "packets", after.collection, WEEK)}
    assert rows[old.id].record == old.record
    assert len(rows) == 2
    # The new packet is to be read: the card is open again. The old one is as it was.
    todo = pending(after, [WEEK])[WEEK]
    assert "sources (not harvested whole)" not in todo
    assert {item for item in todo if item.startswith("cards")} >= {
        f"cards {name}" for name in rows if name != old.id
    }
    publications.run(at("2026-10-22"))
    assert _stands(after) == {
        "arxiv:2610.00002v1": ("waiting", "awaiting_publication"),
        "arxiv:2610.00002v2": ("waiting", "awaiting_publication"),
        "arxiv:2610.00002/new-version": ("passed", "ok"),
    }
    assert look(after).faults == ()


def test_an_outage_keeps_what_was_known(stub: Any, at: Open) -> None:
    stub.faults_at = {"/works": [(503, b"", {})] * 4}
    report = publications.run(at("2026-10-15"))
    assert "1 papers were not looked up" in report.notes[0]
    assert _stands(at("2026-10-15")) == {"arxiv:2610.00002v1": ("waiting", "not_looked_up")}
    stub.works = {DOI: _work()}
    publications.run(at("2026-10-16"))
    assert _stands(at("2026-10-16")) == {"arxiv:2610.00002v1": ("passed", "ok")}
    stub.faults_at = {"/works": [(503, b"", {})] * 4}
    publications.run(at("2026-11-20"))
    assert _stands(at("2026-11-20")) == {"arxiv:2610.00002v1": ("passed", "ok")}
    assert _row(at("2026-11-20")).checked_at[:10] == "2026-10-16"


def test_an_incomplete_week_is_marked_and_harvested_again(stub: Any, at: Open) -> None:
    stub.total = 3
    report = sources.run(at("2026-10-16"), [WEEK])
    assert report.notes == ("the harvest is incomplete; run the window again",)
    assert "sources (not harvested whole)" in pending(at("2026-10-16"), [WEEK])[WEEK]
    stub.total = None
    sources.run(at("2026-10-17"), [WEEK])
    assert "sources (not harvested whole)" not in pending(at("2026-10-17"), [WEEK])[WEEK]


def _whole(context: StageContext, weeks: list[str]) -> list[str]:
    """The weeks that the source need not be asked about."""
    todo = pending(context, weeks)
    return [one for one in weeks if "sources (not harvested whole)" not in todo.get(one, [])]


def test_a_quarter_is_one_request_and_done_none(stub: Any, at: Open) -> None:
    weeks = weeks_of(parse_window("2026-07-01..2026-10-12"))
    context = at("2026-10-16")
    assert _whole(context, weeks) == [WEEK]
    stub.entries.append(NET.Entry("2608.00001", "2026-08-12T00:00:00Z"))
    stub.files["/src/2608.00001v1"] = (200, NET.packed(**{"ms.tex": NET.TEX}), {})
    sources.run(context, weeks)
    assert len([path for path in stub.asked if path.startswith("/api")]) == 1
    assert [path for path in stub.asked if path.startswith(("/src", "/pdf"))] == [
        "/src/2608.00001v1"
    ]
    # The weeks without any paper are as done as the others.
    stub.asked.clear()
    assert _whole(context, weeks) == weeks
    assert stub.asked == []


def test_papers_of_a_folder_do_not_make_a_week_of_arxiv_done(
    stub: Any, at: Open, tmp_path: Path
) -> None:
    line: dict[str, object] = {
        "id": "folder:1",
        "version": 1,
        "published": "2026-09-30T00:00:00Z",
        "updated": "2026-09-30T00:00:00Z",
        **dict.fromkeys(("title", "abstract"), "Flow"),
        **{key: [] for key in ("authors", "categories", "related_preprints", "files")},
        **dict.fromkeys(("doi", "journal_ref", "journal_online", "journal_print", "licence")),
    }
    (tmp_path / "metadata.jsonl").write_text(json.dumps(line), encoding="utf-8")
    context = at("2026-10-16")
    sources.run(replace(context, source=str(tmp_path)), ["2026-09-28"])
    assert read_partition(context.store, "sources", context.collection, "2026-09-28") != []
    assert _whole(context, ["2026-09-28", WEEK]) == [WEEK]


def test_other_categories_are_another_harvest(stub: Any, at: Open) -> None:
    context = at("2026-10-16")
    assert _whole(context, [WEEK]) == [WEEK]
    other = context.settings.arxiv.model_copy(update={"categories": ("astro-ph",)})
    asked = replace(context, settings=context.settings.model_copy(update={"arxiv": other}))
    assert _whole(asked, [WEEK]) == []
    sources.run(asked, [WEEK])
    assert _whole(asked, [WEEK]) == [WEEK]
    assert _whole(context, [WEEK]) == [WEEK]
