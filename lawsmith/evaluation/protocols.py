"""The rules of play, for those who write players; the Oracle applies the same ones."""

from lawsmith.oracle import SUM_TOLERANCE, breaches_of

__all__ = ("SUM_TOLERANCE", "breaches_of")
