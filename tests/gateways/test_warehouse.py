"""The store: partitions, catalogue, locks, keys, run logs."""

import hashlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.errors import InputError, IntegrityError, LockHeldError, PrerequisiteError
from lawsmith.gateways.store import (
    TABLES,
    Row,
    RunLog,
    Store,
    catalogue_lock,
    collection_key,
    columns_of,
    has_partition,
    partition_lock,
    partitions_of,
    query,
    read_partition,
    read_table,
    rebuild_catalogue,
    row_of,
    set_aside_if_damaged,
    write_partition,
)
from schemas.source import Disposition, ReasonCode

ROOT = Path(__file__).resolve().parents[2]
WEEK = "2026-10-05"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "it's a [very] odd home")


def _family(name: str, *, partition: str = WEEK, collection: str = "temporal-sample") -> Row:
    extra = dict.fromkeys(columns_of("families")) | {"card_id": f"{name}/r1", "controls": 2}
    return Row(
        id=f"{name}/r1/f1",
        paper_id=name,
        collection=collection,
        partition=partition,
        outcome="passed",
        reason_code="ok",
        digest=hashlib.sha256(name.encode()).hexdigest(),
        schema_version=1,
        code_version="0.1.0",
        record='{"a":1}',
        extra=extra,
    )


def test_open_makes_every_folder(store: Store) -> None:
    names = {path.name for path in store.home.iterdir()}
    expected = "dagster packets tables releases exports evaluations keys locks runs"
    assert names == set(expected.split())
    assert store.ledger.name == "ledger.sqlite"
    assert store.catalogue.name == "lawsmith.duckdb"
    assert store.overrides.name == "overrides.toml"


def test_open_refuses_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(PrerequisiteError, match="LAWSMITH_HOME"):
        Store.open(tmp_path / "file" / "home")


def test_rows_come_back_as_written_and_sorted(store: Store) -> None:
    rows = [_family("sample:0002"), _family("sample:0001")]
    assert write_partition(store, "families", "temporal-sample", WEEK, rows)
    assert read_partition(store, "families", "temporal-sample", WEEK) == rows[::-1]
    assert read_partition(store, "families", "temporal-sample", "2026-10-12") == []


def test_writing_the_same_rows_again_changes_nothing(store: Store) -> None:
    rows = [_family("sample:0001"), _family("sample:0002")]
    write_partition(store, "families", "temporal-sample", WEEK, rows)
    path = store.tables / "families" / "temporal-sample" / f"{WEEK}.parquet"
    before = path.stat().st_ino
    assert not write_partition(store, "families", "temporal-sample", WEEK, rows[::-1])
    assert path.stat().st_ino == before
    assert write_partition(store, "families", "temporal-sample", WEEK, rows[:1])
    assert len(read_partition(store, "families", "temporal-sample", WEEK)) == 1
    assert [item.name for item in path.parent.iterdir()] == [path.name]


def test_bytes_do_not_depend_on_process_or_hash_seed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]);"
        "import test_warehouse as t; from lawsmith.gateways.store import *;"
        "s = Store.open(Path(sys.argv[1]));"
        "write_partition(s, 'families', 'temporal-sample', t.WEEK,"
        " [t._family(f'sample:{n:04}') for n in range(50)])"
    )
    digests = set()
    for seed in ("1", "2"):
        home = tmp_path / seed
        subprocess.run(
            [sys.executable, "-c", code, str(home), str(Path(__file__).parent)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        )
        path = home / "tables" / "families" / "temporal-sample" / f"{WEEK}.parquet"
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1


def test_read_table_goes_over_all_partitions(store: Store) -> None:
    for week, name in (("2026-10-12", "sample:0001"), (WEEK, "sample:0002")):
        rows = [_family(name, partition=week)]
        write_partition(store, "families", "temporal-sample", week, rows)
    assert partitions_of(store, "families", "temporal-sample") == [WEEK, "2026-10-12"]
    found = read_table(store, "families", "temporal-sample")
    assert [row.paper_id for row in found] == ["sample:0001", "sample:0002"]
    assert read_table(store, "families", "historical") == []


def test_an_empty_partition_is_a_file_with_the_whole_schema(store: Store) -> None:
    write_partition(store, "reviews/card", "temporal", WEEK, [])
    path = store.tables / "reviews" / "card" / "temporal" / f"{WEEK}.parquet"
    names = pq.read_schema(path).names
    assert names[:2] == ["id", "paper_id"]
    assert names[-1] == "record"
    assert "decision" in names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"partition": "2026-10-12"}, "belongs to"),
        ({"extra": {"card": "x"}}, r"no filter columns \['card'\]"),
        (
            {"extra": {**dict.fromkeys(columns_of("families")), "controls": "2"}},
            "controls: '2' is not of the column's type",
        ),
        (
            {"extra": {**dict.fromkeys(columns_of("families")), "controls": True}},
            "controls: True is not",
        ),
    ],
)
def test_a_row_that_does_not_fit_is_refused(
    store: Store, change: dict[str, object], message: str
) -> None:
    row = Row(**{**vars(_family("sample:0001")), **change})
    with pytest.raises(InputError, match=message):
        write_partition(store, "families", "temporal-sample", WEEK, [row])
    assert partitions_of(store, "families", "temporal-sample") == []


def test_an_id_twice_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="stands twice"):
        write_partition(store, "families", "temporal-sample", WEEK, [_family("sample:0001")] * 2)


def test_a_stage_may_keep_its_share_of_a_week_apart(store: Store) -> None:
    row = _family("sample:0001")
    write_partition(store, "families", "temporal-sample", f"cards@{WEEK}", [row])
    assert read_partition(store, "families", "temporal-sample", f"cards@{WEEK}") == [row]
    assert read_table(store, "families", "temporal-sample") == [row]


def test_a_column_left_out_is_null(store: Store) -> None:
    row = Row(**{**vars(_family("sample:0001")), "extra": {"title": "x"}})
    write_partition(store, "families", "temporal-sample", WEEK, [row])
    (found,) = read_partition(store, "families", "temporal-sample", WEEK)
    assert found.extra == {**dict.fromkeys(columns_of("families")), "title": "x"}


@pytest.mark.parametrize("partition", ["../x", "a/b", "", ".hidden", "a|b"])
def test_a_partition_name_stays_in_its_folder(store: Store, partition: str) -> None:
    with pytest.raises(InputError, match="partition"):
        read_partition(store, "families", "temporal", partition)


def test_an_unknown_table_names_its_neighbours(store: Store) -> None:
    with pytest.raises(InputError, match="did you mean families"):
        read_table(store, "famlies", "temporal")


def test_a_damaged_partition_is_named(store: Store) -> None:
    write_partition(store, "cards", "temporal", WEEK, [])
    path = store.tables / "cards" / "temporal" / f"{WEEK}.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(IntegrityError, match=WEEK):
        read_partition(store, "cards", "temporal", WEEK)


@given(st.data())
def test_damage_of_any_kind_is_an_error_of_its_own_or_changes_no_row(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    store = Store.open(tmp_path_factory.mktemp("damaged"))
    rows = [_family(f"sample:{n:04d}/r1/f1") for n in range(12)]
    write_partition(store, "families", "temporal-sample", WEEK, rows)
    path = store.tables / "families" / "temporal-sample" / f"{WEEK}.parquet"
    whole = read_partition(store, "families", "temporal-sample", WEEK)
    found = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(found) - 1))
    kind = data.draw(st.sampled_from(["cut short", "bits flipped", "zeroed", "emptied"]))
    if kind == "cut short":
        del found[at:]
    elif kind == "bits flipped":
        for _ in range(3):
            found[data.draw(st.integers(0, len(found) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    elif kind == "zeroed":
        length = min(data.draw(st.integers(1, 4096)), len(found) - at)
        found[at : at + length] = bytes(length)
    else:
        found.clear()
    path.write_bytes(found)
    try:
        found_rows = read_partition(store, "families", "temporal-sample", WEEK)
    except IntegrityError:
        return
    assert found_rows == whole


def test_a_damaged_partition_is_set_aside(store: Store) -> None:
    write_partition(store, "families", "temporal-sample", WEEK, [_family("sample:0001/r1/f1")])
    assert has_partition(store, "families", "temporal-sample", WEEK)
    assert set_aside_if_damaged(store, "families", "temporal-sample", WEEK) is None
    path = store.tables / "families" / "temporal-sample" / f"{WEEK}.parquet"
    path.write_bytes(path.read_bytes()[:200])
    said = set_aside_if_damaged(store, "families", "temporal-sample", WEEK)
    assert said is not None
    assert str(path.with_suffix(".damaged")) in said
    assert not has_partition(store, "families", "temporal-sample", WEEK)
    assert partitions_of(store, "families", "temporal-sample") == []
    assert set_aside_if_damaged(store, "families", "temporal-sample", WEEK) is None


def test_a_record_becomes_a_row_and_comes_back(store: Store) -> None:
    record = Disposition(
        id="sample:0001v1/cards",
        subject_kind="paper",
        subject_id="sample:0001v1",
        stage="cards",
        digest_judged="0" * 64,
        release_id=None,
        paper_id="sample:0001",
        version=1,
        outcome="rejected",
        reason_code=ReasonCode.UNKNOWN_UNIT,
        sentence="the unit 'blob' is unknown",
        retryable=False,
        attempts=1,
        at="2026-11-30T00:00:00Z",
    )
    data = record.model_dump(mode="json")
    row = row_of(
        record,
        collection="temporal-sample",
        partition=WEEK,
        code_version="0.1.0",
        paper_id=record.paper_id,
        outcome=record.outcome,
        reason_code=record.reason_code,
        extra={name: data[name] for name in columns_of("dispositions")},
    )
    write_partition(store, "dispositions", "temporal-sample", WEEK, [row])
    (found,) = read_partition(store, "dispositions", "temporal-sample", WEEK)
    assert Disposition.from_json(found.record) == record
    assert found.reason_code == "unknown_unit"
    assert found.extra["retryable"] is False
    rebuild_catalogue(store)
    answer = query(store, "select stage, reason_code, count(*) from dispositions group by all")
    assert answer.rows == (("cards", "unknown_unit", 1),)


# --- catalogue --------------------------------------------------------------------------------


def test_every_table_has_a_view_even_when_empty(store: Store) -> None:
    views = rebuild_catalogue(store)
    assert {name.replace("/", "_") for name in TABLES} <= set(views)
    assert query(store, "select * from reviews_case").rows == ()
    assert "decision" in query(store, "from reviews_case").columns


def test_a_view_unites_collections_and_later_partitions(store: Store) -> None:
    for collection in ("temporal-sample", "temporal"):
        rows = [_family("sample:0001", collection=collection)]
        write_partition(store, "families", collection, WEEK, rows)
    rebuild_catalogue(store)
    sql = "select collection, controls from families order by collection"
    assert query(store, sql).rows == (("temporal", 2), ("temporal-sample", 2))
    later = [_family("sample:0003", partition="2026-10-12")]
    write_partition(store, "families", "temporal-sample", "2026-10-12", later)
    assert query(store, "select count(*) from families").rows == ((3,),)


def test_a_partition_older_than_a_filter_column_reads_as_null(store: Store) -> None:
    write_partition(store, "families", "temporal-sample", WEEK, [_family("sample:0001")])
    path = store.tables / "families" / "temporal-sample" / f"{WEEK}.parquet"
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["stratum"]), path)
    (row,) = read_partition(store, "families", "temporal-sample", WEEK)
    assert row.extra["stratum"] is None
    rebuild_catalogue(store)
    assert query(store, "select stratum, controls from families").rows == ((None, 2),)


def test_public_files_of_releases_have_views(store: Store) -> None:
    for version in ("temporal-0.1.0-sample", "temporal-0.2.0-sample"):
        public = store.releases / version / "public"
        public.mkdir(parents=True)
        write_partition(store, "families", "temporal-sample", WEEK, [_family("sample:0001")])
        source = store.tables / "families" / "temporal-sample" / f"{WEEK}.parquet"
        (public / "discovery.parquet").write_bytes(source.read_bytes())
    assert "released_discovery" in rebuild_catalogue(store)
    found = query(store, "select release_folder from released_discovery order by 1").rows
    assert found == (("temporal-0.1.0-sample",), ("temporal-0.2.0-sample",))


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to 'x.csv'",
        "create table z (i int)",
        "select 1; select 2",
        "attach 'q.db'",
        "set enable_external_access = true",
        "install httpfs",
        "pragma database_list",
        "select nothing from families",
        "not sql",
        "",
    ],
)
def test_only_one_reading_statement_is_taken(store: Store, sql: str) -> None:
    rebuild_catalogue(store)
    with pytest.raises(InputError, match="sql"):
        query(store, sql)


def test_a_query_reads_no_file_outside_tables_and_releases(store: Store) -> None:
    key = store.keys / "temporal"
    key.write_text("secret")
    rebuild_catalogue(store)
    for path in (key, store.tables / ".." / "keys" / "temporal"):
        name = str(path).replace("'", "''")
        with pytest.raises(InputError, match="Cannot access"):
            query(store, f"select * from read_text('{name}')")


def _state(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "sql",
    [
        "explain analyze copy (select 1 a) to '{card}' (format parquet)",
        "explain (analyze) copy (select 1 a) to '{card}' (format parquet)",
        "EXPLAIN /* x */ ANALYZE copy (select 1 a) to '{home}/tables/new.csv'",
        "copy (select 1 a) to '{card}' (format parquet)",
        "copy cards to '{home}/tables/new.csv'",
        "explain analyze create temp table x as select 1",
        "explain analyze create temp view x as select 1",
        "explain analyze checkpoint",
        "explain analyze call checkpoint()",
        "explain analyze prepare x as select 1",
        "explain analyze load json",
        "explain analyze set threads = 1",
        "explain analyze select 1",
        "explain copy (select 1) to '{home}/tables/new.csv'",
        "create temp table x as select 1",
        "create or replace view cards as select 1",
        "insert into cards values (1)",
        "drop view cards",
        "checkpoint",
        "vacuum",
        "pragma version",
        "pragma enable_profiling",
        "call checkpoint()",
        "attach '{home}/new.duckdb'",
        "attach ':memory:' as other",
        "install httpfs",
        "load httpfs",
        "export database '{home}/new'",
        "import database '{home}/new'",
        "set threads = 1",
        "reset threads",
        "begin",
        "prepare x as select 1",
        "select * from query('copy (select 1) to ''{home}/tables/new.csv''')",
        "select * from enable_logging(storage := 'file', storage_config := {{'path': '{home}'}})",
        "select * from force_checkpoint()",
        "select * from read_text('{home}/keys/temporal')",
        "select * from read_text('/etc/passwd')",
        "select * from read_blob('{card}')",
        "select * from read_csv('/etc/passwd')",
        "select * from read_json('/etc/passwd')",
        "select * from read_duckdb('{home}/lawsmith.duckdb')",
        "select * from parquet_metadata('{card}')",
        "select * from sniff_csv('/etc/passwd')",
        "select * from glob('{home}/keys/*')",
        "select * from '/etc/passwd'",
        "select * from 'https://example.org/x.parquet'",
        "select * from read_parquet('s3://example/x.parquet')",
        "select * from sqlite_scan('{home}/ledger.sqlite', 'calls')",
        "select getenv('HOME')",
        "from store",
        "from rows",
    ],
)
def test_no_statement_writes_or_reads_another_file(store: Store, sql: str) -> None:
    write_partition(store, "cards", "temporal", WEEK, [])
    (store.keys / "temporal").write_text("secret")
    rebuild_catalogue(store)
    before = _state(store.home)
    card = store.tables / "cards" / "temporal" / f"{WEEK}.parquet"
    with pytest.raises(InputError, match="sql"):
        query(store, sql.format(home=store.home, card=card))
    assert _state(store.home) == before


@pytest.mark.parametrize(
    "sql",
    [
        "select * from checkpoint()",
        "select write_log('x')",
        "from truncate_duckdb_logs()",
        "select * from cards order by all",
        "from duckdb_settings()",
    ],
)
def test_what_runs_leaves_the_store_as_it_was(store: Store, sql: str) -> None:
    write_partition(store, "cards", "temporal", WEEK, [])
    rebuild_catalogue(store)
    before = _state(store.home)
    query(store, sql)
    assert _state(store.home) == before


def test_a_damaged_partition_is_named_by_a_query(store: Store) -> None:
    write_partition(store, "families", "temporal-sample", WEEK, [_family("sample:0001")])
    rebuild_catalogue(store)
    path = store.tables / "families" / "temporal-sample" / f"{WEEK}.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(IntegrityError, match=WEEK):
        query(store, "select * from families")


def test_a_damaged_public_file_of_a_release_is_named(store: Store) -> None:
    public = store.releases / "temporal-0.1.0-sample" / "public"
    public.mkdir(parents=True)
    (public / "discovery.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(IntegrityError, match="discovery"):
        rebuild_catalogue(store)


@pytest.mark.parametrize("data", [b"", b"no database", b"x" * 40_000])
def test_a_damaged_catalogue_is_named(store: Store, data: bytes) -> None:
    rebuild_catalogue(store)
    store.catalogue.write_bytes(data)
    with pytest.raises(IntegrityError, match="made again"):
        query(store, "select 1")


def test_a_catalogue_that_another_program_writes_is_held(store: Store) -> None:
    rebuild_catalogue(store)
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True);"
        "sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(store.catalogue)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    with pytest.raises(LockHeldError, match="another program"):
        query(store, "select 1")
    writer.communicate()


@pytest.mark.parametrize(
    "sql",
    [
        "show tables",
        "describe cards",
        "summarize cards",
        "explain select 1",
        "explain (format json) select 1",
        "values (1)",
        "with x as (select 1) from x",
    ],
)
def test_looking_around_is_reading(store: Store, sql: str) -> None:
    rebuild_catalogue(store)
    assert query(store, sql).rows


def test_a_query_before_the_first_run_says_what_to_do(store: Store) -> None:
    with pytest.raises(PrerequisiteError, match="lawsmith refresh"):
        query(store, "select 1")


def test_a_rebuild_under_an_open_reader_works(store: Store) -> None:
    rebuild_catalogue(store)
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True);"
        "print('open', flush=True); sys.stdin.read();"
        "print(len(c.execute('show tables').fetchall()))"
    )
    reader = subprocess.Popen(
        [sys.executable, "-c", code, str(store.catalogue)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "open\n"
    rebuild_catalogue(store)
    out, _ = reader.communicate()
    assert int(out) == len(TABLES)
    assert not list(store.home.glob(".lawsmith*"))


# --- locks ------------------------------------------------------------------------------------

_HOLD = (
    "import sys; from pathlib import Path;"
    "from lawsmith.gateways.store import Store, partition_lock\n"
    "with partition_lock(Store(Path(sys.argv[1])), 'temporal/2026-10-05'):\n"
    "    print('held', flush=True); sys.stdin.read()\n"
)


@pytest.fixture
def other_holder(store: Store) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(store.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_the_second_holder_learns_who_and_since_when(
    store: Store, other_holder: "subprocess.Popen[str]"
) -> None:
    with (
        pytest.raises(LockHeldError) as caught,
        partition_lock(store, "temporal/2026-10-05"),
    ):
        pass
    message = str(caught.value)
    assert f"pid {other_holder.pid} " in message
    assert "since 20" in message
    with partition_lock(store, "temporal/2026-10-12"):
        pass


def test_a_killed_holder_leaves_no_lock(
    store: Store, other_holder: "subprocess.Popen[str]"
) -> None:
    other_holder.kill()
    other_holder.wait()
    with partition_lock(store, "temporal/2026-10-05"):
        pass


def test_a_lock_is_not_shared_inside_one_process_and_is_freed_on_error(store: Store) -> None:
    with catalogue_lock(store), pytest.raises(LockHeldError, match=str(os.getpid())):
        rebuild_catalogue(store)
    with pytest.raises(KeyError), catalogue_lock(store):
        raise KeyError
    rebuild_catalogue(store)


# --- keys -------------------------------------------------------------------------------------


def test_public_keys_are_the_committed_ones(store: Store) -> None:
    key = collection_key(store, "temporal-sample", ROOT / "data")
    assert key.hex() == (ROOT / "data" / "keys" / "temporal-sample").read_text().strip()
    assert list(store.keys.iterdir()) == []


def test_a_private_key_is_made_once(store: Store) -> None:
    key = collection_key(store, "temporal", ROOT / "data")
    assert len(key) == 32
    assert collection_key(store, "temporal", ROOT / "data") == key
    assert collection_key(store, "historical", ROOT / "data") != key
    assert stat.S_IMODE((store.keys / "temporal").stat().st_mode) == 0o600
    assert sorted(path.name for path in store.keys.iterdir()) == ["historical", "temporal"]


def test_a_lost_key_is_not_replaced_when_releases_need_it(store: Store) -> None:
    (store.releases / "temporal-0.1.0-sample").mkdir()
    collection_key(store, "temporal", ROOT / "data")
    (store.keys / "temporal").unlink()
    (store.releases / "temporal-2026.11.0").mkdir()
    with pytest.raises(IntegrityError, match="restore it"):
        collection_key(store, "temporal", ROOT / "data")
    assert not (store.keys / "temporal").exists()


def test_a_damaged_key_is_refused(store: Store) -> None:
    (store.keys / "temporal").write_text("00ff")
    with pytest.raises(IntegrityError, match="64 lower-case hex digits"):
        collection_key(store, "temporal", ROOT / "data")


def test_a_lost_key_is_not_replaced_when_it_was_there(store: Store) -> None:
    collection_key(store, "temporal", ROOT / "data")
    (store.keys / "temporal").unlink()
    for _ in range(2):
        with pytest.raises(IntegrityError, match="only a backup restores it"):
            collection_key(store, "temporal", ROOT / "data")
    assert not (store.keys / "temporal").exists()


def test_a_lost_key_is_not_replaced_when_rows_were_drawn_with_it(store: Store) -> None:
    write_partition(store, "families", "temporal", WEEK, [])
    with pytest.raises(IntegrityError, match="only a backup restores it"):
        collection_key(store, "temporal", ROOT / "data")
    assert not (store.keys / "temporal").exists()


def test_an_unknown_collection_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="'other' is not one of"):
        collection_key(store, "other", ROOT / "data")


# --- run logs ---------------------------------------------------------------------------------


def test_a_run_log_holds_one_json_line_an_event(store: Store) -> None:
    log = RunLog(store, "refresh-1")
    log.write("paper", at="2026-11-30T00:00:00Z", paper="sample:0001", outcome="passed")
    log.write("end", at="2026-11-30T00:00:01Z", papers=1)
    lines = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["paper", "end"]
    assert lines[0]["paper"] == "sample:0001"
    with pytest.raises(InputError, match="run name"):
        RunLog(store, "../x")
