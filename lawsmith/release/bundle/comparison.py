"""What changed between two releases, and between a release and what would be written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lawsmith.release.bundle.reading import load_lines, read_public
from lawsmith.release.differences import differences
from lawsmith.release.tables import TABLE_PATHS
from schemas.record import canonical_json, strict_json


@dataclass(frozen=True)
class TaskChange:
    """One row that both releases have, with different content."""

    table: str
    id: str
    paths: tuple[str, ...]
    """JSON Pointers to the fields that differ."""


@dataclass(frozen=True)
class ReleaseDiff:
    """What a newer release has, lacks and changed against an older one."""

    old: str
    new: str
    added: tuple[str, ...]
    """Task ids."""
    removed: tuple[str, ...]
    changed: tuple[TaskChange, ...]
    manifest: tuple[str, ...]
    """Fields of the public manifests that differ, file lists apart."""

    @property
    def identical(self) -> bool:
        """No row differs."""
        return not (self.added or self.removed or self.changed)


def diff_releases(old: Path, new: Path) -> ReleaseDiff:
    """The rows added, removed and changed from `old` to `new`, over every table both have.

    Raises:
        PrerequisiteError: a folder is no release.
        IntegrityError: a file or row does not read.
    """
    before, after = read_public(old), read_public(new)
    tasks_before, tasks_after = before.task_ids, after.task_ids
    changed: list[TaskChange] = []
    for table, path in TABLE_PATHS.items():
        if not ((old / path).is_file() and (new / path).is_file()):
            continue
        left, right = _rows(old, path), _rows(new, path)
        for identity in sorted({*left} & {*right}):
            paths = differences(left[identity], right[identity])
            kept = tuple(item for item in paths if item != "/digest")
            if kept:
                changed.append(TaskChange(table, identity, kept))
    ignored = ("/files", "/digest", "/id", "/version", "/created_at", "/code_version")
    manifest = tuple(
        path
        for path in differences(
            strict_json(before.manifest.to_json()), strict_json(after.manifest.to_json())
        )
        if not path.startswith(ignored)
    )
    return ReleaseDiff(
        old=before.manifest.id,
        new=after.manifest.id,
        added=tuple(sorted(tasks_after - tasks_before)),
        removed=tuple(sorted(tasks_before - tasks_after)),
        changed=tuple(changed),
        manifest=manifest,
    )


def changed_rows(release: Path, tables: Mapping[str, Sequence[str]]) -> list[str]:
    """`table/id` of every row that differs between a release folder and lines to be written."""
    found: list[str] = []
    for table, path in TABLE_PATHS.items():
        old = _rows(release, path)
        new = {_identity(row): row for row in map(_parsed, tables.get(table, ()))}
        found += [
            f"{table}/{identity}"
            for identity in sorted({*old, *new})
            if canonical_json(old.get(identity)) != canonical_json(new.get(identity))
        ]
    return found


def _rows(release: Path, path: str) -> dict[str, dict[str, Any]]:
    if not (release / path).is_file():
        # A release without problems has none of their tables.
        return {}
    return {_identity(row): row for row in load_lines(release, path, _parsed)}


def _parsed(line: str) -> dict[str, Any]:
    data: dict[str, Any] = strict_json(line)
    return data


def _identity(row: Mapping[str, Any]) -> str:
    if "index" in row and "task_id" in row:
        return f"{row['task_id']}/{row['index']}"
    return str(row.get("id") or row.get("paper_id") or row.get("licence"))


__all__ = ("ReleaseDiff", "TaskChange", "changed_rows", "diff_releases")
