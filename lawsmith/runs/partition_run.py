"""One pass of a stage over one partition: what is done stays, what is new is settled."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lawsmith.gateways.store import Row, has_partition, read_partition, write_partition
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import FINAL, dispose, read_stage, write_stage
from lawsmith.runs.row_history import keep
from schemas.source import Disposition, Outcome, ReasonCode, Stage, SubjectKind


@dataclass(frozen=True)
class Subject:
    """What a stage judges: an identity, the digest it has now, and the paper behind it."""

    kind: SubjectKind
    id: str
    digest: str
    paper_id: str | None
    version: int | None


class Written(NamedTuple):
    """What a stage wrote: all rows and dispositions of its partitions, old ones included."""

    rows: list[Row]
    dispositions: list[Disposition]
    new: int
    """How many subjects were settled in this run."""


def run_weeks(weeks: Sequence[str], run_week: Callable[[str], Written]) -> Written:
    """What a stage wrote, working through the weeks one after the other.

    Args:
        weeks: the weekly partitions.
        run_week: does the work of one week and writes it.
    """
    rows, dispositions, new = list[Row](), list[Disposition](), 0
    for week in weeks:
        written = run_week(week)
        rows.extend(written.rows)
        dispositions.extend(written.dispositions)
        new += written.new
    return Written(rows, dispositions, new)


@dataclass
class PartitionPass:
    """The rows and dispositions of one stage and partition while they are being worked on.

    A subject whose digest has a final disposition is left alone with its rows; where a row that
    it passed with is gone, or the whole partition, it is taken up again. Rows of subjects that
    are not visited stay (an older version of a paper keeps its card), unless a subject settled
    in this pass makes a row of the same id; the former row is then kept apart.
    """

    context: StageContext
    stage: Stage
    partition: str
    table: str = ""
    held: dict[tuple[str, str], Disposition] = field(init=False)
    rows: dict[str, list[Row]] = field(init=False)
    stored: list[Row] = field(init=False)
    settled: dict[tuple[str, str], Disposition] = field(init=False, default_factory=dict)
    kept: set[tuple[str, str]] = field(init=False, default_factory=set)
    lost: bool = field(init=False)
    """The partition was written once, and its file is gone."""
    new: int = field(init=False, default=0)
    refreshed: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.table = self.table or self.stage
        self.held = read_stage(self.context, self.stage, self.partition)
        where = (self.context.store, self.table, self.context.collection, self.partition)
        self.lost = bool(self.held) and not has_partition(*where)
        self.rows = defaultdict(list)
        self.stored = read_partition(*where)
        for row in self.stored:
            self.rows[str(row.extra["subject_id"])].append(row)

    def done(self, subject: Subject) -> bool:
        """Whether the subject stands as it is now; if so it is kept."""
        found = self.held.get((subject.id, subject.digest))
        if found is None or found.outcome not in FINAL or self.lost:
            return False
        if found.outcome == "passed" and self._without_row(subject):
            return False
        self.settled[subject.id, subject.digest] = found
        self.kept.add((subject.id, subject.digest))
        return True

    def _without_row(self, subject: Subject) -> bool:
        """Whether a subject passed with a row that is gone; a week alone passes without any."""
        if subject.kind == "week" or self.rows.get(subject.id):
            return False
        # A later version of its paper may have taken the row over.
        return not any(
            row.paper_id == subject.paper_id and _version(row) > (subject.version or 0)
            for row in self.stored
            if subject.paper_id is not None
        )

    def settle(
        self,
        subject: Subject,
        outcome: Outcome,
        code: ReasonCode,
        sentence: str,
        rows: Sequence[Row] | None = (),
    ) -> None:
        """Store what became of a subject; `rows` replace its former ones, None keeps them."""
        key = (subject.id, subject.digest)
        self.settled[key] = dispose(
            self.context,
            stage=self.stage,
            kind=subject.kind,
            subject_id=subject.id,
            digest=subject.digest,
            outcome=outcome,
            code=code,
            sentence=sentence,
            paper_id=subject.paper_id,
            version=subject.version,
            earlier=self.held.get(key),
        )
        self.new += 1
        if rows is not None:
            self.rows[subject.id] = [
                replace(row, extra={**row.extra, "subject_id": subject.id}) for row in rows
            ]

    def refresh(self, subject: Subject, rows: Sequence[Row]) -> None:
        """Replace the rows of a subject that is kept, where they only say when it was looked at."""
        self.rows[subject.id] = [
            replace(row, extra={**row.extra, "subject_id": subject.id}) for row in rows
        ]
        self.refreshed += 1

    def keep_only(self, subject_ids: Collection[str]) -> None:
        """Drop the rows of every other subject: what they were made from is no longer there."""
        for subject_id in set(self.rows) - set(subject_ids):
            del self.rows[subject_id]

    def write(self) -> Written:
        """Write the rows and dispositions of the partition."""
        merged = {**self.held, **self.settled}
        rows = sorted(self._rows(), key=lambda row: row.id)
        dispositions = sorted(merged.values(), key=lambda item: item.id)
        if self.new or self.refreshed:
            keep(self.context, self.stage, self.partition, self._replaced(rows))
            write_partition(
                self.context.store, self.table, self.context.collection, self.partition, rows
            )
            write_stage(self.context, self.stage, self.partition, dispositions)
        return Written(rows, dispositions, self.new)

    def _replaced(self, rows: Sequence[Row]) -> list[Row]:
        """The stored rows that these do not hold any more."""
        now = {(row.id, row.digest) for row in rows}
        return [row for row in self.stored if (row.id, row.digest) not in now]

    def _rows(self) -> list[Row]:
        """The rows of all subjects, one of an id: settled now before earlier, then the newest."""
        now = {subject_id for subject_id, _ in set(self.settled) - self.kept}
        chosen: dict[str, tuple[tuple[bool, int], Row]] = {}
        for subject_id, rows in self.rows.items():
            for row in rows:
                rank = (subject_id in now, _version(row))
                if row.id not in chosen or rank >= chosen[row.id][0]:
                    chosen[row.id] = (rank, row)
        return [row for _rank, row in chosen.values()]


def _version(row: Row) -> int:
    """Of the paper that a row was made from; 0 in tables without."""
    return int(str(row.extra.get("version") or 0))
