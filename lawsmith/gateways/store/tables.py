"""Stage tables: Parquet files with an explicit schema, one a partition, replaced as a whole."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from lawsmith.gateways.store.layout import (
    ColumnType,
    Store,
    collection_folder,
    columns_of,
    partition_file,
)
from schemas.record import Record, canonical_json, strict_json

Cell = str | float | int | None

_ARROW: dict[ColumnType, Any] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
}
_PYTHON: dict[ColumnType, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "flag": (bool,),
}
_LEADING: dict[str, ColumnType] = {
    "id": "text",
    "paper_id": "text",
    "collection": "text",
    "partition": "text",
    "outcome": "text",
    "reason_code": "text",
    "digest": "text",
    "schema_version": "integer",
    "code_version": "text",
}


_CELLS_SHA256 = b"lawsmith.cells_sha256"
"""Where the hashes of a partition's columns stand in its file."""


@dataclass(frozen=True)
class Row:
    """One row of a stage table.

    Attributes:
        id: identity of the record; unique in its partition.
        paper_id: the paper (without version) it comes from, None for Historical rows.
        collection: whose key and release it belongs to.
        partition: ISO Monday of the paper's first week, a release id, or `all`.
        outcome: passed, rejected, waiting, failed or deferred.
        reason_code: a ReasonCode value.
        digest: content digest of the record.
        schema_version: format of `record`.
        code_version: the code that made it.
        record: canonical JSON of the whole record.
        extra: values of the table's filter columns; a column left out is null.
    """

    id: str
    paper_id: str | None
    collection: str
    partition: str
    outcome: str
    reason_code: str
    digest: str
    schema_version: int
    code_version: str
    record: str
    extra: Mapping[str, Cell]


def row_of(
    record: Record,
    *,
    collection: str,
    partition: str,
    code_version: str,
    paper_id: str | None,
    extra: Mapping[str, Cell],
    outcome: str = "passed",
    reason_code: str = "ok",
) -> Row:
    """The row of a record: identity, digest, version and JSON are read from it."""
    return Row(
        id=record.id,
        paper_id=paper_id,
        collection=collection,
        partition=partition,
        outcome=str(outcome),
        reason_code=str(reason_code),
        digest=record.digest,
        schema_version=record.schema_version,
        code_version=code_version,
        record=record.to_json(),
        extra=extra,
    )


def schema_of(table: str) -> Any:
    """The Arrow schema of a stage table."""
    types = {**_LEADING, **columns_of(table), "record": "text"}
    return pa.schema([pa.field(name, _ARROW[kind]) for name, kind in types.items()])


def write_partition(
    store: Store, table: str, collection: str, partition: str, rows: Iterable[Row]
) -> bool:
    """Replace one partition by `rows`, sorted by id; an empty partition is a file, too.

    The bytes depend on the rows alone. They go to a temporary name, are synced and renamed,
    so that a reader sees the old partition or the new one and never a half.

    Returns:
        False when the partition held these very bytes before and nothing was written.

    Raises:
        InputError: a row of another partition, an id that stands twice, or filter columns
            that are not those of the table.
        PrerequisiteError: the store cannot be written.
    """
    path = partition_file(store, table, collection, partition)
    ordered = sorted(rows, key=lambda row: row.id)
    _check(table, collection, partition, ordered)
    data = _parquet_bytes(table, ordered)
    if path.is_file() and path.read_bytes() == data:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise PrerequisiteError(
            f"the partition cannot be written: {error.strerror or error}",
            path=str(path),
            fix="free space or set LAWSMITH_HOME to a folder that you may write",
        ) from error
    return True


def read_partition(store: Store, table: str, collection: str, partition: str) -> list[Row]:
    """The rows of one partition, sorted by id; none when it was never written.

    Raises:
        IntegrityError: the file is not a partition of this table.
    """
    path = partition_file(store, table, collection, partition)
    return _read(table, path) if path.is_file() else []


def read_table(store: Store, table: str, collection: str) -> list[Row]:
    """The rows of all partitions of one collection, sorted by id, then partition."""
    rows = [
        row
        for partition in partitions_of(store, table, collection)
        for row in read_partition(store, table, collection, partition)
    ]
    return sorted(rows, key=lambda row: (row.id, row.partition))


def has_partition(store: Store, table: str, collection: str, partition: str) -> bool:
    """Whether the partition was written and its file is still there."""
    return partition_file(store, table, collection, partition).is_file()


def set_aside_if_damaged(store: Store, table: str, collection: str, partition: str) -> str | None:
    """Rename the file of a partition that does not read, so that its stage makes it again.

    Returns:
        What was wrong and where the file lies now; None where it reads or was never written.
    """
    path = partition_file(store, table, collection, partition)
    try:
        if path.is_file():
            _read(table, path)
    except IntegrityError as error:
        aside = path.with_suffix(".damaged")
        path.replace(aside)
        sync_folder(path.parent)
        return f"{error.problem}; set aside as {aside} and made again"
    return None


def partitions_of(store: Store, table: str, collection: str) -> list[str]:
    """The partitions written so far, sorted."""
    folder = collection_folder(store, table, collection)
    if not folder.is_dir():
        return []
    return sorted(path.stem for path in folder.glob("*.parquet") if not path.name.startswith("."))


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` under `path` by one rename, synced before and after."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check(table: str, collection: str, partition: str, rows: list[Row]) -> None:
    columns = columns_of(table)
    seen: set[str] = set()
    for row in rows:
        where = f"{table}/{collection}/{partition} row {row.id!r}"
        # A partition file may hold one stage's share of a week: `<stage>@<week>`.
        if row.collection != collection or row.partition != partition.rpartition("@")[2]:
            raise InputError(f"belongs to {row.collection}/{row.partition}", path=where)
        if row.id in seen:
            raise InputError("the id stands twice in one partition", path=where)
        seen.add(row.id)
        foreign = sorted(row.extra.keys() - columns.keys())
        if foreign:
            raise InputError(
                f"the table has no filter columns {foreign}",
                path=where,
                fix=f"its columns are {sorted(columns)}",
            )
        for name, value in row.extra.items():
            _check_cell(value, columns[name], f"{where}.{name}")


def _check_cell(value: Cell, kind: ColumnType, path: str) -> None:
    fits = isinstance(value, _PYTHON[kind]) and (kind == "flag" or not isinstance(value, bool))
    if value is not None and not fits:
        raise InputError(f"{value!r} is not of the column's type {kind!r}", path=path)


def _parquet_bytes(table: str, rows: list[Row]) -> bytes:
    schema = schema_of(table)
    columns = columns_of(table)
    cells = [
        pa.array(
            [row.extra.get(name) if name in columns else getattr(row, name) for row in rows],
            type=schema.field(name).type,
        )
        for name in schema.names
    ]
    sink = pa.BufferOutputStream()
    whole = pa.Table.from_arrays(cells, schema=schema)
    sealed = whole.replace_schema_metadata({_CELLS_SHA256: canonical_json(_cells_sha256(whole))})
    pq.write_table(sealed, sink, compression="zstd", version="2.6")
    return bytes(sink.getvalue().to_pybytes())


def _cells_sha256(rows: Any) -> dict[str, str]:
    """Column -> hash of its cells, by which a changed one is noticed though the file opens."""
    return {
        name: hashlib.sha256(repr(rows.column(name).to_pylist()).encode()).hexdigest()
        for name in rows.column_names
    }


def _check_cells(table: str, rows: Any) -> None:
    """Nothing, or an error where the file holds other columns or cells than were written.

    Raises:
        ValueError: which column.
    """
    found = _cells_sha256(rows)
    if foreign := sorted(found.keys() - {*schema_of(table).names}):
        raise ValueError(f"its columns {foreign} are none of the table")
    said = (rows.schema.metadata or {}).get(_CELLS_SHA256)
    # A file without hashes is of a store older than they are.
    written = found if said is None else strict_json(said.decode())
    # A partition written before a filter column existed does not hold it.
    if changed := sorted(name for name, digest in found.items() if written.get(name) != digest):
        raise ValueError(f"its cells of {changed} are not those that were written")


def _read(table: str, path: Path) -> list[Row]:
    columns = columns_of(table)
    try:
        with pq.ParquetFile(path) as source:
            whole = source.read()
            _check_cells(table, whole)
            found = whole.to_pylist()
            return [
                Row(
                    **{name: item[name] for name in (*_LEADING, "record")},
                    # A partition written before a filter column existed holds no value for it.
                    extra={name: item.get(name) for name in columns},
                )
                for item in found
            ]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        raise IntegrityError(
            f"not a partition of table {table!r}: {error}",
            path=str(path),
            fix="run `lawsmith refresh` over its week again, or build-historical: what does not"
            " read is set aside and made again",
        ) from error


__all__ = (
    "Cell",
    "Row",
    "has_partition",
    "partitions_of",
    "read_partition",
    "read_table",
    "replace_file",
    "row_of",
    "schema_of",
    "set_aside_if_damaged",
    "sync_folder",
    "write_partition",
)
