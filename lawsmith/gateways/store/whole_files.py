"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from lawsmith.errors import PrerequisiteError


@contextmanager
def open_whole(path: Path) -> Iterator[TextIO]:
    """A UTF-8 text stream under a temporary name; flushed to disk and renamed at the end.

    After an error the file stays as it was.

    Raises:
        PrerequisiteError: the folder or file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".part")
        with fresh.open("w", encoding="utf-8") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        raise PrerequisiteError(f"cannot be written: {error}", path=str(path)) from error


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 text under a temporary name, flush it to disk, and rename it.

    Raises:
        PrerequisiteError: the folder or file cannot be written.
    """
    with open_whole(path) as stream:
        stream.write(text)


__all__ = ("open_whole", "write_whole")
