"""Verdicts on generated pairs: rewritten laws, kinds of equal and of different pairs, and more."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from benchmarks.equality.different_pairs import DIFFERENT
from benchmarks.equality.equal_pairs import EQUAL
from benchmarks.equality.hostile_trees import hostile_pairs
from benchmarks.equality.label_proofs import label_holds
from benchmarks.equality.labelled_pairs import labelled_pairs
from benchmarks.equality.pair_drawing import Pair
from benchmarks.equality.rewriting import Rewriter
from lawsmith.expressions import equivalent, parse_infix
from schemas.expression import Expression, from_wire, substitute, to_wire

LAWS = Path(__file__).resolve().parents[3] / "shared/reference/newtonbench_laws.jsonl"
PATIENCE = 60.0
"""Seconds: far above what any case takes, so that a busy machine changes no verdict."""

Law = tuple[str, Expression, dict[str, Any]]


def _laws() -> list[Law]:
    found = []
    for line in LAWS.read_text(encoding="utf-8").splitlines():
        law = json.loads(line)
        values: dict[str, Expression] = {k: float(v) for k, v in law["constants"].items()}
        ranges = {
            name: (float(ends["min"]), float(ends["max"]))
            for name, ends in law["input_ranges"].items()
        }
        found.append((law["domain"], substitute(parse_infix(law["expression"]), values), ranges))
    return found


def _rewritten(law: Law, seed: int, steps: int) -> Expression:
    positive = frozenset(name for name, ends in law[2].items() if ends[0] > 0)
    return from_wire(Rewriter(positive, seed).rewritten(to_wire(law[1]), steps))


def _wrong_or_open(pairs: list[Pair]) -> tuple[list[Pair], list[Pair]]:
    wrong, still_open = [], []
    for pair in pairs:
        found = equivalent(pair.a, pair.b, pair.domain, PATIENCE)
        assert (found.witness is not None) is (found.verdict == "different")
        if found.verdict == "undecided":
            still_open.append(pair)
        elif found.equal is not pair.equal:
            wrong.append(pair)
    return wrong, still_open


def test_generated_labels_hold_by_other_arithmetic() -> None:
    assert all(label_holds(pair, points=2) for pair in labelled_pairs(3, seed=7))


def test_every_kind_of_generated_pair_is_decided_rightly() -> None:
    pairs = list(labelled_pairs(6, seed=11))
    assert {pair.kind for pair in pairs} == {*EQUAL, *DIFFERENT}
    assert _wrong_or_open(pairs) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 9))
def test_at_most_one_in_fifty_of_a_kind_stays_open(seed: int) -> None:
    pairs = list(labelled_pairs(125, seed))
    wrong, still_open = _wrong_or_open(pairs)
    assert wrong == []
    for kind in {*EQUAL, *DIFFERENT}:
        assert sum(pair.kind == kind for pair in still_open) <= 2


@pytest.mark.skipif(not LAWS.exists(), reason="the reference folder is not at hand")
def test_a_law_equals_its_rewrites() -> None:
    for number, law in enumerate(_laws()):
        other = _rewritten(law, number, 6 + number % 12)
        assert equivalent(law[1], other, law[2], PATIENCE).equal, (number, law[1])


@pytest.mark.long
@pytest.mark.skipif(not LAWS.exists(), reason="the reference folder is not at hand")
def test_a_law_equals_twenty_rewrites() -> None:
    for number, law in enumerate(_laws()):
        for turn in range(20):
            other = _rewritten(law, 100 * number + turn, 4 + turn)
            assert equivalent(law[1], other, law[2], PATIENCE).equal, (number, turn)


@pytest.mark.skipif(not LAWS.exists(), reason="the reference folder is not at hand")
def test_any_two_laws_of_a_domain_differ() -> None:
    for (domain, one, ranges), (other_domain, other, _) in combinations(_laws(), 2):
        if domain == other_domain and one != other:
            assert equivalent(one, other, ranges, PATIENCE).verdict == "different"


EXPECTED = {
    "tower of five": "equal",
    "power 1e9": "equal",
    "sum to 1e9": "equal",
    "literal 2^53": "different",
    "2^(2^53)": "equal",
    "floor of 2^(2^40)": "different",
    "mod of 10^300": "equal",
    "149 magnitudes": "equal",
    "149 maxima": "equal",
    "degree 180": "different",
    "sine to 200": "equal",
    "59 floors": "different",
    "least number": "different",
    "tower of 30": "different",
    "power of power": "different",
    "sin 64 deep": "different",
    "abs 30 deep": "equal",
    "128 fractions": "different",
}


def test_hostile_trees_are_decided() -> None:
    hostile = {name: (a, b) for name, a, b in hostile_pairs()}
    assert hostile.keys() > EXPECTED.keys()
    for name, verdict in EXPECTED.items():
        found = equivalent(*hostile[name], {"x": (0.5, 3.0)}, PATIENCE)
        assert found.verdict == verdict, (name, found)


def test_a_guard_that_fires_inside_any_stage_is_obeyed() -> None:
    """A clock that runs out after n readings gives `time_limit` or the truth."""
    for name, a, b in hostile_pairs():
        if name not in ("149 magnitudes", "angle", "59 floors", "mod of 10^300"):
            continue
        for most in (1, 10, 100, 1000):
            readings = [0]

            def clock(readings: list[int] = readings, most: int = most) -> float:
                readings[0] += 1
                return 0.0 if readings[0] <= most else 100.0

            found = equivalent(a, b, {"x": (0.5, 3.0)}, 1.0, clock)
            if found.reason != "time_limit":
                assert found.verdict == EXPECTED.get(name, "equal")
            # The guard is asked at every step: it is not asked again once it has fired.
            assert readings[0] <= most + 1
