"""The command line: what a curator, an evaluator and a researcher type."""

from lawsmith.cli.app import main, run

__all__ = ("main", "run")
