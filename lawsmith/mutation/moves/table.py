"""The table of moves: each finds its places in a relation set and makes candidates there.

A move acts on a parameter, a definition or a subtree. An equal subtree is changed wherever it
stands, so every relation that uses it moves with it; dimensions are repaired by a round
reference scale with a unit or inside a dimensionless group. A new move is a module with one
such function and one entry in `MOVES`.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from numpy.random import Generator

from lawsmith.mutation.moves.coefficients import coefficients
from lawsmith.mutation.moves.context import Candidate, Ground
from lawsmith.mutation.moves.exponents import exponents
from lawsmith.mutation.moves.interactions import interactions
from lawsmith.mutation.moves.operator_swaps import operator_swaps
from lawsmith.mutation.moves.terms_added import terms_added
from lawsmith.mutation.moves.terms_removed import terms_removed
from lawsmith.mutation.moves.transforms import transforms
from schemas.family import MoveKind

Move = Callable[[Ground, Generator], Iterator[Candidate]]

MOVES: Final[Mapping[MoveKind, Move]] = MappingProxyType(
    {
        "exponent": exponents,
        "transform": transforms,
        "interaction": interactions,
        "operator_swap": operator_swaps,
        "term_added": terms_added,
        "term_removed": terms_removed,
        "coefficient": coefficients,
    }
)
"""Move kind -> the function that makes its candidates on a ground, in a fixed order.

Each kind draws by its name: a new entry changes nothing of what the others make.
"""

__all__ = ("MOVES", "Move")
