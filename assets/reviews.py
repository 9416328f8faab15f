"""Assets of stage `reviews`: an independent model's verdicts, before and after pairing."""

import dagster as dg

from assets.partitions import SINGLE_RUN, WEEKS
from assets.presentation import OWNERS, checked, materialized
from assets.resources import Engine
from lawsmith.inspection import card_figures, figures_shown
from lawsmith.stages import checks
from lawsmith.stages import reviews as stage_reviews


@dg.asset(
    key=["reviews", "card"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[dg.AssetKey(["cards"]), dg.AssetKey(["packets"])],
    group_name="curation",
    kinds={"llm", "parquet"},
    owners=OWNERS,
    pool="model",
    code_version="1",
)
def card_reviews(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is one pass of the reviewer over a card, with the card as it then stood."""
    stage = engine.temporal()
    report = stage_reviews.run_card(stage, context.partition_keys)
    return materialized(report, shown=figures_shown(card_figures(stage)))


@dg.asset(
    key=["reviews", "case"],
    partitions_def=WEEKS,
    backfill_policy=SINGLE_RUN,
    deps=[dg.AssetKey(["temporal", "families"]), dg.AssetKey(["packets"])],
    group_name="curation",
    kinds={"llm", "parquet"},
    owners=OWNERS,
    pool="model",
    code_version="1",
)
def case_reviews(context: dg.AssetExecutionContext, engine: Engine) -> dg.MaterializeResult[None]:
    """One row is one pass of the reviewer over a built case: card, construction, background."""
    stage = engine.temporal()
    return materialized(stage_reviews.run_case(stage, context.partition_keys))


@dg.asset_check(
    asset=dg.AssetKey(["reviews", "card"]),
    name="independent",
)
def card_reviews_independent(engine: Engine) -> dg.AssetCheckResult:
    """No accept against an unsupported criterion; the reviewer is not the extractor."""
    return checked(checks.card_reviews(engine.temporal()))


@dg.asset_check(
    asset=dg.AssetKey(["reviews", "case"]),
    name="independent",
)
def case_reviews_independent(engine: Engine) -> dg.AssetCheckResult:
    """No accept against an unsupported criterion; the reviewer is not the extractor."""
    return checked(checks.case_reviews(engine.temporal()))
