"""What every move keeps, on the sample's cards, the Historical cards and drawn relation sets."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lawsmith.expressions import check_dimensions
from lawsmith.measurement import dense_design, prediction_errors
from lawsmith.mutation.candidates import Pool, composable, composed
from lawsmith.mutation.laws.historical import load_historical, original_of
from lawsmith.mutation.laws.interface import interface_of, relation_set_of
from lawsmith.mutation.laws.relation_sets import (
    at_pointer,
    expressions_of,
    laws_of,
    meanings_of,
    units_of,
)
from lawsmith.mutation.laws.tolerance import tolerances_of
from lawsmith.mutation.laws.truth import float_values
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.table import MOVES
from lawsmith.mutation.screening.distinctness import STRUCTURAL
from lawsmith.units import parse_unit
from schemas.card import Card
from schemas.expression import Op, names_of, substitute
from schemas.family import RejectedCandidate
from schemas.historical_card import HistoricalCard

Parts = dict[str, Callable[..., Any]]


def ground_of(card: Card | HistoricalCard) -> Ground:
    interface = interface_of(card)
    points = dense_design(interface.controls, interface.constraints, 48)
    original = original_of(card) if isinstance(card, HistoricalCard) else relation_set_of(card)
    return Ground(interface, original, points)


def candidates_of(ground: Ground, seed: int) -> list[Candidate]:
    rng = np.random.default_rng(seed)
    return [one for move in MOVES.values() for one in move(ground, rng)]


def check_candidate(ground: Ground, candidate: Candidate) -> None:
    """Names, units, pointers and copies of one candidate."""
    original, relations = ground.original, candidate.relations
    units = units_of(relations, ground.interface.controls)
    taken = {*units_of(original, ground.interface.controls), *ground.interface.units}
    for parameter in candidate.introduced:
        parse_unit(parameter.unit)
        assert parameter.name not in taken
    for root, body in expressions_of(relations).items():
        check_dimensions(body, units, ground.unit_at(root))
        assert names_of(body) <= set(units)
    for mutation in candidate.mutations:
        assert at_pointer(original, mutation.path) == mutation.before != mutation.after
        assert at_pointer(relations, mutation.path) == mutation.after
    immutable = {p.name: p.value for p in original.parameters if not p.mutable}
    assert immutable.items() <= {p.name: p.value for p in relations.parameters}.items()
    paths = {mutation.path for mutation in candidate.mutations}
    for mutation in candidate.mutations:
        if isinstance(mutation.before, Op):
            # An equal subtree is the same quantity: it moved too, or stands inside one that did.
            for path, node in ground.tree.items():
                moved = any(f"{path}/".startswith(f"{p}/") for p in paths)
                assert node != mutation.before or moved


@pytest.mark.parametrize("seed", [1, 2])
def test_every_candidate_of_the_sample_holds(sample_cards: dict[str, Card], seed: int) -> None:
    kinds = set()
    for card in sample_cards.values():
        ground = ground_of(card)
        for candidate in candidates_of(ground, seed):
            check_candidate(ground, candidate)
            kinds |= set(candidate.moves)
    assert kinds == set(MOVES)


def test_every_candidate_of_the_historical_cards_holds(historical_files: list[Path]) -> None:
    # Cards keep their own moves; here their laws are the ground that all moves must stand on.
    for path in historical_files:
        ground = ground_of(load_historical(path))
        for candidate in candidates_of(ground, 1):
            check_candidate(ground, candidate)


def test_what_passes_the_sieve_is_defined_shows_and_keeps_identities(
    sample_cards: dict[str, Card],
) -> None:
    refused: list[RejectedCandidate] = []
    for card in sample_cards.values():
        ground = ground_of(card)
        pool = Pool(ground, np.random.default_rng(7), refused)
        controls = ground.interface.controls
        before = float_values(laws_of(ground.original), controls, ground.points)
        for kind in pool.kinds:
            for sifted in pool.of_kind(kind):
                candidate = sifted.candidate
                assert kind in candidate.moves
                assert STRUCTURAL & set(candidate.moves)
                laws = laws_of(candidate.relations)
                after = float_values(laws, controls, ground.points)
                positive = np.all(before > 0, axis=0)
                assert np.all(after[:, positive] > 0)
                stated = tolerances_of(ground.interface.readouts, np.vstack([before, after]))
                errors = prediction_errors(
                    after,
                    before,
                    [readout.absolute for readout in stated.readouts],
                    [readout.relative for readout in stated.readouts],
                )
                assert (errors.max(axis=1) > 1.0).mean() >= 0.8
                _check_identities(ground, candidate)
    assert {one.reason for one in refused} >= {"inconsistent_twin", "off scale"}
    assert all(one.reason and one.moves and one.paths for one in refused)


def _check_identities(ground: Ground, candidate: Candidate) -> None:
    laws = laws_of(candidate.relations)
    known = meanings_of(candidate.relations) | laws
    for identity in ground.interface.consistency:
        sides = {"l": substitute(identity.left, known), "r": substitute(identity.right, known)}
        table = float_values(sides, ground.interface.controls, ground.points)
        assert table[:, 0] == pytest.approx(table[:, 1], rel=1e-9)


def test_moves_compose_where_they_do_not_meet(sample_cards: dict[str, Card]) -> None:
    ground = ground_of(sample_cards["sample:0008/r1"])
    singles = candidates_of(ground, 3)
    met, made = 0, 0
    for first in singles:
        for second in singles:
            if first is second or not composable(first, second):
                met += 1
                continue
            both = composed(ground, first, second)
            check_candidate(ground, both)
            assert both.edits == {**first.edits, **second.edits}
            assert both.moves == (*first.moves, *second.moves)
            assert len({p.name for p in both.introduced}) == len(both.introduced)
            swapped = composed(ground, second, first)
            assert laws_of(swapped.relations) == laws_of(both.relations)
            made += 1
    assert met
    assert made > 100


FACTORS = ("a*{u}", "a*{u}**0.62", "a*exp(-{u})", "a*log(1 + {u})", "a/(1 + {u})", "a*sqrt({u})")
JOINTS = ("{0}", "{0} + {1}", "{0} - {1}", "max({0}, {1})", "{0}*(1 + {u})", "{0}/(1 + {v}**2)")
GROUPS = {"u": "x/x0", "v": "k*z"}


@st.composite
def laws(draw: st.DrawFn) -> str:
    """A law in the unit of a, over two inputs, from terms, joints and nested groups."""
    groups = dict(GROUPS)
    if draw(st.booleans()):
        groups["u"] = f"({GROUPS['u']} + {draw(st.sampled_from(['1', '0.5', 'k*z']))})"
    terms = [
        draw(st.sampled_from(FACTORS)).replace("{u}", f"({groups[draw(st.sampled_from('uv'))]})")
        for _ in range(2)
    ]
    joint = draw(st.sampled_from(JOINTS))
    for name, text in (("{u}", groups["u"]), ("{v}", groups["v"])):
        joint = joint.replace(name, f"({text})")
    return joint.replace("{0}", f"({terms[0]})").replace("{1}", f"({terms[1]})")


@given(text=laws(), seed=st.integers(0, 2**32 - 1))
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_moves_hold_on_drawn_laws(parts: Parts, text: str, seed: int) -> None:
    card: Card = parts["card"](
        relations=(parts["relation"]("h", text), parts["relation"]("q", f"({text})*b/a")),
        definitions=(),
        readouts=(parts["readout"]("h", "um"), parts["readout"]("q", "mL/s/cm")),
        consistency=(parts["identity"]("q/b", "h/a"),),
    )
    ground = ground_of(card)
    for candidate in candidates_of(ground, seed):
        check_candidate(ground, candidate)
