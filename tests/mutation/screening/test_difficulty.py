"""Difficulty is read from stored figures, and a stratum can be asked for."""

import pytest

from lawsmith.errors import InputError
from lawsmith.expressions import parse_infix
from lawsmith.mutation.difficulty_strata import by_move, difficulty_of, reachable
from lawsmith.mutation.pairing import forge, forge_family
from lawsmith.mutation.screening.inputs import certificate
from lawsmith.release.manifest import strata_of
from schemas.card import Card
from schemas.family import Certificate, MoveKind, Mutation, Stratum


def mutation(move: MoveKind, path: str, before: str, after: str) -> Mutation:
    return Mutation(
        move=move, path=path, before=parse_infix(before), after=parse_infix(after), introduced=()
    )


ROOT_PATH = "/relations/0/expression"
ONE = (mutation("exponent", f"{ROOT_PATH}/args/0", "x**2", "x**3"),)
SPREAD = (*ONE, mutation("exponent", "/relations/1/expression/args/0", "x**2", "x**3"))
TWO = (*SPREAD, mutation("coefficient", "/parameters/0/value", "2", "3"))
TWINS = (
    mutation("coefficient", "/parameters/0/value", "2", "3"),
    mutation("coefficient", "/parameters/1/value", "2", "3"),
)


def certificates(distance: float, refit: float) -> tuple[Certificate, ...]:
    medians: dict[str, float | str] = {
        "median_original": distance,
        "median_counterfactual": distance * 2,
    }
    return (
        certificate(3, True, {"refit_worst_e": refit}, ""),
        certificate(4, True, medians, ""),
    )


@pytest.mark.parametrize(
    ("mutations", "distance", "refit", "stratum"),
    [
        (ONE, 200.0, 10.0, "easy"),
        (SPREAD, 200.0, 10.0, "easy"),
        (TWO, 200.0, 10.0, "medium"),
        (ONE, 199.0, 10.0, "medium"),
        (ONE, 200.0, 9.9, "medium"),
        (ONE, 49.0, 10.0, "hard"),
        (ONE, 60.0, 9.9, "hard"),
        (TWO, 60.0, 10.0, "hard"),
        (TWO, 20.0, 2.0, "hard"),
    ],
)
def test_strata_follow_the_stated_points(
    mutations: tuple[Mutation, ...], distance: float, refit: float, stratum: Stratum
) -> None:
    found = difficulty_of(mutations, certificates(distance, refit))
    assert found.stratum == stratum
    assert (found.distance, found.refit) == (distance, refit)


@pytest.mark.parametrize(("mutations", "count"), [(ONE, 1), (SPREAD, 1), (TWO, 2), (TWINS, 2)])
def test_a_move_in_several_places_is_one_move(mutations: tuple[Mutation, ...], count: int) -> None:
    assert len(by_move(mutations)) == count


def test_what_may_be_reached_before_the_refit_is_known() -> None:
    assert reachable(1, 500.0) == {"easy", "medium"}
    assert reachable(1, 100.0) == {"medium", "hard"}
    assert reachable(2, 100.0) == {"hard"}


def test_difficulty_needs_its_figures() -> None:
    with pytest.raises(InputError, match="median"):
        difficulty_of(ONE, (*certificates(1.0, 1.0)[:1], certificate(4, True, {}, "")))
    with pytest.raises(InputError):
        difficulty_of(ONE, ())


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_stratum_can_be_asked_for(card: Card, key: bytes, difficulty: Stratum) -> None:
    report = forge(card, key, difficulty=difficulty)
    assert report.family is not None
    assert report.family.difficulty == difficulty
    stored = report.family.certificates
    assert difficulty_of(report.family.mutations, stored).stratum == difficulty
    (row,) = strata_of([report.family])
    assert (row.difficulty, row.families) == (difficulty, 1)


def test_a_stratum_that_no_candidate_has_is_refused_with_the_reasons(
    card: Card, key: bytes
) -> None:
    # A coefficient never moves alone, so a family with that move is never easy.
    report = forge(card, key, difficulty="easy", move="coefficient")
    assert (report.family, report.reason_code) == (None, "no_candidate")
    late = [one.reason for one in report.rejected if one.certificate is None]
    assert late
    assert all(reason.startswith("difficulty ") for reason in late)


def test_without_a_stratum_the_first_choice_is_kept(card: Card, key: bytes) -> None:
    free = forge_family(card, key)
    assert forge_family(card, key, difficulty=free.difficulty) == free
