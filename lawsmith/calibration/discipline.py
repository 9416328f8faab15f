"""Constant discipline: how many numbers a law holds, wherever they stand.

A cap on named constants alone is void, for numbers may stand in the expression itself; here
both are counted. Caps come from the published laws of a problem: the largest count among them,
and some slack on the shared ones for a law that is better than they are.
"""

from collections.abc import Sequence
from typing import Final

from lawsmith.calibration.fitting import Declared
from lawsmith.calibration.hidden_laws import STRUCTURE, opened
from schemas.calibrated_task import CalibratedSubmission, ConstantCaps
from schemas.expression import Expression, names_of, node_count, substitute
from schemas.problem import ReferenceLaw

SLACK: Final = 3
"""Shared constants beyond those of the published law that has most (SciLaws-Bench, S_V)."""
FEWEST_NODES: Final = 64
NODE_FACTOR: Final = 4
"""A law may have four times the nodes of the largest published one, and 64 at least."""


def counted_literals(expression: Expression) -> tuple[float, ...]:
    """The numbers of an expression that count as constants, one for each place.

    0, 1, 2 and 1/2 of either sign, whole exponents up to 9 in size, pi and e are structure.
    """
    return tuple(opened(expression, tuple(names_of(expression)))[1].values())


def constant_counts(expression: Expression, shared: int, local: int) -> ConstantCaps:
    """How many constants a law of so many named ones holds, as caps count them."""
    return ConstantCaps(shared=shared + len(counted_literals(expression)), local=local)


def handed_in(
    expression: Expression, constants: Sequence[Declared]
) -> tuple[Expression, dict[str, float]]:
    """A law as a submission holds it: constants that are never fitted become numbers.

    A fixed value that would count as a constant stays a named one, so that it counts once
    however often it stands in the law.

    Returns:
        The expression, and the fixed constants that it still names.
    """
    fixed = {c.name: c.fixed for c in constants if c.fixed is not None}
    written: dict[str, Expression] = {n: v for n, v in fixed.items() if abs(v) in STRUCTURE}
    named = {name: value for name, value in fixed.items() if name not in written}
    return substitute(expression, written), named


def law_counts(expression: Expression, constants: Sequence[Declared]) -> ConstantCaps:
    """How many constants a law with declared constants holds, as caps count them."""
    written, named = handed_in(expression, constants)
    fitted = [c for c in constants if c.fixed is None]
    shared = len(named) + sum(c.scope == "shared" for c in fitted)
    return constant_counts(written, shared, len(fitted) + len(named) - shared)


def caps_of(laws: Sequence[ReferenceLaw]) -> ConstantCaps:
    """The caps of a problem, from its published laws."""
    counts = [law_counts(law.expression, law.constants) for law in laws]
    return ConstantCaps(
        shared=max(count.shared for count in counts) + SLACK,
        local=max(count.local for count in counts),
    )


def nodes_allowed(laws: Sequence[ReferenceLaw]) -> int:
    """Nodes of a submitted expression at most."""
    return max(FEWEST_NODES, NODE_FACTOR * max(node_count(law.expression) for law in laws))


def broken_caps(submission: CalibratedSubmission, caps: ConstantCaps) -> str | None:
    """Which cap a submission exceeds, in a sentence; None if it keeps both."""
    counts = constant_counts(submission.expression, len(submission.shared), len(submission.local))
    if counts.shared > caps.shared:
        return f"{counts.shared} numbers and shared constants, more than {caps.shared}"
    if counts.local > caps.local:
        return f"{counts.local} constants per group, more than {caps.local}"
    return None


__all__ = (
    "SLACK",
    "broken_caps",
    "caps_of",
    "constant_counts",
    "counted_literals",
    "handed_in",
    "law_counts",
    "nodes_allowed",
)
