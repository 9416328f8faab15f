"""Certificate 7 on laws whose constants can, cannot, or need not be had back."""

from collections.abc import Callable

import numpy as np
import pytest

from lawsmith.expressions import parse_infix
from lawsmith.mutation.laws.relation_sets import laws_of
from lawsmith.mutation.laws.truth import exact_values, rows
from lawsmith.mutation.pairing import forge_family
from lawsmith.mutation.screening.inputs import Case
from lawsmith.mutation.screening.recovery import Recovery, recoverable, recovery, starts
from schemas.card import Card
from schemas.family import Design, Family, RelationSet

Retold = Callable[..., Family]


@pytest.fixture(scope="module")
def family(card: Card, key: bytes) -> Family:
    return forge_family(card, key, move="interaction")


@pytest.fixture(scope="module")
def retold(family: Family) -> Retold:
    """The family with another law of readout h in both worlds, its truths made again."""

    def make(text: str, **tolerances: float | None) -> Family:
        first, *others = family.original.relations
        relations = family.original.model_copy(
            update={
                "relations": (first.model_copy(update={"expression": parse_infix(text)}), *others)
            }
        )
        readouts = (family.readouts[0].model_copy(update=tolerances), *family.readouts[1:])
        return family.model_copy(
            update={
                "original": relations,
                "counterfactual": relations,
                "readouts": readouts,
                "fixed": again(family, family.fixed, relations),
                "hidden": again(family, family.hidden, relations),
            }
        )

    return make


def again(family: Family, design: Design, relations: RelationSet) -> Design:
    values = rows(exact_values(laws_of(relations), family.controls, np.asarray(design.inputs)))
    return design.model_copy(update={"original": values, "counterfactual": values})


def of_h(family: Family) -> Recovery:
    return recovery(Case(family), "original", 0)


def test_a_forged_family_is_recoverable_in_both_worlds(family: Family) -> None:
    found = family.certificates[6]
    assert (found.number, found.name, found.version) == (7, "recoverable", 2)
    assert found.outcome == "passed"
    assert {key.rpartition("_")[2] for key in found.figures} == {
        "starts",
        "original",
        "counterfactual",
    }
    # h = a*(x/x0)^0.62*exp(-k*z) and q = b*(x/x0)^0.62*z: x0 goes with a and with b.
    assert (found.figures["constants_original"], found.figures["merged_original"]) == (3.0, 2.0)


def test_the_constants_of_a_straight_line_and_their_singular_values(retold: Retold) -> None:
    family = retold("7.5*x + 0.25*z", absolute=0.01, relative=1e-3)
    found = of_h(family)
    inputs = np.array(family.fixed.inputs)
    parts = np.column_stack([7.5 * inputs[:, 0], 0.25 * inputs[:, 1]])
    slopes = parts / (0.01 + 1e-3 * np.abs(parts.sum(axis=1)))[:, None]
    gram = np.linalg.eigvalsh(slopes.T @ slopes)
    assert (found.constants, found.merged, found.negligible, found.reached) == (2, 0, 0, True)
    assert found.least == pytest.approx(float(np.sqrt(gram[0])), rel=1e-8)
    assert found.ratio == pytest.approx(float(np.sqrt(gram[0] / gram[1])), rel=1e-8)
    assert found.error < 1e-6


@pytest.mark.parametrize(
    ("text", "constants", "merged"),
    [
        ("3*(1.5*x + 0.7*z)", 2, 1),  # only 3*1.5 and 3*0.7 can be told
        ("2.5*x/(1 + 0.3*z)", 2, 1),
        ("6.28*sqrt(x/(9.81*z))", 1, 1),
        ("4*x + 5*x + z", 1, 1),
        ("5*exp(0.4 - 0.1*z)", 2, 1),
        ("2*sin(0.5*x)*sin(0.5*x)", 2, 1),
        ("x*z", 0, 0),
    ],
)
def test_constants_that_cannot_be_told_apart_count_as_one(
    retold: Retold, text: str, constants: int, merged: int
) -> None:
    found = of_h(retold(text, absolute=1e-3))
    assert (found.constants, found.merged) == (constants, merged)
    assert found.found


def test_a_constant_below_tolerance_is_held_and_not_counted(retold: Retold) -> None:
    faint = of_h(retold("7.5*x + 1e-5*z", absolute=0.01, relative=1e-3))
    assert (faint.constants, faint.negligible, faint.found) == (1, 1, True)
    seen = of_h(retold("7.5*x + 1e-2*z", absolute=0.01, relative=1e-3))
    assert (seen.constants, seen.negligible) == (2, 0)


def test_constants_that_only_a_trace_tells_apart_are_not_determined(retold: Retold) -> None:
    family = retold("7.5*x + 2.5*x*(x/(x + 1e-4))", absolute=0.01, relative=1e-3)
    found = of_h(family)
    assert found.least < 1.0
    assert not found.found
    outcome = recoverable(Case(family))
    assert outcome.outcome == "failed"
    assert "16 inputs do not determine h (original)" in outcome.sentence


def test_more_constants_than_observations_are_not_determined(retold: Retold) -> None:
    terms = " + ".join(f"0.{i}5*cos({i}*x)" for i in range(2, 11))
    found = of_h(retold(terms, absolute=1e-4))
    assert found.constants == 18
    assert (found.least, found.found) == (0.0, False)


def test_a_law_that_no_start_reaches(retold: Retold) -> None:
    family = retold("5*sin(457*x*z)", absolute=1e-2)
    found = of_h(family)
    assert (found.constants, found.reached) == (2, False)
    assert found.error < 1e-3  # the true constants themselves fit
    outcome = recoverable(Case(family))
    assert outcome.outcome == "failed"
    assert "no start reaches h (original)" in outcome.sentence
    assert outcome.figures["reached_original"] == "false"


def test_fits_see_quantised_observations_alone(retold: Retold) -> None:
    """A step coarser than the whole span shows nothing: the constants are out of reach."""
    blind = of_h(retold("7.5*x + 0.25*z", absolute=1e-3, resolution=100.0))
    assert not blind.reached
    assert blind.error > 1.0


def test_a_constant_at_the_end_of_the_domain_of_its_law(retold: Retold) -> None:
    found = of_h(retold("3*sqrt(4 - x) + z", absolute=1e-3))
    assert found.found


def test_starts_know_sign_and_order_of_magnitude_alone() -> None:
    one, other = starts(np.array([143.0, -0.053])), starts(np.array([999.9, -0.0101]))
    assert one.tolist() == other.tolist()
    assert one.shape == (32, 2)
    assert len({tuple(row) for row in one.tolist()}) == 32
    assert (np.sign(one) == [1.0, -1.0]).all()
    size = np.abs(one) / [100.0, 0.01]
    assert (size >= 0.01).all()
    assert (size <= 100.0).all()
    # Every half decade gets its share: a Sobol set of 32 points, one in each 32nd.
    shares = np.sort((np.log10(size) + 2) / 4, axis=0)
    assert (np.floor(shares * 32) == np.arange(32)[:, None]).all()
    assert starts(np.array([])).shape == (1, 0)


@pytest.mark.parametrize("value", [1.0, 10.0, 1e-7, 1e22])
def test_no_start_is_the_truth(value: float) -> None:
    assert np.abs(starts(np.array([value])) / value - 1.0).min() > 0.05
