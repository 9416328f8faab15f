"""arXiv behind the source interface, against a server on loopback that misbehaves at will."""

import gzip
import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from lawsmith.config import load_configuration
from lawsmith.curation.packets import packet_of_paper
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.arxiv_files import unpack_tex
from lawsmith.gateways.harvests import PaperSource
from lawsmith.gateways.pace import Pace
from lawsmith.gateways.paper_sources import open_source
from lawsmith.gateways.polite_http import DownloadError
from lawsmith.gateways.warehouse import Store
from schemas.source import ReasonCode, Window

ROOT = Path(__file__).resolve().parents[2]
WEEK = Window(start="2026-10-05", end="2026-10-12")
TEX = b"\\documentclass{article}\n\\begin{document}\n\\input{body}\n\\end{document}\n"
PDF = (ROOT / "data" / "sample" / "papers" / "sample-0001.pdf").read_bytes()

Answer = tuple[int, bytes, dict[str, str]]


def _tar(**files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@dataclass
class Entry:
    name: str
    published: str
    version: int = 1
    comment: str = ""


@dataclass
class Stub:
    """An API with some entries; `faults` answer first."""

    entries: list[Entry] = field(default_factory=list)
    files: dict[str, Answer] = field(default_factory=dict)
    faults: list[Answer] = field(default_factory=list)
    total: int | None = None
    asked: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    port: int = 0

    def answer(self, path: str) -> Answer:
        self.asked.append(path)
        if self.faults:
            return self.faults.pop(0)
        if path.startswith("/api/query"):
            return 200, self._feed(parse_qs(urlsplit(path).query)), {}
        return self.files.get(path, (404, b"no such file", {}))

    def _feed(self, query: dict[str, list[str]]) -> bytes:
        start, count = int(query["start"][0]), int(query["max_results"][0])
        total = len(self.entries) if self.total is None else self.total
        shown = "".join(self._entry(entry) for entry in self.entries[start : start + count])
        return (
            '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"'
            ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
            ' xmlns:arxiv="http://arxiv.org/schemas/atom">'
            f"<opensearch:totalResults>{total}</opensearch:totalResults>{shown}</feed>"
        ).encode()

    def _entry(self, entry: Entry) -> str:
        name = f"{entry.name}v{entry.version}"
        return (
            f"<entry><id>http://arxiv.org/abs/{name}</id><published>{entry.published}</published>"
            f"<updated>2026-10-20T10:00:00Z</updated><title>A\n  title</title>"
            f"<summary>Some\n words</summary><author><name>A. Author</name></author>"
            f"<arxiv:comment>{entry.comment}</arxiv:comment>"
            f'<link title="pdf" href="http://127.0.0.1:{self.port}/pdf/{name}" rel="related"/>'
            '<arxiv:primary_category term="physics.flu-dyn"/>'
            '<category term="physics.flu-dyn"/></entry>'
        )


@pytest.fixture
def stub() -> Iterator[Stub]:
    found = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.agents.append(self.headers["User-Agent"])
            code, body, headers = found.answer(self.path)
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Clock:
    """A clock that only moves when somebody sleeps."""

    now: float = 1_000_000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Opened = Callable[..., PaperSource]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(stub: Stub, tmp_path: Path, clock: Clock) -> Opened:
    def open_it(**flags: object) -> PaperSource:
        settings = load_configuration(
            environ={
                "LAWSMITH_ARXIV_URL": f"http://127.0.0.1:{stub.port}/api/query",
                "LAWSMITH_CONTACT_EMAIL": "curator@example.org",
            },
            flags={"arxiv.page_size": 2, **flags},
            checkout=ROOT,
        ).settings
        store = Store.open(tmp_path / "home")
        return open_source(settings, store, "arxiv", clock=clock, sleep=clock.sleep)

    return open_it


def _week(stub: Stub) -> None:
    stub.entries = [
        Entry("2610.00001", "2026-10-04T23:59:59Z"),
        Entry("2610.00002", "2026-10-05T00:00:00Z"),
        Entry("physics/0610003", "2026-10-07T12:00:00Z", version=3),
        Entry("2610.00004", "2026-10-11T23:59:59Z", comment="This paper has been withdrawn"),
        Entry("2610.00005", "2026-10-12T00:00:00Z"),
    ]
    stub.files = {
        "/src/2610.00002v1": (
            200,
            _tar(**{"ms.tex": TEX, "body.tex": b"k = 3", "old.tex": b"x"}),
            {},
        ),
        "/pdf/physics/0610003v3": (200, PDF, {}),
    }


def test_a_window_is_listed_whole_with_its_files(stub: Stub, opened: Opened, clock: Clock) -> None:
    _week(stub)
    source = opened()
    harvest = source.harvest(WEEK)
    assert [paper.id for paper in harvest.papers] == [
        "arxiv:2610.00002v1",
        "arxiv:2610.00004v1",
        "arxiv:physics.0610003v3",
    ]
    assert (harvest.expected, harvest.found, harvest.complete) == (5, 5, True)
    first, withdrawn, old = harvest.papers
    assert first.title == "A title"
    assert first.licence is None
    assert [file.path for file in first.files] == [
        "2610.00002v1/src/body.tex",
        "2610.00002v1/src/ms.tex",
    ]
    assert "k = 3" in packet_of_paper(first, source.folder).lines
    assert packet_of_paper(old, source.folder).kind == "pdf"
    assert withdrawn.withdrawn
    assert [(item.paper_id, item.reason_code) for item in harvest.problems] == [
        (withdrawn.id, ReasonCode.WITHDRAWN)
    ]
    (dates,) = source.publications([old], "2026-11-30T00:00:00Z")
    assert dates.journal_online is None
    with pytest.raises(InputError, match="--window"):
        source.submission_dates()


def test_requests_are_paced_named_and_ask_a_day_more(
    stub: Stub, opened: Opened, clock: Clock
) -> None:
    _week(stub)
    opened().harvest(WEEK)
    assert len(stub.asked) == 3 + 3
    assert clock.slept == [3.0] * 5
    assert set(stub.agents) == {stub.agents[0]}
    assert stub.agents[0].startswith("lawsmith/")
    assert "curator@example.org" in stub.agents[0]
    query = parse_qs(urlsplit(stub.asked[0]).query)
    assert "submittedDate:[202610040000 TO 202610132359]" in query["search_query"][0]
    assert "cat:physics.*" in query["search_query"][0]
    assert query["sortOrder"] == ["ascending"]


def test_files_are_fetched_once(stub: Stub, opened: Opened) -> None:
    _week(stub)
    before = opened().harvest(WEEK)
    stub.asked.clear()
    assert opened().harvest(WEEK) == before
    assert all(path.startswith("/api/query") for path in stub.asked)


def test_faults_are_tried_again_as_the_server_asks(
    stub: Stub, opened: Opened, clock: Clock
) -> None:
    _week(stub)
    stub.faults = [
        (429, b"", {"Retry-After": "30"}),
        (503, b"", {}),
        (200, b"<html>maintenance</html>", {}),
    ]
    assert opened().harvest(WEEK).complete
    assert clock.slept[:3] == [30.0, 10.0, 20.0]


@pytest.mark.parametrize(
    ("answer", "message", "tries"),
    [
        ((200, b"<html>maintenance</html>", {}), "not an Atom feed", 4),
        ((503, b"", {}), "HTTP 503", 4),
        ((400, b"bad query", {}), "HTTP 400", 1),
        ((429, b"", {"Retry-After": "86400"}), "asks to wait 86400 s", 1),
    ],
)
def test_an_outage_is_an_error_and_never_an_empty_window(
    stub: Stub, opened: Opened, answer: Answer, message: str, tries: int
) -> None:
    stub.faults = [answer] * 10
    with pytest.raises(PrerequisiteError, match=message):
        opened().harvest(WEEK)
    assert len(stub.asked) == tries


def test_a_window_without_papers_is_empty_and_complete(stub: Stub, opened: Opened) -> None:
    harvest = opened().harvest(WEEK)
    assert (harvest.papers, harvest.expected, harvest.complete) == ((), 0, True)


def test_entries_that_do_not_come_make_the_harvest_incomplete(stub: Stub, opened: Opened) -> None:
    _week(stub)
    stub.total = 8
    harvest = opened().harvest(WEEK)
    assert (harvest.expected, harvest.found, harvest.complete) == (8, 5, False)
    assert len(harvest.papers) == 3


def test_an_entry_repeated_over_pages_is_one_and_the_newest_version_stays(
    stub: Stub, opened: Opened
) -> None:
    _week(stub)
    stub.entries = [
        Entry("physics/0610003", "2026-10-07T12:00:00Z", version=2),
        Entry("physics/0610003", "2026-10-07T12:00:00Z", version=3),
        Entry("physics/0610003", "2026-10-07T12:00:00Z", version=2),
    ]
    harvest = opened().harvest(WEEK)
    assert [paper.version for paper in harvest.papers] == [3]
    assert not harvest.complete


def test_large_windows_are_halved(
    stub: Stub, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lawsmith.gateways.arxiv_feed.MAX_SLICE", 4)
    _week(stub)
    opened().harvest(WEEK)
    spans = [
        parse_qs(urlsplit(path).query)["search_query"][0].split("submittedDate:")[1]
        for path in stub.asked
        if path.startswith("/api") and "start=0" in path
    ]
    assert spans[:2] == ["[202610040000 TO 202610132359]", "[202610040000 TO 202610082359]"]
    # Halved down to single days, which cover the window once each.
    days = [span for span in spans if span[1:9] == span[17:25]]
    assert len(days) == len(set(days)) == 10


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((404, b"", {}), "HTTP 404"),
        ((200, b"<html>sorry</html>", {}), "not a PDF"),
        ((200, b"%PDF-" + b"x" * 3000, {}), "longer than 2000 bytes"),
    ],
)
def test_a_failed_download_is_a_problem_of_its_paper(
    stub: Stub, opened: Opened, answer: Answer, sentence: str
) -> None:
    stub.entries = [Entry("2610.00002", "2026-10-05T00:00:00Z")]
    stub.files = {"/pdf/2610.00002v1": answer}
    source = opened(**{"arxiv.max_file_bytes": 2000})
    harvest = source.harvest(WEEK)
    assert harvest.papers[0].files == ()
    (problem,) = harvest.problems
    assert (problem.outcome, problem.reason_code) == ("failed", ReasonCode.DOWNLOAD_FAILED)
    assert sentence in problem.sentence
    assert list(source.folder.iterdir()) == []


def test_a_source_without_a_main_file_gives_way_to_the_pdf(stub: Stub, opened: Opened) -> None:
    stub.entries = [Entry("2610.00002", "2026-10-05T00:00:00Z")]
    stub.files = {
        "/src/2610.00002v1": (200, _tar(**{"figure.tex": b"\\draw"}), {}),
        "/pdf/2610.00002v1": (200, PDF, {}),
    }
    (paper,) = opened().harvest(WEEK).papers
    assert [file.path for file in paper.files] == ["2610.00002v1/paper.pdf"]


def test_only_plain_tex_files_inside_the_folder_are_unpacked() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("a.tex", "../up.tex", "/root.tex", "run.sh"):
            info = tarfile.TarInfo(name)
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
        link = tarfile.TarInfo("link.tex")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert unpack_tex(gzip.compress(out.getvalue())) == {"a.tex": b"x"}
    assert unpack_tex(gzip.compress(TEX)) == {"main.tex": TEX}
    assert unpack_tex(PDF) == {}


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawsmith.gateways.arxiv_files.MAX_UNPACKED", 1000)
    with pytest.raises(DownloadError, match="more than 1000 bytes"):
        unpack_tex(gzip.compress(b"x" * 10_000_000))
    with pytest.raises(DownloadError, match="gzip"):
        unpack_tex(b"\x1f\x8b broken")


def test_two_processes_share_one_pace(tmp_path: Path, clock: Clock) -> None:
    paces = [Pace(tmp_path / "p", 3.0, clock=clock, sleep=clock.sleep) for _ in range(2)]
    paces[0].wait()
    clock.now += 1
    paces[1].wait()
    assert clock.slept == [2.0]
    clock.now += 10
    paces[0].wait()
    assert clock.slept == [2.0]
    clock.now -= 1000
    paces[1].wait()
    assert clock.slept == [2.0, 3.0]
