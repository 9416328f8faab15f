"""The moves on terms: another operator between them, one more, one less."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lawsmith.expressions import evaluate, to_infix
from lawsmith.measurement import dense_design
from lawsmith.mutation.laws.interface import interface_of, relation_set_of
from lawsmith.mutation.laws.relation_sets import laws_of
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.table import MOVES
from schemas.card import Card
from schemas.family import MoveKind

Parts = dict[str, Callable[..., Any]]


@pytest.fixture
def sums(parts: Parts) -> Card:
    """h is a sum of two terms; q repeats it over z and states so."""
    card: Card = parts["card"](
        relations=(
            parts["relation"]("h", "a*(x/x0) + c*z"),
            parts["relation"]("q", "(a*(x/x0) + c*z)/z"),
        ),
        readouts=(parts["readout"]("h", "um"), parts["readout"]("q", "um/cm")),
        definitions=(),
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"]("c", 3.7, "um/cm"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        ),
        consistency=(parts["identity"]("q*z", "h"),),
    )
    return card


def made(card: Card, move: MoveKind, draws: int = 1, text: str = "") -> list[Candidate]:
    interface = interface_of(card)
    points = dense_design(interface.controls, interface.constraints, 64)
    ground = Ground(interface, relation_set_of(card), points, text)
    found: list[Candidate] = []
    for seed in range(draws):
        found += MOVES[move](ground, np.random.default_rng(seed))
    return found


def values(candidate: Candidate, x: float, z: float) -> tuple[float, float]:
    laws = laws_of(candidate.relations)
    at = {"x": x, "z": z}
    return float(evaluate(laws["h"], at)), float(evaluate(laws["q"], at))


def test_terms_of_a_sum_are_joined_another_way(sums: Card) -> None:
    found = made(sums, "operator_swap", draws=6)
    shapes = {to_infix(candidate.mutations[0].after) for candidate in found}
    assert shapes == {
        "c*z - a*(x/x0)",
        "a*(x/x0) - c*z",
        "max(a*(x/x0), c*z)",
        "min(a*(x/x0), c*z)",
        "sqrt((a*(x/x0))**2 + (c*z)**2)",
    }
    first, second = 143.0 * 2.0 / 1.3, 3.7 * 5.0
    heights = {round(values(candidate, 2.0, 5.0)[0], 6) for candidate in found}
    expected = (second - first, first - second, first, second, np.hypot(first, second))
    assert heights == {round(value, 6) for value in expected}


def test_a_difference_becomes_a_sum(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a*(1 - exp(-k*z))*shape"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    (candidate,) = made(card, "operator_swap")
    assert to_infix(candidate.mutations[0].after) == "1 + exp(-k*z)"
    assert candidate.introduced == ()


def test_terms_that_change_sign_have_no_largest(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a*(cos(k*z) + shape)"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    shapes = {to_infix(c.mutations[0].after) for c in made(card, "operator_swap", draws=6)}
    assert shapes == {"shape - cos(k*z)", "cos(k*z) - shape"}


@pytest.mark.parametrize("move", ["operator_swap", "term_removed", "term_added", "exponent"])
def test_a_repeated_quantity_moves_in_every_relation(sums: Card, move: MoveKind) -> None:
    # h stands inside q; whatever changes in h changes there, so q*z = h holds.
    found = made(sums, move, draws=4)
    assert found
    both = [c for c in found if {m.path.split("/")[2] for m in c.mutations} == {"0", "1"}]
    assert both
    for candidate in both:
        h, q = values(candidate, 2.0, 5.0)
        assert q * 5.0 == pytest.approx(h, rel=1e-12)


def test_an_added_term_has_the_unit_of_the_readout(sums: Card) -> None:
    outer = [c for c in made(sums, "term_added", draws=6) if c.introduced[0].name == "delta"]
    assert {len(c.introduced) for c in outer} == {1, 2}
    for candidate in outer:
        amount = candidate.introduced[0]
        root = candidate.mutations[0].path.split("/")[2]
        assert (amount.unit, amount.mutable) == (("um", "um/cm")[int(root)], True)
        assert amount.value > 0.0
        assert len(f"{amount.value:.15g}".replace(".", "").strip("0")) <= 2
        for scale in candidate.introduced[1:]:
            assert (scale.mutable, scale.name) in {(False, "x_ref"), (False, "z_ref")}


def test_a_term_added_inside_a_sum_follows_one_of_its_terms(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a/(1 + k*z)"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    inner = [c for c in made(card, "term_added", draws=6) if c.introduced[0].name == "kappa"]
    assert inner
    for candidate in inner:
        strength, scale = candidate.introduced
        assert (strength.unit, strength.mutable, scale.mutable) == ("1", True, False)
        assert to_infix(candidate.mutations[0].after).startswith("1 + k*z + kappa*")


def test_a_removed_term_leaves_the_others(sums: Card) -> None:
    shapes = {to_infix(c.mutations[0].after) for c in made(sums, "term_removed", draws=3)}
    assert shapes == {"c*z", "a*(x/x0)"}


def test_a_removed_term_of_a_difference(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a*(1 - exp(-k*z))*shape"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    shapes = {to_infix(c.mutations[0].after) for c in made(card, "term_removed", draws=3)}
    assert shapes == {"1", "-exp(-k*z)"}


@pytest.mark.parametrize("move", ["operator_swap", "term_removed"])
def test_a_law_without_terms_offers_none(card: Card, move: MoveKind) -> None:
    assert made(card, move) == []


def test_sums_of_constants_are_left_alone(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "(a + 2*a)*shape"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    for move in ("operator_swap", "term_removed"):
        assert made(card, move) == []


def test_numbers_that_the_text_names_are_not_introduced(sums: Card) -> None:
    plain = [c for move in MOVES for c in made(sums, move, draws=2)]
    named = sorted({p.value for c in plain for p in c.introduced})
    text = "Held fixed: " + ", ".join(f"{value:g} kg" for value in named[::2])
    again = [c for move in MOVES for c in made(sums, move, draws=2, text=text)]
    assert not {p.value for c in again for p in c.introduced} & set(named[::2])


def test_equal_seeds_make_equal_candidates(sums: Card) -> None:
    for move in MOVES:
        assert made(sums, move) == made(sums, move)
