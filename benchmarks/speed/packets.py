"""Speed of packets against what a user would write: the library's plain text of the same pages.

Run with `python -m benchmarks.speed.packets [folder of PDFs]`; without a folder it reads the
papers of `../shared/papers` where they are, else the bundled sample, and then 2,000 generated
pages. All rows of a table come from one run, in turns, each the best of its repeats; the
processes that read PDFs are started before the clock. The target: packets reach 0.6 of
`get_text("dict")` alone in one process, and 1.0 with two workers. Where other work uses the
cores, wall time says little: the processor time of all processes of a way is given too (Linux),
and two workers reach at most twice what it allows on two free cores. Last come the ranks that
triage gives.
"""

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from lawsmith.curation.packets import PacketLimits, build_packet
from lawsmith.curation.packets.pdf_child import SHARED
from lawsmith.curation.packets.pdf_pages import read_pdf
from lawsmith.curation.reading.triage_score import triage
from schemas.packet import Packet

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample" / "papers"
PAPERS = ROOT.parent / "shared" / "papers"
REPEATS = 3
PYPDF_PAGES = 3
"""First pages of each file that pypdf is timed on: it is slower by an order of magnitude."""
LIMITS = PacketLimits(max_pages=2_000, seconds=600)
TEXT_ONLY = pymupdf.TEXTFLAGS_TEXT


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPERS if PAPERS.is_dir() else SAMPLE
    papers = sorted(folder.rglob("paper.pdf")) or sorted(folder.rglob("*.pdf"))
    measure(f"{len(papers)} papers of {folder.name}", papers)
    print_reference(folder)
    print_triage(folder)
    with tempfile.TemporaryDirectory() as made:
        generated = [_generate(Path(made) / f"g{n}.pdf", pages=20) for n in range(100)]
        measure("2,000 generated pages in 100 files", generated)
        whole = _generate(Path(made) / "whole.pdf", pages=2_000)
        started = time.perf_counter()
        lines = len(build_packet(whole, limits=LIMITS).lines)
        print(f"\none file of 2,000 pages: {time.perf_counter() - started:.1f} s, {lines} lines")
    SHARED.close()
    for name, who in (("parent", resource.RUSAGE_SELF), ("reader", resource.RUSAGE_CHILDREN)):
        print(f"peak memory, {name}: {resource.getrusage(who).ru_maxrss / 1024:.0f} MiB")


def measure(title: str, files: Sequence[Path]) -> None:
    """Print pages per second of every way to read the files."""
    with ThreadPoolExecutor(2) as pool:
        # Both children start, and every file is in the page cache.
        packets = list(pool.map(_packet, files))
    pages = sum(int(packet.quality["pages"]) for packet in packets)
    ways: dict[str, Callable[[], int]] = {
        'pymupdf get_text("dict")': lambda: _plain(files, "dict", None),
        'pymupdf get_text("dict"), no images': lambda: _plain(files, "dict", TEXT_ONLY),
        "pymupdf get_text()": lambda: _plain(files, "text", None),
        "packets, reading in this process": lambda: _count(
            files, lambda path: read_pdf(path, 2_000)
        ),
        "packets, one worker": lambda: _count(files, _packet),
        "packets, two workers": lambda: _in_parallel(files, 2),
        f"pypdf (first {PYPDF_PAGES} pages of each)": lambda: _pypdf(files),
    }
    best = dict.fromkeys(ways, 0.0)
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(REPEATS):
        for name, way in ways.items():
            started, worked = time.perf_counter(), _processor_seconds()
            count = way() or pages
            best[name] = max(best[name], count / (time.perf_counter() - started))
            least[name] = min(least[name], (_processor_seconds() - worked) / count)
    plain = next(iter(ways))
    started = time.perf_counter()
    for packet in packets:
        triage(packet)
    scoring = (time.perf_counter() - started) / len(packets)
    print(f"\n{title}, {pages} pages\n{'':40} pages/s  of dict   cpu ms/page  of dict")
    for name in ways:
        of_wall, of_work = best[name] / best[plain], least[plain] / max(least[name], 1e-9)
        print(
            f"{name:40} {best[name]:7.1f} {of_wall:8.2f} {1000 * least[name]:13.2f} {of_work:8.2f}"
        )
    print(f"{'triage':40} {scoring * 1000:7.1f} ms a paper")


def _processor_seconds() -> float:
    """Processor time of this process and of its living children."""
    spent = time.process_time()
    tick = os.sysconf("SC_CLK_TCK")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == os.getpid():
            spent += (int(fields[11]) + int(fields[12])) / tick
    return spent


def print_triage(folder: Path) -> None:
    """Print where the papers with an executable relation stand in the queue."""
    index = folder / "index.jsonl"
    if not index.is_file():
        return
    rows = [json.loads(line) for line in index.read_text().splitlines()]
    scored = sorted(
        ((triage(_packet(folder / row["slug"] / "paper.pdf")).score, row) for row in rows),
        key=lambda pair: -pair[0],
    )
    holds = [bool(row["has_executable_relation"]) for _, row in scored]
    wanted = sum(holds)
    without = [score for (score, _), held in zip(scored, holds, strict=True) if not held]
    lowest = min(score for (score, _), held in zip(scored, holds, strict=True) if held)
    print(
        f"triage: {wanted} of {len(rows)} papers hold a relation; precision at {wanted}:"
        f" {sum(holds[:wanted]) / wanted:.2f}; the lowest of them, {lowest:.2f}, stands above"
        f" {sum(lowest > score for score in without)} of {len(without)} without one"
        f" (their median {statistics.median(without):.2f})"
    )


def print_reference(folder: Path) -> None:
    """Print the figures that came with the papers, measured on another machine."""
    index = folder / "index.jsonl"
    if not index.is_file():
        return
    rows = [json.loads(line)["extraction"] for line in index.read_text().splitlines()]
    for name in ("pymupdf_pages_per_s", "pymupdf_sort_pages_per_s", "pypdf_pages_per_s"):
        values = [row[name] for row in rows if row.get(name)]
        if values:
            print(f"reference, median of the papers, {name}: {statistics.median(values):.1f}")


def _packet(path: Path) -> Packet:
    return build_packet(path, limits=LIMITS)


def _count(files: Sequence[Path], read: Callable[[Path], object]) -> int:
    for path in files:
        read(path)
    return 0


def _in_parallel(files: Sequence[Path], workers: int) -> int:
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(_packet, files))
    return 0


def _plain(files: Sequence[Path], form: str, flags: int | None) -> int:
    for path in files:
        with pymupdf.open(path) as document:  # type: ignore[no-untyped-call]
            for page in document:
                page.get_text(form, flags=flags)
    return 0


def _pypdf(files: Sequence[Path]) -> int:
    read = 0
    for path in files[:: max(1, len(files) // 10)]:
        for page in PdfReader(path).pages[:PYPDF_PAGES]:
            page.extract_text()
            read += 1
    return read


def _generate(path: Path, *, pages: int) -> Path:
    """A file of two-column pages with exponents and a table."""
    canvas = Canvas(str(path), invariant=1)
    for page in range(pages):
        for column, left in enumerate((60, 320)):
            for line in range(48):
                text = canvas.beginText(left, 740 - 14 * line)
                # A rise outlives its text object, and would lift the next line as a whole.
                text.setRise(0)
                text.setFont("Times-Roman", 10)
                text.textOut(f"In run {page}.{line} of part {column} the rate was {line}.5 x 10")
                text.setFont("Times-Roman", 7)
                text.setRise(3.5)
                text.textOut(str(line % 9 + 1))
                canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return path


if __name__ == "__main__":
    main()
