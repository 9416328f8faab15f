"""Speed of packets against the plain alternative, pypdf's text of the same pages.

Run with `python -m benchmarks.packets [PDF ...]`; without files it reads the bundled sample.
It prints pages per second and the ratio of this one run. The child process that reads PDFs is
started before the clock, and its start is printed by itself.
"""

import sys
import time
from pathlib import Path

from pypdf import PdfReader

from lawsmith.curation.packets import build_packet
from lawsmith.curation.triage import triage

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample" / "papers"
REPEATS = 3


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]] or sorted(SAMPLE.glob("*.pdf"))
    started = time.perf_counter()
    build_packet(files[0])
    print(f"start of the reading process and its first file: {time.perf_counter() - started:.2f} s")
    print(
        f"{'file':>24} {'pages':>6} {'packets/s':>10} {'pypdf/s':>8} {'ratio':>6} {'triage ms':>10}"
    )
    for path in files:
        pages = len(PdfReader(path).pages)
        ours = theirs = scoring = float("inf")
        for _ in range(REPEATS):
            started = time.perf_counter()
            packet = build_packet(path)
            ours = min(ours, time.perf_counter() - started)
            started = time.perf_counter()
            triage(packet)
            scoring = min(scoring, time.perf_counter() - started)
            started = time.perf_counter()
            for page in PdfReader(path).pages:
                page.extract_text()
            theirs = min(theirs, time.perf_counter() - started)
        print(
            f"{path.parent.name + '/' + path.name if path.name == 'paper.pdf' else path.name:>24}"
            f" {pages:>6} {pages / ours:>10.0f} {pages / theirs:>8.0f} {theirs / ours:>6.1f}"
            f" {scoring * 1000:>10.2f}"
        )


if __name__ == "__main__":
    main()
