"""Outcomes that the recorded readers did not fall for, from replies edited in the test.

Every edit is stated where it is made, and its line names the model `… (edited)`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lawsmith.gateways.store import read_partition, write_partition
from lawsmith.inspection.explaining import explain
from lawsmith.stages.cuts import Plan, ask, plan_cut
from lawsmith.stages.eligibility import eligible_families
from lawsmith.stages.reviews import accepted_cards, forged_families

if TYPE_CHECKING:
    from tests.conftest import DataFolder, Home, Kit, MainJob

AUGUST, OCTOBER = "2026-08-24", "2026-10-05"
Data = dict[str, Any]


@pytest.fixture
def data(kit: "Kit", main_job: "MainJob", tmp_path: Path) -> "DataFolder":
    """A copy of the data that the main job ran over."""
    copy = kit.copy_data(tmp_path / "data")
    copy.write_replies(main_job.home.data.replies())
    return copy


@pytest.fixture
def home(main_job: "MainJob", data: "DataFolder", tmp_path: Path) -> "Home":
    """An empty home over the copy."""
    return type(main_job.home)(tmp_path / "fresh", data)


def _card(line: Data) -> Data:
    draft: Data = json.loads(line["text"])["cards"][0]
    return draft


def _reply(card: Data) -> str:
    return json.dumps({"cards": [card], "none_reason": None}, ensure_ascii=False)


def _rebuild(kit: "Kit", data: "DataFolder", paper: str, change: Callable[[str], str]) -> None:
    """Change the text of a sample paper and typeset it again."""
    text = data.sample / "text" / f"{paper}.txt"
    before = text.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    text.write_text(after, encoding="utf-8")
    build = kit.load(kit.root / "data" / "sample" / "build.py")
    (data.sample / "papers" / f"{paper}.pdf").write_bytes(build.build_pdf(paper, after))


def test_a_range_wider_than_the_fit_is_revised_once(
    kit: "Kit", data: "DataFolder", home: "Home"
) -> None:
    data.only("sample:0002")
    original = data.reply("extractor", "packet", "sample:0002v1")
    # Edit: the pressure's range is that of the loop, quoted from the abstract.
    card = _card(original)
    pressure = next(item for item in card["controls"] if item["name"] == "P")
    pressure |= {"low": 10, "high": 400}
    pressure["anchors"][1] = {
        "first_line": 7,
        "last_line": 9,
        "quote": "The test loop reaches transmembrane pressures from 10 kPa to 400 kPa",
        "support": "The range of pressures.",
    }
    data.edit(original, _reply(card))
    # Edit: the reviewer doubts the domain and says what to change.
    accepted = data.reply("reviewer", "card", "sample:0002/r1")
    verdicts = json.loads(accepted["text"])
    domain = next(item for item in verdicts["criteria"] if item["criterion"] == "domain")
    domain |= {"verdict": "unsupported", "reason": "runs outside 20 to 300 kPa were discarded"}
    verdicts |= {"decision": "revise", "changes": "P: give the range that entered the fit"}
    data.edit(accepted, json.dumps(verdicts))
    # Edit: the recorded reply is given as the revision, and the recorded review as its review.
    data.edit(
        original,
        original["text"],
        subject_kind="card",
        subject_id="sample:0002/r1",
        revision=1,
        round=1,
    )
    data.edit(accepted, accepted["text"], revision=1, round=2)

    context = home.run_stages([AUGUST])
    assert home.found("cards", "sample:0002v1").outcome == "passed"
    rows = read_partition(context.store, "reviews/card", context.collection, AUGUST)
    assert [(row.extra["decision"], row.extra["revision"]) for row in rows] == [
        ("revise", 0),
        ("accept", 1),
    ]
    assert all(str(row.extra["reviewer"]).endswith("(edited)") for row in rows)
    (card_as_accepted,) = accepted_cards(context, AUGUST)
    assert card_as_accepted.revision == 1
    (family,) = forged_families(context, AUGUST)
    assert family.card_digest == card_as_accepted.digest
    assert home.found("worlds", "sample:0002/r1/f1").outcome == "passed"
    assert any("revise" in str(section.as_data()) for section in explain(context, "sample:0002/r1"))


def _anchor(quote: str, first: int, last: int) -> list[Data]:
    return [{"first_line": first, "last_line": last, "quote": quote, "support": "Said there."}]


def _froth_card(kit: "Kit", data: "DataFolder", status: str) -> Data:
    """Edit of the card of 0002: the relation of 0004 claimed as an equality."""
    packet = kit.packet_of(data, "sample:0004v1")

    def at(quote: str) -> list[Data]:
        words = quote.split()
        for first in range(len(packet.lines)):
            for last in range(first, min(first + 3, len(packet.lines))):
                if " ".join(words) in " ".join(" ".join(packet.lines[first : last + 1]).split()):
                    return _anchor(quote, first + 1, last + 1)
        raise AssertionError(quote)

    def parameter(name: str, value: float, unit: str, role: str, quote: str) -> Data:
        return {
            "name": name,
            "symbol": name,
            "meaning": "Scale of the froth height" if role == "fitted" else "Reference setting",
            "value": value,
            "unit": unit,
            "uncertainty": None,
            "role": role,
            "fixed": True,
            "derivation": None,
            "universal_constant": None,
            "anchors": at(quote),
        }

    def control(name: str, meaning: str, unit: str, low: float, high: float, quote: str) -> Data:
        return {
            "name": name,
            "symbol": name,
            "meaning": meaning,
            "unit": unit,
            "low": low,
            "high": high,
            "choices": None,
            "inert": False,
            "anchors": at(quote),
        }

    card = _card(data.reply("extractor", "packet", "sample:0002v1"))
    blank: Data = {key: [] for key, value in card.items() if isinstance(value, list)}
    equality = "H = 40 (U/U0)^0.42 (c/c0)^0.31 mm, with U0 = 1 mm/s and c0 = 1 g/L"
    return {
        **card,
        **blank,
        "title": "Froth height over gas velocity and surfactant",
        "relations": [
            {
                "readout": "H",
                "expression": "H0*(U/U0)^0.42*(c/c0)^0.31",
                "status": status,
                "origin": "fitted_here",
                "anchors": at(equality),
            }
        ],
        "controls": [
            control("U", "Superficial gas velocity", "mm/s", 2, 30, "2 mm/s to 30 mm/s"),
            control("c", "Surfactant concentration", "g/L", 0.1, 2, "0.1 g/L to 2 g/L"),
        ],
        "readouts": [
            {
                "name": "H",
                "symbol": "H",
                "definition": "Distance from liquid level to froth top, a mean over 15 min",
                "unit": "mm",
                "resolution": None,
                "uncertainty": None,
                "uncertainty_kind": None,
                "anchors": at("averaged over 15 min of video"),
            }
        ],
        "parameters": [
            parameter("H0", 40, "mm", "fitted", equality),
            parameter("U0", 1, "mm/s", "reference", "with U0 = 1 mm/s"),
            parameter("c0", 1, "g/L", "reference", "c0 = 1 g/L"),
        ],
        "sampling": "cartesian",
        "sampling_anchors": at("five concentrations were crossed in full"),
    }


def test_an_equality_beside_a_proportionality_does_not_get_through(
    kit: "Kit", data: "DataFolder", home: "Home"
) -> None:
    data.only("sample:0004")
    original = data.reply("extractor", "packet", "sample:0004v1")
    data.edit(original, _reply(_froth_card(kit, data, "fitted")))
    home.run_stages([AUGUST])
    # The anchored lines call it a proportionality, so no reader has to be asked.
    assert home.found("cards", "sample:0004v1").reason_code == "status_too_strong"
    assert forged_families(home.context(), AUGUST) == []


def test_a_number_changed_in_the_paper_stops_the_old_card(
    kit: "Kit", data: "DataFolder", home: "Home"
) -> None:
    data.only("sample:0002")
    old = home.run_stages([AUGUST])
    assert [family.id for family in forged_families(old, AUGUST)] == ["sample:0002/r1/f1"]
    _rebuild(kit, data, "sample-0002", lambda text: text.replace("$c_g$ = 48", "$c_g$ = 43"))
    after = home.later("2026-11-06T06:00:00Z")
    context = after.run_stages([AUGUST])
    found = after.found("cards", "sample:0002v1")
    # The number stands in its quote, so that the quote is the first thing not found.
    assert (found.outcome, found.reason_code) == ("rejected", "quote_not_found")
    (row,) = read_partition(context.store, "cards", context.collection, AUGUST)
    assert "number_not_anchored" in str(row.extra["reasons"])
    assert "packet_changed" in found.sentence
    # What was built from the old text does not stand any more, in the same home.
    assert accepted_cards(context, AUGUST) == []
    assert forged_families(context, AUGUST) == []


def test_a_number_the_quote_does_not_hold_is_caught_by_the_number_gate(
    kit: "Kit", data: "DataFolder", home: "Home"
) -> None:
    data.only("sample:0002")
    original = data.reply("extractor", "packet", "sample:0002v1")
    # Edit: the quote of cg stops before its number, so that it is found in the changed paper.
    quote = "the decay concentration is cg"
    text = original["text"].replace(f"{quote} = 48 ± 1 g/L", quote)
    assert text != original["text"]
    data.edit(original, text)
    _rebuild(kit, data, "sample-0002", lambda text: text.replace("$c_g$ = 48", "$c_g$ = 43"))
    home.run_stages([AUGUST])
    found = home.found("cards", "sample:0002v1")
    assert (found.outcome, found.reason_code) == ("rejected", "number_not_anchored")
    assert "packet_changed" in found.sentence


def test_an_altered_quote_is_not_found(data: "DataFolder", home: "Home") -> None:
    data.only("sample:0001")
    original = data.reply("extractor", "packet", "sample:0001v1")
    # Edit: one word of the relation's first quote is put in another's place.
    card = _card(original)
    anchor = card["relations"][0]["anchors"][0]
    anchor["quote"] = f"{anchor['quote']} without exception"
    data.edit(original, _reply(card))
    home.run_stages([OCTOBER])
    found = home.found("cards", "sample:0001v1")
    assert (found.outcome, found.reason_code) == ("rejected", "quote_not_found")


def test_a_withdrawn_card_leaves_the_next_cut(home_copy: "Home") -> None:
    context = home_copy.context()

    def planned() -> Plan:
        return plan_cut(context, series="2026.10", cutoff="2026-04-30", until="2026-10-31")

    before = planned()
    assert before.standing == context.store.releases / "temporal-2026.10.0-sample"
    taken = eligible_families(context, before.cut)[0][0]
    context.store.overrides.write_text(
        f'[[decision]]\nsubject = "{taken.card_id}"\naction = "withdraw"\n'
        'reason = "the authors corrected the fit"\nby = "A. Curator"\n',
        encoding="utf-8",
    )
    plan = planned()
    assert plan.standing is None
    assert plan.families == before.families - 1
    assert plan.cut.id == "temporal-2026.10.1-sample"
    assert plan.cut.parents == ("temporal-2026.10.0-sample",)
    assert plan.cut.reason
    ask(context, plan.cut)
    kept, dispositions = eligible_families(context, plan.cut)
    assert taken.id not in {family.id for family in kept}
    (out,) = [item for item in dispositions if item.reason_code == "overridden"]
    assert (out.subject_id, out.outcome) == (taken.id, "rejected")
    assert "A. Curator" in out.sentence


def test_a_second_version_takes_the_card_over(data: "DataFolder", home: "Home") -> None:
    data.only("sample:0001")
    home.run_stages([OCTOBER])
    # Edit: the paper is listed as version 2, with the same files.
    path = data.sample / "metadata.jsonl"
    line = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(line | {"version": 2}) + "\n", encoding="utf-8")
    first = data.reply("extractor", "packet", "sample:0001v1")
    subject = first["subject_id"].replace("v1/", "v2/")
    data.edit(first, first["text"], subject_id=subject)
    context = home.later("2026-11-06T06:00:00Z").run_stages([OCTOBER])
    rows = read_partition(context.store, "cards", context.collection, OCTOBER)
    assert [(row.id, row.extra["version"]) for row in rows] == [("sample:0001/r1", 2)]
    assert [card.version for card in accepted_cards(context, OCTOBER)] == [2]
    assert len(forged_families(context, OCTOBER)) == 1
    assert not write_partition(context.store, "cards", context.collection, OCTOBER, rows)
