"""The main job over the bundled sample: first run, no-op rerun, and what orchestration costs.

Prints the no-op rerun against the first run (the obvious alternative: do it all again), and
the Temporal refresh through Dagster against the same stage functions called directly, both
with their modules imported.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RUN = [sys.executable, "-m", "lawsmith", "-q", "refresh"]
REFRESH = """
import sys, time
from assets.resources import Engine
from lawsmith.cli.refreshing import weeks_for
from lawsmith.runs.opening import open_context
import pipelines.definitions
from pipelines.launch import launch, open_instance
context = open_context(source="sample")
weeks = weeks_for(context, None)
with open_instance(context.store) as instance:
    started = time.perf_counter()
    launch(instance, "temporal_refresh", Engine(source="sample"), weeks=weeks)
    print(time.perf_counter() - started)
"""
DIRECT = """
import sys, time
from lawsmith.cli.refreshing import weeks_for
from lawsmith.stages import cards, checks, families, packets, pictures, reviews, sources, worlds
from lawsmith.runs.opening import open_context
context = open_context(source="sample")
weeks = weeks_for(context, None)
started = time.perf_counter()
sources.run(context, weeks), checks.sources(context)
packets.run(context, weeks), checks.packets(context)
cards.run(context, weeks), checks.cards(context), pictures.funnel(context)
reviews.run_card(context, weeks), checks.card_reviews(context)
families.run_temporal(context, weeks), checks.families(context)
pictures.families(context, weeks)
reviews.run_case(context, weeks), checks.case_reviews(context)
worlds.run_temporal(context, weeks), checks.worlds(context)
print(time.perf_counter() - started)
"""


def timed(command: list[str], home: Path) -> float:
    """Seconds of wall time of a whole process over one store."""
    environ = {**os.environ, "LAWSMITH_HOME": str(home)}
    started = time.perf_counter()
    subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def told(script: str) -> float:
    """Seconds that a script measures itself, in a new process over a new store."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "LAWSMITH_HOME": folder}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environ, check=True, capture_output=True, text=True
        )
    return float(done.stdout.strip().splitlines()[-1])


def median(measure: Callable[[], float], runs: int = 3) -> float:
    """The middle of several measurements."""
    return sorted(measure() for _ in range(runs))[runs // 2]


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "store"
        first = timed(RUN, home)
        again = median(lambda: timed(RUN, home))
        for path in (home / "releases").rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
    print(f"first run            {first:7.2f} s")
    print(f"no-op rerun          {again:7.2f} s   ratio to the first run {again / first:.3f}")
    direct, through = median(lambda: told(DIRECT)), median(lambda: told(REFRESH))
    bound = direct * 1.05 + 3.0
    print(f"stages called direct {direct:7.2f} s")
    print(
        f"through Dagster      {through:7.2f} s   ratio {through / direct:.3f},"
        f" allowed {bound:.2f} s"
    )


if __name__ == "__main__":
    main()
