"""Values of the files of a release; a file or line that does not read is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from lawsmith.errors import IntegrityError
from lawsmith.release.manifest import PUBLIC_MANIFEST
from lawsmith.rules import check_manifest
from schemas.record import Record, canonical_json, strict_json
from schemas.release import PublicManifest

RecordT = TypeVar("RecordT", bound=Record)
ValueT = TypeVar("ValueT")


def load(release: Path, path: str, parse: Callable[[str], ValueT]) -> ValueT:
    """The value of one whole file.

    Raises:
        IntegrityError: the file is missing or does not parse.
    """
    try:
        return parse((release / path).read_bytes().decode("utf-8"))
    except (OSError, ValueError) as error:
        raise IntegrityError(f"does not read: {error}", path=path) from error


def load_manifest(release: Path) -> PublicManifest:
    """The public manifest of a release whose rows have a form that this code reads.

    Raises:
        PrerequisiteError: they have another form; the message names the Lawsmith that reads it.
        IntegrityError: the file is missing or does not parse.
    """
    check_manifest(load(release, PUBLIC_MANIFEST, str), "read")
    return load(release, PUBLIC_MANIFEST, PublicManifest.from_json)


def load_lines(release: Path, path: str, parse: Callable[[str], ValueT]) -> tuple[ValueT, ...]:
    """The values of a JSONL file.

    Raises:
        IntegrityError: the file is missing or a line does not parse; the path names the line.
    """
    text = load(release, path, str)
    if text and not text.endswith("\n"):
        raise IntegrityError("the last line is cut off", path=path)
    found: list[ValueT] = []
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            found.append(parse(line))
        except (ValueError, KeyError, TypeError) as error:
            raise IntegrityError(f"does not read: {error}", path=f"{path}:{number}") from error
    return tuple(found)


def without_canary(kind: type[RecordT]) -> Callable[[str], RecordT]:
    """The reader of a record whose rows carry the canary beside its own fields."""

    def read(line: str) -> RecordT:
        return kind.from_json(canonical_json(bare(line)))

    return read


def bare(line: str) -> dict[str, Any]:
    """The fields of a row without the canary.

    Raises:
        ValueError: no object, or no canary.
    """
    data = strict_json(line)
    if not isinstance(data, dict):
        raise ValueError(f"a {type(data).__name__}, not an object")
    if "canary" not in data:
        raise ValueError("the canary is missing")
    del data["canary"]
    return data


__all__ = ("bare", "load", "load_lines", "load_manifest", "without_canary")
