"""Certificate 12: a Counterfactual stays physically possible.

What the source states as necessary of a readout (a sign, a monotone dependence, a limit, a bound)
holds in both worlds. A readout that its own words call a share (or a probability, an efficiency,
...) and that the Original keeps in [0, 1] everywhere stays there. And no world's readout is out of
all proportion to the other's.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.measurement import Conditioned, Controlled, Points, feasible, is_logarithmic
from lawsmith.mutation.laws import SLACK, Table, float_values, inferred_bounds, ranges_of
from lawsmith.mutation.screening.inputs import ENVIRONMENTS, Case, certificate
from schemas.card import Choices
from schemas.expression import Expression
from schemas.family import Certificate, FamilyNecessary
from schemas.necessary import Direction, NecessaryClaim

FAR_FACTOR: Final = 30.0
"""How often the Original's largest size a readout may be at half of the inputs: a factor of 30 is
one and a half decades, the most that one round factor and one power over a usual range explain."""
ANYWHERE_FACTOR: Final = 100.0
"""The same at any input: two decades above everything that the Original shows is another thing."""
AXES: Final = 48
"""Dense points from which each control is moved alone."""
STEPS: Final = 17
_FAR: Final = tuple(10.0**k for k in (12, 9, 6, 4, 3, 2))
"""Multiples of the largest size of a control at which a limit is looked for, farthest first."""
_NEAR: Final = (0.0, 1e-9, 1e-7, 1e-5)
"""Distances from a finite limit, as shares of the control's range, nearest first."""


def possible(case: Case) -> Certificate:
    """Certificate 12: what is necessary holds in both worlds, and neither is out of proportion."""
    family = case.family
    figures: dict[str, float | str] = {"claims": float(len(family.necessary))}
    tables = case.dense_values
    names = [readout.name for readout in family.readouts]
    original, other = (tables[e] for e in ENVIRONMENTS)
    if original is None or other is None:
        return certificate(12, False, figures, "a law is undefined on the dense design")
    faults: list[str] = []
    words = [(readout.name, readout.unit, readout.meaning) for readout in family.readouts]
    faults += [
        f"the bounds that the words of {bound.readout} imply are not stated"
        for bound in inferred_bounds(words, ranges_of(names, original))
        if not any(_implies(claim, bound) for claim in family.necessary)
    ]
    unshown = 0
    for claim in family.necessary:
        broken = {
            environment: _broken(case, claim, case.laws[environment], table)
            for environment, table in zip(ENVIRONMENTS, (original, other), strict=True)
        }
        if claim.kind == "limit" and broken["original"] is not None:
            # How far out a limit shows is not for a claim to say.
            unshown += 1
            continue
        faults += [f"{environment}: {text}" for environment, text in broken.items() if text]
    figures["limits_not_shown"] = float(unshown)
    half, most = proportion(original, other)
    figures["typical_factor"] = float(f"{half:.4g}")
    figures["largest_factor"] = float(f"{most:.4g}")
    silly = out_of_proportion(original, other)
    if silly:
        faults.append(silly)
    return certificate(
        12,
        not faults,
        figures,
        f"impossible: {'; '.join(faults)}"
        if faults
        else f"{len(family.necessary)} necessary properties hold in both worlds, and no readout is"
        " out of proportion",
    )


def proportion(original: Table, other: Table) -> tuple[float, float]:
    """(median, largest) size of the Counterfactual over the Original's largest, worst readout."""
    size = np.abs(original).max(axis=0)
    shares = np.abs(other) / np.where(size > 0, size, np.inf)
    return float(np.median(shares, axis=0).max()), float(shares.max())


def out_of_proportion(original: Table, other: Table) -> str | None:
    """Why the sizes of two worlds are silly side by side, None where they are not."""
    half, most = proportion(original, other)
    if half > FAR_FACTOR:
        return f"a readout is {half:.3g} times the Original's largest at half of the inputs"
    if most > ANYWHERE_FACTOR:
        return f"a readout reaches {most:.3g} times the Original's largest"
    return None


def broken_values(
    claims: Iterable[NecessaryClaim], readouts: Sequence[str], table: Table
) -> str | None:
    """The first sign or bound that values break; monotone dependences and limits are not asked."""
    for claim in claims:
        if claim.kind in ("sign", "bound"):
            found = _of_values(claim, table[:, readouts.index(claim.readout)])
            if found is not None:
                return found
    return None


def _implies(claim: NecessaryClaim, bound: FamilyNecessary) -> bool:
    """Whether a stated claim is at least as narrow as an inferred bound."""
    if (claim.readout, claim.kind) != (bound.readout, "bound"):
        return False
    low, high = claim.low, claim.high
    if low is None or high is None or bound.low is None or bound.high is None:
        return False
    return low >= bound.low and high <= bound.high


def _broken(
    case: Case, claim: NecessaryClaim, laws: Mapping[str, Expression], table: Table
) -> str | None:
    """How a world breaks a claim, None where it keeps it."""
    family = case.family
    column = table[:, [readout.name for readout in family.readouts].index(claim.readout)]
    if claim.kind in ("sign", "bound"):
        return _of_values(claim, column)
    law = {claim.readout: laws[claim.readout]}
    place = next(i for i, c in enumerate(family.controls) if c.name == claim.control)
    if claim.kind == "monotone":
        return _turns(claim, law, family.controls, family.constraints, case.dense, place)
    readout = next(one for one in family.readouts if one.name == claim.readout)
    value = claim.value or 0.0
    allowed = readout.absolute + readout.relative * abs(value)
    return _misses(claim, law, family.controls, case.dense, place, allowed)


def _of_values(claim: NecessaryClaim, column: NDArray[np.float64]) -> str | None:
    slack = SLACK * float(np.abs(column).max())
    low, high = claim.low, claim.high
    if claim.kind == "sign":
        wrong = {
            "positive": column <= 0.0,
            "negative": column >= 0.0,
            "nonnegative": column < -slack,
            "nonpositive": column > slack,
        }[str(claim.direction)]
        if wrong.any():
            worst = column[wrong][0]
            return f"{claim.readout} is not {claim.direction} everywhere, as {worst:.4g}"
        return None
    ends = slack + SLACK * max(abs(end) for end in (low, high) if end is not None)
    if low is not None and column.min() < low - ends:
        return f"{claim.readout} falls to {column.min():.4g}, below {low:g}"
    if high is not None and column.max() > high + ends:
        return f"{claim.readout} rises to {column.max():.4g}, above {high:g}"
    return None


def _turns(
    claim: NecessaryClaim,
    law: dict[str, Expression],
    controls: Sequence[Controlled],
    constraints: Sequence[Conditioned],
    dense: Points,
    place: int,
) -> str | None:
    """Whether a readout turns along one control, all others held, from any of some dense points."""
    steps = _grid(controls[place])
    stride = max(1, len(dense) // AXES)
    starts = dense[::stride][:AXES]
    moved = np.repeat(starts, len(steps), axis=0)
    moved[:, place] = np.tile(steps, len(starts))
    allowed = feasible(controls, constraints, moved)
    values = np.full(len(moved), np.nan)
    if allowed.any():
        values[allowed] = float_values(law, controls, moved[allowed])[:, 0]
    lines = values.reshape(len(starts), len(steps))
    size = float(np.nanmax(np.abs(lines))) if allowed.any() else 0.0
    direction: Direction = claim.direction or "increasing"
    sign = 1.0 if direction in ("increasing", "nondecreasing") else -1.0
    for line in lines:
        known = line[~np.isnan(line)]
        if len(known) < 2:
            continue
        rises = sign * np.diff(known)
        still = direction in ("increasing", "decreasing") and sign * (known[-1] - known[0]) <= 0.0
        if rises.min() < -SLACK * size or still:
            return f"{claim.readout} is not {direction} in {claim.control}"
    return None


def _grid(control: Controlled) -> NDArray[np.float64]:
    domain = control.domain
    if isinstance(domain, Choices):
        return np.asarray(domain.choices, dtype=np.float64)
    if is_logarithmic(control):
        found = np.geomspace(domain.low, domain.high, STEPS)
    else:
        found = np.linspace(domain.low, domain.high, STEPS)
    clipped: NDArray[np.float64] = np.clip(found, domain.low, domain.high)
    return clipped


def _misses(
    claim: NecessaryClaim,
    law: dict[str, Expression],
    controls: Sequence[Controlled],
    dense: Points,
    place: int,
    allowed: float,
) -> str | None:
    """Whether a readout, as near to a limit as the law is defined, is off its value."""
    starts = dense[:: max(1, len(dense) // AXES)][:AXES]
    for end in _towards(claim, controls[place]):
        moved = starts.copy()
        moved[:, place] = end
        try:
            values = float_values(law, controls, moved)[:, 0]
        except UndefinedValueError:
            continue
        worst = float(np.abs(values - (claim.value or 0.0)).max())
        if worst <= allowed:
            return None
        return f"{claim.readout} is {worst:.4g} off {claim.value:g} at the limit of {claim.control}"
    return f"{claim.readout} has no value near the limit of {claim.control}"


def _towards(claim: NecessaryClaim, control: Controlled) -> list[float]:
    """Values of the control ever farther from its limit."""
    grid = _grid(control)
    low, high = float(grid.min()), float(grid.max())
    if claim.at is not None:
        inward = 1.0 if claim.at <= (low + high) / 2 else -1.0
        width = max(abs(claim.at - low), abs(claim.at - high))
        return [claim.at + inward * share * width for share in _NEAR]
    size = max(abs(low), abs(high))
    sign = 1.0 if claim.direction == "increasing" else -1.0
    return [sign * size * far for far in _FAR]


__all__ = (
    "ANYWHERE_FACTOR",
    "FAR_FACTOR",
    "broken_values",
    "out_of_proportion",
    "possible",
    "proportion",
)
