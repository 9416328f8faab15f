"""JSON-lines files that grow line by line, and whose last line a kill may have torn."""

from pathlib import Path

from schemas.record import strict_json


def whole_lines(path: Path) -> list[str]:
    """The lines of a file without a torn last one; none where there is no file.

    Lines end at line feeds only: a record may hold any other line separator. A byte that is no
    UTF-8 is read as U+FFFD, so that its line alone is at fault.
    """
    if not path.is_file():
        return []
    *lines, last = path.read_bytes().decode("utf-8", "replace").split("\n")
    kept = [*lines, last] if _is_whole(last) else lines
    return [line for line in kept if line.strip()]


def drop_torn_line(path: Path) -> None:
    """Make the next line that is written start a line: end the last one, or cut off a torn one."""
    if not path.is_file():
        return
    data = path.read_bytes()
    start = data.rfind(b"\n") + 1
    if start == len(data):
        return
    whole = _is_whole(data[start:].decode("utf-8", "replace"))
    with path.open("r+b") as file:
        if whole:
            file.seek(0, 2)
            file.write(b"\n")
        else:
            file.truncate(start)


def _is_whole(line: str) -> bool:
    try:
        strict_json(line)
    except ValueError:
        return False
    return True


__all__ = ("drop_torn_line", "whole_lines")
