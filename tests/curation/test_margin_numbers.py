"""Printed line numbers in margins: dropped and counted; other columns of numbers stay."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from lawsmith.curation.evidence.search_view import SearchView, Span
from lawsmith.curation.packets import build_packet
from tests.curation.conftest import drawn

PROSE = "The drag of the plate was read from a scale at nine air speeds of the tunnel,"
Draw = Callable[[Canvas], None]


def _numbered(
    numbers: Iterator[int], lines: int = 12, *, size: float = 6, step: int = 1, right: bool = False
) -> Draw:
    """Lines of prose, each drawn after its number, as LaTeX and word processors write them."""

    def draw(canvas: Canvas) -> None:
        for n in range(lines):
            height = 740 - 20 * n
            canvas.setFont("Helvetica", 10)
            canvas.drawString(90, height, f"{PROSE} and {chr(97 + n)} was noted")
            number = next(numbers)
            if number % step == 0:
                canvas.setFont("Helvetica", size)
                if right:
                    canvas.drawString(560, height, str(number))
                else:
                    canvas.drawRightString(70, height, str(number))

    return draw


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(("size", "step", "first"), [(6, 1, 1), (10, 1, 95), (6, 5, 1), (10, 5, 2)])
def test_line_numbers_are_dropped_and_counted(
    tmp_path: Path, size: float, step: int, first: int, right: bool
) -> None:
    numbers = count(first)
    pages = [_numbered(numbers, lines, size=size, step=step, right=right) for lines in (30, 30, 5)]
    packet = build_packet(drawn(tmp_path / "p.pdf", *pages))
    assert len(packet.lines) == 65
    assert all(line.startswith(PROSE) for line in packet.lines)
    dropped = sum(n % step == 0 for n in range(first, first + 65))
    assert packet.quality["margin_numbers"] == dropped
    assert packet.quality["pages.margin_numbers"] == 3
    assert packet.quality["page_score_min"] == 1
    assert packet.options["margin_numbers"] == "dropped"


def test_a_quote_across_numbered_lines_is_found(tmp_path: Path) -> None:
    packet = build_packet(drawn(tmp_path / "p.pdf", _numbered(count(1))))
    view = SearchView(packet)
    assert view.find(f"b was noted {PROSE} and c") == [Span(2, 3)]


def test_numbers_that_restart_on_every_page_are_dropped(tmp_path: Path) -> None:
    packet = build_packet(drawn(tmp_path / "p.pdf", _numbered(count(1)), _numbered(count(1))))
    assert len(packet.lines) == 24


def _table(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    for n in range(3):
        canvas.drawString(72, 740 - 14 * n, PROSE)
    for n in range(1, 13):
        canvas.setFont("Helvetica", 7)
        canvas.drawString(72, 680 - 14 * n, str(n))
        canvas.drawString(200, 680 - 14 * n, f"{0.3 * n:.2f} of the flow at rest")


def _axis(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    for n in range(3):
        canvas.drawString(120, 740 - 14 * n, PROSE)
    canvas.setFont("Helvetica", 6)
    for n in range(12):
        # Counted upwards from the bottom, and a second axis from the top.
        canvas.drawRightString(80, 300 + 20 * n, str(n))
        canvas.drawRightString(100, 660 - 20 * n, str(n))


def _references(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    for n in range(1, 13):
        canvas.drawRightString(70, 760 - 50 * n, str(n))
        for line in range(3):
            canvas.drawString(90, 760 - 50 * n - 12 * line, PROSE)


def _few(canvas: Canvas) -> None:
    _numbered(count(1), 4)(canvas)


@pytest.mark.parametrize(
    ("draw", "numbers"), [(_table, 12), (_axis, 24), (_references, 12), (_few, 4)]
)
def test_other_columns_of_numbers_stay(tmp_path: Path, draw: Draw, numbers: int) -> None:
    packet = build_packet(drawn(tmp_path / "p.pdf", draw))
    assert sum(line.isdecimal() for line in packet.lines) == numbers
    assert not [name for name in packet.quality if "margin" in name]
    assert "margin_numbers" not in packet.options
