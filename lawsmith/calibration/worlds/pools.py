"""The pool of a world as bytes: plain columns in Parquet, whose hash the world states."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lawsmith.errors import IntegrityError
from schemas.world import CalibratedWorld

Floats = NDArray[np.float64]

POOL: Final = "pool.parquet"
GROUP_COLUMN: Final = "group"
RESIDUAL_COLUMN: Final = "residual"
INPUT_PREFIX: Final = "input "
"""Inputs may bear any name: a blank keeps them apart from the other columns."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Inputs and debiased residuals, group by group, in rows of the canonical table."""

    labels: tuple[str, ...]
    """Groups, in the order of the world."""
    inputs: tuple[Floats, ...]
    """By group, shape (rows, controls)."""
    residuals: tuple[Floats, ...]
    """By group, shape (rows,)."""


def pool_bytes(pool: Pool, controls: Sequence[str]) -> bytes:
    """The Parquet file of a pool; the same pool gives the same bytes."""
    lengths = [len(rows) for rows in pool.residuals]
    # A dictionary holds each label once.
    codes = pa.array(np.repeat(np.arange(len(lengths), dtype=np.int32), lengths))
    columns: dict[str, pa.Array] = {
        GROUP_COLUMN: pa.DictionaryArray.from_arrays(codes, pa.array(list(pool.labels)))
    }
    for place, name in enumerate(controls):
        parts = [table[:, place] for table in pool.inputs]
        columns[INPUT_PREFIX + name] = pa.array(np.concatenate(parts))
    columns[RESIDUAL_COLUMN] = pa.array(np.concatenate(pool.residuals))
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd", version="2.6")
    return bytes(sink.getvalue().to_pybytes())


def world_file(release: Path, world: CalibratedWorld) -> Path:
    """Where a release keeps the pool of a world: `sealed/worlds/<problem>.parquet`."""
    return release / "sealed" / "worlds" / f"{world.problem_id}.parquet"


def read_pool(data: bytes, world: CalibratedWorld) -> Pool:
    """The pool of the bytes of its file.

    Raises:
        IntegrityError: its hash, columns, groups or rows are not those of the world.
    """
    _check(data, world, Path(world.pool.path))
    names = [INPUT_PREFIX + control.name for control in world.controls]
    table = pq.read_table(pa.BufferReader(data))
    if table.column_names != [GROUP_COLUMN, *names, RESIDUAL_COLUMN]:
        raise IntegrityError(f"columns are {table.column_names}", path=POOL)
    labels = table[GROUP_COLUMN].to_numpy().astype(np.str_)
    expected = [np.full(group.pool_rows, group.label) for group in world.groups]
    if not np.array_equal(labels, np.concatenate(expected)):
        raise IntegrityError("groups are not those of the world, in its order", path=POOL)
    ends = np.cumsum([group.pool_rows for group in world.groups])[:-1]
    inputs = np.column_stack([table[name].to_numpy() for name in names])
    residuals = table[RESIDUAL_COLUMN].to_numpy()
    if not (np.isfinite(inputs).all() and np.isfinite(residuals).all()):
        raise IntegrityError("a number is not finite", path=POOL)
    return Pool(
        tuple(group.label for group in world.groups),
        tuple(np.split(inputs, ends)),
        tuple(np.split(residuals, ends)),
    )


def _check(data: bytes, world: CalibratedWorld, path: Path) -> None:
    found = sha256(data).hexdigest()
    if found != world.pool.sha256:
        raise IntegrityError(
            f"sha256 {found} is not {world.pool.sha256}",
            path=str(path),
            fix="restore the file or build the world again",
        )


__all__ = (
    "POOL",
    "Pool",
    "pool_bytes",
    "read_pool",
    "world_file",
)
