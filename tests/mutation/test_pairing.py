import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lawsmith.measurement.constraints import admissible
from lawsmith.mutation.laws.refusals import ForgeError
from lawsmith.mutation.laws.relation_sets import at_pointer, laws_of
from lawsmith.mutation.pairing import forge, forge_family, judge_candidates
from lawsmith.mutation.screening.certificates import (
    certify,
    differing_figures,
    distinguishing_query,
)
from schemas.card import Card
from schemas.expression import to_wire, walk
from schemas.family import Family, MoveKind

Parts = dict[str, Callable[..., Any]]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def family(card: Card, key: bytes) -> Family:
    return forge_family(card, key)


def test_family_carries_what_it_needs(family: Family, card: Card) -> None:
    assert family.id == "sample:0099/r1/f1"
    assert (family.card_id, family.card_digest) == (card.id, card.digest)
    assert family.paper_id == "sample:0099"
    assert len(family.fixed.inputs) == 16
    assert 128 <= len(family.hidden.inputs) <= 144
    assert [r.resolution for r in family.readouts] == [None, None]
    assert {c.rule for c in family.choices} >= {"tol-1"}
    assert Family.from_json(family.to_json()) == family


def test_every_certificate_passed(family: Family) -> None:
    assert [c.number for c in family.certificates] == list(range(1, 13))
    assert {c.outcome for c in family.certificates} == {"passed"}


def test_certificates_are_a_function_of_stored_data(family: Family) -> None:
    again = certify(Family.from_json(family.to_json()))
    assert again == family.certificates
    assert differing_figures(family.certificates, again) == ()


def test_mutations_point_into_the_original_and_rebuild_the_counterfactual(family: Family) -> None:
    for mutation in family.mutations:
        assert at_pointer(family.original, mutation.path) == mutation.before
        assert at_pointer(family.counterfactual, mutation.path) == mutation.after


def test_distinguishing_query_is_admissible_and_stored(family: Family) -> None:
    query = distinguishing_query(family)
    assert admissible(family.controls, family.constraints, query)


@pytest.mark.parametrize(
    "move", ["exponent", "transform", "interaction", "term_added", "coefficient"]
)
def test_each_move_gives_a_certified_family(card: Card, key: bytes, move: MoveKind) -> None:
    family = forge_family(card, key, move=move)
    assert move in {m.move for m in family.mutations}
    assert not any(c.outcome == "failed" for c in family.certificates)
    for mutation in family.mutations:
        assert all(parameter.unit for parameter in mutation.introduced)
        introduced = {p.name for p in mutation.introduced}
        assert introduced <= {p.name for p in family.counterfactual.parameters}


def test_a_shared_definition_moves_both_readouts(card: Card, key: bytes) -> None:
    family = forge_family(card, key, move="exponent")
    if family.mutations[0].path.startswith("/definitions"):
        before, after = laws_of(family.original), laws_of(family.counterfactual)
        assert all(before[name] != after[name] for name in ("h", "q"))


def test_identities_hold_in_the_counterfactual(parts: Parts, key: bytes) -> None:
    # q is written out by itself, and the source states q = b*h*z: a move on h alone breaks it.
    twin = parts["card"](
        relations=(
            parts["relation"]("h", "a*(x/x0)**0.62*exp(-k*z)"),
            parts["relation"]("q", "c*a*(x/x0)**0.62*exp(-k*z)*z"),
        ),
        definitions=(),
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"]("c", 2.5, "mL/s/cm/um"),
            parts["parameter"]("k", 0.053, "1/cm"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        ),
        consistency=(parts["identity"]("q", "c*h*z"),),
    )
    report = forge(twin, key)
    assert report.family is not None
    _, refused = judge_candidates(twin, key)
    assert "inconsistent_twin" in {one.reason for one in refused}
    paths = {m.path.split("/")[2] for m in report.family.mutations}
    touched = {m.path.split("/")[1] for m in report.family.mutations}
    assert touched != {"relations"} or paths == {"0", "1"}
    identity = report.family.certificates[10].figures
    assert identity["held_in_original"] == 1.0


def test_stated_precision_wins(parts: Parts, key: bytes) -> None:
    stated = parts["card"](
        readouts=(
            parts["readout"]("h", "um", resolution=0.1),
            parts["readout"]("q", "mL/s", uncertainty=0.004, uncertainty_kind="absolute"),
        )
    )
    family = forge_family(stated, key)
    assert family.readouts[0].resolution == 0.1
    assert family.readouts[0].absolute == pytest.approx(0.5)
    assert family.readouts[1].absolute == 0.004
    assert family.readouts[1].resolution is None


def test_immutable_parameters_stay(card: Card, key: bytes) -> None:
    for move in ("exponent", "coefficient"):
        family = forge_family(card, key, move=move)
        before = {p.name: p.value for p in family.original.parameters}
        after = {p.name: p.value for p in family.counterfactual.parameters}
        assert after["x0"] == before["x0"]


def test_derived_parameter_follows_its_base(parts: Parts, key: bytes) -> None:
    from lawsmith.expressions import parse_infix

    derived = parts["card"](
        parameters=(
            parts["parameter"]("a", 143.0, "um"),
            parts["parameter"](
                "b", 0.37, "mL/s/cm", derivation=parse_infix("a/a0*b0"), role="constant"
            ),
            parts["parameter"]("a0", 100.0, "um", role="reference"),
            parts["parameter"]("b0", 0.25, "mL/s/cm", role="reference"),
            parts["parameter"]("k", 0.053, "1/cm"),
            parts["parameter"]("x0", 1.3, "m/s", role="reference"),
        )
    )
    family = forge_family(derived, key)
    assert [d.name for d in family.original.definitions] == ["b", "shape"]
    assert "b" not in {p.name for p in family.original.parameters}


def test_a_constraint_s_parameter_is_part_of_the_domain(parts: Parts, key: bytes) -> None:
    from lawsmith.expressions import parse_infix, to_infix
    from schemas.card import Constraint
    from schemas.expression import names_of

    limited = parts["card"](
        parameters=(
            *parts["card"]().parameters,
            parts["parameter"]("limit", 2.5, "cm*s/m", role="constant"),
        ),
        constraints=(
            Constraint(
                expression=parse_infix("z - limit*x"),
                meaning="far enough from the inlet",
                anchors=parts["card"]().sampling_anchors,
            ),
        ),
    )
    family = forge_family(limited, key)
    (condition,) = family.constraints
    assert to_infix(condition.expression) == "z - 2.5*x"
    assert names_of(condition.expression) == {"x", "z"}
    assert "limit" not in {p.name for p in family.original.parameters}
    assert all(z >= 2.5 * x for x, z in family.hidden.inputs)


def test_circular_definitions_are_refused(parts: Parts, key: bytes) -> None:
    circle = parts["card"](
        definitions=(
            parts["definition"]("shape", "1", "other*x/x0"),
            parts["definition"]("other", "1", "shape + 1"),
        )
    )
    assert forge(circle, key).reason_code == "not_executable"


def test_relation_undefined_on_the_domain_is_refused(parts: Parts, key: bytes) -> None:
    broken = parts["card"](
        relations=(
            parts["relation"]("h", "a*log(x/x0 - 1)"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    report = forge(broken, key)
    assert (report.family, report.reason_code) == (None, "undefined_on_domain")


def test_an_original_with_a_hole_between_the_samples_is_refused(parts: Parts, key: bytes) -> None:
    pole = parts["card"](
        relations=(
            parts["relation"]("h", "a*shape*exp(-k*z)"),
            parts["relation"]("q", "b*shape*z*(1 + 1e-9*x0**2/(x**2 - 4.2*x*x0 + 4.41*x0**2))"),
        )
    )
    report = forge(pole, key)
    assert (report.family, report.reason_code) == (None, "undefined_on_domain")
    assert "a divisor is zero" in report.sentence


def test_background_that_leaks_refuses_the_family(card: Card, key: bytes) -> None:
    with pytest.raises(ForgeError) as caught:
        forge_family(card, key, background="The thickness is proportional to the flow.")
    assert caught.value.reason_code == "background_leaks"


def test_too_large_a_blend_is_refused(parts: Parts, key: bytes) -> None:
    term = "a*shape*exp(-k*z)"
    long = " + ".join(f"{i}*a*sin({i}*shape)*exp(-{i}*k*z)" for i in range(2, 62))
    large = parts["card"](
        relations=(
            parts["relation"]("h", f"{term} + 0.001*({long})"),
            parts["relation"]("q", "b*shape*z"),
        )
    )
    report = forge(large, key)
    assert report.family is None
    assert report.reason_code == "blend_too_large"


def test_another_key_gives_other_designs(card: Card, family: Family) -> None:
    other = forge_family(card, b"k" * 32)
    assert other.fixed.inputs != family.fixed.inputs
    assert other.hidden.inputs != family.hidden.inputs


_SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from conftest import make_card
from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.pairing import forge_family
from pathlib import Path
for card in (make_card(), load_historical(Path({historical!r}))):
    print(forge_family(card, bytes(range(32))).digest)
"""


def test_same_card_and_key_give_the_same_digest_in_any_process() -> None:
    script = _SCRIPT.format(
        tests=str(ROOT / "tests/mutation"),
        historical=str(ROOT / "data/historical/hooke_helical_spring.json"),
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads},
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    }
    assert len(digests) == 1
    assert len(digests.pop().split()) == 2


def test_introduced_names_are_declared(card: Card, key: bytes) -> None:
    family = forge_family(card, key, move="interaction")
    declared = {p.name for p in family.counterfactual.parameters}
    declared |= {c.name for c in family.controls}
    declared |= {d.name for d in family.counterfactual.definitions}
    for relation in family.counterfactual.relations:
        used = {n["var"] for _, n in _wire_nodes(to_wire(relation.expression)) if "var" in n}
        assert used <= declared
    for law in laws_of(family.counterfactual).values():
        assert {getattr(n, "var", None) for _, n in walk(law)} - {None} <= {"x", "z"}


def _wire_nodes(node: Any, path: str = "") -> list[tuple[str, dict[str, Any]]]:
    if not isinstance(node, dict):
        return []
    found = [(path, node)]
    for i, arg in enumerate(node.get("args", [])):
        found += _wire_nodes(arg, f"{path}/{i}")
    return found
