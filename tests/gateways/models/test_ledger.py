import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.chat import Reply, Request, Usage
from lawsmith.errors import IntegrityError, PrerequisiteError
from lawsmith.gateways.models.ledger import Ledger, Ticket
from lawsmith.gateways.models.ledger_limits import CapReached, Wait, over_cap, over_pace, totals
from lawsmith.gateways.models.limits import Cap, RateLimits, RunCaps
from lawsmith.gateways.models.prices import Bound

ROOT = Path(__file__).resolve().parents[3]
BOUND = Bound(tokens=100, usd=0.5)
FREE = RunCaps()
NO_LIMITS = RateLimits()


def started(ledger: Ledger, request: Request, bound: Bound = BOUND, caps: RunCaps = FREE) -> Ticket:
    ticket = ledger.begin(request, "m", bound, caps, NO_LIMITS)
    assert isinstance(ticket, Ticket)
    return ticket


def test_a_committed_reply_is_served_to_the_same_request_only(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        ledger.finish(started(ledger, kit.request("a")), reply("first"), latency=0.1)
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        found = ledger.reply_for(kit.request("a"), "m")
        assert found is not None
        assert (found.text, found.served_from) == ("first", "ledger")
        assert ledger.reply_for(kit.request("a"), "other") is None
        assert ledger.reply_for(kit.request("b"), "m") is None


def test_failures_are_never_served_and_cost_nothing(
    tmp_path: Path, kit: Any, fake_time: Any
) -> None:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        ticket = started(ledger, kit.request())
        ledger.fail(ticket, "status 500", latency=0.1, maybe_charged=False)
        assert ledger.reply_for(kit.request(), "m") is None
        spent = ledger.spent("extractor")
        assert (spent.calls, spent.tokens, spent.usd) == (1, 0, 0.0)
        assert started(ledger, kit.request()).attempt == 2


def test_a_call_that_may_have_been_charged_counts_at_its_bound(
    tmp_path: Path, kit: Any, fake_time: Any
) -> None:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        ticket = started(ledger, kit.request())
        ledger.fail(ticket, "timed out", latency=9.0, maybe_charged=True)
        spent = ledger.spent()
        assert (spent.tokens, spent.usd, spent.in_doubt_calls) == (100, 0.5, 1)


def test_an_unknown_price_is_an_unknown_cost(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        usage = Usage(prompt_tokens=5, completion_tokens=6)
        first = started(ledger, kit.request("a"), Bound(100, None))
        ledger.finish(first, reply(usage=usage), latency=0.1)
        second = started(ledger, kit.request("b"))
        ledger.finish(second, reply(usage=usage, cost_usd=0.25), latency=0.1)
        spent = ledger.spent()
        assert (spent.tokens, spent.usd, spent.known_usd) == (22, None, 0.25)
        assert ledger.spent("reviewer").calls == 0


def test_caps_count_what_is_reserved_and_then_what_was_used(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    caps = RunCaps(max_tokens=150)
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        ticket = started(ledger, kit.request("a"), caps=caps)
        refused = ledger.begin(kit.request("b"), "m", BOUND, caps, NO_LIMITS)
        assert isinstance(refused, CapReached)
        assert "150 tokens" in refused.sentence
        usage = Usage(prompt_tokens=5, completion_tokens=6)
        ledger.finish(ticket, reply(usage=usage), latency=0.1)
        started(ledger, kit.request("b"), caps=caps)


def test_a_usd_cap_holds_over_ledger_objects_of_one_run(
    tmp_path: Path, kit: Any, fake_time: Any
) -> None:
    path, caps = tmp_path / "ledger.sqlite", RunCaps(max_usd=0.9)
    with Ledger(path, clock=fake_time.clock, run="r1") as one:
        started(one, kit.request("a"), caps=caps)
        with Ledger(path, clock=fake_time.clock, run="r1") as two:
            assert isinstance(two.begin(kit.request("b"), "m", BOUND, caps, NO_LIMITS), CapReached)
        with Ledger(path, clock=fake_time.clock, run="r2") as other:
            started(other, kit.request("b"), caps=caps)


def test_the_pace_holds_over_any_minute(tmp_path: Path, kit: Any, fake_time: Any) -> None:
    limits = RateLimits(requests_per_minute=2)
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        for subject in ("a", "b"):
            got = ledger.begin(kit.request(subject), "m", BOUND, FREE, limits)
            assert isinstance(got, Ticket)
            fake_time.now += 10
        wait = ledger.begin(kit.request("c"), "m", BOUND, FREE, limits)
        assert isinstance(wait, Wait)
        assert wait.seconds == pytest.approx(40.0, abs=1e-4)
        fake_time.now += wait.seconds + 0.001
        assert isinstance(ledger.begin(kit.request("c"), "m", BOUND, FREE, limits), Ticket)


def test_the_token_pace_lets_one_oversized_request_go_alone(
    tmp_path: Path, kit: Any, fake_time: Any
) -> None:
    limits = RateLimits(tokens_per_minute=50)
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        assert isinstance(ledger.begin(kit.request("a"), "m", BOUND, FREE, limits), Ticket)
        assert isinstance(ledger.begin(kit.request("b"), "m", BOUND, FREE, limits), Wait)


def test_a_pause_holds_for_every_handle_and_never_shrinks(
    tmp_path: Path, kit: Any, fake_time: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path, clock=fake_time.clock) as one, Ledger(path, clock=fake_time.clock) as two:
        one.pause("m", 30.0)
        two.pause("m", 5.0)
        wait = two.begin(kit.request("a"), "m", BOUND, FREE, NO_LIMITS)
        assert isinstance(wait, Wait)
        assert wait.seconds == pytest.approx(30.0, abs=1e-4)
        assert isinstance(two.begin(kit.request("a"), "other", BOUND, FREE, NO_LIMITS), Ticket)
        # A clock that was set back by a day must not stop the model until it has caught up.
        fake_time.now -= 86_400
        assert isinstance(two.begin(kit.request("b"), "m", BOUND, FREE, NO_LIMITS), Ticket)


def test_a_ledger_of_the_first_format_is_taken_over(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path, clock=fake_time.clock) as ledger:
        ledger.finish(started(ledger, kit.request("a")), reply("kept"), latency=0.1)
    connection = sqlite3.connect(path)
    connection.executescript(
        "DROP TABLE pauses; DROP INDEX calls_by_spend; DROP INDEX calls_by_minute;"
        " DROP TABLE answered; DROP INDEX calls_open;"
        " CREATE INDEX calls_by_run ON calls(run, state);"
        " PRAGMA user_version = 1"
    )
    connection.close()
    with Ledger(path, clock=fake_time.clock) as ledger:
        found = ledger.reply_for(kit.request("a"), "m")
        assert found is not None
        assert found.text == "kept"
        ledger.pause("m", 1.0)
        assert isinstance(ledger.begin(kit.request("b"), "m", BOUND, FREE, NO_LIMITS), Wait)


def test_totals_are_read_off_indices_alone(tmp_path: Path, fake_time: Any) -> None:
    # A row holds a whole prompt: sums over rows would read every prompt again at each call.
    path = tmp_path / "ledger.sqlite"
    Ledger(path, clock=fake_time.clock).close()
    connection = sqlite3.connect(path)
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    roomy = RunCaps(9.0, 900, {"extractor": Cap(9.0, 900)})
    assert over_cap(connection, "r", "extractor", BOUND, roomy) is None
    over_pace(connection, "m", BOUND, RateLimits(1, 1), fake_time.now)
    totals(connection, role=None, run=None)
    totals(connection, role="extractor", run=None)
    connection.set_trace_callback(None)
    assert len(asked) == 5
    for query in asked:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
        assert all("COVERING INDEX" in row[3] for row in plan if "calls" in row[3]), query
    connection.close()


def test_an_intent_of_a_living_run_is_left_alone(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path, clock=fake_time.clock) as living:
        ticket = started(living, kit.request())
        with Ledger(path, clock=fake_time.clock) as other:
            assert other.spent().in_doubt_calls == 0
        living.finish(ticket, reply(), latency=0.1)


def test_a_ticket_is_good_for_one_reply(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:
        ticket = started(ledger, kit.request())
        ledger.finish(ticket, reply(), latency=0.1)
        with pytest.raises(IntegrityError, match="not in flight"):
            ledger.finish(ticket, reply("again"), latency=0.1)


def test_threads_share_a_ledger(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as ledger:

        def call(number: int) -> None:
            ticket = started(ledger, kit.request(f"s{number}"))
            ledger.finish(ticket, reply(f"r{number}"), latency=0.0)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(call, range(40)))
        assert ledger.spent().calls == 40
        found = ledger.reply_for(kit.request("s17"), "m")
        assert found is not None
        assert found.text == "r17"


def test_an_unwritable_store_is_named(tmp_path: Path, fake_time: Any) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises(PrerequisiteError, match="LAWSMITH_HOME"):
        Ledger(tmp_path / "file" / "ledger.sqlite", clock=fake_time.clock)


@pytest.mark.parametrize("content", [b"this is no database, it is prose" * 40])
def test_a_file_that_is_no_ledger_is_refused(
    tmp_path: Path, content: bytes, fake_time: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(IntegrityError, match="not a ledger"):
        Ledger(path, clock=fake_time.clock)


OF_S3 = "request_digest IN (SELECT request_digest FROM calls WHERE subject = 's3')"


def _filled(path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any) -> list[str]:
    with Ledger(path, clock=fake_time.clock) as ledger:
        for number in range(12):
            ledger.finish(
                started(ledger, kit.request(f"s{number}")), reply(f"r{number} " * 300), latency=0.1
            )
        return [answer.text for _, answer in ledger.replies("m")]


def test_an_empty_ledger_is_never_taken_for_a_new_one(tmp_path: Path, fake_time: Any) -> None:
    path = tmp_path / "ledger.sqlite"
    path.touch()
    for _ in range(2):
        with pytest.raises(IntegrityError, match="only a backup restores"):
            Ledger(path, clock=fake_time.clock)
    assert path.stat().st_size == 0


def test_a_lost_ledger_is_never_replaced_by_a_new_one(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    _filled(path, kit, reply, fake_time)
    path.unlink()
    for _ in range(2):
        with pytest.raises(IntegrityError, match="only a backup restores"):
            Ledger(path, clock=fake_time.clock)
    assert not path.exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE calls SET response = replace(response, 'r3', 'r4') WHERE subject = 's3'",
        "UPDATE calls SET request = replace(request, 's3', 's4') WHERE subject = 's3'",
        "UPDATE calls SET state = 'failed' WHERE subject = 's3'",
        "DELETE FROM calls WHERE subject = 's3'",
        f"DELETE FROM answered WHERE {OF_S3}",
        f"UPDATE answered SET sha256 = '' WHERE {OF_S3}",
    ],
)
def test_a_changed_or_lost_reply_is_missed_and_not_bought_again(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any, damage: str
) -> None:
    path = tmp_path / "ledger.sqlite"
    _filled(path, kit, reply, fake_time)
    connection = sqlite3.connect(path)
    assert connection.execute(damage).rowcount == 1
    connection.commit()
    connection.close()
    with Ledger(path, clock=fake_time.clock) as ledger:
        with pytest.raises(IntegrityError, match="only a backup restores"):
            ledger.reply_for(kit.request("s3"), "m")
        with pytest.raises(IntegrityError, match="only a backup restores"):
            list(ledger.replies("m"))
        found = ledger.reply_for(kit.request("s5"), "m")
        assert found is not None


@pytest.mark.parametrize("kind", ["cut short", "zeroed", "flipped"])
def test_damaged_bytes_are_told_or_do_no_harm(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply], fake_time: Any, kind: str
) -> None:
    whole = tmp_path / "whole.sqlite"
    texts = _filled(whole, kit, reply, fake_time)
    data = whole.read_bytes()
    draw = np.random.default_rng(5)
    for number in range(25):
        place = int(draw.integers(len(data)))
        bad = bytearray(data)
        if kind == "cut short":
            del bad[place:]
        elif kind == "zeroed":
            bad[place : place + 2048] = bytes(len(bad[place : place + 2048]))
        else:
            for spot in draw.integers(len(data), size=3):
                bad[spot] ^= 1 << int(draw.integers(8))
        path = tmp_path / str(number) / "ledger.sqlite"
        path.parent.mkdir()
        path.write_bytes(bad)
        told, kept = "", list[str]()
        try:
            with Ledger(path, clock=fake_time.clock) as ledger:
                kept = [answer.text for _, answer in ledger.replies("m")]
        except IntegrityError as error:
            told = str(error)
        assert str(path) in told or sorted(kept) == sorted(texts)


def test_a_ledger_of_another_format_is_refused(tmp_path: Path, fake_time: Any) -> None:
    path = tmp_path / "ledger.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(IntegrityError, match="format 99"):
        Ledger(path, clock=fake_time.clock)


KILLED = """
import os, signal, sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
from conftest import make_reply, make_request
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.prices import Bound
ledger = Ledger(Path({path!r}), clock=time.time)
def begin(subject):
    return ledger.begin(make_request(subject), "m", Bound(100, 0.5), RunCaps(), RateLimits())
ledger.finish(begin("kept"), make_reply("kept"), latency=0.1)
begin("lost")
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
def test_after_a_kill_replies_are_kept_and_calls_in_flight_are_in_doubt(
    tmp_path: Path, kit: Any, fake_time: Any
) -> None:
    path = tmp_path / "ledger.sqlite"
    code = KILLED.format(tests=str(Path(__file__).parents[1]), path=str(path))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Ledger(path, clock=fake_time.clock) as ledger:
        kept = ledger.reply_for(kit.request("kept"), "m")
        assert kept is not None
        assert kept.text == "kept"
        assert ledger.reply_for(kit.request("lost"), "m") is None
        spent = ledger.spent()
        assert (spent.calls, spent.in_doubt_calls) == (2, 1)
        assert started(ledger, kit.request("lost")).attempt == 2


SHARED = """
import sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
from conftest import make_reply, make_request
from lawsmith.chat import Usage
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.ledger_limits import CapReached
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.prices import Bound
caps = RunCaps(max_tokens=1000)
reply = make_reply(usage=Usage(prompt_tokens=5, completion_tokens=5))
with Ledger(Path({path!r}), clock=time.time, run="shared") as ledger:
    for number in range(200):
        request = make_request(f"{name}{{number}}")
        ticket = ledger.begin(request, "m", Bound(10, None), caps, RateLimits())
        if isinstance(ticket, CapReached):
            break
        ledger.finish(ticket, reply, latency=0.0)
"""


@pytest.mark.long
def test_processes_share_one_cap(tmp_path: Path, fake_time: Any) -> None:
    path = tmp_path / "ledger.sqlite"
    tests = str(Path(__file__).parents[1])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SHARED.format(tests=tests, path=str(path), name=name)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for name in ("p", "q")
    ]
    assert [process.wait(60) for process in processes] == [0, 0]
    with Ledger(path, clock=fake_time.clock) as ledger:
        spent = ledger.spent()
    assert (spent.calls, spent.tokens) == (100, 1000)
