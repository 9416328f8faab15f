"""Families become four tasks whose ids, formulas and observations anyone can recompute."""

import hashlib
import hmac
from decimal import ROUND_HALF_EVEN, Decimal
from types import ModuleType

import pytest

from lawsmith.errors import InputError
from lawsmith.expressions import evaluate, evaluate_exact, parse_infix, to_infix, without_zeros
from lawsmith.mutation.laws.relation_sets import laws_of
from lawsmith.release.tasks import blend_of, make_tasks, sealed_laws, worlds_of
from schemas.expression import Op, Var, walk
from schemas.family import Environment, LawRelation, RelationSet


def test_ids_are_keyed_hmacs(samples: ModuleType) -> None:
    family = samples.historical_family()
    made = make_tasks(family, samples.KEY, "historical-dev")
    expected = {
        "t-"
        + hmac.new(
            samples.KEY, f"task|stiff_band|{setting}|{environment}".encode(), hashlib.sha256
        ).hexdigest()[:16]
        for setting in ("identification", "discovery")
        for environment in ("original", "counterfactual")
    }
    assert {task.id for task in made.public} == expected
    assert [task.id for task in made.public] == sorted(expected)
    assert {key.id for key in made.sealed} == expected


def test_both_ends_of_the_blend_are_the_two_laws(samples: ModuleType) -> None:
    family = samples.historical_family()
    blend = blend_of(family)
    formula = parse_infix(blend.formulas["pull"])
    point = {"stretch": 0.25, "width": 0.04}
    ends: tuple[tuple[float, Environment], ...] = ((0.0, "original"), (1.0, "counterfactual"))
    for s, environment in ends:
        law = sealed_laws(family, environment)[0].expression
        assert evaluate(formula, {**point, "s": s}) == pytest.approx(
            evaluate(law, point), rel=1e-14
        )
    assert not blend.intermediate_allowed
    assert isinstance(formula, Op)
    assert formula.op == "add"


def test_observations_are_the_rounded_truth_and_the_same_in_both_settings(
    samples: ModuleType,
) -> None:
    family = samples.historical_family()
    made = make_tasks(family, samples.KEY, "historical-dev")
    by_task = {key.id: [r for r in made.fixed if r.task_id == key.id] for key in made.sealed}
    outputs: dict[str, set[tuple[tuple[float, ...], ...]]] = {}
    for key in made.sealed:
        rows = by_task[key.id]
        assert [row.index for row in rows] == list(range(16))
        assert tuple(row.inputs for row in rows) == family.fixed.inputs
        for row in rows:
            point = {"stretch": row.inputs[0], "width": row.inputs[1]}
            truth = Decimal(repr(evaluate_exact(key.laws[0].expression, point)))
            rounded = truth.quantize(Decimal("0.001"), ROUND_HALF_EVEN)
            assert row.outputs == (float(rounded),)
        outputs.setdefault(key.environment, set()).add(tuple(row.outputs for row in rows))
    assert {name: len(found) for name, found in outputs.items()} == {
        "original": 1,
        "counterfactual": 1,
    }


def test_the_public_rows_of_two_environments_differ_in_their_ids_alone(
    samples: ModuleType,
) -> None:
    made = make_tasks(samples.temporal_family(), samples.KEY, "temporal-sample")
    for setting in ("identification", "discovery"):
        one, other = (task for task in made.public if task.setting == setting)
        assert one.id != other.id
        assert one.content() == other.content()
        assert one.digest == other.digest
        assert (one.blend is None) == (setting == "discovery")


def test_keys_hold_the_law_as_the_world_computes_it(samples: ModuleType) -> None:
    family = samples.historical_family()
    made = make_tasks(family, samples.KEY, "historical-dev")
    for key in made.sealed:
        (law,) = key.laws
        relations = getattr(family, key.environment)
        whole = laws_of(relations)["pull"]
        # The Original's correction is zero, and gone.
        assert law.expression == (without_zeros(whole) if key.environment == "original" else whole)
        nodes = dict(walk(law.expression))
        values = {parameter.value for parameter in relations.parameters} - {0.0}
        assert {nodes[path] for path in law.constants} == values
        truth = getattr(family.hidden, key.environment)
        assert key.hidden_truth == truth


def test_candidates_show_constants_folded(samples: ModuleType) -> None:
    family = samples.historical_family()
    derived = RelationSet(
        parameters=(),
        definitions=(),
        relations=(
            LawRelation(readout="pull", expression=parse_infix("acos(-1)/(4*1.1)*stretch*width")),
        ),
    )
    changed = samples.evolve(family, original=derived)
    (law,) = sealed_laws(changed, "original")
    assert to_infix(law.expression) == "pi/(4*1.1)*stretch*width"
    formula = blend_of(changed).formulas["pull"]
    assert formula.startswith("(1 - s)*(0.7139983303613167*stretch*width)")


def test_worlds_say_what_the_instruments_resolve(samples: ModuleType) -> None:
    counterfactual, original = worlds_of(samples.historical_family())
    assert counterfactual.id == "stiff_band/counterfactual"
    assert original.resolutions == {"pull": 0.001}
    assert original.relation_set_digest != counterfactual.relation_set_digest


def test_a_blend_beyond_the_limits_is_refused(samples: ModuleType) -> None:
    family = samples.historical_family()
    long = Op("add", tuple(Op("mul", (1.0 + i, Var("stretch"))) for i in range(200)))
    grown = RelationSet(
        parameters=(), definitions=(), relations=(LawRelation(readout="pull", expression=long),)
    )
    with pytest.raises(InputError, match="blend of stiff_band is too large"):
        blend_of(samples.evolve(family, original=grown, counterfactual=grown))


def test_a_control_called_s_gives_the_unknown_another_name(samples: ModuleType) -> None:
    family = samples.historical_family()
    control = family.controls[0].model_copy(update={"name": "s"})
    relations = RelationSet(
        parameters=(),
        definitions=(),
        relations=(LawRelation(readout="pull", expression=Op("mul", (2.0, Var("s")))),),
    )
    renamed = samples.evolve(
        family,
        controls=(control, family.controls[1]),
        original=relations,
        counterfactual=relations,
    )
    blend = blend_of(renamed)
    assert blend.parameter == "s_blend"
    assert blend.formulas["pull"] == "(1 - s_blend)*(2*s) + s_blend*(2*s)"
