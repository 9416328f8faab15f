"""The Temporal refresh: its jobs, the weekly schedules, the sensor for old weeks."""

from datetime import UTC, datetime, timedelta

import dagster as dg

from assets.partitions import WEEKS
from assets.resources import Engine
from lawsmith.stages.revisions import weeks_to_take_up

TEMPORAL_REFRESH = dg.define_asset_job(
    "temporal_refresh",
    selection=dg.AssetSelection.assets(
        "sources",
        "packets",
        "cards",
        ["reviews", "card"],
        ["temporal", "families"],
        ["reviews", "case"],
        ["temporal", "worlds"],
    ),
    description="Papers of the chosen weeks, through cards and reviews, to worlds.",
)

PUBLICATIONS_REFRESH = dg.define_asset_job(
    "publications_refresh",
    selection=dg.AssetSelection.assets("publications"),
    description="Looks up journal dates of the papers that are still waiting.",
)

CATCH_UP_WEEKS = 8
"""How far back a schedule that was off looks for weeks it missed."""


@dg.schedule(
    job=TEMPORAL_REFRESH,
    cron_schedule="0 6 * * 4",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
)
def weekly_refresh(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest]:
    """One run for the week that ended on Monday, and for each recent one that was missed."""
    finished = finished_weeks(context.scheduled_execution_time)
    done = set(context.instance.get_materialized_partitions(dg.AssetKey("sources")))
    missed = [week for week in finished[:-1] if week not in done] if done else []
    return [
        dg.RunRequest(run_key=f"temporal/{week}", partition_key=week)
        for week in [*missed, finished[-1]]
    ]


@dg.schedule(
    job=PUBLICATIONS_REFRESH,
    cron_schedule="0 5 * * 4",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
)
def weekly_publications(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """One look-up a week, an hour before the refresh."""
    return dg.RunRequest(run_key=f"publications/{context.scheduled_execution_time:%Y-%m-%d}")


@dg.sensor(
    job=TEMPORAL_REFRESH,
    minimum_interval_seconds=3600,
    default_status=dg.DefaultSensorStatus.STOPPED,
)
def newly_published(context: dg.SensorEvaluationContext, engine: Engine) -> dg.SensorResult:
    """Asks for old weeks again whose papers were published or revised since the last tick."""
    weeks, cursor = weeks_to_take_up(engine.temporal(), context.cursor)
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(run_key=f"taken-up/{week}/{cursor}", partition_key=week) for week in weeks
        ],
        cursor=cursor,
    )


def finished_weeks(at: datetime) -> list[str]:
    """Partition keys of the last weeks that had ended at an instant, oldest first."""
    today = at.astimezone(UTC).date()
    this_monday = today - timedelta(days=today.weekday())
    weeks = [this_monday - timedelta(weeks=n) for n in range(CATCH_UP_WEEKS, 0, -1)]
    keys = [week.isoformat() for week in weeks]
    return [key for key in keys if key >= WEEKS.start.date().isoformat()]
