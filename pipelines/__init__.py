"""Composition: definitions, the Temporal refresh, the Historical build."""
