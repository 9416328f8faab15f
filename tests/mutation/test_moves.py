from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lawsmith.expressions import check_dimensions, evaluate, parse_infix, to_infix
from lawsmith.measurement import dense_design
from lawsmith.mutation.laws.interface import interface_of, relation_set_of
from lawsmith.mutation.laws.relation_sets import (
    blend_size,
    edited,
    folded,
    folded_laws,
    laws_of,
    units_of,
)
from lawsmith.mutation.moves.context import Ground, nearest, round_scales
from lawsmith.mutation.moves.table import MOVES
from lawsmith.mutation.moves.transforms import TRANSFORMS
from schemas.card import Card

Parts = dict[str, Callable[..., Any]]


def ground_of(card: Card) -> Ground:
    interface = interface_of(card)
    points = dense_design(interface.controls, interface.constraints, 64)
    return Ground(interface, relation_set_of(card), points)


def test_exponent_of_a_dimensional_input_gets_a_reference_scale(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a*x**2*exp(-k*z)"),
            parts["relation"]("q", "b*z"),
        ),
        definitions=(),
        parameters=(
            parts["parameter"]("a", 143.0, "um*s^2/m^2"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("k", 0.053, "1/cm"),
        ),
    )
    found = [
        c
        for c in MOVES["exponent"](ground_of(card), np.random.default_rng(1))
        if "x_ref" in {p.name for p in c.introduced}
    ]
    assert found
    for candidate in found:
        (scale,) = candidate.introduced
        # The geometric middle of 0.2 and 4 is 0.89; the nearest round scale is 1.
        assert (scale.value, scale.unit, scale.mutable) == (1.0, "m/s", False)
        (after,) = {m.after for m in candidate.mutations}
        for x in (0.5, 3.0):
            power = evaluate(after, {"x": x, "x_ref": 1.0})
            assert power != pytest.approx(x**2, rel=1e-3)
        # Where the input equals the scale nothing changes.
        assert evaluate(after, {"x": 1.0, "x_ref": 1.0}) == 1.0


def test_a_power_of_a_group_gets_a_reference_scale_in_the_group_s_unit(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a*sqrt(2*g*z)/x"),
            parts["relation"]("q", "b*z"),
        ),
        definitions=(),
        parameters=(
            parts["parameter"]("a", 143.0, "um*m/s*cm^-0.5*m^-0.5*s"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("g", 9.8, "m/s^2", role="reference"),
        ),
    )
    found = [
        candidate
        for candidate in MOVES["exponent"](ground_of(card), np.random.default_rng(1))
        if "group_ref" in {p.name for p in candidate.introduced}
    ]
    assert found
    for candidate in found:
        (scale,) = candidate.introduced
        assert scale.unit == "(m/s^2)*cm"
        # Middle of 2*9.8*z for z from 1 to 30: 107.
        assert (scale.value, scale.mutable) == (100.0, False)
        (after,) = {m.after for m in candidate.mutations}
        assert evaluate(after, {"g": 10.0, "z": 5.0, "group_ref": 100.0}) == 10.0
        units = units_of(candidate.relations, interface_of(card).controls)
        check_dimensions(candidate.relations.relations[0].expression, units, "um")


def test_a_named_exponent_is_moved_where_it_is_declared(parts: Parts) -> None:
    card = parts["card"](
        definitions=(parts["definition"]("shape", "1", "(x/x0)**n"),),
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("k", 0.053, "1/cm"),
            parts["parameter"]("n", 0.62, "1"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        ),
    )
    ground = ground_of(card)
    paths = {p for c in MOVES["exponent"](ground, np.random.default_rng(1)) for p in c.edits}
    assert "/parameters/3/value" in paths
    moved = {p for c in MOVES["coefficient"](ground, np.random.default_rng(1)) for p in c.edits}
    assert "/parameters/3/value" not in moved
    assert "/parameters/4/value" not in moved


def test_an_equal_group_moves_wherever_it_stands(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "a*exp(-(x/x0))"),
            parts["relation"]("q", "b*z*(x/x0)"),
        ),
        definitions=(),
    )
    group = parse_infix("x/x0")
    hits = [
        c
        for c in MOVES["transform"](ground_of(card), np.random.default_rng(1))
        if c.mutations[0].before == group
    ]
    assert hits
    assert all({p.split("/")[2] for p in c.edits} == {"0", "1"} for c in hits)


@pytest.mark.parametrize("name", list(TRANSFORMS))
def test_transforms_follow_the_group_when_it_is_small(name: str) -> None:
    law = TRANSFORMS[name](parse_infix("u"))
    assert evaluate(law, {"u": 1e-4}) == pytest.approx(1e-4, rel=1e-3)
    assert evaluate(law, {"u": 2.0}) != pytest.approx(2.0, rel=0.1)


def test_interaction_crosses_two_inputs(card: Card) -> None:
    for candidate in MOVES["interaction"](ground_of(card), np.random.default_rng(1)):
        names = [p.name for p in candidate.introduced]
        assert names == ["kappa", "x_ref", "z_ref"]
        assert "1 + kappa*(x/x_ref)*(z/z_ref)" in to_infix(candidate.mutations[0].after)


def test_introduced_names_avoid_taken_ones(parts: Parts) -> None:
    card = parts["card"](
        relations=(
            parts["relation"]("h", "kappa*a*shape*exp(-k*z)"),
            parts["relation"]("q", "b*shape*z"),
        ),
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"]("b", 0.37, "mL/s/cm"),
            parts["parameter"]("k", 0.053, "1/cm"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
            parts["parameter"]("kappa", 1.0, "1"),
        ),
    )
    candidate = next(MOVES["interaction"](ground_of(card), np.random.default_rng(1)))
    assert candidate.introduced[0].name == "kappa_2"


@pytest.mark.parametrize(
    ("power", "expected"), [(1.0, 5.0), (0.5, 1.0), (-1.0, 5.0), (0.3, 1.0), (2.0, 5.0)]
)
def test_a_scale_is_chosen_whose_power_is_short(
    parts: Parts, power: float, expected: float
) -> None:
    # The middle of 1 to 30 is 5.5; the roots of 2, 5, 10, 20, 50 have no short text.
    card = parts["card"]()
    assert ground_of(card).reference("z", power).value == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.89, 1.0), (3.0, 2.0), (3.3, 5.0), (7.5, 10.0), (0.012, 0.01), (4.4e6, 5e6)],
)
def test_round_scales(value: float, expected: float) -> None:
    assert nearest(round_scales(value), value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a*(1 + 0*x)", "a"),
        ("3*x/2", "1.5*x"),
        ("x + 0", "x"),
        ("0 - x", "-x"),
        ("x**1", "x"),
        ("0*x + 0*z", "0"),
        ("sqrt(x*(1 + 0*exp(-z)))", "sqrt(x)"),
        ("1*x", "x"),
        ("x/1", "x"),
    ],
)
def test_zero_terms_leave_the_folded_law(text: str, expected: str) -> None:
    assert to_infix(folded(parse_infix(text))) == expected


def test_laws_hold_controls_alone(card: Card) -> None:
    relations = relation_set_of(card)
    for x, z in ((0.3, 2.0), (3.7, 29.0)):
        inputs = {"x": x, "z": z}
        h = 143.0 * (x / 1.3) ** 0.62 * np.exp(-0.053 * z)
        q = 0.37 * (x / 1.3) ** 0.62 * z
        for laws in (laws_of(relations), folded_laws(relations)):
            assert evaluate(laws["h"], inputs) == pytest.approx(h, rel=1e-14)
            assert evaluate(laws["q"], inputs) == pytest.approx(q, rel=1e-14)


def test_edits_reach_every_kind_of_place(card: Card) -> None:
    relations = relation_set_of(card)
    changed = edited(
        relations,
        {
            "/parameters/0/value": 2.0,
            "/definitions/0/expression/args/1": 0.5,
            "/relations/1/expression": parse_infix("b*z"),
        },
    )
    assert changed.parameters[0].value == 2.0
    assert to_infix(changed.definitions[0].expression) == "(x/x0)**0.5"
    assert to_infix(changed.relations[1].expression) == "b*z"


@pytest.mark.parametrize(
    "path",
    [
        "/parameters/9/value",
        "/relations/0/expression/args/7",
        "/controls/0",
        "",
        "/parameters/x/value",
    ],
)
def test_pointers_that_lead_nowhere(card: Card, path: str) -> None:
    with pytest.raises(ValueError, match="nowhere"):
        edited(relation_set_of(card), {path: 1.0})


def test_blend_size_counts_both_laws(card: Card) -> None:
    relations = relation_set_of(card)
    sizes = [len(to_infix(law)) for law in folded_laws(relations).values()]
    assert blend_size(relations, relations) > 2 * 7 + len(sizes)
