r"""TeX sources read as printed: flags, macros, numbers of equations, several main files."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.curation.packets import build_packet
from lawsmith.curation.packets.tex_conditions import resolve_flags
from lawsmith.curation.packets.tex_equations import number_equations
from lawsmith.curation.packets.tex_macros import MAX_GROWTH, expand_macros

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ROOT.parent / "shared" / "papers"
needs_papers = pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")


def _document(body: str, head: str = "") -> str:
    return f"\\documentclass{{article}}\n{head}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


@pytest.mark.parametrize(
    ("definition", "use", "expected"),
    [
        (r"\newcommand{\vrel}{v_{\mathrm{rel}}}", r"$\vrel^2$", r"$v_{\mathrm{rel}}^2$"),
        (r"\newcommand\half{0.5}", r"\half m", "0.5 m"),
        (r"\newcommand*{\q}[1]{#1^{2}}", r"\q{x+1}", "x+1^{2}"),
        (r"\newcommand{\pd}[2][t]{\partial_{#1}#2}", r"\pd u, \pd[x]{u}", None),
        (r"\def\drv#1#2{\frac{d#1}{d#2}}", r"\drv y{x}", r"\frac{dy}{dx}"),
        (r"\DeclareMathOperator{\erfc}{erfc}", r"\erfc(x)", r"\operatorname{erfc}(x)"),
        (r"\DeclarePairedDelimiter{\ab}{\lvert}{\rvert}", r"\ab*{x}", r"\left\lvert x\right\rvert"),
        (r"\NewDocumentCommand{\e}{m}{10^{#1}}", r"3 \times \e{-4}", r"3 \times 10^{-4}"),
        (r"\newcommand{\a}{\alpha}", r"\a{}b, {\a}b", r"\alpha{}b, {\alpha}b"),
        (r"\newcommand{\vk}[1]{#1\kappa}", r"\vk{2}y", r"2\kappa y"),
        (r"\newcommand{\vl}[1]{\lambda#1}", r"\vl{x}", r"\lambda x"),
        (r"\newcommand{\x}{1}\renewcommand{\x}{2}", r"a\x", "a2"),
        (r"\newcommand{\x}{1}\providecommand{\x}{2}", r"a\x", "a1"),
        (r"\newcommand{\aa}{\bb}\newcommand{\bb}{7}", r"\aa", "7"),
        (r"\newcommand{\be}{\begin{equation}}", r"\be", r"\begin{equation}"),
        # What LaTeX has of its own, and what is more than content, stays.
        (r"\renewcommand{\emph}[1]{{\bf #1}}", r"\emph{x}", r"\emph{x}"),
        (r"\newcommand{\m}{\ifmmode x\else y\fi}", r"\m", r"\m"),
        (r"\def\z#1.{#1}", r"\z 3.", r"\z 3."),
        (r"\newcommand{\x}{1}", r"\xi \verb|\x|", r"\xi \verb|\x|"),
    ],
)
def test_own_macros_are_expanded(definition: str, use: str, expected: str | None) -> None:
    text, _ = expand_macros(f"{definition}\n{use}")
    first, rest = text.split("\n")
    assert first == definition
    assert rest == (expected or r"\partial_{t}u, \partial_{x}u")


def test_a_use_before_its_definition_stays() -> None:
    text = "\\x\n\\newcommand{\\x}{1}"
    assert expand_macros(text) == (text, 0)


def test_macros_that_grow_without_end_are_left() -> None:
    loop = "\\newcommand{\\x}{\\x\\x}\n\\x"
    assert expand_macros(loop) == (loop, -1)
    steps = [r"\newcommand{\a}{" + "y" * 100 + "}"]
    steps += [
        rf"\newcommand{{\{new}}}{{{chr(92) + old + ' '}{chr(92) + old + ' '}}}".replace("} ", "}")
        for old, new in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
    ]
    bomb = "\n".join([*steps, r"\q"])
    text, uses = expand_macros(bomb)
    assert uses == -1
    assert text == bomb
    assert len(text) < MAX_GROWTH


def test_hostile_braces_end_in_bounded_work() -> None:
    text = "\\newcommand{\\x}[1]{#1}\n" + "\\x{" * 20_000
    assert expand_macros(text) == (text, -1)


@given(st.text(alphabet="\\{}#1[]xy newcommand*def\n", max_size=120))
def test_any_text_without_uses_comes_back(text: str) -> None:
    expanded, uses = expand_macros(text)
    assert uses != 0 or expanded == text


def test_equations_with_labels_get_their_numbers() -> None:
    body = (
        "\\begin{equation}\na = 1\n\\end{equation}\n"
        "\\begin{equation*}\nu = 1\n\\end{equation*}\n"
        "\\begin{align}\nb &= \\begin{cases} 1 \\\\ 2 \\end{cases} \\label{b} \\\\\n"
        "c &= 3 \\nonumber \\\\\nd &= 4 \\label{d}\n\\end{align}\n"
        "\\begin{equation}\\tag{A*}\\label{e} e = 1\\end{equation}\n"
        "By \\eqref{b}, Eq.~\\ref{d}, \\eqref{e} and Fig.~\\ref{f}."
    )
    found = number_equations(_document(body))
    assert found.numbers == {"b": "2", "d": "3", "e": "A*"}
    assert "\\label{b}\\tag{2}" in found.text
    assert "By (2), Eq.~3, (A*) and Fig.~\\ref{f}." in found.text
    assert not found.unknown


def test_subequations_and_sections_number_as_latex_does() -> None:
    head = "\\numberwithin{equation}{section}"
    body = (
        "\\section{One}\n\\begin{equation}\\label{a}x\\end{equation}\n\\section{Two}\n"
        "\\begin{subequations}\\label{p}\n\\begin{align}x\\label{q}\\\\y\\label{r}\\end{align}\n"
        "\\end{subequations}\n\\setcounter{equation}{7}\n"
        "\\begin{equation}\\label{s}x\\end{equation}"
    )
    found = number_equations(_document(body, head))
    assert found.numbers == {"a": "1.1", "p": "2.1", "q": "2.1a", "r": "2.1b", "s": "2.8"}


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("\\renewcommand{\\theequation}{S\\arabic{equation}}", ""),
        ("", "\\appendix"),
        ("", "\\begin{align}x \\\\\n\\end{align}"),
        ("", "\\setcounter{equation}{\\value{old}}"),
        ("", "\\begin{IEEEeqnarray}{rCl}x\\end{IEEEeqnarray}"),
        ("\\counterwithin{equation}{section}", ""),
    ],
)
def test_numbers_that_cannot_be_known_are_not_given(head: str, body: str) -> None:
    text = _document(f"{body}\n\\begin{{equation}}\\label{{a}}x\\end{{equation}} \\ref{{a}}", head)
    found = number_equations(text)
    assert found.text == text
    assert found.unknown


def test_own_flags_are_resolved_where_they_are_set_once() -> None:
    head = "\\newif\\iflong\n\\longtrue\n\\newif\\ifdraft\n"
    body = "\\begin{document}\\iflong L\\ifdraft D\\else E\\fi\\else S\\fi $a \\iff b$"
    assert resolve_flags(head + body).split("}")[1] == " L E $a \\iff b$"
    again = head + body + "\\longfalse"
    assert "\\iflong L" in resolve_flags(again)
    broken = head + body + "\\ifdraft"
    assert resolve_flags(broken) == broken


def test_iff_does_not_open_a_condition(tmp_path: Path) -> None:
    (tmp_path / "m.tex").write_text(_document("\\iffalse\n$a \\iff b$\n\\fi\nkept"))
    packet = build_packet(tmp_path)
    assert "kept" in packet.lines
    assert "iff" not in packet.text


def test_an_input_that_is_switched_off_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "m.tex").write_text(_document("\\iffalse\n\\input{old}\n\\fi\nnew"))
    (tmp_path / "old.tex").write_text("old fit")
    assert build_packet(tmp_path).files == ("m.tex",)


def test_a_part_that_could_stand_alone_gives_its_body(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(_document("\\subfile{part}\nafter"))
    (tmp_path / "part.tex").write_text(
        "\\documentclass[main]{subfiles}\n\\begin{document}\ninner\n\\end{document}\nnotes"
    )
    (tmp_path / "tail.tex").write_text("x\n\\endinput\ny")
    packet = build_packet(tmp_path)
    assert list(packet.lines[-3:]) == ["inner", "after", "\\end{document}"]


def test_nothing_after_endinput_is_read(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(_document("\\input{tail}"))
    (tmp_path / "tail.tex").write_text("said\n\\endinput\nnot said")
    text = build_packet(tmp_path).text
    assert "said" in text
    assert "not said" not in text


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("zz.tex", "response_letter.tex"),
        ("zz.tex", "a_supplement.tex"),
        ("zz.tex", "chapter.tex"),
        ("ms.tex", "a.tex"),
    ],
)
def test_the_main_file_is_told_from_its_company(tmp_path: Path, right: str, wrong: str) -> None:
    (tmp_path / right).write_text(_document("the paper \\input{chapter}"))
    (tmp_path / wrong).write_text(_document("company"))
    assert build_packet(tmp_path).files[0] == right


def test_a_bibliography_names_the_main_file(tmp_path: Path) -> None:
    for name in ("aa", "bb"):
        (tmp_path / f"{name}.tex").write_text(_document(name))
    (tmp_path / "bb.bbl").write_text("")
    assert build_packet(tmp_path).files == ("bb.tex",)


def test_a_link_out_of_the_folder_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text(_document("secret"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "zz.tex").write_text(_document("mine"))
    (tmp_path / "in" / "main.tex").symlink_to(tmp_path / "secret.tex")
    assert build_packet(tmp_path / "in").files == ("zz.tex",)


@needs_papers
@pytest.mark.parametrize(
    ("slug", "source", "sentences"),
    [
        # What the PDF of the same paper prints; found there by the words around the number.
        ("stardate-gyrochronology", "source", ["equation 1 does not describe these stars"]),
        ("nonparametric-bayes", "source.tex", ["(Myers et al. 1995), Eqns (6)-(8)"]),
        ("transport-checklist", "source.tex", ["both Equation 1 (Green-Kubo) and Equation 2"]),
    ],
)
def test_numbers_of_real_equations_are_those_that_the_pdf_prints(
    slug: str, source: str, sentences: list[str]
) -> None:
    def flat(path: Path) -> str:
        return re.sub(r"\s+", " ", build_packet(path).text)

    if not (PAPERS / slug / source).exists():
        pytest.skip(f"{slug}/{source} is not there")
    tex, pdf = flat(PAPERS / slug / source), flat(PAPERS / slug / "paper.pdf")
    for sentence in sentences:
        assert sentence in tex
        assert sentence.replace("- ", "") in pdf.replace("- ", "")
