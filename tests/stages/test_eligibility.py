"""Eligibility at a cut: what a later version of a paper says holds for its families."""

from dataclasses import replace
from typing import TYPE_CHECKING

from lawsmith.gateways.warehouse import read_partition, write_partition
from lawsmith.stages.context import StageContext
from lawsmith.stages.cuts import terms_of
from lawsmith.stages.eligibility import eligible_families
from schemas.release import Cut
from schemas.source import Paper, Publication

if TYPE_CHECKING:
    from tests.conftest import Home

WEEK = "2026-10-05"
PAPER = "sample:0001"


def _cut(context: StageContext) -> Cut:
    return terms_of(
        context,
        version="2026.10.1-sample",
        cutoff="2026-04-30",
        until="2026-10-31",
        allow_incomplete=False,
    )


def _papers(context: StageContext) -> set[str | None]:
    return {family.paper_id for family in eligible_families(context, _cut(context))[0]}


def _revise(context: StageContext, **changes: bool) -> None:
    """Add a second version of the paper, and what is known of it."""
    for table, partition, kind in (("sources", WEEK, Paper), ("publications", "all", Publication)):
        rows = read_partition(context.store, table, context.collection, partition)
        first = next(row for row in rows if row.id == f"{PAPER}v1")
        fields = kind.from_json(first.record).model_dump()
        known = {key: value for key, value in changes.items() if key in fields}
        record = kind.model_validate({**fields, "id": f"{PAPER}v2", "version": 2, **known})
        row = replace(first, id=record.id, record=record.to_json(), digest=record.digest)
        write_partition(context.store, table, context.collection, partition, [*rows, row])


def test_a_second_version_keeps_a_paper_in(home_copy: "Home") -> None:
    context = home_copy.context()
    before = _papers(context)
    assert PAPER in before
    _revise(context)
    assert _papers(context) == before


def test_a_version_withdrawn_later_takes_the_paper_out(home_copy: "Home") -> None:
    context = home_copy.context()
    before = _papers(context)
    _revise(context, withdrawn=True)
    assert _papers(context) == before - {PAPER}


def test_a_retraction_takes_the_paper_out(home_copy: "Home") -> None:
    context = home_copy.context()
    before = _papers(context)
    _revise(context, retracted=True)
    assert _papers(context) == before - {PAPER}
