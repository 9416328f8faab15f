"""Problems: a published law linked to real data, ready to become a world and a Real task.

A problem is data: how its table is read, which columns are controls and readout, the
reference laws with their constants, how the rows are split, what a valid law must do, and
the facts of the canonical table that are checked on every load.
"""

from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from schemas.dataset import (
    CanonicalTable,
    Column,
    GroupColumn,
    Licence,
    Loader,
    Provenance,
    ReadoutColumn,
)
from schemas.expression import ExpressionField, names_of
from schemas.record import Identity, Name, Part, Record
from schemas.validity import Source, ValidityItem

RESERVED: Final = frozenset({"seed", "n_samples", "group_id"})
"""Names a query's own arguments use: no column or constant may bear them."""

MetricName = Literal["rmse", "mae", "mse", "mdae", "mape", "smape", "log_mae", "r2"]


class Constant(Part):
    """A named constant of a reference law."""

    name: Name
    symbol: str
    meaning: str
    unit: str
    scope: Literal["shared", "per_group"]
    fixed: float | None
    """A value that is not fitted (a universal constant, a reference scale); null: fitted."""
    low: float | None
    """Bounds of the fit; null: unbounded."""
    high: float | None
    starts: tuple[float, ...]
    """First guesses; start i of a law takes the i-th of each constant. Empty when fixed."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.fixed is None) == (not self.starts):
            raise ValueError(f"constant {self.name!r} is either fixed or has starts")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"constant {self.name!r}: low {self.low!r} >= high {self.high!r}")
        low, high = self.low, self.high
        for value in self.starts:
            if (low is not None and value < low) or (high is not None and value > high):
                raise ValueError(f"constant {self.name!r}: start {value!r} is out of bounds")
        return self


class ReportedConstant(Part):
    """A value a source states."""

    name: Name
    value: float
    deviation: float | None
    """Its standard deviation as stated; null: not stated."""


class Reported(Part):
    """A set of constants that a source states for one group (or the whole table)."""

    group: str | None
    status: Literal["certified", "reproduced", "recalled"]
    """`certified`: by the publisher of the data; `reproduced`: a refit of these rows returns
    it; `recalled`: from memory, unchecked."""
    fitted_in: Literal["linear", "log10", "ln"]
    """The residual space in which the source fitted."""
    constants: tuple[ReportedConstant, ...] = Field(min_length=1)
    relative_tolerance: float = Field(gt=0)
    """A refit agrees with each value to this, relative."""
    residual_sum_of_squares: float | None
    source: Source


class ReferenceLaw(Part):
    """A published law: its expression over controls and named constants."""

    id: Name
    title: str
    expression: ExpressionField
    constants: tuple[Constant, ...] = Field(min_length=1)
    source: Source
    """Who published the form; the values it states are in `reported`."""
    reported: tuple[Reported, ...]

    @model_validator(mode="after")
    def _closed(self) -> Self:
        names = [constant.name for constant in self.constants]
        _check_distinct(names, f"law {self.id!r}: constant")
        unused = set(names) - names_of(self.expression)
        if unused:
            raise ValueError(f"law {self.id!r} does not use {sorted(unused)}")
        lengths = {len(constant.starts) for constant in self.constants if constant.fixed is None}
        if len(lengths) != 1:
            raise ValueError(f"law {self.id!r}: its constants have {sorted(lengths)} starts")
        for reported in self.reported:
            foreign = {constant.name for constant in reported.constants} - set(names)
            if foreign:
                raise ValueError(f"law {self.id!r} reports foreign constants {sorted(foreign)}")
        return self


class ResidualSpace(Part):
    """Where residuals are taken: the readout itself, or its log10 above a floor."""

    space: Literal["linear", "log10"]
    floor: float | None
    """Values are lifted to this before the log10 (unit of the readout); null when linear."""
    reason: str

    @model_validator(mode="after")
    def _floor_with_log(self) -> Self:
        if (self.space == "log10") != (self.floor is not None):
            raise ValueError(f"space {self.space!r} with floor {self.floor!r}")
        if self.floor is not None and not self.floor > 0:
            raise ValueError(f"floor {self.floor!r} is not positive")
        return self


class AlternateWindow(Part):
    """Rows are ordered by their inputs; of each run of `every` distinct inputs, one is tested."""

    kind: Literal["alternate"]
    every: int = Field(ge=2)
    offset: int = Field(ge=0)
    """Which of the run is tested, from 0."""

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if self.offset >= self.every:
            raise ValueError(f"offset {self.offset} is not below every {self.every}")
        return self


class CutWindow(Part):
    """Rows beyond a cut of one control are tested, the others fitted."""

    kind: Literal["cut"]
    control: Name
    cut: float
    """In the control's unit."""
    test: Literal["at_or_above", "at_or_below"]


class ConditionWindow(Part):
    """Rows whose control lies in a closed interval are tested, the others fitted."""

    kind: Literal["condition"]
    control: Name
    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low!r} is above high {self.high!r}")
        return self


Window = Annotated[AlternateWindow | CutWindow | ConditionWindow, Field(discriminator="kind")]
_WINDOWS: Final = {
    "interpolation": ("alternate",),
    "range_extrapolation": ("cut",),
    "temporal": ("cut",),
    "cross_condition": ("condition",),
    "unseen_group": ("alternate", "cut", "condition"),
}


class SplitIntent(Part):
    """What the held-out rows ask of a law, and which rows they are.

    Without test groups the window splits every group's rows (or the whole table). With
    `unseen_group` the groups named are never trained on; inside each of them the window tells
    fit rows, from which a law may set its per-group constants, from test rows.
    """

    intent: Literal[
        "interpolation", "range_extrapolation", "temporal", "cross_condition", "unseen_group"
    ]
    window: Window
    test_groups: tuple[str, ...]
    rationale: str = Field(min_length=10)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.window.kind not in _WINDOWS[self.intent]:
            raise ValueError(f"intent {self.intent!r} with a window {self.window.kind!r}")
        if (self.intent == "unseen_group") != bool(self.test_groups):
            raise ValueError(f"intent {self.intent!r} with test groups {self.test_groups!r}")
        _check_distinct(self.test_groups, "test group")
        return self


class Problem(Record):
    """A published law linked to real data. `id` is its name in the list of data sets."""

    title: str
    field: str
    card_id: Identity | None
    """The card the problem was drawn from; null: from the open literature."""
    loader: Loader
    controls: tuple[Column, ...] = Field(min_length=1)
    readout: ReadoutColumn
    group: GroupColumn | None
    laws: tuple[ReferenceLaw, ...] = Field(min_length=1)
    residuals: ResidualSpace
    split: SplitIntent
    metric: MetricName
    metric_reason: str
    licence: Licence
    provenance: Provenance
    validity: tuple[ValidityItem, ...]
    caveats: tuple[str, ...]
    table: CanonicalTable

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical columns: controls in declared order, then the readout."""
        return (*(control.name for control in self.controls), self.readout.name)

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        names = self.names
        _check_distinct(names, "column")
        _check_distinct([item.id for item in self.validity], "validity item")
        _check_distinct([law.id for law in self.laws], "law")
        if tuple(column.name for column in self.table.columns) != names:
            raise ValueError(f"table.columns are not {names!r}")
        for law in self.laws:
            self._check_law(law)
        used = {*names, *(constant.name for law in self.laws for constant in law.constants)}
        if used & RESERVED:
            raise ValueError(f"names {sorted(used & RESERVED)} are reserved")
        return self

    def _check_law(self, law: ReferenceLaw) -> None:
        controls = {control.name for control in self.controls}
        constants = {constant.name for constant in law.constants}
        if constants & set(self.names):
            raise ValueError(f"law {law.id!r}: {sorted(constants & set(self.names))} are columns")
        foreign = names_of(law.expression) - controls - constants
        if foreign:
            raise ValueError(f"law {law.id!r} uses undeclared names {sorted(foreign)}")
        if not names_of(law.expression) & controls:
            raise ValueError(f"law {law.id!r} uses no control")
        if self.group is None and any(c.scope == "per_group" for c in law.constants):
            raise ValueError(f"law {law.id!r} has per-group constants and there is no group column")

    @model_validator(mode="after")
    def _groups_agree(self) -> Self:
        labels = [facts.label for facts in self.table.groups]
        _check_distinct(labels, "group")
        if bool(labels) != (self.group is not None):
            raise ValueError(f"{len(labels)} groups in table and group column {self.group!r}")
        if labels and sum(facts.rows for facts in self.table.groups) != self.table.rows:
            raise ValueError(f"the groups' rows do not add up to {self.table.rows}")
        named = {*self.split.test_groups} | {
            reported.group
            for law in self.laws
            for reported in law.reported
            if reported.group is not None
        }
        if named - set(labels):
            raise ValueError(f"unknown groups {sorted(named - set(labels))}")
        if labels and set(labels) <= set(self.split.test_groups):
            raise ValueError("every group is a test group; none is left to learn from")
        return self

    @model_validator(mode="after")
    def _controls_known(self) -> Self:
        controls = {control.name for control in self.controls}
        named = {getattr(self.split.window, "control", None)}
        for item in self.validity:
            probe = item.probe
            named |= {getattr(probe, key, None) for key in ("control", "first", "second")}
            named |= set(getattr(probe, "controls", ()))
        foreign = {name for name in named if name is not None} - controls
        if foreign:
            raise ValueError(f"{sorted(foreign)} are no controls of {self.id!r}")
        return self


class RejectedDataset(Part):
    """A data set that is no problem, and why."""

    id: Identity
    reason_code: Literal[
        "too_few_rows",
        "rank_correlation",
        "exact_function",
        "named_like_target",
        "no_law_beats_baselines",
        "no_law_explains",
        "near_perfect",
        "few_validity_items",
        "held_back",
        "not_measured",
        "not_retyped",
    ]
    reason: str = Field(min_length=10)


def _check_distinct(values: "tuple[str, ...] | list[str]", what: str) -> None:
    for before, after in pairwise(sorted(values)):
        if before == after:
            raise ValueError(f"{what} {before!r} stands twice")


__all__ = (
    "RESERVED",
    "AlternateWindow",
    "ConditionWindow",
    "Constant",
    "CutWindow",
    "MetricName",
    "Problem",
    "ReferenceLaw",
    "RejectedDataset",
    "Reported",
    "ReportedConstant",
    "ResidualSpace",
    "SplitIntent",
    "Window",
)
