"""Certificate 12: what is necessary holds in both worlds, and sizes stay in proportion."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lawsmith.expressions import parse_infix
from lawsmith.measurement import dense_design
from lawsmith.mutation.laws.interface import interface_of
from lawsmith.mutation.laws.relation_sets import laws_of
from lawsmith.mutation.laws.truth import float_values
from lawsmith.mutation.pairing import forge, judge_candidates
from lawsmith.mutation.screening.certificates import CERTIFICATES, CHEAPEST_FIRST, certify
from schemas.card import Card, Necessary
from schemas.family import Family

Parts = dict[str, Callable[..., Any]]


def claim(parts: Parts, kind: str, **fields: Any) -> Necessary:
    given = dict.fromkeys(("control", "direction", "at", "value", "low", "high"))
    anchors = parts["card"]().sampling_anchors
    return Necessary(**{"readout": "h", "kind": kind, "anchors": anchors, **given, **fields})


def one_readout(parts: Parts, law: str, words: str, unit: str = "1", **more: Any) -> Card:
    readout = parts["readout"]("h", unit).model_copy(update={"definition": words})
    card: Card = parts["card"](
        relations=(parts["relation"]("h", law),),
        definitions=(),
        readouts=(readout,),
        parameters=(
            parts["parameter"]("a", 0.83, unit),
            parts["parameter"]("k", 0.053, "1/cm"),
            parts["parameter"]("x0", 1.3, "m/s"),
        ),
        **more,
    )
    return card


def values(family: Family, environment: str) -> Any:
    points = dense_design(family.controls, family.constraints, 512)
    world = family.original if environment == "original" else family.counterfactual
    return float_values(laws_of(world), family.controls, points)[:, 0]


def rewritten(family: Family, law: str) -> Family:
    """The family with another law of its first readout; truths are left as they are."""
    first, *others = family.counterfactual.relations
    body = first.model_copy(update={"expression": parse_infix(law)})
    world = family.counterfactual.model_copy(update={"relations": (body, *others)})
    return family.model_copy(update={"counterfactual": world})


def twelfth(family: Family) -> tuple[str, str]:
    found = certify(family)[11]
    assert found.number == 12
    return found.outcome, found.sentence


@pytest.mark.parametrize(
    "words",
    ["share of the light let through", "Probability of capture", "fraction left", "site occupancy"],
)
def test_a_share_stays_a_share(parts: Parts, draw_key: Callable[[int], bytes], words: str) -> None:
    card = one_readout(parts, "a*x/(x0 + x)*exp(-k*z)", words)
    for n in range(3):
        passed, refused = judge_candidates(card, draw_key(n), candidates=12)
        for family in passed:
            (bound,) = family.necessary
            assert (bound.origin, bound.low, bound.high) == ("inferred", 0.0, 1.0)
            column = values(family, "counterfactual")
            assert column.min() >= 0.0
            assert column.max() <= 1.0 + 1e-9
        assert any(one.certificate == 12 for one in refused)


def test_percent_ends_at_a_hundred(parts: Parts) -> None:
    card = one_readout(parts, "100*a*x/(x0 + x)*exp(-k*z)", "yield of the step", "percent")
    (bound,) = interface_of(card).necessary
    assert (bound.low, bound.high) == (0.0, 100.0)


@pytest.mark.parametrize(
    ("law", "words", "unit"),
    [
        # No word of a share; a unit with dimension; an Original beyond 1; an angle.
        ("a*x/(x0 + x)*exp(-k*z)", "reading of a gauge", "1"),
        ("a*x/(x0 + x)*exp(-k*z)", "share of the mass", "kg"),
        ("9*a*x/(x0 + x)*exp(-k*z)", "share of the light", "1"),
        ("a*x/(x0 + x)*exp(-k*z)", "transmission angle", "rad"),
    ],
)
def test_what_is_no_share_has_no_bound(parts: Parts, law: str, words: str, unit: str) -> None:
    assert interface_of(one_readout(parts, law, words, unit)).necessary == ()


def family_with(parts: Parts, key: bytes, *claims: Necessary) -> Family:
    card = one_readout(parts, "a*x/(x0 + x)*exp(-k*z)", "reading", necessary=claims)
    report = forge(card, key)
    assert report.family is not None, report.sentence
    return report.family


CLAIMS: list[tuple[dict[str, Any], str, str]] = [
    # (claim, a law that keeps it, one that breaks it)
    ({"kind": "sign", "direction": "positive"}, "a*exp(-k*z)", "a*(1 - k*z)"),
    ({"kind": "sign", "direction": "nonnegative"}, "max(0, a*(1 - k*z))", "a*(1 - k*z)"),
    (
        {"kind": "monotone", "control": "x", "direction": "increasing"},
        "a*tanh(x/x0)*exp(-k*z)",
        "a*x/x0*exp(-x/x0)",
    ),
    (
        {"kind": "monotone", "control": "z", "direction": "nonincreasing"},
        "a*x/x0*max(0.5, 1 - k*z)",
        "a*(2 + sin(9*k*z))",
    ),
    (
        {"kind": "limit", "control": "x", "at": 0.0, "value": 0.0},
        "a*(x/x0)**2",
        "a*(x/x0)**2 + 0.1*a",
    ),
    (
        {"kind": "limit", "control": "z", "direction": "increasing", "value": 0.0},
        "a*x/x0/(1 + k*z)",
        "a*x/x0*(0.2 + exp(-k*z))",
    ),
    ({"kind": "bound", "low": 0.0, "high": 0.83}, "a*tanh(x/x0)", "a*x/x0"),
    ({"kind": "bound", "high": 0.83}, "-a*x/x0", "a*x/x0"),
]


@pytest.mark.parametrize(("fields", "keeps", "breaks"), CLAIMS)
def test_a_stated_property_is_kept_in_both_worlds(
    parts: Parts, key: bytes, fields: dict[str, Any], keeps: str, breaks: str
) -> None:
    given = dict(fields)
    family = family_with(parts, key, claim(parts, given.pop("kind"), **given))
    assert [one.origin for one in family.necessary] == ["declared"]
    assert twelfth(family)[0] == "passed"
    assert twelfth(rewritten(family, keeps))[0] == "passed"
    outcome, sentence = twelfth(rewritten(family, breaks))
    assert outcome == "failed"
    assert "counterfactual: h" in sentence


def test_an_original_that_breaks_a_claim_gives_no_family(parts: Parts, key: bytes) -> None:
    falling = claim(parts, "monotone", control="x", direction="decreasing")
    card = one_readout(parts, "a*x/(x0 + x)*exp(-k*z)", "reading", necessary=(falling,))
    report = forge(card, key)
    assert report.family is None
    assert {one.certificate for one in report.rejected} & {12}


def test_an_implied_bound_cannot_be_left_out(parts: Parts, key: bytes) -> None:
    family = family_with(parts, key)
    words = family.readouts[0].model_copy(update={"meaning": "share of the light"})
    silent = family.model_copy(update={"readouts": (words,)})
    assert twelfth(silent)[0] == "failed"


@pytest.mark.parametrize("factor", [35.0, 500.0])
def test_a_readout_out_of_proportion_is_impossible(parts: Parts, key: bytes, factor: float) -> None:
    family = family_with(parts, key)
    top = float(np.abs(values(family, "original")).max())
    outcome, sentence = twelfth(rewritten(family, f"a*{factor * top / 0.83}*(2 + k*z)"))
    assert outcome == "failed"
    assert "times the Original's largest" in sentence


def test_twelve_certificates_each_run_once() -> None:
    assert sorted(CHEAPEST_FIRST) == list(range(1, len(CERTIFICATES) + 1)) == list(range(1, 13))


@pytest.mark.parametrize(
    ("low", "high"), [(280.0, 320.0), (0.2, 4.0), (17.3, 17.9), (1e-7, 3e-2), (6.1, 8.7)]
)
def test_reference_scales_lie_in_the_range_of_their_control(
    parts: Parts, key: bytes, low: float, high: float
) -> None:
    card = parts["card"](
        controls=(parts["control"]("x", "m/s", low, high), parts["control"]("z", "cm", 1.0, 30.0))
    )
    passed, _ = judge_candidates(card, key, candidates=8)
    scales = [
        p.value
        for family in passed
        for m in family.mutations
        for p in m.introduced
        if p.name.startswith("x_ref")
    ]
    assert all(low <= scale <= high for scale in scales)
