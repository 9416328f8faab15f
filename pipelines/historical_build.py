"""The Historical builds: families of the canonical relations; calibrated worlds on real data."""

import dagster as dg

HISTORICAL_BUILD = dg.define_asset_job(
    "historical_build",
    selection=dg.AssetSelection.assets(["historical", "families"], ["historical", "worlds"]),
    description="Forges families from data/historical.",
)

CALIBRATION_BUILD = dg.define_asset_job(
    "calibration_build",
    selection=dg.AssetSelection.assets(["historical", "problems"], ["historical", "calibrated"]),
    description="Admits the problems of data/problems and calibrates worlds on their data.",
)
