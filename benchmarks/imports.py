"""Seconds and memory that commands need before they do anything.

    python benchmarks/imports.py

Each command runs several times in a process of its own; the least CPU time counts, since other
work on the machine only ever adds to it.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

RUNS = 5
COMMANDS: dict[str, Sequence[str]] = {
    "lawsmith --help": ("-m", "lawsmith", "--help"),
    "lawsmith status": ("-m", "lawsmith", "status"),
    "lawsmith cards list": ("-m", "lawsmith", "cards", "list"),
    "modules of lawsmith score": ("-c", "from lawsmith.stages import playing, submissions"),
}


class Cost(NamedTuple):
    """What one run of a command took."""

    cpu: float
    wall: float
    mebibytes: float


def cost(arguments: Sequence[str]) -> Cost:
    """Run Python with the arguments once, its output thrown away."""
    began = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def main() -> None:
    for name, arguments in COMMANDS.items():
        least = min(cost(arguments) for _ in range(RUNS))
        print(
            f"{name:28s} {least.cpu:5.2f} s CPU {least.wall:5.2f} s wall {least.mebibytes:5.0f} MiB"
        )


if __name__ == "__main__":
    main()
