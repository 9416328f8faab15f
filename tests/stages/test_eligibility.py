"""Eligibility at a cut: what a later version of a paper says holds for its families."""

from dataclasses import replace
from typing import TYPE_CHECKING

from lawsmith.gateways.store import read_partition, read_table, write_partition
from lawsmith.inspection.pictures import funnel_counts
from lawsmith.release.bundle import read_public, verify_release
from lawsmith.runs.context import StageContext
from lawsmith.stages import releases, tasks
from lawsmith.stages.cuts import Plan, ask, plan_cut, terms_of
from lawsmith.stages.eligibility import eligible_families
from schemas.release import Cut
from schemas.source import Paper, Publication

if TYPE_CHECKING:
    from tests.conftest import Home

WEEK = "2026-10-05"
PAPER = "sample:0001"


def _cut(context: StageContext, **rules: object) -> Cut:
    known = context.settings.eligibility
    chosen = type(known).model_validate({**known.model_dump(), **rules})
    settings = context.settings.model_copy(update={"eligibility": chosen})
    return terms_of(
        replace(context, settings=settings),
        version="2026.10.1-sample",
        cutoff="2026-04-30",
        until="2026-10-31",
        allow_incomplete=False,
    )


def _papers(context: StageContext, **rules: object) -> set[str | None]:
    families, _ = eligible_families(context, _cut(context, **rules))
    return {family.paper_id for family in families}


def _appear_in(context: StageContext, journals: dict[str, str]) -> None:
    """Say which journals papers are in; the sample names none."""
    rows = read_partition(context.store, "publications", context.collection, "all")
    changed = []
    for row in rows:
        name = journals.get(str(row.paper_id))
        fields = Publication.from_json(row.record).model_dump()
        record = Publication.model_validate({**fields, "journal": name})
        changed.append(replace(row, record=record.to_json(), digest=record.digest))
    write_partition(context.store, "publications", context.collection, "all", changed)


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


def test_a_cut_restricted_to_journals_holds_their_papers_and_counts_the_others(
    home_copy: "Home",
) -> None:
    context = home_copy.context()
    before = _papers(context)
    _appear_in(context, {PAPER: "Journal of Drying", "sample:0002": "Membranes & Flows"})
    assert _papers(context) == before
    assert _papers(context, journals=("journal of drying",)) == before & {PAPER}
    both = ("Membranes and Flows", "Journal of Drying")
    assert _papers(context, journals=both) == before & {PAPER, "sample:0002"}

    cut = _cut(context, journals=("Journal of Drying",))
    ask(context, cut)
    tasks.run(context, cut.id)
    counts = funnel_counts(context, cut.id)
    assert counts["cut: ok", "passed"] == 1
    assert counts["cut: journal_not_listed", "rejected"] == 1
    # 0006 was public before the cutoff, 0008 is in no journal yet; the others name none.
    assert counts["cut: before_cutoff", "rejected"] == 1
    assert counts["cut: awaiting_publication", "waiting"] == 1
    assert counts["cut: journal_unknown", "waiting"] == 5
    releases.run(context, cut.id)
    manifest = read_public(context.store.releases / cut.id).manifest
    (policy,) = (item for item in manifest.policies if item.name == "allow-1")
    assert policy.values == {"journals": "Journal of Drying", "categories": "any"}
    refused = {
        (item.outcome, item.reason_code): item.count
        for item in manifest.dispositions
        if item.stage == "tasks"
    }
    assert refused["rejected", "journal_not_listed"] == 1
    assert verify_release(context.store.releases / cut.id) == []


def test_a_cut_restricted_to_categories_holds_their_papers(home_copy: "Home") -> None:
    context = home_copy.context()
    before = _papers(context)
    fluids = {one.paper_id for one in _sources(context) if "physics.flu-dyn" in one.categories}
    assert PAPER in before & fluids
    assert _papers(context, categories=("physics.flu-dyn",)) == before & fluids
    assert _papers(context, categories=("hep-th",)) == set()


def test_a_standing_release_does_not_stand_for_other_lists(home_copy: "Home") -> None:
    context = home_copy.context()
    every = sorted({c for row in _sources(context) for c in row.categories})
    settings = context.settings
    listed = settings.eligibility.model_copy(update={"categories": tuple(every)})
    changed = replace(context, settings=settings.model_copy(update={"eligibility": listed}))

    def planned(of: StageContext) -> Plan:
        return plan_cut(of, series="2026.10", cutoff="2026-04-30", until="2026-10-31")

    assert planned(context).standing is not None
    plan = planned(changed)
    assert (plan.standing, plan.cut.categories) == (None, tuple(every))


def _sources(context: StageContext) -> list[Paper]:
    return [
        Paper.from_json(row.record)
        for row in read_table(context.store, "sources", context.collection)
    ]
