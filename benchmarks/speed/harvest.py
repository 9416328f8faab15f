"""A harvest of 3,000 papers from a stubbed arXiv, against the plain client and plain downloads.

Run with `python -m benchmarks.speed.harvest [PAPERS]`. The server is a process of its own on
loopback; it answers every 50th request with 503 and cuts every 70th body. The clock is injected:
nothing waits, and what the waits would have taken is added up. The alternative lists the same
window with the arxiv package as it comes and fetches each source with one plain request: no
counts, no second try, no licence, nothing unpacked. It meets a server without faults. Our CPU
time is mostly that of finding the main file and what it reaches; the pace leaves 6 s a paper for
it.
"""

import gzip
import io
import multiprocessing
import re
import resource
import sys
import tarfile
import tempfile
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import arxiv
import requests

from lawsmith.config import load_configuration
from lawsmith.gateways.papers.opening import open_source
from lawsmith.gateways.store import Store
from schemas.source import Window

ROOT = Path(__file__).resolve().parents[2]
WINDOW = Window(start="2026-10-05", end="2026-10-12")
START = datetime(2026, 10, 5, tzinfo=UTC)
MINUTES = 7 * 24 * 60
TEX = (
    b"\\documentclass{article}\\begin{document}" + b"A line of text.\n" * 3000 + b"\\end{document}"
)


class Clock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = START.timestamp()
        self.begun = self.now

    def __call__(self) -> float:
        """Seconds since 1970 UTC."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self.now += seconds


def source_archive() -> bytes:
    """What the server sends as each paper's source."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("ms.tex")
        info.size = len(TEX)
        archive.addfile(info, io.BytesIO(TEX))
    return gzip.compress(out.getvalue(), 1, mtime=0)


def serve(papers: int, faults: bool, port: Connection) -> None:
    """Answer as arXiv would, until killed."""
    archive = source_archive()
    stamps = [START + timedelta(minutes=n * MINUTES // papers) for n in range(papers)]
    keys = [f"{stamp:%Y%m%d%H%M}" for stamp in stamps]
    count = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave together; apart, they would wait for each other's receipt.
        wbufsize = -1

        def do_GET(self) -> None:
            nonlocal count
            if self.path == "/count":
                self.answer(200, str(count).encode(), 0)
                return
            count += 1
            if faults and count % 50 == 0:
                self.answer(503, b"", 0)
                return
            body = self.body()
            self.answer(200, body, len(body) // 2 if faults and count % 70 == 0 else 0)

        def body(self) -> bytes:
            query = parse_qs(urlsplit(self.path).query)
            if self.path.startswith("/api"):
                return self.feed(query)
            if self.path.startswith("/oai"):
                return (
                    b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><arXiv'
                    b' xmlns="http://arxiv.org/OAI/arXiv/"><license>'
                    b"http://creativecommons.org/licenses/by/4.0/</license></arXiv></OAI-PMH>"
                )
            return archive

        def feed(self, query: dict[str, list[str]]) -> bytes:
            span = re.search(r"\[(\d{12}) TO (\d{12})\]", query["search_query"][0])
            assert span is not None
            found = [n for n in range(papers) if span[1] <= keys[n] <= span[2]]
            first = int(query["start"][0])
            entries = "".join(
                f"<entry><id>http://arxiv.org/abs/2610.{n:05}v1</id>"
                f"<published>{stamps[n]:%Y-%m-%dT%H:%M:%SZ}</published>"
                f"<updated>{stamps[n]:%Y-%m-%dT%H:%M:%SZ}</updated><title>Paper {n}</title>"
                f"<summary>{'Some words. ' * 80}</summary><author><name>A. Author</name></author>"
                f'<link title="pdf" href="http://{self.headers["Host"]}/pdf/2610.{n:05}v1"/>'
                '<arxiv:primary_category term="physics.flu-dyn"/>'
                '<category term="physics.flu-dyn"/></entry>'
                for n in found[first : first + int(query["max_results"][0])]
            )
            return (
                '<feed xmlns="http://www.w3.org/2005/Atom"'
                ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
                ' xmlns:arxiv="http://arxiv.org/schemas/atom">'
                f"<opensearch:totalResults>{len(found)}</opensearch:totalResults>{entries}</feed>"
            ).encode()

        def answer(self, code: int, body: bytes, cut: int) -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut] if cut else body)
            self.close_connection = bool(cut)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_port)
    server.serve_forever()


def started(papers: int, *, faults: bool) -> tuple[multiprocessing.Process, str]:
    """A running server and its address."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(papers, faults, theirs), daemon=True)
    process.start()
    return process, f"http://127.0.0.1:{ours.recv()}"


def plain(base: str) -> tuple[int, float]:
    """(papers, CPU seconds) of the plain client and one plain request a paper."""
    begun = time.process_time()
    client = arxiv.Client(page_size=100, delay_seconds=0, num_retries=0)
    client.query_url_format = f"{base}/api/query?{{}}"
    query = "cat:physics.* AND submittedDate:[202610050000 TO 202610112359]"
    found = 0
    with requests.Session() as session:
        for entry in client.results(arxiv.Search(query=query, max_results=None)):
            session.get(str(entry.pdf_url).replace("/pdf/", "/src/"), timeout=60).raise_for_status()
            found += 1
    return found, time.process_time() - begun


def main() -> None:
    """Print what a harvest asks for, takes and holds, and the ratio to the plain way."""
    papers = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    server, base = started(papers, faults=False)
    listed, plain_seconds = plain(base)
    server.kill()
    server, base = started(papers, faults=True)
    clock = Clock()
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as home:
        settings = load_configuration(
            environ={
                "LAWSMITH_ARXIV_URL": f"{base}/api/query",
                "LAWSMITH_CONTACT_EMAIL": "curator@example.org",
            },
            checkout=ROOT,
        ).settings
        source = open_source(
            settings, Store.open(Path(home)), "arxiv", clock=clock, sleep=clock.sleep
        )
        begun, cpu = time.perf_counter(), time.process_time()
        harvest = source.harvest(WINDOW)
        hours = (clock.now - clock.begun) / 3600
        wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
        asked = int(requests.get(f"{base}/count", timeout=60).text)
        again = time.process_time()
        source.harvest(WINDOW)
        again = time.process_time() - again
        asked_again = int(requests.get(f"{base}/count", timeout=60).text) - asked
    server.kill()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) / 1024
    needed = 2 * papers + -(-papers // 100)
    least = (needed - 1) * settings.arxiv.delay_seconds / 3600
    print(f"papers      {len(harvest.papers)} of {papers}, complete {harvest.complete}")
    print(f"problems    {len(harvest.problems)}")
    print(f"licences    {sum(paper.licence is not None for paper in harvest.papers)}")
    print(f"requests    {asked}, of which {asked - needed} tries again, halves and margins")
    print(f"clock       {hours:.2f} h at 3 s a request, {hours / least:.2f}x the least possible")
    print(f"again       {asked_again} requests, {again:.1f} s CPU")
    print(f"memory      {grown:.0f} MB more at the peak")
    print(f"CPU         {cpu:.1f} s here ({wall:.1f} s wall), {plain_seconds:.1f} s plainly")
    print(f"ratio       {cpu / plain_seconds:.2f}x for {listed} papers")


if __name__ == "__main__":
    main()
