"""Everything Dagster loads: assets, checks, jobs, schedules, the sensor."""

import dagster as dg

from assets import (
    cards,
    evaluations,
    exports,
    families,
    packets,
    problems,
    publications,
    releases,
    reviews,
    sources,
    tasks,
    worlds,
)
from assets.resources import Engine
from pipelines.historical_build import CALIBRATION_BUILD, HISTORICAL_BUILD
from pipelines.release_cut import RELEASE_JOBS
from pipelines.temporal_refresh import (
    PUBLICATIONS_REFRESH,
    TEMPORAL_REFRESH,
    newly_published,
    weekly_publications,
    weekly_refresh,
)

STAGES = (
    sources,
    publications,
    packets,
    cards,
    reviews,
    families,
    worlds,
    problems,
    tasks,
    releases,
    exports,
    evaluations,
)

defs = dg.Definitions(
    assets=dg.load_assets_from_modules(STAGES),
    asset_checks=dg.load_asset_checks_from_modules(STAGES),
    jobs=[
        TEMPORAL_REFRESH,
        PUBLICATIONS_REFRESH,
        HISTORICAL_BUILD,
        CALIBRATION_BUILD,
        *RELEASE_JOBS,
    ],
    schedules=[weekly_refresh, weekly_publications],
    sensors=[newly_published],
    resources={"engine": Engine()},
    executor=dg.in_process_executor,
)
