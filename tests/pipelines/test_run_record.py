"""The record of a run: SQLite files opened once, and as they should be afterwards."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from pipelines.run_record import light_record


def _write(path: Path, value: int) -> tuple[int, int]:
    """Write as Dagster does, with an engine for each event; (identity, synchronous)."""
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("create table if not exists t (x)"))
        connection.execute(text(f"insert into t values ({value})"))
        held = connection.connection.driver_connection
        waits = connection.execute(text("pragma synchronous")).scalar_one()
    engine.dispose()
    return id(held), int(waits)


def _values(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        return [row[0] for row in connection.execute("select x from t order by x")]
    finally:
        connection.close()


def test_a_file_is_opened_once_and_let_go_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    with sqlite3.connect(path) as made:
        made.execute("pragma journal_mode=wal")
    made.close()
    with light_record():
        seen = {_write(path, value) for value in range(5)}
        # What is committed is there for others at once.
        assert _values(path) == [0, 1, 2, 3, 4]
    assert [waits for _, waits in seen] == [1]
    # The last connection is closed: its log was written back.
    assert not path.with_name("events.db-wal").exists()
    assert _write(path, 5)[1] == 2


def _fail_halfway(path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("insert into t values (1)"))
        raise RuntimeError("stop")


def _fail_in_a_run(path: Path) -> None:
    with light_record():
        with pytest.raises(RuntimeError):
            _fail_halfway(path)
        _write(path, 2)
        _fail_halfway(path)


def test_what_fails_is_rolled_back_and_nothing_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    _write(path, 0)
    with pytest.raises(RuntimeError, match="stop"):
        _fail_in_a_run(path)
    assert _values(path) == [0, 2]
    assert _write(path, 3)[1] == 2
