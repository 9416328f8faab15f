"""Validity items of a problem: an anchored statement and the probe it compiles to.

A probe is data: the kind of behaviour and its numbers. It is taken for every group, with that
group's constants. `sign` and `bound` are taken at the inputs of the (group's) rows, and along
the range of a single control: several may be paired, so a box around them can be empty of
sense. The other probes move the control
they name over a stretch and hold the rest at the medians of the (group's) rows, medians that
are observed values (the lower of two); an end left open is that of the (group's) rows. "Span"
is the largest minus the smallest readout of the (group's) rows.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.record import Name, Part


class Source(Part):
    """Where a statement or a number comes from."""

    citation: str = Field(min_length=8)
    locator: str | None
    """Page, section, equation or file; null when the citation is to the whole."""
    status: Literal["read", "recalled"]
    """`read`: found in a file at hand; `recalled`: textbook knowledge, the page was not read."""


class Monotone(Part):
    """The readout moves one way as one control grows."""

    kind: Literal["monotone"]
    control: Name
    direction: Literal["increasing", "decreasing"]
    strict: bool
    low: float | None
    """Ends of the stretch in the control's unit; null: that of the rows."""
    high: float | None
    step: float | None = Field(gt=0)
    """Distance of neighbouring points (for controls that count); null: the probe's own."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_ordered(self.low, self.high)
        return self


class Sign(Part):
    """The readout has one sign at the inputs of all rows."""

    kind: Literal["sign"]
    sign: Literal["positive", "nonnegative", "negative", "nonpositive"]


class Bound(Part):
    """The readout stays between two values at the inputs of all rows."""

    kind: Literal["bound"]
    low: float | None
    """In the readout's unit; null: no bound on that side."""
    high: float | None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low is None and self.high is None:
            raise ValueError("a bound needs low or high")
        _check_ordered(self.low, self.high)
        return self


class Limit(Part):
    """The readout at a far (or singular) value of one control.

    With a value: |f(toward) - value| <= tolerance * span. Without one the readout levels off:
    |f(2*toward) - f(toward)| <= tolerance * span.
    """

    kind: Literal["limit"]
    control: Name
    toward: float
    """The value of the control that stands for the limit, in its unit; may lie off the rows."""
    value: float | None
    tolerance: float = Field(gt=0)
    """Fraction of the span."""


class Curvature(Part):
    """The readout is convex or concave in one control."""

    kind: Literal["curvature"]
    control: Name
    shape: Literal["convex", "concave"]
    low: float | None
    high: float | None
    step: float | None = Field(gt=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_ordered(self.low, self.high)
        return self


class Extremum(Part):
    """The readout has exactly one turning point of this kind inside the stretch."""

    kind: Literal["extremum"]
    control: Name
    extremum: Literal["maximum", "minimum"]
    low: float
    """The stretch searched, in the control's unit."""
    high: float
    step: float | None = Field(gt=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_ordered(self.low, self.high)
        return self


class Elasticity(Part):
    """The local exponent d ln|f| / d ln x stays between two values."""

    kind: Literal["elasticity"]
    control: Name
    low: float | None
    """Bounds on the exponent (no unit)."""
    high: float | None
    from_value: float | None
    """Ends of the stretch in the control's unit; null: that of the rows."""
    to_value: float | None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low is None and self.high is None:
            raise ValueError("an elasticity needs low or high")
        _check_ordered(self.low, self.high)
        _check_ordered(self.from_value, self.to_value)
        return self


class Periodic(Part):
    """After one period of a control the readout has come back, or moved one way."""

    kind: Literal["periodic"]
    control: Name
    period: float = Field(gt=0)
    drift: Literal["none", "increasing", "decreasing"]


class Separability(Part):
    """Two controls act by a sum (additive) or by a product (multiplicative)."""

    kind: Literal["separability"]
    first: Name
    second: Name
    form: Literal["additive", "multiplicative"]

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.first == self.second:
            raise ValueError(f"separability names {self.first!r} twice")
        return self


class Homogeneity(Part):
    """Scaling the named controls together by c scales the readout by c^degree."""

    kind: Literal["homogeneity"]
    controls: tuple[Name, ...] = Field(min_length=1)
    degree: float


class DimensionCloses(Part):
    """The expression closes in units: that of the readout, with units for its constants."""

    kind: Literal["dimension"]
    unit: str
    """The readout's unit."""


Probe = Annotated[
    Monotone
    | Sign
    | Bound
    | Limit
    | Curvature
    | Extremum
    | Elasticity
    | Periodic
    | Separability
    | Homogeneity
    | DimensionCloses,
    Field(discriminator="kind"),
]


class ValidityItem(Part):
    """What a valid law of the problem must do, who says so, and how it is probed."""

    id: Name
    statement: str = Field(min_length=10)
    source: Source
    probe: Probe


def _check_ordered(low: float | None, high: float | None) -> None:
    if low is not None and high is not None and not low < high:
        raise ValueError(f"low {low!r} is not below high {high!r}")


__all__ = (
    "Bound",
    "Curvature",
    "DimensionCloses",
    "Elasticity",
    "Extremum",
    "Homogeneity",
    "Limit",
    "Monotone",
    "Periodic",
    "Probe",
    "Separability",
    "Sign",
    "Source",
    "ValidityItem",
)
