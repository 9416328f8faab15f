"""The engine: pure functions from papers to certified law-discovery tasks. No Dagster here."""
