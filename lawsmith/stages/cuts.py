"""Cuts: what a release was asked to hold, stored before it is made and never changed."""

from lawsmith.errors import InputError, ReleaseConflictError
from lawsmith.gateways.warehouse import read_partition, write_partition
from lawsmith.release.content import check_version
from lawsmith.stages.context import StageContext
from lawsmith.stages.dispositions import row_of
from schemas.release import Cut

TABLE = "cuts"


def ask(context: StageContext, cut: Cut) -> None:
    """Store a cut.

    Raises:
        InputError: the version is none, or lacks the suffix of its collection.
        ReleaseConflictError: the release id was asked for with other terms before.
    """
    check_version(cut.collection, cut.version)
    before = read_partition(context.store, TABLE, cut.collection, cut.id)
    if before and before[0].digest != cut.digest:
        raise ReleaseConflictError(
            f"{cut.id} was cut on other terms: {before[0].record}",
            path=cut.id,
            fix="give the next --version; a version keeps its terms for ever",
        )
    row = row_of(
        context,
        cut,
        table=TABLE,
        partition=cut.id,
        paper_id=None,
        subject_id=cut.id,
        release_id=cut.id,
        cutoff=cut.cutoff,
        until=cut.until,
    )
    write_partition(context.store, TABLE, cut.collection, cut.id, [row])


def cut_of(context: StageContext, release_id: str) -> Cut:
    """The cut of a release id.

    Raises:
        InputError: nothing was asked for under this id.
    """
    rows = read_partition(context.store, TABLE, context.collection, release_id)
    if not rows:
        raise InputError(
            f"no cut is stored for {release_id!r}",
            path=release_id,
            fix="ask for it with `lawsmith release`; a partition key alone has no terms",
        )
    return Cut.from_json(rows[0].record)
