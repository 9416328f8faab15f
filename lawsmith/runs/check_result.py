"""What a check looked at and every fault it found."""

from dataclasses import dataclass

from schemas.release import Fault


@dataclass(frozen=True)
class Looked:
    """What a check looked at and found."""

    rows: int
    faults: tuple[Fault, ...]


__all__ = ("Looked",)
