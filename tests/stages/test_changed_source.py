"""A source that changes under its id: the family forged from it is superseded, and it is said."""

import json
from typing import TYPE_CHECKING

import pytest

from lawsmith.cli import run
from lawsmith.inspection.explaining import explain
from lawsmith.inspection.sections import Section
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import all_dispositions, furthest_by_paper
from lawsmith.stages.supersession import counted, superseded_families
from schemas.source import Disposition

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Kit

WEEK, PAPER, CARD = "2026-10-05", "sample:0003", "sample:0003/r1"


def test_a_changed_source_supersedes_its_family(
    kit: "Kit", tmp_path: "Path", capsys: pytest.CaptureFixture[str]
) -> None:
    data = kit.copy_data(tmp_path / "data")
    data.only(PAPER)
    home = kit.home(tmp_path / "home", data)
    context = home.run_stages([WEEK])
    assert superseded_families(context) == []
    assert furthest_by_paper(_all(context))[f"{PAPER}v1"].stage == "worlds"

    sources = {path: path.read_text() for path in data.sample.rglob("sample-0003/*.tex")}
    for path, text in sources.items():
        assert text.strip()
        path.write_text(text.replace("1.45", "1.46"))
    later = home.later("2026-11-06T06:00:00Z").run_stages([WEEK])
    (one,) = superseded_families(later)
    assert (one.paper_id, one.card_id) == (PAPER, CARD)
    assert one.why.startswith("the paper's source changed under its id; the card is now rejected")
    stands = furthest_by_paper(counted(_all(later), [one]))[f"{PAPER}v1"]
    assert (stands.stage, stands.outcome) == ("cards", "rejected")
    with home.later("2026-11-06T06:00:00Z").entered():
        (section,) = (
            part
            for part in explain(later, PAPER)
            if isinstance(part, Section) and part.title == "Superseded families"
        )
        assert section.rows == ((one.id, one.why),)
        assert run(["status", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [row["family"] for row in told["superseded"]] == [one.id]
        assert {row["outcome"] for row in told["stages"] if row["stage"] == "worlds"} == {
            "superseded"
        }
        assert [row["stage"] for row in told["papers"]] == ["cards"]
        assert run(["status"]) == 0
        assert "1 family is superseded" in capsys.readouterr().out


def _all(context: StageContext) -> list[Disposition]:
    return all_dispositions(context.store, context.collection)
