"""One pass of a stage over one partition: what is done stays, what is new is settled."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lawsmith.gateways.warehouse import Row, read_partition, write_partition
from lawsmith.stages.context import StageContext
from lawsmith.stages.dispositions import FINAL, dispose, read_stage, write_stage
from schemas.source import Disposition, Outcome, ReasonCode, Stage, SubjectKind


@dataclass(frozen=True)
class Subject:
    """What a stage judges: an identity, the digest it has now, and the paper behind it."""

    kind: SubjectKind
    id: str
    digest: str
    paper_id: str | None
    version: int | None


@dataclass
class PartitionPass:
    """The rows and dispositions of one stage and partition while they are being worked on.

    A subject whose digest has a final disposition is left alone with its rows. Rows of
    subjects that are not visited stay (an older version of a paper keeps its card).
    """

    context: StageContext
    stage: Stage
    partition: str
    table: str = ""
    held: dict[tuple[str, str], Disposition] = field(init=False)
    rows: dict[str, list[Row]] = field(init=False)
    settled: dict[tuple[str, str], Disposition] = field(init=False, default_factory=dict)
    new: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.table = self.table or self.stage
        self.held = read_stage(self.context, self.stage, self.partition)
        self.rows = defaultdict(list)
        for row in read_partition(
            self.context.store, self.table, self.context.collection, self.partition
        ):
            self.rows[str(row.extra["subject_id"])].append(row)

    def done(self, subject: Subject) -> bool:
        """Whether the subject stands as it is now; if so it is kept."""
        found = self.held.get((subject.id, subject.digest))
        if found is None or found.outcome not in FINAL:
            return False
        self.settled[subject.id, subject.digest] = found
        return True

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

    def write(self) -> tuple[list[Row], list[Disposition]]:
        """Write the partition's rows and dispositions; returns them."""
        merged = {**self.held, **self.settled}
        rows = sorted((row for rows in self.rows.values() for row in rows), key=lambda r: r.id)
        dispositions = sorted(merged.values(), key=lambda item: item.id)
        if self.new:
            write_partition(
                self.context.store, self.table, self.context.collection, self.partition, rows
            )
            write_stage(self.context, self.stage, self.partition, dispositions)
        return rows, dispositions
