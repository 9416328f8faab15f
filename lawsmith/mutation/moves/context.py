"""What moves stand on: a relation set with units and with values at points of its domain."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lawsmith.curation.evidence import is_printed, numbers_in
from lawsmith.errors import CoherenceError, DimensionError, UndefinedValueError, UnitError
from lawsmith.expressions import check_scales, compile_expression, dimension_of, number_text
from lawsmith.measurement import Points, columns
from lawsmith.mutation.laws import Interface, at_pointer, edited, expressions_of, names_in, units_of
from lawsmith.rules import named
from lawsmith.units import parse_unit
from schemas.expression import Expression, Op, Var, names_of, walk
from schemas.family import (
    ConstructionChoice,
    LawParameter,
    MoveKind,
    Mutation,
    RelationSet,
)

SCALE_POLICY = named("scale")
SHORT_DIGITS = 5
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """One Counterfactual: edits of the Original by JSON Pointer, and what they introduce."""

    moves: tuple[MoveKind, ...]
    edits: dict[str, Expression]
    mutations: tuple[Mutation, ...]
    relations: RelationSet
    choices: tuple[ConstructionChoice, ...]
    without: tuple[RelationSet, ...] = ()
    """Of several moves: the relation sets that lack one of them."""

    @property
    def introduced(self) -> tuple[LawParameter, ...]:
        """Every parameter that the Original lacks."""
        return tuple(p for mutation in self.mutations for p in mutation.introduced)


@dataclass(frozen=True)
class Ground:
    """An Original, its interface, and feasible points, shape (n, controls)."""

    interface: Interface
    original: RelationSet
    points: Points
    text: str = ""
    """What players read: a number that stands there must not become one of the law."""

    @cached_property
    def units(self) -> dict[str, str]:
        """Name -> unit of controls, parameters and definitions."""
        return units_of(self.original, self.interface.controls)

    @cached_property
    def controls(self) -> tuple[str, ...]:
        """Names of the controls."""
        return tuple(control.name for control in self.interface.controls)

    @cached_property
    def varying(self) -> frozenset[str]:
        """Controls, and definitions that depend on one."""
        found = set(self.controls)
        for definition in self.original.definitions:
            if names_of(definition.expression) & found:
                found.add(definition.name)
        return frozenset(found)

    @cached_property
    def values(self) -> dict[str, Floats]:
        """Name -> values at the points.

        Raises:
            UndefinedValueError: a definition has no value at a point.
        """
        found = dict(columns(self.interface.controls, self.points))
        for parameter in self.original.parameters:
            found[parameter.name] = np.full(len(self.points), parameter.value)
        for definition in self.original.definitions:
            body = compile_expression(definition.expression)
            found[definition.name] = np.asarray(body(found)) + np.zeros(len(self.points))
        return found

    def value_of(self, expression: Expression) -> Floats | None:
        """Values of a subtree at the points, None where it is undefined somewhere."""
        try:
            return np.asarray(compile_expression(expression)(self.values)) + np.zeros(
                len(self.points)
            )
        except UndefinedValueError:
            return None

    def is_pure(self, expression: Expression) -> bool:
        """Whether a subtree is a pure number of scale 1; a clash inside counts as not pure.

        A share in percent, or an angle in degrees, is none: 1 may not be added to it.
        """
        try:
            if not dimension_of(expression, self.units).is_pure:
                return False
            check_scales(expression, self.units, "1", self.values)
        except (CoherenceError, DimensionError, UndefinedValueError):
            return False
        return True

    def varies(self, expression: Expression) -> bool:
        """Whether a subtree depends on a control."""
        return bool(names_of(expression) & self.varying)

    @cached_property
    def tree(self) -> dict[str, Expression]:
        """JSON Pointer -> node, of every definition and then of every relation."""
        return {
            path: node
            for root, expression in expressions_of(self.original).items()
            for path, node in walk(expression, root)
        }

    def unit_at(self, root: str) -> str:
        """The unit of the definition or relation whose expression stands at a pointer."""
        index = int(root.split("/")[2])
        if root.startswith("/definitions"):
            return self.original.definitions[index].unit
        return self.interface.units[self.original.relations[index].readout]

    def unspoken(self, values: Sequence[float]) -> tuple[float, ...]:
        """Those of the values that the text does not name; all of them where it names each."""
        found = tuple(v for v in values if not is_printed(v, self._printed, signed=False))
        return found or tuple(values)

    @cached_property
    def _printed(self) -> frozenset[Decimal]:
        return frozenset(numbers_in([self.text]))

    def fresh(self, wanted: str) -> str:
        """A name like `wanted` that nothing has yet."""
        used = names_in(self.original, self.interface.controls)
        if wanted not in used:
            return wanted
        return next(f"{wanted}_{i}" for i in range(2, 1000) if f"{wanted}_{i}" not in used)

    def reference(self, name: str, power: float = 1.0) -> LawParameter:
        """A round reference scale for a named quantity, inside the range of its sizes.

        It is the roundest that lies there (1, 2 or 5 times a power of ten, else of one digit, of
        two, of three), nearest in logarithm to the geometric middle, among those that the text
        does not name, and of these among those whose power is short.

        Args:
            name: the control or definition.
            power: what the scale is raised to in the law.
        """
        return self._scale(f"{name[:56]}_ref", self.values[name], self.units[name], power)

    def group_reference(self, group: Expression, power: float = 1.0) -> LawParameter | None:
        """A round reference scale for a product or power; None where its unit cannot be told."""
        unit, values = self.unit_of(group), self.value_of(group)
        if unit is None or values is None:
            return None
        return self._scale("group_ref", values, unit, power)

    def unit_of(self, expression: Expression) -> str | None:
        """The unit in which a product or power of named quantities comes out, as text."""
        unit = unit_text(expression, self.units)
        try:
            return None if unit is None else parse_unit(unit).text
        except UnitError:
            # Offset and logarithmic units stand only alone.
            return None

    def _scale(self, wanted: str, values: Floats, unit: str, power: float) -> LawParameter:
        sizes = np.abs(values)
        sizes = sizes[sizes > 0]
        middle = math.sqrt(float(sizes.min()) * float(sizes.max())) if sizes.size else 1.0
        ends = (float(sizes.min()), float(sizes.max())) if sizes.size else (middle, middle)
        options = self._scales_inside(*ends, middle)
        # A factor such as 50^0.3 folds into a constant that nobody could write down exactly.
        short = [option for option in options if is_short(option**power)]
        name = self.fresh(wanted)
        return LawParameter(
            name=name,
            symbol=name,
            value=nearest(short or options, middle),
            unit=unit,
            mutable=False,
        )

    def _scales_inside(self, low: float, high: float, middle: float) -> tuple[float, ...]:
        """The roundest values from low to high that the text does not name."""
        for digits in range(4):
            inside = [one for one in round_scales(middle, digits) if low <= one <= high]
            unnamed = [one for one in inside if not is_printed(one, self._printed, signed=False)]
            if unnamed:
                return tuple(unnamed)
        # A quantity that hardly varies has no round value: the nearest of three digits.
        return (nearest(self.unspoken(round_scales(middle, 3)), middle),)

    def constant(self, wanted: str, value: float, unit: str) -> LawParameter:
        """A constant that a move introduces into the law, under a name that nothing has yet."""
        name = self.fresh(wanted)
        return LawParameter(name=name, symbol=wanted, value=value, unit=unit, mutable=True)

    def candidate(
        self,
        move: MoveKind,
        edits: dict[str, Expression],
        introduced: tuple[LawParameter, ...] = (),
    ) -> Candidate:
        """The candidate of one move; its introduced parameters stand with the first edit."""
        mutations = tuple(
            Mutation(
                move=move,
                path=path,
                before=at_pointer(self.original, path),
                after=after,
                introduced=introduced if k == 0 else (),
            )
            for k, (path, after) in enumerate(edits.items())
        )
        return self.combined((move,), edits, mutations)

    def combined(
        self,
        moves: tuple[MoveKind, ...],
        edits: dict[str, Expression],
        mutations: tuple[Mutation, ...],
    ) -> Candidate:
        """The candidate of several moves whose edits do not touch each other.

        A reference scale that two of them need is introduced once, with the first.
        """
        known: dict[str, LawParameter] = {}
        own: list[Mutation] = []
        for mutation in mutations:
            new = tuple(p for p in mutation.introduced if p.name not in known)
            known |= {p.name: p for p in new}
            own.append(mutation.model_copy(update={"introduced": new}))
        changed = edited(self.original, edits)
        parameters = (*changed.parameters, *known.values())
        return Candidate(
            moves=moves,
            edits=edits,
            mutations=tuple(own),
            relations=changed.model_copy(update={"parameters": parameters}),
            choices=scale_choices(tuple(known.values())),
        )


def scale_choices(introduced: Sequence[LawParameter]) -> tuple[ConstructionChoice, ...]:
    """The construction choice behind every reference scale among introduced parameters."""
    return tuple(
        ConstructionChoice(
            rule=SCALE_POLICY, subject=f"reference scale {p.name}", value=p.value, unit=p.unit
        )
        for p in introduced
        if not p.mutable
    )


def unit_text(expression: Expression, units: Mapping[str, str]) -> str | None:
    """The unit of a product, quotient or constant power of named quantities; else None."""
    if isinstance(expression, Var):
        return units[expression.var]
    if not isinstance(expression, Op):
        return "1"
    parts = [unit_text(arg, units) for arg in expression.args]
    known = [f"({part})" if set(part) & set("*/^ ") else part for part in parts if part]
    if len(known) < len(parts):
        return None
    if expression.op == "mul":
        return "*".join(part for part in known if part != "1") or "1"
    if expression.op == "div":
        return known[0] if known[1] == "1" else "/".join(known)
    if expression.op == "sqrt":
        return f"{known[0]}^(1/2)"
    if expression.op == "pow" and isinstance(expression.args[1], float):
        return f"{known[0]}^({number_text(expression.args[1])})"
    return None


def round_scales(value: float, digits: int = 0) -> tuple[float, ...]:
    """Round values around a positive one.

    Args:
        value: what they lie around, a decade each way.
        digits: 0 = 1, 2 and 5 times powers of ten; else all numbers of so many digits.
    """
    power = math.floor(math.log10(value))
    mantissas = range(10 ** (digits - 1), 10**digits) if digits else (1, 2, 5)
    shift = power - max(digits - 1, 0)
    return tuple(float(f"{m}e{shift + k}") for k in (-1, 0, 1) for m in mantissas)


def is_short(value: float) -> bool:
    """Whether a number has at most 5 significant digits, as certificate 9 asks of a constant."""
    return math.isclose(value, float(f"{value:.{SHORT_DIGITS}g}"), rel_tol=1e-12)


def nearest(options: Sequence[float], value: float) -> float:
    """The positive option nearest to a positive value in logarithm."""
    return min(options, key=lambda option: abs(math.log10(option / value)))


__all__ = (
    "SCALE_POLICY",
    "Candidate",
    "Ground",
    "is_short",
    "nearest",
    "round_scales",
    "scale_choices",
)
