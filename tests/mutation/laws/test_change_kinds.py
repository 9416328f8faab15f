"""What kind of move a change is, read from the trees."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.expressions import parse_infix
from lawsmith.keyed_draws import generator
from lawsmith.mutation.candidates import Pool
from lawsmith.mutation.forge_session import Workbench
from lawsmith.mutation.laws.change_kinds import alike, exponents_of, kind_of, kinds_of
from lawsmith.mutation.laws.interface import relation_set_of
from lawsmith.mutation.pairing import forge_proposed
from schemas.card import Card
from schemas.expression import to_wire
from schemas.family import ForgeReport, LawRelation, MoveKind, Mutation, RelationSet

Parts = dict[str, Callable[..., Any]]


def laws(text: str) -> RelationSet:
    relation = LawRelation(readout="y", expression=parse_infix(text))
    return RelationSet(parameters=(), definitions=(), relations=(relation,))


def changed(before: str, after: str) -> MoveKind:
    mutation = Mutation(
        move="transform",
        path="/relations/0/expression",
        before=parse_infix(before),
        after=parse_infix(after),
        introduced=(),
    )
    return kind_of(mutation, laws(before), laws(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("3*(1 + 0.5*x)*(1 + 0.5*x)", "3*(1 + 0.1*x)*(1 + 2.5*x)"),
        ("(1 + 0.5*x)**2", "(2.5*x + 1)*(0.1*x + 1)"),
        ("min(x, 5000*z)", "min(x, 0.05*z)"),
        ("max(2, x)", "max(x, 7)"),
        ("2 + sin(x)", "2 + sin(6*x)"),
        ("2 + sin(x)", "5*(1 + 0.2*sin(3*x))"),
        ("3*exp(-0.2*z)", "3*2**(-0.7*z)"),
        ("10**(4 - 0.9*x)*z", "exp(-0.2*x)*z"),
        ("x/(1 + 0.2*x)", "x*7/(3 + x)"),
        ("log(x) + z", "2*log10(x) + 1.5*z"),
        ("abs(x - 2)", "abs(x - 9)/4"),
        ("sqrt(2*x)", "(7*x)**0.5"),
        ("x - 3*z", "x - 7*z"),
        ("step(x - 1)*z", "step(x - 4)*z"),
        ("atan2(x, 2*z)", "atan2(3*x, z)"),
    ],
)
def test_other_constants_are_a_coefficient(before: str, after: str) -> None:
    assert alike(laws(before), laws(after))
    assert changed(before, after) == "coefficient"


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("exponent", "x**0.6*z", "x**1.4*z"),
        ("exponent", "x*z", "2*x**1.5*z"),
        ("exponent", "x*z", "z/x"),
        ("exponent", "sqrt(x + 1)*z", "(x + 1)**0.8*z"),
        ("term_added", "x*z", "x*z + 0.3*x**2"),
        ("term_added", "1 + x", "1 + x + 0.4*z*x"),
        ("term_removed", "x + z + x*z", "x + z"),
        ("operator_swap", "x + z", "x - z"),
        ("operator_swap", "x + z", "max(x, z)"),
        ("operator_swap", "max(x, z)", "min(x, z)"),
        ("operator_swap", "x + 2*z", "sqrt(x**2 + (2*z)**2)"),
        ("interaction", "3*x", "3*x*(1 + 0.4*x*z)"),
        ("transform", "3*x*z", "3*tanh(x)*z"),
        ("transform", "x*z", "x*z*(1 + x*z)"),
        ("transform", "exp(x)", "sinh(x)"),
    ],
)
def test_a_change_of_form_has_its_kind(kind: MoveKind, before: str, after: str) -> None:
    assert not alike(laws(before), laws(after))
    assert changed(before, after) == kind


def test_every_keyed_move_is_of_the_kind_that_made_it(
    card: Card, sample_cards: dict[str, Card], key: bytes
) -> None:
    seen: set[MoveKind] = set()
    for one in (card, *sample_cards.values()):
        bench = Workbench(one, key)
        pool = Pool(bench.ground, generator(key, "moves", bench.id), [])
        for kind in pool.kinds:
            for sifted in pool.of_kind(kind):
                found = sifted.candidate
                assert kinds_of(found.mutations, bench.original, found.relations) == found.mutations
                seen |= set(found.moves)
    assert len(seen) == 7


def test_exponents_stand_as_whole_exponents_alone(parts: Parts) -> None:
    made = parts["card"](
        relations=(
            parts["relation"]("h", "a*shape**n*exp(-k*z)"),
            parts["relation"]("q", "b*shape**m*z*m"),
        ),
        parameters=(
            *parts["card"]().parameters,
            parts["parameter"]("n", 0.8, "1"),
            parts["parameter"]("m", 0.8, "1"),
        ),
    )
    assert exponents_of(relation_set_of(made)) == {"n"}


def proposed(parts: Parts, key: bytes, before: str, after: str, move: str) -> ForgeReport:
    made = parts["card"](
        relations=(parts["relation"]("h", before),),
        definitions=(),
        readouts=(parts["readout"]("h", "um"),),
    )
    original = relation_set_of(made)
    body = LawRelation(readout="h", expression=parse_infix(after))
    counterfactual = original.model_copy(update={"relations": (body,)})
    data = {
        "counterfactual": json.loads(counterfactual.model_dump_json()),
        "mutations": [
            {
                "move": move,
                "path": "/relations/0/expression",
                "before": to_wire(original.relations[0].expression),
                "after": to_wire(body.expression),
                "introduced": [],
            }
        ],
    }
    return forge_proposed(made, key, [json.dumps(data)])


@pytest.mark.parametrize("move", ["transform", "exponent", "operator_swap", "coefficient"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a*(1+0.5*x/x0)*(1+0.5*x/x0)*exp(-k*z)", "a*(1+0.1*x/x0)*(1+2.5*x/x0)*exp(-k*z)"),
        ("min(a*x/x0, 5000*a*x**2/x0**2)*exp(-k*z)", "min(a*x/x0, 0.2*a*x**2/x0**2)*exp(-k*z)"),
        ("a*(2+sin(x/x0+0.3))*exp(-k*z)", "a*(2+sin(6*x/x0+0.3))*exp(-k*z)"),
        ("a*(2+sin(x/x0+0.3))*exp(-k*z)", "a*(2+cos(x/x0+0.9))*exp(-k*z)"),
    ],
)
def test_a_proposal_is_what_its_trees_say(
    parts: Parts, key: bytes, before: str, after: str, move: str
) -> None:
    report = proposed(parts, key, before, after, move)
    assert report.family is None
    (one,) = report.rejected
    assert one.moves == ("coefficient",)
    assert "constants" in one.reason


@pytest.mark.parametrize("move", ["coefficient", "term_added", "transform"])
def test_a_proposed_family_carries_the_kind_that_code_read(
    parts: Parts, key: bytes, move: str
) -> None:
    report = proposed(parts, key, "a*x/x0*exp(-k*z)", "a*(x/x0)**1.7*exp(-k*z)", move)
    assert report.family is not None, report.sentence
    assert [one.move for one in report.family.mutations] == ["exponent"]
