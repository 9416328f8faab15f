"""The text of a PDF: lines in the order of the file, pages scored, hopeless pages left out.

Runs in a child process (pdf_worker): files come from strangers and may hang or crash the
library. pymupdf's default order is used; its sorted order interleaves columns.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pymupdf

from lawsmith.curation.packets.failure import PacketError
from lawsmith.curation.packets.margin_numbers import margin_numbers
from lawsmith.curation.packets.page_quality import PageQuality, long_words, page_quality
from lawsmith.curation.packets.page_words import PageWords, page_words
from lawsmith.curation.packets.pdf_lines import PageLines, PdfLine, page_lines
from lawsmith.curation.packets.second_reader import SecondOpinion, second_opinion
from schemas.source import ReasonCode

MAX_CHARACTERS = 30_000_000
"""Characters of one file; a thousand dense pages have four million."""
_SCAN_PIXELS = 250_000
"""A picture of a whole page has more pixels than this, at 54 dots an inch."""
_SENTENCES: Final = {
    "no_text": "no text",
    "unreadable_characters": "unreadable characters",
    "words_run_together": "words run together",
    "garbled_words": "garbled words",
    "ocr_layer": "text guessed from a scan",
}
"""Why a page is left out, in words."""
# What a second library can judge: it flattens exponents like the first one.
_ASKED = frozenset(
    {
        "words_run_together",
        "garbled_words",
        "wrong_glyphs",
        "text_over_image",
        "unreadable_characters",
    }
)
_NO_MEMORY = re.compile(r"\b(?:m|c|re)alloc\b.*\bfailed\b|\bbad_alloc\b|out of memory")
"""How the library says that an allocation was refused."""
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
        return dict(vars(self))


@dataclass(frozen=True)
class _Page:
    number: int
    lines: PageLines
    made_of: PageWords
    quality: PageQuality
    last_line_number: int | None


def read_pdf(path: Path, max_pages: int) -> PdfText:
    """The text of a PDF.

    Must run on the main thread of its process, since a second library is held to a wall limit.

    Raises:
        PacketError: not a PDF, encrypted, corrupt, without pages, with too many, too long, or
            without a readable text layer.
        MemoryError: reading it takes more memory than the process may have.
    """
    with path.open("rb") as source:
        # Readers accept up to a kilobyte before the mark.
        if b"%PDF-" not in source.read(1024):
            raise PacketError(ReasonCode.NOT_A_PDF, "the file has no %PDF mark", path=path.name)
    try:
        with pymupdf.open(str(path), filetype="pdf") as document:  # type: ignore[no-untyped-call]
            return _read(document, path, max_pages)
    except PacketError:
        raise
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        # The library's own errors are RuntimeErrors, and so are those of its C++ layer.
        if _NO_MEMORY.search(str(error)):
            raise MemoryError(str(error)) from error
        raise PacketError(ReasonCode.CORRUPT, f"cannot be read: {error}", path=path.name) from error


def _read(document: Any, path: Path, max_pages: int) -> PdfText:
    _check_pages(document, path.name, max_pages)
    pages: list[_Page] = []
    characters = 0
    counted: int | None = None
    for number, page in enumerate(document, start=1):
        pages.append(_page(number, page, counted))
        counted = pages[-1].last_line_number
        characters += pages[-1].lines.characters + pages[-1].lines.hidden
        if characters > MAX_CHARACTERS:
            raise PacketError(
                ReasonCode.UNREADABLE_TEXT,
                f"more than {MAX_CHARACTERS} characters by page {number}",
                path=path.name,
            )
    found = PdfText()
    kept = [page for page in pages if page.quality.hopeless is None]
    found.excluded = [
        (page.number, _SENTENCES[page.quality.hopeless]) for page in pages if page.quality.hopeless
    ]
    if not kept:
        _refuse(found, path.name)
    _fill(found, kept)
    doubted = [(page.number, page.lines.text) for page in kept if _ASKED & set(page.quality.kinds)]
    opinion = second_opinion(path, doubted)
    found.quality = _figures(pages, opinion, repaired=bool(document.is_repaired))
    return found


def _check_pages(document: Any, name: str, max_pages: int) -> None:
    if document.needs_pass:
        raise PacketError(
            ReasonCode.ENCRYPTED,
            "a password is needed to read it",
            path=name,
            fix="give a copy without a password, or the TeX source",
        )
    count = int(document.page_count)
    if count == 0:
        raise PacketError(ReasonCode.NO_PAGES, "the file has no pages", path=name)
    if count > max_pages:
        raise PacketError(
            ReasonCode.TOO_MANY_PAGES,
            f"{count} pages are more than {max_pages}",
            path=name,
            fix="raise [packets] max_pages, and seconds with it, if the whole text is wanted",
        )


def _refuse(found: PdfText, name: str) -> None:
    reasons = {reason for _, reason in found.excluded}
    code = ReasonCode.NO_TEXT_LAYER if reasons == {"no text"} else ReasonCode.UNREADABLE_TEXT
    raise PacketError(
        code,
        f"none of {len(found.excluded)} pages has readable text: {', '.join(sorted(reasons))}",
        path=name,
        fix="give a PDF with a text layer, or the TeX source",
    )


def _page(number: int, page: Any, counted: int | None) -> _Page:
    """A page, after one whose last printed line number is `counted`."""
    data = page.get_text("dict", flags=pymupdf.TEXTFLAGS_TEXT)
    lines = page_lines(data["blocks"])
    numbers = margin_numbers(lines.lines, counted)
    last = int(lines.lines[numbers[-1]].text) if numbers else None
    if numbers:
        dropped = frozenset(numbers)
        lines.lines = [line for n, line in enumerate(lines.lines) if n not in dropped]
        lines.margin_numbers = len(dropped)
    made_of = page_words(lines.text)
    quality = page_quality(lines, made_of, _covered_by_image(page))
    return _Page(number, lines, made_of, quality, last)


def _covered_by_image(page: Any) -> float:
    """Share of the page that its largest image covers, 0 when its images are small ones."""
    # Where images stand costs as much as the text, so that they are counted first.
    if sum(image[2] * image[3] for image in page.get_images(full=True)) < _SCAN_PIXELS:
        return 0.0
    boxes = [image["bbox"] for image in page.get_image_info()]
    return max((_overlap(box, page.rect) for box in boxes), default=0.0) / float(abs(page.rect))


def _overlap(box: tuple[float, float, float, float], page: Any) -> float:
    """Area of the page that a box covers, in square points."""
    width = min(box[2], page.x1) - max(box[0], page.x0)
    height = min(box[3], page.y1) - max(box[1], page.y0)
    return max(0.0, float(width)) * max(0.0, float(height))


def _fill(found: PdfText, kept: list[_Page]) -> None:
    sizes: dict[float, int] = {}
    for page in kept:
        for line in page.lines.lines:
            sizes[line.size] = sizes.get(line.size, 0) + len(line.text)
    # The smaller of two equally frequent sizes, so that the choice is a fixed one.
    body = min(sizes, key=lambda size: (-sizes[size], size))
    section: str | None = None
    for page in kept:
        for line in page.lines.lines:
            if _is_heading(line, body):
                section = line.text
            found.sections.append(section)
        found.lines += [line.text for line in page.lines.lines]
        found.pages += [page.number] * len(page.lines.lines)


def _is_heading(line: PdfLine, body: float) -> bool:
    if _NAMES.fullmatch(line.text):
        return True
    stands_out = line.size > 1.05 * body or (line.bold and line.size >= body)
    return stands_out and bool(_HEADING.fullmatch(line.text))


def _figures(pages: list[_Page], opinion: SecondOpinion, *, repaired: bool) -> dict[str, float]:
    kept = [page.made_of for page in pages if page.quality.hopeless is None]
    words = sum(len(item.words) for item in kept)
    letters = sum(item.letters for item in kept)
    lines = [page.lines for page in pages]
    characters = sum(item.characters for item in lines)
    scores = [page.quality.score for page in pages]
    figures: dict[str, float] = {
        "pages": len(pages),
        "characters_per_page": characters / len(pages),
        "unreadable_share": sum(item.unreadable for item in lines) / max(1, characters),
        "long_word_share": sum(long_words(item.words) for item in kept) / max(1, words),
        "upper_case_share": sum(item.upper for item in kept) / max(1, letters),
        "raised_marks": sum(item.raised for item in lines),
        "hidden_characters": sum(item.hidden for item in lines),
        "white_characters": sum(item.white for item in lines),
        "repaired": repaired,
        "page_score_mean": sum(scores) / len(scores),
        "page_score_min": min(scores),
        "doubted_pages": sum(0 < score < 1 for score in scores),
        "second_reader_pages": len(opinion.agreement),
        "second_reader_failed": len(opinion.failed),
        "second_reader_stopped": opinion.stopped,
        **_page_figures(pages, opinion),
    }
    dropped = sum(item.margin_numbers for item in lines)
    if dropped:
        # Named only where there are some: other packets stay as they were frozen.
        figures["margin_numbers"] = dropped
    return {name: round(float(value), 6) for name, value in figures.items()}


def _page_figures(pages: list[_Page], opinion: SecondOpinion) -> dict[str, float]:
    """Pages of each failure kind, and the shares of every page that has one."""
    figures: dict[str, float] = {}
    for page in pages:
        for kind, share in page.quality.kinds.items():
            figures[f"pages.{kind}"] = figures.get(f"pages.{kind}", 0) + 1
            figures[f"page.{page.number}.{kind}"] = share
        if page.number in opinion.agreement:
            figures[f"page.{page.number}.agreement"] = opinion.agreement[page.number]
    return figures


__all__ = ("PdfText", "read_pdf")
