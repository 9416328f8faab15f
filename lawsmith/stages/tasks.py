"""Stage `tasks`: eligibility at the cut, and four tasks for each eligible family."""

from lawsmith.curation.windows import judge_eligibility
from lawsmith.gateways.warehouse import (
    Row,
    collection_key,
    partitions_of,
    read_table,
    write_partition,
)
from lawsmith.release.tasks import make_tasks
from lawsmith.stages.context import StageContext, StageReport, report
from lawsmith.stages.cuts import cut_of
from lawsmith.stages.decisions import override_of
from lawsmith.stages.dispositions import dispose, row_of, write_stage
from lawsmith.stages.families import families_of
from schemas.family import Family
from schemas.release import Cut
from schemas.source import Disposition, Paper, Publication, ReasonCode

TABLE = "tasks"


def run(context: StageContext, release_id: str) -> StageReport:
    """Judge every paper at the cut and make the tasks of what is eligible.

    Raises:
        InputError: no cut is stored for the id.
    """
    cut = cut_of(context, release_id)
    dispositions = _judge_papers(context, cut) if cut.cutoff else []
    eligible = {item.paper_id for item in dispositions if item.outcome == "passed"}
    families = [
        family
        for family in accepted(context)
        if family.kind == "historical" or family.paper_id in eligible
    ]
    families = [one for one in families if not _taken_out(context, one, cut, dispositions)]
    key = collection_key(context.store, context.collection, context.settings.data_root)
    rows = [row for family in families for row in _rows(context, release_id, family, key)]
    write_partition(context.store, TABLE, context.collection, release_id, rows)
    write_stage(context, "tasks", release_id, dispositions)
    return report(
        "tasks",
        rows,
        dispositions,
        new=len(rows),
        columns=("task", "setting", "environment", "family"),
        preview=[
            (
                row.id,
                str(row.extra["setting"]),
                str(row.extra["environment"]),
                str(row.extra["family_id"]),
            )
            for row in rows
        ],
        figures={"families": float(len(families)), "papers judged": float(len(dispositions))},
    )


def accepted(context: StageContext) -> list[Family]:
    """The families that have worlds: forged, certified and, if Temporal, accepted as a case."""
    with_worlds = {
        str(row.extra["family_id"])
        for row in read_table(context.store, "worlds", context.collection)
    }
    return sorted(
        (
            family
            for partition in partitions_of(context.store, "families", context.collection)
            for family in families_of(context, partition)
            if family.id in with_worlds
        ),
        key=lambda family: family.id,
    )


def _judge_papers(context: StageContext, cut: Cut) -> list[Disposition]:
    publications = {
        row.id: Publication.from_json(row.record)
        for row in read_table(context.store, "publications", context.collection)
    }
    found = []
    for row in read_table(context.store, "sources", context.collection):
        paper = Paper.from_json(row.record)
        publication = publications.get(paper.id)
        if publication is None:
            outcome, code = "waiting", ReasonCode.AWAITING_PUBLICATION
            sentence = "its publication was never looked up"
        else:
            judged = judge_eligibility(
                paper, publication, str(cut.cutoff), str(cut.until), cut.eligibility
            )
            outcome, code, sentence = judged.outcome, judged.reason_code, judged.sentence
        found.append(
            dispose(
                context,
                stage="tasks",
                kind="paper",
                subject_id=paper.id,
                digest=publication.digest if publication else paper.digest,
                outcome=outcome,
                code=code,
                sentence=sentence,
                paper_id=paper.paper_id,
                version=paper.version,
                release_id=cut.id,
            )
        )
    return found


def _taken_out(
    context: StageContext, family: Family, cut: Cut, dispositions: list[Disposition]
) -> bool:
    """Whether a person rejected or withdrew the family, its card or its paper; kept as a row."""
    override = override_of(context, family.id, family.card_id, family.paper_id or family.id)
    if override is None or override.action == "accept":
        return False
    dispositions.append(
        dispose(
            context,
            stage="tasks",
            kind="family",
            subject_id=family.id,
            digest=family.digest,
            outcome="rejected",
            code=ReasonCode.OVERRIDDEN,
            sentence=f"{override.action} by {override.by}: {override.reason}",
            paper_id=family.paper_id,
            version=None,
            release_id=cut.id,
        )
    )
    return True


def _rows(context: StageContext, release_id: str, family: Family, key: bytes) -> list[Row]:
    made = make_tasks(family, key, context.collection)
    sealed = {item.id: item for item in made.sealed}
    return [
        row_of(
            context,
            task,
            table=TABLE,
            partition=release_id,
            paper_id=family.paper_id,
            subject_id=family.id,
            release_id=release_id,
            family_id=family.id,
            setting=task.setting,
            environment=sealed[task.id].environment,
            sealed=sealed[task.id].to_json(),
        )
        for task in made.public
    ]
