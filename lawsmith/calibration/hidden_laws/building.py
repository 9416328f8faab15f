"""A problem, built: its split and admission, its laws' fits, its hidden law and its world.

Everything that a world is made of comes from the training rows: its Real task ships, and no
held-out row may shape what a player can ask for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.fitting import (
    BaseChoice,
    Fit,
    LawFit,
    PublishedFits,
    choose_base,
    fits_of,
    predicted,
    records_at,
    space_of,
)
from lawsmith.calibration.hidden_laws.search import HiddenLaw, Search, find_hidden_law, kept_rows
from lawsmith.calibration.problems import (
    Admission,
    ProblemTable,
    Records,
    Space,
    Split,
    admit,
    make_split,
)
from lawsmith.calibration.worlds import Pool, calibrate, plan_of
from lawsmith.curation.admission import KnownLaw
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.keyed_draws import generator
from schemas.problem import Problem
from schemas.source import Collection
from schemas.world import CalibratedWorld

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BuiltWorld:
    """A hidden law in its world; sealed."""

    hidden: HiddenLaw
    world: CalibratedWorld
    pool: Pool


@dataclass(frozen=True, eq=False)
class BuiltProblem:
    """What a problem came to."""

    problem: Problem
    table: ProblemTable
    collection: Collection
    split: Split
    admission: Admission
    held_out: Mapping[str, Floats]
    """Law -> its readout at the held-out rows, in their order, fitted on the training rows; a
    law without a value there is absent."""
    fits: Mapping[str, Fit]
    """Law -> its fit to the records of `choice`; a law that cannot be fitted is absent."""
    choice: BaseChoice | None
    """B and R² of the laws of `fits`, in their order; None where no law could be fitted."""
    search: Search | None
    """Of the hidden law; None where the problem is not admitted."""
    built: BuiltWorld | None
    """None where no hidden law survived or the problem is not admitted."""

    @property
    def space(self) -> Space:
        """Of its residuals."""
        return space_of(self.problem.residuals)

    @property
    def base(self) -> str | None:
        """The law of least structure, from which a hidden law grows."""
        return None if self.choice is None else tuple(self.fits)[self.choice.index]

    @property
    def parallel_reason(self) -> str:
        """Why there is no world; empty with one."""
        if self.built is not None:
            return ""
        if self.search is None:
            return "not admitted: " + "; ".join(
                f"{finding.rule}: {finding.sentence}" for finding in self.admission.reasons
            )
        return self.search.reason


def build_problem(
    problem: Problem,
    table: ProblemTable,
    key: bytes,
    collection: Collection,
    *,
    known: Sequence[KnownLaw] = (),
) -> BuiltProblem:
    """Split, admission, fits, hidden law and world of a problem.

    Args:
        problem: as it stands in `data/problems`.
        table: its checked canonical table.
        key: the collection key; it decides the hidden law.
        collection: whose key it is.
        known: textbook laws that a hidden law must not restate.

    Raises:
        InputError: the split cannot be made, or the key is not 32 bytes.
    """
    published, fits = _published(problem, table, collection)
    if not published.admission.admitted:
        return published
    rows = len(published.split.train)
    records = calibration_records(table, published.split)
    draws = generator(key, "laws", problem.id)
    search = find_hidden_law(problem, records, draws, rows, known, fits)
    built: BuiltWorld | None = None
    if search.chosen is not None:
        world, pool = world_of(problem, search.chosen, records, rows)
        built = BuiltWorld(search.chosen, world, pool)
    return replace(published, search=search, built=built)


def published_problem(
    problem: Problem, table: ProblemTable, collection: Collection
) -> BuiltProblem:
    """A problem without a hidden law: its split, admission and the fits of its published laws.

    Nothing here is drawn; the Real task of a problem follows from it alone.

    Raises:
        InputError: the split cannot be made.
    """
    return _published(problem, table, collection)[0]


def _published(
    problem: Problem, table: ProblemTable, collection: Collection
) -> tuple[BuiltProblem, PublishedFits | None]:
    """A problem without a hidden law, and its fits as the search for one takes them."""
    split = make_split(problem, table)
    held_out = held_out_predictions(problem, table, split)
    admission = admit(problem, table, split, held_out)
    found, choice = _fits_and_choice(problem, calibration_records(table, split))
    fits = {} if found is None else found.fits
    return BuiltProblem(
        problem, table, collection, split, admission, held_out, fits, choice, None, None
    ), found


def calibration_records(table: ProblemTable, split: Split) -> Records:
    """The rows that may calibrate a world beside a Real task: the training rows alone."""
    return records_at(table, split.train)


def held_out_predictions(problem: Problem, table: ProblemTable, split: Split) -> dict[str, Floats]:
    """Law -> readout at the held-out rows; a law that has none, or no fit, is absent."""
    found: dict[str, Floats] = {}
    for law in problem.laws:
        try:
            values = predicted(problem, law, table, split)
        except (InputError, UndefinedValueError):
            # Admission says which laws stand; one that cannot be fitted does not.
            continue
        if values is not None:
            found[law.id] = values
    return found


def world_of(
    problem: Problem, hidden: HiddenLaw, records: Records, train_rows: int
) -> tuple[CalibratedWorld, Pool]:
    """The world of a hidden law.

    Args:
        problem: whose readout and controls it has.
        hidden: the law with its constants.
        records: that calibrate it.
        train_rows: they set the query limits.

    Raises:
        InputError: the law is constant in a group, or bounds clip too much of it.
        UndefinedValueError: the law has no value somewhere in the support.
    """
    plan = plan_of(problem, train_rows)
    return calibrate(plan, hidden.form, records, space_of(problem.residuals))


def published_fits(problem: Problem, records: Records) -> tuple[dict[str, Fit], BaseChoice | None]:
    """Fits of the published laws to the usable records, and which of them is the base.

    A law that cannot be fitted is absent; without any, or where each is constant, there is no
    choice.
    """
    published, choice = _fits_and_choice(problem, records)
    return ({} if published is None else dict(published.fits)), choice


def _fits_and_choice(
    problem: Problem, records: Records
) -> tuple[PublishedFits | None, BaseChoice | None]:
    """No fits without usable rows."""
    try:
        kept = kept_rows(records)
    except InputError:
        return None, None
    published = fits_of(problem, kept, space_of(problem.residuals))
    known = [LawFit(found.residuals, found.fitted) for found in published.fits.values()]
    try:
        return published, choose_base(kept.table, known, kept.group_rows())
    except InputError:
        return published, None


__all__ = (
    "BuiltProblem",
    "BuiltWorld",
    "build_problem",
    "calibration_records",
    "held_out_predictions",
    "published_fits",
    "published_problem",
    "world_of",
)
