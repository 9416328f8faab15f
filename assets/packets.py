"""Assets of stage `packets`: frozen numbered texts."""

import dagster as dg

from assets.partitions import SINGLE_RUN, WEEKS
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.stages import checks
from lawsmith.stages import packets as stage_packets


@dg.asset(
    key=["packets"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[dg.AssetKey(["sources"])],
    group_name="papers",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def packets(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a packet: the exact numbered text of one paper version, frozen."""
    stage = engine.temporal()
    return materialized(stage_packets.run(stage, context.partition_keys))


@dg.asset_check(
    asset=dg.AssetKey(["packets"]),
    name="frozen",
)
def packets_frozen(engine: Engine) -> dg.AssetCheckResult:
    """Every packet's text has the hash it is named by, here and as a file."""
    return checked(checks.packets(engine.temporal()))
