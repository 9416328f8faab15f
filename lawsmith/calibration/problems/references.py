"""The reference a submission is scored beside, and S_N over one table or several groups.

Group labels map to metric values; a table without groups has the one label `""`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lawsmith.calibration.problems.metrics import Metric, near_perfect, numeric_score, perfect
from lawsmith.errors import InputError

Values = Mapping[str, float | None]
"""Group -> metric value; None = it failed there."""
Excluded = Literal["near_perfect"]
Failed = Literal["no_value"]


@dataclass(frozen=True, slots=True)
class TableScore:
    """S_N of a submission, with what each group gave."""

    score: float
    """Mean over the groups that count; 0 if none does."""
    raw: float | None
    """The same, None if no group counts."""
    groups: dict[str, float]
    failed: dict[str, Failed]
    """Groups scored 0 because the submission has no value there."""
    excluded: dict[str, Excluded]
    """Groups that do not count, because nobody could be better than the reference."""


def best_reference(
    metric: Metric, references: Sequence[Values], scales: Mapping[str, float]
) -> int:
    """Which reference is the one to beat: the least mean distance from perfect.

    Distances are in units of each group's spread, so that no group decides by its size; only
    references with a value in every group are compared, so that none wins by failing.

    Raises:
        InputError: no reference has a value in every group, a scale is not positive, or the
            best has an `r2` <= 0 in some group (a constant would score near 1 beside it).
    """
    for group, scale in scales.items():
        if not scale > 0:
            raise InputError(f"the truth of group {group!r} does not vary", path="scales")
    means: list[tuple[float, int]] = []
    for place, values in enumerate(references):
        found = [values.get(group) for group in scales]
        known = [value for value in found if value is not None]
        if found and len(known) == len(found):
            away = np.abs(np.array(known) - perfect(metric)) / np.array(list(scales.values()))
            means.append((float(away.mean()), place))
    if not means:
        raise InputError(
            "no reference has a value in every group", path="references", fix="reject the problem"
        )
    best = min(means)[1]
    poor = [g for g in scales if metric == "r2" and (references[best][g] or 0.0) <= 0]
    if poor:
        raise InputError(
            f"the best reference has r2 <= 0 in {poor}", path="references", fix="reject the problem"
        )
    return best


def table_score(
    metric: Metric, reference: Values, submitted: Values, scales: Mapping[str, float]
) -> TableScore:
    """S_N beside one reference, the plain mean over its groups.

    A group where the submission is absent or has no value scores 0 and counts; a group whose
    reference is near-perfect does not count, for one table as for several groups.

    Raises:
        InputError: the reference has no value in some group.
    """
    scores: dict[str, float] = {}
    failed: dict[str, Failed] = {}
    excluded: dict[str, Excluded] = {}
    for group, known in reference.items():
        value = submitted.get(group)
        if known is None:
            raise InputError(f"the reference has no value in group {group!r}", path="reference")
        if near_perfect(metric, known, scales[group]):
            excluded[group] = "near_perfect"
        elif value is None:
            scores[group], failed[group] = 0.0, "no_value"
        else:
            scores[group] = numeric_score(metric, value, known)
    raw = sum(scores.values()) / len(scores) if scores else None
    return TableScore(raw or 0.0, raw, scores, failed, excluded)


__all__ = ("TableScore", "best_reference", "table_score")
