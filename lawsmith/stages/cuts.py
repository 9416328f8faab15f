"""Cuts: what a release was asked to hold, stored before it is made and never changed."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lawsmith.curation.allow_lists import AllowLists, allow_lists
from lawsmith.errors import InputError, ReleaseConflictError
from lawsmith.gateways.warehouse import read_partition, write_partition
from lawsmith.release.bundle import read_release
from lawsmith.release.content import SUFFIXES, check_version
from lawsmith.release.problems import CalibratedProblem
from lawsmith.rules import named
from lawsmith.stages.context import StageContext
from lawsmith.stages.dispositions import row_of
from lawsmith.stages.eligibility import eligible_families, eligible_sets
from schemas.calibrated_set import CalibratedSet
from schemas.release import Cut, Policy

TABLE = "cuts"


def ask(context: StageContext, cut: Cut) -> None:
    """Store a cut.

    Raises:
        InputError: the version is none, or lacks the suffix of its collection.
        ReleaseConflictError: the release id was asked for with other terms before.
    """
    check_version(cut.collection, cut.version)
    before = read_partition(context.store, TABLE, cut.collection, cut.id)
    stands = Cut.from_json(before[0].record) if before else cut
    if stands.digest != cut.digest:
        old, new = stands.model_dump(), cut.model_dump()
        changed = [
            f"{name} was {old[name]!r}, not {new[name]!r}"
            for name in sorted(old)
            if old[name] != new[name]
        ]
        raise ReleaseConflictError(
            f"the version stands, cut on other terms: {'; '.join(changed)}",
            path=cut.id,
            fix="give the next --version; a version keeps its terms for ever",
        )
    row = row_of(
        context,
        cut,
        table=TABLE,
        partition=cut.id,
        paper_id=None,
        subject_id=cut.id,
        release_id=cut.id,
        cutoff=cut.cutoff,
        until=cut.until,
    )
    write_partition(context.store, TABLE, cut.collection, cut.id, [row])


def cut_of(context: StageContext, release_id: str) -> Cut:
    """The cut of a release id.

    Raises:
        InputError: nothing was asked for under this id.
    """
    rows = read_partition(context.store, TABLE, context.collection, release_id)
    if not rows:
        raise InputError(
            f"no cut is stored for {release_id!r}",
            path=release_id,
            fix="ask for it with `lawsmith release`; a partition key alone has no terms",
        )
    return Cut.from_json(rows[0].record)


@dataclass(frozen=True)
class Plan:
    """The next cut of a series, or the standing release that holds the same families."""

    cut: Cut
    standing: Path | None
    families: int
    """How many families the cut would hold today."""
    problems: int = 0
    """And how many problems with tasks."""


def plan_cut(
    context: StageContext,
    *,
    series: str,
    cutoff: str | None,
    until: str | None,
    allow_incomplete: bool = False,
) -> Plan:
    """The standing release of a series `<series>.<n>` if its families are today's, else the next.

    Args:
        context: of the collection to cut.
        series: the first two numbers of the version, `2026.10`.
        cutoff: as of `Cut`.
        until: as of `Cut`.
        allow_incomplete: as of `Cut`.
    """
    track = context.collection.split("-")[0]
    suffix = SUFFIXES[context.collection]
    number = 0
    while (context.store.releases / f"{track}-{series}.{number}{suffix}").is_dir():
        number += 1
    before = f"{track}-{series}.{number - 1}{suffix}" if number else None
    fresh = terms_of(
        context,
        version=f"{series}.{number}{suffix}",
        cutoff=cutoff,
        until=until,
        allow_incomplete=allow_incomplete,
        parents=(before,) if before else (),
        reason="families or problems were added, changed or taken out" if before else None,
    )
    families, _ = eligible_families(context, fresh)
    sets, _ = eligible_sets(context, fresh)
    if before is not None:
        standing = read_release(context.store.releases / before)
        sealed = standing.sealed.families if standing.sealed else ()
        held = {(item.id, item.digest) for item in sealed}
        known = standing.sealed.problems if standing.sealed else ()
        same = held == {(item.id, item.digest) for item in families}
        same = same and _marks(known) == _marks(sets)
        if same and _rules(cut_of(context, before)) == _rules(fresh):
            standing_at = context.store.releases / before
            return Plan(cut_of(context, before), standing_at, len(families), len(sets))
    return Plan(fresh, None, len(families), len(sets))


def terms_of(
    context: StageContext,
    *,
    version: str,
    cutoff: str | None,
    until: str | None,
    allow_incomplete: bool,
    parents: tuple[str, ...] = (),
    reason: str | None = None,
) -> Cut:
    """The cut of a version of this context's collection, with its settings' policies.

    Raises:
        InputError: a listed journal or category can be none.
    """
    rules = context.settings.eligibility
    lists = allow_lists(rules.journals, rules.categories) if cutoff else AllowLists()
    return Cut(
        id=f"{context.collection.split('-')[0]}-{version}",
        collection=context.collection,
        version=version,
        cutoff=cutoff,
        until=until,
        eligibility=rules.policy if cutoff else None,
        journals=lists.journals,
        categories=lists.categories,
        allow_incomplete=allow_incomplete,
        parents=parents,
        reason=reason,
    )


def allow_policy(cut: Cut) -> Policy:
    """The lists of a cut as the policy `allow-1` of its release's manifest."""
    return Policy(
        name=named("allow"),
        values={
            "journals": "; ".join(cut.journals) or "any",
            "categories": "; ".join(cut.categories) or "any",
        },
    )


def _marks(problems: Iterable[CalibratedSet | CalibratedProblem]) -> set[tuple[str, str]]:
    """Ids and digests of everything that tasks on real data are made of."""
    return {
        (item.id, item.digest)
        for one in problems
        for item in (*one.tasks, one.parallel_key, one.real_key, one.world, *one.baselines)
        if item is not None
    }


def _rules(cut: Cut) -> tuple[object, ...]:
    """What decides which papers are eligible."""
    return cut.cutoff, cut.until, cut.eligibility, cut.journals, cut.categories
