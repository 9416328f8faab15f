import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.errors import InputError
from lawsmith.expressions import evaluate
from lawsmith.mutation.laws.historical import draw, load_historical, original_of
from lawsmith.mutation.laws.relation_sets import edited, folded_laws, laws_of
from lawsmith.mutation.pairing import forge, forge_family
from schemas.expression import to_wire
from schemas.family import Family
from schemas.historical_card import HistoricalCard, MutationRule

SLUGS = (
    "arrhenius_half_life",
    "beer_lambert",
    "blackbody_stefan_wien",
    "cobb_douglas_output",
    "fitts_law",
    "galileo_projectile",
    "hagen_poiseuille",
    "holling_disc",
    "hooke_helical_spring",
    "ideal_gas_state",
    "kepler_third_law",
    "kleiber_metabolism",
    "leavitt_pogson_cepheid",
    "michaelis_menten_inhibited",
    "newton_gravity_field",
    "ohm_wire",
    "omori_utsu_aftershocks",
    "rutherford_soddy_decay",
    "rydberg_series",
    "snell_dispersive_plate",
)
RESHAPED = {
    # Readout here -> the reference's text for it: another control or unit was added.
    "holling_disc": {"n_eat": "t_tr*(a_s*N_d/(1 + ah*N_d + c_i*(P_n - 1)))"},
    "kleiber_metabolism": {
        "B_met": "B_0*(m_b/m_0)**(b_1 + b_2*log(m_b/m_0))*exp(c_T*(1/T_0 - 1/T_b))",
        "q_spec": "3.6*t_obs*B_0/m_b*(m_b/m_0)**(b_1 + b_2*log(m_b/m_0))*exp(c_T*(1/T_0 - 1/T_b))",
    },
    "arrhenius_half_life": {
        "t_half": "log(2)/A_pre*exp((E_a + dV_act*P_r)/(R_gas*T_r))",
        "r_0": "1000*c_0*A_pre*exp(-(E_a + dV_act*P_r)/(R_gas*T_r))",
    },
}
ADDED = {"holling_disc": {"t_tr": 60.0}, "kleiber_metabolism": {"t_obs": 24.0}}
ADDED["arrhenius_half_life"] = {"c_0": 200.0}
ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT.parent / "shared/reference/historical.json"


def load(slug: str) -> HistoricalCard:
    return load_historical(ROOT / f"data/historical/{slug}.json")


def test_twenty_families_are_committed_without_drawn_values(historical_files: list[Path]) -> None:
    assert tuple(path.stem for path in historical_files) == SLUGS
    for path in historical_files:
        assert '"counterfactual"' not in path.read_text(encoding="utf-8")


def _reference(slug: str) -> dict[str, Any]:
    if not REFERENCE.exists():
        pytest.skip("the reference tables are not at hand")
    families = json.loads(REFERENCE.read_text(encoding="utf-8"))["families"]
    found: dict[str, Any] = next(f for f in families if f["id"] == slug)
    return found


def _computed(text: str, values: dict[str, float]) -> float:
    """A text of the reference, computed by Python and not by Lawsmith."""
    functions = {n: getattr(math, n) for n in ("sqrt", "exp", "sin", "cos", "asin", "log", "pi")}
    return float(eval(text, {"__builtins__": {}}, functions | values))


def _with_derived(reference: dict[str, Any], values: dict[str, float]) -> dict[str, float]:
    known = dict(values)
    for part in reference["derived"]:
        known[part["name"]] = _computed(part["expr"], known)
    return known


def _said_by_the_reference(slug: str, values: dict[str, float]) -> dict[str, float]:
    """Readout -> what the reference's own relation gives at these values."""
    reference = _reference(slug)
    known = _with_derived(reference, values)
    texts = RESHAPED.get(slug, reference["relations"])
    return {name: _computed(text, known) for name, text in texts.items()}


@pytest.mark.parametrize("slug", SLUGS)
def test_source_values_are_those_of_the_reference(slug: str) -> None:
    reference = _reference(slug)
    original = original_of(load(slug))
    values = {p.name: p.value for p in original.parameters}
    stated = {p["name"]: p["original"] for p in reference["parameters"]}
    # What a card has beyond them are unit conversions and units: nothing with a size of its own.
    assert {name: values[name] for name in stated} == stated
    assert {values[name] for name in values.keys() - stated.keys()} <= {1.0, 3.6, 1000.0}
    # From the reference's texts: some of its tabulated derived values are older than its revisions.
    known = _with_derived(reference, stated)
    units = {part["name"]: part["unit"] for part in reference["derived"]}
    for derived in original.definitions:
        if derived.name in units:
            assert derived.unit == units[derived.name]
            found = evaluate(derived.expression, values)
            assert found == pytest.approx(known[derived.name], rel=1e-12)


@pytest.mark.parametrize("world", ["original", "counterfactual"])
@pytest.mark.parametrize("slug", SLUGS)
def test_laws_agree_with_the_independent_reference(slug: str, world: str) -> None:
    reference = _reference(slug)
    card = load(slug)
    parameters = {p["name"]: p[world] for p in reference["parameters"]}
    original = original_of(card)
    edits = {
        f"/parameters/{i}/value": float(parameters[p.name])
        for i, p in enumerate(original.parameters)
        if p.name in parameters
    }
    laws = laws_of(edited(original, edits))
    ends = [
        {i["name"]: i.get(end, i.get("values", [0])[at]) for i in reference["inputs"]}
        for end, at in (("low", 0), ("high", -1))
    ]
    ends.append({name: (ends[0][name] + ends[1][name]) / 2 for name in ends[0]})
    for point in ends:
        values = {**parameters, **point, **ADDED.get(slug, {})}
        if slug == "rydberg_series":
            values |= {"n_lo": 2.0, "n_up": 3.0 + point["n_up"]}
        for name, expected in _said_by_the_reference(slug, values).items():
            assert evaluate(laws[name], values) == pytest.approx(expected, rel=1e-12), name


@pytest.mark.parametrize("slug", SLUGS)
def test_rules_hold_the_reference_counterfactual(slug: str) -> None:
    reference = _reference(slug)
    values = {p["name"]: p["counterfactual"] for p in reference["parameters"]}
    changed = {p["name"] for p in reference["parameters"] if p["counterfactual"] != p["original"]}
    rules = load(slug).mutation_rules
    assert {rule.target for rule in rules} == changed
    assert all(rule.low <= values[rule.target] <= rule.high for rule in rules)


LEAST_SHARE = 0.9
"""Of 50 keyed draws at least 45 must give a family; no range is tuned to hide the others."""


def _drawn(
    slug: str, draw_key: Callable[[int], bytes], draws: range
) -> tuple[list[Family], list[str]]:
    """The families of some keyed draws, and why the other draws gave none."""
    card = load(slug)
    families, refused = list[Family](), list[str]()
    for n in draws:
        report = forge(card, draw_key(n))
        if report.family is None:
            refused.append(f"draw {n}: {report.sentence}")
        else:
            families.append(report.family)
    return families, refused


@pytest.mark.parametrize("slug", SLUGS)
def test_keyed_draws_pass(slug: str, draw_key: Callable[[int], bytes], key: bytes) -> None:
    assert forge(load(slug), key).family is not None
    families, refused = _drawn(slug, draw_key, range(2))
    assert refused == []
    drawn = {json.dumps([to_wire(m.after) for m in f.mutations]) for f in families}
    assert len(drawn) == 2


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("slug", SLUGS)
def test_fifty_keyed_draws_pass(slug: str, draw_key: Callable[[int], bytes]) -> None:
    families, refused = _drawn(slug, draw_key, range(50))
    assert len(families) >= LEAST_SHARE * 50, refused


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
