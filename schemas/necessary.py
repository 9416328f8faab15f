"""What a source states as necessary of a readout: a sign, a monotone dependence, a limit, a bound.

A Counterfactual keeps what is necessary and changes the rest.
"""

from typing import Final, Literal, Self

from pydantic import model_validator

from schemas.record import Part

NecessaryKind = Literal["sign", "monotone", "limit", "bound"]
Direction = Literal[
    "positive",
    "negative",
    "nonnegative",
    "nonpositive",
    "increasing",
    "decreasing",
    "nondecreasing",
    "nonincreasing",
]

DIRECTIONS: Final[dict[NecessaryKind, tuple[Direction | None, ...]]] = {
    "sign": ("positive", "negative", "nonnegative", "nonpositive"),
    "monotone": ("increasing", "decreasing", "nondecreasing", "nonincreasing"),
    "limit": ("increasing", "decreasing", None),
    "bound": (None,),
}
"""Kind -> the directions it may have; None is null."""


class NecessaryClaim(Part):
    """A property that every law of the readout must have on the whole domain.

    Each kind has its own fields, and null stands in all others:

    - `sign`: `direction` positive, negative, nonnegative or nonpositive.
    - `monotone`: `control`, and `direction` increasing, decreasing, nondecreasing or
      nonincreasing, all other controls held.
    - `limit`: `control` and `value`; either `at`, the finite value of the control at which the
      readout tends to `value`, or `direction` increasing (the control tends to plus infinity)
      or decreasing (to minus infinity), never both.
    - `bound`: `low`, `high` or both, low below high; the readout may reach them.
    """

    readout: str
    kind: NecessaryKind
    control: str | None
    direction: Direction | None
    at: float | None
    """In the control's unit."""
    value: float | None
    """In the readout's unit."""
    low: float | None
    """In the readout's unit."""
    high: float | None

    @model_validator(mode="after")
    def _fields_of_its_kind(self) -> Self:
        kind = self.kind
        given = {
            name
            for name in ("control", "direction", "at", "value", "low", "high")
            if getattr(self, name) is not None
        }
        allowed, needed = {
            "sign": ({"direction"}, {"direction"}),
            "monotone": ({"control", "direction"}, {"control", "direction"}),
            "limit": ({"control", "direction", "at", "value"}, {"control", "value"}),
            "bound": ({"low", "high"}, set[str]()),
        }[kind]
        if missing := sorted(needed - given):
            raise ValueError(f"kind {kind!r} needs {' and '.join(missing)}")
        if foreign := sorted(given - allowed):
            raise ValueError(f"kind {kind!r} takes no {' and no '.join(foreign)}; give null")
        if self.direction not in DIRECTIONS[kind]:
            words = ", ".join(str(word) for word in DIRECTIONS[kind] if word is not None)
            raise ValueError(f"kind {kind!r} has direction {self.direction!r}; one of {words}")
        if kind == "limit" and (self.at is None) == (self.direction is None):
            raise ValueError("kind 'limit' needs either at or a direction towards infinity")
        if kind == "bound":
            self._ends()
        return self

    def _ends(self) -> None:
        if self.low is None and self.high is None:
            raise ValueError("kind 'bound' needs low, high or both")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"low {self.low!r} is not below high {self.high!r}")


__all__ = ("DIRECTIONS", "Direction", "NecessaryClaim", "NecessaryKind")
