"""Assets of stage `worlds`: what the Oracle simulates."""

import dagster as dg

from assets.partitions import SINGLE_RUN, WEEKS
from assets.presentation import OWNERS, checked, last_of_run
from assets.resources import Engine
from lawsmith.stages import checks
from lawsmith.stages import worlds as stage_worlds


@dg.asset(
    key=["temporal", "worlds"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[dg.AssetKey(["reviews", "case"]), dg.AssetKey(["temporal", "families"])],
    group_name="worlds",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def temporal_worlds(
    context: dg.AssetExecutionContext, engine: Engine
) -> dg.MaterializeResult[None]:
    """One row is one environment of an accepted family."""
    stage = engine.temporal()
    return last_of_run(stage.store, stage_worlds.run_temporal(stage, context.partition_keys))


@dg.asset(
    key=["historical", "worlds"],
    deps=[dg.AssetKey(["historical", "families"])],
    group_name="worlds",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def historical_worlds(engine: Engine) -> dg.MaterializeResult[None]:
    """One row is one environment of a Historical family."""
    stage = engine.historical()
    return last_of_run(stage.store, stage_worlds.run_historical(stage))


@dg.asset_check(
    asset=dg.AssetKey(["temporal", "worlds"]),
    name="paired",
)
def temporal_worlds_paired(engine: Engine) -> dg.AssetCheckResult:
    """Both environments of a family are there, with the digests of its relation sets."""
    return checked(checks.worlds(engine.temporal()))


@dg.asset_check(
    asset=dg.AssetKey(["historical", "worlds"]),
    name="paired",
)
def historical_worlds_paired(engine: Engine) -> dg.AssetCheckResult:
    """Both environments of a family are there, with the digests of its relation sets."""
    return checked(checks.worlds(engine.historical()))
