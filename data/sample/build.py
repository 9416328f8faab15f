"""Rebuild the synthetic papers of the sample window: python data/sample/build.py [--to FOLDER].

Each paper is one text file under text/, typeset as papers/<id>.pdf and, for three of them,
as the TeX twin under tex/<id>/. The small tables are simulated: the paper's own relation
times seeded log-normal noise.
"""

import argparse
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import numpy as np
from reportlab.graphics.shapes import Circle, Drawing, Line, String
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

HERE: Final = Path(__file__).resolve().parent
AUTHOR: Final = "Lawsmith sample"
NOTICE: Final = (
    "This is a synthetic paper written for the Lawsmith sample window; its data are simulated."
)
WITH_TEX: Final = ("sample-0001", "sample-0003", "sample-0007")
SEED: Final = 20260420


@dataclass(frozen=True)
class Block:
    """One block of a paper: kind abstract|heading|text|equation|table|figure, and its text."""

    kind: str
    text: str
    file: str
    """The TeX file it goes to, without suffix."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table: the head row, then one row of settings each."""


@dataclass(frozen=True)
class Source:
    """A parsed text file."""

    title: str
    blocks: tuple[Block, ...]


def _robot(v: float, m: float) -> tuple[float, ...]:
    w = 95 * v**1.45 * (1 + m / 4.0)
    p = 8.5 + w + w**2 / 140
    return p, p / v


def _leaf(r: float, v: float, d: float) -> tuple[float, ...]:
    return (r * (1 - 0.347 * d / (d + 1.15)) / (9.6 + 21.4 * v**0.53),)


def _duckweed(i: float, n: float, b: float) -> tuple[float, ...]:
    return (0.43 * math.tanh(i / 52) * n / (n + 0.62) / (1 + (b / 165) ** 1.6),)


SIMULATIONS: Final[dict[str, tuple[Callable[..., tuple[float, ...]], float, tuple[str, ...]]]] = {
    "sample-0001": (lambda v, d: ((0.41 + 0.87 * v**0.62) * d / (d + 2.45),), 0.014, (".3f",)),
    "sample-0002": (
        lambda p, u, c: (0.62 * p * math.exp(-c / 48) / (1 + p / 85 * u**-0.55),),
        *(0.018, (".2f",)),
    ),
    "sample-0003": (_robot, 0.004, (".1f", ".0f")),
    "sample-0004": (lambda u, c: ((u / 10) ** 0.42 * c**0.31,), 0.03, (".2f",)),
    "sample-0005": (_leaf, 0.015, (".2f",)),
    "sample-0006": (
        lambda t, p: (11.8 * math.exp(8300 / 550 - 8300 / t) * p**0.58 / (1 + p / 9.0),),
        *(0.021, (".3f",)),
    ),
    "sample-0007": (
        lambda t, u: (310 * u**1.35 * (1 - math.exp(-((t / 75) ** 0.64))),),
        *(0.019, (".1f",)),
    ),
    "sample-0008": (_duckweed, 0.04, (".4f",)),
}
"""Paper -> the relation behind its table, relative scatter of a row, format of each readout."""


def parse_source(text: str) -> Source:
    """The blocks of a text file: title line, then blocks apart by blank lines."""
    head, _, body = text.partition("\n")
    blocks, file = [], "main"
    for chunk in re.split(r"\n\s*\n|\n(?=@)|(?<=@abstract)\n", body.strip()):
        piece = " ".join(chunk.split())
        mark, _, rest = piece.partition(" ")
        match mark:
            case "@file" if "\n" in chunk:
                first, _, after = chunk.partition("\n")
                file = first.split()[1]
                blocks.append(Block("heading", after.strip().removeprefix("# "), file))
            case "@endfile":
                file = "main"
            case "@abstract":
                blocks.append(Block("abstract", "", file))
            case "@table":
                caption, *lines = chunk.strip().splitlines()
                rows = tuple(tuple(line.split(" | ")) for line in lines)
                blocks.append(Block("table", caption.removeprefix("@table "), file, rows))
            case "#" | "$$" | "@figure":
                kinds = {"#": "heading", "$$": "equation", "@figure": "figure"}
                blocks.append(Block(kinds[mark], rest, file))
            case _ if blocks and blocks[-1] == Block("abstract", "", file):
                blocks[-1] = Block("abstract", piece, file)
            case _:
                blocks.append(Block("text", piece, file))
    return Source(head.removeprefix("title:").strip(), tuple(blocks))


def flatten(text: str) -> str:
    """The text with `$...$` set flat: `$(v/v_0)^{0.62}$` becomes `(v/v0)^0.62`."""

    def flat(match: re.Match[str]) -> str:
        math_text = match[1].replace("_", "").replace("\\le", "<=").replace("\\", "")
        return math_text.replace("{", "").replace("}", "")

    return re.sub(r"\$([^$]*)\$", flat, text)


def table_rows(paper: str, table: Block) -> list[list[str]]:
    """Head row and rows with simulated readouts; the seed is fixed by the paper."""
    law, scatter, formats = SIMULATIONS[paper]
    rng = np.random.Generator(np.random.PCG64([SEED, int(paper[-4:])]))
    rows = [list(table.rows[0])]
    for setting in table.rows[1:]:
        factor = math.exp(scatter * float(rng.standard_normal()))
        values = law(*(float(x) for x in setting))
        shown = [format(v * factor, f) for v, f in zip(values, formats, strict=True)]
        rows.append([*setting, *shown])
    return rows


# ---- PDF

_BODY: Final = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=10.5, leading=13.2, alignment=TA_JUSTIFY, spaceAfter=5
)
_CENTRE: Final = ParagraphStyle("centre", _BODY, alignment=TA_CENTER)
_NOTICE: Final = ParagraphStyle("notice", _CENTRE, fontName="Times-Italic")
_TITLE: Final = ParagraphStyle("title", _CENTRE, fontName="Times-Bold", fontSize=15, leading=18)
_CAPTION: Final = ParagraphStyle("caption", _CENTRE, fontSize=9.5, spaceBefore=4)
_HEADING: Final = ParagraphStyle(
    "heading", _BODY, fontName="Times-Bold", fontSize=11.5, spaceBefore=6, keepWithNext=1
)
_ABSTRACT: Final = ParagraphStyle("abstract", _BODY, leftIndent=9 * mm, rightIndent=9 * mm)


def _italic(mathematics: str) -> str:
    """Escaped markup: variables in italics, function names and numbers upright."""

    def one(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in {"exp", "tanh"} else f"<i>{word}</i>"

    return re.sub(r"\b[A-Za-z]\w*\b(?!;)", one, escape(mathematics))


def _markup(text: str) -> str:
    """Prose as escaped markup, its `$...$` set flat and in italics."""
    parts = re.split(r"(\$[^$]*\$)", text)
    return "".join(
        _italic(flatten(part)) if part.startswith("$") else escape(part) for part in parts
    )


def _equation(text: str) -> Table:
    """A centred equation with its number at the right margin."""
    shown, _, number = text.rpartition(" ")
    cells = [Paragraph(x, _CENTRE) for x in ("", _italic(shown), number)]
    return Table([cells], colWidths=[20 * mm, None, 20 * mm], spaceAfter=5)


def _table(paper: str, block: Block) -> Table:
    table = Table(table_rows(paper, block), rowHeights=13, spaceBefore=2, spaceAfter=8)
    table.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, -1), "Times-Roman", 9.5),
                ("ALIGN", (0, 0), (-1, -1), "CENTER"),
                ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
                *(("LINEBELOW", (0, row), (-1, row), 0.6, "black") for row in (0, -1)),
                ("LINEABOVE", (0, 0), (-1, 0), 0.6, "black"),
            ]
        )
    )
    return table


def _froth_figure() -> Drawing:
    """Heights in three columns whose discs differ, with the line drawn by eye (log axes)."""
    width, height, left, low = 440, 125, 120.0, 26.0
    rng = np.random.Generator(np.random.PCG64([SEED, 1]))
    drawing = Drawing(width, height + 6)

    def at(u: float, h: float) -> tuple[float, float]:
        x = left + 230 * math.log(u / 1.5) / math.log(40 / 1.5)
        return x, low + (height - low - 8) * math.log(h / 30) / math.log(300 / 30)

    drawing.add(Line(left, low, left + 230, low, strokeWidth=0.7))
    drawing.add(Line(left, low, left, height, strokeWidth=0.7))
    drawing.add(Line(*at(2, 40 * 2**0.42), *at(30, 40 * 30**0.42), strokeWidth=0.9))
    for u in (2, 5, 10, 20, 30):
        x, _ = at(u, 30)
        drawing.add(String(x, low - 10, f"{u}", fontName="Times-Roman", fontSize=8))
        for disc in (0.72, 1.02, 1.37):
            noise = math.exp(0.03 * float(rng.standard_normal()))
            drawing.add(Circle(*at(u, 40 * disc * u**0.42 * noise), 1.6, strokeWidth=0.6))
    for h in (30, 100, 300):
        _, y = at(2, h)
        drawing.add(String(left - 18, y - 3, f"{h}", fontName="Times-Roman", fontSize=8))
    drawing.add(String(left + 90, 4, "U (mm/s)", fontName="Times-Roman", fontSize=9))
    drawing.add(String(left - 44, height + 4, "H (mm)", fontName="Times-Roman", fontSize=9))
    return drawing


def _flowables(paper: str, source: Source) -> Iterator[Flowable]:
    yield Paragraph(escape(source.title), _TITLE)
    yield Spacer(1, 4)
    yield Paragraph(AUTHOR, _CENTRE)
    yield Paragraph(NOTICE, _NOTICE)
    for block in source.blocks:
        text = _markup(block.text)
        if block.kind == "abstract":
            yield Paragraph(f"<b>Abstract.</b> {text}", _ABSTRACT)
        elif block.kind == "equation":
            yield _equation(block.text.partition(" ;; ")[0])
        elif block.kind == "table":
            yield Paragraph(text, _CAPTION)
            yield _table(paper, block)
        elif block.kind == "figure":
            yield _froth_figure()
            yield Paragraph(text, _CAPTION)
        else:
            yield Paragraph(text, _HEADING if block.kind == "heading" else _BODY)


def _footer(canvas: Canvas, document: SimpleDocTemplate) -> None:
    canvas.setFont("Times-Roman", 9)
    canvas.drawCentredString(A4[0] / 2, 12 * mm, str(document.page))


def build_pdf(paper: str, text: str) -> bytes:
    """The PDF of a paper whose text file holds `text`; equal texts give equal bytes."""
    source, out = parse_source(text), BytesIO()
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), 24 * mm)
    # No page compression: zlib builds differ in their bytes.
    labels = {"title": source.title, "author": AUTHOR, "subject": NOTICE}
    document = SimpleDocTemplate(
        out, pagesize=A4, invariant=1, pageCompression=0, **margins, **labels
    )
    document.build(list(_flowables(paper, source)), onFirstPage=_footer, onLaterPages=_footer)
    return out.getvalue()


# ---- TeX


def _tex_text(text: str) -> str:
    """Prose as TeX: what lies outside `$...$` is escaped."""
    parts = re.split(r"(\$[^$]*\$)", text)
    return "".join(
        part if part.startswith("$") else re.sub(r"([%&#_])", r"\\\1", part).replace("±", r"$\pm$")
        for part in parts
    )


def _tex_table(paper: str, block: Block) -> str:
    rows = [
        " & ".join(re.sub(r"\^(\d)", r"$^\1$", cell) for cell in row) + r" \\"
        for row in table_rows(paper, block)
    ]
    body = "\n".join([rows[0], r"\hline", *rows[1:]])
    columns = "c" * len(block.rows[0])
    caption = re.sub(r"^Table \d+\. ", "", block.text)
    return (
        "\\begin{table}[ht]\n\\centering\n"
        f"\\caption{{{_tex_text(caption)}}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n\\end{{table}}"
    )


def _tex_blocks(paper: str, blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind == "abstract":
            yield f"\\begin{{abstract}}\n{_tex_text(block.text)}\n\\end{{abstract}}"
        elif block.kind == "heading":
            yield f"\\section{{{re.sub(r'^[0-9]+ ', '', block.text)}}}"
        elif block.kind == "equation":
            yield f"\\begin{{equation}}\n{block.text.partition(' ;; ')[2]}\n\\end{{equation}}"
        elif block.kind == "table":
            yield _tex_table(paper, block)
        else:
            yield re.sub(r"(?<=\.) (?=[A-Z])", "\n", _tex_text(block.text))


def build_tex(paper: str, text: str) -> dict[str, str]:
    """The TeX twin: file name -> text. Figures are not supported."""
    source = parse_source(text)
    names = list(dict.fromkeys(block.file for block in source.blocks))
    files = {
        f"{name}.tex": "\n\n".join(
            _tex_blocks(paper, [block for block in source.blocks if block.file == name])
        )
        + "\n"
        for name in names[1:]
    }
    body: list[str] = []
    for block in source.blocks:
        if block.file == "main":
            body.extend(_tex_blocks(paper, [block]))
        elif f"\\input{{{block.file}}}" not in body:
            body.append(f"\\input{{{block.file}}}")
    head = (
        "\\documentclass[11pt]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n"
        f"\\title{{{_tex_text(source.title)}}}\n\\author{{{AUTHOR}}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n\\noindent\\emph{{{NOTICE}}}"
    )
    files["main.tex"] = "\n\n".join([head, *body, r"\end{document}"]) + "\n"
    return files


def build_all(to: Path) -> None:
    """Write papers/*.pdf and the generated tex/*/*.tex under `to`."""
    (to / "papers").mkdir(parents=True, exist_ok=True)
    for path in sorted((HERE / "text").glob("sample-*.txt")):
        text = path.read_text(encoding="utf-8")
        (to / "papers" / f"{path.stem}.pdf").write_bytes(build_pdf(path.stem, text))
        if path.stem in WITH_TEX:
            folder = to / "tex" / path.stem
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in build_tex(path.stem, text).items():
                (folder / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Rebuild the sample papers.")
    parser.add_argument("--to", type=Path, default=HERE)
    build_all(parser.parse_args().to)
