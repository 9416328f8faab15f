"""Assets of stage `publications`: journal dates of known papers."""

import dagster as dg

from assets.presentation import OWNERS, checked, last_of_run
from assets.resources import Engine
from lawsmith.stages import checks
from lawsmith.stages import publications as stage_publications


@dg.asset(
    key=["publications"],
    deps=[dg.AssetKey(["sources"])],
    group_name="papers",
    kinds={"parquet"},
    owners=OWNERS,
    pool="arxiv",
    code_version="1",
)
def publications(engine: Engine) -> dg.MaterializeResult[None]:
    """One row is what is known of a paper's journal dates and other preprints."""
    stage = engine.temporal()
    return last_of_run(stage.store, stage_publications.run(stage))


@dg.asset_check(
    asset=dg.AssetKey(["publications"]),
    name="dated",
)
def publications_dated(engine: Engine) -> dg.AssetCheckResult:
    """Every known paper has a row, and a passed one has a journal date."""
    return checked(checks.publications(engine.temporal()))
