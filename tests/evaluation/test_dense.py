"""The dense design: where it lies, and that the exact law decides."""

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from lawsmith.evaluation.dense import DENSE_POINTS, _dense_world, beyond_tolerance
from lawsmith.expressions import parse_infix
from lawsmith.measurement import dense_design
from lawsmith.measurement.constraints import feasible, inside
from schemas.card import Choices, Range
from schemas.family import FamilyConstraint, FamilyControl
from schemas.task import SealedLaw

if TYPE_CHECKING:
    from tests.evaluation.conftest import World


def control(name: str, domain: Range | Choices) -> FamilyControl:
    return FamilyControl(name=name, symbol=name, meaning="", unit="1", domain=domain)


X = control("x", Range(low=1.0, high=3.0))
Y = control("y", Range(low=0.01, high=50.0))


def test_the_design_is_dense_admissible_and_has_the_corners() -> None:
    world = _dense_world((X, Y), (), (parse_infix("x*y"),))
    assert len(world.points) >= DENSE_POINTS
    assert {(1.0, 0.01), (1.0, 50.0), (3.0, 0.01), (3.0, 50.0)} <= set(
        map(tuple, world.points.tolist())
    )
    assert (world.truth[:, 0] == world.points[:, 0] * world.points[:, 1]).all()


def test_constraints_are_kept_and_leave_as_many_points() -> None:
    # Some 2.6 % of the box is feasible.
    limit = FamilyConstraint(expression=parse_infix("y - 40"), meaning="a corner alone")
    points = dense_design((X, Y), (limit,), DENSE_POINTS)
    share = np.mean(feasible((X, Y), (limit,), dense_design((X, Y), (), 4096)))
    assert 0.01 < share < 0.04
    assert len(points) >= DENSE_POINTS
    assert feasible((X, Y), (limit,), points).all()
    assert inside((X, Y), points).all()


def test_choices_are_all_combinations() -> None:
    four = control("n", Choices(choices=(1.0, 2.0, 3.0, 4.0)))
    nine = control("m", Choices(choices=tuple(float(i) for i in range(9))))
    world = _dense_world((four, nine), (), (parse_infix("n + m"),))
    assert len(world.points) == 36


def test_a_point_without_a_law_is_left_out_and_float64_alone_refuses_nothing() -> None:
    signed = control("x", Range(low=-1.0, high=1.0))
    half = _dense_world((signed,), (), (parse_infix("sqrt(x)"),)).points
    assert 0 < len(half) < DENSE_POINTS
    assert half.min() >= 0.0
    # Beyond float64 on the way, and an ordinary number: exp(800*x)/exp(799*x).
    law = parse_infix("exp(800*x)/exp(799*x)")
    world = _dense_world((X,), (), (law,))
    assert len(world.points) >= DENSE_POINTS
    assert world.truth[:, 0] == pytest.approx(np.exp(world.points[:, 0]), rel=1e-14)


def test_the_exact_law_decides(
    historical_worlds: dict[tuple[str, str], "World"], samples: ModuleType
) -> None:
    """A law that float64 garbles refuses nobody who has it right."""
    world = historical_worlds["ohm_wire", "original"]
    current, power = world.key.laws
    garbled = SealedLaw(
        readout=current.readout,
        expression=parse_infix("(acos(-1)*0.001**2/(4*1.1e-6)*d_w**2*V_w/L_w + 1e13) - 1e13"),
        constants=(),
    )
    key = samples.evolve(world.key, laws=(garbled, power))
    laws: dict[str, Any] = {law.readout: law.expression for law in (current, power)}
    assert beyond_tolerance(laws, world.task, key) is None
    off = {**laws, "I_w": parse_infix("0.7155*d_w**2*V_w/L_w")}
    problem = beyond_tolerance(off, world.task, key)
    assert problem is not None
    assert problem.startswith("I_w is ")


def test_a_predictor_without_a_value_somewhere_is_beyond(
    worlds_of: Callable[..., list["World"]], samples: ModuleType
) -> None:
    world = worlds_of(samples.historical_family(), samples.KEY)[0]
    laws = {"pull": parse_infix("400*width*stretch + 0*log(stretch - 0.0500001)")}
    problem = beyond_tolerance(laws, world.task, world.key)
    assert problem is not None
    assert "predictor/pull" in problem
