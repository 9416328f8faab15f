"""Damage to a release: as a careless hand does it, and as one that re-hashes what it can."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lawsmith.release.bundle.accounting import stored_digest
from lawsmith.release.bundle.database import write_database
from lawsmith.release.manifest import (
    PUBLIC_MANIFEST,
    SEALED_MANIFEST,
    describe_file,
    file_sha256,
    list_files,
    manifest_text,
)
from lawsmith.release.tables import (
    CALIBRATED_PUBLIC,
    PUBLIC_TABLES,
    TABLE_PATHS,
    calibrated_row,
    task_row,
    write_parquet,
)
from schemas.calibrated_score import CalibratedScore
from schemas.calibrated_task import (
    CalibratedSubmission,
    ParallelKey,
    ParallelTask,
    RealKey,
    RealTask,
)
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard
from schemas.problem import Problem
from schemas.record import Record, canonical_json
from schemas.release import PublicManifest, SealedManifest
from schemas.review import Review
from schemas.task import PublicTask, SealedKey
from schemas.world import CalibratedWorld, PairedWorld

KINDS: dict[str, type[Record]] = {
    "discovery": PublicTask,
    "identification": PublicTask,
    "keys": SealedKey,
    "families": Family,
    "cards": Card,
    "reviews": Review,
    "worlds": PairedWorld,
    "parallel": ParallelTask,
    "real": RealTask,
    "problems": Problem,
    "parallel_keys": ParallelKey,
    "real_keys": RealKey,
    "calibrated_worlds": CalibratedWorld,
    "baselines": CalibratedScore,
    "baseline_submissions": CalibratedSubmission,
}


def alter(
    release: Path, table: str, row: int, pointer: str, change: Callable[[Any], Any]
) -> tuple[str, Any]:
    """Changes one value of one row; the row's id and the new value."""
    path = release / TABLE_PATHS[table]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    *parents, last = pointer.strip("/").split("/")
    node: Any = rows[row]
    for part in parents:
        node = node[int(part) if isinstance(node, list) else part]
    place: Any = int(last) if isinstance(node, list) else last
    assert node[place] != change(node[place])
    node[place] = change(node[place])
    _write_rows(path, rows)
    name = (
        rows[row].get("id")
        or rows[row].get("licence")
        or f"{rows[row]['task_id']}/{rows[row]['index']}"
    )
    return name, node[place]


def value_at(release: Path, table: str, row: int, pointer: str) -> Any:
    """The value at a pointer into one row."""
    node: Any = json.loads(
        (release / TABLE_PATHS[table]).read_text(encoding="utf-8").splitlines()[row]
    )
    for part in pointer.strip("/").split("/"):
        node = node[int(part) if isinstance(node, list) else part]
    return node


def another_hash(release: Path, manifest: str, number: int) -> str:
    """Changes one sha256 in a manifest, and the commitment to it; the path of the file it is of."""
    kind = PublicManifest if manifest == PUBLIC_MANIFEST else SealedManifest
    found = kind.from_json((release / manifest).read_text(encoding="utf-8"))
    files = list(found.files)
    files[number] = files[number].model_copy(update={"sha256": "0f" * 32})
    altered = found.model_copy(update={"files": tuple(files)})
    (release / manifest).write_text(manifest_text(altered), encoding="utf-8")
    if manifest == SEALED_MANIFEST:
        public = PublicManifest.from_json((release / PUBLIC_MANIFEST).read_text(encoding="utf-8"))
        commitment = file_sha256(release / SEALED_MANIFEST)
        public = public.model_copy(update={"sealed_commitment": commitment})
        (release / PUBLIC_MANIFEST).write_text(manifest_text(public), encoding="utf-8")
    return files[number].path


def rehash(release: Path, table: str) -> None:
    """Recomputes the row digests of a table, the twins, every hash and the commitment."""
    path = release / TABLE_PATHS[table]
    if table in KINDS:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for data in rows:
            data["digest"] = _record(table, data).digest
        _write_rows(path, rows)
    _write_twins(release)
    _write_manifests(release)


def _record(table: str, data: dict[str, Any]) -> Any:
    kind = HistoricalCard if "mutation_rules" in data else KINDS[table]
    fields = {k: v for k, v in data.items() if k in kind.model_fields}
    return kind.model_validate_json(json.dumps(fields))


def _write_twins(release: Path) -> None:
    tables: dict[Any, list[dict[str, Any]]] = {}
    there = (*PUBLIC_TABLES, *CALIBRATED_PUBLIC)
    for table in (name for name in there if (release / TABLE_PATHS[name]).is_file()):
        text = (release / TABLE_PATHS[table]).read_text(encoding="utf-8")
        rows = [json.loads(line) for line in text.splitlines()]
        if table in ("parallel", "real"):
            rows = [calibrated_row(_record(table, row)) for row in rows]
        elif table not in ("fixed_observations", "real_observations"):
            rows = [task_row(_public(row)) for row in rows]
        tables[table] = rows
        write_parquet(release / "public" / f"{table}.parquet", table, rows)
    (release / "public/tasks.duckdb").unlink()
    write_database(release / "public/tasks.duckdb", tables)


def _public(row: dict[str, Any]) -> PublicTask:
    fields = {k: v for k, v in row.items() if k in PublicTask.model_fields}
    return PublicTask.model_validate_json(json.dumps(fields))


def _write_manifests(release: Path) -> None:
    sealed = SealedManifest.from_json((release / SEALED_MANIFEST).read_text(encoding="utf-8"))
    public = PublicManifest.from_json((release / PUBLIC_MANIFEST).read_text(encoding="utf-8"))
    files = [
        describe_file(release, path)
        for tree in ("public", "sealed")
        for path in list_files(release, tree)
        if path.name != "manifest.json"
    ]
    key_sha256 = file_sha256(release / "sealed/collection.key")
    content = stored_digest(release, public, key_sha256)
    sealed = sealed.model_copy(
        update={"files": tuple(files), "content_digest": content, "key_sha256": key_sha256}
    )
    (release / SEALED_MANIFEST).write_text(manifest_text(sealed), encoding="utf-8")
    public = public.model_copy(
        update={
            "files": tuple(item for item in files if item.path.startswith("public/")),
            "sealed_commitment": file_sha256(release / SEALED_MANIFEST),
        }
    )
    (release / PUBLIC_MANIFEST).write_text(manifest_text(public), encoding="utf-8")


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(canonical_json(row) + "\n" for row in rows), encoding="utf-8")
