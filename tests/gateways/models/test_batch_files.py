import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lawsmith.chat import Result, Usage
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.models.batch_files import (
    export_requests,
    import_replies,
    record_import,
    render_request_text,
    reply_line,
)
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import Cap, RunCaps
from lawsmith.gateways.models.model_routes import ModelSpec, Roster, open_roster
from lawsmith.gateways.models.prices import Price
from lawsmith.gateways.models.request_bounds import open_requests
from lawsmith.gateways.models.runner import run_conversations


@pytest.fixture
def ledger(tmp_path: Path, fake_time: Any) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.sqlite", clock=fake_time.clock) as opened:
        yield opened


@pytest.fixture
def replay(tmp_path: Path) -> Roster:
    spec = ModelSpec("replay/own")
    return open_roster({"extractor": spec}, replay_root=tmp_path, environ={})


def test_an_export_is_a_batch_input_file(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    path = tmp_path / "requests.jsonl"
    request = kit.request("a", response_schema=kit.schema, response_schema_name="numbers")
    report = export_requests([request], replay, ledger, path, texts=tmp_path / "texts")
    assert report.written == 1
    line = json.loads(path.read_text(encoding="utf-8"))
    digest = request.digest("replay/own")
    assert line == {
        "custom_id": digest,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "replay/own",
            "messages": [{"role": "user", "content": "read a"}],
            "max_completion_tokens": 100,
            "temperature": 0.0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "numbers", "schema": kit.schema, "strict": True},
            },
        },
    }
    text = (tmp_path / "texts" / f"{digest}.txt").read_text(encoding="utf-8")
    assert text == render_request_text(request, digest)
    for shown in (digest, "read a", "numbers", '"additionalProperties": false'):
        assert shown in text


def test_a_cap_holds_requests_back(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    requests = [kit.request(name) for name in ("a", "b", "c")]
    caps = RunCaps(max_tokens=220)
    report = export_requests(requests, replay, ledger, tmp_path / "out.jsonl", caps=caps)
    assert (report.written, report.held_back, report.bound.tokens) == (2, 1, 220)


def test_every_bad_line_is_named_and_the_rest_is_taken(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    requests = [kit.request(name) for name in ("a", "b", "c", "d", "e")]
    export_requests(requests, replay, ledger, tmp_path / "out.jsonl")
    a, b, c, d, e = (request.digest("replay/own") for request in requests)
    refused = {
        "custom_id": c,
        "response": {"status_code": 429, "body": {"error": {"message": "slow"}}},
        "error": None,
    }
    empty = {"custom_id": d, "response": {"status_code": 200, "body": {"model": "x"}}}
    lines = [
        reply_line(a, "first", model="reader", usage=Usage(prompt_tokens=4, completion_tokens=5)),
        reply_line("f" * 64, "who?", model="reader"),
        reply_line(a, "second", model="reader"),
        json.dumps(refused) + "\n",
        json.dumps(empty) + "\n",
        '{"custom_id": 3}\n',
        reply_line(b, "cut", model="reader", finish="length"),
        reply_line(e, "partial", model="reader")[:-30],
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    report = import_replies(path, ledger)
    assert report.new == 2
    assert [item.reply.text for item in report.answered] == ["first", "cut"]
    faults = {fault.line: fault.what for fault in report.faults}
    assert list(faults) == [2, 3, 4, 5, 6, 8]
    assert "no request of this id" in faults[2]
    assert "line 1 is taken" in faults[3]
    assert "429" in faults[4]
    assert "choices" in faults[5]
    assert "custom_id" in faults[6]
    kinds = ["foreign", "second", "refused", "no_completion", "malformed", "malformed"]
    assert [fault.kind for fault in report.faults] == kinds
    assert [item.line for item in report.cut_off] == [7]
    assert sum(report.counts().values()) == len(lines)
    assert report.counts()["new"] == 2
    stored = ledger.reply_for(requests[0], "replay/own")
    assert stored is not None
    assert (stored.text, stored.served_from, stored.model) == ("first", "batch", "reader")
    assert stored.usage == Usage(prompt_tokens=4, completion_tokens=5)


def test_importing_again_changes_nothing(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    request = kit.request("a")
    export_requests([request], replay, ledger, tmp_path / "out.jsonl")
    path = tmp_path / "replies.jsonl"
    line = reply_line(request.digest("replay/own"), "one", model="reader")
    path.write_text(line, encoding="utf-8")
    import_replies(path, ledger)
    again = import_replies(path, ledger)
    assert (again.new, len(again.answered), again.faults) == (0, 1, ())
    path.write_text(line.replace("one", "two"), encoding="utf-8")
    other = import_replies(path, ledger)
    assert "another text" in other.faults[0].what


def test_a_recording_is_made_round_by_round(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    talks = [("a", kit.talk("a", rounds=2)), ("b", kit.talk("b"))]
    path = tmp_path / "replies.jsonl"
    counts = []
    roster = replay
    while (found := open_requests(talks, roster, ledger)).requests:
        counts.append(len(found.requests))
        export_requests(found.requests, roster, ledger, tmp_path / "out.jsonl")
        lines = [
            reply_line(request.digest("replay/own"), f"{request.key}", model="a reader")
            for request in found.requests
        ]
        path.write_text("".join(lines), encoding="utf-8")
        record_import(import_replies(path, ledger), tmp_path)
        spec = ModelSpec("replay/own")
        roster = open_roster({"extractor": spec}, replay_root=tmp_path, environ={})
    assert counts == [2, 1]
    report = run_conversations(talks, roster, ledger, RunCaps(), clock=lambda: 0.0)
    assert report.outcomes["b"] == Result(("extractor packet b revision 0 round 0",))
    assert all(reply.model == "a reader" for reply in report.transcripts["a"])


def test_a_batch_of_a_live_model_is_served_and_counted(
    tmp_path: Path, kit: Any, ledger: Ledger
) -> None:
    spec = ModelSpec("openai/m", api_base="http://127.0.0.1:9/v1")
    live = open_roster({"extractor": spec}, replay_root=tmp_path, environ={})
    request = kit.request("a")
    export_requests([request], live, ledger, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))["body"]["model"] == "m"
    usage = Usage(prompt_tokens=10, completion_tokens=20)
    path = tmp_path / "replies.jsonl"
    path.write_text(
        reply_line(request.digest("openai/m"), "done", model="m-1", usage=usage), encoding="utf-8"
    )
    import_replies(path, ledger, prices={"openai/m": Price(1e-3, 1e-3)})
    caps = RunCaps(max_tokens=1)
    report = run_conversations([("a", kit.talk("a"))], live, ledger, caps, clock=lambda: 0.0)
    assert report.outcomes["a"] == Result(("done",))
    assert report.transcripts["a"][0].served_from == "batch"
    spent = ledger.spent("extractor")
    assert spent.tokens == 30
    assert spent.usd == pytest.approx(0.03)


def test_an_absent_file_is_named(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(PrerequisiteError, match=r"none\.jsonl"):
        import_replies(tmp_path / "none.jsonl", ledger)


def test_each_model_has_a_file_of_its_own(tmp_path: Path, kit: Any, ledger: Ledger) -> None:
    roster = open_roster(
        {"extractor": ModelSpec("replay/one"), "reviewer": ModelSpec("replay/two")},
        replay_root=tmp_path,
        environ={},
    )
    requests = [
        kit.request(f"{role}{n}", role=role) for n in range(3) for role in ("extractor", "reviewer")
    ]
    path = tmp_path / "round.jsonl"
    caps = RunCaps(by_role={"reviewer": Cap(max_tokens=250)})
    report = export_requests(requests, roster, ledger, path, caps=caps)
    assert (report.written, report.held_back) == (5, 1)
    assert [file.name for file in report.files] == ["round.jsonl", "round.replay-two.jsonl"]
    models = [
        {json.loads(line)["body"]["model"] for line in file.read_text("utf-8").splitlines()}
        for file in report.files
    ]
    assert models == [{"replay/one"}, {"replay/two"}]
    assert export_requests([], roster, ledger, path).files == (path,)
    assert path.read_text(encoding="utf-8") == ""


def test_what_providers_write_into_their_files(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    requests = [kit.request(name) for name in "abcde"]
    export_requests(requests, replay, ledger, tmp_path / "out.jsonl")
    a, b, c, d, e = (request.digest("replay/own") for request in requests)
    silent = json.loads(reply_line(b, "", model="reader", finish="length"))
    silent["response"]["body"]["choices"][0]["message"]["content"] = None
    expired = {"custom_id": c, "response": None, "error": {"code": "batch_expired"}}
    path = tmp_path / "replies.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + reply_line(a, "marked", model="reader").encode().replace(b"\n", b"\r\n")
        + json.dumps(silent).encode()
        + b"\n\n"
        + json.dumps(expired).encode()
        + b"\n"
        + reply_line(d, "bad byte", model="reader").encode().replace(b"bad", b"\xff\xfe")
        # No newline at the end.
        + reply_line(e, "last", model="reader").encode().strip()
    )
    report = import_replies(path, ledger)
    assert [(item.line, item.reply.text) for item in report.answered] == [
        (1, "marked"),
        (2, ""),
        (6, "last"),
    ]
    assert [(fault.line, fault.kind) for fault in report.faults] == [
        (4, "refused"),
        (5, "malformed"),
    ]
    assert "batch_expired" in report.faults[0].what
    # What was refused is still open and goes out in the next round; its answer is then taken.
    path.write_text(reply_line(c, "late", model="reader"), encoding="utf-8")
    assert import_replies(path, ledger).counts() == {"new": 1}


def test_a_batch_costs_the_part_of_the_price_that_is_given(
    tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    spec = ModelSpec("openai/m", api_base="http://127.0.0.1:9/v1")
    live = open_roster({"extractor": spec}, replay_root=tmp_path, environ={})
    request = kit.request("a")
    export_requests([request], live, ledger, tmp_path / "out.jsonl")
    path = tmp_path / "replies.jsonl"
    usage = Usage(prompt_tokens=10, completion_tokens=20)
    line = reply_line(request.digest("openai/m"), "done", model="m", usage=usage)
    path.write_text(line, encoding="utf-8")
    import_replies(path, ledger, prices={"openai/m": Price(1e-3, 1e-3)}, price_factor=0.5)
    assert ledger.spent().usd == pytest.approx(0.015)


@pytest.mark.parametrize("papers", [20, pytest.param(300, marks=pytest.mark.long)])
def test_a_window_of_papers_goes_out_and_comes_back_in_any_order(
    papers: int, tmp_path: Path, kit: Any, ledger: Ledger, replay: Roster
) -> None:
    talks = [(f"s{n}", kit.talk(f"s{n}", rounds=2)) for n in range(papers)]
    path, rounds, roster = tmp_path / "replies.jsonl", [], replay
    for _ in range(3):
        found = open_requests(talks, roster, ledger)
        sent = export_requests(found.requests, roster, ledger, tmp_path / "out.jsonl")
        rounds.append(sent.written)
        lines = [
            reply_line(request.digest("replay/own"), str(request.key), model="a reader")
            for request in reversed(found.requests)
        ]
        path.write_text("".join(lines), encoding="utf-8")
        report = import_replies(path, ledger)
        assert report.counts() == ({"new": papers} if sent.written else {})
        assert import_replies(path, ledger).counts() == ({"known": papers} if sent.written else {})
        record_import(report, tmp_path)
        roster = open_roster(
            {"extractor": ModelSpec("replay/own")}, replay_root=tmp_path, environ={}
        )
    assert rounds == [papers, papers, 0]
    assert ledger.spent().calls == 2 * papers
