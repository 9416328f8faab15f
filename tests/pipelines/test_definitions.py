"""What Dagster loads: the graph, its words, and when it runs by itself."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest
from dagster import DagsterRunStatus, RunsFilter

from assets.resources import Engine
from lawsmith.gateways.store import read_partition, write_partition
from lawsmith.stages.publications import PARTITION
from pipelines import definitions as definitions_module
from pipelines.definitions import defs
from pipelines.launch import open_instance
from pipelines.temporal_refresh import finished_weeks, newly_published, weekly_refresh
from schemas.source import Publication

if TYPE_CHECKING:
    from tests.conftest import Home

THURSDAY = datetime(2026, 10, 15, 6, tzinfo=UTC)

GRAPH = {
    "sources": ("papers", ()),
    "publications": ("papers", ("sources",)),
    "packets": ("papers", ("sources",)),
    "cards": ("curation", ("packets",)),
    "reviews/card": ("curation", ("cards", "packets")),
    "reviews/case": ("curation", ("packets", "temporal/families")),
    "temporal/families": ("worlds", ("reviews/card",)),
    "temporal/worlds": ("worlds", ("reviews/case", "temporal/families")),
    "historical/families": ("worlds", ()),
    "historical/worlds": ("worlds", ("historical/families",)),
    "historical/problems": ("worlds", ()),
    "historical/calibrated": ("worlds", ("historical/problems",)),
    "tasks": (
        "releases",
        ("historical/calibrated", "historical/worlds", "publications", "temporal/worlds"),
    ),
    "releases": ("releases", ("tasks",)),
    "exports": ("releases", ("releases",)),
    "evaluations": ("releases", ("exports", "releases")),
}


def _specs() -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}


def test_the_graph_is_the_one_of_the_house() -> None:
    found = {
        key: (spec.group_name, tuple(sorted(dep.asset_key.to_user_string() for dep in spec.deps)))
        for key, spec in _specs().items()
    }
    assert found == GRAPH


def test_every_asset_says_what_a_row_is_and_who_owns_it() -> None:
    for key, spec in _specs().items():
        assert str(spec.description).startswith("One row is "), key
        assert spec.owners, key
        assert spec.kinds, key


def test_every_asset_has_a_check() -> None:
    checked = {
        key.asset_key.to_user_string() for key in defs.resolve_asset_graph().asset_check_keys
    }
    assert checked == set(GRAPH)


def test_jobs_resolve_and_nothing_starts_by_itself() -> None:
    jobs = (
        "temporal_refresh",
        "publications_refresh",
        "historical_build",
        "calibration_build",
        "release_cut",
    )
    chosen = {
        job: {
            key.to_user_string()
            for key in defs.resolve_job_def(job).asset_layer.selected_asset_keys
        }
        for job in jobs
    }
    assert set().union(*chosen.values()) == set(GRAPH)
    assert sum(map(len, chosen.values())) == len(GRAPH)
    for job, steps in (
        ("release_export", {"exports", "evaluations"}),
        ("release_evaluation", {"evaluations"}),
    ):
        layer = defs.resolve_job_def(job).asset_layer
        assert {key.to_user_string() for key in layer.selected_asset_keys} == steps
    for name in ("weekly_refresh", "weekly_publications"):
        assert defs.resolve_schedule_def(name).default_status is dg.DefaultScheduleStatus.STOPPED
    sensor = defs.resolve_sensor_def("newly_published")
    assert sensor.default_status is dg.DefaultSensorStatus.STOPPED


def test_the_definitions_stay_short() -> None:
    assert len(Path(str(definitions_module.__file__)).read_text().splitlines()) <= 60


def test_loading_them_opens_no_socket_and_no_model_library() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = refuse\n"
        "from pipelines.definitions import defs\n"
        "import dagster as dg\n"
        "dg.Definitions.validate_loadable(defs)\n"
        "assert 'litellm' not in sys.modules and 'arxiv' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as found:
        yield found


def _requested(instance: dg.DagsterInstance, at: datetime) -> list[dg.RunRequest]:
    context = dg.build_schedule_context(
        instance=instance, scheduled_execution_time=at, repository_def=defs.get_repository_def()
    )
    return list(weekly_refresh.evaluate_tick(context).run_requests or ())


def _materialize(instance: dg.DagsterInstance, week: str) -> None:
    instance.report_runless_asset_event(
        dg.AssetMaterialization(asset_key="sources", partition=week)
    )


def test_a_thursday_asks_for_the_week_that_ended_on_monday(instance: dg.DagsterInstance) -> None:
    (request,) = _requested(instance, THURSDAY)
    assert (request.partition_key, request.run_key) == ("2026-10-05", "temporal/2026-10-05")


def test_weeks_missed_since_are_caught_up(instance: dg.DagsterInstance) -> None:
    for week in finished_weeks(THURSDAY):
        if week not in {"2026-09-21", "2026-10-05"}:
            _materialize(instance, week)
    asked = [request.partition_key for request in _requested(instance, THURSDAY)]
    assert asked == ["2026-09-21", "2026-10-05"]


def test_finished_weeks_end_before_the_running_one() -> None:
    sunday = finished_weeks(datetime(2026, 10, 11, 23, 59, tzinfo=UTC))
    monday = finished_weeks(datetime(2026, 10, 12, 0, 0, tzinfo=UTC))
    assert (sunday[-1], monday[-1]) == ("2026-09-28", "2026-10-05")
    assert len(monday) == 8


def test_a_paper_published_since_asks_for_its_week(home_copy: "Home") -> None:
    def tick(cursor: str | None) -> dg.SensorResult:
        context = dg.build_sensor_context(cursor=cursor, repository_def=defs.get_repository_def())
        with home_copy.entered():
            found = newly_published(context, engine=Engine(source="sample"))
        assert isinstance(found, dg.SensorResult)
        return found

    first = tick(None)
    assert first.run_requests == []
    assert tick(first.cursor).run_requests == []
    # 0008 gets its journal date.
    context = home_copy.later("2026-11-12T05:00:00Z").context()
    rows = read_partition(context.store, "publications", context.collection, PARTITION)
    waiting = next(row for row in rows if row.paper_id == "sample:0008")
    data = json.loads(waiting.record)
    del data["digest"], data["schema_version"]
    data |= {"journal_online": "2026-11-10", "checked_at": context.now()}
    record = Publication.model_validate_json(json.dumps(data))
    dated = replace(
        waiting,
        record=record.to_json(),
        digest=record.digest,
        outcome="passed",
        reason_code="ok",
    )
    changed = [dated if row is waiting else row for row in rows]
    write_partition(context.store, "publications", context.collection, PARTITION, changed)
    second = tick(first.cursor)
    assert [request.partition_key for request in second.run_requests or ()] == ["2026-10-05"]
    assert tick(second.cursor).run_requests == []


_WORKSPACE = '''
import dagster as dg
from pipelines import definitions as ours
from pipelines.temporal_refresh import TEMPORAL_REFRESH


@dg.schedule(
    job=TEMPORAL_REFRESH,
    cron_schedule="* * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
def every_minute(context):
    """The weekly schedule, as it answers on a Thursday of the sample."""
    from datetime import UTC, datetime

    from pipelines.temporal_refresh import weekly_refresh

    with dg.build_schedule_context(
        instance=context.instance,
        scheduled_execution_time=datetime(2026, 10, 15, 6, tzinfo=UTC),
        repository_def=ours.defs.get_repository_def(),
    ) as thursday:
        return list(weekly_refresh.evaluate_tick(thursday).run_requests)


defs = dg.Definitions.merge(ours.defs, dg.Definitions(schedules=[every_minute]))
'''


@pytest.mark.long
def test_a_daemon_launches_the_weekly_run(empty_home: "Home", tmp_path: Path) -> None:
    module = tmp_path / "minutely.py"
    module.write_text(_WORKSPACE, encoding="utf-8")
    workspace = tmp_path / "workspace.yaml"
    workspace.write_text(
        json.dumps({"load_from": [{"python_file": str(module)}]}), encoding="utf-8"
    )
    with empty_home.entered(), open_instance(empty_home.context().store) as instance:
        before = {run.run_id for run in instance.get_runs()}
        daemon = subprocess.Popen(
            [str(Path(sys.executable).with_name("dagster-daemon")), "run", "-w", str(workspace)],
            env=dict(os.environ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            launched = _wait_for_run(instance, before, seconds=150)
        finally:
            daemon.send_signal(signal.SIGINT)
            assert daemon.wait(timeout=60) == 0
    assert launched.job_name == "temporal_refresh"
    assert launched.tags["dagster/partition"] == "2026-10-05"
    assert launched.tags["dagster/schedule_name"] == "every_minute"
    assert launched.tags["dagster/run_key"] == "temporal/2026-10-05"


def _wait_for_run(instance: dg.DagsterInstance, before: set[str], seconds: int) -> dg.DagsterRun:
    """The first new run that has succeeded."""
    for _ in range(seconds):
        done = instance.get_runs(RunsFilter(statuses=[DagsterRunStatus.SUCCESS]))
        new = [run for run in done if run.run_id not in before]
        if new:
            return new[0]
        time.sleep(1)
    states = [(run.job_name, run.status) for run in instance.get_runs()]
    raise AssertionError(f"no run succeeded: {states}")
