"""Which published law a hidden law starts from: the one that leaves least structure behind.

`B = Var(local mean residual)/Var(residual)` (SciLaws-Bench, equation 3), in every group and
then the median over groups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.problems import Table, table_of
from lawsmith.calibration.residuals import local_means, variance
from lawsmith.errors import InputError

MOST_GROUPS: Final = 40


@dataclass(frozen=True, slots=True)
class LawFit:
    """What the choice looks at in one law: its fit over one table or several groups."""

    residuals: NDArray[np.float64]
    """phi(y) - phi(F), shape (n,)."""
    fitted: NDArray[np.float64]
    """phi(F), shape (n,): a law that does not vary is degenerate."""


@dataclass(frozen=True, slots=True)
class BaseChoice:
    """The chosen law and the figures of all of them."""

    index: int
    structure: tuple[float | None, ...]
    """B of each law, None where the law is degenerate."""
    r2: tuple[float | None, ...]
    """R² in residual space, None where the law is degenerate."""
    nonnegative: bool
    """Whether the choice was among laws with R² >= 0; else none has that."""
    groups: tuple[str, ...]
    """The groups looked at."""


def group_sample(labels: Sequence[str], most: int = MOST_GROUPS) -> tuple[str, ...]:
    """At most `most` groups: all, or every (G/most)-th of the labels in order of their text."""
    ordered = sorted(labels)
    if len(ordered) <= most:
        return tuple(ordered)
    return tuple(ordered[place * len(ordered) // most] for place in range(most))


def structure_of(inputs: Table, residuals: Table) -> NDArray[np.float64]:
    """B of each column of residuals, shape (laws,); 0 where the residuals do not vary.

    Raises:
        InputError: as in `local_means`.
    """
    residuals = table_of(residuals, "residuals")
    means = local_means(inputs, residuals)
    found = np.zeros(residuals.shape[1])
    for law, (mean, residual) in enumerate(zip(means.T, residuals.T, strict=True)):
        whole = variance(residual)
        found[law] = variance(mean) / whole if whole > 0 else 0.0
    return found


def choose_base(
    inputs: Table, laws: Sequence[LawFit], groups: Mapping[str, NDArray[np.int64]]
) -> BaseChoice:
    """The law with the smallest B among those with R² >= 0, or of all if none has that.

    B and R² are medians over the groups of their values inside each; equal B goes to the
    larger R², then to the earlier law. Neighbours are found once for all laws.

    Args:
        inputs: shape (n, controls), rows of the canonical table.
        laws: their fits to the same rows.
        groups: label -> its rows; one label for a table without groups.

    Raises:
        InputError: no laws or groups, a group in which the records do not vary, or every law
            is degenerate.
    """
    if not laws or not groups:
        raise InputError(f"{len(laws)} laws and {len(groups)} groups", path="laws")
    inputs = table_of(inputs, "inputs")
    sample = group_sample(list(groups))
    residuals = np.column_stack([law.residuals for law in laws])
    structure, fits = [], []
    for label in sample:
        rows = groups[label]
        structure.append(structure_of(inputs[rows], residuals[rows]))
        fits.append([_r2(law, rows, label) for law in laws])
    b = np.median(structure, axis=0).tolist()
    r2 = np.median(fits, axis=0).tolist()
    sound = [place for place, law in enumerate(laws) if not _degenerate(law, sample, groups)]
    if not sound:
        raise InputError("every law is constant in some group", path="laws")
    fair = [place for place in sound if r2[place] >= 0]
    best = min(fair or sound, key=lambda place: (b[place], -r2[place], place))
    return BaseChoice(
        best,
        tuple(b[place] if place in sound else None for place in range(len(laws))),
        tuple(r2[place] if place in sound else None for place in range(len(laws))),
        bool(fair),
        sample,
    )


def _r2(law: LawFit, rows: NDArray[np.int64], label: str) -> float:
    residual = law.residuals[rows]
    whole = variance(law.fitted[rows] + residual)
    if whole == 0:
        raise InputError(f"the records of group {label!r} do not vary", path="laws")
    return 1 - float((residual**2).mean()) / whole


def _degenerate(
    law: LawFit, sample: Sequence[str], groups: Mapping[str, NDArray[np.int64]]
) -> bool:
    return any(variance(law.fitted[groups[label]]) == 0 for label in sample)


__all__ = ("MOST_GROUPS", "BaseChoice", "LawFit", "choose_base", "group_sample", "structure_of")
