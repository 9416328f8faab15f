"""The Historical build: families and worlds of the canonical relations."""

import dagster as dg

HISTORICAL_BUILD = dg.define_asset_job(
    "historical_build",
    selection=dg.AssetSelection.assets(["historical", "families"], ["historical", "worlds"]),
    description="Forges the Historical families and worlds from data/historical.",
)
