"""A card as people read it: each fact beside the packet's lines, on a terminal or in a file.

The packet's text is data: it is never read as markup, and control characters are made visible
before anything is laid out.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lawsmith.cli import console
from lawsmith.inspection import (
    CardPage,
    CriterionSeen,
    Evidence,
    Fact,
    Line,
    ReviewSeen,
    Section,
    one_line,
)

SIDE_BY_SIDE = 100
"""Columns from which a fact and its lines fit beside each other."""
OPEN, CLOSE = "⟦", "⟧"
"""Around a quotation where there is no colour to mark it with."""
MARKED = "bold black on yellow"
HEADINGS = {
    "relation": "Relations",
    "definition": "Definitions",
    "identity": "Consistency",
    "control": "Controls",
    "readout": "Readouts",
    "parameter": "Parameters",
    "constraint": "Constraints",
    "sampling": "Sampling",
}


def show_story(story: Sequence[Section | CardPage]) -> None:
    """Print tables and cards in reading order."""
    for part in story:
        if isinstance(part, CardPage):
            show_page(part)
        else:
            console.table(part.title, part.columns, part.rows)


def show_page(page: CardPage) -> None:
    """Print one card beside its packet."""
    if not console.Volume.level:
        return
    coloured = console.OUT.is_terminal
    written = StringIO()
    plain = Console(file=written, highlight=False, width=console.WIDE)
    _write(page, _Sheet(console.OUT if coloured else plain, coloured))
    if not coloured:
        # Cells are padded to the width of the sheet, which is noise in a file.
        console.OUT.out("\n".join(map(str.rstrip, written.getvalue().split("\n"))), end="")
    for section in page.sections:
        console.table(section.title, section.columns, section.rows)


def _write(page: CardPage, sheet: "_Sheet") -> None:
    coloured = sheet.coloured
    sheet.heading(f"Card {page.card_id}: {page.title}")
    sheet.pairs(page.head)
    if page.packet is None:
        sheet.line(Text("The packet of this card is gone: no line can be shown.", "red"))
    heading = ""
    for fact in page.facts:
        if _heading(fact) != heading:
            heading = _heading(fact)
            sheet.heading(heading)
        sheet.beside(_fact(fact, page.findings.get(fact.path, ())), _lines(fact, coloured))
    for review in page.reviews:
        sheet.heading(_review_title(review))
        if review.changes:
            sheet.line(Text(f"asked for: {one_line(review.changes)}"))
        for criterion in review.criteria:
            sheet.beside(_criterion(criterion), _cited(criterion, coloured))


class _Sheet:
    """Where a page is printed: the width decides between beside and below."""

    def __init__(self, out: Console, coloured: bool) -> None:
        self.out = out
        self.coloured = coloured
        self.wide = coloured and out.width >= SIDE_BY_SIDE

    def heading(self, text: str) -> None:
        self.out.print()
        self.out.print(Text(one_line(text), "bold"), soft_wrap=False)

    def line(self, text: Text) -> None:
        self.out.print(Padding(text, (0, 0, 0, 1)), soft_wrap=False)

    def pairs(self, section: Section) -> None:
        for row in section.rows:
            for name, cell in zip(section.columns, row, strict=True):
                self.line(Text(f"{name}: ", "dim").append(one_line(str(cell)), "not dim"))

    def beside(self, left: Iterable[Text], right: Iterable[tuple[Text, Text]]) -> None:
        """A fact and its lines: two columns where there is room, else one below the other."""
        lines = Table.grid(padding=(0, 1))
        lines.add_column(justify="right", no_wrap=True)
        lines.add_column(overflow="fold")
        for number, text in right:
            lines.add_row(number, text)
        if self.wide:
            both = Table.grid(expand=True, padding=(0, 2))
            both.add_column(ratio=2, overflow="fold")
            both.add_column(ratio=3)
            both.add_row(Text("\n").join(left), lines)
            self.out.print(Padding(both, (0, 0, 1, 1)), soft_wrap=False)
            return
        for text in left:
            self.line(text)
        self.out.print(Padding(lines, (0, 0, 1, 3)), soft_wrap=False)


def _heading(fact: Fact) -> str:
    return HEADINGS.get(fact.kind, fact.kind[:1].upper() + fact.kind[1:])


def _fact(fact: Fact, findings: Sequence[str]) -> Iterator[Text]:
    yield Text(one_line(fact.value), "bold")
    for note in fact.notes:
        if note:
            yield Text(one_line(note), "dim")
    for number in fact.numbers:
        style = "green" if number.found else "bold red"
        yield Text(f"{number.what} {number.value}: {one_line(number.how)}", style)
    for finding in findings:
        yield Text(f"GATE {one_line(finding)}", "bold red")


def _lines(fact: Fact, coloured: bool) -> Iterator[tuple[Text, Text]]:
    if not fact.evidence:
        yield Text(""), Text("no anchor", "dim")
    for evidence in fact.evidence:
        yield Text(""), _anchor(evidence)
        for line in evidence.lines:
            yield _line(line, coloured)
        if not any(line.marks for line in evidence.lines):
            yield Text(""), Text(f"quoted: {one_line(evidence.quote)}", "red")


def _anchor(evidence: Evidence) -> Text:
    first, last = evidence.claimed
    head = f"line {first}" if first == last else f"lines {first}-{last}"
    head += f", {evidence.where}" if evidence.where else ""
    text = Text(one_line(head), "dim")
    if evidence.found != "as claimed":
        text.append(f" · {one_line(evidence.found)}", "bold red")
    return text.append(f" · {one_line(evidence.support)}", "dim italic")


def _line(line: Line, coloured: bool) -> tuple[Text, Text]:
    text = Text()
    at = 0
    for start, end in line.marks:
        text.append(one_line(line.text[at:start]))
        quoted = one_line(line.text[start:end])
        text.append(quoted if coloured else f"{OPEN}{quoted}{CLOSE}", MARKED)
        at = end
    text.append(one_line(line.text[at:]))
    return Text(str(line.number), "cyan"), text


def _review_title(review: ReviewSeen) -> str:
    hand = ", a person (overrides.toml)" if review.by_hand else ""
    who = f"{review.reviewer}{hand}{', replayed' if review.replayed else ''}"
    same = ", the model that extracted" if review.same_model else ""
    return (
        f"Review of the {review.subject}, revision {review.revision}, by {who}{same}:"
        f" {review.decision}{' (of what it was before)' if review.former else ''}"
    )


_STYLES = {"supported": "green", "unsupported": "bold red", "unclear": "yellow"}


def _criterion(item: CriterionSeen) -> Iterator[Text]:
    yield Text(f"{item.criterion}: ", "bold").append(item.verdict, _STYLES.get(item.verdict, ""))
    yield Text(one_line(item.reason))


def _cited(item: CriterionSeen, coloured: bool) -> Iterator[tuple[Text, Text]]:
    for line in item.lines:
        yield _line(line, coloured)
    if item.quoted and item.quote is None:
        yield Text(""), Text("the reply with the words of this quotation is not at hand", "dim")
    elif item.quote is not None and not any(line.marks for line in item.lines):
        yield Text(""), Text(f"quoted: {one_line(item.quote)}", "dim")


__all__ = ("show_page", "show_story")
