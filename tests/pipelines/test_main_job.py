"""The main job: where every sample paper ends, what a second run does, and the same bytes."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from assets.resources import Engine
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.store import query, read_partition
from lawsmith.release.bundle import read_public, verify_release
from lawsmith.runs.dispositions import all_dispositions
from lawsmith.stages.playing import EPISODES, read_episodes, read_scores
from pipelines.definitions import defs
from pipelines.launch import PID_TAG, launch, open_instance

if TYPE_CHECKING:
    from tests.conftest import Home, Kit, MainJob

TEMPORAL, HISTORICAL = "temporal-2026.10.0-sample", "historical-1.0.0-dev"
WITH_PROBLEMS = "historical-1.0.1-dev"
WEEK = "2026-10-05"


def _bytes(folder: Path, *parts: str) -> dict[str, str]:
    """Path -> hash of every file below some folders of a home."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in parts
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }


def _states(home: "Home", stage: str, release_id: str | None = None) -> dict[str, str]:
    return {
        item.subject_id.split("/")[0] if stage == "cards" else item.subject_id: (
            f"{item.outcome}/{item.reason_code}"
        )
        for item in all_dispositions(home.context().store, "temporal-sample")
        if item.stage == stage and item.release_id == release_id
    }


def test_every_paper_gets_a_packet_of_the_kind_it_ships(main_job: "MainJob") -> None:
    context = main_job.home.context()
    rows = query(context.store, "select paper_id, kind, outcome from packets order by 1").rows
    with_tex = {"sample:0001", "sample:0003", "sample:0007"}
    assert rows == tuple(
        (f"sample:{n:04d}", "tex" if f"sample:{n:04d}" in with_tex else "pdf", "passed")
        for n in range(1, 10)
    )


def test_cards_stand_where_the_sample_says(main_job: "MainJob") -> None:
    assert _states(main_job.home, "cards") == {
        "sample:0001v1": "passed/ok",
        "sample:0002v1": "passed/ok",
        "sample:0003v1": "passed/ok",
        # The reader did not fall for the "=" of the abstract.
        "sample:0004v1": "rejected/no_executable_relation",
        "sample:0005v1": "rejected/dimension_mismatch",
        "sample:0006v1": "passed/ok",
        "sample:0007v2": "passed/ok",
        "sample:0008v1": "passed/ok",
        "sample:0009v1": "rejected/no_executable_relation",
    }


GOOD = ("0001", "0002", "0003", "0006", "0007", "0008")
"""Papers with a card that gates and the first review let through."""


def _accepted(main_job: "MainJob") -> set[str]:
    """The papers whose case the recorded reviewer accepted."""
    return {
        n
        for n in GOOD
        for line in main_job.home.data.replies()
        if line["subject_id"] == f"sample:{n}/r1/f1"
        and json.loads(line["text"])["decision"] == "accept"
    }


@pytest.mark.parametrize("stage", ["reviews/card", "families"])
def test_good_cards_are_accepted_and_forged(main_job: "MainJob", stage: str) -> None:
    assert _states(main_job.home, stage) == {f"sample:{n}/r1": "passed/ok" for n in GOOD}


def test_cases_stand_as_their_reviewer_said(main_job: "MainJob") -> None:
    accepted = _accepted(main_job)
    assert _states(main_job.home, "reviews/case") == {
        f"sample:{n}/r1/f1": "passed/ok" if n in accepted else "rejected/reviewer_rejected"
        for n in GOOD
    }
    assert _states(main_job.home, "worlds") == {f"sample:{n}/r1/f1": "passed/ok" for n in accepted}


def test_the_cut_judges_every_paper(main_job: "MainJob") -> None:
    assert _states(main_job.home, "tasks", TEMPORAL) == {
        "sample:0001v1": "passed/ok",
        "sample:0002v1": "passed/ok",
        "sample:0003v1": "passed/ok",
        "sample:0004v1": "passed/ok",
        "sample:0005v1": "passed/ok",
        "sample:0006v1": "rejected/before_cutoff",
        "sample:0007v2": "passed/ok",
        "sample:0008v1": "waiting/awaiting_publication",
        "sample:0009v1": "passed/ok",
    }


def test_two_relations_share_the_changed_quantity(main_job: "MainJob") -> None:
    rows = read_partition(main_job.home.context().store, "families", "temporal-sample", WEEK)
    row = next(row for row in rows if row.paper_id == "sample:0003")
    assert row.extra["readouts"] == 2


def test_both_releases_verify_and_hold_what_is_eligible(main_job: "MainJob") -> None:
    store = main_job.home.context().store
    written = [(path.name, new) for path, new in main_job.outcome.releases]
    assert written == [(HISTORICAL, True), (WITH_PROBLEMS, True), (TEMPORAL, True)]
    eligible = _accepted(main_job) & {"0001", "0002", "0003", "0007"}
    for name, families in ((HISTORICAL, 4), (WITH_PROBLEMS, 4), (TEMPORAL, len(eligible))):
        assert verify_release(store.releases / name) == []
        assert len(read_public(store.releases / name).tasks) == 4 * families
    manifest = read_public(store.releases / TEMPORAL).manifest
    assert manifest.synthetic_sources
    assert (manifest.cutoff, manifest.until) == ("2026-04-30", "2026-10-31")


def test_the_export_holds_the_public_tree_and_no_more(main_job: "MainJob") -> None:
    store = main_job.home.context().store
    for name in (HISTORICAL, TEMPORAL):
        exported = _bytes(store.exports / name, ".")
        public = _bytes(store.releases / name / "public", ".")
        assert set(exported.values()) == set(public.values())
        assert not (store.exports / name / "sealed").exists()
        assert verify_release(store.exports / name) == []


def test_the_baselines_are_scored(main_job: "MainJob") -> None:
    store = main_job.home.context().store
    for name in (HISTORICAL, TEMPORAL):
        folder = store.evaluations / name
        tasks = read_public(store.releases / name).tasks
        scores = read_scores(folder)
        assert {score.player for score in scores} == {"mean", "affine", "power-law"}
        assert len(scores) == len(read_episodes(folder)) == 3 * len(tasks)
        assert (folder / "report" / "report.html").is_file()


def test_everything_counted_in_the_catalogue(main_job: "MainJob") -> None:
    store = main_job.home.context().store
    rows = query(store, "select release_id, families from releases order by 1").rows
    eligible = _accepted(main_job) & {"0001", "0002", "0003", "0007"}
    assert rows == ((HISTORICAL, 4), (WITH_PROBLEMS, 4), (TEMPORAL, len(eligible)))


def test_a_second_run_does_nothing(main_job: "MainJob", home_copy: "Home", kit: "Kit") -> None:
    home = home_copy.later("2026-11-06T06:00:00Z")
    before = {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in home.path.rglob("*")
        if path.is_file()
    }
    with home.entered():
        module = kit.load(kit.root / "tests" / "pipelines" / "run_main_job.py")
        outcome = module.run_main_job(at=home.at)
        with Ledger(home.context().store.ledger, clock=lambda: 0.0) as ledger:
            assert ledger.spent().tokens == 0
    assert outcome.todo == {}
    assert outcome.runs == []
    assert [new for _path, new in outcome.releases] == [False, False]
    after = {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in home.path.rglob("*")
        if path.is_file() and "ledger" not in path.name and "locks" not in path.parts
    }
    assert after == {path: at for path, at in before.items() if path in after}
    assert len(main_job.outcome.runs) == 7


@pytest.mark.long
def test_running_a_week_again_by_hand_adds_nothing(home_copy: "Home") -> None:
    home = home_copy.later("2026-11-06T06:00:00Z")
    kept = _bytes(home.path, "tables", "packets", "releases", "exports", "evaluations")
    with home.entered():
        context = home.context()
        with open_instance(context.store) as instance:
            launch(instance, "temporal_refresh", Engine(source="sample"), weeks=[WEEK])
            launch(instance, "release_cut", Engine(source="sample"), release_id=TEMPORAL)
    after = _bytes(home.path, "tables", "packets", "releases", "exports", "evaluations")
    # A cut judged again is dated again, and the copied home lies elsewhere than its exports did.
    changed = {path for path in kept | after if kept.get(path) != after.get(path)}
    assert changed <= {
        f"tables/dispositions/temporal-sample/tasks.{TEMPORAL}.parquet",
        f"tables/exports/temporal-sample/{TEMPORAL}.parquet",
    }


def test_what_a_dead_run_held_is_free_at_the_next_start(
    kit: "Kit", tmp_path: Path, main_job: "MainJob"
) -> None:
    home = kit.home(tmp_path / "home", main_job.home.data)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    with home.entered():
        store = home.context().store
        with open_instance(store) as instance:
            run = instance.create_run_for_job(
                defs.resolve_job_def("temporal_refresh"),
                status=dg.DagsterRunStatus.STARTED,
                tags={PID_TAG: str(ended.pid)},
            )
            slots = instance.event_log_storage
            slots.initialize_concurrency_limit_to_default("model")
            assert slots.claim_concurrency_slot("model", run.run_id, "cards").is_claimed
        with open_instance(store) as instance:
            found = instance.get_run_by_id(run.run_id)
            assert found is not None
            assert found.status is dg.DagsterRunStatus.FAILURE
            slots = instance.event_log_storage
            assert slots.claim_concurrency_slot("model", "another-run", "cards").is_claimed


@pytest.mark.long
def test_the_same_job_elsewhere_gives_the_same_bytes(
    main_job: "MainJob", kit: "Kit", tmp_path: Path
) -> None:
    script = kit.root / "tests" / "pipelines" / "run_main_job.py"
    twin = replace(main_job.home, path=tmp_path / "twin")
    with twin.entered():
        subprocess.run(
            [sys.executable, str(script)], env={**os.environ, "PYTHONHASHSEED": "7"}, check=True
        )
    parts = ("tables", "packets", "releases", "exports", "evaluations")
    here, there = (_bytes(path, *parts) for path in (main_job.home.path, twin.path))
    assert here.keys() == there.keys()
    # A DuckDB file is not reproducible, and its hash stands in the manifests, whose digests
    # stand in episodes and scores; all rows are compared without them.
    differing = {path for path in here if here[path] != there[path]}
    behind = ("tasks.duckdb", "manifest.json", "episodes.jsonl", "scores.jsonl")
    tables = ("tables/releases/", "tables/exports/", "tables/evaluations/")
    assert {x for x in differing if not x.endswith(behind) and not x.startswith(tables)} == set()
    for name, collection in ((HISTORICAL, "historical-dev"), (TEMPORAL, "temporal-sample")):
        stores = (main_job.home.context().store, twin.context().store)
        first, second = (read_partition(s, "releases", collection, name) for s in stores)
        assert first[0].extra["content_digest"] == second[0].extra["content_digest"]
        mine, theirs = (
            [
                (score.id, score.prediction, score.weak, score.strict)
                for score in read_scores(store.evaluations / name)
            ]
            for store in stores
        )
        assert mine == theirs


def test_replies_are_marked_as_replayed(main_job: "MainJob") -> None:
    manifest = json.loads(
        (main_job.home.context().store.releases / TEMPORAL / "public" / "manifest.json").read_text()
    )
    assert manifest["replayed_replies"] is True
    assert (main_job.home.path / "evaluations" / TEMPORAL / EPISODES).is_file()
