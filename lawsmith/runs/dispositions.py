"""Dispositions in the store: one row for each subject, stage, judged digest and release.

Each stage and partition has its own file, so that stages never rewrite each other's rows.
"""

from collections.abc import Iterable, Sequence
from typing import get_args

from lawsmith.gateways.store import (
    Cell,
    Row,
    Store,
    columns_of,
    partitions_of,
    read_partition,
    write_partition,
)
from lawsmith.gateways.store import row_of as stored_row
from lawsmith.runs.context import StageContext
from schemas.record import Record
from schemas.source import Disposition, Outcome, ReasonCode, Stage, SubjectKind

TABLE = "dispositions"
FINAL: frozenset[Outcome] = frozenset({"passed", "rejected"})
"""Outcomes that stand for the digest they judged; the others are taken up again."""


def dispose(
    context: StageContext,
    *,
    stage: Stage,
    kind: SubjectKind,
    subject_id: str,
    digest: str,
    outcome: Outcome,
    code: ReasonCode,
    sentence: str,
    paper_id: str | None,
    version: int | None,
    release_id: str | None = None,
    earlier: Disposition | None = None,
) -> Disposition:
    """A disposition as of now; `attempts` counts the runs that ended without a final outcome."""
    parts = [stage.replace("/", "-"), subject_id, digest[:12]]
    attempts = 1
    if earlier is not None and earlier.digest_judged == digest:
        attempts = earlier.attempts + 1
    return Disposition(
        id="/".join([*parts, release_id] if release_id else parts),
        subject_kind=kind,
        subject_id=subject_id,
        stage=stage,
        digest_judged=digest,
        release_id=release_id,
        paper_id=paper_id,
        version=version,
        outcome=outcome,
        reason_code=code,
        sentence=sentence,
        retryable=outcome in {"waiting", "failed", "deferred"},
        attempts=attempts,
        at=context.now(),
    )


def read_stage(
    context: StageContext, stage: Stage, partition: str
) -> dict[tuple[str, str], Disposition]:
    """(subject id, judged digest) -> disposition of one stage and partition."""
    rows = read_partition(context.store, TABLE, context.collection, _file(stage, partition))
    found = [Disposition.from_json(row.record) for row in rows]
    return {(item.subject_id, item.digest_judged): item for item in found}


def write_stage(
    context: StageContext, stage: Stage, partition: str, dispositions: Iterable[Disposition]
) -> None:
    """Replace the dispositions of one stage and partition."""
    rows = [
        row_of(
            context,
            item,
            table=TABLE,
            partition=_file(stage, partition),
            paper_id=item.paper_id,
            outcome=item.outcome,
            code=item.reason_code,
            subject_id=item.subject_id,
            subject_kind=item.subject_kind,
            stage=item.stage,
            digest_judged=item.digest_judged,
            release_id=item.release_id,
            version=item.version,
            sentence=item.sentence,
            retryable=item.retryable,
            attempts=item.attempts,
            at=item.at,
        )
        for item in dispositions
    ]
    write_partition(context.store, TABLE, context.collection, _file(stage, partition), rows)


def all_dispositions(store: Store, collection: str) -> list[Disposition]:
    """Every disposition of a collection, by id."""
    found = [
        Disposition.from_json(row.record)
        for partition in partitions_of(store, TABLE, collection)
        for row in read_partition(store, TABLE, collection, partition)
    ]
    return sorted(found, key=lambda item: item.id)


def latest_by_subject(dispositions: Sequence[Disposition]) -> dict[tuple[str, str], Disposition]:
    """(stage, subject id) -> the newest disposition that is not of a release."""
    found: dict[tuple[str, str], Disposition] = {}
    for item in sorted(dispositions, key=lambda entry: entry.at):
        if item.release_id is None:
            found[item.stage, item.subject_id] = item
    return found


def furthest_by_paper(dispositions: Sequence[Disposition]) -> dict[str, Disposition]:
    """Paper version -> its furthest disposition: a paper's state is derived, never stored."""
    order = {stage: n for n, stage in enumerate(get_args(Stage))}
    latest = [
        item
        for item in latest_by_subject(dispositions).values()
        if item.paper_id is not None and item.stage != "publications"
    ]
    newest: dict[str, int] = {}
    for item in latest:
        newest[str(item.paper_id)] = max(newest.get(str(item.paper_id), 0), item.version or 0)
    found: dict[str, Disposition] = {}
    for item in latest:
        # A family knows its paper but not the version; it is of the newest one.
        version = item.version or newest[str(item.paper_id)]
        # What a source lists and nobody can read may have no version at all.
        paper = f"{item.paper_id}v{version}" if version else str(item.paper_id)
        held = found.get(paper)
        if held is None or (order[item.stage], item.at) >= (order[held.stage], held.at):
            found[paper] = item
    return found


def row_of(
    context: StageContext,
    record: Record,
    *,
    partition: str,
    table: str,
    paper_id: str | None,
    outcome: Outcome = "passed",
    code: ReasonCode = ReasonCode.OK,
    **cells: Cell,
) -> Row:
    """The stage table row of a record; filter columns that are not given hold null.

    Raises:
        InputError: a cell for a column that the table does not have.
    """
    blank: dict[str, Cell] = dict.fromkeys(columns_of(table))
    return stored_row(
        record,
        collection=context.collection,
        partition=partition,
        code_version=context.code_version,
        paper_id=paper_id,
        extra={**blank, **cells},
        outcome=outcome,
        reason_code=code.value,
    )


def _file(stage: Stage, partition: str) -> str:
    return f"{stage.replace('/', '-')}.{partition}"
