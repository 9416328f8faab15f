"""Stage packets: every paper of a partition gets a packet or a reason, whatever the others are."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from lawsmith.errors import InputError
from lawsmith.gateways.store import read_partition
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import read_stage
from lawsmith.runs.opening import open_context
from lawsmith.stages import packets, sources

WEEK = "2026-10-05"
Open = Callable[..., StageContext]

PAPERS: dict[str, tuple[bytes | None, str, str]] = {
    # name: (content, None for a PDF of words; outcome; reason)
    "a.pdf": (None, "passed", "ok"),
    "b.pdf": (b"<html>later</html>", "rejected", "not_a_pdf"),
    "c.pdf": (b"%PDF-1.7\n" + b"\x00\xff garbage" * 200, "rejected", "corrupt"),
    "d.txt": (b"y = 2 x", "passed", "ok"),
    "e.txt": (b"caf\xe9", "rejected", "unreadable_text"),
    "f.tex": (b"{" * 50_000, "rejected", "tex_unreadable"),
    "g.pdf": (None, "passed", "ok"),
    "h.pdf": (None, "failed", "file_changed"),
}


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a context over a folder of good and bad papers that were listed."""
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path / "home"))
    folder = tmp_path / "papers"
    folder.mkdir()
    rows = []
    for n, (name, (content, _, _)) in enumerate(PAPERS.items()):
        if content is None:
            canvas = Canvas(str(folder / name), invariant=1)
            canvas.drawString(72, 700, "The flow was measured at nine speeds.")
            canvas.save()
        else:
            (folder / name).write_bytes(content)
        rows.append(_row(n, name))
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def open_at(**flags: object) -> StageContext:
        return open_context(source=str(folder), flags=flags, clock=lambda: "2026-11-20T05:00:00Z")

    sources.run(open_at(), [WEEK])
    with (folder / "h.pdf").open("ab") as changed:
        changed.write(b"\n%")
    return open_at


def _row(n: int, name: str) -> dict[str, object]:
    return {
        "id": f"folder:{n:04}",
        "version": 1,
        "published": "2026-10-06T08:12:40Z",
        "updated": "2026-10-06T08:12:40Z",
        "title": f"Paper {name}",
        "abstract": "",
        "authors": ["A. Author"],
        "categories": ["physics.flu-dyn"],
        "doi": None,
        "journal_ref": None,
        "journal_online": None,
        "journal_print": None,
        "licence": None,
        "files": [name],
        "related_preprints": [],
        "withdrawn": False,
    }


@pytest.mark.parametrize("workers", [1, 3])
def test_a_bad_paper_never_fails_its_partition(opened: Open, workers: int) -> None:
    context = opened(**{"packets.workers": workers})
    report = packets.run(context, [WEEK])
    assert report.new == len(PAPERS)
    found = {
        item.subject_id: (item.outcome, item.reason_code.value)
        for item in read_stage(context, "packets", WEEK).values()
    }
    assert found == {f"folder:{n:04}v1": PAPERS[name][1:] for n, name in enumerate(PAPERS)}
    rows = read_partition(context.store, "packets", context.collection, WEEK)
    assert [row.extra["subject_id"] for row in rows] == [f"folder:{n:04}v1" for n in (0, 3, 6)]
    # What can pass later is tried again, and nothing else is.
    assert packets.run(context, [WEEK]).new == 1


def test_the_number_of_workers_changes_nothing_that_is_stored(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = []
    for workers in (1, 2):
        monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path / f"home{workers}"))
        context = opened(**{"packets.workers": workers})
        sources.run(context, [WEEK])
        packets.run(context, [WEEK])
        rows = read_partition(context.store, "packets", context.collection, WEEK)
        items = read_stage(context, "packets", WEEK)
        stored.append(([(row.id, row.record, row.extra) for row in rows], items))
    assert stored[0] == stored[1]


def test_no_workers_is_no_setting(opened: Open) -> None:
    with pytest.raises(InputError, match="workers"):
        opened(**{"packets.workers": 0})
