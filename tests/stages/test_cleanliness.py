"""What a release says of each player: whether all its papers appeared after the cutoff."""

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from lawsmith.stages.cuts import cut_of
from lawsmith.stages.releases import content_of

if TYPE_CHECKING:
    from tests.conftest import DataFolder, Home, Kit, MainJob

STANDING = "temporal-2026.10.0-sample"


def _first_day(data: "DataFolder", papers: set[str]) -> date:
    """The earliest day that the metadata give for anything of some papers; all are whole days."""
    days = []
    for text in (data.sample / "metadata.jsonl").read_text(encoding="utf-8").split("\n"):
        line = json.loads(text or "{}")
        if line.get("id") in papers:
            days += [line["published"][:10], *(x["posted"] for x in line["related_preprints"])]
            days += [day for day in (line["journal_online"], line["journal_print"]) if day]
    return min(date.fromisoformat(day) for day in days if len(day) == 10)


def _told(home: "Home", players: Path) -> dict[str, tuple[str, bool | None]]:
    linked = home.data.path / "players.yaml"
    linked.unlink()
    linked.write_bytes(players.read_bytes())
    context = home.context()
    found = content_of(context, cut_of(context, STANDING)).cleanliness
    assert all(item.source for item in found)
    return {item.player: (item.cutoff, item.clean) for item in found}


def test_a_release_is_clean_for_a_player_only_after_its_cutoff(
    main_job: "MainJob", home_copy: "Home", kit: "Kit", tmp_path: Path
) -> None:
    home = replace(home_copy, data=kit.copy_data(tmp_path / "data"))
    context = home.context()
    families = content_of(context, cut_of(context, STANDING)).families
    first = _first_day(home.data, {str(family.paper_id) for family in families})
    before = first - timedelta(days=1)
    cutoffs = {
        "the day before": before.isoformat(),
        "the day itself": first.isoformat(),
        "the month before": (first.replace(day=1) - timedelta(days=1)).isoformat()[:7],
        "a month to its last day": first.isoformat()[:7],
        "the year": first.isoformat()[:4],
        "unknown": None,
    }
    players = tmp_path / "players.yaml"
    listed = [{"name": name, "cutoff": day, "source": "made up"} for name, day in cutoffs.items()]
    players.write_text(yaml.safe_dump({"players": listed}), encoding="utf-8")
    assert {name: clean for name, (_, clean) in _told(home, players).items()} == {
        "the day before": True,
        "the day itself": False,
        "the month before": True,
        "a month to its last day": False,
        "the year": False,
        # What is not known never counts as clean.
        "unknown": None,
    }


def test_every_listed_player_has_a_source_and_a_date_or_none(kit: "Kit") -> None:
    text = (kit.root / "data" / "players.yaml").read_text(encoding="utf-8")
    players = yaml.safe_load(text)["players"]
    assert len({item["name"] for item in players}) == len(players)
    for item in players:
        assert set(item) == {"name", "cutoff", "source"}
        assert len(item["source"]) > 20
        if item["cutoff"] is not None:
            year, *rest = item["cutoff"].split("-")
            date(int(year), *(int(part) for part in (*rest, "1", "1")[:2]))
