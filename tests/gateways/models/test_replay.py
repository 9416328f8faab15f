import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lawsmith.chat import Reply, Usage
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.models.provider_errors import ReplyMissingError
from lawsmith.gateways.models.replay import ReplayAnswerer, record_replies

LINE = {
    "role": "extractor",
    "subject_kind": "packet",
    "subject_id": "sample:0001v1/pdf/abc",
    "revision": 0,
    "round": 0,
    "model": "a reader",
    "packet_sha256": "b" * 64,
    "prompt_sha256": "a" * 64,
    "text": "as given, é",
    "finish_reason": "stop",
    "usage": None,
}


def recording(root: Path, *lines: dict[str, object]) -> ReplayAnswerer:
    path = root / "sample" / "replies.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return ReplayAnswerer("replay/sample", root=root)


def test_a_recorded_reply_names_who_answered(tmp_path: Path, kit: Any) -> None:
    reply = recording(tmp_path, LINE).answer([kit.request()])[0]
    assert reply == Reply(
        text="as given, é",
        finish_reason="stop",
        model="a reader",
        usage=None,
        cost_usd=0.0,
        replayed=True,
        served_from="replay",
    )


@pytest.mark.parametrize(
    ("change", "reworded", "moved"),
    [
        ({"prompt_sha256": "c" * 64}, True, False),
        ({"packet_sha256": "c" * 64}, False, True),
        ({"packet_sha256": None}, False, True),
    ],
)
def test_a_reworded_prompt_or_changed_packet_still_replays_and_says_so(
    tmp_path: Path, kit: Any, change: dict[str, Any], reworded: bool, moved: bool
) -> None:
    reply = recording(tmp_path, LINE).answer([kit.request(**change)])[0]
    assert (reply.reworded_prompt, reply.packet_changed) == (reworded, moved)


@pytest.mark.parametrize(
    "change",
    [{"round": 1}, {"revision": 1}, {"role": "reviewer"}, {"subject_id": "sample:0002v1/pdf/x"}],
)
def test_a_missing_reply_names_the_request_and_how_to_record_it(
    tmp_path: Path, kit: Any, change: dict[str, Any]
) -> None:
    request = kit.request(**change)
    with pytest.raises(ReplyMissingError, match="requests export") as caught:
        recording(tmp_path, LINE).answer([request])
    assert str(request.key) in str(caught.value)


def test_an_absent_recording_answers_nothing(tmp_path: Path, kit: Any) -> None:
    with pytest.raises(ReplyMissingError, match=r"replies\.jsonl"):
        ReplayAnswerer("replay/none", root=tmp_path).answer([kit.request()])


@pytest.mark.parametrize("lines", [[LINE, LINE], [{**LINE, "round": "0"}], [{**LINE, "x": 1}]])
def test_a_faulty_recording_is_refused_with_its_line(
    tmp_path: Path, kit: Any, lines: list[dict[str, object]]
) -> None:
    with pytest.raises(InputError, match=r"replies\.jsonl:[12]"):
        recording(tmp_path, *lines).answer([kit.request()])


@pytest.mark.parametrize("model", ["replay/", "replay/../secrets", "replay//etc", "other/x"])
def test_a_set_stays_inside_the_root(tmp_path: Path, model: str) -> None:
    with pytest.raises(PrerequisiteError):
        ReplayAnswerer(model, root=tmp_path)


def test_recording_then_replaying_gives_the_reply_back(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply]
) -> None:
    path = tmp_path / "own" / "replies.jsonl"
    given = reply("x ∝ y", usage=Usage(prompt_tokens=1, completion_tokens=2))
    pairs = [(kit.request("b"), given), (kit.request("a"), given)]
    assert record_replies(pairs, path) == 2
    first = path.read_bytes()
    assert record_replies(reversed(pairs), path) == 0
    assert path.read_bytes() == first
    back = ReplayAnswerer("replay/own", root=tmp_path).answer([kit.request("a")])[0]
    assert (back.text, back.usage, back.model) == (given.text, given.usage, "reader")


def test_another_reply_needs_to_be_asked_for(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply]
) -> None:
    path = tmp_path / "own" / "replies.jsonl"
    record_replies([(kit.request(), reply("one"))], path)
    with pytest.raises(InputError, match="another recorded reply"):
        record_replies([(kit.request(), reply("two"))], path)
    assert record_replies([(kit.request(), reply("two"))], path, replace=True) == 1
