"""Cutting and verifying do a fixed amount of work a family, and keep no gallery in memory."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from lawsmith.errors import InputError, IntegrityError
from lawsmith.release.assembly import assemble
from lawsmith.release.bundle import read_public, read_task, verify_release, write_release
from lawsmith.release.content import ReleaseContent
from lawsmith.release.pages.gallery import public_pages, sealed_pages

RELEASE = str(Path(__file__).resolve().parents[2] / "lawsmith" / "release")
SIZES = (3, 6, 12)


def of_many(samples: ModuleType, families: int) -> ReleaseContent:
    """The sample family and its reviews under as many ids as are wanted."""
    content: ReleaseContent = samples.temporal_content()
    (family,), (card,) = content.families, content.cards
    copies, cards, reviews = [], [], []
    for number in range(families):
        own = samples.evolve(card, id=f"sample:9001/r{number + 1}")
        copy = samples.evolve(family, id=f"{own.id}/f1", card_id=own.id, card_digest=own.digest)
        cards.append(own)
        copies.append(copy)
        reviews.append(samples.accepting_review(own, "card", own.digest))
        reviews.append(samples.accepting_review(own, "case", copy.digest))
    changed: ReleaseContent = samples.temporal_content(
        families=tuple(copies), cards=tuple(cards), reviews=tuple(reviews)
    )
    return changed


def lines_of(work: Callable[[], Any]) -> int:
    """How many lines of the room `release` a piece of work runs, turns of its loops included."""
    count = 0

    def line(_frame: FrameType, event: str, _given: object) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, _event: str, _given: object) -> Any:
        return line if frame.f_code.co_filename.startswith(RELEASE) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_the_work_of_cutting_and_verifying_grows_with_the_families(
    samples: ModuleType, tmp_path: Path
) -> None:
    lines = []
    for families in SIZES:
        content = of_many(samples, families)

        def cut_and_verify(content: ReleaseContent = content, families: int = families) -> None:
            written = write_release(
                tmp_path / str(families), content, samples.NOW, "0", lambda one: one.certificates
            )
            assert verify_release(written.path) == []

        lines.append(lines_of(cut_and_verify))
    few, some, many = lines
    first, later = (some - few) / (SIZES[1] - SIZES[0]), (many - some) / (SIZES[2] - SIZES[1])
    # A search of all rows for each family would make every further family dearer.
    assert later <= 1.01 * first, (lines, later / first)


def test_pages_are_rendered_one_at_a_time(samples: ModuleType) -> None:
    made = assemble(of_many(samples, 1))
    for pages in (
        public_pages(made.content, made.tasks, made.fixed_by_task),
        sealed_pages(made.content, made.keys),
    ):
        (name, *_) = list(pages)
        assert pages[name] == pages[name]
        assert pages[name] is not pages[name]


def test_one_task_is_read_without_the_others(
    samples: ModuleType, temporal_release: Path, data_release: Path, tmp_path: Path
) -> None:
    for release in (temporal_release, data_release):
        whole = read_public(release)
        for task in (*whole.tasks, *whole.calibrated):
            one = read_task(release, task.id)
            assert [*one.tasks, *one.calibrated] == [task]
            assert one.fixed == {k: v for k, v in whole.fixed.items() if k == task.id}
            assert one.observations == {k: v for k, v in whole.observations.items() if k == task.id}
    with pytest.raises(InputError, match="has no task 't-0'"):
        read_task(temporal_release, "t-0")
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    (copy / "public/discovery.parquet").write_bytes(b"PAR1")
    with pytest.raises(IntegrityError, match=r"discovery\.parquet"):
        read_task(copy, "t-0")
