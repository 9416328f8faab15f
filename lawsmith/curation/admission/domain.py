"""Gates on the domain: laws defined everywhere, no product of paired values, live controls."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.evidence import Reason, prose
from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import evaluate
from lawsmith.measurement import DesignError, Points, columns, definedness, dense_design, feasible
from schemas.card import Choices, Control
from schemas.source import ReasonCode

CROSSED: Final = re.compile(
    r"cross(?:ed|ing)\b|factorial|\bevery (?:one of the )?(?:\d+ |possible |single )?combination"
    r"|\ball (?:of )?(?:the )?(?:their )?(?:\d+ |possible )?combinations|combined freely"
    r"|freely combined"
    r"|(?:varied|set|chosen|changed|adjusted|controlled) independently|independently (?:varied|of)"
    r"|\b(?:full|whole|regular|rectangular|cartesian) (?:grid|rectangle|box|lattice|product|mesh)"
    r"|\bgrid of\b|\bevery \w+ (?:\w+ ){0,4}(?:at|with|for) (?:each|every|all)\b"
    r"|\b(?:for|at|with) (?:each|every) \w+(?: \w+){0,8} (?:each|every|all)\b"
    r"|\beach \w+ (?:\w+ ){0,6}(?:at|with|for|against) (?:each|every|all)\b"
    r"|\ball \w+ (?:\w+ ){0,4}(?:at|with|for) (?:each|every|all)\b"
)
"""Words for values of controls that were combined freely."""
PAIRED: Final = re.compile(
    r"\bin pairs\b|\bpair(?:ed|wise)\b|\b(?:only|just) (?:the |these |those |certain "
    r"|a few )?(?:\w+ )?pairs\b"
    r"|\bnot (?:\w+ )?(?:crossed|combined|varied independently|independent|set independently"
    r"|separately)\b"
    r"|\b(?:never|nor) (?:crossed|combined|varied independently)\b|\bno (?:crossing|crossed"
    r"|factorial)\b"
    r"|\b(?:varied|changed|rose|moved|increased|raised|lowered|scaled|set|went|stepped|ramped)"
    r" (?:up |down |only )?(?:together|jointly|in step|in parallel|in tandem|in proportion"
    r"|hand in hand)\b"
    r"|\bone(?: \w+)?[- ]at[- ]a[- ]time\b|\b(?:at|with|had|has|got|gets) its own\b"
    r"|\bone and the same index\b"
    r"|\bsingle (?:path|line|curve|sequence|diagonal)\b|\balong (?:a|one) (?:path|line|curve"
    r"|diagonal)\b"
    r"|\bwas (?:tied|coupled|matched|linked|locked) to\b|\bwere (?:tied|coupled|matched|linked"
    r"|locked)\b"
    r"|\b(?:tracks|tracked|follows|followed) the (?:\w+ )?(?:other|first|second)\b"
    r"|\brather than crossed\b"
    r"|\bcould not be (?:varied|set|changed) (?:separately|independently|apart)\b"
)
"""Words for values that were taken together, so that no free combination stands behind them."""

DENSE_POINTS: Final = 256
BOXES: Final = 256
"""Boxes tried to prove one law defined."""
BASE_POINTS: Final = 32
STEPS: Final = 5
MOVED: Final = 1e-9
"""Relative change of a readout that counts as moved by a control."""


def defined_gate(bench: Bench) -> Iterator[Reason]:
    """Each law is real and finite on the whole domain; identities hold at its dense points.

    It is looked at on the dense design and the corners, and then between them, as certificate 2
    does (`lawsmith.measurement.holes`).
    """
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
        between = definedness(law, controls, bench.constraints, points, BOXES).hole
        if between is not None:
            at = dict(zip(inputs, between.inputs, strict=True))
            yield Reason(
                ReasonCode.UNDEFINED_ON_DOMAIN,
                path,
                f"{between.path or '/'}: {between.problem} at {at!r}",
            )
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
    """Controls that the source did not combine freely support no box of ranges."""
    card = bench.card
    if len(card.controls) < 2:
        return
    if card.sampling == "paired":
        problem = "the source gives its controls only together, so their ranges make no box"
    else:
        own = prose(bench.anchored(card.sampling_anchors))
        near = [own, *(prose(bench.anchored(c.anchors)) for c in card.controls)]
        tied = next((found for text in near if (found := PAIRED.search(text))), None)
        if tied is not None:
            problem = f"the anchored lines say {tied[0]!r}, so the ranges make no box"
        elif card.sampling == "cartesian" and not CROSSED.search(own):
            problem = "called Cartesian, but its lines do not say that values were combined freely"
        else:
            return
    yield Reason(ReasonCode.PAIRED_DOMAIN, "/sampling", problem)


def joint_choices_gate(bench: Bench) -> Iterator[Reason]:
    """Each printed tuple of control values lies in the domains of its controls."""
    for i, choice in enumerate(bench.card.joint_choices):
        for j, (control, value) in enumerate(zip(bench.card.controls, choice.values, strict=True)):
            if not _within(value, control):
                yield Reason(
                    ReasonCode.OUTSIDE_DOMAIN,
                    f"/joint_choices/{i}/values/{j}",
                    f"{value!r} is outside the domain of {control.name!r}",
                )


def _within(value: float, control: Control) -> bool:
    domain = control.domain
    if isinstance(domain, Choices):
        return value in domain.choices
    return domain.low <= value <= domain.high


def inert_gate(bench: Bench) -> Iterator[Reason]:
    """Every control moves some readout, but those declared inert, which move none."""
    controls = bench.card.controls
    base = dense_design(controls, bench.constraints, BASE_POINTS)
    before = _readouts(bench, base)
    for i, control in enumerate(controls):
        moves = _moves(bench, base, before, i)
        if moves == control.inert:
            found = "moves a readout though it is declared inert" if moves else "moves no readout"
            yield Reason(
                ReasonCode.INERT_CONTROL, f"/controls/{i}/inert", f"{control.name!r} {found}"
            )


def _moves(bench: Bench, base: Points, before: Points, index: int) -> bool:
    controls, constraints = bench.card.controls, bench.constraints
    for value in _steps(controls[index]):
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


__all__ = ("defined_gate", "inert_gate", "joint_choices_gate", "paired_gate")
