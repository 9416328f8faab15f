"""The lines of a PDF, in the order of the file, with raised characters marked.

Runs in a child process (pdf_worker): files come from strangers and may hang or crash the
library. pymupdf's default order is used; its sorted order interleaves columns.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

from lawsmith.curation.packets.characters import clean
from lawsmith.curation.packets.failure import PacketError
from schemas.source import ReasonCode

MIN_LETTERS = 20
"""Letters and digits that a page with a text layer has at least."""
MAX_UNREADABLE = 0.05
"""Share of flagged characters above which a page is left out."""
MIN_SIZE = 1.5
"""Points below which text is there for machines, not for readers."""
_RAISED_FLAG = 1
_HEADING = re.compile(r"(?:(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*\.?\s+)?[A-Z][^.?!]{2,78}")
_NAMES = re.compile(
    r"(?:\d+\.?\s+)?(abstract|introduction|(materials and )?methods|results|discussion"
    r"|conclusions?|results and discussion|references|acknowledge?ments|appendix)\.?",
    re.IGNORECASE,
)


@dataclass
class PdfText:
    """What one PDF says.

    Attributes:
        lines: text lines in order.
        pages: 1-based page of each line.
        sections: heading above each line, None before the first.
        excluded: (page, reason) of pages that are left out.
        quality: figures of readability.
    """

    lines: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    sections: list[str | None] = field(default_factory=list)
    excluded: list[tuple[int, str]] = field(default_factory=list)
    quality: dict[str, float] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class _Line:
    text: str
    size: float
    bold: bool


@dataclass
class _Counts:
    characters: int = 0
    unreadable: int = 0
    raised: int = 0
    hidden: int = 0
    white: int = 0
    scanned_pages: int = 0


def read_pdf(path: Path, max_pages: int) -> PdfText:
    """The text of a PDF.

    Raises:
        PacketError: not a PDF, encrypted, corrupt, without pages, with too many, or without
            a readable text layer.
    """
    with path.open("rb") as source:
        # Readers accept up to a kilobyte before the mark.
        if b"%PDF-" not in source.read(1024):
            raise PacketError(ReasonCode.NOT_A_PDF, "the file has no %PDF mark", path=path.name)
    try:
        with pymupdf.open(str(path), filetype="pdf") as document:  # type: ignore[no-untyped-call]
            return _read(document, path.name, max_pages)
    except (pymupdf.FileDataError, pymupdf.mupdf.FzErrorBase) as error:
        raise PacketError(ReasonCode.CORRUPT, f"cannot be read: {error}", path=path.name) from error


def _read(document: Any, name: str, max_pages: int) -> PdfText:
    if document.needs_pass:
        raise PacketError(ReasonCode.ENCRYPTED, "a password is needed to read it", path=name)
    count = document.page_count
    if count == 0:
        raise PacketError(ReasonCode.NO_PAGES, "the file has no pages", path=name)
    if count > max_pages:
        raise PacketError(
            ReasonCode.TOO_MANY_PAGES, f"{count} pages are more than {max_pages}", path=name
        )
    found = PdfText()
    counts = _Counts()
    kept: list[tuple[int, list[_Line]]] = []
    for number, page in enumerate(document, start=1):
        lines, page_counts = _page(page)
        reason = _exclusion(lines, page_counts)
        if reason is None:
            kept.append((number, lines))
        else:
            found.excluded.append((number, reason))
        _add(counts, page_counts)
    if not kept:
        _refuse(found, name)
    _fill(found, kept)
    found.quality = _figures(found, counts, count, repaired=bool(document.is_repaired))
    return found


def _refuse(found: PdfText, name: str) -> None:
    reasons = {reason for _, reason in found.excluded}
    code = ReasonCode.NO_TEXT_LAYER if reasons == {"no text"} else ReasonCode.UNREADABLE_TEXT
    raise PacketError(
        code,
        f"none of {len(found.excluded)} pages has readable text: {', '.join(sorted(reasons))}",
        path=name,
        fix="give a PDF with a text layer, or the TeX source",
    )


def _page(page: Any) -> tuple[list[_Line], _Counts]:
    counts = _Counts()
    data = page.get_text("dict", flags=pymupdf.TEXTFLAGS_TEXT)
    lines = [
        line
        for block in data["blocks"]
        for raw in block.get("lines", ())
        if (line := _line(raw["spans"], counts)) is not None
    ]
    area = abs(page.rect)
    # Text over an image of the whole page is the guess of a scanner.
    if any(_covered(image["bbox"], page.rect) > 0.8 * area for image in page.get_image_info()):
        counts.scanned_pages = 1
    return lines, counts


def _covered(box: tuple[float, float, float, float], page: Any) -> float:
    """Area of the page that a box covers, in square points."""
    width = min(box[2], page.x1) - max(box[0], page.x0)
    height = min(box[3], page.y1) - max(box[1], page.y0)
    return max(0.0, float(width)) * max(0.0, float(height))


def _line(spans: list[dict[str, Any]], counts: _Counts) -> _Line | None:
    pieces: list[str] = []
    raised = ""
    base: dict[str, Any] | None = None
    for span in spans:
        if span["size"] < MIN_SIZE or span.get("alpha", 255) == 0:
            counts.hidden += len(span["text"])
            continue
        counts.white += len(span["text"]) if span["color"] == 0xFFFFFF else 0
        text, unreadable = clean(span["text"], span["font"])
        counts.characters += len(text)
        counts.unreadable += unreadable
        if text.strip() and base is not None and _is_raised(span, base):
            raised += text
            continue
        pieces += [_marked(raised, pieces), text]
        raised = ""
        if text.strip() and (base is None or span["size"] >= 0.9 * base["size"]):
            base = span
    pieces.append(_marked(raised, pieces))
    counts.raised += sum(piece.startswith("^") for piece in pieces)
    joined = re.sub(r" {2,}", " ", "".join(pieces)).strip()
    if not joined or base is None:
        return None
    bold = all("bold" in s["font"].lower() or s["flags"] & 16 for s in spans if s["text"].strip())
    return _Line(joined, round(base["size"], 1), bold)


def _is_raised(span: dict[str, Any], base: dict[str, Any]) -> bool:
    """Whether a span is an exponent or mark: flagged, smaller, and its baseline a bit higher.

    The flag alone also fires on numerators, which are as large as the text or much higher.
    """
    lift = base["origin"][1] - span["origin"][1]
    return bool(
        span["flags"] & _RAISED_FLAG
        and span["size"] < 0.9 * base["size"]
        and 0.12 * base["size"] < lift < 0.65 * base["size"]
    )


def _marked(raised: str, before: list[str]) -> str:
    """Raised characters with a caret before them, where they are attached to something.

    After a space or an operator they are a small numerator; primes need no mark.
    """
    core = raised.strip()
    tail = raised[len(raised.rstrip()) :]
    attached = re.search(r"[\w)\]}|∇∂∑∏]$", "".join(before[-2:]))
    if not core or not attached or set(core) <= set("'′″"):
        return raised
    if re.fullmatch(r"[-−–+]?[\w.,]+|[∗*†‡§◦]", core):
        return f"^{core}{tail}"
    return f"^({core}){tail}"


def _exclusion(lines: list[_Line], counts: _Counts) -> str | None:
    letters = sum(char.isalnum() for line in lines for char in line.text)
    if letters < MIN_LETTERS:
        return "no text"
    if counts.unreadable > MAX_UNREADABLE * counts.characters:
        return "unreadable characters"
    return None


def _fill(found: PdfText, kept: list[tuple[int, list[_Line]]]) -> None:
    sizes: Counter[float] = Counter()
    for _, lines in kept:
        for line in lines:
            sizes[line.size] += len(line.text)
    # The smaller of two equally frequent sizes, so that the choice is a fixed one.
    body = min(sizes, key=lambda size: (-sizes[size], size))
    section: str | None = None
    for number, lines in kept:
        for line in lines:
            if _is_heading(line, body):
                section = line.text
            found.lines.append(line.text)
            found.pages.append(number)
            found.sections.append(section)


def _is_heading(line: _Line, body: float) -> bool:
    if _NAMES.fullmatch(line.text):
        return True
    stands_out = line.size > 1.05 * body or (line.bold and line.size >= body)
    return stands_out and bool(_HEADING.fullmatch(line.text))


def _add(total: _Counts, page: _Counts) -> None:
    for name, value in vars(page).items():
        setattr(total, name, getattr(total, name) + value)


def _figures(found: PdfText, counts: _Counts, pages: int, *, repaired: bool) -> dict[str, float]:
    words = [word for line in found.lines for word in _words(line)]
    letters = [char for line in found.lines for char in line if char.isalpha()]
    figures = {
        "pages": pages,
        "characters_per_page": counts.characters / pages,
        "unreadable_share": counts.unreadable / max(1, counts.characters),
        "long_word_share": sum(len(word) >= 18 for word in words) / max(1, len(words)),
        "upper_case_share": sum(char.isupper() for char in letters) / max(1, len(letters)),
        "scanned_pages": counts.scanned_pages,
        "raised_marks": counts.raised,
        "hidden_characters": counts.hidden,
        "white_characters": counts.white,
        "repaired": float(repaired),
    }
    return {name: round(float(value), 6) for name, value in figures.items()}


def _words(line: str) -> Iterator[str]:
    return (match.group() for match in re.finditer(r"[^\W\d_]+", line))


__all__ = ("PdfText", "read_pdf")
