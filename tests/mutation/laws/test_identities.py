"""Identities between readouts: found where physics ties them, not where two laws are simple."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.expressions import equivalent, evaluate, parse_infix, to_infix
from lawsmith.measurement import dense_design
from lawsmith.measurement.constraints import columns
from lawsmith.mutation.difficulty_strata import by_move
from lawsmith.mutation.followers import followed, solved_for
from lawsmith.mutation.forge_session import Workbench
from lawsmith.mutation.laws.historical import counterfactual_of, load_historical, original_of
from lawsmith.mutation.laws.interface import interface_of
from lawsmith.mutation.laws.relation_sets import laws_of, meanings_of
from lawsmith.mutation.pairing import forge, forge_proposed
from lawsmith.mutation.screening.certificates import certify
from schemas.card import Card
from schemas.expression import Expression, names_of, substitute
from schemas.family import Family, FamilyConsistency

Parts = dict[str, Callable[..., Any]]
Row = tuple[Any, ...]

OHM: Row = (
    [("I", "V/R"), ("P", "V**2/R")],
    [("V", "V", 1, 20), ("R", "ohm", 5, 100)],
    [("I", "A"), ("P", "W")],
    [],
)
SECOND_ORDER: Row = (
    [("c", "c0/(1 + k*c0*t)"), ("X", "k*c0*t/(1 + k*c0*t)")],
    [("c0", "mol/L", 0.1, 4), ("t", "min", 1, 60)],
    [("c", "mol/L"), ("X", "1")],
    [("k", 0.06, "L/mol/min")],
)
BRAGG: Row = (
    [("d", "lam/(2*sin(th))"), ("q", "4*acos(-1)*sin(th)/lam")],
    [("lam", "nm", 0.05, 0.2), ("th", "rad", 0.1, 1.2)],
    [("d", "nm"), ("q", "1/nm")],
    [],
)
TIED: list[tuple[str, Row, list[tuple[str, str]]]] = [
    ("ohm", OHM, [("P", "V*I")]),
    ("second order", SECOND_ORDER, [("X", "1 - c/c0")]),
    ("bragg", BRAGG, [("q", "2*acos(-1)/d")]),
    (
        "a resistor and a capacitor",
        (
            [("v", "V0*(1 - exp(-t/(R*C)))"), ("i", "V0/R*exp(-t/(R*C))")],
            [("t", "s", 0.1, 10), ("V0", "V", 1, 12)],
            [("v", "V"), ("i", "mA")],
            [("R", 3.3, "kohm"), ("C", 0.68, "mF")],
        ),
        [("v", "V0 - R*i")],
    ),
    (
        "momentum and energy",
        (
            [("p", "m*v"), ("E", "m*v**2/2")],
            [("m", "kg", 1, 5), ("v", "m/s", 1, 9)],
            [("p", "kg*m/s"), ("E", "J")],
            [],
        ),
        [("E", "p*v/2")],
    ),
    (
        "a beam, with a conversion",
        (
            [("w", "k*F*L**3/(3*E*I)"), ("s", "F*L**2/(2*E*I)")],
            [("F", "N", 10, 500), ("L", "m", 0.3, 2)],
            [("w", "mm"), ("s", "rad")],
            [("E", 7e10, "Pa"), ("I", 2.1e-8, "m^4"), ("k", 1000, "mm/m", "reference")],
        ),
        [("s", "3*w/(2*k*L)")],
    ),
    (
        "rate and half-life",
        (
            [("k", "A*exp(-E/(R*T))"), ("th", "log(2)/(A*exp(-E/(R*T)))")],
            [("T", "K", 280, 400), ("E", "kJ/mol", 40, 90)],
            [("k", "1/s"), ("th", "s")],
            [("A", 1e10, "1/s"), ("R", 0.008314, "kJ/mol/K", "reference")],
        ),
        [("th", "log(2)/k")],
    ),
    (
        "three shares",
        (
            [("A", "exp(-k*t)"), ("B", "(1 - exp(-k*t))*f"), ("C", "(1 - exp(-k*t))*(1 - f)")],
            [("t", "s", 0.1, 9), ("f", "1", 0.1, 0.9)],
            [("A", "1"), ("B", "1"), ("C", "1")],
            [("k", 0.3, "1/s")],
        ),
        [("C", "1 - A - B"), ("B", "f*(1 - A)")],
    ),
    (
        "a balance of masses",
        (
            [("c", "c0*exp(-k*t)"), ("q", "(c0 - c0*exp(-k*t))*V/m")],
            [("t", "min", 1, 60), ("c0", "mg/L", 10, 100)],
            [("c", "mg/L"), ("q", "mg/g")],
            [("k", 0.05, "1/min"), ("V", 0.1, "L"), ("m", 0.5, "g")],
        ),
        [("q", "(c0 - c)*V/m")],
    ),
    (
        "energies of a fall",
        (
            [("K", "m*g*(h - y)"), ("U", "m*g*y")],
            [("y", "m", 0.5, 4), ("h", "m", 5, 9)],
            [("K", "J"), ("U", "J")],
            [("m", 2.0, "kg"), ("g", 9.81, "m/s^2", "reference")],
        ),
        [("K", "m*g*h - U")],
    ),
    (
        "percent, declared",
        (
            [("T", "h*exp(-e*c*l)"), ("A", "h*(1 - exp(-e*c*l))")],
            [("c", "mol/L", 0.01, 1), ("l", "cm", 0.1, 1)],
            [("T", "percent"), ("A", "percent")],
            [("e", 1.2, "L/mol/cm"), ("h", 100, "percent", "reference")],
        ),
        [("A", "h - T")],
    ),
]
FREE: list[tuple[str, Row]] = [
    (
        "two fitted powers",
        (
            [("y", "a*x"), ("z", "b*x*w")],
            [("x", "m", 1, 5), ("w", "s", 1, 9)],
            [("y", "K"), ("z", "J")],
            [("a", 2.3, "K/m"), ("b", 1.7, "J/m/s")],
        ),
    ),
    (
        "two fitted lines",
        (
            [("y", "a + b*x"), ("z", "c + d*x*w")],
            [("x", "m", 1, 5), ("w", "s", 1, 9)],
            [("y", "K"), ("z", "K")],
            [("a", 2.3, "K"), ("b", 1.7, "K/m"), ("c", 3.1, "K"), ("d", 0.3, "K/m/s")],
        ),
    ),
    (
        "fitted numbers in the formulas",
        (
            [("y", "2.3*x**0.35*w"), ("z", "1.7*x**0.6")],
            [("x", "1", 1, 5), ("w", "1", 1, 9)],
            [("y", "1"), ("z", "1")],
            [],
        ),
    ),
    (
        "a power whose exponent is fitted to be 2",
        (
            [("y", "x**n*w"), ("z", "x*exp(-w)")],
            [("x", "1", 1, 5), ("w", "1", 1, 9)],
            [("y", "1"), ("z", "1")],
            [("n", 2.0, "1")],
        ),
    ),
    (
        "equal values of two parameters",
        (
            [("c", "exp(-k1*t)*f"), ("x", "(1 - exp(-k2*t))*f")],
            [("t", "s", 0.1, 9), ("f", "1", 0.1, 0.9)],
            [("c", "1"), ("x", "1")],
            [("k1", 0.3, "1/s"), ("k2", 0.3, "1/s")],
        ),
    ),
]


def card_of(parts: Parts, row: Row) -> Card:
    laws, controls, readouts, parameters = row
    card: Card = parts["card"](
        relations=tuple(parts["relation"](*law) for law in laws),
        definitions=(),
        controls=tuple(parts["control"](*control) for control in controls),
        readouts=tuple(parts["readout"](*readout) for readout in readouts),
        parameters=tuple(
            parts["parameter"](*p[:3], role=p[3] if len(p) > 3 else "fitted") for p in parameters
        ),
    )
    return card


def ties(card: Card) -> tuple[FamilyConsistency, ...]:
    return interface_of(card).consistency


def gap(family: Family, identity: FamilyConsistency, name: str) -> float:
    """Largest relative gap of an identity over random settings, by plain float evaluation."""
    relations = family.original if name == "original" else family.counterfactual
    known = meanings_of(relations) | laws_of(relations)
    rng = np.random.Generator(np.random.PCG64(3))
    worst = 0.0
    for _ in range(50):
        at = {
            c.name: float(rng.uniform(c.domain.low, c.domain.high))  # type: ignore[union-attr]
            for c in family.controls
        }
        left, right = (
            float(evaluate(substitute(side, known), at)) for side in (identity.left, identity.right)
        )
        worst = max(worst, abs(left - right) / max(abs(left), abs(right)))
    return worst


@pytest.mark.parametrize(("label", "row", "wanted"), TIED, ids=[one[0] for one in TIED])
def test_what_ties_readouts_is_found(
    parts: Parts, label: str, row: Row, wanted: list[tuple[str, str]]
) -> None:
    found = ties(card_of(parts, row))
    assert len(found) == len(wanted), label
    assert {one.origin for one in found} == {"computed"}
    for readout, text in wanted:
        solved = [solved_for(readout, one.left, one.right) for one in found]
        goal = parse_infix(text)
        assert any(
            one is not None and names_of(one) == names_of(goal) and same(one, goal)
            for one in solved
        ), [(to_infix(one.left), to_infix(one.right)) for one in found]


def same(one: Expression, other: Expression) -> bool:
    domain = dict.fromkeys(names_of(one), (0.5, 2.0))
    return equivalent(one, other, domain).verdict == "equal"


@pytest.mark.parametrize(("label", "row"), FREE, ids=[one[0] for one in FREE])
def test_simple_laws_alone_are_no_tie(parts: Parts, label: str, row: Row) -> None:
    assert ties(card_of(parts, row)) == (), label


def test_a_declared_identity_is_not_found_again(parts: Parts) -> None:
    card = card_of(parts, OHM).model_copy(update={"consistency": (parts["identity"]("P/V", "I"),)})
    assert [one.origin for one in ties(card)] == ["declared"]


def test_a_declared_identity_that_does_not_hold_ties_nothing(parts: Parts) -> None:
    card = card_of(parts, OHM).model_copy(update={"consistency": (parts["identity"]("P", "I"),)})
    assert [one.origin for one in ties(card)] == ["declared", "computed"]


@pytest.mark.parametrize("row", [OHM, SECOND_ORDER, BRAGG], ids=["ohm", "second order", "bragg"])
def test_every_family_keeps_what_ties_its_readouts(
    parts: Parts, row: Row, draw_key: Callable[[int], bytes]
) -> None:
    card = card_of(parts, row)
    families = [forge(card, draw_key(n)).family for n in range(3)]
    assert any(families)
    for family in families:
        if family is None:
            continue
        (identity,) = family.consistency
        assert gap(family, identity, "original") < 1e-12
        assert gap(family, identity, "counterfactual") < 1e-11
        # What follows is no move of its own.
        moved = [m for m in family.mutations if not m.follows]
        assert by_move(family.mutations) == by_move(moved)


def test_a_readout_left_alone_follows(parts: Parts, key: bytes) -> None:
    bench = Workbench(card_of(parts, OHM), key)
    delta = parse_infix("V/R + V**2/(V_ref*R)")
    candidate = bench.ground.candidate(
        "term_added",
        {"/relations/0/expression": delta},
        (bench.ground.reference("V"),),
    )
    found = followed(candidate, bench.ground)
    assert found is not None
    current, power = (one.expression for one in found.relations.relations)
    assert current == delta
    domain = {"V": (1.0, 20.0), "R": (5.0, 100.0), "V_ref": (1.0, 2.0)}
    product = parse_infix("V*(V/R + V**2/(V_ref*R))")
    assert equivalent(power, product, domain).verdict == "equal"
    assert [m.follows for m in found.mutations] == [False, True]


def test_a_counterfactual_that_breaks_a_tie_fails_certificate_11(parts: Parts, key: bytes) -> None:
    bench = Workbench(card_of(parts, OHM), key)
    candidate = bench.ground.candidate(
        "transform", {"/relations/1/expression": parse_infix("V**2/(R*(1 + V/(V + V)))")}
    )
    family = bench._family(candidate, bench._designs(0))
    found = certify(family)[10]
    assert (found.outcome, found.figures["computed"]) == ("failed", 1.0)
    assert found.sentence.startswith("inconsistent_twin")


def test_a_proposal_that_breaks_a_tie_is_refused_as_it_stands(parts: Parts, key: bytes) -> None:
    card = card_of(parts, OHM)
    bench = Workbench(card, key)
    law = parse_infix("V**2/R*(1 + (R/R_ref)**2)")
    candidate = bench.ground.candidate(
        "interaction", {"/relations/1/expression": law}, (bench.ground.reference("R"),)
    )
    proposal = (
        f'{{"counterfactual": {candidate.relations.model_dump_json()}, "mutations": '
        f"[{','.join(m.model_dump_json() for m in candidate.mutations)}]}}"
    )
    report = forge_proposed(card, key, [proposal])
    assert report.family is None
    assert [one.reason for one in report.rejected] == ["inconsistent_twin"]
    (refused,) = forge_proposed(
        card, key, [proposal.replace('"follows":false', '"follows":true')]
    ).rejected
    assert "follows from no other" in refused.reason


@pytest.mark.parametrize(
    ("identity", "name", "text"),
    [
        ("P = V*I", "I", "P/V"),
        ("P = V*I", "P", "V*I"),
        ("X + c/c0 = 1", "c", "(1 - X)*c0"),
        ("a - b = 2*c", "b", "a - 2*c"),
        ("a/b = c", "b", "a/c"),
        ("-a = c + 1", "a", "-(c + 1)"),
        ("a**3 = c", "a", "c**(1/3)"),
        ("log10(a) = -c", "a", "10**(-c)"),
        ("exp(a) = c", "a", "log(c)"),
    ],
)
def test_an_identity_is_solved_for_a_readout(identity: str, name: str, text: str) -> None:
    left, right = (parse_infix(side) for side in identity.split(" = "))
    found = solved_for(name, left, right)
    assert found is not None
    assert same(found, parse_infix(text))


def test_what_stands_twice_is_not_solved() -> None:
    assert solved_for("a", parse_infix("a*a + a"), parse_infix("c")) is None
    assert solved_for("a", parse_infix("a"), parse_infix("c*a")) is None
    assert solved_for("a", parse_infix("sin(a)"), parse_infix("c")) is None


def test_no_draw_of_a_historical_card_breaks_an_identity(historical_files: list[Path]) -> None:
    checked = 0
    for path in historical_files:
        card = load_historical(path)
        original, rng = original_of(card), np.random.Generator(np.random.PCG64(5))
        points = columns(card.controls, dense_design(card.controls, card.constraints, 16))
        for identity in interface_of(card).consistency:
            for _ in range(3):
                drawn, _ = counterfactual_of(card, original, rng)
                known = meanings_of(drawn) | laws_of(drawn)
                sides = [substitute(side, known) for side in (identity.left, identity.right)]
                left, right = (np.asarray(evaluate(side, points)) for side in sides)
                assert np.allclose(left, right, rtol=1e-10), path.stem
                checked += 1
    assert checked >= 21
