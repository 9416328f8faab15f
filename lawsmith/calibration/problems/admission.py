"""Whether a data set may become a problem: the rules of admission (science.md, section 6).

Every rule is a pure function of arrays; all findings are collected, so that a refusal names
each reason. Predictions of published laws and of baselines are compared on the held-out rows
of the split, in residual space.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration.problems.leakage import (
    MAX_RANK_CORRELATION,
    exact_function,
    named_like,
    rank_correlation,
)
from lawsmith.calibration.problems.problem_files import MIN_GROUP_ROWS, ProblemTable, usable_groups
from lawsmith.calibration.problems.splits import WHOLE, Split
from schemas.problem import Problem, ResidualSpace

Floats = NDArray[np.float64]
Rule = Literal[
    "named_like_target",
    "exact_function",
    "rank_correlation",
    "too_few_rows",
    "few_validity_items",
    "no_law_beats_baselines",
    "no_law_explains",
    "near_perfect",
]
MIN_ROWS: Final = 30
MIN_GROUPS: Final = 2
MIN_VALIDITY: Final = 4
NEAR_PERFECT: Final = 1e-6
"""Held-out error over the spread of the held-out readout, both in residual space."""


@dataclass(frozen=True)
class Finding:
    """One rule and how the problem stands to it."""

    rule: Rule
    passed: bool
    sentence: str


@dataclass(frozen=True)
class Standing:
    """How a prediction does on the held-out rows."""

    name: str
    error: float
    """Root mean square in residual space."""
    r2: float
    """1 - squares of errors / squares about each group's own held-out mean."""


@dataclass(frozen=True)
class Admission:
    """All findings on a problem."""

    problem_id: str
    findings: tuple[Finding, ...]
    laws: tuple[Standing, ...]
    baselines: tuple[Standing, ...]
    dropped_groups: tuple[str, ...]

    @property
    def admitted(self) -> bool:
        """Whether every rule is kept."""
        return all(finding.passed for finding in self.findings)

    @property
    def reasons(self) -> tuple[Finding, ...]:
        """The rules that are broken."""
        return tuple(finding for finding in self.findings if not finding.passed)


def admit(
    problem: Problem, table: ProblemTable, split: Split, predictions: Mapping[str, Floats]
) -> Admission:
    """The findings of every rule on a problem.

    Args:
        problem: with its laws and validity items.
        table: its canonical table.
        split: of its rows.
        predictions: law -> its readout at the held-out rows of the split, in their order; a law
            without a value there is absent.
    """
    truth = to_space(problem.residuals, table.target[split.test])
    groups = group_codes(table, split.test)
    laws = tuple(
        standing(name, to_space(problem.residuals, values), truth, groups)
        for name, values in predictions.items()
    )
    baselines = tuple(
        standing(name, values, truth, groups)
        for name, values in baseline_predictions(problem.residuals, table, split).items()
    )
    findings = (
        *leakage(problem, table),
        rows_suffice(table),
        validity_suffices(problem),
        *held_out(laws, baselines, spread(truth, groups)),
    )
    return Admission(problem.id, findings, laws, baselines, usable_groups(table)[1])


def leakage(problem: Problem, table: ProblemTable) -> tuple[Finding, ...]:
    """No control gives the readout away, over all rows together.

    A control is compared by its name and its file's; a pooled correlation is meant, for inside
    one group a clean monotone law orders the readout by right.
    """
    alike: list[str] = []
    exact: list[str] = []
    ordered: list[str] = []
    wanted = {problem.readout.name, problem.readout.source}
    for i, control in enumerate(problem.controls):
        names = {control.name, control.source}
        alike += [f"{a!r} like {b!r}" for a in names for b in wanted if named_like(a, b)]
        values = table.inputs[:, i]
        form = exact_function(values, table.target)
        if form is not None:
            exact.append(f"{control.name}: {form}")
        rho = rank_correlation(values, table.target)
        if abs(rho) > MAX_RANK_CORRELATION:
            ordered.append(f"{control.name}: {rho:.6f}")
    return (
        _finding("named_like_target", alike, "no control is named like the readout"),
        _finding("exact_function", exact, "no control gives the readout exactly"),
        _finding("rank_correlation", ordered, f"no |correlation| exceeds {MAX_RANK_CORRELATION}"),
    )


def rows_suffice(table: ProblemTable) -> Finding:
    """At least 30 rows, or at least two groups of at least 8."""
    if table.groups is None:
        enough = table.rows >= MIN_ROWS
        return Finding("too_few_rows", enough, f"{table.rows} rows; {MIN_ROWS} are needed")
    kept, dropped = usable_groups(table)
    sentence = (
        f"{len(kept)} groups have {MIN_GROUP_ROWS} rows, {len(dropped)} are dropped;"
        f" {MIN_GROUPS} are needed"
    )
    return Finding("too_few_rows", len(kept) >= MIN_GROUPS, sentence)


def validity_suffices(problem: Problem) -> Finding:
    """At least four validity items with probes that differ."""
    probes = {item.probe for item in problem.validity}
    return Finding(
        "few_validity_items",
        len(probes) >= MIN_VALIDITY,
        f"{len(probes)} different anchored validity items; {MIN_VALIDITY} are needed",
    )


def held_out(
    laws: tuple[Standing, ...], baselines: tuple[Standing, ...], scale: float
) -> tuple[Finding, ...]:
    """A published law beats every baseline, explains something, and leaves something.

    Args:
        laws: the published laws; may be empty.
        baselines: at least one.
        scale: the spread of the held-out readout in residual space.
    """
    bar = min(baselines, key=lambda entry: entry.error)
    if not laws:
        missing = "no published law has a value at every held-out row"
        return (Finding("no_law_beats_baselines", False, missing),)
    best = min(laws, key=lambda entry: entry.error)
    highest = max(entry.r2 for entry in laws)
    relative = best.error / scale if scale > 0 else 0.0
    return (
        Finding(
            "no_law_beats_baselines",
            best.error < bar.error,
            f"{best.name!r} errs by {best.error:.4g}, the best baseline {bar.name!r} by"
            f" {bar.error:.4g}",
        ),
        # A reference below the mean would make a constant answer look good (r2 scores).
        Finding("no_law_explains", highest > 0, f"the best held-out R2 is {highest:.4f}"),
        Finding(
            "near_perfect",
            relative > NEAR_PERFECT,
            f"the best error is {relative:.3g} of the spread; above {NEAR_PERFECT} is needed",
        ),
    )


def baseline_predictions(
    residuals: ResidualSpace, table: ProblemTable, split: Split
) -> dict[str, Floats]:
    """Mean and one straight line a control, by group, in residual space at the held-out rows.

    They are fitted where a law's per-group constants are: on the fit rows of the same group.
    """
    names = ("mean", *(f"line in {name}" for name in table.names[:-1]))
    found = {name: np.zeros(len(split.test)) for name in names}
    codes = group_codes(table, split.test)
    for code, label in enumerate(split.test_groups or (WHOLE,)):
        here = np.flatnonzero(codes == code)
        rows = split.fit_rows(table, label)
        target = to_space(residuals, table.target[rows])
        found["mean"][here] = target.mean()
        for i, name in enumerate(names[1:]):
            slope, level, centre = _line(table.inputs[rows, i], target)
            found[name][here] = level + slope * (table.inputs[split.test[here], i] - centre)
    return found


def to_space(residuals: ResidualSpace, values: Floats) -> Floats:
    """Values in residual space: as they are, or log10 above the floor."""
    if residuals.floor is None:
        return values
    return np.asarray(np.log10(np.maximum(values, residuals.floor)), dtype=np.float64)


def standing(name: str, predicted: Floats, truth: Floats, groups: NDArray[np.intp]) -> Standing:
    """How a prediction does; all arguments in residual space, groups as codes from 0."""
    errors = predicted - truth
    about = spread(truth, groups) ** 2 * len(truth)
    squares = float(errors @ errors)
    r2 = 1 - squares / about if about > 0 else float("-inf")
    return Standing(name, float(np.sqrt(squares / len(truth))), r2)


def spread(truth: Floats, groups: NDArray[np.intp]) -> float:
    """Root mean square of the readout about its group's mean."""
    sizes = np.bincount(groups)
    means = np.bincount(groups, weights=truth) / np.maximum(sizes, 1)
    about = truth - means[groups]
    return float(np.sqrt(about @ about / len(truth)))


def group_codes(table: ProblemTable, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The group of each row as a code, in the order of the table's groups that occur."""
    _, codes = np.unique(table.codes[rows], return_inverse=True)
    return np.asarray(codes, dtype=np.intp)


def _line(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Slope, level and centre of a least-squares line; flat where x does not vary."""
    centre = float(x.mean())
    about = x - centre
    size = float(about @ about)
    return (float(about @ y) / size if size > 0 else 0.0), float(y.mean()), centre


def _finding(rule: Rule, faults: list[str], good: str) -> Finding:
    return Finding(rule, not faults, "; ".join(sorted(faults)) if faults else good)
