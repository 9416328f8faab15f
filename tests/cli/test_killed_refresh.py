"""The whole command, killed while models answer, against one that nobody disturbed."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.gateways.store import Store, read_table

Shell = Any
Make = Callable[..., Any]
PAPERS = ("0004", "0009")
"""Papers that end at the gates: what comes after has no calls to lose."""
AT_ONCE = 1
TABLES = ("sources", "packets", "cards")


def rows_of(home: Path) -> dict[str, list[tuple[str, ...]]]:
    """What the store holds, without the times at which it came to hold it."""
    store = Store.open(home)
    return {
        table: sorted(
            (row.id, str(row.outcome), str(row.reason_code), row.digest)
            for row in read_table(store, table, "temporal")
        )
        for table in TABLES
    }


@pytest.mark.long
def test_a_killed_refresh_ends_as_an_undisturbed_one(
    lawsmith: Shell,
    papers: Make,
    recorded_models: Make,
    chat_server: Any,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    made = papers(*PAPERS)
    recorded_models(*PAPERS)
    environ = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("LAWSMITH_", "DAGSTER_"))},
        **lawsmith.environ,
        "LAWSMITH_EXTRACTOR": "openai/reader-one",
        "LAWSMITH_REVIEWER": "openai/reader-two",
        "LAWSMITH_EXTRACTOR_API_BASE": chat_server.base,
        "LAWSMITH_REVIEWER_API_BASE": chat_server.base,
        "LAWSMITH_CONCURRENCY": str(AT_ONCE),
        "OPENAI_API_KEY": "sk-loopback-0123456789",
    }
    command = [sys.executable, "-m", "lawsmith", "-q", "refresh", "--source", made.source]
    command += ["--max-tokens", "3000000"]

    running = list[subprocess.Popen[bytes]]()

    def started(home: Path) -> "subprocess.Popen[bytes]":
        running.append(
            subprocess.Popen(
                command,
                env={**environ, "LAWSMITH_HOME": str(home)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        return running[-1]

    def end_all() -> None:
        for each in running:
            each.kill()
            each.wait(30)

    request.addfinalizer(end_all)
    calm = tmp_path / "calm"
    assert started(calm).wait(600) == 0
    needed = Counter(str(body) for body in chat_server.bodies)
    assert set(needed.values()) == {1}
    chat_server.bodies.clear()

    home, rng = tmp_path / "killed", np.random.Generator(np.random.PCG64(11))
    process = started(home)
    deadline = time.monotonic() + 600
    while len(chat_server.bodies) < 2 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.005)
    time.sleep(float(rng.uniform(0.0, 0.1)))
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    assert started(home).wait(600) == 0
    assert rows_of(home) == rows_of(calm)

    served = Counter(str(body) for body in chat_server.bodies)
    assert set(served) == set(needed)
    connection = sqlite3.connect(home / "ledger.sqlite")
    states = Counter(state for (state,) in connection.execute("SELECT state FROM calls"))
    connection.close()
    assert states["done"] == len(needed)
    assert served.total() - len(served) <= states["in_doubt"] <= AT_ONCE
    assert set(states) <= {"done", "in_doubt"}
