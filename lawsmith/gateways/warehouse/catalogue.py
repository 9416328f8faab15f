"""lawsmith.duckdb: views over the stage tables and the public part of the releases.

The file holds views only and is replaced by rename, so that nobody ever waits for a writer;
everybody opens it read-only.
"""

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.warehouse.layout import TABLES, Store
from lawsmith.gateways.warehouse.locks import catalogue_lock
from lawsmith.gateways.warehouse.tables import schema_of, sync_folder

_STORAGE_VERSION = "v1.2.0"
"""DuckDB 1.2 and later open the file."""

_SQL_TYPES = {"string": "VARCHAR", "int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}
_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


@dataclass(frozen=True)
class QueryResult:
    """What a query found.

    Attributes:
        columns: names in order.
        rows: values in the order of the query.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def rebuild_catalogue(store: Store, *, wait: float = 0.0) -> list[str]:
    """Make the catalogue anew and put it in place by one rename; returns the view names.

    Every stage table has a view (`reviews/card` is `reviews_card`) over all collections,
    empty where nothing was written. A public Parquet file of releases is the view
    `released_<name>` over all releases, with `release_folder` as its first column.

    Args:
        store: the store whose catalogue it is.
        wait: seconds to wait for another process that is rebuilding it.

    Raises:
        LockHeldError: another process is still rebuilding it.
        PrerequisiteError: the store cannot be written.
    """
    temporary = store.home / f".lawsmith.{os.getpid()}.duckdb.tmp"
    with catalogue_lock(store, wait):
        try:
            views = {**_table_views(store), **_release_views(store)}
            temporary.unlink(missing_ok=True)
            _create(temporary, views)
            temporary.replace(store.catalogue)
            sync_folder(store.home)
        except OSError as error:
            raise PrerequisiteError(
                f"the catalogue cannot be written: {error.strerror or error}",
                path=str(store.catalogue),
                fix="set LAWSMITH_HOME to a folder that you may write",
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
    return sorted(views)


def query(store: Store, sql: str) -> QueryResult:
    """The answer to one reading statement over the catalogue.

    Nothing can be written, and files outside the tables and releases cannot be read.

    Raises:
        PrerequisiteError: there is no catalogue yet.
        InputError: not one statement that reads, or DuckDB refuses it.
    """
    if not store.catalogue.is_file():
        raise PrerequisiteError(
            "there is no catalogue yet",
            path=str(store.catalogue),
            fix="run `lawsmith refresh` first",
        )
    connection = duckdb.connect(str(store.catalogue), read_only=True)
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in _READING:
            raise InputError(
                f"{sql!r} is not one reading statement",
                path="sql",
                fix="give one select, with, from, values, describe, summarize, show or explain",
            )
        # Views are checked by their pattern, files by their name.
        names = [str(path) for path in (store.tables, store.releases)]
        both = {*names, *map(glob.escape, names)}
        folders = ", ".join(_literal(f"{name}/") for name in sorted(both))
        connection.execute(f"SET allowed_directories = [{folders}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        rows = connection.execute(sql).fetchall()
        columns = tuple(str(item[0]) for item in connection.description or ())
    except duckdb.Error as error:
        raise InputError(str(error), path="sql", fix="see the views with `show tables`") from error
    finally:
        connection.close()
    return QueryResult(columns, tuple(tuple(row) for row in rows))


def _create(path: Path, views: dict[str, str]) -> None:
    connection = duckdb.connect(":memory:")
    try:
        connection.execute(
            f"ATTACH {_literal(path)} AS catalogue (STORAGE_VERSION '{_STORAGE_VERSION}')"
        )
        for name, body in sorted(views.items()):
            connection.execute(f"CREATE VIEW catalogue.main.{_quoted(name)} AS {body}")
        connection.execute("DETACH catalogue")
    finally:
        connection.close()


def _table_views(store: Store) -> dict[str, str]:
    views: dict[str, str] = {}
    for table in TABLES:
        # The empty half gives every column a type and a place, also where no file has it yet.
        fields = ", ".join(
            f"NULL::{_SQL_TYPES[str(field.type)]} AS {_quoted(field.name)}"
            for field in schema_of(table)
        )
        body = f"SELECT {fields} WHERE false"
        if any((store.tables / table).glob("*/*.parquet")):
            body += f" UNION ALL BY NAME SELECT * FROM {_parquet(store.tables / table, '*/*')}"
        views[table.replace("/", "_")] = body
    return views


def _release_views(store: Store) -> dict[str, str]:
    files = sorted(store.releases.glob("*/public/*.parquet"))
    return {
        f"released_{stem}": (
            "SELECT parse_path(filename)[-3] AS release_folder, * EXCLUDE (filename) FROM "
            + _parquet(store.releases, f"*/public/{stem}", filename=True)
        )
        for stem in _unique(path.stem for path in files)
    }


def _unique(names: Iterable[str]) -> list[str]:
    return sorted(set(names))


def _parquet(folder: Path, pattern: str, *, filename: bool = False) -> str:
    named = ", filename = true" if filename else ""
    # The store's own path may hold characters that a pattern reads as its own.
    files = f"{glob.escape(str(folder))}/{pattern}.parquet"
    return (
        f"read_parquet({_literal(files)}, union_by_name = true, hive_partitioning = false{named})"
    )


def _literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


__all__ = ("QueryResult", "query", "rebuild_catalogue")
