"""What moves stand on: a relation set with units and with values at points of its domain."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import DimensionError, UndefinedValueError
from lawsmith.expressions import compile_expression, dimension_of
from lawsmith.measurement.constraints import Points, columns
from lawsmith.mutation.relation_sets import edited, expressions_of, names_in, units_of
from lawsmith.mutation.sources import Interface
from schemas.expression import Expression, names_of, walk
from schemas.family import (
    ConstructionChoice,
    LawParameter,
    MoveKind,
    Mutation,
    RelationSet,
)

SCALE_POLICY = "scale-1"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """One Counterfactual: edits of the Original by JSON Pointer, and what they introduce."""

    moves: tuple[MoveKind, ...]
    edits: dict[str, Expression]
    mutations: tuple[Mutation, ...]
    relations: RelationSet
    choices: tuple[ConstructionChoice, ...]

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
        """Whether a subtree has no dimension; a clash inside counts as not pure."""
        try:
            return dimension_of(expression, self.units).is_pure
        except DimensionError:
            return False

    def varies(self, expression: Expression) -> bool:
        """Whether a subtree depends on a control."""
        return bool(names_of(expression) & self.varying)

    def nodes(self) -> Iterator[tuple[str, Expression]]:
        """Every node of every definition and relation with its JSON Pointer."""
        for root, expression in expressions_of(self.original).items():
            yield from walk(expression, root)

    def fresh(self, wanted: str, taken: tuple[str, ...] = ()) -> str:
        """A name like `wanted` that nothing has yet."""
        used = names_in(self.original, self.interface.controls) | set(taken)
        if wanted not in used:
            return wanted
        return next(f"{wanted}_{i}" for i in range(2, 1000) if f"{wanted}_{i}" not in used)

    def reference(self, name: str, taken: tuple[str, ...] = ()) -> LawParameter:
        """A round reference scale for a named quantity: 1, 2 or 5 times a power of ten.

        It lies nearest, in logarithm, to the geometric middle of the quantity's sizes.
        """
        sizes = np.abs(self.values[name])
        sizes = sizes[sizes > 0]
        middle = math.sqrt(float(sizes.min()) * float(sizes.max())) if sizes.size else 1.0
        label = self.fresh(f"{name[:56]}_ref", taken)
        return LawParameter(
            name=label,
            symbol=label,
            value=round_scale(middle),
            unit=self.units[name],
            mutable=False,
        )

    def candidate(
        self,
        move: MoveKind,
        edits: dict[str, Expression],
        introduced: tuple[LawParameter, ...] = (),
    ) -> Candidate:
        """The candidate of one move; its introduced parameters stand with the first edit."""
        before = dict(self.nodes())
        before |= {
            f"/parameters/{i}/value": p.value for i, p in enumerate(self.original.parameters)
        }
        mutations = tuple(
            Mutation(
                move=move,
                path=path,
                before=before[path],
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
        """The candidate of several moves whose edits do not touch each other."""
        introduced = tuple(p for mutation in mutations for p in mutation.introduced)
        changed = edited(self.original, edits)
        relations = changed.model_copy(update={"parameters": (*changed.parameters, *introduced)})
        choices = tuple(
            ConstructionChoice(
                rule=SCALE_POLICY, subject=f"reference scale {p.name}", value=p.value, unit=p.unit
            )
            for p in introduced
            if not p.mutable
        )
        return Candidate(moves, edits, mutations, relations, choices)


def round_scale(value: float) -> float:
    """1, 2 or 5 times a power of ten, nearest to a positive value in logarithm."""
    power = math.floor(math.log10(value))
    options = [float(f"{m}e{power + k}") for k in (-1, 0, 1) for m in (1, 2, 5)]
    return min(options, key=lambda option: abs(math.log10(option / value)))


__all__ = ("SCALE_POLICY", "Candidate", "Ground", "round_scale")
