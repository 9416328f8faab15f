"""Assets of stage `evaluations`: players' episodes and their scores."""

import dagster as dg

from assets.partitions import RELEASES
from assets.presentation import OWNERS, checked, last_of_run
from assets.resources import Engine
from lawsmith.inspection import pictures
from lawsmith.stages import checks
from lawsmith.stages import evaluations as stage_evaluations


@dg.asset(
    key=["evaluations"],
    partitions_def=RELEASES,
    deps=[dg.AssetKey(["exports"]), dg.AssetKey(["releases"])],
    group_name="releases",
    kinds={"json"},
    owners=OWNERS,
    code_version="1",
)
def evaluations(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is the score of one episode."""
    stage = engine.release(context.partition_key)
    return last_of_run(
        stage.store,
        stage_evaluations.run(stage, context.partition_key),
        pictures.scores(stage, context.partition_key),
    )


@dg.asset_check(
    asset=dg.AssetKey(["evaluations"]),
    name="scored",
)
def evaluations_scored(engine: Engine) -> dg.AssetCheckResult:
    """Every episode played has a score, none without its release."""
    return checked(checks.evaluations(engine.store()))
