"""Cuts: what a release was asked to hold, stored before it is made and never changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from lawsmith.eligibility import AllowLists, allow_lists
from lawsmith.errors import InputError, ReleaseConflictError
from lawsmith.gateways.store import (
    Row,
    has_partition,
    partitions_of,
    read_partition,
    write_partition,
)
from lawsmith.release import SUFFIXES, CalibratedProblem, check_version
from lawsmith.release.bundle import check_whole, read_manifest, read_release
from lawsmith.rules import named
from lawsmith.runs import StageContext, row_of
from lawsmith.stages.eligibility import eligible_families, eligible_sets
from schemas.calibrated_set import CalibratedSet
from schemas.family import Family
from schemas.release import Cut, Policy, PublicManifest
from schemas.task import SealedKey, Setting

TABLE = "cuts"
ANY: Final = "any"
"""What stands for a list of which nothing is excluded."""


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
    """The cut of a release id; that of a standing release is read from it where the row is gone.

    Raises:
        InputError: nothing was asked for under this id.
        IntegrityError: the release's manifest does not read.
    """
    rows = read_partition(context.store, TABLE, context.collection, release_id)
    if rows:
        return Cut.from_json(rows[0].record)
    if not (context.store.releases / release_id).is_dir():
        raise InputError(
            f"no cut is stored for {release_id!r}",
            path=release_id,
            fix="ask for it with `lawsmith release`; a partition key alone has no terms",
        )
    stated = _stated(read_manifest(context.store.releases / release_id))
    ask(context, stated)
    return stated


def _stated(manifest: PublicManifest) -> Cut:
    """The terms that a release states of itself."""
    lists = next((one.values for one in manifest.policies if one.name == named("allow")), {})

    def listed(name: str) -> tuple[str, ...]:
        text = str(lists.get(name, ANY))
        return () if text == ANY else tuple(text.split("; "))

    return Cut(
        id=manifest.id,
        collection=manifest.collection,
        version=manifest.version,
        cutoff=manifest.cutoff,
        until=manifest.until,
        eligibility=manifest.eligibility,
        journals=listed("journals"),
        categories=listed("categories"),
        allow_incomplete=bool(manifest.incomplete),
        parents=manifest.parents,
        reason=manifest.reason,
    )


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

    A number is given once: a release that was written and is gone is cut again where the store
    still gives what it held, and is followed by the next number where it does not. The number 0
    is that of families alone, so that it has one content whatever was calibrated by then.

    Args:
        context: of the collection to cut.
        series: the first two numbers of the version, `2026.10`.
        cutoff: as of `Cut`.
        until: as of `Cut`.
        allow_incomplete: as of `Cut`.

    Raises:
        IntegrityError: the standing release is damaged.
    """
    track, suffix = context.collection.split("-")[0], SUFFIXES[context.collection]
    numbers = _numbers(context, f"{track}-{series}.", suffix)
    before = f"{track}-{series}.{max(numbers)}{suffix}" if numbers else None

    def terms(number: int) -> Cut:
        return terms_of(
            context,
            version=f"{series}.{number}{suffix}",
            cutoff=cutoff,
            until=until,
            allow_incomplete=allow_incomplete,
            parents=(before,) if before else (),
            reason="families or problems were added, changed or taken out" if before else None,
        )

    fresh = terms(max(numbers, default=-1) + 1)
    families, _ = eligible_families(context, fresh)
    sets, _ = eligible_sets(context, fresh)
    if not numbers and sets:
        fresh = terms(1)
    if before is not None and _still_holds(context, before, families, sets):
        standing_at = context.store.releases / before
        if _rules(cut_of(context, before)) == _rules(fresh):
            standing = standing_at if standing_at.is_dir() else None
            return Plan(cut_of(context, before), standing, len(families), len(sets))
    return Plan(fresh, None, len(families), len(sets))


def _numbers(context: StageContext, start: str, end: str) -> set[int]:
    """The numbers of a series that were given to a release, whether or not it still stands."""
    names = {path.name for path in context.store.releases.glob("*") if path.is_dir()}
    names |= set(partitions_of(context.store, "releases", context.collection))
    given = {name.removeprefix(start).removesuffix(end) for name in names if name.startswith(start)}
    return {int(number) for number in given if number.isdecimal()}


def _still_holds(
    context: StageContext,
    release_id: str,
    families: Sequence[Family],
    sets: Sequence[CalibratedSet],
) -> bool:
    """Whether a release holds these families and problems, or held them before it was lost."""
    folder = context.store.releases / release_id
    if folder.is_dir():
        check_whole(folder)
        sealed = read_release(folder).sealed
        held = {(item.id, item.digest) for item in sealed.families} if sealed else set()
        same = held == {(item.id, item.digest) for item in families}
        return same and _marks(sealed.problems if sealed else ()) == _marks(sets)
    if not has_partition(context.store, TABLE, context.collection, release_id):
        return False
    rows = read_partition(context.store, "tasks", context.collection, release_id)
    now = {(item.id, item.digest) for one in sets for item in one.tasks}
    now |= {(item.id, item.digest) for item in families}
    return not rows or now == {
        (key.family_id, key.family_digest)
        if (key := _paired_key(row)) is not None
        else (row.id, row.digest)
        for row in rows
    }


def _paired_key(row: Row) -> SealedKey | None:
    """The key of a paired task; None of a task on real data."""
    if row.extra["setting"] in get_args(Setting):
        return SealedKey.from_json(str(row.extra["sealed"]))
    return None


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
            "journals": "; ".join(cut.journals) or ANY,
            "categories": "; ".join(cut.categories) or ANY,
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
