"""Stage `worlds`: the two environments of every accepted family."""

from collections.abc import Sequence

from lawsmith.gateways.store import Row
from lawsmith.release import worlds_of
from lawsmith.runs import (
    PartitionPass,
    StageContext,
    StageReport,
    Subject,
    Written,
    report,
    row_of,
    run_weeks,
)
from lawsmith.stages.families import HISTORICAL_PARTITION
from lawsmith.stages.reviews import accepted_families, forged_families
from schemas.family import Family
from schemas.source import Disposition, ReasonCode

TABLE = "worlds"


def run_temporal(context: StageContext, weeks: Sequence[str]) -> StageReport:
    """Write the worlds of the families whose case was accepted."""

    def run_week(week: str) -> Written:
        return _write(context, week, accepted_families(context, week))

    return _report(*run_weeks(weeks, run_week))


def run_historical(context: StageContext) -> StageReport:
    """Write the worlds of the Historical families; their gates are code and citations."""
    families = forged_families(context, HISTORICAL_PARTITION)
    return _report(*_write(context, HISTORICAL_PARTITION, families))


def _write(context: StageContext, partition: str, families: Sequence[Family]) -> Written:
    step = PartitionPass(context, "worlds", partition)
    for family in families:
        subject = Subject("family", family.id, family.digest, family.paper_id, None)
        if step.done(subject):
            continue
        rows = [
            row_of(
                context,
                world,
                table=TABLE,
                partition=partition,
                paper_id=family.paper_id,
                family_id=family.id,
                environment=world.environment,
            )
            for world in worlds_of(family)
        ]
        step.settle(subject, "passed", ReasonCode.OK, "both environments", rows)
    return step.write()


def _report(rows: list[Row], dispositions: list[Disposition], new: int) -> StageReport:
    return report(
        "worlds",
        rows,
        dispositions,
        new=new,
        columns=("world", "family"),
        preview=[(row.id, str(row.extra["family_id"])) for row in rows],
        figures={"worlds": float(len(rows))},
    )
