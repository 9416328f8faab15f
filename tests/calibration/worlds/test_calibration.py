"""Worlds from records: what is built, what ships, and what a measurement is."""

import re
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO

import numpy as np
import pyarrow.parquet as pq
import pytest

from lawsmith.calibration.fitting.constants import Constant
from lawsmith.calibration.fitting.fits import Fit, fit
from lawsmith.calibration.problems.records import Records, Space, records_of
from lawsmith.calibration.worlds.calibration import HiddenForm, WorldPlan, calibrate, support_points
from lawsmith.calibration.worlds.pools import Pool, pool_bytes, read_pool
from lawsmith.calibration.worlds.simulator import CalibratedSimulator
from lawsmith.errors import InputError, IntegrityError, UndefinedValueError
from lawsmith.expressions import parse_infix
from schemas.world import CalibratedWorld, WorldAxis, WorldControl, WorldReadout

SHA = "0" * 64
LINEAR, LOG = Space("linear"), Space("log10")
POWER = parse_infix("a*x**b")


def readout(
    low: float | None = None, high: float | None = None, *, integer: bool = False
) -> WorldReadout:
    return WorldReadout(name="y", unit="m", low=low, high=high, integer=integer)


def plan(controls: Sequence[str] = ("x",), read: WorldReadout | None = None) -> WorldPlan:
    return WorldPlan(
        id="p/h1",
        problem_id="p",
        problem_digest=SHA,
        law_id="p/h1/law",
        controls=tuple(WorldControl(name=name, unit="m") for name in controls),
        readout=readout() if read is None else read,
        calibration_rows="train",
        train_rows=200,
    )


def power_records(rows: int = 200, spread: float = 0.05, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    x = rng.uniform(1, 30, rows)
    return records_of({"x": x}, 3 * x**0.8 * 10 ** (spread * rng.standard_normal(rows)))


def power_fit(records: Records, space: Space = LOG) -> Fit:
    return fit(POWER, [Constant("a", (1.0,)), Constant("b", (1.0,))], records, space)


def form_of(found: Fit) -> HiddenForm:
    return HiddenForm(POWER, {label: found.values(label) for label in found.constants})


def power_world(
    spread: float = 0.05, read: WorldReadout | None = None
) -> tuple[CalibratedWorld, Pool, HiddenForm]:
    records = power_records(spread=spread)
    form = form_of(power_fit(records))
    return *calibrate(plan(read=read), form, records, LOG), form


def grouped_world() -> tuple[CalibratedWorld, Pool, HiddenForm]:
    rng = np.random.default_rng(1)
    sizes = {"10": 40, "2": 9, "few": 7}
    labels = np.repeat(list(sizes), list(sizes.values()))
    x, z = rng.uniform(1, 5, len(labels)), rng.integers(0, 2, len(labels)).astype(float)
    y = 2 * x + np.where(labels == "10", 1.0, 5.0) * z + 0.1 * rng.standard_normal(len(labels))
    records = records_of({"x": x, "z": z}, y, labels)
    law = parse_infix("2*x + k*z")
    form = HiddenForm(law, {"10": {"k": 1.0}, "2": {"k": 5.0}})
    return *calibrate(plan(("x", "z")), form, records, LINEAR), form


def test_a_world_states_its_calibration() -> None:
    world, pool, _ = power_world()
    group = world.groups[0]
    assert (group.label, group.rows, group.pool_rows) == ("", 200, 200)
    assert (group.mean_neighbours, group.sample_neighbours) == (50, 30)
    assert group.noise_factor == 1.0
    assert group.axes[0].log
    assert (group.axes[0].low, group.axes[0].high) == (pool.inputs[0].min(), pool.inputs[0].max())
    assert (world.grouped, world.floor, world.subset_seed) == (False, 1e-12, None)
    assert world.limits.rows == 600


def test_noise_is_reduced_until_the_law_explains_nine_tenths() -> None:
    world, _, _ = power_world(spread=0.5)
    group = world.groups[0]
    assert group.noise_factor < 1
    noise = group.noise_factor**2 * group.residual_variance
    assert group.signal_variance / (group.signal_variance + noise) == pytest.approx(0.9)


def test_records_that_the_floor_lifts_are_counted() -> None:
    records = power_records()
    form = form_of(power_fit(records))
    target = np.append(records.target[:-1], -1.0)
    low = replace(records, target=target)
    world, _ = calibrate(plan(), form, low, Space("log10", 1e-3))
    assert (world.groups[0].lifted, world.floor) == (1, 1e-3)


def test_small_groups_are_dropped_and_the_others_have_their_own_noise() -> None:
    world, pool, _ = grouped_world()
    assert [(group.label, group.rows) for group in world.groups] == [("10", 40), ("2", 9)]
    assert [(drop.label, drop.rows) for drop in world.dropped] == [("few", 7)]
    assert [len(rows) for rows in pool.residuals] == [40, 9]
    assert world.rows == 49


def written(world: CalibratedWorld, pool: Pool) -> bytes:
    return pool_bytes(pool, [control.name for control in world.controls])


def test_a_pool_written_and_read_is_the_same() -> None:
    world, pool, _ = grouped_world()
    data = written(world, pool)
    read = read_pool(data, world)
    for group in range(2):
        assert (read.inputs[group] == pool.inputs[group]).all()
        assert (read.residuals[group] == pool.residuals[group]).all()
    assert written(world, pool) == data


def test_what_ships_is_data_without_law_or_code() -> None:
    world, pool, _ = power_world()
    table = pq.read_table(BytesIO(written(world, pool)))
    assert table.column_names == ["group", "input x", "residual"]
    assert {str(kind) for kind in table.schema.types[1:]} == {"double"}
    law = {"op", "args", "var", "expression", "constants", "params", "formula_source"}
    assert not set(re.findall(r'"(\w+)":', world.to_json())) & law


def test_altered_pools_are_refused() -> None:
    world, pool, _ = power_world()
    with pytest.raises(IntegrityError, match="sha256"):
        read_pool(written(world, pool) + b"\0", world)
    other = Pool(pool.labels, pool.inputs, (pool.residuals[0] + 1,))
    with pytest.raises(IntegrityError, match="sha256"):
        read_pool(written(world, other), world)


def test_a_large_pool_is_a_stated_subset() -> None:
    records = power_records()
    form = form_of(power_fit(records))
    world, pool = calibrate(plan(), form, records, LOG, subset_seed=11, largest_pool=50)
    group = world.groups[0]
    assert (world.rows, group.rows, group.pool_rows, world.subset_seed) == (200, 200, 50, 11)
    assert group.axes[0].low == records.inputs["x"].min()
    assert set(pool.inputs[0][:, 0]) <= set(records.inputs["x"])
    again, _ = calibrate(plan(), form, records, LOG, subset_seed=11, largest_pool=50)
    assert again.pool.sha256 == world.pool.sha256


def test_measurements_spread_around_the_law() -> None:
    simulator = CalibratedSimulator(*power_world())
    points = np.full((4000, 1), 7.0)
    found = simulator.measure(points, None, np.random.default_rng(3)).values
    clean = simulator.clean(points)[0]
    assert np.log10(found).mean() == pytest.approx(np.log10(clean), abs=0.02)
    assert 0.03 < np.log10(found).std() < 0.07


def test_a_generator_decides_all_draws_and_repeats_are_independent() -> None:
    simulator = CalibratedSimulator(*power_world())
    points = np.full((50, 1), 7.0)
    one = simulator.measure(points, None, np.random.default_rng(3)).values
    assert (one == simulator.measure(points, None, np.random.default_rng(3)).values).all()
    generator = np.random.default_rng(3)
    first = simulator.measure(points, None, generator).values
    second = simulator.measure(points, None, generator).values
    assert len(np.unique(one)) > 10
    assert (first != second).any()


def test_near_points_are_not_free_of_noise() -> None:
    simulator = CalibratedSimulator(*power_world())
    pairs = np.tile([[7.0], [7.0 + 1e-9]], (100, 1))
    found = simulator.measure(pairs, None, np.random.default_rng(3)).values.reshape(100, 2)
    assert (np.abs(found[:, 0] - found[:, 1]) > 1e-3).mean() > 0.9


def test_groups_are_measured_with_their_own_law_and_pool() -> None:
    world, pool, form = grouped_world()
    simulator = CalibratedSimulator(world, pool, form)
    points = np.array([[2.0, 1.0]] * 60)
    groups = ["10", "2"] * 30
    found = simulator.measure(points, groups, np.random.default_rng(0)).values
    assert found[::2].mean() == pytest.approx(5.0, abs=0.2)
    assert found[1::2].mean() == pytest.approx(9.0, abs=0.2)
    residuals = found[::2] - 5.0
    shifted = pool.residuals[0] * world.groups[0].noise_factor
    assert np.abs(residuals[:, None] - shifted).min(axis=1).max() < 1e-12


@pytest.mark.parametrize("groups", [None, ["10"], ["few", "10"], ["3.0", "10"]])
def test_groups_that_do_not_fit_are_refused(groups: list[str] | None) -> None:
    simulator = CalibratedSimulator(*grouped_world())
    with pytest.raises(InputError):
        simulator.measure(np.array([[2.0, 1.0]] * 2), groups, np.random.default_rng(0))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.5, 31.0])
def test_points_outside_or_not_finite_are_refused_before_any_draw(value: float) -> None:
    simulator = CalibratedSimulator(*power_world())
    generator = np.random.default_rng(0)
    before = generator.bit_generator.state
    with pytest.raises(InputError):
        simulator.measure(np.array([[7.0], [value]]), None, generator)
    assert generator.bit_generator.state == before


def test_each_coordinate_out_of_range_is_told_and_can_be_clipped() -> None:
    world, pool, form = grouped_world()
    simulator = CalibratedSimulator(world, pool, form)
    points = np.array([[2.0, 1.0], [9.0, 3.0]])
    outside = simulator.out_of_range(points, ["10", "10"])
    assert outside.tolist() == [[False, False], [True, True]]
    moved = simulator.clipped(points, ["10", "10"])
    assert moved[1].tolist() == [world.groups[0].axes[0].high, 1.0]
    assert not simulator.out_of_range(moved, ["10", "10"]).any()


def test_bounded_readouts_saturate_and_say_so() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 200)
    y = np.clip(x + 0.05 * rng.standard_normal(200), 0, 1)
    records, form = records_of({"x": x}, y), HiddenForm(parse_infix("x"), {"": {}})
    world, pool = calibrate(plan(read=readout(0.0, 1.0)), form, records, LINEAR)
    assert 0 < world.groups[0].clipped_share <= 0.1
    simulator = CalibratedSimulator(world, pool, form)
    found = simulator.measure(
        np.full((500, 1), world.groups[0].axes[0].high), None, np.random.default_rng(0)
    )
    assert found.saturated.any()
    assert (found.values[found.saturated] == 1.0).all()
    assert found.values.max() == 1.0


def test_counts_are_whole_numbers() -> None:
    world, pool, form = power_world(read=readout(0.0, integer=True))
    found = CalibratedSimulator(world, pool, form).measure(
        np.full((50, 1), 20.0), None, np.random.default_rng(0)
    )
    assert (found.values == np.round(found.values)).all()


def test_bounds_that_clip_too_much_are_refused() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 200)
    law = np.where(x > 0.5, 1.0, 0.0)
    records = records_of({"x": x}, law + rng.standard_normal(200))
    form = HiddenForm(parse_infix("step(x - 0.5)"), {"": {}})
    with pytest.raises(InputError, match="bounds clip"):
        calibrate(plan(read=readout(0.0, 1.0)), form, records, LINEAR)


@pytest.mark.parametrize(
    ("law", "space", "read"),
    [
        ("x - 5", LOG, readout()),
        ("1/(x - 2)", LINEAR, readout()),
        ("x", LINEAR, readout(0.0, 5.0)),
    ],
)
def test_a_law_without_a_value_fails_when_the_world_is_built(
    law: str, space: Space, read: WorldReadout
) -> None:
    x = np.linspace(1, 9, 33)
    records, form = records_of({"x": x}, x + 0.01), HiddenForm(parse_infix(law), {"": {}})
    with pytest.raises(UndefinedValueError):
        calibrate(plan(read=read), form, records, space)


def test_the_law_must_have_a_value_where_no_record_is() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 9, 50)
    records = records_of({"x": x, "z": x + 0.1}, x)
    form = HiddenForm(parse_infix("sqrt(z - x)*10 + x"), {"": {}})
    with pytest.raises(UndefinedValueError, match="sqrt"):
        calibrate(plan(("x", "z")), form, records, LINEAR)


def test_a_constant_law_is_no_world() -> None:
    records = power_records()
    with pytest.raises(InputError, match="constant"):
        calibrate(plan(), HiddenForm(parse_infix("x - x + 2"), {"": {}}), records, LINEAR)


def test_controls_may_bear_any_name() -> None:
    names = ("seed", "group", "residual", "n_samples", "group_id")
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 2, (60, 5))
    law = parse_infix("seed + group + residual + n_samples + group_id")
    records = records_of(dict(zip(names, table.T, strict=True)), table.sum(axis=1))
    form = HiddenForm(law, {"": {}})
    world, pool = calibrate(plan(names), form, records, LINEAR)
    found = CalibratedSimulator(world, pool, form).measure(
        table[:3], None, np.random.default_rng(0)
    )
    assert found.values == pytest.approx(table[:3].sum(axis=1), abs=1e-12)


def test_the_rows_that_calibrate_are_those_that_are_given() -> None:
    train = power_records(rows=100, seed=1)
    world, pool = calibrate(plan(), form_of(power_fit(train)), train, LOG)
    assert world.calibration_rows == "train"
    assert set(pool.inputs[0][:, 0]) == set(train.inputs["x"])
    every = replace(plan(), calibration_rows="all")
    assert calibrate(every, form_of(power_fit(train)), train, LOG)[0].digest != world.digest


def test_a_law_without_constants_for_a_group_is_refused() -> None:
    world, pool, form = grouped_world()
    with pytest.raises(InputError, match="lacks"):
        CalibratedSimulator(world, pool, HiddenForm(form.law, {"10": {"k": 1.0}}))


def test_support_points_hold_the_corners() -> None:
    axes = [
        WorldAxis(control="a", low=1.0, high=100.0, log=True, mean=0.0, deviation=1.0),
        WorldAxis(control="b", low=-1.0, high=1.0, log=False, mean=0.0, deviation=1.0),
    ]
    points = support_points(axes)
    assert {tuple(p) for p in points[-4:]} == {(1, -1), (1, 1), (100, -1), (100, 1)}
    assert np.median(points[:, 0]) == pytest.approx(10.0, rel=0.05)
