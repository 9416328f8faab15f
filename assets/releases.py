"""Assets of stage `releases`: immutable, content-addressed releases."""

import dagster as dg

from assets.partitions import RELEASES
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.stages import checks
from lawsmith.stages import releases as stage_releases


@dg.asset(
    key=["releases"],
    partitions_def=RELEASES,
    deps=[dg.AssetKey(["tasks"])],
    group_name="releases",
    kinds={"duckdb", "parquet"},
    owners=OWNERS,
    code_version="1",
)
def releases(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a file of the release with its hash."""
    stage = engine.release(context.partition_key)
    return materialized(stage_releases.run(stage, context.partition_key))


@dg.asset_check(
    asset=dg.AssetKey(["releases"]),
    name="verified",
)
def releases_verified(engine: Engine) -> dg.AssetCheckResult:
    """Verify finds no fault in the release."""
    return checked(checks.releases(engine.store()))
