"""The main job: refresh the weeks that have work, build Historical, cut and export releases."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assets.resources import Engine
from lawsmith.gateways.store import rebuild_catalogue
from lawsmith.runs import StageContext, collection_of_release, open_context
from lawsmith.stages.calibrated_worlds import calibrated_sets
from lawsmith.stages.cuts import Plan, ask, plan_cut
from lawsmith.stages.open_subjects import pending, pending_historical, pending_problems
from lawsmith.stages.publications import due_papers
from lawsmith.stages.release_steps import first_step_left, restore_rows
from lawsmith.stages.store_damage import refuse_lost_rows, set_aside_damaged
from pipelines.launch import launch, open_instance
from pipelines.release_cut import UNFINISHED
from schemas.release import Cut
from schemas.source import Collection

HISTORICAL_SERIES = "1.0"
"""The first two numbers of the Historical release's version."""


@dataclass
class Outcome:
    """What one main job did."""

    weeks: tuple[str, ...]
    todo: dict[str, list[str]]
    runs: list[tuple[str, str]] = field(default_factory=list)
    """(job, Dagster run id)."""
    releases: list[tuple[Path, bool]] = field(default_factory=list)
    """(folder, written in this run)."""
    notes: list[str] = field(default_factory=list)


def refresh(context: StageContext, weeks: Sequence[str], engine: Engine) -> Outcome:
    """Take up every week that has work left; nothing that is done is done again.

    Raises:
        LawsmithError: as the failing stage raised it.
    """
    outcome = Outcome(tuple(weeks), {})
    outcome.notes += set_aside_damaged(context, weeks)
    if due_papers(context):
        # First, since a new version that is found gives its week work.
        _look_up(context, engine, outcome)
    outcome.todo = pending(context, weeks)
    if outcome.todo:
        with open_instance(context.store) as instance:
            run = launch(instance, "temporal_refresh", engine, weeks=sorted(outcome.todo))
            outcome.runs.append(("temporal_refresh", run))
        _look_up(context, engine, outcome)
    if not outcome.runs and not context.store.catalogue.is_file():
        rebuild_catalogue(context.store, wait=60.0)
    return outcome


def _look_up(context: StageContext, engine: Engine, outcome: Outcome) -> None:
    with open_instance(context.store) as instance:
        run = launch(instance, "publications_refresh", engine)
    outcome.runs.append(("publications_refresh", run))


def build_historical(
    engine: Engine, collection: Collection, outcome: Outcome, *, problems: bool = True
) -> None:
    """Build missing Historical families, and cut their release if it would hold other things.

    Args:
        engine: as the jobs take it.
        collection: `historical` or `historical-dev`.
        outcome: where runs and releases are noted.
        problems: whether to calibrate missing worlds on real data, too; that takes minutes.
    """
    context = open_context(collection=collection, config_file=engine.config_file or None)
    outcome.notes += set_aside_damaged(context, ())
    if pending_historical(context):
        _build(context, engine, outcome, "historical_build")
    if problems and pending_problems(context):
        # A release of the families alone stands first, as after a refresh: the numbers of
        # releases then mean the same in whatever order the two commands are run.
        if not calibrated_sets(context):
            cut_next(context, engine, outcome, series=HISTORICAL_SERIES, cutoff=None, until=None)
        _build(context, engine, outcome, "calibration_build")
    cut_next(context, engine, outcome, series=HISTORICAL_SERIES, cutoff=None, until=None)


def _build(context: StageContext, engine: Engine, outcome: Outcome, job: str) -> None:
    with open_instance(context.store) as instance:
        outcome.runs.append((job, launch(instance, job, engine)))


def cut_next(
    context: StageContext,
    engine: Engine,
    outcome: Outcome,
    *,
    series: str,
    cutoff: str | None,
    until: str | None,
) -> None:
    """Cut the next release of a series, unless the standing one holds what it would.

    What is left to do of the releases that stand is done: an interrupted cut goes on.

    Raises:
        LawsmithError: as the failing stage raised it, or rows of the stages are gone.
    """
    refuse_lost_rows(context)
    plan: Plan = plan_cut(context, series=series, cutoff=cutoff, until=until)
    finish(context, engine, outcome)
    if plan.standing is not None:
        outcome.releases.append((plan.standing, False))
        return
    if not plan.families and not plan.problems:
        outcome.notes.append(f"no release {plan.cut.id}: nothing is eligible yet")
        return
    outcome.releases.append((cut(context, engine, plan.cut, outcome), True))


def finish(context: StageContext, engine: Engine, outcome: Outcome) -> None:
    """Do what is left of the releases of a collection: rows, exports, evaluations.

    Args:
        context: of the collection.
        engine: as the jobs take it.
        outcome: where the runs are noted.

    Raises:
        IntegrityError: a release is damaged.
        LawsmithError: as the failing stage raised it.
    """
    track = context.collection.split("-")[0]
    for folder in sorted(context.store.releases.glob(f"{track}-*")):
        if collection_of_release(folder.name) != context.collection:
            continue
        restored = restore_rows(context, folder.name)
        if restored:
            outcome.notes.append(f"{folder.name}: rows of {', '.join(restored)} were made again")
        first = first_step_left(context, folder.name)
        if first is not None:
            with open_instance(context.store) as instance:
                run = launch(instance, UNFINISHED[first], engine, release_id=folder.name)
            outcome.runs.append((UNFINISHED[first], run))


def cut(context: StageContext, engine: Engine, terms: Cut, outcome: Outcome) -> Path:
    """Cut one release on the given terms; returns its folder.

    Raises:
        LawsmithError: as the failing stage raised it.
    """
    refuse_lost_rows(context)
    ask(context, terms)
    with open_instance(context.store) as instance:
        run = launch(instance, "release_cut", engine, release_id=terms.id)
    outcome.runs.append(("release_cut", run))
    return context.store.releases / terms.id
