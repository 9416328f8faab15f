"""What the command line prints: tables and messages, JSON where asked, progress on a terminal."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from lawsmith.curation.evidence import inert, inert_json
from lawsmith.inspection import one_line as on_one_line

if TYPE_CHECKING:
    from lawsmith.runs import Progress as Tell

OUT = Console(highlight=False, soft_wrap=True)
ERR = Console(stderr=True, highlight=False, soft_wrap=True)
WIDE = 160
"""Columns of a table that goes into a file or a pipe."""
GAP = 3
SHORTEST_CUT = 20
LONGEST_WHOLE = 28
"""Characters of a cell that is never folded: ids, stages, reason codes."""


class Volume:
    """How much a command says: 0 quiet, 1 as usual, 2 with every paper."""

    level = 1


def say(text: str) -> None:
    """One line for people, on standard output unless quiet."""
    if Volume.level:
        OUT.print(inert(text), markup=False)


def detail(text: str) -> None:
    """One line that only -v shows, on standard error."""
    if Volume.level > 1:
        ERR.print(inert(text), markup=False, style="dim")


def complain(text: str) -> None:
    """One message on standard error, quiet or not."""
    ERR.print(inert(text), markup=False, style="red")


def table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    one_line: bool = False,
) -> None:
    """A table for people.

    Args:
        title: above it, or nothing.
        columns: names of the columns.
        rows: their cells; None is shown as nothing.
        one_line: whether the last column is cut to what fits, so that a row is a line; else
            long cells fold.
    """
    if not Volume.level:
        return
    out = OUT if OUT.is_terminal else Console(highlight=False, width=WIDE)
    cells = [["" if cell is None else on_one_line(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    if one_line:
        left = max(SHORTEST_CUT, out.width - sum(widths[:-1]) - GAP * len(columns))
        for row in cells:
            row[-1] = _cut(row[-1], left)
    shown = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        shown.add_column(column, overflow="fold", no_wrap=width <= LONGEST_WHOLE)
    for row in cells:
        shown.add_row(*map(Text, row))
    if title:
        out.print(f"\n{on_one_line(title)}", style="bold", markup=False, end="")
    out.print(shown, soft_wrap=False)


def _cut(text: str, width: int) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= width else f"{whole[: width - 1]}…"


def as_json(data: object) -> None:
    """The data as one JSON document on standard output."""
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False, default=str)
    typer.echo(inert_json(text))


def rows_as_json(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows as a JSON list of objects."""
    as_json(as_objects(columns, rows))


def as_objects(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[dict[str, object]]:
    """Rows as objects, column name -> cell."""
    return [dict(zip(columns, row, strict=True)) for row in rows]


@contextmanager
def progress() -> "Iterator[Tell]":
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
