import numpy as np
import pytest

from lawsmith.expressions import parse_infix
from lawsmith.measurement import (
    DesignError,
    corner_design,
    dense_design,
    feasible,
    fixed_design,
    hidden_design,
    nested,
)
from lawsmith.measurement.sampling import distances, to_unit
from schemas.card import Choices, Domain, Range
from schemas.family import FamilyConstraint, FamilyControl

rng = np.random.default_rng


def control(name: str, domain: Domain) -> FamilyControl:
    return FamilyControl(name=name, symbol=name, meaning="", unit="1", domain=domain)


def condition(text: str) -> FamilyConstraint:
    return FamilyConstraint(expression=parse_infix(text), meaning="")


LINEAR = control("x", Range(low=1.0, high=5.0))
WIDE = control("z", Range(low=0.01, high=100.0))
COILS = control("n", Choices(choices=(4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)))
BELOW = condition("4.0 - x + 0.5*log10(z)")


def test_fixed_list_is_inside_feasible_distinct_and_spread() -> None:
    controls = (LINEAR, WIDE)
    points = fixed_design(controls, (BELOW,), rng(1))
    assert points.shape == (16, 2)
    assert len({tuple(p) for p in points.tolist()}) == 16
    assert feasible(controls, (BELOW,), points).all()
    assert all(1.0 <= x <= 5.0 and 0.01 <= z <= 100.0 for x, z in points.tolist())
    gaps = distances(to_unit(controls, points), to_unit(controls, points))
    gaps[np.diag_indices(16)] = 1.0
    assert gaps.min() > 0.05
    # A log scale: about half of the values lie below the geometric middle.
    assert 4 <= (points[:, 1] < 1.0).sum() <= 12


def test_every_prefix_is_a_budget() -> None:
    points = fixed_design((LINEAR, WIDE), (), rng(1))
    assert [len(nested(points, b)) for b in (1, 2, 4, 8, 16)] == [1, 2, 4, 8, 16]
    with pytest.raises(DesignError):
        nested(points, 3)
    four = to_unit((LINEAR, WIDE), nested(points, 4))
    gaps = distances(four, four)
    gaps[np.diag_indices(4)] = 1.0
    assert gaps.min() > 0.2


def test_values_have_six_digits_and_print_short() -> None:
    points = fixed_design((LINEAR, WIDE), (), rng(3))
    assert all(float(f"{v:.5e}") == v for v in points.ravel().tolist())


def test_designs_depend_on_the_key_alone() -> None:
    again = [fixed_design((LINEAR, WIDE), (BELOW,), rng(5)).tolist() for _ in range(2)]
    other = fixed_design((LINEAR, WIDE), (BELOW,), rng(6)).tolist()
    assert again[0] == again[1] != other


def test_hidden_inputs_keep_their_distance() -> None:
    controls = (LINEAR, WIDE)
    fixed = fixed_design(controls, (BELOW,), rng(1))
    hidden = hidden_design(controls, (BELOW,), rng(2), fixed)
    assert 128 < len(hidden) <= 144
    assert feasible(controls, (BELOW,), hidden).all()
    assert distances(to_unit(controls, hidden), to_unit(controls, fixed)).min() >= 0.01
    corners = {tuple(p) for p in corner_design(controls, (BELOW,)).tolist()}
    assert corners <= {tuple(p) for p in hidden.tolist()}
    assert corners == {(1.0, 0.01), (1.0, 100.0), (5.0, 100.0)}


def test_one_control_leaves_enough_hidden_inputs() -> None:
    fixed = fixed_design((LINEAR,), (), rng(1))
    assert len(hidden_design((LINEAR,), (), rng(2), fixed)) >= 128


def test_mixed_discrete_and_continuous() -> None:
    controls = (LINEAR, COILS)
    fixed = fixed_design(controls, (), rng(1))
    assert set(fixed[:, 1]) <= {4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0}
    assert len(set(fixed[:, 1])) >= 5
    assert len(hidden_design(controls, (), rng(2), fixed)) >= 128


def test_a_quarter_of_discrete_combinations_is_withheld() -> None:
    controls = (COILS, control("m", Choices(choices=(1.0, 2.0, 3.0, 4.0))))
    fixed = fixed_design(controls, (), rng(1))
    hidden = hidden_design(controls, (), rng(2), fixed)
    assert len(hidden) == 7
    assert not {tuple(p) for p in fixed.tolist()} & {tuple(p) for p in hidden.tolist()}


def test_too_few_combinations_are_refused() -> None:
    controls = (COILS, control("m", Choices(choices=(1.0, 2.0, 3.0))))
    with pytest.raises(DesignError) as caught:
        fixed_design(controls, (), rng(1))
    assert caught.value.reason_code == "too_few_combinations"


def test_a_nearly_empty_region_is_refused() -> None:
    with pytest.raises(DesignError) as caught:
        fixed_design((LINEAR, WIDE), (condition("1.01 - x"),), rng(1))
    assert caught.value.reason_code == "infeasible_design"


def test_a_condition_without_a_value_is_not_fulfilled() -> None:
    points = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    assert feasible((LINEAR, WIDE), (condition("sqrt(x - 2)"),), points).tolist() == [
        False,
        True,
        True,
    ]


def test_rounded_values_stay_inside_an_awkward_range() -> None:
    awkward = control("x", Range(low=0.12345678, high=0.12345679))
    points = fixed_design((awkward, WIDE), (), rng(1))
    assert ((points[:, 0] >= 0.12345678) & (points[:, 0] <= 0.12345679)).all()


def test_dense_design_is_unkeyed_and_holds_the_corners() -> None:
    first = dense_design((LINEAR, WIDE), (), 64)
    assert first.tolist() == dense_design((LINEAR, WIDE), (), 64).tolist()
    assert {(1.0, 0.01), (5.0, 100.0)} <= {tuple(p) for p in first.tolist()}
    assert len(first) == 68
