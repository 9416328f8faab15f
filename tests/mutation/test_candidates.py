"""The order in which candidates are considered, and what becomes of those that fail."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lawsmith.keyed_draws import generator
from lawsmith.measurement import dense_design
from lawsmith.mutation.candidates import Pool
from lawsmith.mutation.laws.interface import interface_of, relation_set_of
from lawsmith.mutation.laws.relation_sets import folded_laws, laws_of
from lawsmith.mutation.moves.context import Ground
from lawsmith.mutation.moves.table import MOVES
from lawsmith.mutation.pairing import forge, forge_family, judge_candidates
from lawsmith.mutation.prescreen import ALIKE, text_size
from schemas.card import Card
from schemas.expression import names_of
from schemas.family import Family, MoveKind, RejectedCandidate

Parts = dict[str, Callable[..., Any]]


def ground_of(card: Card) -> Ground:
    interface = interface_of(card)
    points = dense_design(interface.controls, interface.constraints, 32)
    return Ground(interface, relation_set_of(card), points)


def test_kinds_come_in_a_keyed_order(card: Card, draw_key: Callable[[int], bytes]) -> None:
    ground = ground_of(card)
    orders = [Pool(ground, generator(draw_key(n), "moves", card.id), []).kinds for n in range(140)]
    assert all(sorted(order) == sorted(MOVES) for order in orders)
    # 20 of 140 are due for each kind; a binomial leaves 8 to 34 once in thousands.
    firsts = Counter(order[0] for order in orders)
    assert all(8 <= firsts[kind] <= 34 for kind in MOVES)
    again = Pool(ground, generator(draw_key(0), "moves", card.id), [])
    assert again.kinds == orders[0]


def test_the_family_is_of_the_first_kind_that_passes(
    card: Card, draw_key: Callable[[int], bytes]
) -> None:
    seen: set[MoveKind] = set()
    for n in range(6):
        family = forge_family(card, draw_key(n))
        kinds = {mutation.move for mutation in family.mutations}
        # Hand-made: it has no sum, so no term can be removed and no operator swapped.
        ground = ground_of(card)
        pool = Pool(ground, generator(draw_key(n), "moves", family.id), [])
        offered = [
            kind
            for kind in pool.in_turn(pool.kinds)
            if kind not in {"operator_swap", "term_removed"}
        ]
        alone = forge(card, draw_key(n), move=offered[0])
        if alone.family is not None and (pool.longer or not grows(alone.family)):
            assert alone.family == family
            assert offered[0] in kinds
        seen |= kinds
    assert len(seen) >= 3


def grows(family: Family) -> bool:
    """Whether the Counterfactual's folded laws are the larger text."""
    sizes = [text_size(folded_laws(world)) for world in (family.original, family.counterfactual)]
    return sizes[1] > sizes[0]


def test_some_cards_take_a_longer_law_only_where_nothing_else_passes(
    card: Card, draw_key: Callable[[int], bytes]
) -> None:
    ground = ground_of(card)
    longer = [
        Pool(ground, generator(draw_key(n), "moves", f"{card.id}/f1"), []).longer for n in range(40)
    ]
    assert 3 <= sum(longer) <= 20
    for n in range(6):
        family = forge_family(card, draw_key(n))
        if not longer[n]:
            pool = Pool(ground, generator(draw_key(n), "moves", family.id), [])
            wanted = [one for kind in pool.kinds for one in pool.of_kind(kind) if one.added <= 0]
            assert wanted
            assert not grows(family)


def test_within_a_kind_the_nearest_in_size_comes_first(card: Card, key: bytes) -> None:
    pool = Pool(ground_of(card), generator(key, "moves", "near"), [])
    for kind in pool.kinds:
        alone = [s.added for s in pool.of_kind(kind) if len(s.candidate.moves) == 1]
        if pool.longer:
            assert [abs(a) // ALIKE for a in alone] == sorted(abs(a) // ALIKE for a in alone)


def test_no_law_is_offered_twice(card: Card) -> None:
    pool = Pool(ground_of(card), np.random.default_rng(5), [])
    found = [sifted.candidate for kind in pool.kinds for sifted in pool.of_kind(kind)]
    edits = [(frozenset(c.edits.items()), c.introduced) for c in found]
    assert len(edits) == len(set(edits))
    assert {len(c.moves) for c in found} == {1, 2}


def test_failed_candidates_are_kept_with_their_certificate(parts: Parts, key: bytes) -> None:
    # Its range is so short that no world can be told from the other.
    still = parts["card"](
        controls=(
            parts["control"]("x", "m/s", 1.0, 1.0005),
            parts["control"]("z", "cm", 1.0, 1.0005),
        )
    )
    report = forge(still, key)
    assert report.family is None
    assert report.reason_code == "certificate_failed"
    assert report.rejected
    for one in report.rejected:
        assert one.reason
        assert one.moves
        assert one.paths
    assert {one.certificate for one in report.rejected} & {3, 4, 8}


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_candidates_are_tried_than_allowed(parts: Parts, key: bytes, limit: int) -> None:
    # The text leaks whatever the law is, so each trial fails after the cheap screen.
    leaking = "The thickness is proportional to the flow."
    report = forge(parts["card"](), key, background=leaking, candidates=limit)
    leaks = [one for one in report.rejected if one.reason.startswith("background_leaks")]
    assert (report.reason_code, len(leaks)) == ("background_leaks", limit)


def test_a_move_too_small_to_see_is_not_hidden_in_a_pair(parts: Parts, key: bytes) -> None:
    # c*z adds a tenth of a tolerance to h: a move on c would be hidden behind any other move.
    faint = parts["card"](
        relations=(
            parts["relation"]("h", "a*shape*exp(-k*z) + c*z"),
            parts["relation"]("q", "b*shape*z"),
        ),
        parameters=(*parts["card"]().parameters, parts["parameter"]("c", 1e-5, "um/cm")),
    )
    rejected: list[RejectedCandidate] = []
    pool = Pool(ground_of(faint), generator(key, "moves", "faint"), rejected)
    offered = [path for s in pool.of_kind("coefficient") for path in s.candidate.edits]
    assert "/parameters/4/value" not in offered
    assert offered
    hidden = [one for one in rejected if "/parameters/4/value" in one.paths]
    assert hidden
    assert {one.reason for one in hidden} <= {
        "one of its moves hides below the tolerance",
        "not distinguishable both ways",
        "off scale",
        "a positive readout does not stay positive",
    }


def test_an_inert_control_must_be_brought_in(parts: Parts, key: bytes) -> None:
    distracted = parts["card"](
        controls=(*parts["card"]().controls, parts["control"]("w", "kg", 1.0, 9.0))
    )
    report = forge(distracted, key)
    assert report.family is not None
    laws = laws_of(report.family.counterfactual).values()
    assert "w" in {name for law in laws for name in names_of(law)}
    reasons = {one.reason for one in report.rejected if one.certificate == 6}
    assert reasons <= {"controls w stand in neither world's law"}


def test_every_candidate_can_be_judged(card: Card, key: bytes) -> None:
    passed, failed = judge_candidates(card, key, candidates=6)
    assert len(passed) <= 6
    assert passed[0] == forge_family(card, key)
    assert len({family.digest for family in passed}) == len(passed)
    assert all(one.reason for one in failed)
