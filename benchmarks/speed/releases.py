"""How cutting and verifying a release grows with its tasks.

Run with `python -m benchmarks.speed.releases [TASKS ...]`, by default 1000 and 4000. The families
of the Historical cards stand under as many ids as are wanted; their certificates, which cost the
same for each family, are not computed again. Times are CPU seconds of this process, the last
column the time over that of the smallest release.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.pairing import forge_family
from lawsmith.release.bundle import read_task, verify_release, write_release
from lawsmith.release.content import ReleaseContent
from schemas.family import Family
from schemas.historical_card import HistoricalCard

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(range(32))
TASKS = (1000, 4000)
MOST = 4.4
"""Four times the tasks may cost this many times as much."""


def main(sizes: Sequence[int] = TASKS) -> None:
    """Print the figures."""
    cards = [load_historical(path) for path in sorted((ROOT / "data/historical").glob("*.json"))]
    families = [forge_family(card, KEY) for card in cards]
    _measured(cards, families, 4 * len(cards))
    first = 0.0
    print("tasks    cut s  verify s   one task ms   peak MB   both, times the first")
    for size in sizes:
        cut, verified, one = _measured(cards, families, size)
        first = first or cut + verified
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ratio = (cut + verified) / first
        print(f"{size:6d} {cut:7.1f} {verified:9.1f} {1000 * one:13.1f} {peak:9.0f} {ratio:8.2f}")
    if list(sizes) == list(TASKS):
        print(f"allowed: {MOST}")


def _measured(
    cards: Sequence[HistoricalCard], families: Sequence[Family], tasks: int
) -> tuple[float, float, float]:
    """CPU seconds of the cut, of verifying it, and of reading one task of it."""
    many = [
        family.model_copy(update={"id": f"{family.id}_{number:06d}"})
        for number, family in enumerate(islice(cycle(families), tasks // 4))
    ]
    content = _content(cards, many)
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        written = write_release(
            Path(folder), content, "2026-01-01T00:00:00Z", "0", lambda family: family.certificates
        )
        cut = time.process_time()
        faults = verify_release(written.path)
        verified = time.process_time()
        if faults:
            raise RuntimeError(f"{len(faults)} faults, the first: {faults[0]}")
        identity = sorted((written.path / "public/gallery").glob("t-*"))[0].stem
        begun = time.process_time()
        read_task(written.path, identity)
        return cut - started, verified - cut, time.process_time() - begun


def _content(cards: Sequence[HistoricalCard], families: Sequence[Family]) -> ReleaseContent:
    return ReleaseContent(
        version="0.1.0-dev",
        collection="historical-dev",
        synthetic_sources=False,
        replayed_replies=False,
        window=None,
        cutoff=None,
        until=None,
        eligibility=None,
        policies=(),
        families=tuple(families),
        cards=tuple(cards),
        reviews=(),
        papers=(),
        dispositions=(),
        cleanliness=(),
        models={},
        prompts={},
        incomplete=(),
        parents=(),
        reason=None,
        key=KEY,
    )


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or TASKS)
