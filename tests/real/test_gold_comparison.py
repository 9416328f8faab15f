"""The comparison with gold cards, on the sample: its papers, its replies, gold cards by hand."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gold.chain import SLIPPED, Judged, judge, mistakes
from benchmarks.gold.fields import plain_symbol
from benchmarks.gold.readers import FIELDS, SAMPLE_GOLD, judged_sample, tallied
from benchmarks.gold.traps import sprung
from lawsmith.curation.evidence.printed_numbers import is_printed
from lawsmith.curation.evidence.search_view import SearchView
from lawsmith.curation.evidence.stated_numbers import numbers_in
from lawsmith.expressions import evaluate, parse_infix
from schemas.expression import substitute

Data = dict[str, Any]
SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
GOLD: Data = {
    "id": "flux",
    "rhs": "(b_0 + b_1*(V/v_0)**0.62)*D/(D + D_h)",
    "readout": [{"symbol": "j", "name": "evaporation flux", "unit": "kg/(m**2*h)"}],
    "controls": [
        {"symbol": "v", "name": "air speed", "unit": "m/s"},
        {"symbol": "D", "name": "vapour-pressure deficit", "unit": "kPa"},
    ],
    "parameters": [
        {"symbol": "b_0", "value": 0.41, "uncertainty": 0.02, "unit": "kg/(m**2*h)"},
        {"symbol": "b_1", "value": 0.87, "uncertainty": 0.01, "unit": "kg/(m**2*h)"},
        {"symbol": "D_h", "value": 2.45, "uncertainty": 0.06, "unit": "kPa"},
        {"symbol": "v_0", "value": 1, "unit": "m/s"},
    ],
    "domain": "0.2 < v < 8 m/s, 0.3 < D < 3.6 kPa, constant-rate stage",
    "status": "fitted",
    "origin": "fitted_here",
    "quotes": [
        {"page": 1, "text": "A weighted least-squares fit to the 42 mean fluxes"},
        {"page": 1, "text": "It describes the constant-rate stage only"},
    ],
    "example": {"inputs": {"v": 2.0, "D": 1.0}},
}
Change = Callable[[Data], object]


def _nothing(_data: Data) -> None:
    pass


@pytest.fixture
def judged(tmp_path: Path) -> Callable[..., Judged]:
    """Judges sample paper 0001 with the recorded replies, each changed if asked."""

    def make(
        card: Change = _nothing,
        review: Change = _nothing,
        gold: Change = _nothing,
        revision: Change | None = None,
    ) -> Judged:
        papers, recorded = tmp_path / "papers", tmp_path / "recorded"
        recorded.mkdir()
        for name in ("papers", "tex", "text"):
            shutil.copytree(SAMPLE / name, papers / name)
        relation = json.loads(json.dumps(GOLD).replace("(V/", "(v/"))
        for parameter in relation["parameters"]:
            parameter["source"] = "p. 1"
        gold(relation)
        (papers / "0001").mkdir()
        (papers / "0001" / "gold_card.json").write_text(json.dumps({"relations": [relation]}))
        for name in ("metadata.jsonl", "replies.jsonl"):
            lines = (SAMPLE / name).read_text(encoding="utf-8").splitlines()
            kept = [_changed(line, card, review) for line in lines if "sample:0001" in line[:400]]
            if revision is not None and name == "replies.jsonl":
                kept.extend(_revised(kept, revision))
            (recorded / name).write_text("\n".join(kept) + "\n", encoding="utf-8")
        (found,) = [one for one in judge(recorded, papers) if one.slug == "0001"]
        return found

    return make


def _changed(line: str, card: Change, review: Change) -> str:
    data = json.loads(line.replace('"sample:', '"folder:'))
    if data.get("subject_kind") in {"packet", "card"}:
        reply = json.loads(data["text"])
        if data["role"] == "reviewer":
            review(reply)
        else:
            card(reply["cards"][0])
        data["text"] = json.dumps(reply)
    return json.dumps(data)


def _revised(lines: list[str], revision: Change) -> list[str]:
    """The further turns after a review that asks for changes: a new card, then a plain accept."""
    first, review = (
        next(data for line in lines if (data := json.loads(line)).get("subject_kind") == kind)
        for kind in ("packet", "card")
    )
    reply, verdict = json.loads(first["text"]), json.loads(review["text"])
    revision(reply["cards"][0])
    for item in verdict["criteria"]:
        item["verdict"] = "supported"
    turn = {"subject_kind": "card", "subject_id": review["subject_id"], "revision": 1, "round": 1}
    again = first | turn | {"text": json.dumps(reply)}
    accept = verdict | {"decision": "accept", "changes": None}
    last = review | {"revision": 1, "round": 2, "text": json.dumps(accept)}
    return [json.dumps(again), json.dumps(last)]


def test_the_recorded_reader_agrees_with_gold_in_every_field(judged: Any) -> None:
    found = judged()
    assert found.executable == 1
    counts = tallied(fact for *_, facts in found.compared for fact in facts)
    assert counts["overall"].in_gold > 25
    assert counts["range ends"].in_gold == 4
    assert counts["parameter uncertainty"].in_gold == 3
    assert [fact for *_, facts in found.compared for fact in facts if not fact.agrees] == []
    assert counts["overall"].precision == counts["overall"].recall == 1.0
    assert list(mistakes(found)) == []


def test_a_wrong_exponent_is_stopped_by_a_gate(judged: Any) -> None:
    def wrong(card: Data) -> None:
        card["relations"][0]["expression"] = "(b0 + b1*(v/v0)^0.26)*D/(D + D_h)"

    ((_, what, _, _, stop),) = mistakes(judged(card=wrong))
    assert what == "law of j"
    assert "number_not_anchored" in stop
    assert stop.startswith("gate")


def test_a_lost_parameter_and_an_invented_control_cost_recall_and_precision(judged: Any) -> None:
    def wrong(card: Data) -> None:
        card["parameters"] = [item for item in card["parameters"] if item["name"] != "v0"]
        card["controls"].append({**card["controls"][0], "name": "q", "symbol": "q", "meaning": ""})

    found = judged(card=wrong)
    counts = tallied(fact for *_, facts in found.compared for fact in facts)
    assert counts["parameters"].recall == 0.75
    assert counts["parameters"].precision == 1.0
    assert counts["controls"].precision == pytest.approx(2 / 3)
    assert counts["controls"].recall == 1.0


def test_what_the_reviewer_stops_names_the_criterion(judged: Any) -> None:
    def doubt(review: Data) -> None:
        review["decision"] = "reject"
        for item in review["criteria"]:
            if item["criterion"] == "status":
                item["verdict"] = "unsupported"

    def other(relation: Data) -> None:
        relation["status"] = "approximation"

    ((_, what, gold, got, stop),) = mistakes(judged(review=doubt, gold=other))
    assert (what, gold, got) == ("status of j", "approximation", "fitted")
    assert stop == "reviewer status"


def test_what_nobody_stops_slips_through(judged: Any) -> None:
    def other(relation: Data) -> None:
        relation["parameters"][2]["unit"] = "Pa"

    rows = list(mistakes(judged(gold=other)))
    assert {row[1] for row in rows} == {"unit of D_h", "value of D_h", "uncertainty of D_h"}
    assert all(row[-1] == "nothing: slipped through" for row in rows)


def test_a_gold_card_without_a_range_does_not_run(judged: Any) -> None:
    def other(relation: Data) -> None:
        relation["domain"] = "v > 0.2 m/s, 0.3 < D < 3.6 kPa"

    found = judged(gold=other)
    ((_, codes),) = found.gold
    assert codes == ("domain_missing",)
    assert found.executable == 0


def test_symbols_are_compared_without_typography() -> None:
    same = (r"P_{\rm rot}", "P_rot", "Prot"), (r"\gamma", "gam", "γ"), (r"D_{\mathrm{h}}", "Dh")
    for spellings in same:
        assert len({plain_symbol(text) for text in spellings}) == 1
    assert plain_symbol("v") != plain_symbol("V")


def test_what_a_revision_mended_is_said_so(judged: Any) -> None:
    def dropped(card: Data) -> None:
        card["parameters"][0]["uncertainty"] = None

    def ask(review: Data) -> None:
        review |= {"decision": "revise", "changes": "parameters/0: the error 0.02 is missing"}
        for item in review["criteria"]:
            if item["criterion"] == "parameters":
                item["verdict"] = "unsupported"

    def mended(card: Data) -> None:
        card["parameters"][0]["uncertainty"] = 0.02

    rows = list(mistakes(judged(card=dropped, review=ask, revision=mended)))
    assert [(row[1], row[-1]) for row in rows] == [("uncertainty of b_0", "revision")]


@pytest.fixture(scope="module")
def sample() -> dict[str, Judged]:
    return {one.slug: one for one in judged_sample()}


def test_gold_cards_of_the_sample_stand_in_its_papers(sample: dict[str, Judged]) -> None:
    assert sorted(sample) == sorted(path.stem for path in SAMPLE_GOLD.glob("*.json"))
    for slug, one in sample.items():
        assert one.read is not None
        view = SearchView(one.read[1])
        gold = json.loads((SAMPLE_GOLD / f"{slug}.json").read_text(encoding="utf-8"))
        for quote in _quotes(gold):
            assert len(view.find(quote)) == 1, (slug, quote)
        printed = numbers_in(view.packet.lines)
        for relation in gold["relations"]:
            for item in [*relation["controls"], *relation["readout"], *relation["parameters"]]:
                values = (item.get(key) for key in ("low", "high", "resolution", "value"))
                for value in (*values, item.get("uncertainty")):
                    assert value is None or is_printed(float(value), printed), (slug, value)


def _quotes(data: Any) -> list[str]:
    if isinstance(data, list):
        return [quote for item in data for quote in _quotes(item)]
    if not isinstance(data, dict):
        return []
    own = [data[key] for key in ("quote", "text", "sampling_quote") if key in data]
    return own + [quote for item in data.values() for quote in _quotes(item)]


@pytest.mark.parametrize("slug", ["0001", "0002", "0003", "0005", "0006", "0007", "0008"])
def test_gold_formulas_give_the_printed_tables(sample: dict[str, Judged], slug: str) -> None:
    one = sample[slug]
    assert one.read is not None
    ((case, _),) = one.gold
    columns = [item.symbol for item in case.draft.controls]
    columns += [item.symbol for item in case.draft.readouts]
    rows = _table(one.read[1].lines, len(columns))
    assert len(rows) == 7
    known: Any = {item.name: item.value for item in case.draft.parameters}
    for item in case.draft.definitions:
        known[item.name] = substitute(parse_infix(item.expression), known)
    for row in rows:
        at = dict(zip(columns, row, strict=True))
        for law in case.draft.relations:
            value = evaluate(substitute(parse_infix(law.expression), known), at)
            assert value == pytest.approx(at[law.readout], rel=0.13), (slug, law.readout, at)


def _table(lines: Sequence[str], width: int) -> list[list[float]]:
    """Rows of Table 1, set as TeX or as one number a line."""
    start = max(n for n, line in enumerate(lines) if "Table 1. " in line or "\\hline" in line)
    numbers: list[float] = []
    for line in lines[start + 1 :]:
        try:
            numbers.extend(float(cell) for cell in line.rstrip("\\ ").split("&"))
        except ValueError:
            if numbers:
                break
    return [numbers[at : at + width] for at in range(0, len(numbers), width)]


FATES = {
    "0001": ("runs", "review ok"),
    "0002": ("runs", "review ok"),
    "0003": ("runs", "review ok"),
    "0004": ("none", None),
    "0005": ("stopped", "gate dimension_mismatch"),
    "0006": ("runs", "review ok"),
    "0007": ("runs", "review ok"),
    "0008": ("runs", "review ok"),
    "0009": ("none", None),
}


@pytest.mark.parametrize("slug", FATES)
def test_readers_and_gates_say_what_gold_says_of_a_paper(
    sample: dict[str, Judged], slug: str
) -> None:
    one = sample[slug]
    verdict, fate = FATES[slug]
    assert one.verdict == verdict
    assert [card.fate for card in one.cards] == ([] if fate is None else [fate])
    assert one.executable == (verdict == "runs")


def test_every_fact_that_code_runs_is_read_right(sample: dict[str, Judged]) -> None:
    counts = tallied(
        fact for one in sample.values() for *_, facts in one.compared for fact in facts
    )
    assert set(counts) - {"overall"} <= set(FIELDS)
    for name, tally in counts.items():
        if name not in {"conditions", "overall"}:
            assert (tally.precision, tally.recall) == (1.0, 1.0), name
    sizes = {name: (tally.right, tally.in_draft, tally.in_gold) for name, tally in counts.items()}
    assert sizes["relation"] == (8, 8, 8)
    assert sizes["range ends"] == (34, 34, 34)
    assert sizes["parameter values"] == (31, 31, 31)
    assert sizes["conditions"] == (38, 39, 29)
    assert sizes["overall"] == (365, 366, 333)


def test_the_one_reversed_argument_slips_through(sample: dict[str, Judged]) -> None:
    ((slug, row),) = [(slug, row) for slug, one in sample.items() for row in mistakes(one)]
    assert (slug, row[0], row[-1]) == ("0008", "duckweed", SLIPPED)
    assert "relies on" in row[3]


def test_what_stops_the_misreadings_that_the_papers_invite(sample: dict[str, Judged]) -> None:
    found = [(trap.paper, trap.what.split()[0], codes) for trap, codes in sprung(sample)]
    assert found == [
        ("0001", "scatter", ()),
        ("0002", "ranges", ()),
        ("0002", "joint", ("condition_dropped",)),
        ("0003", "cost", ()),
        ("0004", "proportionality", ("formula_mismatch", "status_too_strong")),
        ("0004", "proportionality", ("formula_mismatch",)),
        ("0005", "misprinted", ("unit_not_anchored",)),
        ("0005", "the", ("unit_not_anchored",)),
    ]


def test_the_page_tells_these_figures(sample: dict[str, Judged]) -> None:
    page = (SAMPLE.parents[1] / "docs" / "readers.md").read_text(encoding="utf-8")
    counts = tallied(
        fact for one in sample.values() for *_, facts in one.compared for fact in facts
    )
    for name in ("overall", "conditions", "limitations", "range ends", "parameter uncertainty"):
        tally = counts[name]
        for figure in (f"{tally.right} of {tally.in_draft}", f"{tally.found} of {tally.in_gold}"):
            assert figure in page, (name, figure)
    for trap, codes in sprung(sample):
        assert f"| {trap.paper} |" in page
        assert all(f"`{code}`" in page for code in codes)
