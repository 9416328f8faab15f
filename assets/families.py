"""Assets of stage `families`: an Original and a Counterfactual over one interface."""

import dagster as dg

from assets.partitions import SINGLE_RUN, WEEKS
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.inspection import pictures
from lawsmith.stages import checks
from lawsmith.stages import families as stage_families


@dg.asset(
    key=["temporal", "families"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[dg.AssetKey(["reviews", "card"])],
    group_name="worlds",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def temporal_families(
    context: dg.AssetExecutionContext, engine: Engine
) -> dg.MaterializeResult[None]:
    """One row is a family forged from an accepted card: two laws, designs, certificates."""
    stage = engine.temporal()
    return materialized(
        stage_families.run_temporal(stage, context.partition_keys),
        pictures.families(stage, context.partition_keys),
    )


@dg.asset(
    key=["historical", "families"],
    deps=[],
    group_name="worlds",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def historical_families(engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a family forged from a Historical card by a keyed draw within its rules."""
    stage = engine.historical()
    return materialized(stage_families.run_historical(stage), pictures.families(stage, ["all"]))


@dg.asset_check(
    asset=dg.AssetKey(["temporal", "families"]),
    name="certified",
)
def temporal_families_certified(engine: Engine) -> dg.AssetCheckResult:
    """No family with a failed certificate; every stored figure is recomputed."""
    return checked(checks.families(engine.temporal()))


@dg.asset_check(
    asset=dg.AssetKey(["historical", "families"]),
    name="certified",
)
def historical_families_certified(engine: Engine) -> dg.AssetCheckResult:
    """No family with a failed certificate; every stored figure is recomputed."""
    return checked(checks.families(engine.historical()))
