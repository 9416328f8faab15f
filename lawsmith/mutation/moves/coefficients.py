"""Move `coefficient`: a parameter times a round factor."""

from collections.abc import Iterator
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.laws import exponents_of
from lawsmith.mutation.moves.context import Candidate, Ground
from schemas.expression import Var

FACTORS: Final = (0.5, 0.6, 0.7, 1.4, 1.6, 1.8, 2.0)
DIGITS: Final = 3
"""Significant digits of a new value: a short literal can be found exactly."""


def coefficients(ground: Ground, rng: Generator) -> Iterator[Candidate]:
    """A mutable parameter other than an exponent times a round factor.

    A parameter is declared once, so every definition and relation that uses it moves.
    """
    exponents = exponents_of(ground.original)
    used = {node.var for node in ground.tree.values() if isinstance(node, Var)}
    for i, parameter in enumerate(ground.original.parameters):
        usable = parameter.mutable and parameter.name in used - exponents
        if not usable or parameter.value == 0.0:
            continue
        values = ground.unspoken([float(f"{parameter.value * f:.{DIGITS}g}") for f in FACTORS])
        value = float(rng.choice(values))
        yield ground.candidate("coefficient", {f"/parameters/{i}/value": value})


__all__ = ("FACTORS", "coefficients")
