"""A problem's tasks, world and rows made again from its records and its stored hidden law."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from lawsmith.calibration import real_submissions
from lawsmith.calibration.hidden_laws import (
    BuiltProblem,
    BuiltWorld,
    HiddenLaw,
    Search,
    calibration_records,
    published_problem,
)
from lawsmith.calibration.worlds import Pool, WorldPlan, calibrate, plan_of
from lawsmith.errors import IntegrityError
from lawsmith.oracle import hidden_form
from lawsmith.release.calibrated_parallel import parallel_task
from lawsmith.release.calibrated_parts import NoTaskError
from lawsmith.release.calibrated_real import real_task
from lawsmith.release.differences import differences
from lawsmith.release.problems import CalibratedProblem
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealObservation,
    RealTask,
)
from schemas.problem import Constant, Problem
from schemas.record import Record
from schemas.source import Collection
from schemas.world import CalibratedWorld

RELATIVE: Final = 1e-6
"""Fits and what follows from them agree to this on every machine."""


@dataclass(frozen=True, eq=False)
class Remade:
    """What the stored records of a problem give; what there is no task of is None."""

    parallel: ParallelTask | None
    parallel_key: ParallelKey | None
    world: CalibratedWorld | None
    pool: Pool | None
    real: RealTask | None
    real_key: RealKey | None
    observations: tuple[RealObservation, ...]
    submissions: tuple[CalibratedSubmission, ...]
    """Of the Real task: its baselines have no draw."""


def hidden_law_of(key: ParallelKey, problem: Problem) -> HiddenLaw:
    """The stored hidden law, as the search gave it.

    Raises:
        IntegrityError: the base law is none of the problem's, or a group stands twice.
    """
    base = next((law for law in problem.laws if law.id == key.base_law), None)
    if base is None:
        raise IntegrityError(f"{key.base_law!r} is no law of {problem.id}", path="base_law")
    form = hidden_form(key)
    values = next(iter(form.constants.values()))
    constants = [
        _constant(name, values[name], fixed=name in key.fixed, scope=scope)
        for scope, names in (("shared", key.shared), ("per_group", key.local))
        for name in names
    ]
    return HiddenLaw(
        law=key.law,
        constants=tuple(constants),
        form=form,
        edits=key.edits,
        base=base,
        base_r2=0.0,
        base_structure=0.0,
        by_design=False,
        certificates=key.certificates,
    )


def _constant(name: str, value: float, *, fixed: bool, scope: Any) -> Constant:
    return Constant(
        name=name,
        symbol=name,
        meaning="",
        unit="1",
        scope=scope,
        fixed=value if fixed else None,
        low=None,
        high=None,
        starts=() if fixed else (value,),
    )


def remake(stored: CalibratedProblem, key: bytes, collection: Collection) -> Remade:
    """What the stored records of a problem give under the key.

    Raises:
        LawsmithError: they give no task, as with a law that has no value.
    """
    built: BuiltProblem = published_problem(stored.problem, stored.table, collection)
    pool = None
    if stored.parallel_key is not None and stored.world is not None:
        hidden = hidden_law_of(stored.parallel_key, stored.problem)
        records = calibration_records(stored.table, built.split)
        world, pool = calibrate(
            _plan(stored.problem, stored.world, len(built.split.train)),
            hidden.form,
            records,
            built.space,
        )
        # The pool's hash is that of one machine's rounding; its numbers are compared apart.
        near = not differences(data_of(stored.world), data_of(world), relative=RELATIVE)
        world = stored.world if near or _only_hash(stored.world, world) else world
        search = Search(hidden, "", stored.parallel_key.refused)
        built = replace(built, search=search, built=BuiltWorld(hidden, world, pool))
    parallel, parallel_key, made = None, None, None
    with suppress(NoTaskError):
        found, parallel, parallel_key = parallel_task(built, key)
        made = found.world
    real, real_key = None, None
    observations: tuple[RealObservation, ...] = ()
    submissions: tuple[CalibratedSubmission, ...] = ()
    with suppress(NoTaskError):
        real, real_key, observations = real_task(built, key)
        submissions = tuple(real_submissions(built, real, real_key.reference).values())
    return Remade(parallel, parallel_key, made, pool, real, real_key, observations, submissions)


def _plan(problem: Problem, world: CalibratedWorld, train_rows: int) -> WorldPlan:
    return replace(plan_of(problem, train_rows), out_of_range=world.out_of_range)


def _only_hash(stored: CalibratedWorld, made: CalibratedWorld) -> bool:
    paths = differences(data_of(stored), data_of(made), relative=RELATIVE)
    return paths == ["/pool/sha256"]


def data_of(record: Record) -> dict[str, Any]:
    """A record as JSON data."""
    return record.model_dump(mode="json")


__all__ = ("RELATIVE", "Remade", "data_of", "hidden_law_of", "remake")
