"""What strangers send: a bad paper fails alone, with the class and the place of the error.

Feeds, archives, headers and records are mutated with a seed and served on loopback; whatever
comes, the harvest ends with papers and problems or with an error of Lawsmith's own.
"""

import gzip
import io
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.curation.packets import PacketError, packets_of_papers
from lawsmith.errors import IntegrityError, LawsmithError
from lawsmith.gateways.papers.paper_source import Harvest, PaperSource
from lawsmith.gateways.store import read_partition
from lawsmith.runs.dispositions import read_stage
from lawsmith.runs.opening import open_context
from lawsmith.stages import packets, publications, sources
from schemas.packet import Packet
from schemas.source import ReasonCode, Window

WEEK = Window(start="2026-10-05", end="2026-10-12")
Opened = Callable[..., PaperSource]
Stub = Any
Net = Any
HEAD = b"\\documentclass{a}\\begin{document}"
GOOD, BAD = "2610.00002", "2610.00001"


def _serve(stub: Stub, net: Net, **entry: Any) -> None:
    stub.entries = [
        net.Entry(BAD, "2026-10-06T00:00:00Z", **entry),
        net.Entry(GOOD, "2026-10-07T00:00:00Z"),
    ]
    stub.files = {f"/pdf/{name}v1": (200, net.PDF, {}) for name in (BAD, GOOD)}


def _tar(*members: tuple[str | bytes, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, data in members:
            text = name if isinstance(name, str) else name.decode("utf-8", "surrogateescape")
            info = tarfile.TarInfo(text)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(out.getvalue(), mtime=0)


def _built(harvest: Harvest, source: PaperSource) -> dict[str, Packet | PacketError]:
    built = packets_of_papers(harvest.papers, source.folder, workers=1)
    return {paper.id: result for paper, result in built}


SOURCES: dict[str, bytes] = {
    "an input of 300 letters": _tar(("main.tex", HEAD + b"\\input{" + b"a" * 300 + b"}")),
    "an input of 300 letters of two bytes": _tar(
        ("main.tex", HEAD + b"\\input{" + "é".encode() * 300 + b"}")
    ),
    "a deep input": _tar(("main.tex", HEAD + b"\\input{" + b"a/" * 3000 + b"}")),
    "a folder named .tex": _tar(("d.tex/main.tex", HEAD + b"k = 3\\end{document}")),
    "folders named .tex in each other": _tar(("a.tex/b.tex/c.tex", HEAD), ("z.tex", b"x")),
    "names that are no UTF-8": _tar((b"\xff\xfe.tex", HEAD), ("main.tex", HEAD + b"k")),
    "only a name that is no UTF-8": _tar((b"caf\xe9.tex", HEAD)),
    "a name of 360 bytes": _tar(("é" * 90 + "ü" * 90 + ".tex", HEAD)),
    "a name of 120 signs of four bytes": _tar(("𝒙" * 116 + ".tex", HEAD), ("main.tex", HEAD)),
    "braces without end": _tar(("main.tex", HEAD + b"{" * 100_000)),
    "nested commands": _tar(("main.tex", HEAD + b"\\frac{" * 50_000)),
}


@pytest.mark.parametrize("what", SOURCES)
def test_a_strange_source_is_a_matter_of_its_paper(
    stub: Stub, net: Net, opened: Opened, what: str
) -> None:
    _serve(stub, net)
    stub.files[f"/src/{BAD}v1"] = (200, SOURCES[what], {})
    source = opened()
    harvest = source.harvest(WEEK)
    assert [paper.id for paper in harvest.papers] == [f"arxiv:{BAD}v1", f"arxiv:{GOOD}v1"]
    for paper in harvest.papers:
        assert paper.to_json().encode("utf-8")
    built = _built(harvest, source)
    assert isinstance(built[f"arxiv:{GOOD}v1"], Packet)
    assert set(built) == {f"arxiv:{BAD}v1", f"arxiv:{GOOD}v1"}


HEADERS: dict[str, tuple[int, dict[str, str]]] = {
    "a location that is no address": (302, {"Location": "http://[::1"}),
    "a location without a host": (302, {"Location": "http://"}),
    "a location with a port of letters": (301, {"Location": "http://127.0.0.1:port/x"}),
    "a location of odd signs": (307, {"Location": "http://\u00ff\u00fe/\x7f"}),
    "a location to a file": (302, {"Location": "file:///etc/passwd"}),
    "no location": (302, {}),
    "a length of a raised two": (200, {"Content-Length": "\u00b2", ":do": "no-length"}),
    "a length of 5,000 digits": (200, {"Content-Length": "9" * 5000, ":do": "no-length"}),
    "a length below nothing": (200, {"Content-Length": "-1", ":do": "no-length"}),
    "a pause of a raised two": (503, {"Retry-After": "\u00b2"}),
    "a pause of 400 digits": (503, {"Retry-After": "9" * 400}),
    "a pause until the year 99999": (503, {"Retry-After": "Fri, 31 Dec 99999 23:59:59 GMT"}),
    "a pause until no day": (503, {"Retry-After": "Fri, 99 Dec 2026 99:99:99 +9999"}),
    "a part of nothing": (206, {"Content-Range": "bytes x-y/\u00b2"}),
    "an encoding that it has not": (200, {"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("what", HEADERS)
def test_strange_headers_are_a_matter_of_their_paper(
    stub: Stub, net: Net, opened: Opened, what: str
) -> None:
    _serve(stub, net)
    code, headers = HEADERS[what]
    stub.files[f"/src/{BAD}v1"] = stub.files[f"/pdf/{BAD}v1"] = (code, net.PDF, headers)
    harvest = opened().harvest(WEEK)
    assert [paper.id for paper in harvest.papers] == [f"arxiv:{BAD}v1", f"arxiv:{GOOD}v1"]
    assert f"arxiv:{GOOD}v1" not in {problem.paper_id for problem in harvest.problems}
    assert all(problem.outcome == "failed" for problem in harvest.problems)


def test_an_error_that_nobody_foresaw_names_its_class_and_place(
    stub: Stub, net: Net, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    _serve(stub, net)

    def broken(*_: object) -> dict[str, bytes]:
        raise RecursionError("deep")

    monkeypatch.setattr("lawsmith.gateways.papers.arxiv_files.unpack_tex", broken)
    stub.files[f"/src/{BAD}v1"] = (200, SOURCES["a folder named .tex"], {})
    (problem,) = opened().harvest(WEEK).problems
    assert (problem.outcome, problem.reason_code) == ("failed", ReasonCode.UNEXPECTED_ERROR)
    assert problem.sentence.startswith("RecursionError in lawsmith/gateways/papers/arxiv_files.py:")


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "2" * 5000},
        {"name": "2610.00001 or not"},
        {"name": "2610|00001"},
        {"name": "päper/7"},
        {"name": "../../etc/passwd"},
        {"version": 99999},
        {"published": "yesterday"},
        {"published": "2026-13-45T99:00:00Z"},
        {"published": ""},
    ],
)
def test_an_entry_that_is_no_paper_is_kept_apart(
    stub: Stub, net: Net, opened: Opened, changed: dict[str, Any]
) -> None:
    _serve(stub, net)
    stub.filters = False
    for key, value in changed.items():
        setattr(stub.entries[0], key, value)
    harvest = opened().harvest(WEEK)
    assert [paper.id for paper in harvest.papers] == [f"arxiv:{GOOD}v1"]
    assert (harvest.found, harvest.complete) == (2, True)
    (unread,) = harvest.unread
    assert len(unread.paper_id) < 80
    assert "ValueError" in unread.sentence or "ValidationError" in unread.sentence


def test_a_refused_query_is_an_error_of_the_whole_harvest(
    stub: Stub, net: Net, opened: Opened
) -> None:
    _serve(stub, net)
    stub.filters = False
    stub.entries[0].abstract = "incorrect id format"
    body = stub._feed({"start": ["0"], "max_results": ["1"], "search_query": [""]})
    body = body.replace(f"/abs/{BAD}v1".encode(), b"/api/errors#incorrect_id")
    stub.faults_at["/api"] = [(200, body, {})]
    with pytest.raises(LawsmithError, match="incorrect id format"):
        opened().harvest(WEEK)


RECORDS: dict[str, bytes] = {
    "200,000 brackets": b"[" * 200_000,
    "200,000 objects": b'{"message":' * 200_000,
    "items that are a number": b'{"message": {"items": 7}}',
    "items that are a text": b'{"message": {"items": "x"}}',
    "relations of numbers": b'{"message": {"DOI": "10.1/x", "type": "journal-article",'
    b' "relation": {"has-preprint": [{"id": 7}], "is-preprint-of": 4}}}',
    "a number of 5,000 digits": b'{"message": {"DOI": ' + b"9" * 5000 + b"}}",
    "lone surrogates": b'{"message": {"DOI": "10.1/x", "type": "journal-article",'
    b' "title": ["\\ud800"], "container-title": ["\\udfff"]}}',
    "no UTF-8": b'{"message": {"title": ["\xff\xfe"]}}',
    "not a number": b'{"message": {"DOI": NaN, "title": [Infinity]}}',
    "a zero byte": b"\x00",
    "nothing": b"",
}


@pytest.mark.parametrize("what", RECORDS)
def test_a_strange_record_puts_off_its_paper_only(
    stub: Stub, net: Net, opened: Opened, what: str
) -> None:
    _serve(stub, net, doi="10.1/x")
    source = opened()
    papers = source.harvest(WEEK).papers
    stub.faults_at["/works/10.1"] = [(200, RECORDS[what], {})] * 4
    found = {
        (item.paper_id if hasattr(item, "outcome") else item.id): item
        for item in source.publications(papers, "2026-11-05T06:00:00Z")
    }
    assert set(found) == {paper.id for paper in papers}
    assert not hasattr(found[f"arxiv:{GOOD}v1"], "outcome")
    for item in found.values():
        if not hasattr(item, "outcome"):
            assert item.to_json().encode("utf-8")


# --- through the stages -------------------------------------------------------------------------


def test_a_week_with_a_bad_paper_goes_on(
    stub: Stub, net: Net, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _serve(stub, net)
    stub.filters = False
    stub.entries.append(net.Entry("3" * 5000, "2026-10-08T00:00:00Z"))
    stub.files[f"/src/{BAD}v1"] = (200, SOURCES["a folder named .tex"], {})
    for name, value in {
        "LAWSMITH_HOME": str(tmp_path / "home"),
        "LAWSMITH_ARXIV_URL": f"http://127.0.0.1:{stub.port}/api/query",
        "LAWSMITH_ARXIV_DELAY": "0.001",
        "LAWSMITH_CROSSREF_URL": f"http://127.0.0.1:{stub.port}",
        "LAWSMITH_CROSSREF_DELAY": "0.001",
        "LAWSMITH_CONTACT_EMAIL": "curator@example.org",
    }.items():
        monkeypatch.setenv(name, value)
    week = "2026-10-05"

    def broken(*_: object, **__: object) -> Packet:
        raise OSError(36, "File name too long")

    context = open_context(source="arxiv", clock=lambda: "2026-11-05T06:00:00Z")
    with monkeypatch.context() as patched:
        patched.setattr("lawsmith.gateways.papers.arxiv_files.unpack_tex", broken)
        sources.run(context, [week])
    stands = {
        item.subject_id: (item.outcome, item.reason_code.value, item.retryable)
        for item in read_stage(context, "sources", week).values()
        if item.subject_kind == "paper"
    }
    failed = ("failed", "unexpected_error", True)
    assert stands.pop(f"arxiv:{GOOD}v1") == ("passed", "ok", False)
    assert stands.pop(f"arxiv:{BAD}v1") == failed
    assert list(stands.values()) == [failed]
    # Mended, the paper is taken up with the next run, and its packet fails alone.
    later = open_context(source="arxiv", clock=lambda: "2026-11-06T06:00:00Z")
    sources.run(later, [week])
    rows = read_partition(context.store, "sources", context.collection, week)
    assert {row.id: row.outcome for row in rows} == {
        f"arxiv:{BAD}v1": "passed",
        f"arxiv:{GOOD}v1": "passed",
    }
    with monkeypatch.context() as patched:
        patched.setattr("lawsmith.curation.packets.building._tex_packet", broken)
        packets.run(later, [week])
    stands = {
        item.subject_id: (item.outcome, item.reason_code.value, item.retryable)
        for item in read_stage(context, "packets", week).values()
    }
    assert stands == {f"arxiv:{GOOD}v1": ("passed", "ok", False), f"arxiv:{BAD}v1": failed}
    publications.run(later)
    packets.run(later, [week])
    sources.check_downloads(later, [week])
    (taken,) = (tmp_path / "home" / "packets" / "arxiv").glob(f"{GOOD}v1/*.pdf")
    data = taken.read_bytes()
    for change in (data[:-1], data[:-1] + b"x", None):
        taken.unlink() if change is None else taken.write_bytes(change)
        with pytest.raises(IntegrityError, match="only a backup restores"):
            sources.check_downloads(later, [week])
    assert len(read_partition(context.store, "packets", context.collection, week)) == 2


# --- mutated feeds, archives, headers, records ---------------------------------------------------


@dataclass(frozen=True)
class Mutator:
    """Changes bytes by a seeded draw: cut, flipped, doubled, zeroed, or strange text put in."""

    generator: np.random.Generator

    STRANGE = (
        b"\x00",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        "²".encode(),
        b"9" * 5000,
        b"[" * 20_000,
        b"../",
        b"|",
        b"&#0;",
        b"<entry>",
        b"</entry>",
        b"]]>",
        b"a" * 300,
        b"\r\n\r\n",
        b"-1",
        b"NaN",
        b"{" * 5000,
    )

    def __call__(self, data: bytes) -> bytes:
        """The data after one to three changes."""
        for _ in range(int(self.generator.integers(1, 4))):
            data = self._changed(data)
        return data

    def _changed(self, data: bytes) -> bytes:
        place, other = sorted(self.generator.integers(0, len(data) + 1, size=2).tolist())
        strange = self.STRANGE[int(self.generator.integers(len(self.STRANGE)))]
        return [
            data[:place],
            data[:place] + data[other:],
            data[:place] + strange + data[place:],
            data[:place] + strange + data[place + len(strange) :],
            data[:other] + data[place:],
            data[:place] + bytes(min(64, other - place)) + data[place + min(64, other - place) :],
        ][int(self.generator.integers(6))]


def _text(data: bytes) -> str:
    kept = data[:6000].decode("latin-1")
    return "".join(char for char in kept if char not in "\r\n")


def _mutated(stub: Stub, net: Net, seed: int) -> str:
    """Serve the week with one thing of the bad paper mutated; returns which."""
    mutate = Mutator(np.random.default_rng([12, seed]))
    _serve(stub, net, doi="10.1/x")
    stub.faults_at.clear()
    kind = ("feed", "archive", "members", "headers", "record", "licence", "pdf")[seed % 7]
    address = f"/pdf/{BAD}v1"
    if kind == "feed":
        body = stub._feed({"start": ["0"], "max_results": ["9"], "search_query": [""]})
        stub.faults_at["/api"] = [(200, mutate(body), {})] * 9
    elif kind == "archive":
        stub.files[f"/src/{BAD}v1"] = (200, mutate(SOURCES["a folder named .tex"]), {})
    elif kind == "members":
        members = ((mutate(b"main.tex")[:90] or b"x", mutate(HEAD)), (b"b.tex", mutate(net.TEX)))
        plain = tuple((name.replace(b"\x00", b""), data) for name, data in members)
        stub.files[f"/src/{BAD}v1"] = (200, _tar(*plain), {})
    elif kind == "headers":
        names = ("Location", "Content-Range", "ETag", "Retry-After", "Content-Encoding")
        code = (200, 206, 302, 307, 416, 429, 503, 204)[seed // 7 % 8]
        values = (b"http://127.0.0.1/x", b"bytes 0-9/10", b'"tag"', b"7", b"identity")
        found = {name: _text(mutate(value)) for name, value in zip(names, values, strict=True)}
        stub.files[f"/src/{BAD}v1"] = stub.files[address] = (code, net.PDF, found)
    elif kind == "record":
        record = b'{"message": {"DOI": "10.1/x", "type": "journal-article", "title": ["A title"]}}'
        stub.faults_at["/works/10.1"] = [(200, mutate(record), {})] * 9
    elif kind == "licence":
        stub.licences = {BAD: net.CC_BY, GOOD: net.CC_BY}
        stub.faults_at[f"oai%3AarXiv.org%3A{BAD}"] = [(200, mutate(stub._oai(BAD)[1]), {})] * 9
    else:
        stub.files[address] = (200, mutate(net.PDF), {})
    return kind


def _goes_on(stub: Stub, net: Net, opened: Opened, seed: int) -> None:
    kind = _mutated(stub, net, seed)
    source = opened()
    try:
        harvest = source.harvest(WEEK)
    except LawsmithError:
        # A whole list can be unreadable; a paper's own things never end the week.
        assert kind == "feed", seed
        return
    if kind != "feed":
        good = [paper for paper in harvest.papers if paper.id == f"arxiv:{GOOD}v1"]
        assert len(good) == 1, seed
        assert f"arxiv:{GOOD}v1" not in {problem.paper_id for problem in harvest.problems}
    for paper in harvest.papers:
        assert paper.to_json().encode("utf-8")
    assert set(_built(harvest, source)) == {paper.id for paper in harvest.papers}
    looked_up = source.publications(harvest.papers, "2026-11-05T06:00:00Z")
    assert len(looked_up) == len(harvest.papers)
    for item in looked_up:
        assert item.__repr__().encode("utf-8")


@pytest.mark.parametrize("first", range(0, 63, 9))
def test_mutated_feeds_archives_and_headers(
    stub: Stub, net: Net, opened: Opened, tmp_path: Path, first: int
) -> None:
    for seed in range(first, first + 9):
        _goes_on(stub, net, lambda: opened(home=tmp_path / str(seed)), seed)  # noqa: B023


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 600, 50))
def test_many_mutated_feeds_archives_and_headers(
    stub: Stub, net: Net, opened: Opened, tmp_path: Path, first: int
) -> None:
    for seed in range(first, first + 50):
        _goes_on(stub, net, lambda: opened(home=tmp_path / str(seed)), seed)  # noqa: B023
