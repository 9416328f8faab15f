"""Running a job from the command line: the instance of a store, its dead runs, one launch."""

import os
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
from dagster import DagsterRunStatus, RunsFilter

from assets.partitions import RELEASES
from assets.resources import Engine
from lawsmith.errors import LawsmithError, PrerequisiteError
from lawsmith.gateways.store import Store, rebuild_catalogue
from pipelines.run_record import light_record

PID_TAG = "lawsmith/pid"
_RANGE_START = "dagster/asset_partition_range_start"
_RANGE_END = "dagster/asset_partition_range_end"
_UNFINISHED = [DagsterRunStatus.STARTED, DagsterRunStatus.STARTING, DagsterRunStatus.NOT_STARTED]


def open_instance(store: Store) -> dg.DagsterInstance:
    """The Dagster instance of a store; runs whose process is gone are marked failed.

    Raises:
        PrerequisiteError: dagster.yaml is not where this package was installed from.
    """
    home = store.dagster
    source = Path(__file__).resolve().parents[1] / "dagster.yaml"
    if not source.is_file():
        source = Path(__file__).resolve().with_name("dagster.yaml")
    if not source.is_file():
        raise PrerequisiteError("dagster.yaml is missing", path=str(source), fix="install again")
    (home / "dagster.yaml").write_bytes(source.read_bytes())
    os.environ["DAGSTER_HOME"] = str(home)
    instance = dg.DagsterInstance.from_config(str(home))
    for run in instance.get_runs(RunsFilter(statuses=_UNFINISHED)):
        pid = run.tags.get(PID_TAG)
        if pid is not None and not _alive(int(pid)):
            instance.report_run_failed(run, f"its process {pid} is gone")
    _free_pools(instance)
    return instance


def _free_pools(instance: dg.DagsterInstance) -> None:
    """Give back what runs that have ended still hold of the pools.

    A killed run keeps its slot until the daemon looks, and a run in this process would wait for
    it without end.
    """
    storage = instance.event_log_storage
    for run_id in storage.get_concurrency_run_ids():
        run = instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            storage.free_concurrency_slots_for_run(run_id)


def launch(
    instance: dg.DagsterInstance,
    job: str,
    engine: Engine,
    *,
    weeks: Sequence[str] = (),
    release_id: str | None = None,
) -> str:
    """Run a job in this process and return its run id.

    A span of weeks is one run; a release id is added to the release partitions first.

    Raises:
        LawsmithError: as the failing stage raised it.
        PrerequisiteError: the run ended without success.
    """
    from pipelines.definitions import defs

    tags = {PID_TAG: str(os.getpid())}
    if weeks:
        tags |= {_RANGE_START: min(weeks), _RANGE_END: max(weeks)}
    if release_id is not None:
        instance.add_dynamic_partitions(str(RELEASES.name), [release_id])
    try:
        with light_record():
            result = defs.resolve_job_def(job).execute_in_process(
                instance=instance,
                resources={"engine": engine},
                partition_key=release_id,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
                tags=tags,
                raise_on_error=True,
            )
    except LawsmithError:
        # The assets that rebuild the catalogue at the end of a run were not reached.
        rebuild_catalogue(engine.store(), wait=60.0)
        raise
    if not result.success:
        raise PrerequisiteError(
            f"run {result.run_id} of {job} failed", fix="look at it with `make ui`"
        )
    return result.run_id


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
