"""arXiv and Crossref on loopback: they answer as they should, or misbehave as a test asks."""

import gzip
import io
import json
import re
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from lawsmith.config import load_configuration
from lawsmith.gateways.papers.opening import open_source
from lawsmith.gateways.papers.paper_source import PaperSource
from lawsmith.gateways.store import Store

ROOT = Path(__file__).resolve().parents[2]
PDF = (ROOT / "data" / "sample" / "papers" / "sample-0001.pdf").read_bytes()
TEX = b"\\documentclass{article}\n\\begin{document}\n\\input{body}\n\\end{document}\n"
CC_BY = "http://creativecommons.org/licenses/by/4.0/"

Answer = tuple[int, bytes, dict[str, str]]
"""Status, body, headers. The pseudo header `:do` is an order to the server: `cut` closes in
the middle of the body, `hang` never answers, `no-length` ends the body by closing."""

CUT = {":do": "cut"}
HANG = {":do": "hang"}


def packed(**files: bytes) -> bytes:
    """A packed tar of some files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(out.getvalue(), mtime=0)


@dataclass
class Entry:
    """One paper of the feed."""

    name: str
    published: str
    version: int = 1
    comment: str = ""
    abstract: str = "Some\n words"
    doi: str = ""
    title: str = "A\n  title"
    authors: tuple[str, ...] = ("A. Author",)


@dataclass
class Stub:
    """The servers; `faults` answer first, in order, `faults_at` the addresses that hold a text."""

    entries: list[Entry] = field(default_factory=list)
    files: dict[str, Answer] = field(default_factory=dict)
    works: dict[str, dict[str, Any]] = field(default_factory=dict)
    """DOI -> Crossref record."""
    licences: dict[str, str] = field(default_factory=dict)
    """arXiv id -> address of its licence."""
    faults: list[Answer] = field(default_factory=list)
    faults_at: dict[str, list[Answer]] = field(default_factory=dict)
    total: int | None = None
    longest_page: int = 10_000
    reverse: bool = False
    filters: bool = True
    asked: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    port: int = 0
    done: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str) -> Answer:
        self.asked.append(path)
        if self.faults:
            return self.faults.pop(0)
        for text, answers in self.faults_at.items():
            if text in path and answers:
                return answers.pop(0)
        query = parse_qs(urlsplit(path).query)
        if path.startswith("/api/query"):
            return 200, self._feed(query), {}
        if path.startswith("/oai?") and self.licences:
            return self._oai(query["identifier"][0].removeprefix("oai:arXiv.org:"))
        if path.startswith("/works"):
            return self._crossref(urlsplit(path).path, query)
        return self.files.get(path, (404, b"no such file", {}))

    def _feed(self, query: dict[str, list[str]]) -> bytes:
        start, count = int(query["start"][0]), int(query["max_results"][0])
        found = self._found(query)
        total = len(found) if self.total is None else self.total
        some = found[start : start + min(count, self.longest_page)]
        return (
            '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"'
            ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
            ' xmlns:arxiv="http://arxiv.org/schemas/atom">'
            f"<opensearch:totalResults>{total}</opensearch:totalResults>"
            f"{''.join(map(self._entry, some))}</feed>\n"
        ).encode()

    def _found(self, query: dict[str, list[str]]) -> list[Entry]:
        names = query.get("id_list", [""])[0]
        if names:
            return [entry for entry in self.entries if entry.name in names.split(",")]
        found = self.entries[::-1] if self.reverse else self.entries
        span = re.search(r"submittedDate:\[(\d{12}) TO (\d{12})\]", query["search_query"][0])
        if span is None or not self.filters:
            return list(found)
        first, last = span.groups()
        return [one for one in found if first <= re.sub(r"\D", "", one.published)[:12] <= last]

    def _entry(self, entry: Entry) -> str:
        name = f"{entry.name}v{entry.version}"
        authors = "".join(f"<author><name>{who}</name></author>" for who in entry.authors)
        doi = f"<arxiv:doi>{entry.doi}</arxiv:doi>" if entry.doi else ""
        return (
            f"<entry><id>http://arxiv.org/abs/{name}</id><published>{entry.published}</published>"
            f"<updated>2026-10-20T10:00:00Z</updated><title>{entry.title}</title>"
            f"<summary>{entry.abstract}</summary>{authors}{doi}"
            f"<arxiv:comment>{entry.comment}</arxiv:comment>"
            f'<link title="pdf" href="http://127.0.0.1:{self.port}/pdf/{name}" rel="related"/>'
            '<arxiv:primary_category term="physics.flu-dyn"/>'
            '<category term="physics.flu-dyn"/></entry>'
        )

    def _oai(self, name: str) -> Answer:
        stated = self.licences.get(name, "")
        text = f"<license>{stated}</license>" if stated else ""
        body = (
            '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><GetRecord><record><metadata>'
            f'<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{name}</id>{text}</arXiv>'
            "</metadata></record></GetRecord></OAI-PMH>"
        )
        return 200, body.encode(), {}

    def _crossref(self, path: str, query: dict[str, list[str]]) -> Answer:
        if path != "/works":
            work = self.works.get(unquote(path.removeprefix("/works/")))
            if work is None:
                return 404, b"Resource not found.", {}
            return _message("work", work)
        if "filter" in query:
            asked = query["filter"][0].partition("relation.object:")[2]
            items = [
                work
                for work in self.works.values()
                if asked in json.dumps(work.get("relation", {}).get("is-preprint-of", []))
            ]
        else:
            items = list(self.works.values())
        return _message("work-list", {"items": items[: int(query["rows"][0])]})


def _message(kind: str, message: dict[str, Any]) -> Answer:
    return 200, json.dumps({"status": "ok", "message-type": kind, "message": message}).encode(), {}


def _handler(found: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.agents.append(self.headers["User-Agent"])
            code, body, headers = found.answer(self.path)
            order = headers.get(":do", "")
            if order == "hang":
                found.done.wait(20)
                return
            if asked := self.headers.get("Range"):
                found.ranges.append(asked)
                if code == 200 and headers.get("ETag") == self.headers.get("If-Range"):
                    start = int(asked.removeprefix("bytes=").removesuffix("-"))
                    given = f"bytes {start}-{len(body) - 1}/{len(body)}"
                    headers = {**headers, "Content-Range": given}
                    code, body = 206, body[start:]
            self.send_response(code)
            for name, value in headers.items():
                if not name.startswith(":"):
                    self.send_header(name, value)
            if order != "no-length":
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if order == "cut" else body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def stub() -> Iterator[Stub]:
    """The servers, running."""
    found = Stub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    found.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    found.done.set()
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Clock:
    """A clock that only moves when somebody sleeps, or by `tick` at each look."""

    now: float = datetime(2026, 11, 5, 6, tzinfo=UTC).timestamp()
    tick: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        self.now += self.tick
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Opened = Callable[..., PaperSource]


@pytest.fixture
def clock() -> Clock:
    """An injected clock."""
    return Clock()


@pytest.fixture
def opened(stub: Stub, tmp_path: Path, clock: Clock) -> Opened:
    """Opens arXiv as a source, in another home and with settings changed if given."""

    def open_it(home: Path = tmp_path / "home", **flags: object) -> PaperSource:
        settings = load_configuration(
            environ={
                "LAWSMITH_ARXIV_URL": f"http://127.0.0.1:{stub.port}/api/query",
                "LAWSMITH_CONTACT_EMAIL": "curator@example.org",
            },
            flags={"arxiv.page_size": 2, **flags},
            checkout=ROOT,
        ).settings
        store = Store.open(home)
        return open_source(settings, store, "arxiv", clock=clock, sleep=clock.sleep)

    return open_it
