"""Printed line numbers in the margins of a page: found by where they stand and how they count.

Manuscripts number their lines for reviewers. The library gives each number as a line of its own,
between two lines of a sentence, where it breaks quotes and would pass for a number of the paper.
Labels of axes, rows of tables and labels of references must not be taken for them, so that all
of this is asked for: they stand beyond the text, one under another, count upwards by one step,
have text at their height, and are either smaller than the text or stand at nearly every line.
"""

from collections.abc import Sequence
from typing import Final

from lawsmith.curation.packets.pdf_lines import PdfLine

STEPS: Final = (1, 5, 2, 10)
"""Every line is numbered, or every fifth, second or tenth."""
AT_LEAST = 6
"""Numbers of a page that count as line numbers by themselves; a continued count needs one."""
_LONGEST = 5
_PROSE, _TEXT = 25, 8
"""Characters of a line of running text, and of a line that is text at all."""
_STRAYING = 0.1
"""Share of the running text that may reach into a margin, as wide headings do."""
_EDGE = 3.0
"""Points by which the edges of numbers one under another may differ."""
_SMALL = 0.85
_BESIDE = 0.6
_EVERY_LINE = 0.8


def margin_numbers(lines: Sequence[PdfLine], after: int | None = None) -> list[int]:
    """Which lines of a page are printed line numbers, as indices in order of the count.

    Args:
        lines: of the page.
        after: the last line number of the page before, None if it has none.
    """
    numbers = [n for n, line in enumerate(lines) if _is_number(line.text)]
    prose = [line for line in lines if len(line.text) >= _PROSE]
    if not numbers or not prose:
        return []
    straying = int(_STRAYING * len(prose))
    left = sorted(line.box[0] for line in prose)[straying]
    right = sorted((line.box[2] for line in prose), reverse=True)[straying]
    found: list[int] = []
    for beyond in (
        [n for n in numbers if lines[n].box[2] <= left],
        [n for n in numbers if lines[n].box[0] >= right],
    ):
        count = _count(lines, beyond, prose, after)
        if count:
            found += count
            after = int(lines[count[-1]].text)
    return found


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST and text.isascii() and text.isdecimal()


def _count(
    lines: Sequence[PdfLine], beyond: Sequence[int], prose: Sequence[PdfLine], after: int | None
) -> list[int]:
    """The longest count down a margin, empty if it is none of line numbers."""
    best: list[int] = []
    for step in STEPS:
        count = _longest(lines, beyond, step)
        continued = after is not None and bool(count) and int(lines[count[0]].text) == after + step
        enough = len(count) >= AT_LEAST or continued
        if enough and len(count) > len(best) and _is_beside_text(lines, count, prose, step):
            best = count
    return best


def _longest(lines: Sequence[PdfLine], beyond: Sequence[int], step: int) -> list[int]:
    """The longest run of numbers one under another that grows by a step."""
    runs: dict[int, list[int]] = {}
    for n in sorted(beyond, key=lambda n: lines[n].box[1]):
        value = int(lines[n].text)
        before = runs.get(value - step, [])
        under = not before or _is_under(lines[before[-1]], lines[n])
        run = [*before, n] if under else [n]
        if len(run) > len(runs.get(value, [])):
            runs[value] = run
    return max(runs.values(), key=len, default=[])


def _is_under(above: PdfLine, below: PdfLine) -> bool:
    aligned = any(abs(above.box[edge] - below.box[edge]) <= _EDGE for edge in (0, 2))
    return aligned and below.box[1] > above.box[1] + above.size / 2


def _is_beside_text(
    lines: Sequence[PdfLine], count: Sequence[int], prose: Sequence[PdfLine], step: int
) -> bool:
    """Whether text stands at the height of the numbers, as it does beside line numbers."""
    text = [line for line in lines if len(line.text) >= _TEXT and not _is_number(line.text)]
    middles = [(lines[n].box[1] + lines[n].box[3]) / 2 for n in count]
    beside = sum(any(line.box[1] <= at <= line.box[3] for line in text) for at in middles)
    if beside < _BESIDE * len(count):
        return False
    sizes = sorted(line.size for line in prose)
    if lines[count[0]].size <= _SMALL * sizes[len(sizes) // 2]:
        return True
    top, bottom = lines[count[0]].box[1], lines[count[-1]].box[3]
    # Two columns have two lines at one height, and one number.
    numbered = {round(line.box[1]) for line in prose if top <= line.box[3] <= bottom + 1}
    return len(count) * step >= _EVERY_LINE * len(numbered)


__all__ = ("AT_LEAST", "STEPS", "margin_numbers")
