"""A run that is killed or interrupted, over real HTTP."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lawsmith.chat import Result
from lawsmith.gateways.ledger import Ledger
from lawsmith.gateways.limits import RunCaps
from lawsmith.gateways.roster import ModelSpec, open_roster
from lawsmith.gateways.runner import run_conversations, stop_on_interrupt

# litellm silences this at its import, which a later test's filters undo.
pytestmark = pytest.mark.filterwarnings("ignore:Item.* on TypedDict class:UserWarning")

ROOT = Path(__file__).resolve().parents[2]

RUN = """
import sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
from conftest import Talk
from lawsmith.gateways.ledger import Ledger
from lawsmith.gateways.limits import RunCaps
from lawsmith.gateways.roster import ModelSpec, open_roster
from lawsmith.gateways.runner import run_conversations
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


def test_the_first_interrupt_stops_and_the_second_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_on_interrupt() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(5)
        with pytest.raises(KeyboardInterrupt):
            _interrupt_and_wait()
    assert signal.getsignal(signal.SIGINT) is before


def _interrupt_and_wait() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
