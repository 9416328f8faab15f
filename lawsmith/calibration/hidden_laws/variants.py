"""Structural variants of a published law: where the search for a hidden law looks.

The moves are those of the mutation engine. Their ground is the published law with the constants
of one representative group; what they find there applies to the open form, whose constants are
fitted anew. A move of a constant's value alone is no variant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from lawsmith.calibration.fitting import PublishedBase
from lawsmith.calibration.problems import SINGLE, Records, spans_decade
from lawsmith.keyed_draws import NamedDraws
from lawsmith.mutation import composable, composed
from lawsmith.mutation.laws import Interface
from lawsmith.mutation.moves import MOVES, Candidate, Ground
from schemas.calibrated_task import HiddenEdit
from schemas.card import Choices, Range
from schemas.expression import Expression, names_of, node_count
from schemas.family import FamilyControl, LawParameter, LawRelation, MoveKind, RelationSet
from schemas.problem import Constant, Problem

ROOT: Final = "/relations/0/expression"
GROUND_POINTS: Final = 64
KINDS: Final[tuple[MoveKind, ...]] = tuple(kind for kind in MOVES if kind != "coefficient")
FITTED_STARTS: Final = 3
"""The first starts of a variant are of the base fitted to the records, the rest published."""
_UNIT_SCALES: Final = {0.5: 0.6, 1.0: 1.5, 2.0: 2.5}
"""A scale that could be mistaken for structure becomes one that reads as a constant."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Variant:
    """An open form with what it changes; nothing of it is fitted yet."""

    law: Expression
    constants: tuple[Constant, ...]
    """Of the base, as far as the law still has them, then the introduced ones."""
    introduced: tuple[str, ...]
    """Constants that only this law has, reference scales included."""
    edits: tuple[HiddenEdit, ...]
    moves: tuple[str, ...]
    added: int
    """Nodes more than the base has."""

    @property
    def sizes(self) -> tuple[str, ...]:
        """Introduced constants that are fitted: the sizes of what was added."""
        return tuple(
            c.name for c in self.constants if c.name in self.introduced and c.fixed is None
        )


def representative(records: Records) -> str:
    """The group with the most records, of equal ones the first label."""
    groups = records.group_rows()
    return max(groups, key=lambda label: len(groups[label]))


def ground_of(problem: Problem, base: PublishedBase, records: Records) -> Ground:
    """The ground of a published law with the constants of the representative group.

    Its points are Sobol points of the box of that group's inputs.
    """
    label = representative(records)
    values = base.fit.values(label)
    own = records if label == SINGLE else records.take(records.group_rows()[label])
    controls = tuple(
        FamilyControl(
            name=column.name,
            symbol=column.symbol,
            meaning=column.meaning,
            unit=column.unit,
            domain=_domain(own.inputs[column.name]),
        )
        for column in problem.controls
    )
    parameters = tuple(
        LawParameter(
            name=c.name,
            symbol=c.symbol,
            value=values[c.name],
            unit=c.unit,
            mutable=c.fixed is None,
        )
        for c in base.law.constants
    )
    relation = LawRelation(readout=problem.readout.name, expression=base.law.expression)
    units = {problem.readout.name: problem.readout.unit}
    return Ground(
        interface=Interface(controls, units, (), (), ()),
        original=RelationSet(parameters=parameters, definitions=(), relations=(relation,)),
        points=box_points(list(own.inputs.values()), GROUND_POINTS),
    )


def box_points(columns: Sequence[Floats], count: int) -> Floats:
    """Unkeyed Sobol points between the least and largest of each column, shape (count, columns).

    Ratios are even where a positive column spans more than a decade.
    """
    power = max(1, int(np.ceil(np.log2(count + 1))))
    # The first point of the sequence is a corner.
    shares = scipy.stats.qmc.Sobol(len(columns), scramble=False).random_base2(power)[1 : count + 1]
    found = np.empty_like(shares)
    for place, column in enumerate(columns):
        low, high = float(column.min()), float(column.max())
        share = shares[:, place]
        even = low + (high - low) * share
        moved = low * (high / low) ** share if spans_decade(column) else even
        found[:, place] = np.clip(moved, low, high)
    points: Floats = found
    return points


def single_variants(
    base: PublishedBase, ground: Ground, rng: Generator
) -> dict[MoveKind, list[Variant]]:
    """Kind of move -> its variants: fewest added nodes first, then a keyed order.

    The kinds stand in a keyed order; each draws by its own name.

    Args:
        base: the published law.
        ground: of that law.
        rng: the keyed generator of `laws`.
    """
    draws = NamedDraws(rng)
    found: dict[MoveKind, list[Variant]] = {}
    for kind in draws.ordered(KINDS):
        own = draws.generator(kind)
        candidates = list(MOVES[kind](ground, own))
        keyed = [candidates[place] for place in own.permutation(len(candidates)).tolist()]
        found[kind] = _distinct(base, keyed)
    return found


def paired_variants(base: PublishedBase, ground: Ground, rng: Generator) -> list[Variant]:
    """Variants of two moves at different places, one for each pair of kinds that has one.

    Each pair of kinds draws by itself, and the pairs stand in a keyed order.
    """
    draws = NamedDraws(rng)
    singles = {
        kind: [one for one in MOVES[kind](ground, draws.generator(kind)) if _structural(one)]
        for kind in KINDS
    }
    pairs = {"|".join(pair): pair for pair in combinations_with_replacement(sorted(KINDS), 2)}
    found = (_composed(ground, draws, singles, *pairs[name]) for name in draws.ordered(pairs))
    return _distinct(base, [one for one in found if one is not None])


def _composed(
    ground: Ground,
    draws: NamedDraws,
    singles: Mapping[MoveKind, Sequence[Candidate]],
    one: MoveKind,
    other: MoveKind,
) -> Candidate | None:
    """The first, by keyed draw, of two moves of these kinds that can be made at once."""
    firsts, seconds = singles[one], singles[other]
    order = draws.generator(one, other).permutation(len(firsts) * len(seconds))
    for index in order.tolist():
        first, second = firsts[index // len(seconds)], seconds[index % len(seconds)]
        if first is not second and composable(first, second):
            return composed(ground, first, second)
    return None


def variant_of(
    base: PublishedBase,
    law: Expression,
    edits: Sequence[HiddenEdit],
    introduced: Sequence[LawParameter],
) -> Variant:
    """The open form of a law that grew from the base.

    Introduced constants are shared: one number for all groups. Those that scale an input are
    not fitted.
    """
    names = names_of(law)
    kept = [c for c in base.law.constants if c.name in names]
    new = [p for p in introduced if p.name in names]
    return Variant(
        law=law,
        constants=_declared(base, kept, new),
        introduced=tuple(p.name for p in new),
        edits=tuple(edits),
        moves=tuple(dict.fromkeys(edit.move for edit in edits)),
        added=node_count(law) - node_count(base.law.expression),
    )


def _domain(column: Floats) -> Range | Choices:
    low, high = float(column.min()), float(column.max())
    return Range(low=low, high=high) if low < high else Choices(choices=(low,))


def _distinct(base: PublishedBase, candidates: Sequence[Candidate]) -> list[Variant]:
    found: dict[Expression, Variant] = {}
    for candidate in candidates:
        if _structural(candidate):
            variant = _opened(base, candidate)
            found.setdefault(variant.law, variant)
    return sorted(found.values(), key=lambda variant: variant.added)


def _structural(candidate: Candidate) -> bool:
    return all(path.startswith(ROOT) for path in candidate.edits)


def _opened(base: PublishedBase, candidate: Candidate) -> Variant:
    edits = [
        HiddenEdit(
            move=mutation.move,
            path=mutation.path.removeprefix(ROOT),
            before=mutation.before,
            after=mutation.after,
            introduced=tuple(p.name for p in mutation.introduced),
        )
        for mutation in candidate.mutations
    ]
    law = candidate.relations.relations[0].expression
    return variant_of(base, law, edits, candidate.introduced)


def _declared(
    base: PublishedBase, kept: Sequence[Constant], new: Sequence[LawParameter]
) -> tuple[Constant, ...]:
    """Constants with starts: the base's fitted ones beside +, - and small sizes of new ones."""
    middle = _middle(base, kept)
    rows: list[Mapping[str, float]] = [middle, middle, middle]
    signs = [1.0, -1.0, 0.1]
    given = [c for c in kept if c.fixed is None]
    for place in range(len(given[0].starts) if given else 0):
        rows.append({c.name: c.starts[place] for c in given})
        signs.append(1.0)
    old = [
        c.model_copy(update={"starts": tuple(r[c.name] for r in rows)}) if c in given else c
        for c in kept
    ]
    return (*old, *(_introduced(parameter, signs) for parameter in new))


def _introduced(parameter: LawParameter, signs: Sequence[float]) -> Constant:
    value = parameter.value
    fixed = None if parameter.mutable else _UNIT_SCALES.get(value, value)
    starts = tuple(value * sign for sign in signs) if parameter.mutable else ()
    return Constant(
        name=parameter.name,
        symbol=parameter.symbol,
        meaning="constant of the hidden law" if parameter.mutable else "reference scale",
        unit=parameter.unit,
        scope="shared",
        fixed=fixed,
        low=None,
        high=None,
        starts=starts,
    )


def _middle(base: PublishedBase, kept: Sequence[Constant]) -> dict[str, float]:
    """The median over groups of each fitted constant, moved inside its bounds."""
    found: dict[str, float] = {}
    for constant in kept:
        values = [base.fit.values(label)[constant.name] for label in base.fit.constants]
        low = -np.inf if constant.low is None else constant.low
        high = np.inf if constant.high is None else constant.high
        found[constant.name] = float(np.clip(np.median(values), low, high))
    return found


__all__ = (
    "KINDS",
    "Variant",
    "box_points",
    "ground_of",
    "paired_variants",
    "representative",
    "single_variants",
    "variant_of",
)
