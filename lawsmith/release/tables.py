"""The tables of a release: canonical JSONL rows, and flat columns for Parquet and DuckDB."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.calibrated_task import ParallelTask, RealObservation, RealTask
from schemas.record import CANARY, Record, canonical_json, strict_json
from schemas.task import FixedObservation, PublicTask

Kind = Literal["text", "int", "float", "floats", "optional text"]
PublicTable = Literal[
    "discovery", "identification", "fixed_observations", "parallel", "real", "real_observations"
]
Row = dict[str, Any]


class Column(NamedTuple):
    """One column of a public table."""

    name: str
    kind: Kind


_TASK: Final = (
    Column("id", "text"),
    Column("collection", "text"),
    Column("setting", "text"),
    Column("background", "text"),
    Column("controls", "text"),
    Column("readouts", "text"),
    Column("constraints", "text"),
    Column("world", "text"),
    Column("threshold", "float"),
    Column("adaptive_cap", "int"),
    Column("digest", "text"),
    Column("schema_version", "int"),
    Column("record", "text"),
    Column("canary", "text"),
)
_CALIBRATED: Final = (
    Column("id", "text"),
    Column("collection", "text"),
    Column("background", "text"),
    Column("controls", "text"),
    Column("readout", "text"),
    Column("groups", "text"),
    Column("world", "text"),
)
_RECORD: Final = (
    Column("digest", "text"),
    Column("schema_version", "int"),
    Column("record", "text"),
    Column("canary", "text"),
)
COLUMNS: Final[Mapping[PublicTable, tuple[Column, ...]]] = {
    "discovery": _TASK,
    "identification": (*_TASK[:7], Column("blend", "text"), *_TASK[7:]),
    "fixed_observations": (
        Column("task_id", "text"),
        Column("index", "int"),
        Column("inputs", "floats"),
        Column("outputs", "floats"),
        Column("canary", "text"),
    ),
    "parallel": (*_CALIBRATED, Column("budget", "text"), Column("out_of_range", "text"), *_RECORD),
    "real": (
        *_CALIBRATED,
        Column("split", "text"),
        Column("metric", "text"),
        Column("training_rows", "int"),
        Column("test_rows", "int"),
        *_RECORD,
    ),
    "real_observations": (
        Column("task_id", "text"),
        Column("index", "int"),
        Column("part", "text"),
        Column("group", "optional text"),
        Column("inputs", "floats"),
        Column("output", "float"),
        Column("canary", "text"),
    ),
}
"""The columns of the public tables. Nested fields are canonical JSON text."""

_ARROW: Final[Mapping[Kind, pa.DataType]] = {
    "text": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "floats": pa.list_(pa.float64()),
    "optional text": pa.string(),
}

PUBLIC_TABLES: Final[tuple[PublicTable, ...]] = (
    "discovery",
    "identification",
    "fixed_observations",
)
"""Of paired tasks: every release has them."""

CALIBRATED_PUBLIC: Final[tuple[PublicTable, ...]] = ("parallel", "real", "real_observations")
"""Of tasks on real data: a release without problems has none of them."""

SEALED_TABLES: Final = (
    "keys",
    "task_families",
    "families",
    "cards",
    "reviews",
    "certificates",
    "worlds",
    "attributions",
)
CALIBRATED_SEALED: Final = (
    "problems",
    "problem_rows",
    "parallel_keys",
    "real_keys",
    "calibrated_worlds",
    "baselines",
    "baseline_submissions",
)
CALIBRATED_TABLES: Final = (*CALIBRATED_PUBLIC, *CALIBRATED_SEALED)
TABLE_PATHS: Final[Mapping[str, str]] = {
    **{name: f"public/{name}.jsonl" for name in (*PUBLIC_TABLES, "licences")},
    **{name: f"sealed/{name}.jsonl" for name in SEALED_TABLES},
    **{name: f"public/{name}.jsonl" for name in CALIBRATED_PUBLIC},
    **{name: f"sealed/{name}.jsonl" for name in CALIBRATED_SEALED},
}
"""Table -> the path of its JSONL file."""


def row_path(table: str, identity: str) -> str:
    """Where a row stands, as faults name it: `<file>#<id>`."""
    return f"{TABLE_PATHS[table]}#{identity}"


def task_row(task: PublicTask) -> Row:
    """The flat row of a task; its whole record stands in the column `record`."""
    data = task.model_dump(mode="json")
    row: Row = {
        name: data[name] if kind in ("float", "int") or isinstance(data[name], str) else None
        for name, kind in _TASK
        if name in data
    }
    for name in ("controls", "readouts", "constraints"):
        row[name] = canonical_json(data[name])
    if task.setting == "identification":
        row["blend"] = canonical_json(data["blend"])
    row["digest"] = task.digest
    row["schema_version"] = task.schema_version
    row["record"] = task.to_json()
    return row


def calibrated_row(task: ParallelTask | RealTask) -> Row:
    """The flat row of a Parallel or Real task; its whole record stands in the column `record`."""
    data = task.model_dump(mode="json")
    data |= {"digest": task.digest, "schema_version": task.schema_version, "record": task.to_json()}
    return {
        name: data[name]
        if isinstance(data[name], str | int | float)
        else canonical_json(data[name])
        for name, _ in COLUMNS[task.kind]
    }


def observation_row(observation: FixedObservation | RealObservation) -> Row:
    """The flat row of an observation."""
    return observation.model_dump(mode="json")


def record_line(record: Record) -> str:
    """The canonical JSON line of a record with the canary in it."""
    text = record.to_json()
    data = strict_json(text)
    data.setdefault("canary", CANARY)
    return canonical_json(data)


def plain_line(data: Mapping[str, Any]) -> str:
    """The canonical JSON line of a row that is no record, with the canary in it."""
    return canonical_json({**data, "canary": CANARY})


def arrow_table(table: PublicTable, rows: Sequence[Row]) -> pa.Table:
    """Rows in the given order as an Arrow table with the explicit schema of the table."""
    columns = COLUMNS[table]
    schema = pa.schema([_field(*column) for column in columns])
    arrays = [pa.array([row[name] for row in rows], type=_ARROW[kind]) for name, kind in columns]
    return pa.Table.from_arrays(arrays, schema=schema)


def write_parquet(path: Path, table: PublicTable, rows: Sequence[Row]) -> None:
    """Writes rows in the given order with the explicit schema of the table."""
    pq.write_table(
        arrow_table(table, rows),
        path,
        compression="zstd",
        version="2.6",
        use_dictionary=False,
        write_statistics=True,
    )


def _field(name: str, kind: Kind) -> pa.Field:
    return pa.field(name, _ARROW[kind], nullable=kind == "optional text")


def read_parquet(path: Path, table: PublicTable) -> list[Row]:
    """The rows of a Parquet file of a release, in file order.

    Raises:
        ValueError: the file is no Parquet or has other columns than the table's.
    """
    names = [column.name for column in COLUMNS[table]]
    found = pq.read_table(path)
    if found.column_names != names:
        raise ValueError(f"columns {found.column_names} are not {names}")
    rows: list[Row] = found.to_pylist()
    return rows


def rows_where(path: Path, table: PublicTable, column: str, value: str) -> list[Row]:
    """The rows of a Parquet file in which a column has a value; no other row is made.

    Raises:
        ValueError: the file is no Parquet or has other columns than the table's.
    """
    names = [name for name, _ in COLUMNS[table]]
    rows: list[Row] = pq.read_table(
        path, columns=names, filters=[(column, "=", value)], partitioning=None
    ).to_pylist()
    return rows


def parquet_rows(path: Path) -> int:
    """How many rows a Parquet file has."""
    return int(pq.read_metadata(path).num_rows)


def jsonl_text(lines: Iterable[str]) -> str:
    """Lines joined to the text of a JSONL file."""
    return "".join(f"{line}\n" for line in lines)


__all__ = (
    "CALIBRATED_PUBLIC",
    "CALIBRATED_SEALED",
    "CALIBRATED_TABLES",
    "COLUMNS",
    "PUBLIC_TABLES",
    "SEALED_TABLES",
    "TABLE_PATHS",
    "Column",
    "PublicTable",
    "Row",
    "arrow_table",
    "calibrated_row",
    "jsonl_text",
    "observation_row",
    "parquet_rows",
    "plain_line",
    "read_parquet",
    "record_line",
    "row_path",
    "rows_where",
    "task_row",
    "write_parquet",
)
