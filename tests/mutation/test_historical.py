import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lawsmith.errors import InputError
from lawsmith.expressions import evaluate
from lawsmith.mutation.historical import draw, load_historical, original_of
from lawsmith.mutation.pairing import forge, forge_family
from lawsmith.mutation.relation_sets import folded_laws, laws_of
from schemas.expression import to_wire
from schemas.family import Family
from schemas.historical_card import HistoricalCard, MutationRule

SLUGS = (
    "galileo_projectile",
    "hooke_helical_spring",
    "kepler_third_law",
    "michaelis_menten_inhibited",
    "newton_gravity_field",
    "rydberg_series",
)
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT.parent / "shared/reference/historical.json"


def load(slug: str) -> HistoricalCard:
    return load_historical(ROOT / f"data/historical/{slug}.json")


def test_six_families_are_committed_without_drawn_values(historical_files: list[Path]) -> None:
    assert tuple(path.stem for path in historical_files) == SLUGS
    for path in historical_files:
        assert '"counterfactual"' not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("slug", SLUGS)
def test_original_agrees_with_the_independent_reference(slug: str) -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference tables are not at hand")
    families = json.loads(REFERENCE.read_text(encoding="utf-8"))["families"]
    reference = next(f for f in families if f["id"] == slug)
    card = load(slug)
    original = original_of(card)
    assert {p.name: p.value for p in original.parameters} == {
        p["name"]: p["original"] for p in reference["parameters"]
    }
    for derived, stated in zip(original.definitions, reference["derived"], strict=True):
        assert derived.unit == stated["unit"]
        known = {p.name: p.value for p in original.parameters}
        assert evaluate(derived.expression, known) == pytest.approx(stated["original"], rel=1e-12)
    point = {i["name"]: i.get("low", i.get("values", [0])[-1]) for i in reference["inputs"]}
    point |= {p["name"]: p["original"] for p in reference["parameters"]}
    point |= {d["name"]: d["original"] for d in reference["derived"]}
    functions = {n: getattr(math, n) for n in ("sqrt", "exp", "sin", "cos", "log", "pi")}
    for name, law in laws_of(original).items():
        # Independent: the reference's own text, computed by Python.
        expected = eval(reference["relations"][name], {"__builtins__": {}}, functions | point)
        assert evaluate(law, point) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("slug", SLUGS)
def test_rules_hold_the_reference_counterfactual(slug: str) -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference tables are not at hand")
    families = json.loads(REFERENCE.read_text(encoding="utf-8"))["families"]
    reference = next(f for f in families if f["id"] == slug)
    values = {p["name"]: p["counterfactual"] for p in reference["parameters"]}
    changed = {p["name"] for p in reference["parameters"] if p["counterfactual"] != p["original"]}
    rules = load(slug).mutation_rules
    assert {rule.target for rule in rules} == changed
    assert all(rule.low <= values[rule.target] <= rule.high for rule in rules)


def _check_draws(slug: str, draw_key: Callable[[int], bytes], draws: range) -> list[Family]:
    card = load(slug)
    families: list[Family] = []
    for n in draws:
        report = forge(card, draw_key(n))
        assert report.family is not None, f"draw {n}: {report.sentence}"
        families.append(report.family)
    return families


@pytest.mark.parametrize("slug", SLUGS)
def test_keyed_draws_pass(slug: str, draw_key: Callable[[int], bytes]) -> None:
    families = _check_draws(slug, draw_key, range(3))
    drawn = {json.dumps([to_wire(m.after) for m in f.mutations]) for f in families}
    assert len(drawn) == 3


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("slug", SLUGS)
def test_fifty_keyed_draws_pass(slug: str, draw_key: Callable[[int], bytes]) -> None:
    _check_draws(slug, draw_key, range(50))


def test_dependents_are_recomputed_and_corrections_vanish_in_the_original(key: bytes) -> None:
    family = forge_family(load("hooke_helical_spring"), key)
    moved = {m.path: m for m in family.mutations}
    assert {m.move for m in moved.values()} == {"historical_parameter", "historical_correction"}
    assert family.original.definitions == family.counterfactual.definitions
    assert family.original.relations == family.counterfactual.relations
    shear = family.counterfactual.parameters[0].value
    assert 8.8e10 <= shear <= 1.1e11
    assert float(f"{shear:.2e}") == shear
    # Without its correction the force is a monomial: no cubic term is left in the sealed law.
    assert to_wire(folded_laws(family.original)["force"]) == {
        "op": "div",
        "args": [
            {"op": "mul", "args": [5736.400462962963, {"var": "x_ext"}]},
            {"var": "n_coil"},
        ],
    }


def test_all_discrete_family_withholds_a_quarter(key: bytes) -> None:
    family = forge_family(load("rydberg_series"), key)
    assert len(family.hidden.inputs) == 110 // 4
    assert family.certificates[1].figures["method"] == "proved"
    assert not set(family.hidden.inputs) & set(family.fixed.inputs)


def test_draws_stay_in_range_and_are_short() -> None:
    rng = np.random.default_rng(3)
    rule = MutationRule(target="x", low=0.0123456, high=0.9, reason="wide")
    values = [draw(rule, rng) for _ in range(200)]
    assert all(rule.low <= v <= rule.high for v in values)
    assert all(v == rule.low or float(f"{v:.2e}") == v for v in values)
    # Over more than a decade the draw is uniform in the logarithm.
    assert 0.35 < np.mean([v < 0.105 for v in values]) < 0.65


def test_background_is_the_family_s_own_and_gives_no_number_away(key: bytes) -> None:
    family = forge_family(load("newton_gravity_field"), key)
    assert "`g_field`" in family.background
    assert "Newton" not in family.background


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Invalid|Expecting"),
        ('{"id": "other", "id": "other"}', "stands twice"),
        ('{"id": "bad"}', "title"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        load_historical(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_historical(tmp_path / "none.json")


def test_file_under_another_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "renamed.json"
    path.write_bytes((ROOT / "data/historical/kepler_third_law.json").read_bytes())
    with pytest.raises(InputError, match="differs from the file's name"):
        load_historical(path)


def test_rule_for_an_unknown_parameter_is_refused() -> None:
    card = load("kepler_third_law")
    rule = MutationRule(target="c_bg", low=0.1, high=0.2, reason="derived, so not independent")
    with pytest.raises(InputError, match="neither an independent"):
        original_of(card.model_copy(update={"mutation_rules": (rule,)}))
