"""Assets of stage `exports`: the frozen bundle that evaluators download."""

import dagster as dg

from assets.partitions import RELEASES
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.stages import checks
from lawsmith.stages import exports as stage_exports


@dg.asset(
    key=["exports"],
    partitions_def=RELEASES,
    deps=[dg.AssetKey(["releases"])],
    group_name="releases",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def exports(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a file of the public bundle."""
    stage = engine.release(context.partition_key)
    return materialized(stage_exports.run(stage, context.partition_key))


@dg.asset_check(
    asset=dg.AssetKey(["exports"]),
    name="faithful",
)
def exports_faithful(engine: Engine) -> dg.AssetCheckResult:
    """Every exported file has the hash that the release's manifest gives."""
    return checked(checks.exports(engine.store()))
