"""What the command line prints: tables and messages, JSON where asked, progress on a terminal."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table

from lawsmith.stages.context import Progress as Tell

OUT = Console(highlight=False, soft_wrap=True)
ERR = Console(stderr=True, highlight=False, soft_wrap=True)


class Volume:
    """How much a command says: 0 quiet, 1 as usual, 2 with every subject."""

    level = 1


def say(text: str) -> None:
    """One line for people, on standard output unless quiet."""
    if Volume.level:
        OUT.print(text, markup=False)


def detail(text: str) -> None:
    """One line that only -v shows, on standard error."""
    if Volume.level > 1:
        ERR.print(text, markup=False, style="dim")


def complain(text: str) -> None:
    """One message on standard error."""
    ERR.print(text, markup=False, style="red")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for people; wide cells fold."""
    if not Volume.level:
        return
    shown = Table(title=title or None, title_justify="left", header_style="bold")
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*("" if cell is None else str(cell) for cell in row))
    OUT.print(shown)


def as_json(data: object) -> None:
    """The data as one JSON document on standard output."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False, default=str))


def rows_as_json(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows as a JSON list of objects."""
    as_json([dict(zip(columns, row, strict=True)) for row in rows])


@contextmanager
def progress() -> Iterator[Tell]:
    """A callback that draws one bar a task while a terminal is there to see it."""
    if not ERR.is_terminal or not Volume.level:
        yield lambda _what, _done, _of: None
        return
    bars = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=ERR,
        transient=True,
    )
    with bars:
        known: dict[str, int] = {}

        def tell(what: str, done: int, of: int) -> None:
            if what not in known:
                known[what] = int(bars.add_task(what, total=of or None))
            bars.update(known[what], completed=done, total=of or None)  # type: ignore[arg-type]

        yield tell
