"""Stage `exports`: the public bundle of a release, as an evaluator downloads it."""

import shutil

from lawsmith.gateways.store import read_partition, write_partition
from lawsmith.release import PUBLIC_MANIFEST, list_files
from lawsmith.release.bundle import export_release, read_manifest, read_public, thaw
from lawsmith.runs import StageContext, StageReport, report, row_of

TABLE = "exports"


def is_exported(context: StageContext, release_id: str) -> bool:
    """Whether the store's copy of a release is there with every file in its length."""
    copy = context.store.exports / release_id
    original = context.store.releases / release_id / PUBLIC_MANIFEST
    manifest = copy / PUBLIC_MANIFEST
    if not (original.is_file() and manifest.is_file()):
        return False
    if manifest.read_bytes() != original.read_bytes():
        return False
    listed = {item.path: item.bytes for item in read_manifest(copy).files}
    found = {path.relative_to(copy).as_posix(): path for path in list_files(copy, "public")}
    del found[PUBLIC_MANIFEST]
    return listed == {name: path.stat().st_size for name, path in found.items()}


def run(context: StageContext, release_id: str) -> StageReport:
    """Copy the public tree of the release into the store's exports."""
    release = context.store.releases / release_id
    target = context.store.exports / release_id
    before = is_exported(context, release_id)
    if target.exists() and not before:
        # It is derived: what lacks files, or is of a release that was cut again, is made anew.
        thaw(target)
        shutil.rmtree(target)
    path = export_release(release, context.store.exports, public_only=True)
    manifest = read_public(path).manifest
    held = read_partition(context.store, "releases", context.collection, release_id)
    row = row_of(
        context,
        manifest,
        table=TABLE,
        partition=release_id,
        paper_id=None,
        subject_id=release_id,
        release_id=release_id,
        path=str(path),
        content_digest=str(held[0].extra["content_digest"]) if held else None,
        files=len(manifest.files),
    )
    write_partition(context.store, TABLE, context.collection, release_id, [row])
    return report(
        "exports",
        [row],
        [],
        new=int(not before),
        columns=("file", "rows", "sha256"),
        preview=[
            (file.path, "" if file.rows is None else str(file.rows), file.sha256[:16])
            for file in manifest.files
        ],
        figures={"files": float(len(manifest.files))},
        notes=(str(path),),
    )
