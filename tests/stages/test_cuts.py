"""Cuts: what stands, what comes next, what is refused, and what an evaluation resumes from."""

import json
from typing import TYPE_CHECKING

import pytest

from lawsmith.errors import InputError, PrerequisiteError, ReleaseConflictError
from lawsmith.gateways.store import read_partition, write_partition
from lawsmith.release.bundle import read_public
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import read_stage, write_stage
from lawsmith.stages import releases, tasks
from lawsmith.stages.cuts import Plan, ask, cut_of, plan_cut, terms_of
from lawsmith.stages.playing import EPISODES, play_release, read_episodes
from schemas.release import Cut
from schemas.source import ReasonCode

if TYPE_CHECKING:
    from tests.conftest import Home, MainJob

STANDING = "temporal-2026.10.0-sample"
AUGUST = "2026-08-24"


def _plan(context: StageContext, until: str = "2026-10-31") -> Plan:
    return plan_cut(context, series="2026.10", cutoff="2026-04-30", until=until)


def _terms(context: StageContext, version: str, **changes: bool) -> Cut:
    allowed = changes.get("allow_incomplete", False)
    return terms_of(
        context,
        version=version,
        cutoff="2026-04-30",
        until="2026-10-31",
        allow_incomplete=allowed,
    )


def test_a_release_of_todays_families_stands(main_job: "MainJob") -> None:
    context = main_job.home.context()
    plan = _plan(context)
    assert plan.standing == context.store.releases / STANDING
    assert plan.cut == cut_of(context, STANDING)


def test_other_terms_are_the_next_release_with_its_parent(main_job: "MainJob") -> None:
    plan = _plan(main_job.home.context(), until="2026-09-30")
    assert plan.standing is None
    assert (plan.cut.version, plan.cut.parents) == ("2026.10.1-sample", (STANDING,))
    assert plan.cut.reason is not None


def test_a_version_keeps_its_terms(home_copy: "Home") -> None:
    context = home_copy.context()
    ask(context, cut_of(context, STANDING))
    with pytest.raises(ReleaseConflictError, match="other terms"):
        ask(context, _terms(context, "2026.10.0-sample", allow_incomplete=True))
    with pytest.raises(InputError):
        ask(context, _terms(context, "2026.10.7"))


def test_a_failed_paper_holds_a_cut_back_unless_it_is_allowed(home_copy: "Home") -> None:
    context = home_copy.context()
    rows = read_stage(context, "packets", AUGUST)
    failed = [
        item.model_copy(
            update={
                "outcome": "failed",
                "reason_code": ReasonCode.EXTRACTION_TIMEOUT,
                "sentence": "took too long",
            }
        )
        if item.subject_id == "sample:0004v1"
        else item
        for item in rows.values()
    ]
    write_stage(context, "packets", AUGUST, failed)
    refused = _terms(context, "2026.10.1-sample")
    ask(context, refused)
    tasks.run(context, refused.id)
    with pytest.raises(PrerequisiteError, match="sample:0004v1: failed, took too long"):
        releases.run(context, refused.id)
    allowed = _terms(context, "2026.10.2-sample", allow_incomplete=True)
    ask(context, allowed)
    tasks.run(context, allowed.id)
    releases.run(context, allowed.id)
    manifest = read_public(context.store.releases / allowed.id).manifest
    assert manifest.incomplete == ("packets sample:0004v1: failed, took too long",)


def test_an_eligible_paper_that_was_never_read_is_named(home_copy: "Home") -> None:
    context = home_copy.context()
    kept = [x for x in read_stage(context, "cards", AUGUST).values() if x.paper_id != "sample:0004"]
    write_stage(context, "cards", AUGUST, kept)
    cut = _terms(context, "2026.10.1-sample")
    ask(context, cut)
    tasks.run(context, cut.id)
    with pytest.raises(PrerequisiteError, match="sample:0004v1: eligible and not extracted yet"):
        releases.run(context, cut.id)


def test_a_cut_nobody_asked_for_is_refused(main_job: "MainJob") -> None:
    with pytest.raises(InputError, match="no cut is stored"):
        cut_of(main_job.home.context(), "temporal-2031.1.0-sample")


def test_tasks_written_again_are_the_same(home_copy: "Home") -> None:
    context = home_copy.context()
    before = read_partition(context.store, "tasks", context.collection, STANDING)
    tasks.run(context, STANDING)
    assert not write_partition(context.store, "tasks", context.collection, STANDING, before)


def test_a_torn_episode_is_played_again_and_no_other(home_copy: "Home") -> None:
    context = home_copy.context()
    folder = context.store.evaluations / STANDING
    path = folder / EPISODES
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    assert len(read_episodes(folder)) == whole.count(b"\n") - 1
    last = json.loads(whole.split(b"\n")[-2])
    played = play_release(
        read_public(context.store.releases / STANDING),
        player=last["player"],
        protocol="fixed",
        budget=4,
        repeats=1,
        to=folder,
        oracle=None,
        clock=context.now,
    )
    assert played == 1
    assert path.read_bytes() == whole


def test_episodes_are_lines_whatever_their_text_holds(home_copy: "Home") -> None:
    folder = home_copy.context().store.evaluations / STANDING
    before = read_episodes(folder)
    first = before[0].model_copy(update={"player": "mean\u2028and\x85more"})
    text = "".join(item.to_json() + "\n" for item in (first, *before[1:]))
    (folder / EPISODES).write_text(text, encoding="utf-8")
    assert [item.id for item in read_episodes(folder)] == [item.id for item in before]
