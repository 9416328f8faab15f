"""Stage `problems`: which data sets may become problems, and why the others may not."""

from collections.abc import Sequence
from dataclasses import dataclass

from lawsmith.calibration.fitting import admission_of
from lawsmith.calibration.problems import Admission, read_problem
from lawsmith.curation.evidence import Reason
from lawsmith.errors import LawsmithError
from lawsmith.gateways.datasets import LoadedProblem, load_problem, problem_ids, rejected_datasets
from lawsmith.gateways.store import Row, read_partition
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    reasons_cell,
    report,
    row_of,
)
from schemas.problem import Problem, RejectedDataset
from schemas.record import content_digest
from schemas.source import Disposition, ReasonCode

TABLE = "problems"
PARTITION = "all"


@dataclass(frozen=True)
class ListedProblem:
    """A problem file, read; its table is opened where it is wanted."""

    problem: Problem

    @property
    def subject(self) -> Subject:
        """What this stage judges; the digest covers the hash of the table."""
        return Subject("problem", self.problem.id, self.problem.digest, None, None)


def run(context: StageContext) -> StageReport:
    """Admit every problem of the data folder by the stated rules, and list what was refused."""
    step = PartitionPass(context, "problems", PARTITION)
    known = listed_problems(context)
    refused = rejected_datasets(context.settings.data_root)
    step.keep_only([item.problem.id for item in known])
    for count, item in enumerate(known):
        context.progress("admitting problems", count, len(known))
        if not step.done(item.subject):
            _judge(context, step, item)
    for entry in refused:
        subject = rejected_subject(entry)
        if not step.done(subject):
            step.settle(subject, "rejected", ReasonCode(entry.reason_code), entry.reason)
    context.progress("admitting problems", len(known), len(known))
    return _report(*step.write())


def listed_problems(context: StageContext) -> list[ListedProblem]:
    """The problem files of the data folder, by id.

    Raises:
        InputError: a file is no problem.
    """
    root = context.settings.data_root
    folder = root / "problems"
    return [ListedProblem(read_problem(folder / f"{name}.json")) for name in problem_ids(root)]


def rejected_subject(entry: RejectedDataset) -> Subject:
    """A data set that was refused by hand, as a subject."""
    digest = content_digest("rejected_dataset", 1, entry.model_dump(mode="json"))
    return Subject("problem", entry.id, digest, None, None)


def admitted_problems(context: StageContext) -> list[LoadedProblem]:
    """The admitted problems with their tables, by id.

    Raises:
        IntegrityError: a table is no longer the one that was admitted.
    """
    rows = read_partition(context.store, TABLE, context.collection, PARTITION)
    admitted = {row.id: row.digest for row in rows if row.outcome == "passed"}
    loaded = [
        load_problem(context.settings.data_root, item.problem.id)
        for item in listed_problems(context)
        if admitted.get(item.problem.id) == item.problem.digest
    ]
    return sorted(loaded, key=lambda item: item.problem.id)


def _judge(context: StageContext, step: PartitionPass, item: ListedProblem) -> None:
    try:
        loaded = load_problem(context.settings.data_root, item.problem.id)
        admission = admission_of(loaded.problem, loaded.table)
    except LawsmithError as error:
        # Not final: the file may be mended without a change of the problem.
        step.settle(item.subject, "failed", ReasonCode.TABLE_UNREADABLE, str(error))
        return
    reasons = admission.reasons
    code = ReasonCode(reasons[0].rule) if reasons else ReasonCode.OK
    sentence = "; ".join(finding.sentence for finding in reasons or admission.findings)
    row = _row(context, loaded, admission, code)
    step.settle(item.subject, "rejected" if reasons else "passed", code, sentence, [row])


def _row(
    context: StageContext, loaded: LoadedProblem, admission: Admission, code: ReasonCode
) -> Row:
    problem = loaded.problem
    best = min(admission.laws, key=lambda law: law.error, default=None)
    return row_of(
        context,
        problem,
        table=TABLE,
        partition=PARTITION,
        paper_id=None,
        outcome="passed" if admission.admitted else "rejected",
        code=code,
        title=problem.title,
        field=problem.field,
        rows=loaded.table.rows,
        controls=len(problem.controls),
        groups=len(loaded.table.labels),
        laws=len(problem.laws),
        split=problem.split.intent,
        metric=problem.metric,
        licence=f"{problem.licence.spdx} ({problem.licence.verdict})",
        best_law=None if best is None else best.name,
        held_out_r2=None if best is None else best.r2,
        reasons=reasons_cell(
            [Reason(ReasonCode(item.rule), "", item.sentence) for item in admission.findings]
        ),
    )


def _report(rows: Sequence[Row], dispositions: Sequence[Disposition], new: int) -> StageReport:
    cells = [
        (
            row.id,
            row.outcome,
            row.reason_code,
            str(row.extra["rows"]),
            str(row.extra["groups"]),
            str(row.extra["split"]),
            str(row.extra["best_law"]),
            f"{row.extra['held_out_r2']:.4f}" if row.extra["held_out_r2"] is not None else "",
        )
        for row in rows
    ]
    cells += [
        (item.subject_id, item.outcome, item.reason_code.value, "", "", "", "", "")
        for item in dispositions
        if item.subject_id not in {row.id for row in rows}
    ]
    return report(
        "problems",
        list(rows),
        list(dispositions),
        new=new,
        columns=(
            "problem",
            "outcome",
            "reason",
            "rows",
            "groups",
            "split",
            "best law",
            "held-out R2",
        ),
        preview=cells,
        figures={
            "admitted": float(sum(row.outcome == "passed" for row in rows)),
            "refused": float(sum(item.outcome == "rejected" for item in dispositions)),
        },
    )
