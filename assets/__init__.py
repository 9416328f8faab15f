"""Thin Dagster assets: read rows, one engine call, write rows, return metadata."""

import warnings

from dagster import BetaWarning

# A span of weeks as one run is beta; the pin in pyproject.toml holds it still.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy`", category=BetaWarning)
