"""The funnel: where the papers stand, as a picture."""

from typing import TYPE_CHECKING

from lawsmith.inspection.pictures import funnel
from lawsmith.runs.partition_run import PartitionPass, Subject
from schemas.source import Outcome, ReasonCode, Stage

if TYPE_CHECKING:
    from tests.conftest import Home

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_store_without_papers_has_no_funnel(empty_home: "Home") -> None:
    assert funnel(empty_home.context()) is None


def test_the_funnel_changes_with_what_became_of_a_paper(empty_home: "Home") -> None:
    context = empty_home.context()
    subject = Subject("paper", "sample:1v1", "a" * 64, "sample:1", 1)
    steps: list[tuple[Stage, Outcome]] = [
        ("sources", "passed"),
        ("packets", "failed"),
        ("cards", "rejected"),
        ("cards", "deferred"),
    ]
    seen = set()
    for stage, outcome in steps:
        step = PartitionPass(context, stage, "2026-10-05")
        step.settle(subject, outcome, ReasonCode.OK, "as the test wants")
        step.write()
        picture = funnel(context)
        assert picture is not None
        assert picture.startswith(PNG)
        seen.add(picture)
    assert len(seen) == len(steps)
