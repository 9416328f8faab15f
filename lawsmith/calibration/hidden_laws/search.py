"""Hidden laws: structural variants of a published law, screened and chosen by stated rules.

Selection: fewest edits, then fewest added nodes, then the largest visibility, then the keyed
order. Kinds of moves are tried in a keyed order, so that over many problems no kind prevails.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from numpy.random import Generator

from lawsmith.calibration.fitting import PublishedBase, PublishedFits, base_of, space_of
from lawsmith.calibration.hidden_laws.context import RefusalError, Workbench
from lawsmith.calibration.hidden_laws.novelty import check_exactly
from lawsmith.calibration.hidden_laws.proposed import variant_of_proposal
from lawsmith.calibration.hidden_laws.screens import Survivor, refused, screened
from lawsmith.calibration.hidden_laws.textbook import restated
from lawsmith.calibration.hidden_laws.variants import (
    Variant,
    ground_of,
    paired_variants,
    single_variants,
)
from lawsmith.calibration.problems import SINGLE, Records, Space, usable
from lawsmith.calibration.residuals import thinned
from lawsmith.calibration.worlds import HiddenForm, plan_of
from lawsmith.curation.admission import KnownLaw
from lawsmith.errors import InputError
from lawsmith.keyed_draws import NamedDraws
from lawsmith.rules import named
from schemas.calibrated_task import GroupConstants, HiddenEdit, RefusedLaw, WorldCertificate
from schemas.expression import Expression, to_wire
from schemas.problem import Constant, Problem, ReferenceLaw
from schemas.record import canonical_json

POLICY: Final = named("hidden")
MOST_SCREENED: Final = 6
"""Variants of one kind of move that are screened before the next kind has its turn."""


@dataclass(frozen=True, slots=True)
class HiddenLaw:
    """A chosen hidden law; sealed."""

    law: Expression
    """Over the controls and the constants named below."""
    constants: tuple[Constant, ...]
    """With units, scopes, bounds; reference scales and universal constants are `fixed`."""
    form: HiddenForm
    """The law with values by table label, as `worlds.calibrate` takes it."""
    edits: tuple[HiddenEdit, ...]
    base: ReferenceLaw
    base_r2: float
    base_structure: float
    by_design: bool
    """Whether the size of what was added is set for visibility, not by the records."""
    certificates: tuple[WorldCertificate, ...]

    @property
    def shared(self) -> tuple[str, ...]:
        """Constants that are the same in every group, fixed ones included."""
        return tuple(c.name for c in self.constants if c.scope == "shared")

    @property
    def local(self) -> tuple[str, ...]:
        """Constants of each group's own."""
        return tuple(c.name for c in self.constants if c.scope == "per_group")

    @property
    def fixed(self) -> tuple[str, ...]:
        """Shared ones that scale or convert and are no quantity of the law."""
        return tuple(c.name for c in self.constants if c.fixed is not None)

    @property
    def group_constants(self) -> tuple[GroupConstants, ...]:
        """The values by table label, null without groups."""
        return tuple(
            GroupConstants(group=None if label == SINGLE else label, values=dict(values))
            for label, values in self.form.constants.items()
        )

    def figure(self, certificate: str, name: str) -> float:
        """One figure of a certificate.

        Raises:
            KeyError: there is no such certificate or figure.
        """
        figures: dict[str, dict[str, float]] = {c.name: c.figures for c in self.certificates}
        return figures[certificate][name]


@dataclass(frozen=True, slots=True)
class Search:
    """What the search of one problem came to."""

    chosen: HiddenLaw | None
    reason: str
    """Why there is none; empty with a law."""
    refused: tuple[RefusedLaw, ...]


def find_hidden_law(
    problem: Problem,
    records: Records,
    rng: Generator,
    train_rows: int | None = None,
    known: Sequence[KnownLaw] = (),
    published: PublishedFits | None = None,
) -> Search:
    """A hidden law for a problem, or why there is none.

    Args:
        problem: admitted.
        records: rows of the canonical table that may calibrate (the training rows wherever a
            Real task ships); groups of fewer than 8 rows are dropped.
        rng: `generator(key, "laws", problem.id)`.
        train_rows: sets the query budget; None = the rows of the records.
        known: textbook laws that must not be restated.
        published: fits of the reference laws to `kept_rows` of the records, if made already.

    Raises:
        InputError: the records are not those of the problem's controls.
    """
    try:
        bench = workbench_of(problem, records, train_rows, published)
    except InputError as error:
        return Search(None, str(error), ())
    rows: list[RefusedLaw] = []
    first, moves, more = rng.spawn(3)
    noise = NamedDraws(first)
    try:
        ground = ground_of(problem, bench.base, bench.records)
        kinds = single_variants(bench.base, ground, moves)
    except InputError as error:
        return Search(None, f"no ground for moves: {error}", ())
    for variants in kinds.values():
        found = _first(bench, variants[:MOST_SCREENED], noise, known, rows)
        if found is not None:
            return Search(_chosen(bench, found), "", tuple(rows))
    found = _first(bench, paired_variants(bench.base, ground, more), noise, known, rows)
    if found is not None:
        return Search(_chosen(bench, found), "", tuple(rows))
    return Search(None, _why_none(rows), tuple(rows))


def _why_none(rows: Sequence[RefusedLaw]) -> str:
    failed = ", ".join(f"{name} {count}" for name, count in Counter(r.failed for r in rows).items())
    last = f"; the last: {rows[-1].sentence}" if rows else ""
    return f"none of {len(rows)} candidates passes every screen ({failed}){last}"


def proposed_law(
    text: str,
    problem: Problem,
    records: Records,
    rng: Generator,
    train_rows: int | None = None,
    known: Sequence[KnownLaw] = (),
) -> Search:
    """A law that a model proposes, as data, through the same screens.

    Args:
        text: JSON of a `proposed.Proposal`; nothing of it is executed.
        problem: as for `find_hidden_law`, and so are the other arguments.
        records: the rows.
        rng: the keyed generator.
        train_rows: of the query budget.
        known: textbook laws.

    Raises:
        InputError: the text is no proposal, or its edits do not make its law from the base.
    """
    bench = workbench_of(problem, records, train_rows)
    rows: list[RefusedLaw] = []
    noise = NamedDraws(rng.spawn(3)[0])
    found = _first(bench, [variant_of_proposal(text, bench.base)], noise, known, rows)
    if found is None:
        return Search(None, f"{rows[0].failed}: {rows[0].sentence}", tuple(rows))
    return Search(_chosen(bench, found), "", ())


def judged(survivors: Sequence[HiddenLaw], ranking: Sequence[int]) -> tuple[HiddenLaw, ...]:
    """Survivors in a judge's order: it can order what passed and nothing else.

    Args:
        survivors: laws that passed every screen.
        ranking: their places, best first.

    Raises:
        InputError: the ranking does not name every survivor once.
    """
    if sorted(ranking) != list(range(len(survivors))):
        raise InputError(f"{list(ranking)!r} does not rank {len(survivors)} laws", path="ranking")
    return tuple(survivors[place] for place in ranking)


def kept_rows(records: Records) -> Records:
    """The rows of usable groups, thinned: what laws are fitted to.

    Raises:
        InputError: no group is large enough.
    """
    return thinned(usable(records)[0], 0)


def workbench_of(
    problem: Problem,
    records: Records,
    train_rows: int | None = None,
    published: PublishedFits | None = None,
) -> Workbench:
    """Records, base law and world plan of a problem, as screens take them.

    Raises:
        InputError: controls do not agree, no group is large enough, or there is no base law.
    """
    kept = kept_rows(records)
    space: Space = space_of(problem.residuals)
    base: PublishedBase = base_of(problem, kept, space, published)
    rows = len(records) if train_rows is None else train_rows
    plan = replace(
        plan_of(problem, rows), id=f"{problem.id}/screen", law_id=f"{problem.id}/screen/law"
    )
    return Workbench(problem, kept, space, base, plan)


def _first(
    bench: Workbench,
    variants: Sequence[Variant],
    noise: NamedDraws,
    known: Sequence[KnownLaw],
    rows: list[RefusedLaw],
) -> Survivor | None:
    """The best survivor of the smallest size that has one."""
    ordered = sorted(variants, key=lambda one: (len(one.moves), one.added))
    for _, alike in groupby(ordered, key=lambda one: (len(one.moves), one.added)):
        found = sorted(
            _survivors(bench, list(alike), noise, rows), key=lambda one: -one.seen.noncentrality
        )
        for one in found:
            try:
                _check_new(bench, one, known)
            except RefusalError as error:
                rows.append(refused(one.variant, error))
            else:
                return one
    return None


def _check_new(bench: Workbench, found: Survivor, known: Sequence[KnownLaw]) -> None:
    """What is dear to ask: only the law that would be chosen is compared by algebra."""
    check_exactly(bench, found.form, found.world)
    name = restated(bench, found, known)
    if name is not None:
        raise RefusalError("novelty", f"it restates the textbook law {name!r}")


def _survivors(
    bench: Workbench,
    variants: Sequence[Variant],
    noise: NamedDraws,
    rows: list[RefusedLaw],
) -> Iterator[Survivor]:
    for variant in variants:
        # By the law, not by its turn: what was screened before changes nothing.
        own = noise.generator(canonical_json(to_wire(variant.law)))
        try:
            found = screened(bench, variant, own)
        except RefusalError as error:
            rows.append(refused(variant, error))
        else:
            yield found


def _chosen(bench: Workbench, found: Survivor) -> HiddenLaw:
    return HiddenLaw(
        law=found.variant.law,
        constants=found.variant.constants,
        form=found.form,
        edits=found.variant.edits,
        base=bench.base.law,
        base_r2=bench.base.fit.r2,
        base_structure=bench.base.structure,
        by_design=found.by_design,
        certificates=found.certificates,
    )


__all__ = (
    "POLICY",
    "HiddenLaw",
    "Search",
    "find_hidden_law",
    "judged",
    "kept_rows",
    "proposed_law",
    "workbench_of",
)
