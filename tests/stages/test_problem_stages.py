"""Problems through stages, release, command line and checks, in the store of the main job."""

import json
from pathlib import Path
from typing import Any

import pytest

from lawsmith.cli import run
from lawsmith.gateways.store import read_partition, read_table
from lawsmith.inspection import problem_pictures
from lawsmith.inspection.explaining import explain
from lawsmith.release.bundle import read_release
from lawsmith.runs.dispositions import all_dispositions
from lawsmith.runs.opening import open_context
from lawsmith.stages import calibrated_worlds, problem_checks, problems
from lawsmith.stages.calibrated_worlds import calibrated_sets
from lawsmith.stages.open_subjects import pending_problems
from lawsmith.stages.submissions import read_calibrated_scores

PROBLEMS = {"puromycin", "tree_volume"}
RELEASE = "historical-1.0.1-dev"


@pytest.fixture(scope="module")
def context(main_job: Any) -> Any:
    with main_job.home.entered():
        return open_context(collection="historical-dev")


def test_admitted_and_refused_data_sets_are_stored_with_reasons(context: Any) -> None:
    rows = read_table(context.store, "problems", "historical-dev")
    assert {row.id for row in rows if row.outcome == "passed"} == PROBLEMS
    judged = {d.subject_id: d for d in all_dispositions(context.store, "historical-dev")}
    refused = [d for d in judged.values() if d.stage == "problems" and d.outcome == "rejected"]
    assert refused
    assert all(d.subject_kind == "problem" and len(d.sentence) >= 10 for d in refused)


def test_every_problem_has_its_tasks_world_and_baselines(context: Any) -> None:
    sets = {one.id: one for one in calibrated_sets(context)}
    assert set(sets) == PROBLEMS
    worlds = read_partition(context.store, "worlds", "historical-dev", "calibrated")
    assert {row.extra["family_id"] for row in worlds} == {
        one.id for one in sets.values() if one.world is not None
    }
    for one in sets.values():
        assert one.real is not None, one.real_reason
        assert (one.parallel is None) == bool(one.parallel_reason)
        assert {score.task_id for score in one.baselines} == {task.id for task in one.tasks}


def test_a_second_run_has_nothing_to_do(main_job: Any, context: Any) -> None:
    with main_job.home.entered():
        assert pending_problems(context) == []
        assert problems.run(context).new == 0
        assert calibrated_worlds.run(context).new == 0


def test_checks_find_nothing_and_pictures_are_drawn(main_job: Any, context: Any) -> None:
    with main_job.home.entered():
        for check in (problem_checks.problems, problem_checks.calibrated):
            looked = check(context)
            assert looked.rows == len(PROBLEMS)
            assert looked.faults == ()
        for picture in (problem_pictures.admission, problem_pictures.calibrated):
            drawn = picture(context)
            assert drawn is not None
            assert drawn.startswith(b"\x89PNG")


def test_the_release_holds_them_and_reports_their_baselines(context: Any) -> None:
    read = read_release(context.store.releases / RELEASE)
    assert read.sealed is not None
    assert {item.problem.id for item in read.sealed.problems} == PROBLEMS
    kinds = {item.kind: item.tasks for item in read.public.manifest.kinds}
    assert kinds["real"] == len(PROBLEMS)
    assert kinds["paired"] == 4 * read.public.manifest.families
    found = read_calibrated_scores(context.store.evaluations / RELEASE)
    assert found is not None
    assert (context.store.evaluations / RELEASE / "report" / "real-data.html").is_file()


def test_explain_tells_of_a_problem_and_of_its_task(main_job: Any, context: Any) -> None:
    one = calibrated_sets(context)[0]
    for subject in (one.id, one.tasks[0].id):
        with main_job.home.entered():
            titles = [getattr(part, "title", "") for part in explain(context, subject)]
        assert f"Tasks of {one.id}" in titles
        assert f"Baselines of {one.id}" in titles


def test_submissions_are_played_scored_and_reported_by_kind(
    main_job: Any, context: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = str(context.store.releases / RELEASE)
    with main_job.home.entered():
        for player in ("power-law", "null"):
            played = ["play", release, "--kind", "real", "--player", player]
            assert run([*played, "--to", str(tmp_path)]) == 0
        bad = {"task_id": "t-0000000000000000", "player": "x", "expression": "1"}
        with (tmp_path / "submissions.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(bad) + "\n")
        to = tmp_path / "scores"
        # A line without a score is a fault in the data; the others are scored.
        assert run(["score", str(tmp_path), "--release", release, "--to", str(to)]) == 3
        assert "is no task of the release" in capsys.readouterr().err
        assert run(["report", str(to), "--to", str(tmp_path / "report"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {(row["kind"], row["player"]) for row in rows} == {
        ("real", "power-law"),
        ("real", "null"),
    }
    by_player = {row["player"]: row["means"] for row in rows}
    assert by_player["power-law"]["S_N"] > by_player["null"]["S_N"]


def test_an_answer_by_hand_is_scored(
    main_job: Any, context: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = read_release(context.store.releases / RELEASE)
    assert read.sealed is not None
    item = next(p for p in read.sealed.problems if p.problem.id == "tree_volume")
    assert item.real is not None
    answer = {
        "task_id": item.real.id,
        "player": "hand",
        "expression": "a*girth**2*height",
        "shared": {"a": 0.0021},
    }
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(answer) + "\n", encoding="utf-8")
    with main_job.home.entered():
        command = ["score", str(path), "--release", str(read.path), "--to", str(tmp_path)]
        assert run([*command, "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)
    assert score["valid"]
    assert 0.0 < score["numeric"] <= 1.0
