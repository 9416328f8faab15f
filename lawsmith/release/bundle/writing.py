"""Writing a release: beside its place, synced, then one rename; read-only from then on."""

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lawsmith.errors import IntegrityError, PrerequisiteError, ReleaseConflictError
from lawsmith.mutation.screening import certify
from lawsmith.release.assembly import Assembly, assemble
from lawsmith.release.bundle.comparison import changed_rows
from lawsmith.release.bundle.database import write_database
from lawsmith.release.bundle.lines import load_manifest
from lawsmith.release.bundle.reading import load, load_lines
from lawsmith.release.calibrated_leaks import calibrated_leak_faults
from lawsmith.release.content import ReleaseContent, check_version
from lawsmith.release.gates import Certifier, check_gates
from lawsmith.release.leaks import leak_faults
from lawsmith.release.manifest import (
    PUBLIC_MANIFEST,
    SEALED_MANIFEST,
    claims_digests,
    file_sha256,
    manifest_text,
    public_claims,
    public_manifest,
    sealed_manifest,
)
from lawsmith.release.pages import (
    dataset_card,
    licence_rows,
    public_pages,
    public_problem_pages,
    sealed_pages,
    sealed_problem_pages,
)
from lawsmith.release.problems import data_licences, pool_path
from lawsmith.release.tables import TABLE_PATHS, jsonl_text, write_parquet
from schemas.calibrated_task import ParallelKey
from schemas.record import Instant
from schemas.release import SealedManifest
from schemas.task import SealedKey


@dataclass(frozen=True)
class Written:
    """What became of a call to `write_release`."""

    path: Path
    status: Literal["written", "identical"]
    content_digest: str


def write_release(
    releases_root: Path,
    content: ReleaseContent,
    created_at: Instant,
    code_version: str,
    certifier: Certifier = certify,
    expected: str | None = None,
) -> Written:
    """Writes `<releases_root>/<release id>`, or says that it stands there already.

    Args:
        releases_root: the folder of all releases.
        content: what to release.
        created_at: the present instant; outside every digest.
        code_version: what wrote it; outside every digest.
        certifier: recomputes a family's certificates.
        expected: the content digest that the release had when it was written before.

    Raises:
        InputError: the version is none or has the wrong suffix.
        IntegrityError: a gate or the leak check does not hold.
        ReleaseConflictError: the version exists or existed with other content, or a law changed
            under a task id that another release of the collection uses.
    """
    check_version(content.collection, content.version)
    assembly = assemble(content)
    target = releases_root / content.release_id
    if target.exists() and _stored_digest(target) == assembly.digest:
        # The same rows, policies and key went through the gates when they were written.
        return Written(target, "identical", assembly.digest)
    if expected not in (None, assembly.digest) and not target.exists():
        raise ReleaseConflictError(
            f"the release was written with content {expected} and is gone; the store now gives"
            f" {assembly.digest}",
            path=content.release_id,
            fix="put the folder back from a copy, or cut the next version",
        )
    check_gates(content, certifier)
    leaks = leak_faults(
        assembly.tasks,
        assembly.fixed,
        assembly.keys,
        content.families,
        content.cards,
        content.papers,
    )
    observed = [row for item in content.problems for row in item.observations]
    observed.sort(key=lambda row: (row.task_id, row.index))
    leaks += calibrated_leak_faults(content.problems, assembly.calibrated, observed)
    if leaks:
        listed = "; ".join(f"{fault.path}: {fault.what}" for fault in leaks[:20])
        raise IntegrityError(f"{len(leaks)} leaks: {listed}", path=content.release_id)
    if target.exists():
        raise _conflict(target, assembly)
    _refuse_changed_laws(releases_root, assembly)
    releases_root.mkdir(parents=True, exist_ok=True)
    _write_beside(target, lambda folder: _fill(folder, assembly, created_at, code_version))
    return Written(target, "written", assembly.digest)


def freeze(folder: Path) -> None:
    """Makes a tree read-only, files before their folders, after syncing every byte."""
    for path in sorted(folder.rglob("*"), reverse=True):
        _sync(path)
        path.chmod(0o555 if path.is_dir() else 0o444)
    _sync(folder)
    folder.chmod(0o555)


def _stored_digest(target: Path) -> str:
    return load(target, SEALED_MANIFEST, SealedManifest.from_json).content_digest


def _conflict(target: Path, assembly: Assembly) -> ReleaseConflictError:
    changed = changed_rows(target, assembly.tables)
    shown = ", ".join(changed[:12]) + (f" and {len(changed) - 12} more" if changed[12:] else "")
    return ReleaseConflictError(
        f"version {assembly.content.version} exists with other content; changed:"
        f" {shown or 'policies or key'}",
        path=assembly.content.release_id,
        fix="give it a new version, with a reason and the old one as parent",
    )


def _refuse_changed_laws(root: Path, assembly: Assembly) -> None:
    """A task id never changes its law, over all releases of the collection."""
    laws: dict[str, object] = {key.id: key.laws for key in assembly.keys}
    for item in assembly.content.problems:
        if item.parallel_key is not None:
            laws[item.parallel_key.id] = _hidden(item.parallel_key)
    for folder in sorted(root.glob("*/")) if root.is_dir() else []:
        if folder.name.startswith(".") or not (folder / "sealed" / "keys.jsonl").is_file():
            continue
        manifest = load_manifest(folder)
        if manifest.collection != assembly.content.collection:
            continue
        stored = _stored_laws(folder)
        changed = [task for task, law in stored.items() if task in laws and law != laws[task]]
        if changed:
            raise ReleaseConflictError(
                f"the law changed under task ids that {folder.name} uses: {', '.join(changed)}",
                path=assembly.content.release_id,
                fix="give the changed family a new id",
            )


def _stored_laws(folder: Path) -> dict[str, object]:
    """Task id -> its law, of every kind that has a hidden one."""
    keys = load_lines(folder, "sealed/keys.jsonl", SealedKey.from_json)
    found: dict[str, object] = {key.id: key.laws for key in keys}
    hidden = TABLE_PATHS["parallel_keys"]
    if (folder / hidden).is_file():
        found |= {k.id: _hidden(k) for k in load_lines(folder, hidden, ParallelKey.from_json)}
    return found


def _hidden(key: ParallelKey) -> tuple[object, ...]:
    return key.law, key.constants, key.group_labels


def _write_beside(target: Path, fill: Callable[[Path], None]) -> None:
    """Fills a new folder beside the target and renames it; nothing is left of a failure."""
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        fill(folder)
        freeze(folder)
        try:
            folder.rename(target)
        except OSError as error:
            raise PrerequisiteError(
                f"{target.name} cannot be put in place: {error.strerror}", path=str(target)
            ) from error
        _sync(target.parent)
    finally:
        if folder.exists():
            thaw(folder)
            shutil.rmtree(folder)


def thaw(folder: Path) -> None:
    """Makes the folders of a tree writable again, so that it can be removed."""
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


def _fill(folder: Path, assembly: Assembly, created_at: Instant, code_version: str) -> None:
    content = assembly.content
    for tree in ("public/gallery", "sealed/gallery"):
        (folder / tree).mkdir(parents=True)
    for table, lines in assembly.tables.items():
        _write(folder / TABLE_PATHS[table], jsonl_text(lines))
    rows = {table: assembly.rows(table) for table in assembly.public_tables}
    for name, found in rows.items():
        write_parquet(folder / "public" / f"{name}.parquet", name, found)
    _write_pools(folder, content)
    write_database(folder / "public" / "tasks.duckdb", rows)
    _write(folder / "sealed" / "collection.key", assembly.key_text)
    _write_pages(folder, assembly)
    sealed = sealed_manifest(
        folder,
        content,
        digest=assembly.digest,
        claims=claims_digests(public_claims(content)),
        key_sha256=assembly.key_sha256,
        created_at=created_at,
        code_version=code_version,
    )
    _write(folder / SEALED_MANIFEST, manifest_text(sealed))
    public = public_manifest(
        folder,
        content,
        commitment=file_sha256(folder / SEALED_MANIFEST),
        created_at=created_at,
        code_version=code_version,
    )
    _write(folder / PUBLIC_MANIFEST, manifest_text(public))


def _write_pools(folder: Path, content: ReleaseContent) -> None:
    """The pools of the worlds: inputs and residuals, no law."""
    for item in content.problems:
        if item.world is not None and item.pool is not None:
            path = folder / pool_path(item.world)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(item.pool)


def _write_pages(folder: Path, assembly: Assembly) -> None:
    content = assembly.content
    observed = {item.real.id: item.observations for item in content.problems if item.real}
    galleries = {
        "public": (
            public_pages(content, assembly.tasks, assembly.fixed_by_task),
            public_problem_pages(content, assembly.calibrated, observed),
        ),
        "sealed": (sealed_pages(content, assembly.keys), sealed_problem_pages(content)),
    }
    for tree, parts in galleries.items():
        for pages in parts:
            for name, page in pages.items():
                _write(folder / tree / "gallery" / name, page)
    licences = licence_rows(content.families, content.papers, data_licences(content.problems))
    card = dataset_card(content, assembly.tasks, licences)
    _write(folder / "public/README.md", card)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


__all__ = ("Written", "freeze", "thaw", "write_release")
