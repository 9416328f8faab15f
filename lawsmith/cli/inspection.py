"""`status`, `explain`, `cards`, `sql`, `config`: looking into a store."""

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from lawsmith.cli import console
from lawsmith.cli.exit_codes import usage
from lawsmith.cli.options import Config, Json
from lawsmith.errors import InputError, PrerequisiteError

if TYPE_CHECKING:
    from lawsmith.stages.supersession import SupersededFamily
    from schemas.source import Disposition

cards = typer.Typer(help="Science cards of the store.", no_args_is_help=True)

SourceOption = Annotated[
    str | None, typer.Option("--source", help="sample, arxiv or a folder: whose papers.")
]


def register(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("status")(status)
    app.command("explain")(explain)
    app.add_typer(cards, name="cards")
    app.command("sql")(sql)
    app.command("config")(config)


def status(source: SourceOption = None, as_json: Json = False, config: Config = None) -> None:
    """How many subjects stand where, by stage, and what every paper's furthest stage is."""
    from lawsmith.cli.summary import (
        PAPER_COLUMNS,
        SUPERSEDED_COLUMNS,
        paper_rows,
        show_superseded,
        superseded_rows,
    )
    from lawsmith.inspection import PROBLEM_COLUMNS, problem_counts
    from lawsmith.runs import all_dispositions, furthest_by_paper, open_context
    from lawsmith.stages.supersession import counted, superseded_families

    context = open_context(source=source, config_file=config)
    dispositions = all_dispositions(context.store, context.collection)
    superseded = superseded_families(context)
    counts = Counter(_standing(item, superseded) for item in dispositions)
    rows = [(*key, count) for key, count in sorted(counts.items())]
    papers = paper_rows(furthest_by_paper(counted(dispositions, superseded)))
    problems = problem_counts(context.store)
    releases = sorted(path.name for path in context.store.releases.glob("*-*"))
    with context.ledger() as ledger:
        spent = ledger.spent()
    if as_json:
        console.as_json(
            {
                "home": str(context.store.home),
                "collection": context.collection,
                "stages": console.as_objects(
                    ("stage", "outcome", "reason", "release", "count"), rows
                ),
                "papers": console.as_objects(
                    ("paper", "stage", "outcome", "reason", "sentence"), papers
                ),
                "superseded": console.as_objects(SUPERSEDED_COLUMNS, superseded_rows(superseded)),
                "problems": console.as_objects(PROBLEM_COLUMNS, problems),
                "releases": releases,
                "calls": spent.calls,
                "tokens": spent.tokens,
                "usd": spent.usd,
            }
        )
        return
    console.say(f"{context.store.home} · collection {context.collection}")
    console.table("Stages", ("stage", "outcome", "reason", "release", "count"), rows)
    console.table("Papers", PAPER_COLUMNS, papers, one_line=True)
    show_superseded(superseded)
    if problems:
        console.table("Problems on real data", PROBLEM_COLUMNS, problems)
    console.say(f"releases: {', '.join(releases) or 'none yet'}")
    console.say(
        f"calls to live models: {spent.calls}, {spent.tokens} tokens, in doubt"
        f" {spent.in_doubt_calls}"
    )


def explain(
    subject: Annotated[
        str, typer.Argument(help="A paper, packet, card, family, problem or task id.")
    ],
    as_json: Json = False,
    config: Config = None,
) -> None:
    """What is known of a paper, card, family, problem or task: every decision and why."""
    from lawsmith.cli.pages import show_story
    from lawsmith.inspection import explain as explained
    from lawsmith.runs import open_context
    from schemas.source import Collection

    found = [
        explained(open_context(collection=collection, config_file=config), subject)
        for collection in get_args(Collection)
    ]
    story = [part for told in found for part in told]
    if not story:
        raise PrerequisiteError(
            f"nothing is known of {subject!r}", fix="look at `lawsmith status` for ids"
        )
    if as_json:
        console.as_json([part.as_data() for part in story])
    else:
        show_story(story)


@cards.command("list")
def list_cards(
    outcome: Annotated[
        str | None, typer.Option("--outcome", help="passed, rejected, waiting, failed, deferred.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help="A reason code, as number_not_anchored.")
    ] = None,
    window: Annotated[
        str | None, typer.Option("--window", help="Only weeks of A..B, as 2026-10-05..2026-11-02.")
    ] = None,
    readings: Annotated[
        bool, typer.Option("--readings", help="Also packets whose reading gave no card.")
    ] = False,
    source: SourceOption = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Every drafted card as it stands after gates and review."""
    from lawsmith.eligibility import parse_window
    from lawsmith.inspection import listed_cards
    from lawsmith.runs import open_context
    from schemas.source import Outcome, ReasonCode

    _known("--outcome", outcome, get_args(Outcome))
    _known("--reason", reason, [code.value for code in ReasonCode])
    with usage("--window"):
        weeks = None if window is None else parse_window(window)
    context = open_context(source=source, config_file=config)
    found = listed_cards(context, outcome=outcome, reason=reason, window=weeks, readings=readings)
    columns = ("card", "stage", "outcome", "reason", "week", "extractor", "title")
    rows = [
        (one.id, one.stage, one.outcome, one.reason, one.week, one.extractor, one.title)
        for one in found
    ]
    if as_json:
        console.rows_as_json(columns, rows)
    else:
        console.table("Cards", columns, rows, one_line=True)


@cards.command("show")
def show_card(
    card_id: Annotated[str, typer.Argument(help="A card id, as sample:0001/r1.")],
    source: SourceOption = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """One card beside its packet, its reviews, and what came of it; refused ones, too."""
    from lawsmith.cli.pages import show_page
    from lawsmith.gateways.store import read_table
    from lawsmith.inspection import card_page
    from lawsmith.runs import open_context

    context = open_context(source=source, config_file=config)
    rows = read_table(context.store, "cards", context.collection)
    row = next((row for row in rows if row.id == card_id), None)
    if row is None:
        raise PrerequisiteError(f"no card {card_id!r}", fix="see `lawsmith cards list`")
    page = card_page(context, row)
    if as_json:
        console.as_json(page.as_data())
    else:
        show_page(page)


def sql(
    statement: Annotated[str, typer.Argument(help="One select over the catalogue.")],
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Query every stage table and release, read-only."""
    from lawsmith.gateways.store import query, rebuild_catalogue
    from lawsmith.runs import open_context

    context = open_context(config_file=config)
    if not context.store.catalogue.is_file():
        rebuild_catalogue(context.store)
    result = query(context.store, statement)
    if as_json:
        console.rows_as_json(result.columns, result.rows)
    else:
        console.table("", result.columns, result.rows)


def config(
    file: Annotated[
        Path | None, typer.Option("--config", help="A file like lawsmith.toml.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The settings in force and where each came from."""
    from lawsmith.runs import configure

    rows = configure(file).rows()
    if as_json:
        console.rows_as_json(("setting", "value", "from"), rows)
    else:
        console.table("Settings", ("setting", "value", "from"), rows)


def _standing(
    item: "Disposition", superseded: "Sequence[SupersededFamily]"
) -> tuple[str, str, str, str]:
    """Stage, outcome, reason and release of a disposition, as `status` counts them."""
    from lawsmith.stages.supersession import is_superseded

    outcome = "superseded" if is_superseded(item, superseded) else item.outcome
    return item.stage, outcome, item.reason_code.value, item.release_id or ""


def _known(option: str, given: str | None, known: Sequence[str]) -> None:
    if given is None or given in known:
        return
    near = difflib.get_close_matches(given, known, n=2)
    fix = f"did you mean {' or '.join(near)}?" if near else f"one of {', '.join(known)}"
    with usage(option):
        raise InputError(f"unknown value {given!r}", fix=fix)
