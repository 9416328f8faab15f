"""One more kind of move changes nothing of what the others make."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from lawsmith.keyed_draws import NamedDraws, generator
from lawsmith.measurement import dense_design
from lawsmith.mutation import candidates
from lawsmith.mutation.candidates import Pool
from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.laws.interface import interface_of, relation_set_of
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.table import MOVES
from lawsmith.mutation.pairing import forge, forge_family
from schemas.card import Card
from schemas.expression import Op, Var
from schemas.family import Family, MoveKind

NAMES = ("a_new_kind", "nothing", "zeta")


def nothing(ground: Ground, rng: np.random.Generator) -> Iterator[Candidate]:
    """A kind of move that applies to no law, though it draws."""
    rng.random(7)
    return iter(())


def doubled(ground: Ground, rng: np.random.Generator) -> Iterator[Candidate]:
    """A kind of move that multiplies a relation by two plus its first scaled control."""
    rng.random(3)
    name = ground.controls[0]
    scale = ground.reference(name)
    for i, relation in enumerate(ground.original.relations):
        factor = Op("add", (2.0, Op("div", (Var(name), Var(scale.name)))))
        path = f"/relations/{i}/expression"
        new = Op("mul", (relation.expression, factor))
        yield ground.candidate("historical_correction", {path: new}, (scale,))


def ground_of(card: Card) -> Ground:
    interface = interface_of(card)
    points = dense_design(interface.controls, interface.constraints, 32)
    return Ground(interface, relation_set_of(card), points)


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_that_makes_nothing_changes_no_sample_family(
    sample_cards: dict[str, Card],
    sample_key: bytes,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    before = [forge(card, sample_key) for card in sample_cards.values()]
    monkeypatch.setattr(candidates, "MOVES", dict([(name, nothing), *MOVES.items()]))
    after = [forge(card, sample_key) for card in sample_cards.values()]
    assert [one.family for one in after] == [one.family for one in before]
    assert [one.rejected for one in after] == [one.rejected for one in before]


def test_it_changes_no_historical_family(
    historical_files: list[Path], key: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made() -> list[Family]:
        return [forge_family(load_historical(path), key) for path in historical_files[::4]]

    before = made()
    monkeypatch.setattr(candidates, "MOVES", dict([*MOVES.items(), ("nothing", nothing)]))
    assert made() == before


def test_a_kind_that_makes_something_changes_no_other_kinds_candidates(
    card: Card, draw_key: Callable[[int], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(n: int) -> dict[MoveKind, list[Candidate]]:
        pool = Pool(ground_of(card), generator(draw_key(n), "moves", card.id), [])
        return {
            kind: [
                one.candidate
                for one in pool.of_kind(kind)
                if "historical_correction" not in one.candidate.moves
            ]
            for kind in pool.kinds
            if kind in MOVES
        }

    before = [made(n) for n in range(5)]
    monkeypatch.setattr(candidates, "MOVES", {"historical_correction": doubled, **MOVES})
    pool = Pool(ground_of(card), generator(draw_key(0), "moves", card.id), [])
    new: MoveKind = "historical_correction"
    assert list(pool.of_kind(new))
    for n, stood in enumerate(before):
        again = made(n)
        assert list(again) == list(stood)
        for kind, ones in stood.items():
            assert {one.relations for one in again[kind]} == {one.relations for one in ones}


def test_names_draw_by_themselves() -> None:
    few, more = (NamedDraws(np.random.default_rng(3)) for _ in range(2))
    assert few.ordered(("a", "b", "c")) == tuple(
        name for name in more.ordered(("x", "c", "b", "y", "a")) if name in "abc"
    )
    assert few.generator("a").random() == more.generator("a").random()
    assert few.generator("ab", "c").random() != few.generator("a", "bc").random()
    assert few.ordered("abcdefgh", "one") != few.ordered("abcdefgh", "other")
