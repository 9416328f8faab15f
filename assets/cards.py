"""Assets of stage `cards`: what a model drafted and code anchored."""

import dagster as dg

from assets.partitions import SINGLE_RUN, WEEKS
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.inspection import card_figures, figures_shown, sheets
from lawsmith.stages import cards as stage_cards
from lawsmith.stages import checks


@dg.asset(
    key=["cards"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[dg.AssetKey(["packets"])],
    group_name="curation",
    kinds={"llm", "parquet"},
    owners=OWNERS,
    pool="model",
    code_version="1",
)
def cards(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is a science card, every fact anchored, or a draft that a gate stopped."""
    stage = engine.temporal()
    report = stage_cards.run(stage, context.partition_keys)
    shown = {**figures_shown(card_figures(stage)), **sheets(stage)}
    return materialized(report, shown=shown)


@dg.asset_check(
    asset=dg.AssetKey(["cards"]),
    name="admitted",
)
def cards_admitted(engine: Engine) -> dg.AssetCheckResult:
    """Every passed card still passes every admission gate against its packet."""
    return checked(checks.cards(engine.temporal()))
