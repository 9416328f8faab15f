"""Real papers through the whole flow, and the gold cards of ../shared/papers.

`metadata.jsonl` lists the papers that are recorded and `replies.jsonl` the answers of readers who
saw only the rendered requests, as given. The gold cards say why a reader may find no card: they
hold formulas and constants, but no range of every control, and some formulas lie outside the
language.
"""

import json
import math
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lawsmith.cli import run
from lawsmith.curation.evidence.printed_numbers import is_printed
from lawsmith.curation.evidence.stated_numbers import numbers_in
from lawsmith.curation.packets import build_packet
from lawsmith.errors import InputError
from lawsmith.expressions import evaluate, parse_infix
from lawsmith.gateways.store import query
from schemas.packet import Packet

if TYPE_CHECKING:
    from tests.conftest import Kit

HERE = Path(__file__).resolve().parent
PAPERS = HERE.parents[2] / "shared" / "papers"
LISTED = [
    json.loads(line)
    for line in (HERE / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    if line
]
REPLIES = [
    json.loads(line)
    for line in (HERE / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    if line
]
GOLD = sorted(path.parent.name for path in PAPERS.glob("*/gold_card.json"))
DERIVED: dict[tuple[str, str], float | None] = {
    ("g-steady", "C"): 200_000,
    ("qssa-ode", "k_A"): 6e-10,
    ("yeh-hummer", "k_B"): None,
}
"""Gold values that the reader of the gold card worked out or knew, with what is printed."""
OUTSIDE = {"g-unstirred": "expint", "qssa-ode": "hp"}
"""Gold relations that call a function which the language does not have."""

pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")


def _gold(slug: str) -> list[dict[str, Any]]:
    card = json.loads((PAPERS / slug / "gold_card.json").read_text(encoding="utf-8"))
    return list(card["relations"])


RELATIONS: list[tuple[str, dict[str, Any]]] = [
    (slug, relation) for slug in GOLD for relation in _gold(slug)
] or [("absent", {"id": "absent"})]


def _law(text: str) -> str:
    """A gold formula in our infix: sympy's log with a base is log10."""
    return re.sub(r"log\((\w+),\s*10\)", r"log10(\1)", text)


@pytest.fixture(scope="module")
def packets() -> dict[str, Packet]:
    found = {}
    for slug in GOLD:
        sources = [PAPERS / slug / name for name in ("source", "source.tex", "paper.pdf")]
        found[slug] = build_packet(next(source for source in sources if source.exists()))
    return found


def _shelf(folder: Path) -> Path:
    """The recorded papers as a folder source."""
    for line in LISTED:
        slug = line["files"][0].split("/")[0]
        shutil.copytree(PAPERS / slug, folder / slug)
    shutil.copy(HERE / "metadata.jsonl", folder)
    return folder


@pytest.mark.long
def test_every_recorded_paper_goes_through_the_flow(
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
    store = home.context().store
    kinds = dict(query(store, "select paper_id, kind from packets").rows)
    assert kinds == {
        line["id"]: "tex" if line["files"][0].endswith(".tex") else "pdf" for line in LISTED
    }
    ends = query(
        store,
        "select paper_id, outcome, reason_code, sentence from dispositions where stage = 'cards'",
    ).rows
    said = {
        line["subject_id"].split("v1/")[0]: json.loads(line["text"])
        for line in REPLIES
        if line["subject_kind"] == "packet" and line["round"] == 0
    }
    assert len(ends) == len(LISTED)
    for paper, outcome, code, sentence in ends:
        if not said[paper]["cards"]:
            assert (outcome, code) == ("rejected", "no_executable_relation")
            assert sentence == said[paper]["none_reason"]
        else:
            assert outcome in {"passed", "rejected"}


@pytest.mark.parametrize(("slug", "relation"), RELATIONS, ids=[r["id"] for _, r in RELATIONS])
def test_a_gold_formula_gives_its_worked_value(slug: str, relation: dict[str, Any]) -> None:
    laws = relation["rhs"] if isinstance(relation["rhs"], list) else [relation["rhs"]]
    if relation["id"] in OUTSIDE:
        for law in laws:
            with pytest.raises(InputError, match=OUTSIDE[relation["id"]]):
                parse_infix(_law(law))
        return
    (law,) = laws
    text = _law(law)
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
            if value is None:
                continue
            printed_as = DERIVED.get((relation["id"], parameter["symbol"]), float(value))
            assert printed_as is None or is_printed(printed_as, printed, signed=False), (
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
