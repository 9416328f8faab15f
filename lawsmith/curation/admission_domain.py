"""Gates on the domain: laws defined everywhere, no product of paired values, live controls."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from lawsmith.curation.admission_bench import Bench
from lawsmith.curation.reasons import Reason
from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import evaluate
from lawsmith.measurement import DesignError, dense_design, feasible
from lawsmith.measurement.constraints import Points, columns
from schemas.card import Choices, Control
from schemas.source import ReasonCode

DENSE_POINTS: Final = 256
BASE_POINTS: Final = 32
STEPS: Final = 5
MOVED: Final = 1e-9
"""Relative change of a readout that counts as moved by a control."""


def defined_gate(bench: Bench) -> Iterator[Reason]:
    """Each law is real and finite at the dense points and corners; identities hold there."""
    controls = bench.card.controls
    try:
        points = dense_design(controls, bench.constraints, DENSE_POINTS)
    except DesignError as error:
        yield Reason(error.reason_code, "/controls", error.problem)
        return
    inputs = columns(controls, points)
    values = dict(inputs)
    whole = True
    for i, (relation, law) in enumerate(zip(bench.card.relations, bench.laws, strict=True)):
        path = f"/relations/{i}/expression"
        try:
            found = evaluate(law, inputs)
        except UndefinedValueError as error:
            whole = False
            yield Reason(ReasonCode.UNDEFINED_ON_DOMAIN, path, str(error))
            continue
        values[relation.readout] = np.broadcast_to(np.asarray(found), (len(points),))
    if whole:
        yield from _identities(bench, values)


def _identities(bench: Bench, values: dict[str, Points]) -> Iterator[Reason]:
    count = len(next(iter(values.values())))
    names = {**values, **{n: np.full(count, value) for n, value in bench.values.items()}}
    for i, identity in enumerate(bench.card.consistency):
        try:
            left = np.asarray(evaluate(bench.expanded(identity.left), names))
            right = np.asarray(evaluate(bench.expanded(identity.right), names))
        except UndefinedValueError as error:
            yield Reason(ReasonCode.UNDEFINED_ON_DOMAIN, f"/consistency/{i}", str(error))
            continue
        gap = np.abs(left - right) / np.maximum(np.maximum(np.abs(left), np.abs(right)), 1e-300)
        if float(gap.max()) > MOVED:
            yield Reason(
                ReasonCode.NOT_EXECUTABLE,
                f"/consistency/{i}",
                f"the card's own laws break the identity by {float(gap.max()):.3g} relative",
            )


def paired_gate(bench: Bench) -> Iterator[Reason]:
    """A source that combined its controls only in pairs supports no box of ranges."""
    card = bench.card
    if card.sampling == "paired" and len(card.controls) > 1:
        yield Reason(
            ReasonCode.PAIRED_DOMAIN,
            "/sampling",
            "the source gives its controls only together, so their ranges make no box",
        )


def inert_gate(bench: Bench) -> Iterator[Reason]:
    """Every control moves some readout, but those declared inert, which move none."""
    for i, control in enumerate(bench.card.controls):
        moves = _moves(bench, i, control)
        if moves == control.inert:
            found = "moves a readout though it is declared inert" if moves else "moves no readout"
            yield Reason(
                ReasonCode.INERT_CONTROL, f"/controls/{i}/inert", f"{control.name!r} {found}"
            )


def _moves(bench: Bench, index: int, control: Control) -> bool:
    controls, constraints = bench.card.controls, bench.constraints
    base = dense_design(controls, constraints, BASE_POINTS)
    before = _readouts(bench, base)
    for value in _steps(control):
        moved = base.copy()
        moved[:, index] = value
        allowed = feasible(controls, constraints, moved)
        if not allowed.any():
            continue
        after = _readouts(bench, moved[allowed])
        start = before[:, allowed]
        size = np.maximum(np.maximum(np.abs(start), np.abs(after)), 1e-300)
        if bool((np.abs(after - start) / size > MOVED).any()):
            return True
    return False


def _steps(control: Control) -> list[float]:
    domain = control.domain
    if isinstance(domain, Choices):
        return list(domain.choices)
    return [float(value) for value in np.linspace(domain.low, domain.high, STEPS)]


def _readouts(bench: Bench, points: Points) -> Points:
    inputs = columns(bench.card.controls, points)
    rows = [np.broadcast_to(np.asarray(evaluate(law, inputs)), len(points)) for law in bench.laws]
    return np.array(rows, dtype=np.float64)


__all__ = ("defined_gate", "inert_gate", "paired_gate")
