"""Each certificate, shown failing on a family with one thing wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.errors import InputError
from lawsmith.expressions import parse_infix
from lawsmith.mutation.pairing import forge, forge_family
from lawsmith.mutation.screening.certificates import (
    certify,
    differing_figures,
    distinguishing_query,
)
from schemas.card import Card
from schemas.family import (
    Certificate,
    Design,
    Family,
    FamilyConsistency,
    LawParameter,
    RelationSet,
)

Parts = dict[str, Callable[..., Any]]


@pytest.fixture(scope="module")
def family(card: Card, key: bytes) -> Family:
    return forge_family(card, key, move="interaction")


def outcome(family: Family, number: int) -> Certificate:
    return certify(family)[number - 1]


def with_relation(relations: RelationSet, index: int, text: str) -> RelationSet:
    bodies = list(relations.relations)
    bodies[index] = bodies[index].model_copy(update={"expression": parse_infix(text)})
    return relations.model_copy(update={"relations": tuple(bodies)})


def with_unit(relations: RelationSet, name: str, unit: str) -> RelationSet:
    parameters = [
        p.model_copy(update={"unit": unit}) if p.name == name else p for p in relations.parameters
    ]
    return relations.model_copy(update={"parameters": tuple(parameters)})


def same_worlds(design: Design) -> Design:
    return design.model_copy(update={"counterfactual": design.original})


def test_1_a_unit_that_does_not_close(family: Family) -> None:
    bad = family.model_copy(update={"original": with_unit(family.original, "k", "1/s")})
    assert outcome(bad, 1).outcome == "failed"


def test_1_a_missing_factor_between_units(family: Family) -> None:
    bad = family.model_copy(update={"original": with_unit(family.original, "k", "1/m")})
    found = outcome(bad, 1)
    assert found.outcome == "failed"
    assert float(found.figures["worst_relative"]) > 1e-3


def test_1_a_branch_that_no_point_reaches(family: Family) -> None:
    far = LawParameter(name="far", symbol="far", value=9.0, unit="m", mutable=True)
    mixed = with_relation(family.counterfactual, 0, "a*shape*exp(-k*z)*(1 + step(z - far - 9*z))")
    mixed = mixed.model_copy(update={"parameters": (*mixed.parameters, far)})
    found = outcome(family.model_copy(update={"counterfactual": mixed}), 1)
    assert found.outcome == "failed"
    assert float(found.figures["worst_relative"]) < 1e-12
    assert "/args/3/args/1/args/0/args/0: sub" in found.sentence


def test_2_a_law_undefined_somewhere_in_the_domain(family: Family) -> None:
    narrow = with_relation(family.counterfactual, 1, "b*shape*z*log(x/x0 - 0.2)")
    assert outcome(family.model_copy(update={"counterfactual": narrow}), 2).outcome == "failed"


def test_2_a_divisor_that_is_zero_between_the_samples(family: Family) -> None:
    pole = with_relation(family.counterfactual, 1, "b*shape*z/(x - 2.1234567*x0)")
    found = outcome(family.model_copy(update={"counterfactual": pole}), 2)
    assert found.outcome == "failed"
    assert found.figures["holes"] == "counterfactual q /args/1"
    assert "a divisor is zero inside the domain" in found.sentence


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("b*shape*z/(1 + 1e-9*x0**2/(x**2 - 2*2.1*x0*x + 2.1**2*x0**2))", "/args/1/args/1/args/1"),
        ("b*shape*z*(1 + 0.01*log((x/x0 - 2.1)**2))", "/args/3/args/1/args/1/args/0/args/0"),
        ("b*shape*z*((x/x0 - 2.1)**2 - 1e-8)**0.3", "/args/3/args/0"),
        ("b*shape*z*(1 + 0.1*sqrt((x/x0 - 2.1)**2 - 1e-8))", "/args/3/args/1/args/1/args/0"),
    ],
)
def test_2_a_hole_that_changes_no_sign(family: Family, text: str, path: str) -> None:
    law = with_relation(family.counterfactual, 1, text)
    found = outcome(family.model_copy(update={"counterfactual": law}), 2)
    assert found.outcome == "failed"
    assert "undefined_on_domain" in found.sentence
    assert found.figures["holes"] == f"counterfactual q {path}"


@pytest.mark.parametrize("design", ["fixed", "hidden"])
@pytest.mark.parametrize("environment", ["original", "counterfactual"])
def test_2_one_altered_truth(family: Family, design: str, environment: str) -> None:
    old: Design = getattr(family, design)
    table = [list(row) for row in getattr(old, environment)]
    table[3][1] *= 1 + 1e-15
    new = old.model_copy(update={environment: tuple(map(tuple, table))})
    found = outcome(family.model_copy(update={design: new}), 2)
    assert found.outcome == "failed"
    assert found.figures["differing_truths"] == 1.0


def test_2_an_input_outside_the_domain(family: Family) -> None:
    rows = [list(row) for row in family.hidden.inputs]
    rows[0][0] = 4.5
    new = family.hidden.model_copy(update={"inputs": tuple(map(tuple, rows))})
    assert outcome(family.model_copy(update={"hidden": new}), 2).figures["outside"] == 1.0


def test_2_float_unsafe(parts: Parts, key: bytes) -> None:
    # 1e16 swallows the whole law in float64; at 50 digits it does not.
    unsafe = parts["card"](
        relations=(
            parts["relation"]("h", "a*shape*exp(-k*z) + 1e16*a - 1e16*a"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    report = forge(unsafe, key)
    assert report.family is None
    assert {one.certificate for one in report.rejected} & {2, 8}


def test_3_the_same_law_in_another_dress(family: Family) -> None:
    twin = with_relation(family.original, 0, "a*exp(-k*z)*shape")
    bad = family.model_copy(update={"counterfactual": twin})
    found = outcome(bad, 3)
    assert found.outcome == "failed"
    assert found.figures["different_readout"] == "none"


def test_3_only_a_constant_differs(family: Family) -> None:
    parameters = list(family.original.parameters)
    parameters[0] = parameters[0].model_copy(update={"value": 71.5})
    other = family.original.model_copy(update={"parameters": tuple(parameters)})
    truth = [(row[0] / 2, row[1]) for row in family.hidden.original]
    hidden = family.hidden.model_copy(update={"counterfactual": tuple(truth)})
    found = outcome(family.model_copy(update={"counterfactual": other, "hidden": hidden}), 3)
    assert found.outcome == "failed"
    assert float(found.figures["refit_worst_e"]) == 1e-3


def test_3_the_counterfactual_is_a_limit_of_the_original(parts: Parts, key: bytes) -> None:
    """With both constants large, N/(N + k) is N/k: removing the N of the sum adds nothing."""
    saturating = parts["card"](
        relations=(
            parts["relation"]("h", "a*(z/(z + k))*exp(-x/x0)"),
            parts["relation"]("q", "b*z"),
        ),
        definitions=(),
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("k", 6.2, "cm"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        ),
    )
    family = forge_family(saturating, key)
    bad = family.model_copy(
        update={"counterfactual": with_relation(family.original, 0, "a*(z/k)*exp(-x/x0)")}
    )
    hidden = family.hidden.model_copy(
        update={"counterfactual": _values(family, bad.counterfactual)}
    )
    found = outcome(bad.model_copy(update={"hidden": hidden}), 3)
    assert (found.outcome, found.figures["refit_worst_e"]) == ("failed", 1e-3)


def test_4_equal_worlds(family: Family) -> None:
    bad = family.model_copy(update={"hidden": same_worlds(family.hidden)})
    assert outcome(bad, 4).outcome == "failed"


def test_4_a_fixed_design_that_shows_nothing(family: Family) -> None:
    found = outcome(family.model_copy(update={"fixed": same_worlds(family.fixed)}), 4)
    assert found.outcome == "failed"
    assert found.figures["fixed_steps"] == 0.0


def test_5_a_null_that_passes(family: Family) -> None:
    loose = [r.model_copy(update={"absolute": 1e4}) for r in family.readouts]
    found = outcome(family.model_copy(update={"readouts": tuple(loose)}), 5)
    assert found.outcome == "failed"
    assert "zero" in found.sentence


def test_5_a_monomial_original_may_be_hit_by_a_monomial(parts: Parts, key: bytes) -> None:
    power = parts["card"](
        relations=(
            parts["relation"]("h", "a*shape*(z/z0)**-0.4"),
            parts["relation"]("q", "b*shape*z"),
        ),
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("z0", 2.0, "cm", role="reference"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        ),
    )
    found = outcome(forge_family(power, key, move="interaction"), 5)
    assert found.outcome == "passed"
    assert found.figures["trivial_class"] == "monomial"
    # Another exponent is a monomial again: a law-blind power law would pass.
    report = forge(power, key, move="exponent")
    kinds = {one.certificate for one in report.rejected if one.moves == ("exponent",)}
    assert 5 in kinds


def test_6_a_control_that_moves_nothing(family: Family) -> None:
    def still(relations: RelationSet) -> RelationSet:
        return with_relation(with_relation(relations, 0, "a*shape"), 1, "b*shape*x/x")

    bad = family.model_copy(
        update={
            "original": still(family.original),
            "counterfactual": still(family.counterfactual),
            "hidden": family.hidden.model_copy(
                update={
                    "original": _values(family, still(family.original)),
                    "counterfactual": _values(family, still(family.counterfactual)),
                }
            ),
        }
    )
    found = outcome(bad, 6)
    assert found.outcome == "failed"
    assert "z" in found.sentence


def _values(family: Family, relations: RelationSet) -> tuple[tuple[float, ...], ...]:
    import numpy as np

    from lawsmith.mutation.laws.relation_sets import laws_of
    from lawsmith.mutation.laws.truth import exact_values, rows

    points = np.asarray(family.hidden.inputs)
    return rows(exact_values(laws_of(relations), family.controls, points))


def test_8_a_step_that_is_coarse_against_the_tolerance(family: Family) -> None:
    coarse = [r.model_copy(update={"resolution": r.absolute}) for r in family.readouts]
    assert outcome(family.model_copy(update={"readouts": tuple(coarse)}), 8).outcome == "failed"


def test_9_says_whether_constants_are_short(family: Family, parts: Parts, key: bytes) -> None:
    assert outcome(family, 9).figures["strict_attainable"] in ("true", "false")
    long = parts["card"](
        parameters=(
            parts["parameter"]("a", 143.12345678, "um"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("k", 0.053, "1/cm"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        )
    )
    assert outcome(forge_family(long, key), 9).figures["strict_attainable"] == "false"


def test_10_equal_worlds_have_no_query(family: Family) -> None:
    bad = family.model_copy(update={"counterfactual": family.original})
    assert outcome(bad, 10).outcome == "failed"


def test_11_an_identity_of_the_original_breaks(family: Family) -> None:
    identity = FamilyConsistency(left=parse_infix("h*b*z"), right=parse_infix("q*a*exp(-k*z)"))
    found = outcome(family.model_copy(update={"consistency": (identity,)}), 11)
    assert found.outcome == "failed"
    assert "inconsistent_twin" in found.sentence


def test_11_what_does_not_hold_in_the_original_is_no_identity(family: Family) -> None:
    loose = FamilyConsistency(left=parse_infix("h"), right=parse_infix("q"))
    found = outcome(family.model_copy(update={"consistency": (loose,)}), 11)
    assert (found.outcome, found.figures["held_in_original"]) == ("passed", 0.0)


@pytest.mark.parametrize("share", [1e-5, 1e-12])
def test_an_altered_figure_is_named(family: Family, share: float) -> None:
    # The second is closer than two machines may be, but has more digits than a figure has.
    stored = list(family.certificates)
    figures = dict(stored[3].figures)
    figures["median_original"] = float(figures["median_original"]) * (1 + share)
    stored[3] = stored[3].model_copy(update={"figures": figures})
    assert differing_figures(stored, certify(family)) == ("certificates/4/figures/median_original",)


@pytest.mark.parametrize(
    ("field", "value"),
    [("outcome", "not_run"), ("version", 99), ("name", "another"), ("sentence", "It holds.")],
)
def test_an_altered_field_is_named(family: Family, field: str, value: object) -> None:
    stored = list(family.certificates)
    stored[6] = stored[6].model_copy(update={field: value})
    assert differing_figures(stored, certify(family)) == (f"certificates/7/{field}",)


def test_a_missing_a_foreign_and_a_double_certificate_are_named(family: Family) -> None:
    stored = family.certificates
    missing = (*stored[:6], *stored[7:])
    assert differing_figures(missing, stored) == ("certificates/7",)
    foreign = stored[0].model_copy(update={"number": 12})
    assert differing_figures((*stored, foreign), stored) == ("certificates/12",)
    assert differing_figures((*stored, stored[2]), stored) == ("certificates/3",)
    lost = dict(stored[7].figures)
    del lost["half_step_share"]
    short = (*stored[:7], stored[7].model_copy(update={"figures": lost}), *stored[8:])
    assert differing_figures(short, stored) == ("certificates/8/figures/half_step_share",)


def test_a_family_without_certificates_has_no_query(family: Family) -> None:
    with pytest.raises(InputError, match="no passed certificate 10"):
        distinguishing_query(family.model_copy(update={"certificates": ()}))
