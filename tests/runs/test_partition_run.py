"""One pass of a stage: final outcomes stay, others are tried again, unvisited rows are kept."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lawsmith.gateways.store import Row
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import all_dispositions, dispose, furthest_by_paper, row_of
from lawsmith.runs.partition_run import PartitionPass, Subject, Written, run_weeks
from schemas.source import Disposition, Outcome, Paper, ReasonCode, Stage

if TYPE_CHECKING:
    from tests.conftest import DataFolder, Home, Kit, MainJob

WEEK = "2026-10-05"


@pytest.fixture
def context(empty_home: "Home") -> StageContext:
    return empty_home.context()


def _subject(name: str, digest: str = "a") -> Subject:
    return Subject("paper", name, digest * 64, name[: name.rindex("v")], int(name[-1]))


def _row(context: StageContext, name: str) -> Row:
    paper = Paper(
        id=name,
        paper_id=name[: name.rindex("v")],
        version=int(name[-1]),
        source="sample",
        title="A title",
        abstract="An abstract",
        authors=("Lawsmith sample",),
        categories=(),
        published="2026-10-06T08:00:00Z",
        updated="2026-10-06T08:00:00Z",
        doi=None,
        journal_ref=None,
        licence=None,
        files=(),
        withdrawn=False,
        synthetic=True,
    )
    return row_of(context, paper, table="sources", partition=WEEK, paper_id=paper.paper_id)


def _pass(context: StageContext) -> PartitionPass:
    return PartitionPass(context, "sources", WEEK)


def test_a_final_outcome_stands_until_the_digest_changes(context: StageContext) -> None:
    step = _pass(context)
    for name, outcome in (("sample:1v1", "passed"), ("sample:2v1", "rejected")):
        given: Outcome = "passed" if outcome == "passed" else "rejected"
        step.settle(_subject(name), given, ReasonCode.OK, "once", [_row(context, name)])
    step.write()
    again = _pass(context)
    assert again.done(_subject("sample:1v1"))
    assert again.done(_subject("sample:2v1"))
    assert not again.done(_subject("sample:1v1", "b"))
    assert not again.done(_subject("sample:3v1"))
    rows, dispositions, _new = again.write()
    assert ([row.id for row in rows], again.new) == (["sample:1v1", "sample:2v1"], 0)
    assert {item.sentence for item in dispositions} == {"once"}


@pytest.mark.parametrize("outcome", ["failed", "deferred", "waiting"])
def test_what_is_not_final_is_tried_again_and_counted(
    context: StageContext, outcome: Outcome
) -> None:
    subject = _subject("sample:1v1")
    for attempt in (1, 2, 3):
        step = _pass(context)
        assert not step.done(subject)
        step.settle(subject, outcome, ReasonCode.MODEL_FAILED, "no answer")
        (found,) = step.write().dispositions
        assert (found.attempts, found.retryable) == (attempt, True)
    changed = _pass(context)
    changed.settle(_subject("sample:1v1", "b"), outcome, ReasonCode.MODEL_FAILED, "no answer")
    dispositions = changed.write().dispositions
    assert sorted(item.attempts for item in dispositions) == [1, 3]


def test_rows_of_others_stay_and_one_id_has_one_row(context: StageContext) -> None:
    first = _pass(context)
    first.settle(_subject("sample:1v1"), "passed", ReasonCode.OK, "", [_row(context, "sample:1v1")])
    first.settle(_subject("sample:2v1"), "passed", ReasonCode.OK, "", [_row(context, "sample:2v1")])
    first.write()
    second = _pass(context)
    # Another subject makes a row of the same id: a card that a second version takes over.
    second.settle(
        _subject("sample:1v2"), "passed", ReasonCode.OK, "", [_row(context, "sample:1v1")]
    )
    rows = second.write().rows
    assert [(row.id, row.extra["subject_id"]) for row in rows] == [
        ("sample:1v1", "sample:1v2"),
        ("sample:2v1", "sample:2v1"),
    ]
    third = _pass(context)
    third.settle(_subject("sample:2v1", "b"), "rejected", ReasonCode.WITHDRAWN, "", None)
    third.keep_only(["sample:2v1"])
    rows = third.write().rows
    assert [row.id for row in rows] == ["sample:2v1"]


def _disposition(
    context: StageContext, stage: Stage, subject: str, outcome: Outcome, version: int | None = 1
) -> Disposition:
    return dispose(
        context,
        stage=stage,
        kind="paper",
        subject_id=subject,
        digest="a" * 64,
        outcome=outcome,
        code=ReasonCode.OK,
        sentence="",
        paper_id=subject.split("/", maxsplit=1)[0].split("v", maxsplit=1)[0],
        version=version,
    )


def test_a_paper_stands_where_its_furthest_row_does(context: StageContext) -> None:
    rows = [
        _disposition(context, "cards", "sample:1v1/pdf/x", "passed"),
        _disposition(context, "sources", "sample:1v1", "passed"),
        _disposition(context, "publications", "sample:1v1", "waiting"),
        _disposition(context, "families", "sample:1/r1", "rejected", None),
        _disposition(context, "packets", "sample:2v1", "failed"),
    ]
    found = furthest_by_paper(rows)
    assert {key: (item.stage, item.outcome) for key, item in found.items()} == {
        "sample:1v1": ("families", "rejected"),
        "sample:2v1": ("packets", "failed"),
    }


def test_every_sample_paper_has_a_state(main_job: "MainJob") -> None:
    every = all_dispositions(main_job.home.context().store, "temporal-sample")
    found = {key: (x.stage, x.outcome) for key, x in furthest_by_paper(every).items()}
    assert found["sample:0003v1"] == ("worlds", "passed")
    assert found["sample:0005v1"] == ("cards", "rejected")
    assert found["sample:0009v1"] == ("cards", "rejected")
    assert len(found) == 9


def test_a_missing_reply_is_counted_and_taken_up_when_it_comes(
    kit: "Kit", empty_home: "Home", tmp_path: Path
) -> None:
    data: DataFolder = kit.copy_data(tmp_path / "data")
    data.only("sample:0001")
    every = data.replies()
    data.write_replies(line for line in every if line["subject_kind"] == "packet")
    partial = replace(empty_home, data=data)
    partial.run_stages([WEEK])
    partial.run_stages([WEEK])
    found = partial.found("reviews/card", "sample:0001/r1")
    assert (found.outcome, found.reason_code, found.attempts) == ("failed", "reply_missing", 2)
    data.write_replies(every)
    partial.run_stages([WEEK])
    assert partial.found("reviews/card", "sample:0001/r1").outcome == "passed"
    assert partial.found("cards", "sample:0001v1").attempts == 1


def test_weeks_are_run_in_order_and_put_together(context: StageContext) -> None:
    def run_week(week: str) -> Written:
        step = PartitionPass(context, "sources", week)
        step.settle(Subject("week", week, "a" * 64, None, None), "passed", ReasonCode.OK, "whole")
        return step.write()

    weeks = [WEEK, "2026-10-12"]
    written = run_weeks(weeks, run_week)
    assert [item.subject_id for item in written.dispositions] == weeks
    assert (written.rows, written.new) == ([], 2)
    assert run_weeks([], run_week) == ([], [], 0)
