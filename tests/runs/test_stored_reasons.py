"""The column `reasons`: what is written is read back whole, and anything else is a fault."""

from dataclasses import replace

import pytest

from lawsmith.curation.evidence.reasons import Reason
from lawsmith.errors import IntegrityError
from lawsmith.gateways.store.tables import Row
from lawsmith.runs.stored_reasons import reasons_cell, reasons_of
from schemas.source import ReasonCode

ROW = Row(
    id="sample:0001/r1",
    paper_id="sample:0001",
    collection="temporal-sample",
    partition="2026-07-27",
    outcome="rejected",
    reason_code="anchor_invalid",
    digest="0" * 64,
    schema_version=1,
    code_version="0",
    record="{}",
    extra={"reasons": None},
)


def test_reasons_come_back_as_they_were_written() -> None:
    reasons = (
        Reason(ReasonCode.ANCHOR_INVALID, "/controls/0", "two lines:\nwith a colon: and a break"),
        Reason(ReasonCode.NOT_EXECUTABLE, "", "domain_missing /controls/1: a quoted reason"),
    )
    assert reasons_of(replace(ROW, extra={"reasons": reasons_cell(reasons)})) == reasons


def test_no_reasons_are_an_empty_list_or_an_empty_cell() -> None:
    assert reasons_of(replace(ROW, extra={"reasons": reasons_cell(())})) == ()
    assert reasons_of(ROW) == ()


@pytest.mark.parametrize("cell", ["anchor_invalid /: said", '[{"code": "no_code"}]', ""])
def test_another_text_is_a_fault_of_the_row(cell: str) -> None:
    with pytest.raises(IntegrityError, match=r"sample:0001/r1.*no list of reasons"):
        reasons_of(replace(ROW, extra={"reasons": cell}))
