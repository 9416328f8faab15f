"""Seeded defects: what the admission gates alone catch of cards that are wrong in a known way.

Run with `python -m benchmarks.defects.gates [--seeds 1 2] [--per-kind 60] [--missed]`. From correct
cards (`bases`) each kind (`kinds`) makes so many distinct defective cards; a card
counts as caught when the gates give a reason that its correct card does not have. Seed 1 is the
one the gates were written with; seed 2 uses wordings that were kept apart.
"""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from benchmarks.defects.bases import PAPERS, Base, Data, admission, bases
from benchmarks.defects.edits import Made
from benchmarks.defects.kinds import Kind, kinds

ATTEMPTS = 40
"""Draws per wanted card before a kind counts as having no more distinct ones."""


@dataclass(frozen=True)
class Row:
    """The outcome of one kind under one seed; `missed` tells what was changed in each."""

    kind: str
    decidable: bool
    made: int
    codes: Counter[str]
    missed: tuple[str, ...]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--per-kind", type=int, default=50)
    parser.add_argument("--kind", default="", help="only kinds whose name holds this")
    parser.add_argument("--missed", action="store_true", help="show what was missed")
    parser.add_argument("--papers", type=Path, default=PAPERS, help="folder of the papers")
    options = parser.parse_args(argv)
    started = time.perf_counter()
    found, absent = at_hand(options.papers)
    print(f"{len(found)} correct cards; absent, since their papers are: {absent or 'none'}")
    alarms = list(false_alarms(found))
    print("\n".join(f"FALSE ALARM {line}" for line in alarms) or "no false alarm on any of them")
    names = [kind.name for kind in kinds() if options.kind in kind.name]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for seed in options.seeds:
            print(f"\nseed {seed}\n| kind | decidable | made | caught | share | reasons |")
            print("| --- | --- | --- | --- | --- | --- |")
            rows = pool.map(
                partial(_measured, seed=seed, count=options.per_kind, papers=options.papers), names
            )
            for row in rows:
                print(_line(row), flush=True)
                if options.missed:
                    print("\n".join(row.missed[:8]))
    print(f"\n{time.perf_counter() - started:.0f} s")


@lru_cache(maxsize=1)
def at_hand(papers: Path) -> tuple[list[Base], list[str]]:
    """The base cards, read once in each process."""
    return bases(papers)


def _measured(name: str, seed: int, count: int, papers: Path) -> Row:
    kind = next(kind for kind in kinds() if kind.name == name)
    return measure(kind, at_hand(papers)[0], seed, count)


def false_alarms(found: Sequence[Base]) -> Iterator[str]:
    """Every reason against a correct card beyond those it has for what its paper is."""
    for base in found:
        for reason in admission(base, base.draft).reasons:
            if reason.code.value not in base.expected:
                yield f"{base.id}: {reason}"


def measure(kind: Kind, found: Sequence[Base], seed: int, count: int) -> Row:
    """The gates on up to `count` distinct defective cards of a kind."""
    codes: Counter[str] = Counter()
    missed: list[str] = []
    made = 0
    correct = {base.id: base for base in found}
    for base, draft in distinct(kind, found, seed, count):
        made += 1
        reasons = {r.code.value for r in admission(base, draft).reasons}
        reasons -= base.expected | _own_codes(correct[base.id])
        codes.update(reasons)
        if not reasons:
            missed.append(_changes(correct[base.id], base, draft))
    return Row(kind.name, kind.decidable, made, codes, tuple(missed))


@lru_cache(maxsize=128)
def _own_codes(base: Base) -> frozenset[str]:
    """The codes against a correct card, so that a false alarm of it is no catch of a defect."""
    return frozenset(reason.code.value for reason in admission(base, base.draft).reasons)


def distinct(kind: Kind, found: Sequence[Base], seed: int, count: int) -> Iterator[Made]:
    """Distinct defective cards, drawn over all bases that have a site, in turns."""
    usable = [base for base in found if base.whole and kind.where(base)]
    label = [ord(char) for char in kind.name]
    rng = np.random.default_rng([seed, *label])
    seen: set[str] = set()
    for n in range(ATTEMPTS * count if usable else 0):
        if len(seen) == count:
            return
        drawn = kind.make(usable[n % len(usable)], rng, seed + 1)
        if drawn is None:
            continue
        base, draft = drawn
        mark = json.dumps([base.id, base.packet.text_sha256, draft], sort_keys=True)
        if mark not in seen:
            seen.add(mark)
            yield drawn


def _line(row: Row) -> str:
    caught = row.made - len(row.missed)
    share = f"{caught / row.made:.3f}" if row.made else "-"
    reasons = ", ".join(f"{code} {n}" for code, n in row.codes.most_common(4))
    decidable = "yes" if row.decidable else "no"
    return f"| {row.kind} | {decidable} | {row.made} | {caught} | {share} | {reasons} |"


def _changes(correct: Base, base: Base, draft: Data) -> str:
    shown = [f"    missed in {base.id}:"]
    for n, line in enumerate(base.packet.lines):
        if line != correct.packet.lines[n]:
            shown.append(f"      line {n + 1}: {line[:300]}")
    for key, value in draft.items():
        before = correct.draft[key]
        if isinstance(value, list):
            new = [json.dumps(one, ensure_ascii=False) for one in value if one not in before]
            shown += [f"      {key}: {text[:600]}" for text in new]
        elif value != before:
            shown.append(f"      {key}: {value!r}")
    return "\n".join(shown)


if __name__ == "__main__":
    main()
