"""Assets of stage `sources`: papers as their source lists them."""

import dagster as dg

from assets.partitions import SINGLE_RUN, WEEKS
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.stages import checks
from lawsmith.stages import sources as stage_sources


@dg.asset(
    key=["sources"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[],
    group_name="papers",
    kinds={"parquet"},
    owners=OWNERS,
    pool="arxiv",
    code_version="1",
)
def sources(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is one version of a paper, in the week of its first submission."""
    stage = engine.temporal()
    return materialized(stage_sources.run(stage, context.partition_keys))


@dg.asset_check(
    asset=dg.AssetKey(["sources"]),
    name="intact",
)
def sources_intact(engine: Engine) -> dg.AssetCheckResult:
    """Every paper lies in its week, under its own digest."""
    return checked(checks.sources(engine.temporal()))
