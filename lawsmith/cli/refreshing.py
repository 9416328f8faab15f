"""`refresh` and `build-historical`: the main job, from a window of papers to a release."""

from datetime import date, timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from lawsmith.cli import console
from lawsmith.cli.exit_codes import usage
from lawsmith.cli.options import Config, Json
from lawsmith.errors import LawsmithError, PrerequisiteError

if TYPE_CHECKING:
    from assets.resources import Engine
    from lawsmith.cli.journal import Journal
    from lawsmith.runs import StageContext
    from pipelines.main_job import Outcome

Window = Annotated[str | None, typer.Option(help="Days A..B of first submission; B is outside.")]
SourceOption = Annotated[str | None, typer.Option(help="sample, arxiv, or a folder of papers.")]
MaxUsd = Annotated[float | None, typer.Option(min=0.0, help="Cap of this run in US dollars.")]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Cap of this run in tokens.")]


def register(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("refresh")(refresh)
    app.command("build-historical")(build_historical)


def refresh(
    window: Window = None,
    source: SourceOption = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and what it may cost.")
    ] = False,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Papers of a window through cards, reviews and families; the sample also gets its releases.

    Exits with 1 where a model, a cap or a source left papers undone: run it again.
    """
    from lawsmith.cli.journal import journal
    from lawsmith.gateways.store import partition_lock
    from lawsmith.runs import AMBIENT, Ambient, open_context

    stop = Event()
    with console.progress() as tell:
        AMBIENT.set(Ambient(tell, stop))
        label = f"refresh-{uuid4().hex[:8]}"
        context = open_context(
            source=source,
            config_file=config,
            max_usd=max_usd,
            max_tokens=max_tokens,
            run=label,
        )
        weeks = weeks_for(context, window)
        if dry_run:
            from lawsmith.cli.dry_run import show_dry_run

            show_dry_run(context, weeks, as_json=as_json)
            return
        with (
            partition_lock(context.store, "refresh"),
            journal(
                context, label, "refresh", source=context.source, first=weeks[0], last=weeks[-1]
            ) as log,
        ):
            _refresh(context, weeks, config, label, log, as_json=as_json)


def build_historical(
    key: Annotated[
        Path | None, typer.Option(help="A key file: builds the collection `historical` with it.")
    ] = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Forge the Historical families, calibrate worlds on real data, and cut their release."""
    from lawsmith.cli.journal import journal
    from lawsmith.gateways.store import partition_lock
    from lawsmith.runs import AMBIENT, Ambient, open_context, prepare_key

    with console.progress() as tell:
        AMBIENT.set(Ambient(tell, Event()))
        context = open_context(collection="historical-dev", config_file=config)
        collection = prepare_key(context, key)
        # Dagster takes seconds to import; only the commands that run jobs pay for it.
        from assets.resources import Engine
        from pipelines.main_job import Outcome
        from pipelines.main_job import build_historical as build

        outcome = Outcome((), {})
        label = f"build-historical-{uuid4().hex[:8]}"
        with (
            partition_lock(context.store, "refresh"),
            journal(context, label, "build-historical", collection=collection) as log,
        ):
            engine = Engine(config_file=str(config or ""), historical_collection=collection)
            build(engine, collection, outcome)
            log.tell(outcome)
    from lawsmith.cli.summary import show_outcome

    show_outcome(context, outcome, as_json=as_json)


def weeks_for(context: "StageContext", window: str | None) -> list[str]:
    """The weekly partitions of a window, or of the source's own one.

    Raises:
        typer.BadParameter: no window A..B.
        PrerequisiteError: a folder without papers.
    """
    from lawsmith.eligibility import last_closed_week, parse_window, week_of, weeks_of
    from lawsmith.gateways.papers import open_source, sample_terms

    if window is not None:
        with usage("--window"):
            return weeks_of(parse_window(window))
    if context.source == "sample":
        return weeks_of(parse_window(sample_terms(context.settings).window))
    if context.source == "arxiv":
        return [last_closed_week(context.now(), context.settings.window.lag_days)]
    dates = open_source(context.settings, context.store, context.source).submission_dates()
    if not dates:
        raise PrerequisiteError("the folder lists no paper", path=context.source)
    mondays = sorted(week_of(instant) for instant in dates)
    first, last = date.fromisoformat(mondays[0]), date.fromisoformat(mondays[-1])
    return [(first + timedelta(weeks=n)).isoformat() for n in range((last - first).days // 7 + 1)]


def _refresh(
    context: "StageContext",
    weeks: list[str],
    config: Path | None,
    label: str,
    log: "Journal",
    *,
    as_json: bool,
) -> None:
    from assets.resources import Engine
    from lawsmith.cli.summary import left_undone, show_outcome
    from lawsmith.stages.sources import check_downloads
    from pipelines.main_job import refresh as run

    engine = Engine(
        source=context.source,
        config_file=str(config or ""),
        max_usd=context.caps.max_usd,
        max_tokens=context.caps.max_tokens,
        run=label,
    )
    outcome = run(context, weeks, engine)
    problem: LawsmithError | None = None
    if context.source == "sample" and not context.stop.is_set():
        try:
            _cut_sample(context, engine, outcome)
        except LawsmithError as error:
            # What became of the papers is told before what kept the release from being cut.
            problem = error
    log.tell(outcome)
    show_outcome(context, outcome, as_json=as_json)
    if problem is not None:
        raise problem
    if context.stop.is_set():
        raise PrerequisiteError(
            "stopped; every reply that arrived is stored", fix="run the same command to resume"
        )
    check_downloads(context, weeks)
    if undone := left_undone(context, weeks):
        raise PrerequisiteError(undone[0], fix=undone[1])


def _cut_sample(context: "StageContext", engine: "Engine", outcome: "Outcome") -> None:
    from lawsmith.gateways.papers import sample_terms
    from pipelines.main_job import build_historical as build
    from pipelines.main_job import cut_next

    terms = sample_terms(context.settings)
    build(engine, "historical-dev", outcome, problems=False)
    cut_next(context, engine, outcome, series=terms.series, cutoff=terms.cutoff, until=terms.until)
