"""Files of episodes and logs of the Oracle, scored line by line through the command line."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lawsmith.cli.app import run
from lawsmith.evaluation.report import make_report
from lawsmith.oracle.client import oracle_process
from lawsmith.oracle.log import read_log
from lawsmith.oracle.trials import read_tokens
from lawsmith.release.bundle import read_public
from lawsmith.stages.attested import score_log
from lawsmith.stages.playing import (
    EPISODES,
    play_release,
    read_scores,
    read_unscored,
    score_release,
)
from lawsmith.stages.scored_lines import read_beside
from lawsmith.stages.submissions import (
    SUBMISSIONS,
    play_calibrated,
    read_calibrated_scores,
    score_submissions,
)
from lawsmith.stages.trials import hand_out_trials

NOW = "2026-11-30T00:00:00Z"
Json = dict[str, Any]


def played(release: Path, to: Path, player: str = "mean", **options: Any) -> list[str]:
    """The lines of a file of honest episodes."""
    chosen = {"protocol": "fixed", "budget": 4, "repeats": 1, "oracle": None, **options}
    play_release(read_public(release), player=player, to=to, clock=lambda: NOW, **chosen)
    return (to / EPISODES).read_text(encoding="utf-8").splitlines()


def edited(line: str, **changes: Any) -> str:
    return json.dumps({**json.loads(line), **changes})


def without(line: str, field: str) -> str:
    return json.dumps({name: value for name, value in json.loads(line).items() if name != field})


BAD: list[tuple[str, Callable[[str], str], str, str]] = [
    ("no JSON", lambda _: "{", "unreadable", ""),
    ("a list", lambda _: "[1]", "unreadable", ""),
    ("NaN", lambda line: line.replace('"repeat":0', '"repeat":NaN'), "unreadable", ""),
    ("deep", lambda _: "[" * 100_000, "unreadable", ""),
    ("torn", lambda line: line[: len(line) // 2], "unreadable", ""),
    ("a field is missing", lambda line: without(line, "problem"), "unreadable", "problem"),
    ("an unknown field", lambda line: edited(line, score=1), "unreadable", "score"),
    ("a wrong type", lambda line: edited(line, repeat="0"), "unreadable", "repeat"),
    (
        "another version",
        lambda line: edited(line, schema_version=9),
        "unreadable",
        "schema_version",
    ),
    ("edited", lambda line: edited(line, accepted=5), "forged", "digest"),
    ("renamed", lambda line: line.replace("/mean/0", "/mean/7"), "forged", "id"),
    ("edited predictor", lambda line: line.replace('"op":', '"op": ', 1), "ok", ""),
]


@pytest.mark.parametrize(("_name", "spoil", "outcome", "field"), BAD)
def test_a_bad_line_costs_itself_alone(
    historical_release: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    _name: str,
    spoil: Callable[[str], str],
    outcome: str,
    field: str,
) -> None:
    lines = played(historical_release, tmp_path / "e")
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join([lines[0], spoil(lines[1]), *lines[2:]]) + "\n", encoding="utf-8")
    code = run(
        ["score", str(path), "--release", str(historical_release), "--to", str(tmp_path / "s")]
    )
    shown = capsys.readouterr().err
    unscored = read_unscored(tmp_path / "s")
    if outcome == "ok":
        assert (code, unscored, len(read_scores(tmp_path / "s"))) == (0, [], len(lines))
        return
    assert code == 3
    (left,) = unscored
    assert (left.outcome, left.place, left.field) == (outcome, f"{path}:2", field)
    assert f"{path}:2: {outcome}" in shown
    assert len(read_scores(tmp_path / "s")) == len(lines) - 1


def test_bytes_that_are_no_text_cost_their_line_alone(
    historical_release: Path, tmp_path: Path
) -> None:
    played(historical_release, tmp_path)
    path = tmp_path / EPISODES
    path.write_bytes(b"\xff\xfe\n" + path.read_bytes())
    assert len(score_release(path, historical_release, tmp_path / "s")) == 4
    assert [one.place for one in read_unscored(tmp_path / "s")] == [f"{path}:1"]


def test_episodes_of_another_release_are_forged_one_by_one(
    historical_release: Path, temporal_release: Path, tmp_path: Path, samples: ModuleType
) -> None:
    lines = played(historical_release, tmp_path)
    other = played(temporal_release, tmp_path / "other")
    path = tmp_path / EPISODES
    path.write_text("\n".join([*lines, other[0]]) + "\n", encoding="utf-8")
    assert len(score_release(tmp_path, historical_release, tmp_path / "s")) == len(lines)
    assert [one.field for one in read_unscored(tmp_path / "s")] == ["release_id"]


def test_doubled_lines_are_named_when_scored(historical_release: Path, tmp_path: Path) -> None:
    lines = played(historical_release, tmp_path)
    path = tmp_path / EPISODES
    path.write_text("\n".join([*lines, lines[0]]) + "\n", encoding="utf-8")
    scores = score_release(tmp_path, historical_release, tmp_path / "s")
    assert len(scores) == len(lines)
    (left,) = read_unscored(tmp_path / "s")
    assert (left.outcome, left.field, left.place) == ("repeated", "id", f"{path}:5")
    make_report(scores)


def test_a_table_says_how_much_of_what_there_was_is_played(
    historical_release: Path, tmp_path: Path
) -> None:
    # Three players over four tasks: two tasks alone; two repeats; one line forged, one invalid.
    lines = played(historical_release, tmp_path, limit=2)
    lines = played(historical_release, tmp_path, player="affine", repeats=2)
    path = tmp_path / EPISODES
    path.write_text("\n".join([*lines[:-1], edited(lines[-1], accepted=5)]) + "\n")
    scores = score_release(tmp_path, historical_release, tmp_path / "s")
    counts, unscored = read_beside(tmp_path / "s")
    rows = make_report(scores, counts=counts, unscored=unscored).rows
    found: dict[str, list[int]] = {}
    for row in rows:
        total = found.setdefault(row.player, [0, 0, 0, 0])
        for place, value in enumerate((row.n, row.asked, row.missing, row.forged)):
            total[place] += value or 0
        assert row.n + (row.missing or 0) + row.forged == row.asked
    # mean: in each setting and environment where it played, one task of one.
    assert found["affine"] == [7, 8, 0, 1]
    assert found["mean"] == [2, 2, 0, 0]
    assert all(row.attestation == "self_reported" for row in rows)
    fewer = [score for score in scores if (score.player, score.repeat) != ("affine", 1)]
    assert sum(row.asked or 0 for row in make_report(fewer, counts=counts).rows) == 6


def source(seed: int) -> Callable[[int], bytes]:
    return np.random.default_rng(seed).bytes


def handed(release: Path, record: Path, to: Path, kind: Any = "paired", **options: Any) -> Path:
    chosen: Json = {
        "player": "mean",
        "repeats": 1,
        "setting": None,
        "protocol": None,
        "budget": None,
        "limit": None,
        "random": source(len(to.name)),
        **options,
    }
    hand_out_trials(release, to=to, kind=kind, record=record, **chosen)
    return to


def test_an_attested_episode_is_made_from_the_log_alone(
    historical_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "record"
    tokens = handed(historical_release, record, tmp_path / "t.jsonl", repeats=2)
    with oracle_process(historical_release, record=record, open_to_all=False) as oracle:
        done = play_release(
            read_public(historical_release),
            player="mean",
            protocol="fixed",
            budget=4,
            repeats=1,
            to=tmp_path,
            oracle=oracle,
            clock=lambda: NOW,
            limit=3,
            trials=read_tokens(tokens),
        )
    assert done == 6
    arguments = ["--release", str(historical_release), "--to", str(tmp_path / "s")]
    assert run(["score", str(record / "log.jsonl"), *arguments]) == 0
    attested = read_scores(tmp_path / "s")
    own = score_release(tmp_path, historical_release, tmp_path / "own")
    assert [score.id for score in attested] == [score.id for score in own]
    assert [score.prediction for score in attested] == [score.prediction for score in own]
    assert {score.attestation for score in attested} == {"attested"}
    assert {score.replayed for score in attested} == {None}
    assert {score.attestation for score in own} == {"self_reported"}
    counts, unscored = read_beside(tmp_path / "s")
    assert [one.outcome for one in unscored] == ["missing"] * 2
    both = make_report([*attested, *(one for one in own)][:6], counts=counts)
    assert len(both.rows) == len({(r.setting, r.environment) for r in both.rows})
    assert run(["report", str(tmp_path / "s"), "--to", str(tmp_path / "r")]) == 0
    assert "fixed B = 4, attested" in capsys.readouterr().out


def test_scores_of_the_two_records_never_share_a_row(
    historical_release: Path, tmp_path: Path
) -> None:
    played(historical_release, tmp_path)
    own = score_release(tmp_path, historical_release, tmp_path / "s")
    half = [
        score.model_copy(update={"attestation": "attested", "id": f"{score.id}/again"})
        for score in own
    ]
    rows = make_report([*own, *half]).rows
    assert len(rows) == 2 * len(make_report(own).rows)


def rechained(path: Path, change: Callable[[list[Json]], None]) -> None:
    """Edit the lines of a log and make its chain anew, as one who holds it could."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines)
    before = "0" * 64
    out: list[str] = []
    for line in lines:
        ordered = {"previous": before, **{k: v for k, v in line.items() if k != "previous"}}
        text = json.dumps(ordered, separators=(",", ":"))
        before = hashlib.sha256(text.encode()).hexdigest()
        out.append(text)
    path.write_text("\n".join(out) + "\n", encoding="utf-8")


def test_a_log_that_was_written_anew_is_held_against_the_world(
    historical_release: Path, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    tokens = read_tokens(handed(historical_release, record, tmp_path / "t.jsonl"))
    with oracle_process(historical_release, record=record, open_to_all=False) as oracle:
        for token in tokens[:2]:
            session = oracle.open_trial(token.token, "adaptive", 4)
            session.propose({"stretch": 0.2, "width": 0.05}, ["pull"])
            session.propose({"stretch": 9.0, "width": 0.05}, ["pull"])
    log = record / "log.jsonl"
    assert [s.failure for s in score_log(log, historical_release, tmp_path / "s").scores] == [
        "no_usable_answer"
    ] * 2
    whole = log.read_text(encoding="utf-8")
    place = next(n for n, _ in enumerate(whole.splitlines()) if '"answered"' in _)

    def change(lines: list[Json]) -> None:
        lines[place]["event"]["outputs"]["pull"] += 0.001

    log.write_text(whole.replace('"pull":', '"pull": ', 1), encoding="utf-8")
    broken = ["score", str(log), "--release", str(historical_release), "--to", str(tmp_path / "s")]
    assert run(broken) == 3
    log.write_text(whole, encoding="utf-8")
    rechained(log, change)
    assert read_log(log)[0]
    found = score_log(log, historical_release, tmp_path / "s")
    assert len(found.scores) == 1
    (forged,) = [one for one in found.unscored if one.outcome == "forged"]
    assert forged.place == f"{log}:{place + 1}"
    assert forged.field == "observation/outputs/pull"


@pytest.mark.parametrize("kind", ["real", "parallel"])
def test_answers_on_real_data_are_attested_too(
    data_release: Path, tmp_path: Path, kind: Any
) -> None:
    record = tmp_path / "record"
    tokens = handed(data_release, record, tmp_path / "t.jsonl", kind=kind, repeats=2)
    with oracle_process(data_release, record=record, open_to_all=False) as oracle:
        done = play_calibrated(
            read_public(data_release),
            kind=kind,
            player="mean",
            to=tmp_path,
            oracle=oracle,
            limit=1,
            trials=read_tokens(tokens),
        )
    assert done == 2
    found = score_log(record / "log.jsonl", data_release, tmp_path / "s")
    own = score_submissions(tmp_path / SUBMISSIONS, data_release, tmp_path / "own")
    assert not own.unread
    assert [one.id for one in found.calibrated] == [one.id for one in own.scores]
    assert {one.attestation for one in found.calibrated} == {"attested"}
    assert [one.reason for one in found.calibrated] == [one.reason for one in own.scores]
    beside = read_calibrated_scores(tmp_path / "s")
    assert beside is not None
    assert {one.outcome for one in beside.unscored} == {"missing"}
    if kind == "parallel":
        log = record / "log.jsonl"
        place = next(
            n for n, text in enumerate(log.read_text().splitlines()) if '"measured"' in text
        )

        def change(lines: list[Json]) -> None:
            lines[place]["event"]["call"]["rows"][0]["output"] *= 1.001

        rechained(log, change)
        again = score_log(log, data_release, tmp_path / "s")
        (forged,) = [one for one in again.unscored if one.outcome == "forged"]
        assert (forged.place, forged.field) == (f"{log}:{place + 1}", "call/rows/0")


def test_the_first_line_that_reads_says_what_a_file_holds(
    data_release: Path, tmp_path: Path
) -> None:
    play_calibrated(read_public(data_release), kind="real", player="mean", to=tmp_path, oracle=None)
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"{\n\xff\n" + (tmp_path / SUBMISSIONS).read_bytes())
    arguments = ["--release", str(data_release), "--to", str(tmp_path / "s")]
    assert run(["score", str(path), *arguments]) == 3
    found = read_calibrated_scores(tmp_path / "s")
    assert found is not None
    assert (len(found.scores), len(found.unscored)) == (2, 2)


def test_submissions_are_held_to_what_they_say(data_release: Path, tmp_path: Path) -> None:
    public = read_public(data_release)
    play_calibrated(public, kind="real", player="mean", to=tmp_path, oracle=None)
    path = tmp_path / SUBMISSIONS
    lines = path.read_text(encoding="utf-8").splitlines()
    other = edited(lines[0], release_digest="0" * 64)
    spoilt = [edited(lines[0], player="q"), other, edited(lines[1], repeat="1"), lines[1], "{"]
    path.write_text("\n".join(spoilt) + "\n", encoding="utf-8")
    found = score_submissions(path, data_release, tmp_path / "s")
    assert len(found.scores) == 1
    assert [(one.outcome, one.field) for one in found.unscored] == [
        ("forged", "digest"),
        ("forged", "release_digest"),
        ("unreadable", "repeat"),
        ("unreadable", ""),
    ]
    arguments = ["--release", str(data_release), "--to", str(tmp_path / "s")]
    assert run(["score", str(path), *arguments]) == 3
