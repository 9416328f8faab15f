"""Stage `exports`: the public bundle of a release, as an evaluator downloads it."""

from lawsmith.gateways.warehouse import read_partition, write_partition
from lawsmith.release.bundle import export_release, read_public
from lawsmith.stages.context import StageContext, StageReport, report
from lawsmith.stages.dispositions import row_of

TABLE = "exports"


def run(context: StageContext, release_id: str) -> StageReport:
    """Copy the public tree of the release into the store's exports."""
    release = context.store.releases / release_id
    before = (context.store.exports / release_id).exists()
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
