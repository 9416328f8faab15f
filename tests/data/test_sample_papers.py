"""The sample papers: rebuilt byte for byte, legible, and true to the relations they state."""

import importlib.util
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pymupdf
import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
PAPERS = [f"sample-{n:04d}" for n in range(1, 10)]
Readouts = tuple[float, ...]
open_pdf: Any = pymupdf.open


@dataclass(frozen=True)
class Intended:
    """What a careful reader should find: the law, its corners, every number as printed."""

    law: Callable[..., Readouts]
    ranges: tuple[tuple[float, float], ...]
    numbers: str
    span: float
    """Least ratio of the largest to the smallest corner value, over all readouts."""
    feasible: Callable[..., bool] = lambda *_: True
    resolution: float | None = None


def _robot(v: float, m: float) -> Readouts:
    w = 95 * (v / 1) ** 1.45 * (1 + m / 4.0)
    p = 8.5 + w + w**2 / 140
    return p, p / v


INTENDED = {
    "sample-0001": Intended(
        lambda v, d: ((0.41 + 0.87 * (v / 1) ** 0.62) * d / (d + 2.45),),
        ((0.2, 8), (0.3, 3.6)),
        "0.41 0.87 0.62 2.45 0.02 0.01 0.06 0.2 8 0.3 3.6",
        10,
    ),
    "sample-0002": Intended(
        lambda p, u, c: (0.62 * p * math.exp(-c / 48) / (1 + p / 85 * (u / 1) ** -0.55),),
        ((20, 300), (0.5, 2.5), (2, 60)),
        "0.62 85 48 -0.55 0.01 3 1 0.02 20 300 0.5 2.5 2 60 0.0005 10 400 0.2 3.0 80",
        10,
        lambda p, u, _: p <= 300 * u,
        0.0005,
    ),
    "sample-0003": Intended(
        _robot, ((0.05, 0.6), (0.5, 6)), "95 4.0 8.5 140 1.45 0.05 0.60 0.5 6.0 0.001", 3
    ),
    "sample-0004": Intended(
        lambda u, c: (40 * (u / 1) ** 0.42 * (c / 1) ** 0.31,),
        ((2, 30), (0.1, 2)),
        "40 0.42 0.31 2 30 0.1 1",
        5,
    ),
    "sample-0005": Intended(
        lambda r, v, d: (r * (1 - 0.347 * d / (d + 1.15)) / (9.6 + 21.4 * (v / 1) ** 0.53),),
        ((80, 600), (0.1, 4), (0.2, 3)),
        "0.347 0.374 1.15 9.6 21.4 0.53 80 600 0.1 4 0.2 3 0.011",
        10,
    ),
    "sample-0006": Intended(
        lambda t, p: (11.8 * math.exp(8300 / 550 - 8300 / t) * (p / 1) ** 0.58 / (1 + p / 9.0),),
        ((480, 620), (0.5, 20)),
        "11.8 8300 550 0.58 9.0 480 620 0.5 20 0.0001",
        10,
        resolution=0.0001,
    ),
    "sample-0007": Intended(
        lambda t, u: (310 * (u / 1) ** 1.35 * (1 - math.exp(-((t / 75) ** 0.64))),),
        ((6, 300), (0.25, 0.6)),
        "310 1.35 75 0.64 6 300 0.25 0.60 0.001",
        10,
        resolution=0.001,
    ),
    "sample-0008": Intended(
        lambda i, n, b: (0.43 * math.tanh(i / 52) * n / (n + 0.62) / (1 + (b / 165) ** 1.6),),
        ((10, 120), (0.1, 4), (20, 240)),
        "0.43 52 0.62 165 1.6 10 120 0.1 4 20 240",
        10,
    ),
}


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sample_build", SAMPLE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def metadata() -> list[dict[str, Any]]:
    lines = (SAMPLE / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def pdf_text(paper: str) -> str:
    with open_pdf(SAMPLE / "papers" / f"{paper}.pdf") as document:
        return "".join(page.get_text() for page in document)


def tex_text(paper: str) -> str:
    folder = SAMPLE / "tex" / paper
    main = (folder / "main.tex").read_text(encoding="utf-8")
    results = folder / "results.tex"
    return main + (results.read_text(encoding="utf-8") if results.exists() else "")


def words(text: str) -> set[str]:
    """The text cut at everything that cannot belong to a number."""
    kept = "".join(c if c.isdigit() or c in ".-" else " " for c in text)
    tokens = {token.strip(".") for token in kept.split()}
    return tokens | {token.strip("-") for token in tokens}


def corners(intended: Intended) -> list[Readouts]:
    middles = [(low, math.sqrt(low * high), high) for low, high in intended.ranges]
    points = [x for x in itertools.product(*middles) if intended.feasible(*x)]
    return [intended.law(*x) for x in points]


def test_rebuild_is_byte_identical(build: ModuleType, tmp_path: Path) -> None:
    build.build_all(tmp_path)
    built = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    for path in built:
        assert (tmp_path / path).read_bytes() == (SAMPLE / path).read_bytes(), path
    committed = {p.relative_to(SAMPLE) for p in SAMPLE.rglob("*.pdf")}
    committed |= {p.relative_to(SAMPLE) for p in SAMPLE.rglob("*.tex")}
    assert committed - set(built) == {Path("tex/sample-0003/old_fit.tex")}


def test_changing_one_digit_changes_only_that_paper(build: ModuleType) -> None:
    text = (SAMPLE / "text" / "sample-0001.txt").read_text(encoding="utf-8")
    changed = build.build_pdf("sample-0001", text.replace("= 0.87 ±", "= 0.84 ±"))
    with open_pdf(stream=changed) as document:
        assert "0.84 ± 0.01 kg/(m^2 h)" in " ".join(document[0].get_text().split())


@pytest.mark.parametrize("paper", PAPERS)
def test_pages_read_well_and_say_synthetic(build: ModuleType, paper: str) -> None:
    text = pdf_text(paper)
    with open_pdf(SAMPLE / "papers" / f"{paper}.pdf") as document:
        assert document.page_count <= 2
    assert build.NOTICE in text
    assert "Lawsmith sample" in text
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "\N{REPLACEMENT CHARACTER}" not in text


@pytest.mark.parametrize("paper", sorted(INTENDED))
def test_every_number_of_the_law_is_in_the_text(paper: str) -> None:
    wanted = set(INTENDED[paper].numbers.split())
    assert wanted <= words(pdf_text(paper))
    if (SAMPLE / "tex" / paper).is_dir():
        assert wanted <= words(tex_text(paper))


@pytest.mark.parametrize("paper", sorted(INTENDED))
def test_law_is_positive_finite_and_wide_on_its_domain(paper: str) -> None:
    intended = INTENDED[paper]
    values = corners(intended)
    for column in zip(*values, strict=True):
        assert all(math.isfinite(y) and y > 0 for y in column)
        assert max(column) / min(column) > intended.span
    if intended.resolution is not None:
        assert intended.resolution <= 2.5e-4 * min(y[0] for y in values)


@pytest.mark.parametrize("paper", sorted(set(INTENDED) - {"sample-0004"}))
def test_table_agrees_with_the_law(build: ModuleType, paper: str) -> None:
    source = build.parse_source((SAMPLE / "text" / f"{paper}.txt").read_text(encoding="utf-8"))
    (table,) = [block for block in source.blocks if block.kind == "table"]
    intended = INTENDED[paper]
    for row in build.table_rows(paper, table)[1:]:
        numbers = [float(cell) for cell in row]
        setting, shown = numbers[: len(intended.ranges)], numbers[len(intended.ranges) :]
        assert intended.feasible(*setting)
        for x, (low, high) in zip(setting, intended.ranges, strict=True):
            assert low <= x <= high
        for y, truth in zip(shown, intended.law(*setting), strict=True):
            assert y == pytest.approx(truth, rel=0.12)


def test_metadata_names_the_papers_and_their_files(
    build: ModuleType, metadata: list[dict[str, Any]]
) -> None:
    assert [row["id"] for row in metadata] == [f"sample:{n:04d}" for n in range(1, 10)]
    fields = "id version published updated title abstract authors categories doi journal_ref"
    fields += " journal_online journal_print related_preprints licence files"
    for paper, row in zip(PAPERS, metadata, strict=True):
        assert sorted(row) == sorted(fields.split())
        source = build.parse_source((SAMPLE / "text" / f"{paper}.txt").read_text(encoding="utf-8"))
        assert row["title"] == source.title
        assert row["abstract"] == build.flatten(source.blocks[0].text)
        assert row["authors"] == ["Lawsmith sample"]
        assert row["doi"].startswith("10.99999/lawsmith-sample.")
        assert all((SAMPLE / name).is_file() for name in row["files"])
        assert len(row["files"]) == len(set(row["files"]))
    assert [row["licence"] for row in metadata].count(None) == 1


def test_window_covers_every_first_version(metadata: list[dict[str, Any]]) -> None:
    window = json.loads((SAMPLE / "window.json").read_text(encoding="utf-8"))
    start, end = (date.fromisoformat(x) for x in window["window"].split(".."))
    days = {row["id"]: date.fromisoformat(row["published"][:10]) for row in metadata}
    assert all(start <= day < end for day in days.values())
    assert len({day.isocalendar()[:2] for day in days.values()}) == 4
    cutoff = date.fromisoformat(window["cutoff"])
    assert {paper for paper, day in days.items() if day <= cutoff} == {"sample:0006"}
    unknown = [row["id"] for row in metadata if not (row["journal_online"] or row["journal_print"])]
    assert unknown == ["sample:0008"]


def test_unused_tex_file_is_reachable_from_nowhere() -> None:
    folder = SAMPLE / "tex" / "sample-0003"
    read = (folder / "main.tex").read_text(encoding="utf-8")
    assert r"\input{results}" in read
    assert "1.71" in (folder / "old_fit.tex").read_text(encoding="utf-8")
    assert "old_fit" not in tex_text("sample-0003")
