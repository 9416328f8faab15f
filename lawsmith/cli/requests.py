"""`requests export` and `requests import`: whole windows through batch files or readers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lawsmith.cli import console
from lawsmith.cli.options import Config
from lawsmith.cli.refreshing import MaxTokens, MaxUsd, SourceOption, Window, weeks_for

requests = typer.Typer(help="Model requests as batch files, and their replies.")


def register(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.add_typer(requests, name="requests")


@requests.command("export")
def export(
    to: Annotated[Path, typer.Argument(help="The batch input file to write (JSON lines).")],
    texts: Annotated[
        Path | None, typer.Option(help="Also write one readable text a request here.")
    ] = None,
    window: Window = None,
    source: SourceOption = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    config: Config = None,
) -> None:
    """Write every open request of the window, in the OpenAI batch file format.

    First takes up what the replies at hand answer, so that repairs and reviews which follow
    from them are among the requests. Asks nobody.
    """
    from lawsmith.gateways.models import export_requests, open_requests
    from lawsmith.gateways.store import partition_lock
    from lawsmith.runs import open_context
    from lawsmith.stages.open_requests import open_conversations, take_up_answers

    context = open_context(
        source=source, config_file=config, max_usd=max_usd, max_tokens=max_tokens
    )
    weeks: Sequence[str] = weeks_for(context, window)
    with partition_lock(context.store, "refresh"), context.ledger() as ledger:
        take_up_answers(context, weeks)
        talks = open_conversations(context, weeks)
        found = open_requests(talks.conversations, context.roster(), ledger)
        done = export_requests(
            found.requests, context.roster(), ledger, to, caps=context.caps, texts=texts
        )
    names = ", ".join(str(path) for path in done.files)
    console.say(f"{done.written} requests in {names}; {done.held_back} held back by the caps.")
    for subject, failure in found.failed.items():
        console.complain(f"{subject}: {failure.sentence}")


@requests.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="The batch output file (JSON lines).")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Let a recording's older reply go.")
    ] = False,
    price_factor: Annotated[
        float, typer.Option(help="Part of the listed price that the batch cost.", min=0.0)
    ] = 1.0,
    config: Config = None,
) -> None:
    """Take replies into the ledger, and into the recording where one was asked."""
    from lawsmith.gateways.models import Price, import_replies, record_import
    from lawsmith.runs import open_context

    context = open_context(config_file=config)
    prices = {
        model: Price(price.input / 1e6, price.output / 1e6)
        for model, price in context.settings.prices.items()
    }
    with context.ledger() as ledger:
        report = import_replies(path, ledger, prices=prices, price_factor=price_factor)
    recorded = record_import(report, context.settings.data_root, replace=replace)
    console.say(
        f"{report.new} new replies, {len(report.answered) - report.new} known;"
        f" {recorded} recorded for replay."
    )
    if report.cut_off:
        lines = ", ".join(str(item.line) for item in report.cut_off)
        console.say(f"cut off at their token limit: lines {lines}")
    for fault in report.faults:
        console.complain(str(fault))
    if report.faults and not report.answered:
        raise typer.Exit(1)
