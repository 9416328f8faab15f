"""Assets of problems: data sets admitted by rule, and what was calibrated on them."""

import dagster as dg

from assets.presentation import OWNERS, checked, last_of_run, materialized
from assets.resources import Engine
from lawsmith.inspection import problem_pictures
from lawsmith.stages import calibrated_worlds as stage_calibrated
from lawsmith.stages import problem_checks
from lawsmith.stages import problems as stage_problems


@dg.asset(
    key=["historical", "problems"],
    deps=[],
    group_name="worlds",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def historical_problems(engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a published law linked to real data, admitted or refused with the reason."""
    stage = engine.historical()
    return materialized(stage_problems.run(stage), problem_pictures.admission(stage))


@dg.asset(
    key=["historical", "calibrated"],
    deps=[dg.AssetKey(["historical", "problems"])],
    group_name="worlds",
    kinds={"parquet"},
    owners=OWNERS,
    code_version="1",
)
def historical_calibrated(engine: Engine) -> dg.MaterializeResult[None]:
    """One row is an admitted problem: its hidden law, calibrated world, tasks and baselines."""
    stage = engine.historical()
    return last_of_run(stage.store, stage_calibrated.run(stage), problem_pictures.calibrated(stage))


@dg.asset_check(
    asset=dg.AssetKey(["historical", "problems"]),
    name="admitted",
)
def historical_problems_admitted(engine: Engine) -> dg.AssetCheckResult:
    """Every admitted problem has the table it was admitted with and passes every rule."""
    return checked(problem_checks.problems(engine.historical()))


@dg.asset_check(
    asset=dg.AssetKey(["historical", "calibrated"]),
    name="consistent",
)
def historical_calibrated_consistent(engine: Engine) -> dg.AssetCheckResult:
    """Keys, worlds and pools fit each other; every certificate passed."""
    return checked(problem_checks.calibrated(engine.historical()))
