"""tasks.duckdb: the public tables once more, for people who ask in SQL.

The file is outside the content digest (DuckDB files are not byte-reproducible); `verify`
compares it row by row with the JSONL.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb

from lawsmith.release.tables import COLUMNS, PublicTable, Row, arrow_table

STORAGE_VERSION: Final = "v1.2.0"
"""Pinned, so that readers from 1.2 on open the file."""

_SQL: Final = {
    "text": "VARCHAR NOT NULL",
    "int": "BIGINT NOT NULL",
    "float": "DOUBLE NOT NULL",
    "floats": "DOUBLE[] NOT NULL",
    "optional text": "VARCHAR",
}


def write_database(path: Path, tables: Mapping[PublicTable, Sequence[Row]]) -> None:
    """Writes a new database with explicit DDL, rows in the given order."""
    connection = duckdb.connect()
    try:
        target = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{target}' AS out (STORAGE_VERSION '{STORAGE_VERSION}')")
        for table, rows in tables.items():
            columns = COLUMNS[table]
            ddl = ", ".join(f'"{name}" {_SQL[kind]}' for name, kind in columns)
            connection.execute(f'CREATE TABLE out.main."{table}" ({ddl})')
            connection.register("given", arrow_table(table, rows))
            connection.execute(f'INSERT INTO out.main."{table}" SELECT * FROM given')
            connection.unregister("given")
        connection.execute("DETACH out")
    finally:
        connection.close()


def read_database(path: Path) -> dict[str, list[Row]]:
    """Every table of a database with its rows in insertion order.

    Raises:
        ValueError: the file is not a DuckDB database or cannot be read.
    """
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise ValueError(f"not a readable DuckDB file: {str(error).splitlines()[0]}") from error
    try:
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables ORDER BY table_name"
        ).fetchall()
        found: dict[str, list[Row]] = {}
        for (name,) in names:
            quoted = name.replace('"', '""')
            cursor = connection.execute(f'SELECT * FROM "{quoted}" ORDER BY rowid')
            columns = [item[0] for item in cursor.description or []]
            rows = cursor.fetchall()
            found[name] = [dict(zip(columns, row, strict=True)) for row in rows]
        return found
    except duckdb.Error as error:
        raise ValueError(f"unreadable DuckDB file: {str(error).splitlines()[0]}") from error
    finally:
        connection.close()


__all__ = ("STORAGE_VERSION", "read_database", "write_database")
