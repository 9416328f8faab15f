"""The structure score of a Parallel task: how much of the hidden law's form a submission has.

Decided by construction, from the edits that made the hidden law, and not by a judge. Two forms
are one family if each can be what the other is at generic values of its constants; constants
that are shared and constants of each group's own are told apart by how they must be.

| Score | Level | The submission has |
| --- | --- | --- |
| 1 | full | the family of the hidden law, shared and own constants alike |
| 0.75 | most_edits | that family with another pattern, or the base with half of the edits |
| 0.5 | base | the family of the base, or of what the edits leave of it |
| 0.25 | variables | half of the law's variables, none foreign, and its order of values |
| 0 | none | nothing of these |
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.calibration.fitting import SCREENING, Constant, fit, group_sample
from lawsmith.calibration.hidden_laws import (
    CLOSE,
    Form,
    Ground,
    How,
    box_points,
    contains,
    opened,
    residual,
    space_of_world,
)
from lawsmith.calibration.problems import SINGLE, records_of
from lawsmith.errors import InputError, UndefinedValueError
from schemas.calibrated_score import StructureLevel
from schemas.calibrated_task import CalibratedSubmission, HiddenEdit, LocalConstant, ParallelKey
from schemas.expression import Expression, Op, names_of, walk, with_node
from schemas.world import CalibratedWorld

Floats = NDArray[np.float64]

POINTS: Final = 48
"""Noise-free points in each group that laws are compared at."""
MOST_GROUPS: Final = 3
RANK: Final = 0.9
"""Least |Spearman| that shows the order of the law's values."""
SCORES: Final[Mapping[StructureLevel, float]] = {
    "none": 0.0,
    "variables": 0.25,
    "base": 0.5,
    "most_edits": 0.75,
    "full": 1.0,
}
_STARTS: Final = 12
_STRENGTHS: Final = (1.0, 0.3, 0.1)
"""How far generic values go from the law's own, the first that leaves it a value."""


@dataclass(frozen=True, slots=True)
class StructureVerdict:
    """A structure score with what decided it."""

    level: StructureLevel
    how: How | None
    """`exact`: by algebra; `numeric`: by a two-way fit; None: no family was met."""
    reason: str

    @property
    def score(self) -> float:
        """S_S."""
        return SCORES[self.level]


def structure_score(
    submission: CalibratedSubmission, key: ParallelKey, world: CalibratedWorld
) -> StructureVerdict:
    """The structure score of a submission; deterministic.

    Raises:
        InputError: the key and the world do not belong together.
    """
    return structure_of_law(submission.expression, submission.shared, submission.local, key, world)


def structure_of_law(
    expression: Expression,
    shared: Mapping[str, float],
    local: Sequence[LocalConstant],
    key: ParallelKey,
    world: CalibratedWorld,
) -> StructureVerdict:
    """The structure score of a law.

    Args:
        expression: over controls and constants.
        shared: its shared constants by value; numbers of the expression count as such too.
        local: its constants of each group's own.
        key: the answer.
        world: of the key: its supports and residual space.

    Raises:
        InputError: the key and the world do not belong together.
    """
    case = _Case.of(key, world)
    names = names_of(expression)
    own = [one.name for one in local]
    foreign = names - set(case.ground.controls) - set(shared) - set(own)
    if foreign:
        return StructureVerdict(
            "none", None, f"{sorted(foreign)} are neither controls nor constants"
        )
    if set(own) & set(shared) or (own and not world.grouped):
        return StructureVerdict("none", None, "its constants are not those that the task allows")
    given = case.submitted(expression, shared, local)
    if given is None:
        return StructureVerdict("none", None, "it has no value over the support")
    for level, how, reason in case.families(given):
        if how is not None:
            return StructureVerdict(level, how, reason)
    return case.variables(given)


@dataclass(frozen=True, eq=False)
class _Case:
    """A hidden law and the forms that it is compared by."""

    ground: Ground
    hidden: Form
    key: ParallelKey

    @classmethod
    def of(cls, key: ParallelKey, world: CalibratedWorld) -> "_Case":
        values = {
            SINGLE if own.group is None else own.group: dict(own.values) for own in key.constants
        }
        groups = {group.label: group for group in world.groups}
        if not set(groups) <= set(values):
            raise InputError(
                f"the key lacks groups {sorted(set(groups) - set(values))}", path="key"
            )
        labels = group_sample(list(groups), MOST_GROUPS)
        points = {
            label: box_points([np.array([a.low, a.high]) for a in groups[label].axes], POINTS)
            for label in labels
        }
        controls = tuple(control.name for control in world.controls)
        ground = Ground(controls, points, space_of_world(world))
        taken = {label: values[label] for label in labels}
        hidden = Form(key.law, key.shared, key.local, taken, key.fixed)
        return cls(ground, hidden, key)

    def submitted(
        self, expression: Expression, shared: Mapping[str, float], local: Sequence[LocalConstant]
    ) -> Form | None:
        """The submission's form: local constants fitted to the law, all if that has no value."""
        law, numbers = opened(expression, (*self.ground.controls, *names_of(expression)))
        given = {n: v for n, v in {**shared, **numbers}.items() if n in names_of(law)}
        own = [one for one in local if one.name in names_of(law)]
        most = max((len(one.starts) for one in own), default=1)
        starts = [
            Constant(
                one.name,
                (*one.starts, *one.starts[-1:] * (most - len(one.starts))),
                "per_group",
                None,
                one.low,
                one.high,
            )
            for one in own
        ]
        form = self._fitted(law, given, starts, held=tuple(given))
        form = form or self._fitted(law, given, starts, held=())
        # A number is no freedom that the submission claims, yet it may stand for a constant.
        return None if form is None else replace(form, held=tuple(numbers))

    def families(self, given: Form) -> Iterator[tuple[StructureLevel, How | None, str]]:
        """Each level above `variables` with how it is met, best first."""
        how = self._same(given, self.hidden)
        if how is not None:
            alike = self._pattern(given)
            yield (
                ("full", how, "the hidden law's form")
                if alike
                else ("most_edits", how, "the form, with another pattern of shared constants")
            )
        moves = _moves(self.key.edits)
        for size in range(len(moves) - 1, 0, -1):
            if 2 * size < len(moves):
                break
            for some in combinations(moves, size):
                partial = _applied(self.key.base, [edit for move in some for edit in move])
                yield "most_edits", self._same_as(given, partial), f"the base with {size} edits"
        yield "base", self._same_as(given, self.key.base), "the form of the base"
        left = _surviving(self.key)
        if left is not None:
            yield "base", self._same_as(given, left), "what the edits leave of the base"

    def variables(self, given: Form) -> StructureVerdict:
        """Level `variables` or `none`."""
        controls = set(self.ground.controls)
        used, wanted = names_of(given.law) & controls, names_of(self.hidden.law) & controls
        if used - wanted or 2 * len(used) < len(wanted) or not used:
            return StructureVerdict("none", None, f"it uses {sorted(used)} of {sorted(wanted)}")
        truth, guess = self.ground.phi(self.hidden), self.ground.phi(given)
        ranks = [_rank(truth[label], guess[label]) for label in truth]
        middle = float(np.median(ranks))
        if middle < RANK:
            return StructureVerdict("none", None, f"|Spearman| {middle:.3g} is below {RANK:g}")
        return StructureVerdict("variables", None, f"|Spearman| {middle:.3g} with the law")

    def _same_as(self, given: Form, law: Expression) -> How | None:
        """Whether a submission is of the family of a part of the hidden law's construction."""
        controls = set(self.ground.controls)
        first = next(iter(self.hidden.values.values()))
        names = sorted(names_of(law) - controls)
        shared = {n: first.get(n, 1.0) for n in names if n not in self.key.local}
        local = [Constant(n, (first[n],), "per_group") for n in names if n in self.key.local]
        # A scale of the base that is never fitted is no freedom of the base.
        held = tuple(n for n in shared if n in self.key.fixed)
        form = self._fitted(law, shared, local, held=held)
        if form is None:
            return None
        return self._same(given, Form(form.law, form.shared, form.local, form.values, held))

    def _same(self, given: Form, other: Form) -> How | None:
        """Two-way: each family holds the other at generic values."""
        used = [names_of(f.law) & set(self.ground.controls) for f in (given, other)]
        if used[0] != used[1]:
            return None
        ways: list[How] = []
        for family, target in ((given, other), (other, given)):
            generic = self._generic(target)
            how = None if generic is None else contains(self.ground, family, generic)
            if how is None:
                return None
            ways.append(how)
        return "exact" if set(ways) == {"exact"} else "numeric"

    def _pattern(self, given: Form) -> bool:
        """Whether shared and own constants are alike: over all groups at once, both ways."""
        if len(self.ground.points) == 1:
            return True
        for family, target in ((given, self.hidden), (self.hidden, given)):
            generic = self._generic(target)
            if generic is None or residual(self.ground, generic, family) >= CLOSE:
                return False
        return True

    def _generic(self, form: Form) -> Form | None:
        for strength in _STRENGTHS:
            generic = form.generic(strength)
            try:
                self.ground.phi(generic)
            except UndefinedValueError:
                continue
            return generic
        return None

    def _fitted(
        self,
        law: Expression,
        shared: Mapping[str, float],
        local: Sequence[Constant],
        *,
        held: Sequence[str],
    ) -> Form | None:
        """A form with constants fitted to the hidden law; None where it has no value."""
        most = len(local[0].starts) if local else 1
        constants = [
            Constant(n, fixed=v) if n in held else Constant(n, (v,) * most)
            for n, v in shared.items()
        ]
        constants += local
        truth = self.ground.phi(self.hidden)
        labels = list(truth)
        grouped = len(labels) > 1 or bool(local)
        records = records_of(
            {
                name: np.concatenate([self.ground.inputs(label)[name] for label in labels])
                for name in self.ground.controls
            },
            self.ground.space.back(np.concatenate([truth[label] for label in labels])),
            np.concatenate([[label] * POINTS for label in labels]) if grouped else None,
        )
        try:
            # These values are where comparisons start; what decides is fitted exactly there.
            found = fit(law, constants, records, self.ground.space, _STARTS, SCREENING)
        except (InputError, UndefinedValueError):
            # Without a value over the support at any start, it is no law there.
            return None
        values = {label: found.values(label if grouped else SINGLE) for label in labels}
        return Form(law, tuple(shared), tuple(c.name for c in local), values)


def _rank(truth: Floats, guess: Floats) -> float:
    if np.ptp(truth) == 0.0 or np.ptp(guess) == 0.0:
        return 0.0
    return abs(float(scipy.stats.spearmanr(truth, guess).statistic))


def _moves(edits: Sequence[HiddenEdit]) -> list[list[HiddenEdit]]:
    """Edits by move: one move may change equal subtrees at several places."""
    found: dict[tuple[str, Expression, Expression], list[HiddenEdit]] = {}
    for edit in edits:
        found.setdefault((edit.move, edit.before, edit.after), []).append(edit)
    return list(found.values())


def _applied(base: Expression, edits: Sequence[HiddenEdit]) -> Expression:
    for edit in edits:
        base = with_node(base, edit.path, edit.after)
    return base


def _surviving(key: ParallelKey) -> Expression | None:
    """The base without the terms that edits remove or replace; None if that is no other law."""
    removed = [edit for edit in key.edits if edit.move == "term_removed"]
    law = _applied(key.base, removed)
    gone: dict[str, list[int]] = {}
    nodes = dict(walk(key.base))
    for edit in key.edits:
        around, _, place = edit.path.rpartition("/args/")
        parent = nodes.get(around)
        inside = isinstance(parent, Op) and parent.op == "add" and edit.path != ""
        if inside and edit.move in ("exponent", "transform", "operator_swap"):
            gone.setdefault(around, []).append(int(place))
    for around, places in gone.items():
        parent = nodes[around]
        if not isinstance(parent, Op) or any(edit.path in ("", around) for edit in removed):
            continue
        kept = tuple(arg for i, arg in enumerate(parent.args) if i not in places)
        if not kept:
            return None
        law = with_node(law, around, kept[0] if len(kept) == 1 else Op("add", kept))
    return None if law == key.base else law


__all__ = ("SCORES", "StructureVerdict", "structure_of_law", "structure_score")
