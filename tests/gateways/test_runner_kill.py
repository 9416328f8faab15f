"""A run that is killed or interrupted, over real HTTP."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.chat import Result
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import RunCaps
from lawsmith.gateways.models.model_routes import ModelSpec, open_roster
from lawsmith.gateways.models.runner import run_conversations

# litellm silences this at its import, which a later test's filters undo.
pytestmark = pytest.mark.filterwarnings("ignore:Item.* on TypedDict class:UserWarning")

ROOT = Path(__file__).resolve().parents[2]

RUN = """
import sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
from conftest import Talk
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import RunCaps
from lawsmith.gateways.models.model_routes import ModelSpec, open_roster
from lawsmith.gateways.models.runner import run_conversations
spec = ModelSpec("openai/m", api_base={base!r})
roster = open_roster({{"extractor": spec}}, replay_root=Path("data"), environ={{}})
talks = [Talk(f"s{{n}}", rounds=2) for n in range(12)]
run_conversations(
    [(talk.subject, talk) for talk in talks], roster, Ledger(Path({path!r}), clock=time.time),
    RunCaps(max_tokens=10**6), clock=time.monotonic, concurrency=3,
)
"""


@pytest.mark.long
def test_after_a_kill_only_calls_in_flight_are_repeated(
    tmp_path: Path, kit: Any, chat_server: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    hold = threading.Event()
    answered: list[str] = []

    def name(body: dict[str, Any]) -> str:
        return str(body["messages"][0]["content"])

    def decide(body: dict[str, Any]) -> Any:
        if len(answered) >= 10:
            hold.wait(30)
        answered.append(name(body))
        return kit.answer()

    chat_server.decide = decide
    code = RUN.format(tests=str(Path(__file__).parent), base=chat_server.base, path=str(path))
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as process:
        while chat_server.busy < 3 or len(answered) < 10:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    hold.set()
    first = len(chat_server.bodies)
    spec = ModelSpec("openai/m", api_base=chat_server.base)
    roster = open_roster({"extractor": spec}, replay_root=tmp_path, environ={})
    talks = [(f"s{n}", kit.talk(f"s{n}", rounds=2)) for n in range(12)]
    with Ledger(path, clock=time.time) as ledger:
        in_doubt = ledger.spent().in_doubt_calls
        report = run_conversations(
            talks, roster, ledger, RunCaps(max_tokens=10**6), clock=time.monotonic
        )
    assert 1 <= in_doubt <= 3
    assert all(isinstance(outcome, Result) for outcome in report.outcomes.values())
    # 24 replies are needed; whatever was committed before the kill is not asked for again.
    assert len(chat_server.bodies) - first == 24 - (first - in_doubt)


def plain_run(*arguments: str) -> "subprocess.Popen[str]":
    """A run over plain HTTP in a process of its own; see plain_run.py."""
    script = Path(__file__).with_name("plain_run.py")
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def finished(process: "subprocess.Popen[str]") -> dict[str, Any]:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(out)
    return found


def stored(path: Path) -> tuple[dict[str, str], Counter[str], Counter[int]]:
    """Digest -> reply text, calls in doubt by digest, and by run."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT request_digest, state, response, holder FROM calls")
    replies: dict[str, str] = {}
    doubts, by_run = Counter[str](), Counter[int]()
    for digest, state, response, holder in rows:
        if state == "done":
            assert digest not in replies
            replies[digest] = json.loads(response)["text"]
        else:
            assert state == "in_doubt"
            doubts[digest] += 1
            by_run[holder] += 1
    connection.close()
    return replies, doubts, by_run


@pytest.mark.long
def test_kills_at_random_moments_repeat_at_most_what_was_in_flight(
    tmp_path: Path, kit: Any, chat_server: Any
) -> None:
    talks, at_once = 160, 4

    def decide(body: dict[str, Any]) -> Any:
        text = hashlib.sha256(body["messages"][-1]["content"].encode()).hexdigest()
        return kit.answer(text=text, delay=0.02)

    chat_server.decide = decide
    calm = tmp_path / "calm.sqlite"
    wanted = finished(plain_run(chat_server.base, str(calm), str(talks), str(at_once)))
    assert wanted["heavy"] == []
    assert len(chat_server.bodies) == wanted["sent"] == 2 * talks
    chat_server.bodies.clear()

    path, rng, kills = tmp_path / "ledger.sqlite", np.random.Generator(np.random.PCG64(6)), 0
    for kill in range(24):
        before = len(chat_server.bodies)
        # Every fourth falls into start-up; the others after some calls of the run, then a moment.
        calls, moment = int(rng.integers(0, 16)), float(rng.uniform(0.0, 0.05))
        with plain_run(chat_server.base, str(path), str(talks), str(at_once)) as process:
            if kill % 4 == 0:
                moment = float(rng.uniform(0.0, 1.5))
            else:
                while len(chat_server.bodies) < before + calls and process.poll() is None:
                    time.sleep(0.002)
            time.sleep(moment)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
    assert kills >= 20
    ended = finished(plain_run(chat_server.base, str(path), str(talks), str(at_once)))
    assert ended["outcomes"] == wanted["outcomes"]

    replies, doubts, by_run = stored(path)
    assert replies == stored(calm)[0]
    served = Counter(body["digest"] for body in chat_server.bodies)
    assert set(served) == set(replies)
    # Each repeated call is one that was in flight at a kill; a committed reply never is.
    assert all(count <= 1 + doubts[digest] for digest, count in served.items())
    assert served.total() - len(served) <= doubts.total()
    assert max(by_run.values(), default=0) <= at_once
    assert len(by_run) <= kills


@pytest.mark.long
def test_two_processes_keep_one_pace(tmp_path: Path, kit: Any, chat_server: Any) -> None:
    speed, per_minute = 20, 8
    arrived: list[float] = []

    def decide(body: dict[str, Any]) -> Any:
        arrived.append(time.monotonic())
        return kit.answer()

    chat_server.decide = decide
    path = str(tmp_path / "ledger.sqlite")
    Ledger(Path(path), clock=time.time).close()
    processes = [
        plain_run(chat_server.base, path, "6", "4", str(speed), str(per_minute), salt)
        for salt in ("p", "q")
    ]
    ended = [finished(process) for process in processes]
    assert [one["sent"] for one in ended] == [12, 12]
    assert len(arrived) == 24
    # A minute lasts three seconds here; half a second is left for a call on its way.
    for n, first in enumerate(arrived):
        together = [at for at in arrived[n:] if at < first + 60 / speed - 0.5]
        assert len(together) <= per_minute
