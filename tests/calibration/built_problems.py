"""Problems, built once a process: what the tests of calibrated tasks are made of."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lawsmith.calibration.hidden_laws.building import BuiltProblem, build_problem
from lawsmith.calibration.real_scores import score_real
from lawsmith.calibration.worlds.pools import pool_bytes, world_file
from lawsmith.expressions import parse_infix
from lawsmith.gateways.datasets.tables import LoadedProblem, load_problem
from lawsmith.release.calibrated import CalibratedTasks, calibrated_tasks
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    Anchor,
    CalibratedControl,
    CalibratedReadout,
    CalibratedSubmission,
    ConstantCaps,
    HeldOutRow,
    LocalConstant,
    ParallelTask,
    RealKey,
    RealObservation,
    RealProbe,
    RealTask,
)
from schemas.problem import MetricName
from schemas.record import CANARY
from schemas.validity import Probe

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(range(32))
SINGLE, GROUPED = "brain_body", "puromycin"
"""One table in logarithms; two groups, of which one is too small for the world."""
BOTH = (SINGLE, GROUPED)


@cache
def loaded(problem_id: str) -> LoadedProblem:
    return load_problem(ROOT / "data", problem_id)


@cache
def built(problem_id: str) -> BuiltProblem:
    found = loaded(problem_id)
    return build_problem(found.problem, found.table, KEY, "historical-dev")


@cache
def tasks(problem_id: str) -> CalibratedTasks:
    return calibrated_tasks(built(problem_id), KEY, "historical-dev")


def real_of(found: CalibratedTasks) -> RealTask:
    assert found.real is not None, found.real_reason
    return found.real


def parallel_of(found: CalibratedTasks) -> ParallelTask:
    assert found.parallel is not None, found.parallel_reason
    return found.parallel


def baseline(found: CalibratedTasks, task_id: str, name: str) -> CalibratedSubmission:
    return next(
        entry
        for entry in found.submissions
        if entry.task_id == task_id and entry.player == f"baseline:{name}"
    )


def submission(task: RealTask | ParallelTask, law: str, **more: Any) -> CalibratedSubmission:
    """A player's law, in infix text, with more fields of the record."""
    fields: dict[str, Any] = {"shared": {}, "local": (), "calls": (), "explanation": ""}
    fields |= {
        "task_id": task.id,
        "release_id": None,
        "release_digest": None,
        "player": "p",
        "repeat": 1,
    }
    fields |= {"id": f"{task.id}/p/1", "expression": parse_infix(law)}
    return CalibratedSubmission(**(fields | more))


def local(*names: str, starts: tuple[float, ...] = (1.0,)) -> tuple[LocalConstant, ...]:
    return tuple(LocalConstant(name=name, starts=starts, low=None, high=None) for name in names)


@dataclass(frozen=True)
class SmallReal:
    """A Real task made by hand: y = a*x + wiggle, a = 2 in `g1` and 5 in `g2`."""

    task: RealTask
    key: RealKey
    observations: tuple[RealObservation, ...]

    def score(self, law: str, **more: Any) -> CalibratedScore:
        return score_real(
            submission(self.task, law, **more), self.task, self.key, self.observations
        )


def small_real(
    *,
    metric: MetricName = "rmse",
    unit: float = 1.0,
    reference: dict[str, float | None] | None = None,
    probes: Sequence[Probe] = (),
    outputs: Sequence[float] | None = None,
) -> SmallReal:
    """Two groups of six public rows and four held-out ones each.

    Args:
        metric: of the task.
        unit: outputs are multiplied with it, as another unit would.
        reference: metric of the one published law by group; None: the same wiggle as the data.
        probes: validity items.
        outputs: of the held-out rows of each group; None: by the law.
    """
    rows = [(g, float(x)) for g in ("g1", "g2") for x in range(1, 11)]
    wiggle = {x: 0.05 * (-1.0) ** x for x in range(1, 11)}
    y = {(g, x): unit * ({"g1": 2.0, "g2": 5.0}[g] * x + wiggle[int(x)]) for g, x in rows}
    if outputs is not None:
        y |= {(g, x): outputs[int(x) - 7] for g, x in rows if x > 6}
    control = CalibratedControl(
        name="x", symbol="x", meaning="x", unit="m", low=1.0, high=10.0, logarithmic=False
    )
    readout = CalibratedReadout(
        name="y",
        symbol="y",
        meaning="y",
        unit="m",
        natural_low=None,
        natural_high=None,
        integer=False,
    )
    task = RealTask(
        id="t-real",
        kind="real",
        collection="historical-dev",
        background="",
        controls=(control,),
        readout=readout,
        groups=("g1", "g2"),
        residual_space="linear",
        floor=None,
        caps=ConstantCaps(shared=3, local=2),
        max_nodes=64,
        world="",
        canary=CANARY,
        split="range_extrapolation",
        metric=metric,
        training_rows=12,
        fit_rows=0,
        test_rows=8,
        test_groups=("g1", "g2"),
    )
    alike: dict[str, float | None] = {"g1": 0.05 * unit, "g2": 0.05 * unit}
    values = alike if reference is None else reference
    key = RealKey(
        id=task.id,
        problem_id="p",
        problem_digest="0" * 64,
        public_digest=task.digest,
        held_out=tuple(HeldOutRow(group=g, inputs=(x,), output=y[g, x]) for g, x in rows if x > 6),
        anchors=(Anchor(law_id="line", metric=None, by_group=values),),
        reference="line",
        probes=tuple(
            RealProbe(item=f"item{i}", statement="It is so.", probe=probe)
            for i, probe in enumerate(probes)
        ),
        group_labels={"g1": "one", "g2": "two"},
        canary=CANARY,
    )
    public = [(g, x) for g, x in rows if x <= 6]
    observations = tuple(
        RealObservation(
            task_id=task.id,
            part="train",
            index=i,
            group=g,
            inputs=(x,),
            output=y[g, x],
            canary=CANARY,
        )
        for i, (g, x) in enumerate(public)
    )
    return SmallReal(task, key, observations)


def with_worlds(release: Path, target: Path, problems: Sequence[str]) -> Path:
    """A copy of a release folder in which the Parallel tasks of some problems stand as well."""
    shutil.copytree(release, target)
    for folder in (target, target / "public", target / "sealed"):
        folder.chmod(0o755)
    (target / "sealed" / "worlds").mkdir()
    (target / "sealed" / "collection.key").chmod(0o644)
    (target / "sealed" / "collection.key").write_text(KEY.hex() + "\n", encoding="ascii")
    lines: dict[str, list[str]] = {"public/parallel": [], "sealed/parallel_keys": []}
    lines["sealed/calibrated_worlds"] = []
    for problem_id in problems:
        found = tasks(problem_id)
        assert found.parallel is not None
        assert found.parallel_key is not None
        assert found.world is not None
        assert found.pool is not None
        lines["public/parallel"].append(found.parallel.to_json())
        lines["sealed/parallel_keys"].append(found.parallel_key.to_json())
        lines["sealed/calibrated_worlds"].append(found.world.to_json())
        names = [control.name for control in found.world.controls]
        world_file(target, found.world).write_bytes(pool_bytes(found.pool, names))
    for name, rows in lines.items():
        (target / f"{name}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return target
