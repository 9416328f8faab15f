"""Do the two laws of a family look alike in size, and what are the moves?

Run with `python -m benchmarks.speed.sizes [KEYS [FIRST]]`. Each card (textbook relations, those
of the sample's window, the hand-written one) is forged with each key. Where one law of a pair
always were the larger, a judge who sees both could tell which is the Original without science.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import product
from typing import NamedTuple

from benchmarks.speed.families import _module, _sample
from benchmarks.speed.relation_cards import relation_cards
from lawsmith.expressions import to_infix
from lawsmith.mutation.difficulty_strata import by_move
from lawsmith.mutation.laws.relation_sets import folded_laws
from lawsmith.mutation.pairing import forge
from schemas.card import Card
from schemas.expression import Expression, Op, node_count, walk
from schemas.family import Family, RelationSet

KEYS = 8
BENT = frozenset({"tanh", "asinh", "max", "min", "log"})


class Sizes(NamedTuple):
    """How large the laws of one world are, as Identification prints them."""

    characters: int
    nodes: int
    literals: int
    bent: int
    """Operators that a transform or a swap brings in."""


class Draw(NamedTuple):
    """What one card and key came to."""

    card: str
    reason: str
    moves: tuple[str, ...]
    difficulty: str
    original: Sizes | None
    counterfactual: Sizes | None


def main(keys: int = KEYS, first: int = 0) -> None:
    """Print the figures."""
    with ProcessPoolExecutor(1) as pool:
        draws = list(
            pool.map(_drawn, product(range(first, first + keys), range(len(_cards()))), chunksize=4)
        )
    families = [one for one in draws if one.original is not None]
    print(f"{len(draws)} keyed draws, {len(families)} families")
    _moves(families)
    _larger(families)
    for reason, count in Counter(one.reason for one in draws).most_common():
        print(f"  {reason:28s} {count}")


def _cards() -> list[Card]:
    module = _module()
    parts = {
        name: getattr(module, name)
        for name in ("relation", "definition", "control", "readout", "parameter")
    }
    return [*relation_cards(parts | {"card": module.make_card}), *_sample(), module.make_card()]


_KEPT: list[Card] = []


def _drawn(draw: tuple[int, int]) -> Draw:
    if not _KEPT:
        _KEPT.extend(_cards())
    number, place = draw
    card = _KEPT[place]
    report = forge(card, sha256(f"sizes {number}".encode()).digest())
    family = report.family
    if family is None:
        return Draw(card.id, report.reason_code, (), "", None, None)
    moves = tuple(group[0].move for group in by_move(family.mutations))
    return Draw(card.id, "ok", moves, family.difficulty, *_sizes_of(family))


def _sizes_of(family: Family) -> tuple[Sizes, Sizes]:
    return _sizes(family.original), _sizes(family.counterfactual)


def _sizes(relations: RelationSet) -> Sizes:
    laws = folded_laws(relations).values()
    nodes = [node for law in laws for _, node in walk(law)]
    return Sizes(
        sum(len(to_infix(law)) for law in laws),
        sum(node_count(law) for law in laws),
        sum(isinstance(node, float) for node in nodes),
        sum(_is_bent(node) for node in nodes),
    )


def _is_bent(node: Expression) -> bool:
    return isinstance(node, Op) and node.op in BENT


def _moves(families: Sequence[Draw]) -> None:
    """Share of families in which each kind of move stands, and of each difficulty."""
    kinds = Counter(kind for one in families for kind in set(one.moves))
    print("share of families with a move of each kind")
    for kind, count in kinds.most_common():
        print(f"  {kind:18s} {count / len(families):6.1%}")
    pairs = sum(len(one.moves) > 1 for one in families)
    print(f"  {'two moves':18s} {pairs / len(families):6.1%}")
    for difficulty, count in Counter(one.difficulty for one in families).most_common():
        print(f"  {difficulty:18s} {count / len(families):6.1%}")


def _larger(families: Sequence[Draw]) -> None:
    """How often the larger law is the Counterfactual; a tie is a coin's toss."""
    print("'the larger is the Counterfactual' is right (ties count half)")
    for measure in Sizes._fields:
        more = less = ties = 0
        for one in families:
            first, second = getattr(one.original, measure), getattr(one.counterfactual, measure)
            more, less = more + (second > first), less + (second < first)
            ties += second == first
        share = (more + ties / 2) / len(families)
        print(f"  {measure:12s} {share:6.1%}  (larger {more}, equal {ties}, smaller {less})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
