"""The sample window's recorded cards become families through the same code as any card."""

import pytest

from lawsmith.mutation.difficulty_strata import difficulty_of
from lawsmith.mutation.pairing import forge, forge_family
from schemas.card import Card
from schemas.family import Family

GOOD = ("0001", "0002", "0003", "0006", "0007", "0008")


@pytest.fixture(scope="module")
def families(sample_cards: dict[str, Card], sample_key: bytes) -> dict[str, Family]:
    return {name: forge_family(card, sample_key) for name, card in sample_cards.items()}


def test_every_admitted_card_becomes_a_family(families: dict[str, Family]) -> None:
    assert sorted(families) == [f"sample:{number}/r1" for number in GOOD]
    for name, family in families.items():
        assert family.id == f"{name}/f1"
        assert {c.outcome for c in family.certificates} == {"passed"}
        assert family.difficulty == difficulty_of(family.mutations, family.certificates).stratum


def test_the_sample_does_not_move_one_way_alone(families: dict[str, Family]) -> None:
    kinds = {mutation.move for family in families.values() for mutation in family.mutations}
    assert len(kinds) >= 3


def test_a_family_depends_on_its_own_card_alone(
    families: dict[str, Family], sample_cards: dict[str, Card], sample_key: bytes
) -> None:
    # Forged once more, alone and in another order.
    for name in sorted(sample_cards, reverse=True)[:2]:
        assert forge(sample_cards[name], sample_key).family == families[name]


def test_an_identity_of_the_source_holds_in_both_worlds(families: dict[str, Family]) -> None:
    family = families["sample:0003/r1"]
    assert family.consistency
    assert family.certificates[10].figures["held_in_original"] == 1.0
