"""A paper of arXiv from its first version through a revision to its retraction.

The servers are on loopback, the models' replies are those recorded for the sample's first
paper, filed under the ids that the paper has here; the second version's are edited alike.
"""

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from lawsmith.expressions import to_infix
from lawsmith.gateways.store import Row, read_partition
from lawsmith.inspection.card_pages import CardPage
from lawsmith.inspection.explaining import explain
from lawsmith.inspection.pictures import funnel_counts
from lawsmith.inspection.sections import Section
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import all_dispositions
from lawsmith.runs.opening import open_context
from lawsmith.stages import cards, families, packets, publications, reviews, sources, worlds
from lawsmith.stages.cuts import terms_of
from lawsmith.stages.eligibility import eligible_families
from lawsmith.stages.open_subjects import pending
from lawsmith.stages.packets import packet_file
from schemas.card import Card
from schemas.packet import Packet
from schemas.source import Disposition

if TYPE_CHECKING:
    from tests.conftest import DataFolder, Kit

ROOT = Path(__file__).resolve().parents[2]
WEEK, PAPER, CARD = "2026-10-05", "arxiv:2610.00001", "arxiv:2610.00001/r1"
DOI = "10.5555/drying.1"
TEX = (ROOT / "data" / "sample" / "tex" / "sample-0001" / "main.tex").read_text(encoding="utf-8")


def _load(name: str) -> ModuleType:
    loaded = f"loaded_{name}"
    if loaded not in sys.modules:
        path = ROOT / "tests" / "gateways" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(loaded, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[loaded] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[loaded])
    return sys.modules[loaded]


NET = _load("loopback_arxiv")
stub = NET.stub


def _revised(text: str) -> str:
    """The second version: the exponent of the air speed came out otherwise."""
    assert "0.62" in text
    return text.replace("0.62", "0.64")


def _work(**changes: object) -> dict[str, object]:
    return {
        "DOI": DOI,
        "type": "journal-article",
        "title": ["Drying of a slab"],
        "author": [{"family": "Author"}],
        "published-online": {"date-parts": [[2026, 10, 12]]},
        **changes,
    }


@dataclass
class Week:
    """The week of the paper, under a clock that a test sets."""

    data: "DataFolder"
    flags: dict[str, object]

    def record(self, *, second: bool = False) -> None:
        """File the recorded replies under this paper's ids."""
        lines = []
        for line in self.data.replies():
            if not line["subject_id"].startswith("sample:0001"):
                continue
            name = line["subject_id"].replace("sample:0001", PAPER)
            for version in (1, 2) if line["subject_kind"] == "packet" else (2 if second else 1,):
                text = _revised(line["text"]) if version == 2 else line["text"]
                filed = {**line, "subject_id": name.replace("v1/", f"v{version}/"), "text": text}
                lines.append(filed)
        folder = self.data.path / "revised"
        folder.mkdir(exist_ok=True)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / "replies.jsonl").write_text(text, encoding="utf-8")

    def retract_relation(self) -> None:
        """The reader of the second version finds no relation any more."""
        file = self.data.path / "revised" / "replies.jsonl"
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            if line["subject_kind"] == "packet" and f"{PAPER}v2/" in line["subject_id"]:
                line["text"] = json.dumps({"cards": [], "none_reason": "The fit was taken back."})
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        file.write_text(text, encoding="utf-8")

    def at(self, day: str) -> StageContext:
        return open_context(source="arxiv", flags=self.flags, clock=lambda: f"{day}T05:00:00Z")

    def read(self, day: str) -> StageContext:
        """Take the week from its sources to its worlds."""
        context = self.at(day)
        for stage in (
            sources.run,
            packets.run,
            cards.run,
            reviews.run_card,
            families.run_temporal,
            reviews.run_case,
            worlds.run_temporal,
        ):
            stage(context, [WEEK])
        return context


@pytest.fixture
def week(stub: Any, kit: "Kit", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Week:
    data = kit.copy_data(tmp_path / "data")
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LAWSMITH_DATA", str(data.path))
    base = f"http://127.0.0.1:{stub.port}"
    flags: dict[str, object] = {
        "arxiv.url": f"{base}/api/query",
        "arxiv.delay_seconds": 0.01,
        "crossref.url": base,
        "crossref.delay_seconds": 0.01,
        "contact_email": "curator@example.org",
        "models.extractor": "replay/revised",
        "models.reviewer": "replay/revised",
    }
    stub.entries = [NET.Entry("2610.00001", "2026-10-06T00:00:00Z", title="Drying of a slab")]
    stub.licences = {"2610.00001": NET.CC_BY}
    stub.works = {DOI: _work()}
    stub.files = {
        f"/src/2610.00001v{n}": (200, NET.packed(**{"ms.tex": text.encode()}), {})
        for n, text in ((1, TEX), (2, _revised(TEX)))
    }
    found = Week(data, flags)
    found.record()
    return found


def _rows(context: StageContext, table: str) -> dict[str, Row]:
    rows = read_partition(context.store, table, context.collection, WEEK)
    return {row.id: row for row in rows}


def _law(row: Row) -> str:
    return to_infix(Card.from_json(row.record).relations[0].expression)


def _eligible(context: StageContext) -> tuple[list[str], list[Disposition]]:
    cut = terms_of(
        context,
        version="2026.12.0",
        cutoff="2026-04-30",
        until="2026-12-31",
        allow_incomplete=False,
    )
    found, dispositions = eligible_families(context, cut)
    return [family.card_digest for family in found], dispositions


def test_a_revised_paper_is_read_again_and_a_retracted_one_is_out(week: Week, stub: Any) -> None:
    before = week.read("2026-10-15")
    publications.run(before)
    (old_packet,) = _rows(before, "packets").values()
    old = _rows(before, "cards")[CARD]
    assert (old.outcome, "0.62" in _law(old)) == ("passed", True)
    assert _eligible(before)[0] == [old.digest]
    assert pending(before, [WEEK]) == {}

    # The look-up finds the second version, so the week has work again.
    stub.entries[0].version = 2
    week.record(second=True)
    assert publications.run(week.at("2026-11-12")).figures["new_versions"] == 1
    assert "sources (not harvested whole)" in pending(week.at("2026-11-12"), [WEEK])[WEEK]
    after = week.read("2026-11-12")
    publications.run(after)
    assert pending(after, [WEEK]) == {}

    # Its card is the same case: the number stays, the law is that of the second version.
    (new_packet,) = (row for row in _rows(after, "packets").values() if row.id != old_packet.id)
    new = _rows(after, "cards")[CARD]
    assert set(_rows(after, "cards")) == {CARD}
    assert (new.outcome, new.extra["packet_id"]) == ("passed", new_packet.id)
    assert "0.64" in _law(new)
    assert _eligible(after)[0] == [new.digest]
    # What the first card was read from and what it said stay.
    assert _rows(after, "packets")[old_packet.id].record == old_packet.record
    frozen = packet_file(after.store, Packet.from_json(old_packet.record))
    assert "0.62" in frozen.read_text(encoding="utf-8")
    kept = read_partition(after.store, "superseded", after.collection, WEEK)
    (first,) = (row for row in kept if row.extra["stage"] == "cards")
    assert (first.record, first.extra["row_id"]) == (old.record, CARD)
    assert {row.extra["stage"] for row in kept} == {
        "cards",
        "reviews/card",
        "families",
        "reviews/case",
    }
    found = explain(after, PAPER)
    story = {section.title: section for section in found if isinstance(section, Section)}
    (page,) = (part for part in found if isinstance(part, CardPage))
    assert page.card_id == CARD
    (former,) = (title for title in story if title.startswith(f"Superseded card {CARD}"))
    assert story[former].rows[0][0] == "passed"
    decided = {(row[1], row[2]) for row in story[f"Decisions about {PAPER}"].rows}
    assert {("cards", old_packet.id), ("cards", new_packet.id)} <= decided
    # The first version ends at the card that another took the place of.
    assert funnel_counts(after) == {("cards", "passed"): 1, ("worlds", "passed"): 1}

    # The journal takes it back.
    stub.works = {DOI: _work(**{"updated-by": [{"type": "retraction", "DOI": "10.5555/n"}]})}
    later = week.at("2026-12-24")
    publications.run(later)
    families_left, dispositions = _eligible(later)
    assert families_left == []
    assert {item.reason_code.value for item in dispositions} == {"retracted"}
    stands = {
        (item.subject_id, item.reason_code.value)
        for item in all_dispositions(later.store, later.collection)
        if item.stage == "publications" and item.at.startswith("2026-12-24")
    }
    assert stands == {(f"{PAPER}v1", "retracted"), (f"{PAPER}v2", "retracted")}


def test_a_card_that_the_second_version_lacks_counts_no_more(week: Week, stub: Any) -> None:
    before = week.read("2026-10-15")
    publications.run(before)
    assert len(_eligible(before)[0]) == 1
    stub.entries[0].version = 2
    week.retract_relation()
    publications.run(week.at("2026-11-12"))
    after = week.read("2026-11-12")
    publications.run(after)
    found, dispositions = _eligible(after)
    assert found == []
    (out,) = (item for item in dispositions if item.subject_kind == "family")
    assert (out.outcome, out.reason_code.value) == ("rejected", "new_version")
    assert out.sentence == "version 2 of the paper was read and lacks this card"
    assert CARD in _rows(after, "cards")
