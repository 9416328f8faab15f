"""The Historical build: families of the canonical relations, calibrated worlds on real data."""

import dagster as dg

HISTORICAL_BUILD = dg.define_asset_job(
    "historical_build",
    selection=dg.AssetSelection.assets(
        ["historical", "families"],
        ["historical", "worlds"],
        ["historical", "problems"],
        ["historical", "calibrated"],
    ),
    description="Forges families from data/historical and calibrates worlds on data/problems.",
)
