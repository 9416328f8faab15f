"""How fast worlds are calibrated and measured, and how much memory it takes.

Run with `python -m benchmarks.speed.calibration [ROWS ...]` (10^4, 10^5, 10^6 if none are given;
with `memory` also 8*10^6). A calibration is the fit from 20 starts, the local means and the world
with its pool; the sampler is timed apart. Times are of one run and include whatever else the
machine does; `cpu` counts this process alone, both of its threads.
"""

import importlib
import importlib.util
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from lawsmith.calibration.fitting.base_law import structure_of
from lawsmith.calibration.fitting.constants import Constant
from lawsmith.calibration.fitting.fits import fit
from lawsmith.calibration.problems.records import Records, Space, records_of
from lawsmith.calibration.residuals.sampler import ResidualSampler, thinned
from lawsmith.calibration.worlds.calibration import HiddenForm, WorldPlan, calibrate
from lawsmith.calibration.worlds.simulator import CalibratedSimulator
from lawsmith.expressions import parse_infix
from schemas.world import WorldControl, WorldReadout

ROWS: Final = (10_000, 100_000, 1_000_000)
LARGEST: Final = 8_000_000
SECONDS: Final = {1: 5, 2: 40, 3: 60}
"""Controls -> the bound at 10^6 rows on two free cores."""
NAMES: Final = ("x", "z", "w")
LAWS: Final = ("a*x**b", "a*x**b*exp(-c*z)", "a*x**b*exp(-c*z) + d*w")
POINTS: Final = 100_000


def main(arguments: Sequence[str]) -> None:
    """Print the figures."""
    if arguments[:1] == ["peak"]:
        _peak(int(arguments[1]), int(arguments[2]))
        return
    rows = [int(text) for text in arguments if text != "memory"] or list(ROWS)
    print(f"{'rows':>9} controls    fit  world  total    cpu   bound")
    for count in rows:
        for controls in (1, 2, 3):
            _calibration(count, controls)
    _laws_at_once()
    print(f"samples a second from 100,000 records, {POINTS:,} points a call")
    for controls in (1, 2, 3):
        _samples(controls)
    if "memory" in arguments or not arguments:
        for controls in (1, 2, 3):
            _memory(LARGEST, controls)


def _calibration(rows: int, controls: int) -> None:
    records = _records(rows, controls)
    started, cpu = time.perf_counter(), time.process_time()
    form = _fitted(records, controls)
    fitted = time.perf_counter()
    calibrate(_plan(controls), form, records, Space("linear"))
    ended = time.perf_counter()
    bound = f"{SECONDS[controls]} s" if rows == ROWS[-1] else ""
    print(
        f"{rows:>9} {controls:>8} {fitted - started:6.2f} {ended - fitted:6.2f}"
        f" {ended - started:6.2f} {time.process_time() - cpu:6.2f} {bound:>7}"
    )


def _laws_at_once(rows: int = 100_000) -> None:
    """B of three laws by one search of neighbours, and by three."""
    inputs = _records(rows, 2).table
    residuals = np.random.default_rng(1).standard_normal((rows, 3))
    together = _seconds(lambda: structure_of(inputs, residuals))
    apart = _seconds(lambda: [structure_of(inputs, column) for column in residuals.T])
    print(f"B of 3 laws, {rows} rows, 2 controls: at once {apart / together:.2f} times as fast")


def _samples(controls: int, rows: int = 100_000) -> None:
    records = _records(rows, controls)
    table, residuals = records.table, np.random.default_rng(1).standard_normal(rows)
    sampler = ResidualSampler(table, residuals)
    points = table[np.random.default_rng(2).integers(0, rows, POINTS)]
    generator = np.random.default_rng(3)
    ours = POINTS / _seconds(lambda: sampler.sample(points, generator))
    plain = POINTS / _seconds(lambda: residuals[generator.integers(0, rows, POINTS)])
    scaled = sampler.axes.scaled(table)
    other = _learned(scaled, sampler.axes.scaled(points), sampler.count, residuals)
    form = _fitted(records, controls)
    world, pool = calibrate(_plan(controls), form, records, Space("linear"))
    simulator = CalibratedSimulator(world, pool, form)
    whole = POINTS / _seconds(lambda: simulator.measure(points, None, generator))
    print(
        f"  {controls} controls: sampler {ours:,.0f}, whole measurement {whole:,.0f};"
        f" plain indexing without neighbours {plain / ours:,.0f} times as fast;"
        f" scikit-learn {other if isinstance(other, str) else f'{other / ours:.2f} times'}"
    )


def _learned(pool: Any, points: Any, count: int, residuals: Any) -> float | str:
    if importlib.util.find_spec("sklearn") is None:
        return "not installed"
    found = importlib.import_module("sklearn.neighbors").NearestNeighbors(
        n_neighbors=count, algorithm="kd_tree", n_jobs=2
    )
    found.fit(pool)
    generator = np.random.default_rng(3)

    def sample() -> None:
        near = found.kneighbors(points, return_distance=False)
        ranks = generator.integers(0, count, len(points))
        residuals[near[np.arange(len(points)), ranks]]

    return POINTS / _seconds(sample)


def _memory(rows: int, controls: int) -> None:
    """The peak of a process of its own, which imports and draws the records too."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.speed.calibration",
        "peak",
        str(rows),
        str(controls),
    ]
    print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="")


def _peak(rows: int, controls: int) -> None:
    started = time.perf_counter()
    records = _records(rows, controls)
    _, pool = calibrate(_plan(controls), _fitted(records, controls), records, Space("linear"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{rows:>9} {controls:>8} peak {peak:.2f} GB (bound 2), pool {len(pool.residuals[0])},"
        f" {time.perf_counter() - started:.0f} s"
    )


def _records(rows: int, controls: int) -> Records:
    rng = np.random.default_rng(controls)
    inputs = {"x": rng.lognormal(0, 1, rows)}
    target = 3 * inputs["x"] ** 0.7 + 0.3 * rng.standard_normal(rows)
    if controls > 1:
        inputs["z"] = rng.uniform(0, 2, rows)
        target *= np.exp(-0.5 * inputs["z"])
    if controls > 2:
        inputs["w"] = rng.standard_normal(rows)
        target += 0.2 * inputs["w"]
    return records_of(inputs, target)


def _fitted(records: Records, controls: int) -> HiddenForm:
    law = parse_infix(LAWS[controls - 1])
    constants = [Constant(name, (1.0,)) for name in ("a", "b", "c", "d")[: controls + 1]]
    found = fit(law, constants, thinned(records, 0), Space("linear"))
    return HiddenForm(law, {"": found.values("")})


def _plan(controls: int) -> WorldPlan:
    return WorldPlan(
        id="bench/h1",
        problem_id="bench",
        problem_digest="0" * 64,
        law_id="bench/h1/law",
        controls=tuple(WorldControl(name=name, unit="1") for name in NAMES[:controls]),
        readout=WorldReadout(name="y", unit="1", low=None, high=None, integer=False),
        calibration_rows="all",
        train_rows=1000,
    )


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main(sys.argv[1:])
