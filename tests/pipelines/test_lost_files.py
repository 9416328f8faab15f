"""Whatever derived file of a store is deleted or damaged, the same job gives it back."""

import shutil
from typing import TYPE_CHECKING

import pytest

from lawsmith.errors import IntegrityError, PrerequisiteError, ReleaseConflictError
from lawsmith.gateways.store import TABLES, Store, partitions_of, read_partition
from lawsmith.release.bundle import thaw, verify_release
from lawsmith.stages.cuts import cut_of
from lawsmith.stages.store_damage import refuse_lost_rows

if TYPE_CHECKING:
    from pipelines.main_job import Outcome
    from tests.conftest import Home, Kit

TEMPORAL, HISTORICAL = "temporal-2026.10.0-sample", "historical-1.0.0-dev"
WITH_PROBLEMS = "historical-1.0.1-dev"
WEEK = "2026-08-24"
COLLECTIONS = ("temporal-sample", "historical-dev")

OF_TABLES = [
    *(
        f"tables/{table}/temporal-sample/{WEEK}.parquet"
        for table in ("sources", "packets", "cards", "reviews/card", "reviews/case", "worlds")
    ),
    *(
        f"tables/dispositions/temporal-sample/{stage}.{WEEK}.parquet"
        for stage in (
            "sources", "packets", "cards", "reviews-card", "families", "reviews-case", "worlds"
        )
    ),
    "tables/publications/temporal-sample/all.parquet",
    "tables/dispositions/temporal-sample/publications.all.parquet",
    "tables/families/historical-dev/all.parquet",
    "tables/worlds/historical-dev/all.parquet",
    "tables/problems/historical-dev/all.parquet",
    "tables/worlds/historical-dev/calibrated.parquet",
    "tables/dispositions/historical-dev/problems.all.parquet",
    "tables/dispositions/historical-dev/families.all.parquet",
    "tables/dispositions/historical-dev/worlds.all.parquet",
    f"tables/dispositions/temporal-sample/tasks.{TEMPORAL}.parquet",
    *(
        f"tables/{table}/temporal-sample/{TEMPORAL}.parquet"
        for table in ("tasks", "releases", "exports", "evaluations")
    ),
    f"tables/tasks/historical-dev/{HISTORICAL}.parquet",
    f"tables/releases/historical-dev/{WITH_PROBLEMS}.parquet",
]  # fmt: skip
OF_FOLDERS = [
    f"exports/{TEMPORAL}",
    f"evaluations/{TEMPORAL}",
    f"evaluations/{TEMPORAL}/episodes.jsonl",
    f"evaluations/{TEMPORAL}/scores.jsonl",
    f"evaluations/{HISTORICAL}/report/report.md",
    "lawsmith.duckdb",
    "packets/*0001v1*",
]
AT_ONCE = [
    f"tables/families/temporal-sample/{WEEK}.parquet",
    f"tables/cuts/historical-dev/{HISTORICAL}.parquet",
    f"exports/{HISTORICAL}/public/README.md",
]


def held(home: "Home") -> dict[tuple[str, ...], str]:
    """Every row of every table by its digest, and every other file that the job made."""
    store = home.context().store
    found: dict[tuple[str, ...], str] = {
        (table, collection, partition, row.id): row.digest
        for table in TABLES
        for collection in COLLECTIONS
        for partition in partitions_of(store, table, collection)
        for row in read_partition(store, table, collection, partition)
    }
    found |= {
        (str(path.relative_to(home.path)),): ""
        for folder in ("packets", "exports", "evaluations", "releases")
        for path in (home.path / folder).rglob("*")
        if path.is_file()
    }
    return found | {("lawsmith.duckdb",): str(store.catalogue.is_file())}


def again(home: "Home", kit: "Kit") -> "Outcome":
    """The main job once more, a day later."""
    later = home.later("2026-11-06T06:00:00Z")
    with later.entered():
        module = kit.load(kit.root / "tests" / "pipelines" / "run_main_job.py")
        outcome: Outcome = module.run_main_job(at=later.at)
    return outcome


def delete(home: "Home", name: str) -> None:
    (path,) = home.path.glob(name)
    if path.is_dir():
        thaw(path)
        shutil.rmtree(path)
    else:
        path.parent.chmod(0o755)
        path.unlink()


@pytest.mark.parametrize(
    "name",
    [
        *AT_ONCE,
        *(pytest.param(name, marks=pytest.mark.long) for name in (*OF_TABLES, *OF_FOLDERS)),
    ],
)
def test_a_deleted_file_is_made_again_and_nothing_else_changes(
    home_copy: "Home", kit: "Kit", name: str
) -> None:
    before = held(home_copy)
    delete(home_copy, name)
    outcome = again(home_copy, kit)
    assert held(home_copy) == before
    assert [new for _path, new in outcome.releases] == [False, False]


@pytest.mark.long
def test_a_damaged_partition_is_set_aside_and_made_again(home_copy: "Home", kit: "Kit") -> None:
    before = held(home_copy)
    path = home_copy.path / f"tables/cards/temporal-sample/{WEEK}.parquet"
    path.write_bytes(path.read_bytes()[:300])
    outcome = again(home_copy, kit)
    assert held(home_copy) == before
    assert path.with_suffix(".damaged").is_file()
    assert any(f"cards {WEEK}" in note for note in outcome.notes)


def test_a_cut_is_refused_while_rows_are_gone(home_copy: "Home") -> None:
    context = home_copy.context()
    refuse_lost_rows(context)
    delete(home_copy, f"tables/families/temporal-sample/{WEEK}.parquet")
    with pytest.raises(PrerequisiteError, match=f"families of {WEEK}"):
        refuse_lost_rows(context)


@pytest.mark.long
def test_a_deleted_release_is_cut_again_with_its_id_and_content(
    home_copy: "Home", kit: "Kit"
) -> None:
    store = home_copy.context().store
    before = content_digest(store)
    folder = store.releases / TEMPORAL
    thaw(folder)
    shutil.rmtree(folder)
    outcome = again(home_copy, kit)
    assert outcome.releases[-1] == (folder, True)
    assert content_digest(store) == before
    assert verify_release(folder) == []
    assert again(home_copy, kit).runs == []


def test_a_damaged_release_is_named_with_what_to_do(home_copy: "Home", kit: "Kit") -> None:
    path = home_copy.path / "releases" / WITH_PROBLEMS / "sealed" / "keys.jsonl"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IntegrityError, match=r"keys\.jsonl .*put the folder back from a copy"):
        again(home_copy, kit)


def test_a_release_that_is_gone_never_comes_back_with_other_content(
    home_copy: "Home",
) -> None:
    """Its families changed meanwhile: the next number, and its own is refused."""
    from lawsmith.stages import releases, tasks
    from lawsmith.stages.cuts import plan_cut

    with home_copy.entered():
        context = home_copy.context(WITH_PROBLEMS)
        home_copy.path.joinpath("overrides.toml").write_text(
            '[[decision]]\nsubject = "kleiber_metabolism"\naction = "withdraw"\n'
            'by = "curator"\nreason = "it is a test"\n',
            encoding="utf-8",
        )
        delete(home_copy, f"releases/{WITH_PROBLEMS}")
        plan = plan_cut(context, series="1.0", cutoff=None, until=None)
        assert (plan.cut.version, plan.cut.parents) == ("1.0.2-dev", (WITH_PROBLEMS,))
        tasks.run(context, cut_of(context, WITH_PROBLEMS).id)
        with pytest.raises(ReleaseConflictError, match="is gone"):
            releases.run(context, WITH_PROBLEMS)


def content_digest(store: Store) -> object:
    (row,) = read_partition(store, "releases", "temporal-sample", TEMPORAL)
    return row.extra["content_digest"]
