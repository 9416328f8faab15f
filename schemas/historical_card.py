"""Historical cards: canonical relations with citations in place of anchors."""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.card import Domain
from schemas.expression import ExpressionField
from schemas.necessary import NecessaryClaim
from schemas.record import Name, Part, Record


class HistoricalControl(Part):
    """A controllable input of a canonical relation."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    domain: Domain
    inert: bool


class HistoricalReadout(Part):
    """An observable with its instrument step and tolerances."""

    name: Name
    symbol: str
    definition: str
    unit: str
    resolution: float | None
    """Null: taken from the tolerance policy."""
    absolute: float | None
    """Absolute tolerance in `unit`; null: taken from the tolerance policy."""
    relative: float | None


class HistoricalRelation(Part):
    """How one readout follows from controls, independent and derived quantities."""

    readout: Name
    expression: ExpressionField
    citation: str


class Independent(Part):
    """A parameter that may be set by itself."""

    name: Name
    symbol: str
    meaning: str
    value: float
    unit: str
    origin: Literal["source", "convention", "illustrative"]
    citation: str


class Derived(Part):
    """A parameter recomputed from independent ones and corrections."""

    name: Name
    meaning: str
    unit: str
    expression: ExpressionField


class Correction(Part):
    """A coefficient of the super-family that is zero in the Original."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    term: ExpressionField
    """The term it multiplies, for people to read."""
    citation: str


class MutationRule(Part):
    """The admissible values of an independent parameter or a correction in a Counterfactual."""

    target: Name
    low: float
    high: float
    reason: str

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"rule for {self.target}: low {self.low!r} >= high {self.high!r}")
        return self


class HistoricalConstraint(Part):
    """A joint condition on the controls: expression >= 0."""

    expression: ExpressionField
    meaning: str


class HistoricalNecessary(NecessaryClaim):
    """A property that the literature states as necessary."""

    readout: Name
    control: Name | None
    citation: str


class HistoricalCard(Record):
    """A canonical relation with citations in place of anchors. `id` is the slug.

    It implements a modern simulated environment and does not reconstruct the
    historical experiment.
    """

    title: str
    field: str
    discoverer: str
    year: int
    citation: str
    controls: tuple[HistoricalControl, ...] = Field(min_length=1)
    readouts: tuple[HistoricalReadout, ...] = Field(min_length=1)
    relations: tuple[HistoricalRelation, ...] = Field(min_length=1)
    constraints: tuple[HistoricalConstraint, ...]
    independent: tuple[Independent, ...]
    derived: tuple[Derived, ...]
    corrections: tuple[Correction, ...]
    mutation_rules: tuple[MutationRule, ...] = Field(min_length=1)
    consistency: tuple[tuple[ExpressionField, ExpressionField], ...]
    """Pairs (left, right) that are equal wherever both are defined."""
    assumptions: tuple[str, ...]
    disclaimer: Literal["does not reconstruct the historical experiment"]
    necessary: tuple[HistoricalNecessary, ...] = ()
    """What is stated as necessary; empty: nothing is claimed."""

    @model_validator(mode="after")
    def _necessary_of_own_names(self) -> Self:
        readouts = {readout.name for readout in self.readouts}
        controls = {control.name for control in self.controls}
        for i, item in enumerate(self.necessary):
            if item.readout not in readouts:
                raise ValueError(f"necessary/{i}/readout: {item.readout!r} is no readout")
            if item.control is not None and item.control not in controls:
                raise ValueError(f"necessary/{i}/control: {item.control!r} is no control")
        return self
