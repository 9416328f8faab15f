"""Which numbers of a family's laws are constants and which are structure."""

from pathlib import Path

import pytest

from lawsmith.expressions import parse_infix, same_form
from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.laws.law_constants import free_constant_paths, law_forms
from lawsmith.mutation.laws.relation_sets import folded_laws, laws_of
from lawsmith.mutation.pairing import forge_family
from schemas.card import Card
from schemas.expression import Expression, substitute, walk
from schemas.family import Environment, Family, LawParameter, LawRelation, RelationSet


def relations(text: str, **parameters: float) -> RelationSet:
    return RelationSet(
        parameters=tuple(
            LawParameter(name=name, symbol=name, value=value, unit="1", mutable=True)
            for name, value in parameters.items()
        ),
        definitions=(),
        relations=(LawRelation(readout="h", expression=parse_infix(text)),),
    )


def values_at(law: Expression, paths: tuple[str, ...]) -> list[float]:
    nodes = dict(walk(law))
    return [node for path in paths if isinstance(node := nodes[path], float)]


@pytest.fixture(scope="module")
def family(card: Card, key: bytes) -> Family:
    return forge_family(card, key, move="interaction")


def told(family: Family, original: RelationSet, counterfactual: RelationSet) -> Family:
    return family.model_copy(update={"original": original, "counterfactual": counterfactual})


@pytest.mark.parametrize(
    ("text", "parameters", "unfolded", "folded"),
    [
        # A declared exponent is a constant, a literal one is structure.
        ("a*x**b*z**2", {"a": 3.0, "b": 0.62}, [3.0, 0.62], [3.0, 0.62]),
        # Made of a declared one: the declared literal, and the whole exponent once folded.
        ("a*x**(b - 1)", {"a": 3.0, "b": 0.62}, [3.0, 0.62], [3.0, -0.38]),
        # 1/3 does not fold exactly and stays a tree.
        ("a*x**(1/n)", {"a": 3.0, "n": 3.0}, [3.0, 3.0], [3.0, 1.0, 3.0]),
        # A correction of zero is none of the Original's constants, here or elsewhere.
        ("a*x**(2 + d)", {"a": 3.0, "d": 0.0}, [3.0], [3.0]),
        # Inside an exponent that varies all numbers are constants.
        ("a*x**(b + k*z)", {"a": 3.0, "b": 0.62, "k": 0.1}, [3.0, 0.62, 0.1], [3.0, 0.62, 0.1]),
        # The power of a constant is a constant; only its base needs to be free.
        ("a*(x/x0)**b", {"a": 3.0, "x0": 4.0, "b": 0.5}, [3.0, 4.0, 0.5], [3.0, 4.0, 0.5]),
        ("a*x*s**b", {"a": 3.0, "s": 4.0, "b": 0.5}, [3.0, 4.0], [6.0]),
        # What a correction of zero multiplies is not there.
        ("a*x + d*(1 + k*z)", {"a": 3.0, "d": 0.0, "k": 0.7}, [3.0], [3.0]),
        # An exponent of one leaves the folded law, not the law as the world computes it.
        ("a*x**n*z", {"a": 3.0, "n": 1.0}, [3.0, 1.0], [3.0]),
    ],
)
def test_exponents_are_constants_where_they_are_declared(
    family: Family,
    text: str,
    parameters: dict[str, float],
    unfolded: list[float],
    folded: list[float],
) -> None:
    told_family = told(family, relations(text, **parameters), relations(text, **parameters))
    plain = free_constant_paths(told_family, "original")["h"]
    assert values_at(laws_of(told_family.original)["h"], plain) == unfolded
    short = free_constant_paths(told_family, "original", folded=True)["h"]
    assert values_at(folded_laws(told_family.original)["h"], short) == folded


def test_the_flag_is_the_same_in_both_environments(family: Family) -> None:
    original = relations("a*x**b", a=3.0, b=0.62)
    moved = relations("a*x**b*z**d", a=3.0, b=0.92, d=0.4)
    changed = told(family, original, moved)
    # b keeps its flag with another value; d is no parameter of the Original.
    paths = free_constant_paths(changed, "counterfactual")["h"]
    assert values_at(laws_of(moved)["h"], paths) == [3.0, 0.92]


def test_a_form_names_every_constant_and_gives_the_law_back(family: Family) -> None:
    sets = relations("a*x**n*z**b*10**(c - 2*z)", a=3.0, n=1.0, b=0.62, c=0.4)
    (form,) = law_forms(sets, ("a", "n", "b", "c")).values()
    assert list(form.values.values())[:3] == [3.0, 1.0, 0.62]
    assert len(form.values) == 5
    back = substitute(form.expression, dict(form.values))
    assert same_form(back, folded_laws(sets)["h"], (), {"x": (0.5, 2.0), "z": (1.0, 3.0)}).equal
    (held,) = law_forms(sets, ("a", "b", "c")).values()
    assert 1.0 not in held.values.values()


def test_declared_exponents_of_historical_cards(historical_files: list[Path], key: bytes) -> None:
    by_name = {path.stem: path for path in historical_files}
    free: dict[str, list[float]] = {}
    for slug in ("cobb_douglas_output", "kleiber_metabolism", "omori_utsu_aftershocks"):
        found = forge_family(load_historical(by_name[slug]), key)
        environments: tuple[Environment, ...] = ("original", "counterfactual")
        for environment in environments:
            laws = laws_of(getattr(found, environment))
            for readout, paths in free_constant_paths(found, environment).items():
                free[f"{slug} {environment} {readout}"] = values_at(laws[readout], paths)
    assert free["kleiber_metabolism original B_met"][:3] == [3.39, 1.0, 0.75]
    assert free["kleiber_metabolism counterfactual B_met"][:3] == [3.39, 1.0, 0.75]
    assert free["omori_utsu_aftershocks original n_rate"].count(1.08) == 1
    assert free["cobb_douglas_output original Y_x"].count(0.75) == 2
    assert 0.0 not in {value for values in free.values() for value in values}
