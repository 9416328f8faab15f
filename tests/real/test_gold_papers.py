"""Two real papers, one of them TeX, through the whole flow, held against their gold cards.

`replies.jsonl` are the answers of a reader who saw only the rendered requests, as given. The
reader finds no card in either paper. The gold cards say why that is right: they hold formulas
and constants, but no range of every control, and one formula lies outside the language.
"""

import json
import math
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lawsmith.cli import run
from lawsmith.curation.packets import build_packet
from lawsmith.curation.printed_numbers import is_printed
from lawsmith.curation.stated_numbers import numbers_in
from lawsmith.errors import InputError
from lawsmith.expressions import evaluate, parse_infix
from lawsmith.gateways.warehouse import query
from schemas.packet import Packet

if TYPE_CHECKING:
    from tests.conftest import Kit

HERE = Path(__file__).resolve().parent
PAPERS = HERE.parents[2] / "shared" / "papers"
SLUGS = ("stardate-gyrochronology", "pair-correlations")
DERIVED: dict[tuple[str, str], float] = {("g-steady", "C"): 200_000}
"""Gold values that the reader of the gold card worked out, with the number that is printed."""
OUTSIDE = {"g-unstirred"}
"""Gold relations that call a function which the language does not have."""

pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")


def _gold(slug: str) -> list[dict[str, Any]]:
    card = json.loads((PAPERS / slug / "gold_card.json").read_text(encoding="utf-8"))
    return list(card["relations"])


RELATIONS: list[tuple[str, dict[str, Any]]] = [
    (slug, relation) for slug in SLUGS if PAPERS.is_dir() for relation in _gold(slug)
] or [("absent", {"id": "absent"})]


def _law(text: str) -> str:
    """A gold formula in our infix: sympy's log with a base is log10."""
    return re.sub(r"log\((\w+),\s*10\)", r"log10(\1)", text)


@pytest.fixture(scope="module")
def packets() -> dict[str, Packet]:
    found = {slug: build_packet(PAPERS / slug / "paper.pdf") for slug in SLUGS}
    tex = PAPERS / SLUGS[0] / "source"
    return found | {SLUGS[0]: build_packet(tex)}


def _shelf(folder: Path) -> Path:
    """The papers as a folder source."""
    for slug in SLUGS:
        shutil.copytree(PAPERS / slug, folder / slug)
    shutil.copy(HERE / "metadata.jsonl", folder)
    return folder


def test_both_papers_go_through_the_flow(
    kit: "Kit", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = kit.copy_data(tmp_path / "data")
    (data.path / "real").mkdir()
    shutil.copy(HERE / "replies.jsonl", data.path / "real")
    home = kit.home(tmp_path / "home", data)
    shelf = str(_shelf(tmp_path / "papers"))
    with home.entered():
        monkeypatch.setenv("LAWSMITH_EXTRACTOR", "replay/real")
        monkeypatch.setenv("LAWSMITH_REVIEWER", "replay/real")
        assert run(("refresh", "--source", shelf)) == 0
    rows = query(
        home.context().store, "select paper_id, kind, outcome from packets order by paper_id"
    ).rows
    assert rows == (
        ("folder:pair-correlations", "pdf", "passed"),
        ("folder:stardate-gyrochronology", "tex", "passed"),
    )
    ends = query(
        home.context().store,
        "select paper_id, outcome, reason_code, sentence from dispositions"
        " where stage = 'cards' order by paper_id",
    ).rows
    assert [row[1:3] for row in ends] == [("rejected", "no_executable_relation")] * 2
    said = {
        json.loads(line)["subject_id"].split("v1")[0]: json.loads(line)["text"]
        for line in (HERE / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    }
    for paper, _, _, sentence in ends:
        assert sentence == json.loads(said[paper])["none_reason"]


@pytest.mark.parametrize(("slug", "relation"), RELATIONS, ids=[r["id"] for _, r in RELATIONS])
def test_a_gold_formula_gives_its_worked_value(slug: str, relation: dict[str, Any]) -> None:
    text = _law(relation["rhs"])
    if relation["id"] in OUTSIDE:
        with pytest.raises(InputError, match="expint"):
            parse_infix(text)
        return
    example = relation["example"]
    got = evaluate(parse_infix(text), {k: float(v) for k, v in example["inputs"].items()})
    assert math.isclose(float(got), example["value"], rel_tol=1e-12)


@pytest.mark.parametrize(("slug", "relation"), RELATIONS, ids=[r["id"] for _, r in RELATIONS])
def test_the_numbers_of_a_gold_card_stand_in_the_packet(
    slug: str, relation: dict[str, Any], packets: dict[str, Packet]
) -> None:
    printed = numbers_in(packets[slug].lines)
    for parameter in relation["parameters"]:
        values: Any = parameter["value"]
        for value in values if isinstance(values, list) else [values]:
            printed_as = DERIVED.get((relation["id"], parameter["symbol"]), float(value))
            assert is_printed(printed_as, printed, signed=False), (
                parameter["symbol"],
                value,
            )


@pytest.mark.parametrize(("slug", "relation"), RELATIONS, ids=[r["id"] for _, r in RELATIONS])
def test_no_gold_relation_has_a_range_for_every_control(
    slug: str, relation: dict[str, Any]
) -> None:
    """The gold domain bounds some controls on both sides at most: none, so none is executable."""
    bounded = {
        control["symbol"]
        for control in relation["controls"]
        if re.search(rf"[\d.]+\s*<=?\s*{control['symbol']}\s*<=?\s*[\d.]+", relation["domain"])
    }
    assert bounded < {control["symbol"] for control in relation["controls"]}
