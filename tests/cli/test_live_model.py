"""The same command with real models: an OpenAI server on loopback that misbehaves at first."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shell = Any
Make = Callable[..., Any]
PAPERS = ("0001", "0003", "0008", "0009")
EXTRACTOR, REVIEWER = "reader-one", "reader-two"


@pytest.fixture
def live(chat_server: Any) -> dict[str, str]:
    """The variables that set two models of the server on loopback."""
    return {
        "LAWSMITH_EXTRACTOR": f"openai/{EXTRACTOR}",
        "LAWSMITH_REVIEWER": f"openai/{REVIEWER}",
        "LAWSMITH_EXTRACTOR_API_BASE": chat_server.base,
        "LAWSMITH_REVIEWER_API_BASE": chat_server.base,
        "OPENAI_API_KEY": "sk-loopback-0123456789",
    }


def stands(ended: Any) -> dict[str, tuple[str, str, str]]:
    return {
        row["paper"]: (row["stage"], row["outcome"], row["reason"]) for row in ended.json["papers"]
    }


def test_a_refresh_with_live_models(
    lawsmith: Shell,
    papers: Make,
    chat_server: Any,
    recorded_models: Make,
    answer: Any,
    live: dict[str, str],
) -> None:
    made = papers(*PAPERS)
    models = recorded_models(
        *PAPERS,
        faults={
            ("extractor", "0001"): [answer(status=429, headers={"Retry-After": "1"}, text="slow")],
            ("extractor", "0009"): [answer(status=500, text="a bad moment")],
            ("extractor", "0003"): [answer(text='{"cards": [', delay=0.2)],
            ("extractor", "0008"): [answer(text='{"cards": [{"title"', finish="length")],
        },
    )
    asked = ("refresh", "--source", made.source, "--max-tokens", "3000000", "--json")

    dry = lawsmith(*asked, "--dry-run", **live)
    assert dry.code == 0
    (roles,) = dry.json["roles"]
    assert (roles["role"], roles["requests"], roles["usd_at_most"]) == ("extractor", 4, "unknown")
    assert roles["tokens_at_most"] > 4000
    assert chat_server.bodies == []

    ended = lawsmith(*asked, **live)
    # The paper whose answer was cut off is told apart, and costs the others nothing.
    assert ended.code == 1
    assert ended.err.count("\n") == 1
    assert "1 papers are not done (1 truncated_reply)" in ended.err
    found = stands(ended)
    assert found["folder:0009v1"] == ("cards", "rejected", "no_executable_relation")
    assert found["folder:0008v1"] == ("cards", "failed", "truncated_reply")
    # What the recorded reviewers decided of the others stands, whichever way.
    assert found["folder:0001v1"][0] in {"reviews/case", "worlds"}
    assert {found[f"folder:{name}v1"][1] for name in ("0001", "0003")} <= {"passed", "rejected"}
    assert ended.json["usd"] is None

    calls = Counter(models.calls)
    assert calls[EXTRACTOR, "extractor", "0001"] == 2
    assert calls[EXTRACTOR, "extractor", "0009"] == 2
    assert calls[EXTRACTOR, "extractor", "0003"] == 2
    assert calls[EXTRACTOR, "extractor", "0008"] == 1
    assert calls[REVIEWER, "reviewer_card", "0001"] >= 1
    assert calls[REVIEWER, "reviewer_case", "0001"] >= 1
    assert set(chat_server.authorizations) == {f"Bearer {live['OPENAI_API_KEY']}"}
    repair = [body for body in chat_server.bodies if len(body["messages"]) == 4]
    assert len(repair) == 1
    assert all(body["response_format"]["type"] == "json_schema" for body in chat_server.bodies)

    # A card says who made it, and that nothing was replayed.
    cards = lawsmith("sql", "--json", "select distinct extractor, replayed from cards")
    assert cards.json == [{"extractor": f"{EXTRACTOR}-served", "replayed": False}]
    # The key is nowhere in the store.
    key = live["OPENAI_API_KEY"].encode()
    stored = [path for path in lawsmith.home.rglob("*") if path.is_file()]
    assert stored
    assert not [path for path in stored if key in path.read_bytes()]

    # Run again: every reply comes from the ledger.
    before = len(models.calls)
    again = lawsmith(*asked, **live)
    assert again.code == 1
    assert stands(again) == found
    assert len(models.calls) == before


@pytest.mark.long
def test_a_cap_defers_what_it_cannot_pay_for(
    lawsmith: Shell, papers: Make, recorded_models: Make, live: dict[str, str]
) -> None:
    made = papers("0009")
    models = recorded_models("0009")
    ended = lawsmith("refresh", "--source", made.source, "--max-tokens", "100", **live)
    assert ended.code == 1
    assert "1 papers are not done (1 over_budget); run again with a higher" in ended.err
    assert models.calls == []
    ended = lawsmith("refresh", "--source", made.source, "--max-tokens", "100000", **live)
    assert ended.code == 0
    assert len(models.calls) == 1


@pytest.mark.long
def test_an_interrupt_keeps_what_arrives_and_says_how_to_resume(
    lawsmith: Shell,
    papers: Make,
    recorded_models: Make,
    answer: Any,
    live: dict[str, str],
    tmp_path: Path,
) -> None:
    made = papers("0008", "0009")
    models = recorded_models("0008", "0009")
    slow = models.__class__._next

    def late(self: Any, kind: str, paper: str) -> Any:
        given = slow(self, kind, paper)
        given.delay = 2.0
        return given

    models.__class__._next = late
    try:
        environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("LAWSMITH_")},
            **lawsmith.environ,
            **live,
            "LAWSMITH_HOME": str(lawsmith.home),
            "LAWSMITH_CONCURRENCY": "1",
        }
        command = [sys.executable, "-m", "lawsmith", "refresh", "--source", made.source]
        running = subprocess.Popen(
            [*command, "--max-tokens", "3000000"],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with running:
            deadline = time.monotonic() + 60
            while not models.calls and time.monotonic() < deadline:
                time.sleep(0.05)
            assert models.calls
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
    finally:
        models.__class__._next = slow
    assert running.returncode == 1, err
    assert "run the same command to resume" in err
    assert "Traceback" not in err
    assert len(models.calls) == 1
    assert "Papers" in out
    done = models.calls[0]
    ended = lawsmith("refresh", "--source", made.source, "--max-tokens", "3000000", **live)
    assert ended.code == 0, ended.err
    # The reply that arrived after the interrupt was kept.
    assert models.calls.count(done) == 1
