"""Thin Dagster assets: read rows, one engine call, write rows, return metadata."""
