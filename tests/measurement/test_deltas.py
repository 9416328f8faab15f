import numpy as np
import pytest

from lawsmith.expressions import parse_infix
from lawsmith.measurement.deltas import constant_tolerances, with_node
from schemas.card import Range
from schemas.family import FamilyControl

X = FamilyControl(name="x", symbol="x", meaning="", unit="1", domain=Range(low=1.0, high=2.0))
POINTS = np.linspace(1.0, 2.0, 21)[:, None]


def test_delta_of_a_prefactor_is_the_tolerance() -> None:
    # y = 3x: a relative change d gives e = 3xd/(a + lambda*3x); the worst is at x = 2.
    law = parse_infix("3*x")
    truth = 3 * POINTS
    (one,) = constant_tolerances({"y": law}, (X,), POINTS, truth, [0.006], [1e-3])
    assert one.path == "/args/0"
    assert one.value == 3.0
    # (0.006 + 0.001*6)/6 = 0.002, rounded down to three digits
    assert one.delta == pytest.approx(0.002, abs=1.1e-5)
    assert one.delta <= 0.002


def test_both_signs_count_and_the_bound_is_a_hundredth() -> None:
    truth = 3 * POINTS
    (one,) = constant_tolerances({"y": parse_infix("3*x")}, (X,), POINTS, truth, [10.0], [0.0])
    assert one.delta == 0.01


def test_exact_only_where_the_smallest_change_breaks() -> None:
    truth = 3 * POINTS
    (one,) = constant_tolerances({"y": parse_infix("3*x")}, (X,), POINTS, truth, [1e-12], [0.0])
    assert one.delta == 0.0


def test_every_refittable_literal_of_every_law_is_listed() -> None:
    laws = {"y": parse_infix("3*x**2 + 0.5"), "w": parse_infix("exp(-0.7*x)")}
    truth = np.hstack([3 * POINTS**2 + 0.5, np.exp(-0.7 * POINTS)])
    found = constant_tolerances(laws, (X,), POINTS, truth, [1e-3, 1e-4], [1e-3, 1e-3])
    assert [(one.readout, one.value) for one in found] == [("y", 3.0), ("y", 0.5), ("w", -0.7)]
    assert all(0 < one.delta <= 0.01 for one in found)
    # exp(-c x): e = 1 where x*c*d = 1e-3 + 1e-4/y, least at x = 1 or where x is largest.
    slack = (1e-3 + 1e-4 / truth[:, 1]) / (0.7 * POINTS[:, 0])
    assert found[2].delta == pytest.approx(slack.min(), rel=5e-3)


def test_a_change_that_leaves_the_domain_is_not_harmless() -> None:
    # sqrt(x - 1) is undefined at x = 1 as soon as the 1 grows at all.
    truth = np.sqrt(POINTS - 1)
    (one,) = constant_tolerances({"y": parse_infix("sqrt(x - 1)")}, (X,), POINTS, truth, [1], [0])
    assert one.delta == 0.0


def test_with_node_replaces_one_place() -> None:
    law = parse_infix("a*x + a*z")
    assert with_node(law, "/args/1/args/0", 2.0) == parse_infix("a*x + 2*z")
    assert with_node(law, "", 1.0) == 1.0
    with pytest.raises(ValueError, match="below a leaf"):
        with_node(law, "/args/0/args/0/args/0", 1.0)
