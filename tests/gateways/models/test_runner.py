"""Runs over real HTTP through the real litellm, against a server on loopback."""

import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from lawsmith.chat import Deferred, Failed, Reply, Result
from lawsmith.errors import IntegrityError, PrerequisiteError
from lawsmith.gateways.models.call_sender import RetryPolicy
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import Cap, RateLimits, RunCaps
from lawsmith.gateways.models.model_routes import ModelSpec, Roster, open_roster
from lawsmith.gateways.models.prices import Price, upper_bound
from lawsmith.gateways.models.replay import record_replies
from lawsmith.gateways.models.request_bounds import open_requests
from lawsmith.gateways.models.runner import RunReport, run_conversations

KEY = "sk-a-key-that-must-stay-out"
# litellm silences this at its import, which a later test's filters undo.
pytestmark = pytest.mark.filterwarnings("ignore:Item.* on TypedDict class:UserWarning")

ENVIRON = {"OPENAI_API_KEY": KEY}
PRICE = Price(1e-3, 2e-3)
CAPS = RunCaps(max_tokens=1_000_000)


@pytest.fixture
def ledger(tmp_path: Path, fake_time: Any) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as opened:
        yield opened


@pytest.fixture
def roster(chat_server: Any, tmp_path: Path) -> Roster:
    return live(chat_server.base, tmp_path)


def live(base: str, root: Path, timeout: float = 30.0, price: Price | None = PRICE) -> Roster:
    spec = ModelSpec("openai/m", api_base=base, price=price, timeout_seconds=timeout)
    return open_roster({"extractor": spec}, replay_root=root, environ=ENVIRON)


Run = Callable[..., RunReport[Any]]


@pytest.fixture
def run(roster: Roster, ledger: Ledger, fake_time: Any) -> Run:
    def started(talks: list[Any], **changes: Any) -> RunReport[Any]:
        options: dict[str, Any] = {"sleep": fake_time.sleep, "clock": fake_time.clock}
        options.update(changes)
        chosen = options.pop("roster", roster)
        caps = options.pop("caps", CAPS)
        pairs = [(talk.subject, talk) for talk in talks]
        return run_conversations(pairs, chosen, ledger, caps, **options)

    return started


def test_each_subject_ends_with_its_own_replies(run: Run, kit: Any, chat_server: Any) -> None:
    chat_server.decide = lambda body: kit.answer(
        text=body["messages"][-1]["content"].upper(), delay=0.002
    )
    report = run([kit.talk(f"s{n}", rounds=2) for n in range(6)])
    assert list(report.outcomes) == [f"s{n}" for n in range(6)]
    assert report.outcomes["s3"] == Result(("READ S3", "READ S3"))
    assert (report.sent, report.from_ledger, report.replayed) == (12, 0, 0)
    reply = report.transcripts["s3"][0]
    assert (reply.model, reply.served_from) == ("m-served", "provider")
    assert reply.cost_usd == pytest.approx(7e-3 + 6e-3)
    assert not reply.replayed


def test_running_again_asks_nothing(run: Run, kit: Any, chat_server: Any) -> None:
    talks = [kit.talk("a", rounds=2), kit.talk("b")]
    first = run(talks)
    calls = len(chat_server.bodies)
    again = run(talks)
    assert again.outcomes == first.outcomes
    assert (again.sent, again.from_ledger) == (0, 3)
    assert len(chat_server.bodies) == calls


def test_a_429_waits_as_long_as_the_provider_says(
    run: Run, kit: Any, chat_server: Any, fake_time: Any, ledger: Ledger
) -> None:
    chat_server.script(
        kit.answer(status=429, text="slow down", headers={"Retry-After": "37"}), kit.answer()
    )
    report = run([kit.talk("a")])
    assert report.outcomes["a"] == Result(("ok",))
    assert report.sent == 2
    assert fake_time.slept == [37.0]
    assert ledger.spent().tokens == 10


def test_a_pause_holds_back_every_call_of_the_model(
    run: Run, kit: Any, chat_server: Any, fake_time: Any
) -> None:
    heard: list[float] = []
    refused = Event()

    def decide(body: dict[str, Any]) -> Any:
        heard.append(fake_time.now)
        if body["messages"][0]["content"] == "read a" and not refused.is_set():
            refused.set()
            return kit.answer(status=429, headers={"Retry-After": "37"})
        # Whatever goes out beside the refused call comes back after its refusal.
        refused.wait(20)
        return kit.answer(delay=0.05 if fake_time.slept == [] else 0.0)

    chat_server.decide = decide
    began = fake_time.now
    report = run([kit.talk(name) for name in "abcd"], concurrency=2)
    assert all(isinstance(outcome, Result) for outcome in report.outcomes.values())
    # "a" again, "c" and "d": nobody asks before the pause is over.
    assert len([at for at in heard if at >= began + 37.0]) == 3
    assert fake_time.slept == [37.0]


def test_a_storm_of_refusals_ends_without_a_herd(
    run: Run, kit: Any, chat_server: Any, fake_time: Any, ledger: Ledger
) -> None:
    over = fake_time.now + 50.0
    busy: list[tuple[bool, int]] = []

    def decide(body: dict[str, Any]) -> Any:
        stormy = fake_time.now < over
        busy.append((stormy, chat_server.busy))
        if stormy:
            return kit.answer(status=429, headers={"Retry-After": "20"}, delay=0.01)
        return kit.answer(delay=0.01)

    chat_server.decide = decide
    report = run([kit.talk(f"s{n}") for n in range(40)], concurrency=8)
    assert all(isinstance(outcome, Result) for outcome in report.outcomes.values())
    refused = [together for stormy, together in busy if stormy]
    # Those that were out together, then one alone after each pause (at 20 s and at 40 s).
    assert len(refused) <= 8 + 2
    assert refused[-2:] == [1, 1]
    assert fake_time.slept == [20.0, 20.0, 20.0]
    # The first call after the storm is alone, too; then it is two, four, eight.
    calm = [together for stormy, together in busy if not stormy]
    assert (len(calm), calm[0]) == (40, 1)
    assert max(calm[1:3]) <= 2
    assert len(chat_server.bodies) == report.sent
    assert ledger.spent().tokens == 400


def test_a_provider_that_never_takes_a_call_again_is_given_up(
    run: Run, kit: Any, chat_server: Any, fake_time: Any
) -> None:
    chat_server.script(kit.answer(status=429, text="slow down"))
    report = run(
        [kit.talk(f"s{n}") for n in range(20)],
        concurrency=2,
        retries=RetryPolicy(patience=60.0),
    )
    assert all(isinstance(got, Failed) and got.retryable for got in report.outcomes.values())
    last = report.outcomes["s19"]
    assert isinstance(last, Failed)
    assert "every call was refused" in last.sentence
    assert sum(fake_time.slept) <= 60.0
    # Pauses double from 1 s: a handful of calls, however many papers there are.
    assert len(chat_server.bodies) <= 2 + 6


def test_an_account_with_nothing_left_ends_the_run(run: Run, kit: Any, chat_server: Any) -> None:
    chat_server.script(kit.answer(status=429, text="insufficient_quota: check your plan"))
    with pytest.raises(PrerequisiteError, match="nothing left"):
        run([kit.talk("a"), kit.talk("b")], concurrency=1)
    assert len(chat_server.bodies) == 1


def test_a_retry_after_date_is_read_against_the_servers_clock(
    run: Run, kit: Any, chat_server: Any, fake_time: Any
) -> None:
    soon = formatdate(time.time() + 100, usegmt=True)
    chat_server.script(kit.answer(status=429, headers={"Retry-After": soon}), kit.answer())
    assert run([kit.talk("a")]).outcomes["a"] == Result(("ok",))
    assert fake_time.slept == [pytest.approx(100.0, abs=30.0)]


def test_a_pause_without_end_is_not_waited_for(
    run: Run, kit: Any, chat_server: Any, fake_time: Any
) -> None:
    late = "Fri, 01 Jan 2100 00:00:00 GMT"
    chat_server.script(kit.answer(status=429, headers={"Retry-After": late}), kit.answer())
    outcome = run([kit.talk("a")]).outcomes["a"]
    assert isinstance(outcome, Failed)
    assert outcome.retryable
    assert fake_time.slept == []


def test_server_errors_back_off_and_double(
    run: Run, kit: Any, chat_server: Any, fake_time: Any
) -> None:
    chat_server.script(*[kit.answer(status=500, text="boom")] * 3, kit.answer())
    assert run([kit.talk("a")]).outcomes["a"] == Result(("ok",))
    first, second, third = fake_time.slept
    assert 1.0 <= first <= 1.5
    assert (second / first, third / first) == (pytest.approx(2.0), pytest.approx(4.0))


def test_one_owner_of_retries_and_a_failure_is_an_outcome(
    run: Run, kit: Any, chat_server: Any, ledger: Ledger
) -> None:
    chat_server.decide = lambda body: (
        kit.answer(status=503, text="down")
        if "bad" in body["messages"][0]["content"]
        else kit.answer()
    )
    report = run([kit.talk("bad"), kit.talk("good")], retries=RetryPolicy(attempts=3))
    assert report.outcomes["good"] == Result(("ok",))
    failed = report.outcomes["bad"]
    assert isinstance(failed, Failed)
    assert (failed.reason, failed.retryable) == ("model_failed", True)
    assert len(chat_server.bodies) == 4
    assert ledger.reply_for(kit.request("bad"), "openai/m") is None


def test_other_client_errors_fail_at_once(run: Run, kit: Any, chat_server: Any) -> None:
    chat_server.script(kit.answer(status=400, text="too long"))
    failed = run([kit.talk("a")]).outcomes["a"]
    assert isinstance(failed, Failed)
    assert not failed.retryable
    assert "too long" in failed.sentence
    assert len(chat_server.bodies) == 1


def test_a_timeout_is_tried_again_and_stays_counted(
    run: Run, kit: Any, chat_server: Any, tmp_path: Path, ledger: Ledger
) -> None:
    chat_server.script(kit.answer(delay=1.2), kit.answer())
    report = run([kit.talk("a")], roster=live(chat_server.base, tmp_path, timeout=0.5))
    assert report.outcomes["a"] == Result(("ok",))
    spent = ledger.spent()
    assert spent.in_doubt_calls == 1
    assert spent.tokens == upper_bound(kit.request("a"), PRICE).tokens + 10


def test_a_body_that_is_not_json_is_tried_again(run: Run, kit: Any, chat_server: Any) -> None:
    chat_server.script(kit.answer(raw=b"<html>busy</html>"), kit.answer())
    assert run([kit.talk("a")]).outcomes["a"] == Result(("ok",))


def test_truncated_and_invalid_replies_get_one_repair_turn(
    run: Run, kit: Any, chat_server: Any
) -> None:
    cut = kit.answer(text='{"value": 1', finish="length")
    chat_server.script(cut, kit.answer(text='{"value": 12.5}'))
    report = run([kit.numbers("a")])
    assert report.outcomes["a"] == Result(12.5)
    assert report.transcripts["a"][0].finish_reason == "length"
    chat_server.script(kit.answer(text="it is twelve"))
    failed = run([kit.numbers("b")]).outcomes["b"]
    assert isinstance(failed, Failed)
    assert failed.reason == "unusable_reply"


def test_the_schema_ladder_goes_down_once_and_is_recorded(
    run: Run, kit: Any, chat_server: Any
) -> None:
    def decide(body: dict[str, Any]) -> Any:
        kind = body.get("response_format", {}).get("type")
        if kind == "json_schema":
            return kit.answer(status=400, text="response_format json_schema is not supported")
        return kit.answer(text='{"value": 2.0}')

    chat_server.decide = decide
    report = run([kit.numbers(name) for name in ("a", "b")], concurrency=1)
    assert [report.transcripts[name][0].rung for name in ("a", "b")] == ["json_object"] * 2
    kinds = [body["response_format"]["type"] for body in chat_server.bodies]
    assert kinds == ["json_schema", "json_object", "json_object"]
    assert '"additionalProperties": false' in chat_server.bodies[-1]["messages"][-1]["content"]


def test_a_server_that_takes_no_response_format_is_asked_in_the_prompt(
    run: Run, kit: Any, chat_server: Any
) -> None:
    chat_server.decide = lambda body: (
        kit.answer(status=422, text="unknown field response_format")
        if "response_format" in body
        else kit.answer(text='{"value": 2.0}')
    )
    assert run([kit.numbers("a")]).transcripts["a"][0].rung == "prompt"


def test_a_token_cap_defers_and_a_later_run_resumes(
    run: Run, kit: Any, chat_server: Any, tmp_path: Path, fake_time: Any
) -> None:
    talks = [kit.talk(f"s{n}") for n in range(5)]
    one = upper_bound(kit.request("s0"), PRICE).tokens
    report = run(talks, caps=RunCaps(max_tokens=one + 25))
    done = [name for name, got in report.outcomes.items() if isinstance(got, Result)]
    # Each settles at 10 tokens, so two more fit behind the first; never more at once.
    assert done == ["s0", "s1", "s2"]
    deferred = report.outcomes["s4"]
    assert isinstance(deferred, Deferred)
    assert deferred.reason == "over_budget"
    assert f"{one + 25} tokens" in deferred.sentence
    asked = len(chat_server.bodies)
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as fresh:
        pairs = [(talk.subject, talk) for talk in talks]
        again = run_conversations(
            pairs, live(chat_server.base, tmp_path), fresh, CAPS, clock=time.monotonic
        )
    assert all(isinstance(got, Result) for got in again.outcomes.values())
    assert len(chat_server.bodies) == asked + 2


def test_a_role_has_a_cap_of_its_own(run: Run, kit: Any, chat_server: Any, tmp_path: Path) -> None:
    spec = ModelSpec("openai/m", api_base=chat_server.base, price=PRICE)
    roster = open_roster(
        {"extractor": spec, "reviewer": spec}, replay_root=tmp_path, environ=ENVIRON
    )
    talks = [
        kit.talk(f"{role}{n}", changes={"role": role})
        for n in range(6)
        for role in ("extractor", "reviewer")
    ]
    # A call settles at 0.013 USD and is held at 0.211 or so before.
    caps = RunCaps(by_role={"extractor": Cap(max_usd=0.23), "reviewer": Cap(max_tokens=10**6)})
    report = run(talks, roster=roster, caps=caps)
    done = {name for name, got in report.outcomes.items() if isinstance(got, Result)}
    assert {f"reviewer{n}" for n in range(6)} < done
    late = report.outcomes["extractor5"]
    assert isinstance(late, Deferred)
    assert late.reason == "over_budget"
    assert "the extractor's cap of 0.23 USD leaves no room" in late.sentence
    first = len(chat_server.bodies)
    again = run(talks, roster=roster, caps=RunCaps(max_usd=100.0))
    assert all(isinstance(got, Result) for got in again.outcomes.values())
    assert again.sent == 12 - first
    assert len(chat_server.bodies) == 12


def test_a_live_role_that_no_cap_holds_is_refused(
    run: Run, kit: Any, chat_server: Any, tmp_path: Path
) -> None:
    spec = ModelSpec("openai/m", api_base=chat_server.base)
    roster = open_roster(
        {"extractor": spec, "reviewer": spec}, replay_root=tmp_path, environ=ENVIRON
    )
    only = RunCaps(by_role={"extractor": Cap(max_tokens=100)})
    with pytest.raises(PrerequisiteError, match="reviewer is the live model"):
        run([kit.talk("a")], roster=roster, caps=only)
    priceless = RunCaps(max_usd=1.0, by_role={"extractor": Cap(max_tokens=100)})
    with pytest.raises(PrerequisiteError, match="price of the reviewer"):
        run([kit.talk("a")], roster=roster, caps=priceless)


def test_a_usd_cap_of_nothing_sends_nothing(run: Run, kit: Any, chat_server: Any) -> None:
    report = run([kit.talk("a")], caps=RunCaps(max_usd=0.0))
    assert isinstance(report.outcomes["a"], Deferred)
    assert chat_server.bodies == []


def test_calls_in_flight_stay_within_the_concurrency(run: Run, kit: Any, chat_server: Any) -> None:
    chat_server.decide = lambda body: kit.answer(delay=0.02)
    run([kit.talk(f"s{n}") for n in range(12)], concurrency=3)
    assert 2 <= chat_server.most_busy <= 3


def test_the_pace_makes_calls_wait(run: Run, kit: Any, chat_server: Any, fake_time: Any) -> None:
    began = fake_time.now
    limits = RateLimits(requests_per_minute=2)
    run([kit.talk(f"s{n}") for n in range(5)], limits=limits, concurrency=1)
    assert len(chat_server.bodies) == 5
    assert fake_time.now - began >= 120.0


def test_a_stop_stores_what_arrives_and_defers_the_rest(
    run: Run, kit: Any, chat_server: Any, ledger: Ledger
) -> None:
    stop = Event()

    def decide(body: dict[str, Any]) -> Any:
        stop.set()
        return kit.answer()

    chat_server.decide = decide
    report = run([kit.talk(f"s{n}") for n in range(4)], stop=stop, concurrency=1)
    assert report.outcomes["s0"] == Result(("ok",))
    for name in ("s1", "s2", "s3"):
        outcome = report.outcomes[name]
        assert isinstance(outcome, Deferred)
        assert outcome.reason == "interrupted"
    assert len(chat_server.bodies) == 1
    assert ledger.reply_for(kit.request("s0"), "openai/m") is not None


def test_progress_hears_of_each_subject_once(run: Run, kit: Any) -> None:
    heard: list[str] = []
    run(
        [kit.talk("a"), kit.talk("b", rounds=2)],
        progress=lambda subject, outcome: heard.append(subject),
    )
    assert sorted(heard) == ["a", "b"]


def test_a_refused_key_ends_the_run_and_stays_out_of_the_ledger(
    run: Run, kit: Any, chat_server: Any, tmp_path: Path
) -> None:
    chat_server.script(kit.answer(), kit.answer(status=401, text=f"Incorrect API key {KEY}"))
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY") as caught:
        run([kit.talk("a"), kit.talk("b"), kit.talk("c")], concurrency=1)
    assert KEY not in str(caught.value)
    assert chat_server.authorizations[0] == f"Bearer {KEY}"
    assert len(chat_server.bodies) == 2
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"read b" in path.read_bytes() for path in files)
    assert not any(KEY.encode() in path.read_bytes() for path in files)
    chat_server.script(kit.answer())
    assert run([kit.talk("a"), kit.talk("b")]).from_ledger == 1


def test_a_model_that_the_provider_does_not_know_ends_the_run(
    run: Run, kit: Any, chat_server: Any
) -> None:
    chat_server.script(kit.answer(status=404, text="no such model"))
    with pytest.raises(PrerequisiteError, match="does not know the model 'openai/m'"):
        run([kit.talk("a")])


def test_a_live_model_without_a_cap_is_refused(run: Run, kit: Any, chat_server: Any) -> None:
    with pytest.raises(PrerequisiteError, match="--max-usd or --max-tokens"):
        run([kit.talk("a")], caps=RunCaps())
    assert chat_server.bodies == []


def test_a_usd_cap_cannot_hold_an_unknown_price(
    run: Run, kit: Any, chat_server: Any, tmp_path: Path
) -> None:
    unpriced = live(chat_server.base, tmp_path, price=None)
    with pytest.raises(PrerequisiteError, match=r"price .* unknown"):
        run([kit.talk("a")], roster=unpriced, caps=RunCaps(max_usd=1.0))
    report = run([kit.talk("a")], roster=unpriced)
    assert report.transcripts["a"][0].cost_usd is None


@pytest.mark.parametrize("model", ["nonsense", "nonsense/x"])
def test_an_unknown_model_is_named(model: str, tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match=f"unknown model '{model}'"):
        open_roster({"reviewer": ModelSpec(model)}, replay_root=tmp_path, environ={})


def test_a_missing_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    spec = ModelSpec("openai/gpt-4o-mini")
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY is not set"):
        open_roster({"extractor": spec}, replay_root=tmp_path, environ={})
    roster = open_roster({"extractor": spec}, replay_root=tmp_path, environ=ENVIRON)
    assert roster.route("extractor").price is not None


def test_a_role_without_a_model_is_named(run: Run, kit: Any) -> None:
    with pytest.raises(PrerequisiteError, match="LAWSMITH_JUDGE"):
        run([kit.talk("a", changes={"role": "judge"})])


def test_a_conversation_that_repeats_a_request_is_a_fault(run: Run, kit: Any) -> None:
    class Stuck:
        subject = "a"

        def step(self, replies: Any) -> Any:
            return kit.request("a")

    with pytest.raises(IntegrityError, match="twice"):
        run([Stuck()])
    with pytest.raises(IntegrityError, match="two conversations"):
        run([kit.talk("a"), kit.talk("a")])


def test_a_recording_runs_without_cap_or_ledger_rows(
    run: Run, kit: Any, reply: Callable[..., Reply], tmp_path: Path, ledger: Ledger
) -> None:
    record_replies([(kit.request("a"), reply("told"))], tmp_path / "sample" / "replies.jsonl")
    spec = ModelSpec("replay/sample")
    replay = open_roster({"extractor": spec}, replay_root=tmp_path, environ={})
    report = run([kit.talk("a"), kit.talk("b")], roster=replay, caps=RunCaps())
    assert report.outcomes["a"] == Result(("told",))
    missing = report.outcomes["b"]
    assert isinstance(missing, Failed)
    assert missing.reason == "reply_missing"
    assert "requests export" in missing.sentence
    assert (report.sent, report.replayed, ledger.spent().calls) == (0, 1, 0)


def test_open_requests_are_counted_and_priced_by_role(
    run: Run, kit: Any, roster: Roster, ledger: Ledger, chat_server: Any
) -> None:
    run([kit.talk("a"), kit.talk("b")])
    talks = [kit.talk("a"), kit.talk("b", rounds=2), kit.talk("c")]
    asked = len(chat_server.bodies)
    found = open_requests([(talk.subject, talk) for talk in talks], roster, ledger)
    assert [request.key[2:] for request in found.requests] == [("b", 0, 1), ("c", 0, 0)]
    assert found.finished == 1
    # "read b" and "read c": 6 characters are 2 tokens, 8 for the message, 100 for the reply.
    bound = found.by_role["extractor"]
    assert (bound.requests, bound.tokens) == (2, 220)
    assert bound.usd == pytest.approx(2 * (10e-3 + 100 * 2e-3))
    assert len(chat_server.bodies) == asked
