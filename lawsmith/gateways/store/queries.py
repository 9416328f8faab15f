"""One reading statement over the catalogue, by a connection that cannot write.

DuckDB is given no file at all: its database is in memory, its own access to files and the
network is off for good, and pyarrow reads the listed Parquet files for it. What a statement says
can therefore neither change nor read anything else, whoever runs it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from lawsmith.errors import InputError, IntegrityError, LockHeldError, PrerequisiteError
from lawsmith.gateways.store.layout import TABLES, Store
from lawsmith.gateways.store.parquet_files import check_files, schema_in
from lawsmith.gateways.store.tables import schema_of

_NO_FILES: dict[str, str | bool | int | float | list[str]] = {
    "temp_directory": "",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
_EXPLAIN = re.compile(r"\s*explain\s+(?:\(\s*format\s+\w+\s*\)\s*)?", re.I)
"""What may stand before an explained query; `analyze`, which executes, is not in it."""
_NOT_UNDERSTOOD = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
_TABLE_OF = {table.replace("/", "_"): table for table in TABLES}
_RELEASED = pa.schema([("release_folder", pa.string())])


@dataclass(frozen=True)
class QueryResult:
    """What a query found.

    Attributes:
        columns: names in order.
        rows: values in the order of the query.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def query(store: Store, sql: str) -> QueryResult:
    """The answer to one reading statement over the views of the catalogue.

    Nothing can be written, and no file can be read but the Parquet files of the views.

    Raises:
        PrerequisiteError: there is no catalogue yet, or another program holds it.
        InputError: not one statement that reads, or DuckDB refuses it.
        IntegrityError: the catalogue or a Parquet file is damaged.
    """
    views = _views_of(store)
    files = {name: paths for name, paths in _files(store) if name in views}
    connection = duckdb.connect(":memory:", config=_NO_FILES)
    try:
        _check_reading(connection, sql)
        for name, paths in files.items():
            connection.register(name, _dataset(store, name, paths))
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        connection.execute("BEGIN TRANSACTION READ ONLY")
        rows = connection.execute(sql).fetchall()
        columns = tuple(str(item[0]) for item in connection.description or ())
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        # A statement that DuckDB does not understand never came to read a file.
        if not isinstance(error, _NOT_UNDERSTOOD):
            check_files(path for paths in files.values() for path in paths)
        raise InputError(str(error), path="sql", fix="see the views with `show tables`") from error
    finally:
        connection.close()
    return QueryResult(columns, tuple(tuple(row) for row in rows))


def _check_reading(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse all but one query, or the plan of one that is not executed.

    Raises:
        InputError: anything else.
        duckdb.Error: no SQL.
    """
    types = [item.type for item in connection.extract_statements(sql)]
    plan = _EXPLAIN.match(sql)
    if types == [duckdb.StatementType.EXPLAIN] and plan is not None:
        reading = _is_query(connection, sql[plan.end() :])
    else:
        reading = types == [duckdb.StatementType.SELECT]
    if not reading:
        raise InputError(
            f"{sql!r} is not one reading statement",
            path="sql",
            fix="give one select, with, from, values, describe, summarize, show or explain",
        )


def _is_query(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error:
        return False
    return [item.type for item in statements] == [duckdb.StatementType.SELECT]


def _views_of(store: Store) -> set[str]:
    """The names of the views that the catalogue holds."""
    path = store.catalogue
    if not path.is_file():
        raise PrerequisiteError(
            "there is no catalogue yet", path=str(path), fix="run `lawsmith refresh` first"
        )
    try:
        with duckdb.connect(str(path), read_only=True) as catalogue:
            names = "select view_name from duckdb_views() where not internal"
            return {str(name) for (name,) in catalogue.execute(names).fetchall()}
    except duckdb.Error as error:
        if "lock" in str(error):
            raise LockHeldError(
                f"another program is writing to the catalogue: {error}",
                path=str(path),
                fix="close it there; `lawsmith sql` only ever reads",
            ) from error
        raise IntegrityError(
            f"not a catalogue: {error}",
            path=str(path),
            fix="delete the file; it holds views only and is made again",
        ) from error


def _files(store: Store) -> Iterator[tuple[str, list[Path]]]:
    """(view, the Parquet files that it stands for)."""
    for table in TABLES:
        found = (store.tables / table).glob("*/*.parquet")
        paths = sorted(path for path in found if not path.name.startswith("."))
        yield table.replace("/", "_"), paths
    released = sorted(store.releases.glob("*/public/*.parquet"))
    for stem in sorted({path.stem for path in released}):
        yield f"released_{stem}", [path for path in released if path.stem == stem]


def _dataset(store: Store, view: str, paths: list[Path]) -> Any:
    """The files as one table; a column that a file lacks is null there."""
    if view in _TABLE_OF:
        return ds.dataset(
            [str(path) for path in paths], schema=schema_of(_TABLE_OF[view]), format="parquet"
        )
    schemas = [schema_in(path) for path in paths]
    return ds.dataset(
        [str(path) for path in paths],
        schema=pa.unify_schemas([_RELEASED, *schemas], promote_options="permissive"),
        format="parquet",
        # The first folder below the releases names the release.
        partitioning=ds.DirectoryPartitioning(_RELEASED, segment_encoding="none"),
        partition_base_dir=str(store.releases),
    )


__all__ = ("QueryResult", "query")
