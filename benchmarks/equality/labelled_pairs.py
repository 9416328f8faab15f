"""Labelled pairs of laws, equal and different, several kinds of each, from a seed.

A pair is right by construction. Beside that, `witness` names a point at which the sides of a
different pair differ; `python -m benchmarks.equality.labelled_pairs` proves every label with
mpmath.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.equality.different_pairs import DIFFERENT
from benchmarks.equality.equal_pairs import EQUAL
from benchmarks.equality.label_proofs import label_holds
from benchmarks.equality.pair_drawing import Draw, Maker, Pair
from benchmarks.equality.rewriting import Rewriter
from lawsmith.expressions import parse_infix
from schemas.expression import from_wire, to_wire


def labelled_pairs(each: int, seed: int = 1) -> Iterator[Pair]:
    """`each` pairs of every kind; the sides of an equal pair are rewritten besides."""
    for label, kinds in ((True, EQUAL), (False, DIFFERENT)):
        for number, (kind, make) in enumerate(kinds.items()):
            for turn in range(each):
                d = Draw(seed * 1_000_003 + 10_007 * number + turn + 500_000_000 * label)
                yield _pair(kind, make, d, label, turn)


def _pair(kind: str, make: Maker, d: Draw, label: bool, turn: int) -> Pair:
    a, b, domain, witness = make(d)
    left, right = parse_infix(a), parse_infix(b)
    positive = frozenset(name for name, ends in domain.items() if _above_zero(ends))
    # Wild laws (a negative base, a divisor that crosses zero) keep the sides as they are.
    if turn % 2 and kind not in ("removable", "hole", "kinks"):
        seed = int(d.rng.integers(2**31))
        right = from_wire(Rewriter(positive, seed).rewritten(to_wire(right), 3))
    return Pair(kind, left, right, domain, label, witness)


def _above_zero(ends: Any) -> bool:
    return bool(min(ends) > 0)


if __name__ == "__main__":
    held: Counter[tuple[str, bool]] = Counter()
    for found in labelled_pairs(40):
        held[found.kind, label_holds(found)] += 1
        if not label_holds(found):
            print(found)
    for (kind, right), count in sorted(held.items()):
        print(f"{kind:>18} {'holds' if right else 'WRONG':>6} {count:>5}")
