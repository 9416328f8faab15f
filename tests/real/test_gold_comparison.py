"""The comparison with gold cards, on the sample: its papers, its replies, a gold card by hand."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gold import Judged, judge, mistakes, tallied
from benchmarks.gold_fields import plain_symbol

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

    def make(card: Change = _nothing, review: Change = _nothing, gold: Change = _nothing) -> Judged:
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
