"""A whole window of papers through the real stages, against a model that takes its time.

300 papers are extracted and reviewed by a loopback model of 2 s latency, 16 calls at a time,
through litellm and the ledger. Prints the time from the first request sent to the last reply
stored against the ideal of the two stages (as many whole waves of calls as it takes), and
start-up (imports, litellm, packets) apart. A rerun must make no call.

`python -m benchmarks.speed.window [PAPERS [SECONDS [AT_ONCE]]]`
"""

import math
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from benchmarks.speed.window_papers import write_window

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("cards", "reviews/card")


@dataclass(frozen=True)
class Span:
    """When the calls of a ledger ran, in seconds since 1970 UTC."""

    first_sent: float
    last_stored: float
    calls: int

    @property
    def seconds(self) -> float:
        """From the first request sent to the last reply stored."""
        return self.last_stored - self.first_sent


@contextmanager
def model_server(latency: float) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Address of a loopback model in a process of its own, and that process."""
    code = f"from benchmarks.speed.loopback_model import serve; serve({latency})"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1", process
        if process.stdin is not None and not process.stdin.closed:
            process.stdin.close()


def span_of(ledger: Path, role: str = "%") -> Span:
    """The span of the calls that a ledger holds, of all roles or of one."""
    connection = sqlite3.connect(ledger)
    rows = connection.execute(
        "SELECT at, latency FROM calls WHERE state = 'done' AND role LIKE ?", (role,)
    ).fetchall()
    connection.close()
    sent = [datetime.fromisoformat(at).timestamp() for at, _ in rows]
    stored = [at + latency for at, (_, latency) in zip(sent, rows, strict=True)]
    return Span(min(sent), max(stored), len(rows))


def run_window(source: Path) -> tuple[dict[str, float], list[str]]:
    """Seconds of each part of one run, and how many subjects passed each stage."""
    from lawsmith.cli.refreshing import weeks_for
    from lawsmith.runs.opening import open_context
    from lawsmith.stages import cards, packets, reviews, sources

    context = open_context(source=str(source), max_tokens=100_000_000, run="window")
    weeks = weeks_for(context, None)
    marks = {"begin": time.time()}
    sources.run(context, weeks)
    packets.run(context, weeks)
    marks["packets"] = time.time()
    context.roster()
    marks["litellm"] = time.time()
    reports = [cards.run(context, weeks)]
    marks["cards"] = time.time()
    reports.append(reviews.run_card(context, weeks))
    marks["reviews"] = time.time()
    told = [
        f"{report.stage} {report.outcomes}, {report.figures['calls_to_live_models']:.0f} calls"
        for report in reports
    ]
    names = list(marks)
    spent = {b: marks[b] - marks[a] for a, b in pairwise(names)}
    return spent, told


def main() -> None:
    """Measure and print."""
    papers, latency, at_once = (
        float(given) for given in (*sys.argv[1:], *("300", "2.0", "16")[len(sys.argv) - 1 :])
    )
    ideal_stage = math.ceil(papers / at_once) * latency
    with tempfile.TemporaryDirectory() as folder, model_server(latency) as (base, process):
        home, source = Path(folder) / "store", write_window(Path(folder) / "in", int(papers))
        os.environ.update(
            {
                "LAWSMITH_HOME": str(home),
                "LAWSMITH_EXTRACTOR": "openai/extractor-1",
                "LAWSMITH_REVIEWER": "openai/reviewer-1",
                "LAWSMITH_EXTRACTOR_API_BASE": base,
                "LAWSMITH_REVIEWER_API_BASE": base,
                "LAWSMITH_CONCURRENCY": str(int(at_once)),
            }
        )
        spent, told = run_window(source)
        span, read, reviewed = (
            span_of(home / "ledger.sqlite", role) for role in ("%", "extractor", "reviewer")
        )
        again, told_again = run_window(source)
        served, different = process.communicate("")[0].split()
        for line in told:
            print(f"first run: {line}")
        print(f"start-up: packets {spent['packets']:.1f} s, litellm {spent['litellm']:.1f} s")
        print(f"stages: cards {spent['cards']:.1f} s, reviews {spent['reviews']:.1f} s")
        stages = 2 * ideal_stage
        print(
            f"first request sent to last reply stored: {span.seconds:.1f} s for {span.calls}"
            f" calls, ideal {stages:.1f} s: {span.seconds / stages:.3f} times"
        )
        print(
            f"reading {read.seconds:.1f} s, {reviewed.first_sent - read.last_stored:.1f} s from"
            f" its end to the first review, reviewing {reviewed.seconds:.1f} s;"
            f" each {ideal_stage:.1f} s at best"
        )
        for line in told_again:
            print(f"rerun: {line}")
        print(f"rerun: {sum(again.values()):.1f} s; served {served} calls, {different} different")


if __name__ == "__main__":
    main()
