"""Whether Parquet files of a store can be read whole, and what to do about one that cannot."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lawsmith.errors import IntegrityError


def schema_in(path: Path) -> Any:
    """The Arrow schema that a file states.

    Raises:
        IntegrityError: the file is no Parquet file.
    """
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from error


def check_files(paths: Iterable[Path]) -> None:
    """Read files to their end.

    Raises:
        IntegrityError: one cannot be read; the message names it.
    """
    for path in paths:
        try:
            with pq.ParquetFile(path, page_checksum_verification=True) as source:
                for _ in source.iter_batches():
                    pass
        except (pa.ArrowException, OSError) as error:
            raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> IntegrityError:
    """The error that names a damaged file of a stage table or of a release."""
    released = path.parent.name in {"public", "sealed"}
    fix = "delete the file and run the stage again"
    if released:
        fix = "restore the release from a backup; `lawsmith verify` checks it"
    return IntegrityError(f"not a readable Parquet file: {error}", path=str(path), fix=fix)


__all__ = ("check_files", "damaged", "schema_in")
