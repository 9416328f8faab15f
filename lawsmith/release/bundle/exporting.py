"""A frozen copy of a release for somebody else: whole, public only, or Discovery only."""

import shutil
import tempfile
from pathlib import Path
from typing import Final

from lawsmith.errors import PrerequisiteError, ReleaseConflictError
from lawsmith.release.bundle.lines import load_manifest
from lawsmith.release.bundle.writing import freeze, thaw
from lawsmith.release.manifest import PUBLIC_MANIFEST, file_sha256, list_files
from schemas.record import CANARY, canonical_json, strict_json
from schemas.task import Setting

EXPORT_NOTE: Final = "public/export.json"
"""Says what a copy leaves out; `verify` then does not miss it."""

_CANDIDATES: Final = (
    "public/identification.jsonl",
    "public/identification.parquet",
    "public/tasks.duckdb",
)
"""Files with candidate formulas, which a Discovery player must not see."""


def export_release(
    release: Path, to: Path, public_only: bool = False, setting: Setting | None = None
) -> Path:
    """Copies a release to `<to>/<release id>`, byte for byte, and makes the copy read-only.

    Args:
        release: a release folder.
        to: the folder to put the copy in.
        public_only: leave sealed/ out.
        setting: `discovery` leaves every file with candidate formulas out; `identification`
            leaves the Discovery tasks out; None keeps both.

    Raises:
        PrerequisiteError: `release` is no release, or is itself a copy that lacks files.
        ReleaseConflictError: the copy exists with other bytes.
    """
    if not (release / PUBLIC_MANIFEST).is_file():
        raise PrerequisiteError(f"no release at {release}", fix="give a release folder")
    manifest = load_manifest(release)
    omitted = set(omitted_files(release))
    if setting == "discovery":
        omitted |= set(_CANDIDATES)
    elif setting == "identification":
        omitted |= {"public/discovery.jsonl", "public/discovery.parquet", "public/tasks.duckdb"}
    target = to / manifest.id
    to.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{manifest.id}.", dir=to))
    try:
        _copy(release, folder, omitted, public_only)
        if target.exists():
            _same_or_refused(folder, target)
        else:
            freeze(folder)
            folder.rename(target)
    finally:
        if folder.exists():
            thaw(folder)
            shutil.rmtree(folder)
    return target


def omitted_files(release: Path) -> tuple[str, ...]:
    """The files that an export says it leaves out; none in a whole release.

    Raises:
        ValueError: the note is no strict JSON of the expected form.
    """
    note = release / EXPORT_NOTE
    if not note.is_file():
        return ()
    data = strict_json(note.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or not isinstance(data.get("omitted"), list):
        raise ValueError("an export note has a list 'omitted'")
    return tuple(str(item) for item in data["omitted"])


def _copy(release: Path, folder: Path, omitted: set[str], public_only: bool) -> None:
    trees = ("public",) if public_only else ("public", "sealed")
    for tree in trees:
        for path in list_files(release, tree):
            name = path.relative_to(release).as_posix()
            if name in omitted or name == EXPORT_NOTE:
                continue
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
    if omitted:
        note = {"canary": CANARY, "omitted": sorted(omitted)}
        (folder / EXPORT_NOTE).write_text(canonical_json(note) + "\n", encoding="utf-8")


def _same_or_refused(folder: Path, target: Path) -> None:
    new, old = _hashes(folder), _hashes(target)
    changed = sorted(name for name in {*new, *old} if new.get(name) != old.get(name))
    if changed:
        raise ReleaseConflictError(
            f"{target} exists with other bytes in {', '.join(changed[:8])}",
            path=str(target),
            fix="export to another folder",
        )


def _hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): file_sha256(path)
        for tree in ("public", "sealed")
        for path in list_files(folder, tree)
    }


__all__ = ("EXPORT_NOTE", "export_release", "omitted_files")
