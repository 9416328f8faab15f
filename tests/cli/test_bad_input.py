"""Bad input: one clear message, the right exit code, and nothing that was done is lost."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shell = Any
Make = Callable[..., Any]
WEEK = "2026-10-05..2026-10-12"


def one_line(ended: Any, *parts: str) -> None:
    """The whole of standard error is one message with these parts in it."""
    lines = [line for line in ended.err.split("\n") if line]
    assert len(lines) == 1, ended.err
    for part in parts:
        assert part in lines[0]


def files(folder: Path) -> dict[str, bytes]:
    """The tables of a store."""
    return {str(path): path.read_bytes() for path in sorted(folder.glob("tables/**/*.parquet"))}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["refresh", "--nope"], "No such option: --nope"),
        (["refresh", "--window", "last week"], "not a window A..B"),
        (["refresh", "--window", "2026-10-12..2026-10-05"], "--window"),
        (["refresh", "--max-tokens", "many"], "--max-tokens"),
        (["release", "temporal"], "--cutoff"),
        (["release", "temporal", "--cutoff", "2026-04"], "is not a day"),
        (["release", "temporal", "--cutoff", "2026-02-30"], "--cutoff"),
        (["release", "temporal", "--cutoff", "2026-04-30", "--version", "1.2"], "--version"),
        (["release", "temporal", "--cutoff", "2026-04-30", "--journal", "1095-3786"], "no ISSN"),
        (
            ["release", "temporal", "--cutoff", "2026-04-30", "--category", "physics.*"],
            "--category",
        ),
        (["release", "temporal", "--cutoff", "2026-04-30", "--policy", "any"], "preprint_only"),
        (["release", "monthly", "--cutoff", "2026-04-30"], "'monthly' is not temporal"),
        (["verify", "x", "--certificates=0"], "--certificates=N"),
        (["export", "x", "--to", "y", "--setting", "both"], "no setting"),
        (["-q", "-v", "config"], "exclude each other"),
        (["dance"], "No such command"),
    ],
)
def test_wrong_usage_exits_with_2(lawsmith: Shell, arguments: list[str], message: str) -> None:
    ended = lawsmith(*arguments)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_an_unknown_setting_names_the_nearest(lawsmith: Shell, tmp_path: Path) -> None:
    ended = lawsmith("status", LAWSMITH_EXTRACTR="x/y")
    assert ended.code == 1
    one_line(ended, "LAWSMITH_EXTRACTR: no such variable", "did you mean LAWSMITH_EXTRACTOR")
    (tmp_path / "mine.toml").write_text("[calls]\nconcurency = 3\n", encoding="utf-8")
    ended = lawsmith("status", "--config", str(tmp_path / "mine.toml"))
    assert ended.code == 1
    one_line(ended, "calls.concurency: no such setting", "did you mean calls.concurrency")


def test_a_configuration_that_is_no_toml(lawsmith: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("models = [", encoding="utf-8")
    ended = lawsmith("refresh", "--config", str(tmp_path / "mine.toml"))
    assert ended.code == 1
    one_line(ended, "mine.toml: not TOML")
    ended = lawsmith("refresh", "--config", str(tmp_path / "other.toml"))
    assert ended.code == 1
    one_line(ended, "other.toml: no such configuration file")


def test_a_store_that_cannot_be_written(lawsmith: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    ended = lawsmith("refresh", LAWSMITH_HOME=str(tmp_path / "file" / "home"))
    assert ended.code == 1
    one_line(ended, "the store cannot be written", "set LAWSMITH_HOME")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "in the way"


@pytest.mark.parametrize(
    ("environ", "flags", "message"),
    [
        (
            {"LAWSMITH_EXTRACTOR": "openai/gpt-4o-mini", "LAWSMITH_REVIEWER": "openai/gpt-4o"},
            ["--max-tokens", "1000"],
            "needs an API key and OPENAI_API_KEY is not set; export OPENAI_API_KEY",
        ),
        (
            {"LAWSMITH_EXTRACTOR": "nobody-makes/this"},
            ["--max-tokens", "1000"],
            "unknown model 'nobody-makes/this'",
        ),
        (
            {"LAWSMITH_EXTRACTOR": "openai/gpt-4o-mini", "OPENAI_API_KEY": "sk-not-a-real-key"},
            [],
            "the run has no cap; give --max-usd or --max-tokens",
        ),
        (
            {"LAWSMITH_EXTRACTOR": "openai/mine", "OPENAI_API_KEY": "sk-not-a-real-key"},
            ["--max-usd", "1"],
            "--max-usd cannot hold it; give --max-tokens",
        ),
        ({"LAWSMITH_EXTRACTOR": "replay/../x"}, [], "names no recording"),
    ],
)
def test_a_model_that_cannot_be_asked(
    lawsmith: Shell, papers: Make, environ: dict[str, str], flags: list[str], message: str
) -> None:
    made = papers("0009")
    ended = lawsmith("refresh", "--source", made.source, *flags, **environ)
    assert ended.code == 1
    one_line(ended, message)
    assert "sk-not" not in ended.err
    # The packet was built before any model was needed, and stands.
    packets = lawsmith("sql", "--json", "select id from packets")
    assert packets.code == 0
    assert [row["id"].split("/")[0] for row in packets.json] == ["folder:0009v1"]
    # With the recording the same command goes on from there.
    again = lawsmith("refresh", "--source", made.source, "--json")
    assert again.code == 0
    assert again.json["papers"][0]["reason"] == "no_executable_relation"
    assert again.json["calls"] == 0


def test_a_missing_recorded_reply(lawsmith: Shell, papers: Make) -> None:
    made = papers("0009")
    path = made.data / "sample" / "replies.jsonl"
    whole = path.read_text(encoding="utf-8")
    path.write_text("", encoding="utf-8")
    ended = lawsmith("refresh", "--source", made.source)
    assert ended.code == 1
    one_line(ended, "1 papers are not done (1 reply_missing)", "lawsmith requests export")
    told = lawsmith("explain", "folder:0009", "--json")
    sentences = " ".join(str(row) for part in told.json for row in part["rows"])
    assert "no recorded reply for extractor packet folder:0009v1" in sentences
    path.write_text(whole, encoding="utf-8")
    assert lawsmith("refresh", "--source", made.source).code == 0


def test_an_arxiv_that_cannot_be_reached(lawsmith: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawsmith.gateways.papers.polite_http.BACKOFF", 0.01)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/api/query"
        terms = {"LAWSMITH_ARXIV_URL": url, "LAWSMITH_ARXIV_DELAY": "0.01"}
        ended = lawsmith("refresh", "--source", "arxiv", "--window", WEEK, **terms)
        assert ended.code == 1
        one_line(ended, "LAWSMITH_CONTACT_EMAIL")
        terms["LAWSMITH_CONTACT_EMAIL"] = "curator@example.org"
        ended = lawsmith("refresh", "--source", "arxiv", "--window", WEEK, **terms)
    assert ended.code == 1
    one_line(ended, url.split("/api", maxsplit=1)[0])
    # An outage is never an empty window: nothing was written down as harvested.
    assert lawsmith("status", "--source", "arxiv", "--json").json["stages"] == []


def test_a_corrupt_pdf_is_a_row(lawsmith: Shell, papers: Make) -> None:
    made = papers("0008", "0009")
    (made.folder / "papers" / "sample-0008.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    ended = lawsmith("refresh", "--source", made.source, "--json")
    assert ended.code == 0
    found = {row["paper"]: (row["stage"], row["reason"]) for row in ended.json["papers"]}
    assert found["folder:0009v1"] == ("cards", "no_executable_relation")
    stage, reason = found["folder:0008v1"]
    assert stage == "packets"
    assert reason in {"corrupt", "no_pages", "no_usable_file"}


def test_an_empty_window_is_no_error(lawsmith: Shell, papers: Make) -> None:
    made = papers("0009")
    ended = lawsmith(
        "refresh", "--source", made.source, "--window", "2026-07-06..2026-07-13", "--json"
    )
    assert ended.code == 0
    assert ended.json["papers"] == []
    assert lawsmith("refresh", "--source", str(made.folder / "none")).code == 1


def test_a_folder_without_papers(lawsmith: Shell, tmp_path: Path) -> None:
    ended = lawsmith("refresh", "--source", str(tmp_path))
    assert ended.code == 1
    one_line(ended, "metadata.jsonl")


def test_a_second_refresh_at_once(lawsmith: Shell, papers: Make) -> None:
    made = papers("0009")
    lawsmith("refresh", "--source", made.source)
    before = files(lawsmith.home)
    assert before
    code = (
        "import sys, pathlib\n"
        "from lawsmith.gateways.store import Store, partition_lock\n"
        "with partition_lock(Store.open(pathlib.Path(sys.argv[1])), 'refresh'):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(lawsmith.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        ended = lawsmith("refresh", "--source", made.source)
        assert holder.stdin is not None
        holder.stdin.close()
    assert ended.code == 1
    one_line(ended, f"held by pid {holder.pid}", "nothing was changed")
    assert files(lawsmith.home) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "temporal-9.9.9"],
        ["export", "temporal-9.9.9", "--to", "x"],
        ["diff", "temporal-9.9.9", "temporal-9.9.8"],
        ["oracle", "serve", "temporal-9.9.9"],
        ["play", "temporal-9.9.9", "--player", "mean", "--protocol", "fixed", "--to", "x"],
    ],
)
def test_an_unknown_release(lawsmith: Shell, arguments: list[str]) -> None:
    ended = lawsmith(*arguments)
    assert ended.code == 1
    one_line(ended, "no release 'temporal-9.9.9'", "no release yet")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "sample:0404"], "nothing is known of 'sample:0404'"),
        (["cards", "show", "sample:0404/r1"], "no card 'sample:0404/r1'"),
        (["sql", "delete from cards"], "sql: "),
        (["requests", "import", "/no/such/file"], "/no/such/file"),
        (["score", "/no/such/folder", "--release", "temporal-1", "--to", "x"], "temporal-1"),
    ],
)
def test_a_question_about_nothing(lawsmith: Shell, arguments: list[str], message: str) -> None:
    ended = lawsmith(*arguments)
    assert ended.code == 1
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_a_bug_keeps_its_traceback(tmp_path: Path) -> None:
    code = (
        "from lawsmith import runs\n"
        "from lawsmith.cli import main\n"
        "def broken(*_a, **_k): raise KeyError('a bug')\n"
        "runs.open_context = broken\n"
        "import sys; sys.argv = ['lawsmith', 'status']\n"
        "main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LAWSMITH_HOME": str(tmp_path)},
    )
    assert ended.returncode == 1
    assert "Traceback" in ended.stderr
    assert "KeyError: 'a bug'" in ended.stderr


def test_every_run_is_logged_to_its_end(lawsmith: Shell, papers: Make) -> None:
    made = papers("0009")
    ended = lawsmith("refresh", "--source", made.source, "-v")
    assert "folder:0009v1 cards rejected no_executable_relation" in ended.err
    refused = lawsmith("refresh", "--source", made.source, "--window", WEEK)
    assert refused.code == 0
    assert "Nothing new" in refused.out
    logs = [
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(
            (lawsmith.home / "runs").glob("*.jsonl"), key=lambda p: p.stat().st_mtime
        )
    ]
    events = [[line["event"] for line in log] for log in logs]
    assert events[0][0] == "run_started"
    assert events[0][-1] == "run_finished"
    assert "stage_done" in events[0]
    assert [line["paper"] for line in logs[0] if line["event"] == "paper"] == ["folder:0009v1"]
    # The second run found everything done, and decided nothing.
    assert "stage_done" not in events[1]
