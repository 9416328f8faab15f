"""Rounds of batch files through the command line, with no model at the other end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shell = Any
Make = Callable[..., Any]
NOWHERE = "http://127.0.0.1:9/v1"
PRICED = """
[prices]
"openai/reader-one" = { input = 1.0, output = 4.0 }
"openai/reader-two" = { input = 1.0, output = 4.0 }

[caps]
max_usd = 50.0
"""


@pytest.mark.long
def test_a_window_is_read_and_reviewed_in_rounds_of_files(
    lawsmith: Shell, papers: Make, recorded_models: Make, answer: Any, tmp_path: Path
) -> None:
    made = papers("0001", "0009")
    # The first reply to one paper is no JSON: its repair turn is a round of its own.
    models = recorded_models(
        "0001", "0009", faults={("extractor", "0009"): [answer(text="no card here")]}
    )
    config = tmp_path / "own.toml"
    config.write_text(PRICED, encoding="utf-8")
    lawsmith.environ.update(
        {
            "LAWSMITH_CONFIG": str(config),
            "LAWSMITH_EXTRACTOR": "openai/reader-one",
            "LAWSMITH_REVIEWER": "openai/reader-two",
            "LAWSMITH_EXTRACTOR_API_BASE": NOWHERE,
            "LAWSMITH_REVIEWER_API_BASE": NOWHERE,
            "OPENAI_API_KEY": "sk-loopback-0123456789",
        }
    )
    rounds: list[list[str]] = []
    for number in range(6):
        out = tmp_path / f"round{number}.jsonl"
        exported = lawsmith("requests", "export", str(out), "--source", made.source)
        assert exported.code == 0, exported.err
        files = sorted(tmp_path.glob(f"round{number}*.jsonl"))
        lines = [
            json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()
        ]
        if not lines:
            break
        rounds.append(sorted(line["body"]["model"] for line in lines))
        back = tmp_path / f"back{number}.jsonl"
        back.write_text("".join(map(answered(models), lines)), encoding="utf-8")
        took = lawsmith("requests", "import", str(back), "--price-factor", "0.5")
        assert took.code == 0, took.err
        assert f"{len(lines)} new replies, 0 known" in took.out
        again = lawsmith("requests", "import", str(back))
        assert f"0 new replies, {len(lines)} known" in again.out
    # Reading; a repair beside the first review; the review of the case.
    assert rounds == [["reader-one"] * 2, ["reader-one", "reader-two"], ["reader-two"]]
    ended = lawsmith("refresh", "--source", made.source, "--json")
    assert ended.code == 0, ended.err
    stands = {row["paper"]: (row["stage"], row["outcome"]) for row in ended.json["papers"]}
    assert stands["folder:0001v1"] == ("worlds", "passed")
    assert stands["folder:0009v1"] == ("cards", "rejected")
    status = lawsmith("status", "--json").json
    # Each at half the listed price, 100 tokens in and 10 out.
    assert (status["calls"], status["usd"]) == (5, pytest.approx(5 * 0.5 * 140e-6))


def answered(models: Any) -> Callable[[dict[str, Any]], str]:
    """What a batch service writes for one line of its input."""

    def line(asked: dict[str, Any]) -> str:
        reply = models(asked["body"])
        completion = {
            "model": f"{asked['body']['model']}-served",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": reply.text},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
        response = {"status_code": 200, "request_id": "r", "body": completion}
        given = {"id": "b", "custom_id": asked["custom_id"], "response": response, "error": None}
        return json.dumps(given) + "\n"

    return line
