"""The ledger read for people: every call about a subject, unknown costs kept unknown."""

from pathlib import Path
from typing import Any

import pytest

from lawsmith.chat import Reply, Request, Usage
from lawsmith.errors import IntegrityError
from lawsmith.gateways.models.ledger import Ledger, Ticket
from lawsmith.gateways.models.ledger_reading import calls_about, calls_of_roles
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.prices import Bound


def asked(ledger: Ledger, request: Request) -> Ticket:
    ticket = ledger.begin(request, "openai/m", Bound(500, None), RunCaps(), RateLimits())
    assert isinstance(ticket, Ticket)
    return ticket


def test_calls_are_found_by_subject_and_role(tmp_path: Path, kit: Any, fake_time: Any) -> None:
    path = tmp_path / "ledger.sqlite"
    assert calls_about(path, ["a"]) == ()
    reply = Reply(
        text="{}",
        finish_reason="stop",
        model="m-1",
        usage=Usage(prompt_tokens=70, completion_tokens=30),
        cost_usd=None,
        replayed=False,
        served_from="provider",
    )
    with Ledger(path, clock=fake_time.clock) as ledger:
        first = kit.request("sample:0001/r1", role="reviewer", subject_kind="card")
        ledger.finish(asked(ledger, first), reply, latency=1.0)
        second = kit.request("sample:0002v1/pdf/0")
        ledger.fail(asked(ledger, second), "cut", latency=1.0, maybe_charged=True)
        third = kit.request("sample:0003v1/pdf/0")
        ledger.fail(asked(ledger, third), "refused", latency=1.0, maybe_charged=False)
        # Reading does not wait for a writer.
        (about,) = calls_about(path, ["sample:0001/r1", "sample:0009/r1"])
        assert (about.tokens, about.usd, about.state) == (100, None, "done")
        assert about.reply == reply
        calls = calls_of_roles(path, ["extractor"])
        assert {(one.state, one.tokens, one.usd) for one in calls} == {
            ("in_doubt", 500, None),
            ("failed", 0, 0.0),
        }
        assert calls_about(path, []) == ()


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_text("not a ledger at all" * 100)
    with pytest.raises(IntegrityError, match="cannot be read"):
        calls_of_roles(path, ["extractor"])
