"""Tables of problems: CSV, Parquet, NIST data files and data sets of installed packages."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from lawsmith.calibration.problems import (
    ProblemTable,
    RawTable,
    canonical_table,
    check_law_units,
    check_table,
    read_problem,
    source_columns,
)
from lawsmith.errors import InputError, LawsmithError
from lawsmith.gateways.datasets.packages import read_package
from schemas.dataset import FileTable, NistTable, PackageTable
from schemas.problem import Problem, RejectedDataset

FOLDER: Final = "problems"
REJECTED: Final = "rejected.json"
"""The list of data sets that were refused, beside the problems; it is no problem itself."""
_DATA_LINES = re.compile(r"^\s+Data\s+\(lines\s+(\d+)\s+to\s+(\d+)\)\s*$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class LoadedProblem:
    """A problem with its checked canonical table."""

    problem: Problem
    table: ProblemTable


def problem_ids(data_root: Path) -> tuple[str, ...]:
    """Ids of the problems under a data root, sorted."""
    folder = data_root / FOLDER
    return tuple(sorted(path.stem for path in folder.glob("*.json") if path.name != REJECTED))


def load_problem(data_root: Path, problem_id: str) -> LoadedProblem:
    """A problem and its table; laws close in units, the table is the one declared.

    Raises:
        InputError: the file or its table cannot be read, or a law does not close in units.
        IntegrityError: rows, ranges, groups or sha256 differ from what the problem states.
        PrerequisiteError: the table is held by a package that is not installed.
    """
    folder = data_root / FOLDER
    problem = read_problem(folder / f"{problem_id}.json")
    for law in problem.laws:
        try:
            check_law_units(problem, law)
        except LawsmithError as error:
            raise InputError(str(error), path=f"{problem.id}: law {law.id!r}") from error
    table = canonical_table(problem, read_table(problem, folder))
    check_table(problem, table)
    return LoadedProblem(problem, table)


def rejected_datasets(data_root: Path) -> tuple[RejectedDataset, ...]:
    """The data sets that were refused, with reasons, sorted by id.

    Raises:
        InputError: the list cannot be read, or names a data set that is a problem.
    """
    path = data_root / FOLDER / REJECTED
    try:
        rejected = TypeAdapter(tuple[RejectedDataset, ...]).validate_json(_bytes_of(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: {first['msg']}", path=str(path)) from error
    both = {entry.id for entry in rejected} & set(problem_ids(data_root))
    if both:
        raise InputError(f"{sorted(both)} are problems and rejected", path=str(path))
    return tuple(sorted(rejected, key=lambda entry: entry.id))


def read_table(problem: Problem, folder: Path) -> RawTable:
    """The table of a problem as its file or package holds it.

    Args:
        problem: its loader says where the table is.
        folder: what the loader's path is relative to.

    Raises:
        InputError: the file cannot be read as what the loader says it is.
        PrerequisiteError: the package is not installed.
    """
    numeric, text = source_columns(problem)
    loader = problem.loader
    if isinstance(loader, PackageTable):
        return RawTable(
            f"{loader.package}:{loader.dataset}", read_package(loader.package, loader.dataset)
        )
    path = folder / loader.path
    if isinstance(loader, NistTable):
        return read_nist(path, loader)
    return _read_file(path, loader, numeric, text)


def read_nist(path: Path, loader: NistTable) -> RawTable:
    """The data block of a NIST StRD file, at the lines its own header states.

    Raises:
        InputError: no header line for the data, or a line that is not one number a column.
    """
    text = _bytes_of(path).decode("ascii", errors="replace")
    stated = _DATA_LINES.search(text)
    if stated is None:
        raise InputError("no line states where the data stand", path=str(path))
    first, last = int(stated[1]), int(stated[2])
    rows: list[list[float]] = []
    for number, line in enumerate(text.splitlines()[first - 1 : last], start=first):
        parts = line.split()
        if len(parts) != len(loader.columns):
            raise InputError(
                f"line {number} has {len(parts)} fields, not {len(loader.columns)}", path=str(path)
            )
        rows.append([_number(part, path, number) for part in parts])
    if len(rows) != last - first + 1:
        raise InputError(
            f"{len(rows)} data lines, the header states {first}-{last}", path=str(path)
        )
    table = np.array(rows, dtype=np.float64)
    return RawTable(str(path), {name: table[:, i] for i, name in enumerate(loader.columns)})


def _number(text: str, path: Path, line: int) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"line {line}: {text[:40]!r} is no number", path=str(path)) from error


def _read_file(
    path: Path, loader: FileTable, numeric: Collection[str], text: Collection[str]
) -> RawTable:
    data = _bytes_of(path)
    try:
        if loader.kind == "csv":
            table = _read_csv(data, numeric, text)
        else:
            table = pa_parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise InputError(f"is no {loader.kind} table: {error}", path=str(path)) from error
    names = [name for name in (*numeric, *text) if name in table.column_names]
    return RawTable(str(path), {name: _array(table[name], name in numeric) for name in names})


def _read_csv(data: bytes, numeric: Collection[str], text: Collection[str]) -> Any:
    comments = 0
    for line in data.split(b"\n"):
        if not line.startswith(b"#"):
            break
        comments += 1
    types = dict.fromkeys(text, pa.string()) | dict.fromkeys(numeric, pa.float64())
    return pa_csv.read_csv(
        pa.BufferReader(data),
        read_options=pa_csv.ReadOptions(skip_rows=comments, use_threads=False),
        convert_options=pa_csv.ConvertOptions(column_types=types),
    )


def _array(column: Any, numeric: bool) -> NDArray[Any]:
    if numeric and not pa.types.is_string(column.type):
        return np.asarray(
            column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64
        )
    values = column.cast(pa.string()).to_pylist()
    return np.array(["" if value is None else value for value in values], dtype=object)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=str(path)) from error
