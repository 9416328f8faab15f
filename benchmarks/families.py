"""Families a minute, against taking every candidate through every certificate.

Run with `python -m benchmarks.families`; the ratios are of times in this one run.
"""

import time
from collections.abc import Callable
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np

from lawsmith.mutation.candidates import temporal_candidates
from lawsmith.mutation.historical import load_historical
from lawsmith.mutation.pairing import forge_family
from lawsmith.mutation.screening import certify
from lawsmith.mutation.sources import interface_of, relation_set_of
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard

ROOT = Path(__file__).resolve().parents[1]
DRAWS = 3


def _seconds(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _historical(cards: list[HistoricalCard]) -> tuple[list[Family], float]:
    families: list[Family] = []

    def run() -> None:
        for draw in range(DRAWS):
            key = sha256(f"benchmark {draw}".encode()).digest()
            families.extend(forge_family(card, key) for card in cards)

    return families, _seconds(run)


def _card() -> Card:
    """The hand-written card of the tests."""
    path = ROOT / "tests/mutation/conftest.py"
    spec = spec_from_file_location("hand_written", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    card: Card = module.make_card()
    return card


def _temporal() -> tuple[int, float, float]:
    """(candidates, seconds of one forging, seconds if each had all certificates)."""
    card = _card()
    key = sha256(b"benchmark").digest()
    forged: list[Family] = []
    seconds = _seconds(lambda: forged.append(forge_family(card, key)))
    points = np.asarray(forged[0].hidden.inputs)
    rng = np.random.Generator(np.random.PCG64(1))
    found = list(temporal_candidates(interface_of(card), relation_set_of(card), points, rng, []))
    single = _seconds(lambda: certify(forged[0]))
    return len(found), seconds, single * len(found)


def main() -> None:
    """Print the figures."""
    cards = [load_historical(path) for path in sorted((ROOT / "data/historical").glob("*.json"))]
    _historical(cards[:1])
    families, seconds = _historical(cards)
    proofs = sorted(_seconds(lambda f=family: certify(f)) for family in families)  # type: ignore[misc]
    print(f"historical: {60 * len(families) / seconds:6.0f} families/minute")
    print(f"certificates: median {proofs[len(proofs) // 2]:.3f} s, worst {proofs[-1]:.3f} s")
    count, forged, naive = _temporal()
    print(f"temporal: {60 / forged:6.0f} families/minute out of {count} candidates each")
    print(f"every certificate on every candidate would take {naive / forged:.1f} times as long")


if __name__ == "__main__":
    main()
