"""Families of laws with constants, and whether one holds what another can be.

The family of a form is every law that it can be over some groups: its shared constants have one
value, its own ones a value in each group. A law is in a family if constants can be found that
make the two agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.fitting import Box, Constant, Misfit, fit, least
from lawsmith.calibration.problems import SINGLE, Space, records_of
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import compile_expression, literal_paths, same_form
from lawsmith.expressions.equality import replace_literals
from schemas.expression import Expression, Op, Var, names_of, substitute, walk

CLOSE: Final = 1e-7
"""Relative residual below which noise-free points count as met: the laws are one."""
STRUCTURE: Final = frozenset({0.0, 1.0, 2.0, 0.5})
"""Sizes of numbers that are part of a form, not constants of it; whole exponents are too."""
LARGEST_EXPONENT: Final = 9.0
WORK: Final = 0.05
"""Share of the usual counted work of an exact comparison after which it gives up."""
_STARTS: Final = 12
_FACTORS: Final = (1.13, 0.91, 1.07, 0.86, 1.19, 0.95, 1.03, 0.89, 1.16, 0.93)

Floats = NDArray[np.float64]
Values = Mapping[str, Mapping[str, float]]
"""Group -> constant -> value."""
How = Literal["exact", "numeric"]


@dataclass(frozen=True, eq=False)
class Form:
    """A law over controls and named constants, with values of them."""

    law: Expression
    shared: tuple[str, ...]
    local: tuple[str, ...]
    values: Values
    held: tuple[str, ...] = ()
    """Shared constants that are no freedom of the law: generic values leave them alone."""

    def generic(self, strength: float = 1.0) -> "Form":
        """The form with other values: every constant by a fixed factor, in each group another.

        A constant of value 0 becomes a small number of its own.

        Args:
            strength: the power that the factors are raised to.
        """
        moved: dict[str, dict[str, float]] = {}
        for g, (label, own) in enumerate(self.values.items()):
            moved[label] = {}
            for i, (name, value) in enumerate(own.items()):
                place = 3 * i + 2 * g + 1 if name in self.local else i
                factor = 1.0 if name in self.held else _FACTORS[place % len(_FACTORS)] ** strength
                moved[label][name] = value * factor if value else 0.1 * (factor - 1.0)
        return Form(self.law, self.shared, self.local, moved, self.held)

    def law_in(self, label: str) -> Expression:
        """The law of one group over controls alone."""
        return substitute(self.law, dict(self.values[label]))


def opened(law: Expression, taken: Sequence[str]) -> tuple[Expression, dict[str, float]]:
    """A law with its numbers made named constants, and their values.

    Numbers that are structure stay: 0, +-1, +-2, +-1/2, whole exponents up to 9, and what makes
    pi and e.
    """
    nodes = dict(walk(law))
    exponents = {
        f"{path}/args/1"
        for path, node in nodes.items()
        if isinstance(node, Op) and node.op == "pow" and isinstance(node.args[1], float)
    }
    found: dict[str, float] = {}
    places: dict[str, Expression] = {}
    names = (f"number_{i}" for i in count())
    for path in [*literal_paths(law), *sorted(exponents)]:
        value = nodes[path]
        if not isinstance(value, float) or abs(value) in STRUCTURE:
            continue
        if path in exponents and value.is_integer() and abs(value) <= LARGEST_EXPONENT:
            continue
        name = next(name for name in names if name not in taken)
        found[name] = value
        places[path] = Var(name)
    return replace_literals(law, places), found


@dataclass(frozen=True, eq=False)
class Ground:
    """Where laws are compared: points of some groups, shape (n, controls) each."""

    controls: tuple[str, ...]
    points: Mapping[str, Floats]
    space: Space

    def inputs(self, label: str) -> dict[str, Floats]:
        """Control -> column of a group's points."""
        return {name: self.points[label][:, i] for i, name in enumerate(self.controls)}

    def phi(self, form: Form) -> dict[str, Floats]:
        """Values in residual space, in every group.

        Raises:
            UndefinedValueError: the form has no value, or no logarithm, at a point.
        """
        found = {}
        for label, table in self.points.items():
            values = compile_expression(form.law)({**self.inputs(label), **form.values[label]})
            found[label] = self.space.of_law(np.array(np.broadcast_to(values, (len(table),))))
        return found

    def domain(self) -> dict[str, tuple[float, float]]:
        """Control -> its range over all groups."""
        whole = np.vstack(list(self.points.values()))
        return {
            name: (float(whole[:, i].min()), float(whole[:, i].max()))
            for i, name in enumerate(self.controls)
        }


def residual(ground: Ground, target: Form, family: Form) -> float:
    """What is left of a law when a family is fitted to all groups, as a share of its deviation.

    Args:
        ground: where.
        target: the law.
        family: its values are the first start; shared constants have one value for all groups.

    Raises:
        UndefinedValueError: the target has no value on the ground.
    """
    phi = ground.phi(target)
    alone = {label: _alone(ground, phi[label], label, family) for label in phi}
    worst = max(left for left, _ in alone.values())
    if worst >= CLOSE or not family.shared:
        return worst
    solved = {label: values for label, (_, values) in alone.items()}
    joint = _Joint(ground, phi, family)
    starts = [joint.vector(family.values), joint.vector(solved)]
    free = Box(np.full(len(starts[0]), -np.inf), np.full(len(starts[0]), np.inf))
    return min(_share(joint, least(joint, [start], free)) for start in starts)


class _Joint:
    """All groups at once: the shared constants, then those of each group's own."""

    def __init__(self, ground: Ground, phi: Mapping[str, Floats], family: Form) -> None:
        self._labels = list(phi)
        used = names_of(family.law)
        self._shared = [n for n in family.shared if n in used]
        self._local = [n for n in family.local if n in used]
        names = [*self._shared, *self._local]
        self._parts = [
            Misfit(
                family.law,
                names,
                records_of(ground.inputs(label), ground.space.back(phi[label])),
                ground.space,
                {},
            )
            for label in self._labels
        ]
        self.spread = _spread(np.concatenate(list(phi.values())))

    def vector(self, values: Values) -> Floats:
        """Constants of every group as one vector; shared ones are the mean over the groups."""
        shared = [float(np.mean([values[g][n] for g in self._labels])) for n in self._shared]
        local = [values[label][name] for label in self._labels for name in self._local]
        return np.array([*shared, *local], dtype=np.float64)

    def residuals(self, constants: Floats) -> Floats:
        """Shape (points of all groups,)."""
        return np.concatenate(
            [part.residuals(self._own(constants, g)) for g, part in enumerate(self._parts)]
        )

    def slopes(self, constants: Floats) -> Floats:
        """Shape (points of all groups, constants)."""
        first = len(self._shared)
        rows = []
        for g, part in enumerate(self._parts):
            own = part.slopes(self._own(constants, g))
            row = np.zeros((len(own), len(constants)))
            row[:, :first] = own[:, :first]
            row[:, self._places(g)] = own[:, first:]
            rows.append(row)
        return np.vstack(rows)

    def _own(self, constants: Floats, g: int) -> Floats:
        return np.concatenate([constants[: len(self._shared)], constants[self._places(g)]])

    def _places(self, g: int) -> slice:
        start = len(self._shared) + g * len(self._local)
        return slice(start, start + len(self._local))


def _share(joint: _Joint, constants: Floats) -> float:
    return float(np.sqrt((joint.residuals(constants) ** 2).mean())) / joint.spread


def _spread(values: Floats) -> float:
    spread = float(np.std(values))
    return spread if spread > 0.0 else max(float(np.abs(values).max()), 1e-300)


def contains(ground: Ground, family: Form, target: Form) -> How | None:
    """Whether a family holds a law in each group alone; how, None if it does not.

    Raises:
        UndefinedValueError: the target has no value on the ground.
    """
    how: How = "exact"
    phi = ground.phi(target)
    for label in ground.points:
        verdict = exactly(ground, family, target, label)
        if verdict == "equal":
            continue
        if verdict == "different" or _alone(ground, phi[label], label, family)[0] >= CLOSE:
            return None
        how = "numeric"
    return how


def exactly(ground: Ground, family: Form, target: Form, label: str) -> str:
    """`equal` or `different` where that is certain, else `undecided`."""
    values: dict[str, Expression] = dict(family.values[label])
    law = substitute(family.law, values)
    names: dict[str, list[str]] = {}
    for path, node in walk(family.law):
        if isinstance(node, Var) and node.var in values:
            names.setdefault(node.var, []).append(path)
    free = [path for paths in names.values() for path in paths]
    if any(value == 0.0 for value in values.values()):
        return "undecided"
    verdict = same_form(target.law_in(label), law, free, ground.domain(), work=WORK)
    if verdict.equal and verdict.constant_map is not None:
        found = verdict.constant_map
        alike = all(len({found[path] for path in paths}) == 1 for paths in names.values())
        return "equal" if alike else "undecided"
    proved = verdict.verdict == "different" and verdict.how in ("names", "linear")
    return "different" if proved else "undecided"


def _alone(
    ground: Ground, phi: Floats, label: str, family: Form
) -> tuple[float, Mapping[str, float]]:
    """What is left in one group, all constants of the family free, and their values there."""
    own = family.values[label]
    names = [n for n in (*family.shared, *family.local) if n in names_of(family.law)]
    constants = [Constant(n, (own[n],)) for n in names]
    records = records_of(ground.inputs(label), ground.space.back(phi))
    try:
        found = fit(family.law, constants, records, ground.space, _STARTS)
    except (InputError, UndefinedValueError):
        # Without a value there at any start, the form is not the law's.
        return float("inf"), own
    left = float(np.sqrt((found.residuals**2).mean())) / _spread(phi)
    return left, {**own, **found.values(SINGLE)}


__all__ = ("CLOSE", "Form", "Ground", "How", "contains", "exactly", "opened", "residual")
