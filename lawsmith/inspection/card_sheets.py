"""Cards as Markdown for a web page: the law as a picture of its formula, facts beside lines."""

import base64
import io
from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from lawsmith.errors import ParseError
from lawsmith.expressions import parse_infix, to_latex
from lawsmith.gateways.store import Row, read_table
from lawsmith.inspection.card_evidence import Fact
from lawsmith.inspection.card_pages import CardPage, card_page
from lawsmith.inspection.curation_figures import CardFigures
from lawsmith.inspection.pictures import card_funnel
from lawsmith.inspection.plain_text import markdown_code, markdown_text
from lawsmith.runs import StageContext
from schemas.card import RelationDraft

SHOWN = 3
SHEET_KINDS = ("definition", "control", "readout", "parameter", "constraint", "sampling")
"""Facts that a sheet lists; statements are in `lawsmith cards show`."""


def sheets(context: StageContext) -> dict[str, str]:
    """Three cards as Markdown by title: admitted ones first, the last place for a refused one."""
    rows = read_table(context.store, "cards", context.collection)
    admitted = [row for row in rows if row.outcome == "passed"]
    refused = [row for row in rows if row.outcome != "passed"]
    first = admitted[: SHOWN - bool(refused)]
    chosen: list[Row] = [*first, *refused[: SHOWN - len(first)]]
    return {f"card {row.id}": sheet(card_page(context, row)) for row in chosen}


def figures_shown(figures: CardFigures) -> dict[str, str]:
    """The figures of curation as Markdown by title."""
    reasons = [(stage, code, str(n), str(all_)) for stage, code, n, all_ in figures.reasons]
    head = ("role", "live calls", "tokens", "USD", "replayed replies")
    return {
        "funnel": _image("funnel", card_funnel(figures.funnel)),
        "reasons by count": _table(("stage", "reason", "decided", "findings"), reasons),
        "cost per accepted card": "\n\n".join(
            (f"**{markdown_text(figures.per_accepted_card)}**", _table(head, figures.costs))
        ),
    }


def sheet(page: CardPage) -> str:
    """One card as Markdown; text of papers and models is shown, never obeyed."""
    row = page.head.as_data()["rows"][0]
    said = f"{row['extractor']}{' (replayed)' if row['replayed'] else ''}"
    standing = f"gates: {row['gates']} ({markdown_text(row['reason'])})"
    told = (markdown_text(page.card_id), standing, f"extractor {markdown_text(said)}")
    parts = [f"### {markdown_text(page.title)}", " · ".join((*told, str(row["window"])))]
    parts += [
        f"{_formula(law)}\n\nstatus {law.status} · origin: {markdown_text(str(law.origin))}"
        for law in page.draft.relations
    ]
    found = [line for fact in page.facts for line in page.findings.get(fact.path, ())]
    parts += [f"- **gate** {markdown_text(line)}" for line in found]
    cells = [cell for fact in page.facts if fact.kind in SHEET_KINDS for cell in [_cells(fact)]]
    parts.append(_rows(("fact", "value", "lines", "words of the paper"), cells))
    parts += [_review(page)] if page.reviews else []
    return "\n\n".join(parts)


def _cells(fact: Fact) -> tuple[str, str, str, str]:
    lines = ", ".join(
        str(one.lines[0].number)
        if len(one.lines) == 1
        else f"{one.lines[0].number}–{one.lines[-1].number}"
        for one in fact.evidence
        if one.lines
    )
    words = " … ".join(markdown_code(one.quote) for one in fact.evidence)
    missing = [f"**{number.value} {number.how}**" for number in fact.numbers if not number.found]
    value = " ".join((markdown_code(fact.value), *missing))
    return fact.kind, value, lines or "none", words or "none"


def _review(page: CardPage) -> str:
    def verdicts() -> Iterator[tuple[str, str, str, str]]:
        for review in page.reviews:
            who = f"{review.subject}, revision {review.revision}: {review.decision}"
            doubted = [
                f"{item.criterion} {item.verdict}: {item.reason}"
                for item in review.criteria
                if item.verdict != "supported"
            ]
            said = f"{review.reviewer}{' (replayed)' if review.replayed else ''}"
            count = f"{len(review.criteria) - len(doubted)} of {len(review.criteria)}"
            yield who, said, count, "; ".join(doubted) or "none"

    return _table(("review", "by", "criteria supported", "doubts"), list(verdicts()))


def _formula(law: RelationDraft) -> str:
    """The formula as a picture; as text where it cannot be read or drawn."""
    text = markdown_code(f"{law.readout} = {law.expression}").replace("\\|", "|")
    try:
        formula = to_latex(parse_infix(law.expression))
        name = to_latex(parse_infix(law.readout))
    except ParseError:
        return text
    drawn = _drawn(f"${name} = {formula}$")
    return text if drawn is None else _image("formula", drawn)


def _drawn(formula: str) -> bytes | None:
    figure = Figure(figsize=(0.1, 0.1))
    figure.text(0, 0, formula.replace("\\frac", "\\dfrac"), fontsize=13)
    data = io.BytesIO()
    try:
        figure.savefig(data, format="png", dpi=110, bbox_inches="tight", pad_inches=0.08)
    except ValueError:
        return None  # Piecewise formulas are beyond what the drawing knows of LaTeX.
    return data.getvalue()


def _image(name: str, png: bytes) -> str:
    return f"![{name}](data:image/png;base64,{base64.b64encode(png).decode('ascii')})"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return _rows(columns, [[markdown_text(cell) for cell in row] for row in rows])


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    if not rows:
        return "none"
    head = f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"
    return "\n".join([head, *(f"| {' | '.join(row)} |" for row in rows)])


__all__ = ("figures_shown", "sheet", "sheets")
