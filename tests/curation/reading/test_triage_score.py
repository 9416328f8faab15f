"""Triage puts papers with a relation first and never needs a model."""

import json
from pathlib import Path

import pytest

from lawsmith.curation.packets import build_packet
from lawsmith.curation.reading.triage_score import triage

ROOT = Path(__file__).resolve().parents[3]
PAPERS = ROOT.parent / "shared" / "papers"
SAMPLE = ROOT / "data" / "sample" / "papers"


def _score(tmp_path: Path, text: str) -> float:
    path = tmp_path / "p.md"
    path.write_text(text, encoding="utf-8")
    return triage(build_packet(path)).score


RELATION = (
    "We varied the speed from 0.2 m/s to 8 m/s. A least-squares fit gave the relation\n"
    "j = a v^0.62 + b\n(1)\nwith a = 0.87 ± 0.01 kg and b = 0.41 ± 0.02 kg (Table 1).\n"
)


def test_a_fitted_relation_scores_above_prose(tmp_path: Path) -> None:
    prose = "We argue that papers should state their data. Nobody was surprised by this.\n" * 5
    assert _score(tmp_path, prose) == 0.0
    assert 0.3 < _score(tmp_path, prose + RELATION) < 1


def test_more_evidence_never_lowers_the_score(tmp_path: Path) -> None:
    assert _score(tmp_path, RELATION * 2) > _score(tmp_path, RELATION)


def test_references_do_not_count(tmp_path: Path) -> None:
    listed = "# References\nA. Author. A power-law fit with exponent = 3 from 2 K to 4 K.\n"
    assert _score(tmp_path, RELATION + listed * 5) == _score(tmp_path, RELATION)


def test_figures_tell_what_was_counted(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_text(RELATION, encoding="utf-8")
    found = triage(build_packet(path))
    assert found.figures["tables"] == 1
    assert found.figures["ranges"] == 1
    assert found.figures["equations"] >= 1
    assert found == triage(build_packet(path))


def test_the_sample_comment_comes_last() -> None:
    scores = {path.stem: triage(build_packet(path)).score for path in SAMPLE.glob("*.pdf")}
    assert min(scores, key=lambda name: scores[name]) == "sample-0009"
    assert scores["sample-0001"] > 3 * scores["sample-0009"]


@pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")
def test_real_papers_with_a_relation_come_before_those_without() -> None:
    rows = [json.loads(line) for line in (PAPERS / "index.jsonl").read_text().splitlines()]
    scored = [(triage(build_packet(PAPERS / row["slug"] / "paper.pdf")).score, row) for row in rows]
    with_relation = [score for score, row in scored if row["has_executable_relation"]]
    without = [score for score, row in scored if not row["has_executable_relation"]]
    assert min(with_relation) > max(without)


@pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")
def test_the_first_papers_of_the_queue_all_have_a_relation() -> None:
    """Precision at the count of papers with a relation is 1, of PDF and TeX packets together."""
    rows = [json.loads(line) for line in (PAPERS / "index.jsonl").read_text().splitlines()]
    scored = [
        (triage(build_packet(path)).score, row["has_executable_relation"])
        for row in rows
        for name in ("paper.pdf", "source", "source.tex")
        if (path := PAPERS / row["slug"] / name).exists()
    ]
    ranked = [holds for _, holds in sorted(scored, key=lambda item: -item[0])]
    wanted = sum(ranked)
    assert sum(ranked[:wanted]) / wanted == 1
