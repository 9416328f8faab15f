"""Files that appear whole or not at all."""

import os
from pathlib import Path

from lawsmith.errors import PrerequisiteError


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 text under a temporary name, flush it to disk, and rename it.

    Raises:
        PrerequisiteError: the folder or file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".part")
        with fresh.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        raise PrerequisiteError(f"cannot be written: {error}", path=str(path)) from error


__all__ = ("write_whole",)
