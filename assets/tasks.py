"""Assets of stage `tasks`: eligibility at the cut, and four tasks a family."""

import dagster as dg

from assets.partitions import RELEASES
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.inspection import pictures
from lawsmith.stages import checks
from lawsmith.stages import tasks as stage_tasks


@dg.asset(
    key=["tasks"],
    partitions_def=RELEASES,
    deps=[
        # A cut may hold families of any week.
        dg.AssetDep(["temporal", "worlds"], partition_mapping=dg.AllPartitionMapping()),
        dg.AssetKey(["historical", "worlds"]),
        dg.AssetKey(["historical", "calibrated"]),
        dg.AssetKey(["publications"]),
    ],
    group_name="releases",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def tasks(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a task: a setting in an environment of a family, or one on real data."""
    stage = engine.release(context.partition_key)
    made = stage_tasks.run(stage, context.partition_key)
    return materialized(made, pictures.funnel(stage, context.partition_key))


@dg.asset_check(
    asset=dg.AssetKey(["tasks"]),
    name="paired",
)
def tasks_paired(engine: Engine) -> dg.AssetCheckResult:
    """Four tasks a family, keyed ids, one background text."""
    return checked(checks.tasks(engine.store()))
