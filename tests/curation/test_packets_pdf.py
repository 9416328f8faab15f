"""PDFs that are hard to read: exponents in every direction, scans, locks, bombs, many pages."""

import json
import re
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.curation.packets import (
    PacketError,
    PacketLimits,
    build_packet,
    packets_of_papers,
)
from lawsmith.curation.packets.page_quality import page_quality
from lawsmith.curation.packets.page_words import page_words
from lawsmith.curation.packets.pdf_child import PdfChild
from lawsmith.curation.packets.pdf_lines import PageLines, PdfLine
from lawsmith.curation.packets.second_reader import agreement, second_opinion
from schemas.source import ReasonCode
from tests.curation.conftest import paper_with_files, refused

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
PROSE = "The flow was measured at nine speeds and the drag of the plate was read from a scale."


def _pdf(path: Path, draw: Callable[[Any], None], **options: Any) -> Path:
    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        draw(document)
        document.save(path, **options)
    return path


def _prose(document: Any, pages: int = 1, **options: Any) -> None:
    for _ in range(pages):
        page = document.new_page()
        for n in range(30):
            page.insert_text((72, 72 + 14 * n), PROSE, fontsize=10, **options)


def _picture(document: Any) -> Any:
    page = document.new_page()
    picture = pymupdf.Pixmap(  # type: ignore[no-untyped-call]
        pymupdf.csGRAY,
        pymupdf.IRect(0, 0, 900, 1200),  # type: ignore[no-untyped-call]
    )
    picture.clear_with(230)  # type: ignore[no-untyped-call]
    page.insert_image(page.rect, pixmap=picture)
    return page


@pytest.mark.parametrize("font", ["helv", "tiro", "cour", "symb"])
@pytest.mark.parametrize("angle", [0, 90, 270])
def test_exponents_keep_their_caret_in_any_font_and_direction(
    tmp_path: Path, font: str, angle: int
) -> None:
    def draw(document: Any) -> None:
        page = document.new_page()
        page.insert_text((72, 60), PROSE)
        along, up = {0: ((1, 0), (0, -1)), 90: ((0, -1), (-1, 0)), 270: ((0, 1), (1, 0))}[angle]
        x, y = 300.0, 400.0
        for text, size, rise in (("k = 6 10", 12, 0), ("7", 8, 4), (" 20", 12, 0), ("3", 8, -3)):
            point = (x + up[0] * rise, y + up[1] * rise)
            page.insert_text(point, text, fontname=font, fontsize=size, rotate=angle)
            length = pymupdf.get_text_length(text, fontname=font, fontsize=size)
            x, y = x + along[0] * length, y + along[1] * length

    line = build_packet(_pdf(tmp_path / "p.pdf", draw)).lines[-1]
    assert line.endswith("10^7 203")


def test_a_pdf_locked_against_change_only_is_read(tmp_path: Path) -> None:
    locked = {"encryption": pymupdf.mupdf.PDF_ENCRYPT_AES_256, "owner_pw": "o", "user_pw": ""}
    assert build_packet(_pdf(tmp_path / "a.pdf", _prose, **locked)).lines[0] == PROSE
    assert (
        refused(_pdf(tmp_path / "b.pdf", _prose, **(locked | {"user_pw": "u"})))
        is ReasonCode.ENCRYPTED
    )


def test_text_guessed_under_a_scan_is_not_read(tmp_path: Path) -> None:
    def draw(document: Any) -> None:
        _prose(document)
        for _ in range(2):
            _picture(document).insert_text((72, 72), PROSE, render_mode=3)

    packet = build_packet(_pdf(tmp_path / "p.pdf", draw))
    assert [(item.page, item.reason) for item in packet.excluded_pages] == [
        (2, "text guessed from a scan"),
        (3, "text guessed from a scan"),
    ]
    assert packet.quality["pages.ocr_layer"] == 2
    assert packet.quality["page_score_min"] == 0
    assert set(packet.pages) == {1}

    def scan(document: Any) -> None:
        _picture(document).insert_text((72, 72), PROSE, render_mode=3)

    assert refused(_pdf(tmp_path / "scan.pdf", scan)) is ReasonCode.UNREADABLE_TEXT


def test_seen_text_over_a_picture_is_doubted_and_asked_about(tmp_path: Path) -> None:
    def draw(document: Any) -> None:
        _picture(document).insert_text((72, 72), PROSE + " 18 2")

    quality = build_packet(_pdf(tmp_path / "p.pdf", draw)).quality
    assert quality["pages.text_over_image"] == quality["doubted_pages"] == 1
    assert quality["page.1.agreement"] == 1
    assert quality["second_reader_stopped"] == 0


def test_a_file_of_pictures_alone_has_no_text_layer(tmp_path: Path) -> None:
    assert refused(_pdf(tmp_path / "p.pdf", _picture)) is ReasonCode.NO_TEXT_LAYER


def test_a_second_reader_is_asked_about_doubted_pages_only(tmp_path: Path) -> None:
    sound = build_packet(_pdf(tmp_path / "p.pdf", partial(_prose, pages=3))).quality
    assert (sound["doubted_pages"], sound["second_reader_pages"]) == (0, 0)


def test_a_second_reader_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _pdf(tmp_path / "p.pdf", partial(_prose, pages=5))
    monkeypatch.setattr("lawsmith.curation.packets.second_reader.SECONDS", 1e-5)
    found = second_opinion(path, [(page, PROSE) for page in range(1, 6)])
    assert found.stopped
    assert len(found.agreement) < 5


def test_a_file_that_was_cut_off_is_mended_and_said(tmp_path: Path) -> None:
    path = _pdf(tmp_path / "p.pdf", _prose)
    assert build_packet(path).quality["repaired"] == 0
    path.write_bytes(path.read_bytes()[:-60])
    packet = build_packet(path)
    assert packet.quality["repaired"] == 1
    assert packet.lines[0] == PROSE


def test_a_worn_reader_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "child.py"
    script.write_text(
        "import json, os, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'text': {'pid': os.getpid()}}), flush=True)\n"
    )
    monkeypatch.setattr("lawsmith.curation.packets.pdf_child.RECYCLED_AFTER", 2)
    child = PdfChild([sys.executable, str(script)])
    try:
        pids = [
            child.read(path=Path("p"), max_pages=1, seconds=60, max_bytes=1)["pid"]
            for _ in range(5)
        ]
    finally:
        child.close()
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


@pytest.mark.parametrize(
    ("tree", "code"),
    [
        (b"<</Type/Pages/Kids[]/Count 0>>", ReasonCode.NO_PAGES),
        (b"<</Type/Pages/Kids[]/Count 2000000000>>", ReasonCode.CORRUPT),
        (b"<</Type/Pages/Kids[2 0 R]/Count 5>>", ReasonCode.CORRUPT),
    ],
)
def test_page_trees_that_lie(tmp_path: Path, tree: bytes, code: ReasonCode) -> None:
    path = tmp_path / "p.pdf"
    path.write_bytes(_raw(tree))
    assert refused(path) is code


def _raw(*objects: bytes) -> bytes:
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    body = b"%PDF-1.4\n"
    places = []
    for n, text in enumerate((catalog, *objects), start=1):
        places.append(b"%010d 00000 n \n" % len(body))
        body += b"%d 0 obj%s endobj\n" % (n, text)
    count = len(places) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, b"".join(places))
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (count, len(body))
    return body + table + trailer


def test_a_bomb_meets_the_memory_limit_and_the_next_file_is_read(tmp_path: Path) -> None:
    packer = zlib.compressobj(9)
    unit = b"(abcdefghij klmnop qrst) Tj " * 20_000
    packed = packer.compress(b"BT /F1 12 Tf 72 700 Td ")
    packed += b"".join(packer.compress(unit) for _ in range(60))
    packed += packer.compress(b" ET") + packer.flush()
    path = tmp_path / "bomb.pdf"
    path.write_bytes(
        _raw(
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
            b"/Resources<</Font<</F1 5 0 R>>>>>>",
            b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        )
    )
    assert len(path.read_bytes()) < 200_000
    child = PdfChild()
    try:
        with pytest.raises(PacketError) as caught:
            child.read(path, max_pages=9, seconds=60, max_bytes=600_000_000)
        assert caught.value.reason_code is ReasonCode.EXTRACTION_MEMORY
        assert "more than 600000000 bytes of memory" in str(caught.value)
        good = _pdf(tmp_path / "good.pdf", _prose)
        assert child.read(good, max_pages=9, seconds=60, max_bytes=600_000_000)["lines"]
    finally:
        child.close()


@pytest.mark.long
def test_two_thousand_pages_are_refused_at_once_or_read_whole(tmp_path: Path) -> None:
    path = _pdf(tmp_path / "p.pdf", lambda document: _prose(document, 2_000))
    assert refused(path) is ReasonCode.TOO_MANY_PAGES
    packet = build_packet(path, limits=PacketLimits(max_pages=2_000, seconds=300))
    assert packet.pages[-1] == 2_000
    assert len(packet.lines) == 2_000 * 30


# --- quality -----------------------------------------------------------------------------------


def _page(*lines: str, unreadable: int = 0) -> PageLines:
    made = [PdfLine(text, 10, False, (72, 14.0 * n, 300, 14.0 * n)) for n, text in enumerate(lines)]
    return PageLines(made, sum(map(len, lines)), unreadable)


def _shifted(text: str) -> str:
    return "".join(chr(ord(char) - 29) if char.isalpha() else char for char in text)


@pytest.mark.parametrize(
    ("page", "covered", "kind", "hopeless"),
    [
        (_page("12"), 0.0, "no_text", True),
        (_page(*[PROSE] * 5, unreadable=2), 0.0, "unreadable_characters", False),
        (_page(*[PROSE] * 5, unreadable=40), 0.0, "unreadable_characters", True),
        (_page(*[PROSE] * 5, *["FLOWWASMEASUREDATNINESPEEDS"] * 4), 0.0, "words_run_together", 0),
        (_page(*["FLOWWASMEASUREDATNINESPEEDS"] * 80), 0.0, "words_run_together", True),
        (_page(*["xli jpsa aew qiewyvih"] * 30), 0.0, "garbled_words", True),
        (_page(*[PROSE] * 5, "E ¼ mc þ U", "a ¼ 3", "b ¼ 4"), 0.0, "wrong_glyphs", False),
        (_page(*[PROSE] * 5, "of 6.02 × 1023 per mole"), 0.0, "lost_exponents", False),
        (_page(*[PROSE] * 5), 0.95, "text_over_image", False),
    ],
)
def test_each_kind_of_failure_has_its_name(
    page: PageLines, covered: float, kind: str, hopeless: bool
) -> None:
    found = page_quality(page, page_words(page.text), covered)
    assert kind in found.kinds
    assert (found.hopeless == kind) is bool(hopeless)
    assert (found.score == 0) is bool(hopeless)
    assert found.score < 1


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "Der Fluss wurde bei neun Geschwindigkeiten gemessen und die Kraft mit der Waage bestimmt",
        "Le débit a été mesuré à neuf vitesses et la force de la plaque est lue sur une balance",
        "Þorsteinn og Guðrún mældu rennsli = 3 og hraða = 4 við ána",
        "ATP ADP NADH PCR DNA RNA GTP CTP",
    ],
)
def test_sound_pages_of_several_languages_score_one(text: str) -> None:
    page = _page(*[text] * 12)
    assert page_quality(page, page_words(page.text), 0.0).score == 1


def test_columns_drawn_in_turns_are_seen() -> None:
    lines = [
        PdfLine(
            "a line of a column of some length", 10, False, (x, 14.0 * n, x + 200, 14.0 * n + 10)
        )
        for n in range(20)
        for x in (50, 320)
    ]

    def kinds(lines: list[PdfLine]) -> dict[str, float]:
        page = PageLines(lines, 1000)
        return page_quality(page, page_words(page.text), 0.0).kinds

    assert "interleaved_columns" in kinds(lines)
    assert kinds([*lines[::2], *lines[1::2]]) == {}


_MIXED = st.text(st.sampled_from("aZé²½Ⅷߐ٣_ß−Ωﬁ\u0301 \n.1中") | st.characters(codec="utf-8"))


@given(_MIXED)
def test_words_and_letters_are_those_of_the_slow_way(text: str) -> None:
    found = page_words(text)
    words = re.findall(r"[^\W\d_]+", text)
    letters = "".join(words)
    assert found.words == words
    assert found.alphanumeric == sum(map(str.isalnum, text))
    assert (found.letters, found.upper) == (len(letters), sum(map(str.isupper, letters)))


def test_agreement_counts_numbers() -> None:
    assert agreement("18 ± 2 and 3.5", "18 2 3.5") == 1
    assert agreement("18 and 18", "18") == 0.5
    assert agreement("none", "") == 1


def test_a_second_reader_that_fails_is_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    path.write_bytes(b"%PDF-1.4 nothing")
    found = second_opinion(path, [(1, "3 4")])
    assert (found.failed, found.agreement, found.stopped) == ([1], {}, False)
    assert second_opinion(path, []).failed == []


# --- many papers, and the sample ---------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 3])
def test_papers_read_side_by_side_come_in_order(tmp_path: Path, workers: int) -> None:
    names = [f"p{n}.pdf" for n in range(14)]
    for n, name in enumerate(names):
        if n == 5:
            (tmp_path / name).write_text("no PDF")
        else:
            _pdf(tmp_path / name, partial(_prose, pages=1 + n % 3))
    papers = [
        paper_with_files(tmp_path, name, paper_id=f"folder:p{n}") for n, name in enumerate(names)
    ]
    found = list(packets_of_papers(papers, tmp_path, workers=workers))
    assert [paper.id for paper, _ in found] == [paper.id for paper in papers]
    errors = [n for n, (_, result) in enumerate(found) if isinstance(result, PacketError)]
    assert errors == [5]
    for paper, result in found:
        if not isinstance(result, PacketError):
            assert result == build_packet(tmp_path / paper.files[0].path, paper_id=paper.paper_id)


def test_the_recorded_replies_of_the_sample_were_made_on_these_very_texts() -> None:
    recorded = {
        (row["subject_id"].split("/")[0], row["subject_id"].split("/")[1]): row["packet_sha256"]
        for row in map(json.loads, (SAMPLE / "replies.jsonl").read_text().splitlines())
        if row["subject_kind"] == "packet" and row["role"] == "extractor"
    }
    assert len(recorded) == 9
    for (paper, kind), expected in recorded.items():
        slug = paper.partition("v")[0].replace(":", "-")
        path = {
            "pdf": SAMPLE / "papers" / f"{slug}.pdf",
            "tex": SAMPLE / "tex" / slug,
        }[kind]
        assert build_packet(path).text_sha256 == expected, paper
