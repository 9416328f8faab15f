"""The structure score: what is one form, what is part of one, and what is nothing of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from lawsmith.calibration.problems.records import SINGLE, Space, records_of
from lawsmith.calibration.structure import structure_of_law
from lawsmith.calibration.worlds.calibration import HiddenForm, WorldPlan, calibrate
from lawsmith.expressions import compile_expression, parse_infix
from schemas.calibrated_task import GroupConstants, HiddenEdit, LocalConstant, ParallelKey
from schemas.expression import Expression, names_of
from schemas.world import CalibratedWorld, WorldControl, WorldReadout

Floats = NDArray[np.float64]
SHA = "0" * 64


@dataclass(frozen=True)
class Case:
    """An answer with its world."""

    key: ParallelKey
    world: CalibratedWorld

    def level(
        self,
        text: str,
        shared: Mapping[str, float] | None = None,
        local: Sequence[str] = (),
    ) -> str:
        own = [LocalConstant(name=n, starts=(1.0,), low=None, high=None) for n in local]
        law = parse_infix(text)
        return structure_of_law(law, shared or {}, own, self.key, self.world).level


def edit(move: str, path: str, before: str, after: str, *names: str) -> HiddenEdit:
    return HiddenEdit(
        move=move,
        path=path,
        before=parse_infix(before),
        after=parse_infix(after),
        introduced=names,
    )


def case_of(
    base: str,
    law: str,
    edits: Sequence[HiddenEdit],
    values: Mapping[str, Mapping[str, float]],
    local: Sequence[str] = (),
    fixed: Sequence[str] = (),
    controls: Sequence[str] = ("x", "z"),
) -> Case:
    hidden = parse_infix(law)
    rng = np.random.default_rng(5)
    labels = np.repeat(list(values), 40)
    inputs = {name: rng.uniform(0.5, 4.0, len(labels)) for name in controls}
    target = rng.normal(0, 0.01, len(labels)) + _truth(hidden, inputs, labels, values)
    grouped = list(values) != [SINGLE]
    records = records_of(inputs, target, labels if grouped else None)
    plan = WorldPlan(
        id="p/h",
        problem_id="p",
        problem_digest=SHA,
        law_id="p/h/law",
        controls=tuple(WorldControl(name=name, unit="m") for name in controls),
        readout=WorldReadout(name="y", unit="m", low=None, high=None, integer=False),
        calibration_rows="train",
        train_rows=100,
    )
    world, _ = calibrate(plan, HiddenForm(hidden, values), records, Space("linear"))
    names = names_of(hidden) - set(controls)
    key = ParallelKey(
        id="t-0",
        problem_id="p",
        problem_digest=SHA,
        world_id="p/h",
        world_digest=SHA,
        public_digest=SHA,
        base_law="base",
        base=parse_infix(base),
        law=hidden,
        shared=tuple(sorted(names - set(local))),
        fixed=tuple(fixed),
        local=tuple(local),
        constants=tuple(
            GroupConstants(group=label or None, values=dict(own)) for label, own in values.items()
        ),
        edits=tuple(edits),
        group_labels={},
        certificates=(),
        refused=(),
        canary="c",
    )
    return Case(key, world)


def _truth(
    law: Expression,
    inputs: Mapping[str, Floats],
    labels: NDArray[np.str_],
    values: Mapping[str, Mapping[str, float]],
) -> Floats:
    found = np.empty(len(labels))
    for label, own in values.items():
        rows = labels == label
        found[rows] = compile_expression(law)({**{n: c[rows] for n, c in inputs.items()}, **own})
    return found


@pytest.fixture(scope="module")
def grouped() -> Case:
    """Michaelis and Menten with an own Vm and a shared K, plus a shared linear leak."""
    values = {g: {"Vm": v, "K": 0.8, "d": 0.15} for g, v in (("a", 3.0), ("b", 4.5), ("c", 2.2))}
    leak = edit("term_added", "", "Vm*x/(K+x)", "Vm*x/(K+x) + d*x", "d")
    return case_of("Vm*x/(K+x)", "Vm*x/(K+x) + d*x", [leak], values, local=("Vm",))


@pytest.fixture(scope="module")
def single() -> Case:
    """A decay to a level whose time is stretched."""
    values = {SINGLE: {"A": 3.0, "k": 0.7, "c": 0.6}}
    stretched = edit("exponent", "/args/0/args/1/args/0/args/0/args/1", "x", "x**1.5")
    law = "A*exp(-(k*x**1.5)) + c"
    return case_of("A*exp(-(k*x)) + c", law, [stretched], values)


@pytest.fixture(scope="module")
def twice() -> Case:
    """A plane with two added terms, each an edit of its own."""
    values = {SINGLE: {"a": 1.0, "b": 2.0, "p": 0.4, "q": 0.9}}
    edits = [
        edit("transform", "/args/0", "a*x", "a*x + p*x**2", "p"),
        edit("interaction", "/args/1", "b*z", "b*z + q*sin(z)", "q"),
    ]
    return case_of("a*x + b*z", "a*x + p*x**2 + (b*z + q*sin(z))", edits, values)


def test_the_law_itself_and_rearranged_is_full(grouped: Case) -> None:
    assert grouped.level("Vm*x/(K+x) + d*x", {"K": 2.0, "d": 1.0}, ["Vm"]) == "full"
    assert grouped.level("x*(v + d*(K+x))/(K+x)", {"K": 0.5, "d": 0.3}, ["v"]) == "full"


def test_other_constants_for_the_same_freedom_are_full(grouped: Case) -> None:
    """1/K in the place of K, Vm/K in that of Vm, and the inverse of the slope."""
    assert grouped.level("v*x/(1 + h*x) + x/s", {"h": 1.2, "s": 5.0}, ["v"]) == "full"
    assert grouped.level("w*x/(1/h + x) + x/s", {"h": 1.2, "s": 5.0}, ["w"]) == "full"


def test_numbers_in_the_expression_are_shared_constants(grouped: Case) -> None:
    assert grouped.level("Vm*x/(0.8 + x) + 0.15*x", {}, ["Vm"]) == "full"
    assert grouped.level("Vm*x/(3.7 + x) + 9.5*x", {}, ["Vm"]) == "full"


def test_a_wrong_pattern_of_shared_constants_is_most_edits(grouped: Case) -> None:
    assert grouped.level("Vm*x/(K+x) + d*x", {"Vm": 3.0, "K": 1.0, "d": 0.1}) == "most_edits"
    assert grouped.level("Vm*x/(K+x) + d*x", {"K": 1.0}, ["Vm", "d"]) == "most_edits"


def test_the_base_alone_is_base_under_any_name(grouped: Case) -> None:
    assert grouped.level("Vm*x/(K+x)", {"K": 1.0}, ["Vm"]) == "base"
    assert grouped.level("1/(a/x + b)", {}, ["a", "b"]) == "base"


def test_an_extra_term_is_neither_law_nor_base(grouped: Case) -> None:
    assert grouped.level("Vm*x/(K+x) + d*x + e*x**3", {"K": 1.0, "d": 0.1, "e": 1.0}, ["Vm"]) == (
        "variables"
    )


def test_a_correlated_impostor_has_the_variables_alone(grouped: Case) -> None:
    assert grouped.level("a*log(x) + b", {}, ["a", "b"]) == "variables"


def test_a_foreign_variable_or_unknown_name_is_none(grouped: Case) -> None:
    assert grouped.level("Vm*x/(K+x) + d*z", {"K": 1.0, "d": 0.1}, ["Vm"]) == "none"
    assert grouped.level("Vm*x/(K+x) + d*q", {"K": 1.0, "d": 0.1}, ["Vm"]) == "none"


def test_a_constant_or_a_law_without_value_is_none(grouped: Case) -> None:
    assert grouped.level("2.5") == "none"
    assert grouped.level("c", {}, ["c"]) == "none"
    assert grouped.level("c*log(0 - x)", {"c": 1.0}) == "none"


def test_a_wrong_exponent_is_not_the_law(single: Case) -> None:
    law = "A*exp(-k*x**{}) + c"
    constants = {"A": 2.0, "k": 1.0, "c": 0.5}
    assert single.level(law.format("1.5"), constants) == "full"
    assert single.level(law.format("2"), constants) == "variables"


def test_a_fitted_exponent_is_a_family_of_its_own(single: Case) -> None:
    """A law that could have any exponent has one constant more than the hidden one."""
    constants = {"A": 2.0, "k": 1.0, "c": 0.5, "n": 1.4}
    assert single.level("A*exp(-k*x**n) + c", constants) == "variables"


def test_half_of_the_edits_is_most_edits(twice: Case) -> None:
    both = {"a": 1.0, "b": 1.0, "p": 1.0, "q": 1.0}
    assert twice.level("a*x + p*x**2 + b*z + q*sin(z)", both) == "full"
    assert twice.level("a*x + p*x**2 + b*z", {"a": 1.0, "b": 1.0, "p": 1.0}) == "most_edits"
    assert twice.level("a*x + b*z", {"a": 1.0, "b": 1.0}) == "base"


def test_what_a_replaced_term_leaves_of_the_base_is_base() -> None:
    """Levels follow the edits: where a term is replaced, the rest of the base counts."""
    values = {SINGLE: {"a": 1.0, "b": 2.0}}
    swap = edit("transform", "/args/1/args/1", "z", "tanh(z)")
    case = case_of("a*x + b*z", "a*x + b*tanh(z)", [swap], values)
    assert case.level("a*x + b*tanh(z)", {"a": 1.0, "b": 1.0}) == "full"
    assert case.level("a*x + b*z", {"a": 1.0, "b": 1.0}) == "base"
    whole = edit("transform", "/args/1", "b*z", "tanh(b*z)")
    case = case_of("a*x + b*z", "a*x + tanh(b*z)", [whole], {SINGLE: {"a": 1.0, "b": 0.6}})
    assert case.level("a*x", {"a": 2.0}) == "base"


def test_a_fixed_scale_may_be_left_out_or_be_another() -> None:
    values = {SINGLE: {"k": 2.0, "u": 1.0}}
    bend = edit("transform", "/args/1", "sin(x/u)", "sin(x/u)*x")
    case = case_of("k*sin(x/u)", "k*(sin(x/u)*x)", [bend], values, fixed=("u",))
    assert case.level("k*x*sin(x)", {"k": 1.0}) == "full"
    assert case.level("k*x*sin(x/u)", {"k": 1.0, "u": 1.0}) == "full"


def test_the_verdict_is_the_same_each_time(grouped: Case) -> None:
    law, own = (
        parse_infix("w*x/(1/h + x) + x/s"),
        [LocalConstant(name="w", starts=(1.0,), low=None, high=None)],
    )
    first, second = (
        structure_of_law(law, {"h": 1.2, "s": 5.0}, own, grouped.key, grouped.world)
        for _ in range(2)
    )
    assert first == second
    assert first.score == 1.0
