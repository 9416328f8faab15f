"""The folder source: what it lists, what it says about faults."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from lawsmith.config import load_configuration
from lawsmith.curation.packets import packet_of_paper
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.papers.local_folder import FolderSource
from lawsmith.gateways.papers.opening import open_source, sample_terms
from lawsmith.gateways.store import Store
from schemas.source import ReasonCode, Window

ROOT = Path(__file__).resolve().parents[3]
ALL = Window(start="2026-01-01", end="2027-01-01")
NOW = "2026-11-30T00:00:00Z"


def _line(**changes: Any) -> dict[str, Any]:
    line = {
        "id": "folder:flux-7",
        "version": 2,
        "published": "2026-10-06T08:00:00Z",
        "updated": "2026-10-20T08:00:00Z",
        "title": "Flux",
        "abstract": "A flux.",
        "authors": ["A. Author"],
        "categories": ["physics.flu-dyn"],
        "doi": None,
        "journal_ref": None,
        "journal_online": None,
        "journal_print": "2026-11",
        "related_preprints": [{"identifier": "10.99999/x", "posted": "2026-10"}],
        "licence": None,
        "files": ["flux-7.txt"],
    }
    return {**line, **changes}


def _folder(tmp_path: Path, *lines: dict[str, Any]) -> FolderSource:
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / "metadata.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "flux-7.txt").write_text("j = 2 v", encoding="utf-8")
    return FolderSource(tmp_path, prefix="folder")


def test_a_line_becomes_a_paper_and_a_publication(tmp_path: Path) -> None:
    source = _folder(tmp_path, _line())
    harvest = source.harvest(ALL)
    (paper,) = harvest.papers
    assert paper.id == "folder:flux-7v2"
    assert not paper.synthetic
    assert paper.files[0].sha256 == hashlib.sha256(b"j = 2 v").hexdigest()
    assert (paper.files[0].kind, paper.files[0].size) == ("text", 7)
    assert harvest.complete
    assert (harvest.expected, harvest.found, harvest.problems) == (1, 1, ())
    (publication,) = source.publications([paper], NOW)
    assert publication.journal_print == "2026-11"
    assert publication.related_preprints[0].posted == "2026-10"
    assert publication.checked_at == NOW
    assert packet_of_paper(paper, source.folder).lines == ("j = 2 v",)


def test_only_the_window_is_harvested(tmp_path: Path) -> None:
    source = _folder(
        tmp_path,
        _line(),
        _line(id="folder:b", published="2026-10-12T00:00:00Z"),
        _line(id="folder:a", published="2026-10-11T23:59:59Z"),
    )
    week = source.harvest(Window(start="2026-10-05", end="2026-10-12"))
    assert [paper.paper_id for paper in week.papers] == ["folder:a", "folder:flux-7"]
    assert source.submission_dates()[0] == "2026-10-06T08:00:00Z"
    assert source.harvest(Window(start="2020-01-01", end="2020-02-01")).papers == ()


def test_a_missing_or_changed_file_is_a_problem_of_its_paper(tmp_path: Path) -> None:
    good = hashlib.sha256(b"j = 2 v").hexdigest()
    source = _folder(
        tmp_path,
        _line(files=["absent.pdf", "flux-7.txt"]),
        _line(id="folder:b", files=[{"path": "flux-7.txt", "sha256": "0" * 64}]),
        _line(id="folder:c", files=[{"path": "flux-7.txt", "sha256": good}]),
    )
    harvest = source.harvest(ALL)
    assert len(harvest.papers) == 3
    assert [(item.paper_id, item.reason_code) for item in harvest.problems] == [
        ("folder:flux-7v2", ReasonCode.FILE_MISSING),
        ("folder:bv2", ReasonCode.FILE_CHANGED),
    ]
    assert "absent.pdf" in harvest.problems[0].sentence


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({**_line(), "doi": 3}, r"metadata\.jsonl:1: doi"),
        ({key: v for key, v in _line().items() if key != "licence"}, "licence: Field required"),
        (_line(extra=1), "extra"),
        (_line(published="2026-10-06"), "published"),
        (_line(journal_print="Nov 2026"), "journal_print"),
        (_line(id="sample:0001"), "--source sample"),
        (_line(id="arxiv:2610.00001"), "does not start with 'folder:'"),
        (_line(id="folder:a/b"), "folder:a/b"),
        (_line(files=["../secret.txt"]), "outside the folder"),
        (_line(files=["metadata.jsonl"]), "none of"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _folder(tmp_path, line).harvest(ALL)


@pytest.mark.parametrize("text", ["{not json", '{"id": 1, "id": 2}', "[1]"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, text: str) -> None:
    source = _folder(tmp_path, _line())
    (tmp_path / "metadata.jsonl").write_text(json.dumps(_line()) + "\n\n" + text)
    with pytest.raises(InputError, match=r"metadata\.jsonl:3"):
        source.harvest(ALL)


def test_a_paper_listed_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="listed twice"):
        _folder(tmp_path, _line(), _line()).harvest(ALL)


def test_a_folder_without_metadata_says_what_a_line_looks_like(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match='"journal_print": "2026-11"'):
        FolderSource(tmp_path, prefix="folder").harvest(ALL)


def test_the_bundled_sample_is_whole(tmp_path: Path) -> None:
    settings = load_configuration(environ={}, checkout=ROOT).settings
    source = open_source(settings, Store.open(tmp_path), "sample")
    terms = sample_terms(settings)
    start, end = terms.window.split("..")
    harvest = source.harvest(Window(start=start, end=end))
    assert harvest.complete
    assert harvest.problems == ()
    assert len(harvest.papers) == 9
    assert all(paper.synthetic for paper in harvest.papers)
    assert len(source.publications(harvest.papers, NOW)) == 9
    assert terms.series == "2026.10"
    kinds = [packet_of_paper(paper, source.folder).kind for paper in harvest.papers]
    assert kinds.count("tex") == 3


def test_no_such_source_says_which_there_are(tmp_path: Path) -> None:
    settings = load_configuration(environ={}, checkout=ROOT).settings
    store = Store.open(tmp_path)
    with pytest.raises(PrerequisiteError, match="--source sample"):
        open_source(settings, store, str(tmp_path / "absent"))
    with pytest.raises(PrerequisiteError, match="contact_email"):
        open_source(settings, store, "arxiv")
    bare = settings.model_copy(update={"data_root": tmp_path})
    with pytest.raises(PrerequisiteError, match="LAWSMITH_DATA"):
        open_source(bare, store, "sample")
