"""Each asset check passes over the good store and fails on one seeded bad row."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from assets import packets as packet_assets
from assets import worlds as world_assets
from assets.resources import Engine
from lawsmith.gateways.store import Row, partitions_of, read_partition, write_partition
from lawsmith.runs.check_result import Looked
from lawsmith.stages import checks
from schemas.card import Card
from schemas.family import Family
from schemas.record import Record
from schemas.review import Review
from schemas.source import Paper, Publication
from schemas.task import PublicTask
from schemas.world import PairedWorld

if TYPE_CHECKING:
    from tests.conftest import Home, MainJob

SAMPLE = "temporal-sample"
RELEASE = "temporal-2026.10.0-sample"
Data = dict[str, Any]


def _change(home: "Home", table: str, kind: type[Record], change: Callable[[Data], object]) -> None:
    """Alter the first passed record of a table, its digest made again."""
    store = home.context().store
    for partition in partitions_of(store, table, SAMPLE):
        rows = read_partition(store, table, SAMPLE, partition)
        for n, row in enumerate(rows):
            if row.outcome == "passed":
                data = json.loads(row.record)
                change(data)
                del data["digest"], data["schema_version"]
                record = kind.model_validate_json(json.dumps(data))
                rows[n] = replace(row, record=record.to_json(), digest=record.digest)
                write_partition(store, table, SAMPLE, partition, rows)
                return
    raise AssertionError(table)


def _drop(home: "Home", table: str, which: Callable[[Row], bool]) -> None:
    store = home.context().store
    for partition in partitions_of(store, table, SAMPLE):
        rows = read_partition(store, table, SAMPLE, partition)
        write_partition(store, table, SAMPLE, partition, [row for row in rows if not which(row)])


def _unsupported(data: Data) -> None:
    data["criteria"][2]["verdict"] = "unsupported"


def _background(data: Data) -> None:
    data["background"] += " And more."


def _larger_value(data: Data) -> None:
    data["parameters"][0]["value"] *= 1.5


def _figure(data: Data) -> None:
    figures = next(item["figures"] for item in data["certificates"] if item["figures"])
    name = next(iter(figures))
    figures[name] += 1.0


def _week(data: Data) -> None:
    data["published"] = "2026-11-03T08:00:00Z"


def _no_dates(data: Data) -> None:
    data["journal_online"] = data["journal_print"] = None


def _no_digest(data: Data) -> None:
    data["relation_set_digest"] = "0" * 64


def _packet_byte(home: "Home") -> None:
    path = sorted(home.context().store.packets.glob("*.txt"))[0]
    path.write_bytes(path.read_bytes().replace(b"e", b"a", 1))


def _file_byte(home: "Home", folder: str) -> None:
    path = home.path / folder / RELEASE / "public" / "discovery.jsonl"
    if not path.is_file():
        path = sorted((home.path / folder / RELEASE / "public").rglob("*.jsonl"))[0]
    path.write_bytes(path.read_bytes().replace(b"e", b"a", 1))


def _score(home: "Home") -> None:
    path = home.path / "evaluations" / RELEASE / "scores.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join(lines[1:]), encoding="utf-8")


CASES: dict[str, tuple[Callable[[Any], Looked], Callable[["Home"], None], str]] = {
    "sources": (checks.sources, lambda h: _change(h, "sources", Paper, _week), "in partition"),
    "publications": (
        checks.publications,
        lambda h: _change(h, "publications", Publication, _no_dates),
        "without a journal date",
    ),
    "never looked up": (
        checks.publications,
        lambda h: _drop(h, "publications", lambda row: row.id == "sample:0001v1"),
        "never looked up",
    ),
    "packets": (checks.packets, _packet_byte, "other bytes"),
    "cards": (
        checks.cards,
        lambda h: _change(h, "cards", Card, _larger_value),
        "number_not_anchored",
    ),
    "card reviews": (
        checks.card_reviews,
        lambda h: _change(h, "reviews/card", Review, _unsupported),
        "formula is unsupported",
    ),
    "case reviews": (
        checks.case_reviews,
        lambda h: _change(h, "reviews/case", Review, _unsupported),
        "formula is unsupported",
    ),
    "families": (
        checks.families,
        lambda h: _change(h, "families", Family, _figure),
        "differs from the recomputed certificate",
    ),
    "worlds": (
        checks.worlds,
        lambda h: _change(h, "worlds", PairedWorld, _no_digest),
        "not that of the family",
    ),
    "one world": (
        checks.worlds,
        lambda h: _drop(h, "worlds", lambda row: row.id.endswith("original")),
        "only counterfactual",
    ),
    "tasks": (
        lambda context: checks.tasks(context.store),
        lambda h: _change(h, "tasks", PublicTask, _background),
        "differ in background text",
    ),
    "releases": (
        lambda context: checks.releases(context.store),
        lambda h: _file_byte(h, "releases"),
        "",
    ),
    "exports": (
        lambda context: checks.exports(context.store),
        lambda h: _file_byte(h, "exports"),
        "other bytes",
    ),
    "evaluations": (
        lambda context: checks.evaluations(context.store),
        _score,
        "played and not scored",
    ),
}


@pytest.mark.parametrize("name", [name for name in CASES if name not in {"never looked up"}])
def test_the_good_store_passes(name: str, main_job: "MainJob") -> None:
    looked = CASES[name][0](main_job.home.context())
    assert looked.faults == ()
    assert looked.rows > 0


@pytest.mark.parametrize("name", CASES)
def test_a_seeded_bad_row_is_found(name: str, home_copy: "Home") -> None:
    check, seed, said = CASES[name]
    seed(home_copy)
    faults = check(home_copy.context()).faults
    assert faults
    assert any(said in fault.what for fault in faults), faults


@pytest.fixture
def run_checks(home_copy: "Home") -> Callable[..., bool]:
    """Runs one asset check through Dagster."""

    def run(module: Any, asset: str, check: str) -> bool:
        key = dg.AssetCheckKey(dg.AssetKey.from_user_string(asset), check)
        definitions = dg.Definitions(
            asset_checks=dg.load_asset_checks_from_modules([module]),
            jobs=[dg.define_asset_job("checks", dg.AssetSelection.checks(key))],
            resources={"engine": Engine(source="sample")},
            executor=dg.in_process_executor,
        )
        with home_copy.entered():
            result = definitions.resolve_job_def("checks").execute_in_process()
        found = [
            item for item in result.get_asset_check_evaluations() if item.asset_check_key == key
        ]
        assert len(found) == 1
        assert {"rows looked at", "faults", "first faults"} <= found[0].metadata.keys()
        return found[0].passed

    return run


def test_dagster_shows_a_changed_packet(home_copy: "Home", run_checks: Callable[..., bool]) -> None:
    assert run_checks(packet_assets, "packets", "frozen")
    _packet_byte(home_copy)
    assert not run_checks(packet_assets, "packets", "frozen")


def test_dagster_shows_a_changed_world(home_copy: "Home", run_checks: Callable[..., bool]) -> None:
    assert run_checks(world_assets, "temporal/worlds", "paired")
    _change(home_copy, "worlds", PairedWorld, _no_digest)
    assert not run_checks(world_assets, "temporal/worlds", "paired")
