"""lawsmith.duckdb: views over the stage tables and the public part of the releases.

The file holds views only and is replaced by rename, so that nobody ever waits for a writer;
everybody opens it read-only.
"""

import glob
import os
from collections.abc import Iterable
from pathlib import Path

import duckdb

from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.store.layout import TABLES, Store
from lawsmith.gateways.store.locks import catalogue_lock
from lawsmith.gateways.store.parquet_files import check_files
from lawsmith.gateways.store.tables import schema_of, sync_folder

_STORAGE_VERSION = "v1.2.0"
"""DuckDB 1.2 and later open the file."""

_SQL_TYPES = {"string": "VARCHAR", "int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}


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
        IntegrityError: a Parquet file of a view is damaged.
    """
    temporary = store.home / f".lawsmith.{os.getpid()}.duckdb.tmp"
    with catalogue_lock(store, wait):
        try:
            views = {**_table_views(store), **_release_views(store)}
            temporary.unlink(missing_ok=True)
            _create(temporary, views)
            temporary.replace(store.catalogue)
            sync_folder(store.home)
        except duckdb.Error:
            check_files(store.tables.rglob("*.parquet"))
            check_files(store.releases.glob("*/public/*.parquet"))
            raise
        except OSError as error:
            raise PrerequisiteError(
                f"the catalogue cannot be written: {error.strerror or error}",
                path=str(store.catalogue),
                fix="set LAWSMITH_HOME to a folder that you may write",
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
    return sorted(views)


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


__all__ = ("rebuild_catalogue",)
