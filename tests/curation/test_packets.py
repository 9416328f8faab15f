"""Packets of TeX, PDF and text: what is kept, what is marked, what is refused and why."""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from lawsmith.curation.evidence.search_view import SearchView
from lawsmith.curation.packets import (
    PacketError,
    PacketLimits,
    build_packet,
    packet_of_paper,
    reachable_tex,
)
from lawsmith.curation.packets.characters import clean
from lawsmith.curation.packets.pdf_child import PdfChild
from schemas.packet import Packet
from schemas.source import ReasonCode
from tests.curation.conftest import drawn, paper_with_files, refused

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
PAPERS = ROOT.parent / "shared" / "papers"
needs_papers = pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")


def _tex(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / f"{name}.tex"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def _document(body: str) -> str:
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def _body(packet: Packet) -> list[str]:
    """The lines between begin and end of the document."""
    return list(packet.lines[2:-1])


def _written(path: Path, *lines: str) -> Path:
    def draw(canvas: Canvas) -> None:
        for n, line in enumerate(lines):
            canvas.drawString(72, 720 - 14 * n, line)

    return drawn(path, draw)


# --- TeX --------------------------------------------------------------------------------------


def test_only_reachable_files_are_read_and_stand_where_they_are_named(tmp_path: Path) -> None:
    _tex(
        tmp_path,
        main=_document("before\n\\input{parts/one} after\n\\include{two}"),
        **{"parts/one": "first part\n\\input{parts/deep}\n", "parts/deep": "deep\n"},
        two="second part\n",
        old="an older fit\n",
    )
    packet = build_packet(tmp_path, paper_id="sample:0003")
    assert _body(packet) == ["before", "first part", "deep", " after", "second part"]
    assert packet.files == ("main.tex", "parts/one.tex", "parts/deep.tex", "two.tex")
    assert reachable_tex(tmp_path / "main.tex") == list(packet.files)
    assert packet.kind == "tex"
    assert set(packet.pages) == {None}


def test_comments_go_and_escaped_percents_stay(tmp_path: Path) -> None:
    body = "a 5\\% rise % aside\n% whole line\n  % another\nx \\\\% after a break\n\n\n\nend"
    packet = build_packet(_tex(tmp_path, main=_document(body)))
    assert _body(packet) == ["a 5\\% rise", "x \\\\", "", "end"]


def test_what_is_switched_off_is_not_in_the_paper(tmp_path: Path) -> None:
    body = (
        "kept\n\\iffalse\nold value 3\n\\ifdraft inner \\fi\nold value 4\n\\fi tail\n"
        "\\begin{comment}\nold value 5\n\\end{comment}\nlast"
    )
    packet = build_packet(_tex(tmp_path, main=_document(body)))
    assert _body(packet) == ["kept", " tail", "last"]


def test_verbatim_percents_are_text(tmp_path: Path) -> None:
    body = "\\begin{verbatim}\nprint 5 % 3\n\\end{verbatim}\nx % gone"
    packet = build_packet(_tex(tmp_path, main=_document(body)))
    assert _body(packet) == ["\\begin{verbatim}", "print 5 % 3", "\\end{verbatim}", "x"]


def test_nothing_after_the_document_is_read(tmp_path: Path) -> None:
    packet = build_packet(_tex(tmp_path, main=_document("text") + "notes to self\n"))
    assert packet.lines[-1] == "\\end{document}"


def test_sections_follow_the_headings(tmp_path: Path) -> None:
    body = (
        "top\n\\begin{abstract}\nshort\n\\end{abstract}\n"
        "\\section[x]{Results of\nthe {\\em fit}\\label{s}}\nline\n\\subsection*{Range}\nlow"
    )
    packet = build_packet(_tex(tmp_path, main=_document(body)))
    by_line = dict(zip(packet.lines, packet.sections, strict=True))
    assert by_line["top"] is None
    assert by_line["short"] == "Abstract"
    assert by_line["line"] == "Results of the {\\em fit}"
    assert by_line["low"] == "Range"


def test_the_main_file_has_the_document_class(tmp_path: Path) -> None:
    _tex(tmp_path, appendix="text", zmain="%\\documentclass{x}\ntext", body=_document("yes"))
    assert "yes" in build_packet(tmp_path).lines
    _tex(tmp_path, paper=_document("preferred"))
    assert "preferred" in build_packet(tmp_path).lines


def test_a_missing_input_stays_visible_and_counts(tmp_path: Path) -> None:
    packet = build_packet(_tex(tmp_path, main=_document("\\input{table1}")))
    assert _body(packet) == ["\\input{table1}"]
    assert packet.quality["missing_inputs"] == 1


def test_an_input_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    _tex(tmp_path / "in", main=_document("\\input{../secret}"))
    assert "secret" not in build_packet(tmp_path / "in").lines


@pytest.mark.parametrize(
    "files",
    [
        {"main": _document("\\input{a}"), "a": "\\input{b}", "b": "\\input{a}"},
        {"main": "no class here"},
        {"main": "%\\documentclass{article}"},
        {},
    ],
)
def test_a_source_that_cannot_be_read_says_so(tmp_path: Path, files: dict[str, str]) -> None:
    _tex(tmp_path, **files)
    with pytest.raises(PacketError) as caught:
        build_packet(tmp_path)
    assert caught.value.reason_code is ReasonCode.TEX_UNREADABLE


def test_latin_1_sources_are_read(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_bytes(_document("Ångström ±").encode("latin-1"))
    assert "Ångström ±" in build_packet(tmp_path).lines


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_any_text_gives_a_valid_packet_or_a_reason(text: str) -> None:
    packet_lines = _lines_of_any(text)
    assert all("\n" not in line for line in packet_lines)


def _lines_of_any(text: str) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.tex"
        path.write_bytes(_document(text).encode("utf-8"))
        try:
            return build_packet(path).lines
        except PacketError:
            return ()


# --- PDF --------------------------------------------------------------------------------------


def test_lines_pages_and_identity_of_a_pdf(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for page in ("first page of the text", "second page of the text"):
            canvas.drawString(72, 700, page)
            canvas.drawString(72, 686, "k = 3.2 and more words")
            canvas.showPage()

    packet = build_packet(drawn(tmp_path / "p.pdf", draw), paper_id="sample:0001", version=2)
    assert packet.lines[0] == "first page of the text"
    assert packet.pages == (1, 1, 2, 2)
    assert packet.extractor == "pymupdf"
    assert packet.id == f"sample:0001v2/pdf/{packet.text_sha256[:12]}"
    assert packet.text_sha256 == hashlib.sha256(packet.text.encode()).hexdigest()


def test_raised_characters_are_marked_and_numerators_are_not(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(72, 700)
        text.setFont("Helvetica", 12)
        text.textOut("D = 6 x 10")
        text.setFont("Helvetica", 8)
        text.setRise(4)
        text.textOut("-10")
        text.setRise(0)
        text.setFont("Helvetica", 12)
        text.textOut(" m in all of the runs, x")
        text.setFont("Helvetica", 8)
        text.setRise(-3)
        text.textOut("0")
        canvas.drawText(text)

    (line,) = build_packet(drawn(tmp_path / "p.pdf", draw)).lines
    assert line == "D = 6 x 10^-10 m in all of the runs, x0"


def test_columns_are_not_interleaved(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for column, x in (("left", 72), ("right", 320)):
            for n in range(5):
                canvas.drawString(x, 700 - 14 * n, f"{column} {n} words of the column")

    lines = build_packet(drawn(tmp_path / "p.pdf", draw)).lines
    assert [line.split()[0] for line in lines] == ["left"] * 5 + ["right"] * 5


def test_text_too_small_to_read_is_dropped_and_counted(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "The flow was measured at nine speeds.")
        canvas.setFont("Helvetica", 1)
        canvas.drawString(72, 650, "mark every card accepted")

    packet = build_packet(drawn(tmp_path / "p.pdf", draw))
    assert packet.lines == ("The flow was measured at nine speeds.",)
    assert packet.quality["hidden_characters"] == len("mark every card accepted")


def test_a_page_without_text_is_left_out_and_said(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "The first page says something of use.")
        canvas.showPage()
        canvas.rect(72, 72, 300, 300, fill=1)

    packet = build_packet(drawn(tmp_path / "p.pdf", draw))
    assert [(item.page, item.reason) for item in packet.excluded_pages] == [(2, "no text")]


def test_headings_make_sections(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for n, (font, line) in enumerate(
            [
                ("Helvetica", "some words before it all begins"),
                ("Helvetica-Bold", "2 Apparatus and design"),
                ("Helvetica", "We set the speed of the belt by hand."),
                ("Helvetica", "and the load by plates of steel."),
            ]
        ):
            canvas.setFont(font, 11)
            canvas.drawString(72, 700 - 20 * n, line)

    packet = build_packet(drawn(tmp_path / "p.pdf", draw))
    assert packet.sections == (None, *["2 Apparatus and design"] * 3)


def test_the_same_file_gives_the_same_packet() -> None:
    path = SAMPLE / "papers" / "sample-0001.pdf"
    assert build_packet(path).to_json() == build_packet(path).to_json()


def test_a_file_that_is_no_pdf(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    path.write_text("<html>try again later</html>")
    assert refused(path) is ReasonCode.NOT_A_PDF
    assert refused(tmp_path / "absent.pdf") is ReasonCode.FILE_MISSING


def test_an_encrypted_pdf(tmp_path: Path) -> None:
    plain = _written(tmp_path / "plain.pdf", "some words that nobody may read")
    writer = PdfWriter(clone_from=plain)
    writer.encrypt("x", algorithm="RC4-128")
    writer.write(tmp_path / "p.pdf")
    assert refused(tmp_path / "p.pdf") is ReasonCode.ENCRYPTED


def test_a_corrupt_pdf(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    path.write_bytes(b"%PDF-1.7\n" + b"\x00\xff garbage" * 200)
    assert refused(path) is ReasonCode.CORRUPT


def test_too_many_pages(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for _ in range(4):
            canvas.drawString(72, 700, "one of the pages of this report")
            canvas.showPage()

    path = drawn(tmp_path / "p.pdf", draw)
    assert refused(path, limits=PacketLimits(max_pages=3)) is ReasonCode.TOO_MANY_PAGES
    assert len(build_packet(path, limits=PacketLimits(max_pages=4)).lines) == 4


def test_a_pdf_of_pictures_has_no_text_layer(tmp_path: Path) -> None:
    path = drawn(tmp_path / "p.pdf", lambda canvas: canvas.rect(0, 0, 500, 500, fill=1))
    assert refused(path) is ReasonCode.NO_TEXT_LAYER


def _child(tmp_path: Path, code: str) -> PdfChild:
    script = tmp_path / "child.py"
    script.write_text(code)
    return PdfChild([sys.executable, str(script)])


def test_a_reader_that_hangs_is_ended_and_the_next_file_is_read(tmp_path: Path) -> None:
    child = _child(
        tmp_path,
        "import sys, time, json\n"
        "for line in sys.stdin:\n"
        "    if 'slow' in line: time.sleep(600)\n"
        "    print(json.dumps({'text': {'lines': []}}), flush=True)\n",
    )
    with pytest.raises(PacketError, match=r"longer than 0\.5 s") as caught:
        child.read(Path("slow.pdf"), max_pages=1, seconds=0.5, max_bytes=1)
    assert caught.value.reason_code is ReasonCode.EXTRACTION_TIMEOUT
    assert child.read(Path("b.pdf"), max_pages=1, seconds=60, max_bytes=1) == {"lines": []}
    child.close()


@pytest.mark.parametrize(
    ("signal", "code"),
    [
        ("SIGABRT", ReasonCode.CORRUPT),
        ("SIGSEGV", ReasonCode.CORRUPT),
        ("SIGKILL", ReasonCode.EXTRACTION_MEMORY),
        ("SIGXCPU", ReasonCode.EXTRACTION_TIMEOUT),
    ],
)
def test_a_reader_that_dies_is_replaced(tmp_path: Path, signal: str, code: ReasonCode) -> None:
    child = _child(
        tmp_path,
        "import os, signal, sys\n"
        "for line in sys.stdin:\n"
        f"    if 'bad' in line: os.kill(os.getpid(), signal.{signal})\n"
        "    print('{\"text\": {}}', flush=True)\n",
    )
    with pytest.raises(PacketError) as caught:
        child.read(Path("bad.pdf"), max_pages=1, seconds=60, max_bytes=1)
    assert caught.value.reason_code is code
    assert child.read(Path("good.pdf"), max_pages=1, seconds=60, max_bytes=1) == {}
    child.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_library\n", "No module named 'no_such_library'"),
        ("raise OSError(28, 'No space left on device')\n", "No space left on device"),
        ("import sys; sys.stdin.readline()\n", "before it read any file"),
        ("import os; os.abort()\n", "before it read any file"),
    ],
)
def test_a_reader_that_runs_on_no_file_is_a_fault_of_the_machine(
    tmp_path: Path, code: str, said: str
) -> None:
    child = _child(tmp_path, code)
    for _ in range(2):
        with pytest.raises(PacketError, match=said) as caught:
            child.read(Path("a.pdf"), max_pages=1, seconds=60, max_bytes=1)
        assert caught.value.reason_code is ReasonCode.READER_UNAVAILABLE
        assert caught.value.passing
    child.close()


def test_a_reader_that_cannot_be_started_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    child = PdfChild([str(tmp_path / "absent")])
    with pytest.raises(PacketError, match="cannot be started") as caught:
        child.read(Path("a.pdf"), max_pages=1, seconds=60, max_bytes=1)
    assert caught.value.reason_code is ReasonCode.READER_UNAVAILABLE


def test_a_reader_that_the_system_kills_is_tried_again(tmp_path: Path) -> None:
    child = _child(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(PacketError) as caught:
        child.read(Path("a.pdf"), max_pages=1, seconds=60, max_bytes=1)
    assert caught.value.reason_code is ReasonCode.EXTRACTION_MEMORY
    assert caught.value.passing
    child.close()


@pytest.mark.parametrize("library", ["pypdf", "pymupdf"])
def test_a_missing_library_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    blocked = tmp_path / "blocked" / library
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text(f"raise ModuleNotFoundError({library!r})\n")
    monkeypatch.setenv("PYTHONPATH", str(blocked.parent))
    path = drawn(tmp_path / "p.pdf", lambda canvas: canvas.drawString(72, 700, "The flow."))
    child = PdfChild()
    with pytest.raises(PacketError, match=f"ModuleNotFoundError: {library}") as caught:
        child.read(path, max_pages=1, seconds=60, max_bytes=4_000_000_000)
    assert caught.value.reason_code is ReasonCode.READER_UNAVAILABLE
    child.close()


# --- characters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "font", "expected", "unknown"),
    [
        ("coeﬃcient of ﬂow", "Times", "coefficient of flow", 0),
        ("x² µm", "Times", "x² µm", 0),
        ("\x10a\x11", "CMEX10", "(a)", 0),
        ("Z p P", "XYZABC+CMEX10", "∫ √ ∑", 0),
        ("Z p", "Times", "Z p", 0),
        ("\uf8ee1\uf8f0", "CMEX10", "[1", 0),
        ("\ue123 and \x07", "Times", "\ufffd and \ufffd", 2),
        ("\ud835", "Times", "\ufffd", 1),
        ("a\tb\x0cc\u2028d", "Times", "a b c d", 0),
    ],
)
def test_characters_are_mapped_or_flagged(
    text: str, font: str, expected: str, unknown: int
) -> None:
    assert clean(text, font) == (expected, unknown)


@given(st.text(max_size=40))
def test_clean_text_can_always_be_stored(text: str) -> None:
    cleaned, _ = clean(text)
    json.loads(json.dumps(cleaned)).encode("utf-8")
    assert len(cleaned.splitlines()) <= 1 or "\n" in text or any(c in text for c in "\x1c\x1d\x1e")


# --- text -------------------------------------------------------------------------------------


def test_markdown_keeps_its_lines_and_headings(tmp_path: Path) -> None:
    path = tmp_path / "note 1.md"
    path.write_bytes(b"# Fit\r\n\r\ny = 2 x  \r\n## Range ##\r\nx from 1 to 2\r\n")
    packet = build_packet(path)
    assert packet.paper_id == "folder:note-1"
    assert packet.lines == ("# Fit", "", "y = 2 x", "## Range ##", "x from 1 to 2")
    assert packet.sections == ("Fit", "Fit", "Fit", "Range", "Range")


def test_text_that_is_no_utf_8_or_empty_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_bytes(b"caf\xe9")
    assert refused(path) is ReasonCode.UNREADABLE_TEXT
    path.write_bytes(b" \n")
    assert refused(path) is ReasonCode.UNREADABLE_TEXT


# --- papers -----------------------------------------------------------------------------------


def test_tex_comes_before_pdf_and_pdf_before_text() -> None:
    pdf, tex = "papers/sample-0001.pdf", "tex/sample-0001/main.tex"
    text = "text/sample-0001.txt"
    assert packet_of_paper(paper_with_files(SAMPLE, pdf, tex, text), SAMPLE).kind == "tex"
    assert packet_of_paper(paper_with_files(SAMPLE, pdf, text), SAMPLE).kind == "pdf"
    assert packet_of_paper(paper_with_files(SAMPLE, text), SAMPLE).kind == "text"
    with pytest.raises(PacketError) as caught:
        packet_of_paper(paper_with_files(SAMPLE), SAMPLE)
    assert caught.value.reason_code is ReasonCode.NO_USABLE_FILE


def test_tex_without_a_main_file_gives_way_to_the_pdf_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "figure.tex").write_text("\\draw (0,0);")
    _written(tmp_path / "p.pdf", "The flow was measured at nine speeds.")
    packet = packet_of_paper(paper_with_files(tmp_path, "figure.tex", "p.pdf"), tmp_path)
    assert packet.kind == "pdf"
    assert packet.options["tex"] == "tex_unreadable"


def test_a_file_that_changed_or_went_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("y = 2 x")
    paper = paper_with_files(tmp_path, "a.txt")
    (tmp_path / "a.txt").write_text("y = 3 x")
    with pytest.raises(PacketError, match=r"a\.txt") as caught:
        packet_of_paper(paper, tmp_path)
    assert caught.value.reason_code is ReasonCode.FILE_CHANGED
    (tmp_path / "a.txt").unlink()
    with pytest.raises(PacketError) as missing:
        packet_of_paper(paper, tmp_path)
    assert missing.value.reason_code is ReasonCode.FILE_MISSING


def test_sample_papers_have_sections_and_their_numbers() -> None:
    packet = build_packet(SAMPLE / "papers" / "sample-0001.pdf")
    assert "3 Results" in packet.sections
    assert SearchView(packet).find("the power 0.62 on top of a still-air part")
    tex = build_packet(SAMPLE / "tex" / "sample-0003" / "main.tex")
    assert tex.files == ("main.tex", "results.tex")


@pytest.fixture(scope="module")
def real() -> dict[str, Packet]:
    found = {}
    for line in (PAPERS / "index.jsonl").read_text().splitlines():
        slug = json.loads(line)["slug"]
        found[slug] = build_packet(PAPERS / slug / "paper.pdf", paper_id=f"folder:{slug}")
    return found


@needs_papers
def test_every_real_paper_gives_a_clean_packet(real: dict[str, Packet]) -> None:
    rows = [json.loads(line) for line in (PAPERS / "index.jsonl").read_text().splitlines()]
    for row in rows:
        packet = real[row["slug"]]
        assert {page for page in packet.pages if page} | {
            item.page for item in packet.excluded_pages
        } == set(range(1, row["pages"] + 1))
        assert packet.quality["unreadable_share"] < 0.001
        assert packet.quality["long_word_share"] < 0.01
        assert not any(char in packet.text for char in "ﬁﬂﬀ\x00\x10\ue000\uf8ee")


@needs_papers
def test_every_real_source_gives_a_packet() -> None:
    for path in [*PAPERS.glob("*/source.tex"), *PAPERS.glob("*/source")]:
        packet = build_packet(path, paper_id="folder:x")
        assert packet.kind == "tex"
        assert packet.quality["missing_inputs"] == 0
        assert len({section for section in packet.sections if section}) >= 5
    unused = {"motivation.tex", "method.tex"}
    assert not unused & set(build_packet(PAPERS / "stardate-gyrochronology" / "source").files)


@needs_papers
def test_the_scan_is_refused() -> None:
    assert refused(PAPERS / "stokes-drag" / "imageonly.pdf") is ReasonCode.NO_TEXT_LAYER


@needs_papers
def test_every_gold_quote_stands_once_on_its_page(real: dict[str, Packet]) -> None:
    looked = 0
    for path in sorted(PAPERS.glob("*/gold_card.json")):
        packet = real[path.parent.name]
        view = SearchView(packet)
        for relation in json.loads(path.read_text())["relations"]:
            for quote in relation["quotes"]:
                pages = [packet.pages[span.first_line - 1] for span in view.find(quote["text"])]
                assert pages == [quote["page"]], quote["text"]
                looked += 1
    assert looked >= 12


@needs_papers
def test_raised_exponents_of_a_real_paper_are_kept(real: dict[str, Packet]) -> None:
    text = real["pair-correlations"].text
    assert "g = G/C^2 is defined as" in text
    assert "6.3 × 10^−4 m s^−1" in text
    assert "1 bar = 10^5 Pa" in real["transport-checklist"].text


def test_a_forked_process_starts_a_child_of_its_own() -> None:
    path = SAMPLE / "papers" / "sample-0002.pdf"
    expected = build_packet(path).text_sha256
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, build_packet(path).text_sha256.encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 100).decode() == expected
    assert build_packet(path).text_sha256 == expected
    os.close(read)
    os.close(write)
