"""How fast families are forged and rechecked, and what their certificates find.

Run with `python -m benchmarks.speed.families [DRAWS]`. Cards: the Historical ones, those of the
sample window and the hand-written one of the tests. Times are of this one run; `process` times do
not count what else runs on the machine.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from types import ModuleType

import numpy as np

from lawsmith.expressions import compile_expression
from lawsmith.keyed_draws import generator
from lawsmith.mutation.candidates import Pool, historical_candidates
from lawsmith.mutation.forge_session import Workbench
from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.moves.context import Candidate
from lawsmith.mutation.pairing import forge
from lawsmith.mutation.screening.certificates import CERTIFICATES, CHEAPEST_FIRST, certify
from lawsmith.mutation.screening.inputs import NAMES, Case
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard

ROOT = Path(__file__).resolve().parents[2]
CANDIDATES = 50
DRAWS = 1
AnyCard = Card | HistoricalCard


def main(draws: int = DRAWS) -> None:
    """Print the figures."""
    cards = [*_historical(), *_sample(), _module().make_card()]
    kept, failed, trials = _candidates(cards, draws)
    _shares(failed, trials, len(kept))
    _rechecks(kept)
    _forging(cards)


def _module() -> ModuleType:
    """The builders of cards that the tests use."""
    path = ROOT / "tests/mutation/conftest.py"
    spec = spec_from_file_location("hand_written", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _historical() -> list[HistoricalCard]:
    return [load_historical(path) for path in sorted((ROOT / "data/historical").glob("*.json"))]


def _sample() -> list[Card]:
    """The cards that the gates admit of the recorded replies."""
    admitted = _module()._admitted
    found: dict[str, Card] = {}
    lines = (ROOT / "data/sample/replies.jsonl").read_text(encoding="utf-8").splitlines()
    for reply in map(json.loads, lines):
        for draft in json.loads(reply["text"])["cards"] if reply["role"] == "extractor" else []:
            card = admitted(reply, draft)
            if card is not None:
                found[card.id] = card
    return list(found.values())


def _key(draw: int) -> bytes:
    return sha256(f"benchmark {draw}".encode()).digest()


def _candidates(
    cards: Sequence[AnyCard], draws: int
) -> tuple[list[Family], Counter[int | None], Counter[str]]:
    """(families, certificate -> candidates that failed it, what became of the candidates).

    Every candidate is tried, not only those before the first that passes.
    """
    kept: list[Family] = []
    failed: Counter[int | None] = Counter()
    trials: Counter[str] = Counter()
    for draw in range(draws):
        for card in cards:
            bench = Workbench(card, _key(draw))
            for candidate in islice(_of_card(bench), CANDIDATES):
                family = bench.tried(candidate)
                if family is not None:
                    kept.append(family)
            late = [bench.rejected[i] for i in bench.late]
            failed.update(one.certificate for one in late)
            trials["refused by the cheap screen"] += len(bench.rejected) - len(late)
            trials["taken to the certificates"] += len(late)
    trials["taken to the certificates"] += len(kept)
    return kept, failed, trials


def _of_card(bench: Workbench) -> Iterator[Candidate]:
    if isinstance(bench.card, HistoricalCard):
        rng = generator(bench.key, "historical", bench.id)
        yield from historical_candidates(bench.card, bench.original, rng)
        return
    pool = Pool(bench.ground, generator(bench.key, "moves", bench.id), bench.rejected)
    share = -(-CANDIDATES // len(pool.kinds))
    for kind in pool.kinds:
        yield from (sifted.candidate for sifted in islice(pool.of_kind(kind), share))


def _shares(failed: Counter[int | None], trials: Counter[str], passed: int) -> None:
    for label, count in trials.items():
        print(f"{count:6d} candidates {label}")
    total = trials["taken to the certificates"]
    print(f"{passed:6d} passed all twelve ({passed / total:.1%})")
    for number in CHEAPEST_FIRST:
        count = failed[number]
        print(
            f"  certificate {number:2d} {NAMES[number]:30s} fails {count:4d} ({count / total:.1%})"
        )
    print(f"  {'for another reason':45s} fails {failed[None]:4d} ({failed[None] / total:.1%})")


def _rechecks(families: Sequence[Family]) -> None:
    """Each family as a fresh `verify` meets it: nothing compiled yet, packages imported."""
    certify(families[0])
    times: list[tuple[float, str]] = []
    parts: dict[int, list[float]] = {number: [] for number in NAMES}
    methods: Counter[str] = Counter()
    for family in families:
        compile_expression.cache_clear()
        case = Case(family)
        for number, prove in enumerate(CERTIFICATES, start=1):
            before = time.process_time()
            prove(case)
            parts[number].append(time.process_time() - before)
        times.append((sum(part[-1] for part in parts.values()), family.id))
        methods[str(family.certificates[1].figures["method"])] += 1
    seconds = np.array([one for one, _ in times])
    print(
        f"recheck of {len(families)} families: median {np.median(seconds):.3f} s, 95 of 100 below "
        f"{np.quantile(seconds, 0.95):.3f} s, worst {seconds.max():.3f} s ({max(times)[1]})"
    )
    for number, spent in parts.items():
        print(
            f"  certificate {number:2d} {NAMES[number]:30s} "
            f"median {1e3 * np.median(spent):6.1f} ms, worst {1e3 * max(spent):6.1f} ms"
        )
    for method, count in sorted(methods.items()):
        print(f"  certificate 2 is {method} for {count} ({count / len(families):.1%})")


def _forging(cards: Sequence[AnyCard]) -> None:
    """The forge as a release uses it, each card with its one key, on two cores."""
    started = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        reports = list(pool.map(_forged, cards))
    seconds = time.perf_counter() - started
    made = sum(reports)
    print(f"{made} families of {len(cards)} cards, {60 * made / seconds:.0f} a minute on two cores")


def _forged(card: AnyCard) -> bool:
    return forge(card, _key(0), candidates=CANDIDATES).family is not None


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
