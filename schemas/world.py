"""Worlds: what the Oracle simulates. A paired world is one environment of a family."""

from typing import Literal

from schemas.family import Environment
from schemas.record import Identity, Record, Sha256


class PairedWorld(Record):
    """One environment of a family. `id` is `<family>/<environment>`."""

    kind: Literal["paired"]
    family_id: Identity
    family_digest: Sha256
    environment: Environment
    relation_set_digest: Sha256
    resolutions: dict[str, float | None]
    """Readout name -> instrument step in its unit; null = unrounded."""
