"""Certificates 3, 4 and 10: the two worlds differ, in form and in what can be observed."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, equivalent
from lawsmith.measurement import (
    Points,
    columns,
    feasible,
    from_unit,
    prediction_errors,
    quantise,
    score_prediction,
    to_unit,
)
from lawsmith.mutation.laws import (
    STRUCTURAL,
    LawForm,
    Table,
    float_values,
    law_forms,
    structural_changes,
)
from lawsmith.mutation.screening.constants import allowed
from lawsmith.mutation.screening.inputs import ENVIRONMENTS, Case, certificate
from lawsmith.mutation.screening.refitting import Refit
from schemas.card import Choices, Domain
from schemas.family import Certificate, Environment, Family

REFIT_BOUND: Final = 1.5
EXPONENT_BOUND: Final = 9.99
"""Tolerances that the refit of a pair with an `exponent` move must miss by: 10, but for the last
digit of the figure."""
REFIT_CAP: Final = 10.0
"""Where the figure of a refit ends. How far a hopeless one gets (10 to 4,000 tolerances) hangs on
the last bits of its guesses, and a certificate must give the same figure everywhere."""
REFIT_FLOOR: Final = 1e-3
"""Where it begins: below is the rounding of a form that reaches the Counterfactual."""
SHARE_BOUND: Final = 0.8
MEDIAN_BOUND: Final = 10.0
S_BOUND: Final = 0.2
STEPS_BOUND: Final = 3.0
MAIN_BUDGET: Final = 4
QUERY_STARTS: Final = 4
QUERY_ROUNDS: Final = 64
FIRST_STEP: Final = 1 / 8
LAST_STEP: Final = 1 / 1024
NEAR_TIE: Final = 1e-6
"""Relative gain below which a search stays where it is: less may be the last bits of float64."""


def distinct(case: Case) -> Certificate:
    """Certificate 3: different laws, and refitting the Original's constants does not help.

    Every constant of the Original's form is free, declared exponents among them, but for those
    that an `exponent` move changed. Pairs with such a move are a stratum of their own, since
    the form is the Original's up to an exponent: they keep 10 tolerances after the refit.
    """
    structural = structural_changes(case.family)
    figures: dict[str, float | str] = {"structural_moves": float(structural)}
    different = _different_readout(case)
    figures["different_readout"] = different or "none"
    held = _moved_exponents(case.family)
    forms = case.forms["original"]
    if held:
        forms = law_forms(case.family.original, case.declared - held)
    by_exponent = any(m.move == "exponent" for m in case.family.mutations)
    bound = EXPONENT_BOUND if by_exponent else REFIT_BOUND
    worst, figures["refit_readout"] = _refit_all(case, forms, bound)
    figures["refit_worst_e"] = float(f"{min(max(worst, REFIT_FLOOR), REFIT_CAP):.3g}")
    figures["refit_stratum"] = "exponent" if by_exponent else "form"
    return certificate(
        3,
        different is not None and structural >= 1 and worst > bound,
        figures,
        "the laws differ, and no constants bring the Original's form to the Counterfactual"
        if worst > bound and structural >= 1
        else "only constants change"
        if structural < 1
        else "the Original's form with other constants passes for the Counterfactual"
        if different and worst <= REFIT_BOUND
        else "the Original's form with other constants comes near the Counterfactual"
        if different
        else "no readout is shown to differ",
    )


def distinguishable(case: Case) -> Certificate:
    """Certificate 4: each truth fails the other's hidden inputs, and B = 4 inputs tell them."""
    figures: dict[str, float | str] = {}
    passed = True
    for truth, rival in (("original", "counterfactual"), ("counterfactual", "original")):
        share, median, s = cross_error(
            case.hidden_truth[_env(rival)], case.hidden_truth[_env(truth)], case
        )
        figures |= {f"share_{truth}": share, f"median_{truth}": median, f"s_{truth}": s}
        passed &= share >= SHARE_BOUND and median >= MEDIAN_BOUND and s <= S_BOUND
    figures["fixed_steps"] = steps = fixed_steps(case)
    shown = steps >= STEPS_BOUND
    return certificate(
        4,
        passed and shown,
        figures,
        "each world's law fails the other's hidden inputs, and four Fixed inputs tell them apart"
        if passed and shown
        else "a world's law comes too near to the other on the hidden inputs"
        if shown
        else "four Fixed inputs do not tell the worlds apart",
    )


def one_query_tells(case: Case) -> Certificate:
    """Certificate 10: an admissible input that separates the worlds most, found by a search."""
    if any(values is None for values in case.dense_values.values()):
        return certificate(10, False, {}, "a law is undefined on the dense design")
    point, gap = best_query(case)
    observed = [_observe(case, values) for values in _both(case, point[None, :])]
    steps = float((np.abs(observed[0] - observed[1]) / case.steps).max())
    figures: dict[str, float | str] = {
        "separation": float(f"{gap:.6g}"),
        "steps": float(f"{steps:.6g}"),
    }
    for control, value in zip(case.family.controls, point.tolist(), strict=True):
        figures[f"at_{control.name}"] = value
    tells = steps >= STEPS_BOUND and gap > 1.0
    return certificate(
        10,
        bool(tells),
        figures,
        "one admissible input tells the worlds apart" if tells else "no input tells the worlds",
    )


def best_query(case: Case) -> tuple[Points, float]:
    """(input, separation): where the worlds lie farthest apart, in tolerances.

    A compass search (Hooke and Jeeves, 1961) in the unit cube from the four best points of the
    dense design: continuous controls alone move, inside domain and constraints, by steps from
    1/8 down to 1/1024. It takes no derivative and no linear algebra, so that every machine
    walks the same way; inputs have six digits.
    """
    gaps = _gaps(case, case.dense)
    # Near-ties must not turn on the last bits of float64: the first of the best is taken.
    shares = np.round(gaps / (gaps.max() or 1.0), 6)
    order = np.argsort(-shares, kind="stable")[:QUERY_STARTS]
    points, best = case.dense[order].copy(), gaps[order].copy()
    free = [i for i, c in enumerate(case.family.controls) if not isinstance(c.domain, Choices)]
    unit = to_unit(case.family.controls, points)
    steps = np.full(len(points), FIRST_STEP)
    for _ in range(QUERY_ROUNDS if free else 0):
        for k in np.flatnonzero(steps >= LAST_STEP):
            near, moved = _around(case, points[k], unit[k], free, float(steps[k]))
            found = _gaps(case, moved)
            i = int(np.argmax(found >= found.max() * (1 - NEAR_TIE))) if len(found) else 0
            if len(found) and found[i] > best[k] * (1 + NEAR_TIE):
                points[k], unit[k], best[k] = moved[i], near[i], found[i]
            else:
                steps[k] /= 2
    winner = int(np.argmax(best >= best.max() * (1 - NEAR_TIE)))
    return points[winner], float(best[winner])


def cross_error(predicted: Table, truth: Table, case: Case) -> tuple[float, float, float]:
    """(share of inputs with e > 1, median over inputs of the largest e, S)."""
    score = score_prediction(predicted, truth, case.absolute, case.relative)
    worst = score.errors.max(axis=1)
    return float((worst > 1.0).mean()), float(np.median(worst)), score.s


def separation(first: Table, second: Table, case: Case) -> Table:
    """Largest e over readouts at each input, the smaller of both ways, shape (n,)."""
    one = prediction_errors(first, second, case.absolute, case.relative).max(axis=1)
    other = prediction_errors(second, first, case.absolute, case.relative).max(axis=1)
    smaller: Table = np.minimum(one, other)
    return smaller


def fixed_steps(case: Case) -> float:
    """The largest difference, in steps, that the first four Fixed observations show."""
    observed = [_observe(case, case.fixed_truth[e][:MAIN_BUDGET]) for e in ENVIRONMENTS]
    return float((np.abs(observed[0] - observed[1]) / case.steps).max())


def _around(
    case: Case, point: Points, unit: Points, free: Sequence[int], step: float
) -> tuple[Points, Points]:
    """(unit coordinates, admissible inputs) a step away from an input, along one axis each."""
    near = np.repeat(unit[None, :], 2 * len(free), axis=0)
    moved = np.repeat(point[None, :], 2 * len(free), axis=0)
    for row, (i, sign) in enumerate(product(free, (1.0, -1.0))):
        near[row, i] = min(max(unit[i] + sign * step, 0.0), 1.0)
    moved[:, free] = from_unit(case.family.controls, near)[:, free]
    kept = feasible(case.family.controls, case.family.constraints, moved)
    return near[kept], moved[kept]


def _gaps(case: Case, points: Points) -> Points:
    """Separation at each input, shape (n,); 0 where a law has no value."""
    try:
        return separation(*_both(case, points), case)
    except UndefinedValueError:
        if len(points) == 1:
            return np.zeros(1)
    return np.concatenate([_gaps(case, points[i : i + 1]) for i in range(len(points))])


def _both(case: Case, points: Points) -> tuple[Table, Table]:
    first, second = (float_values(case.laws[e], case.family.controls, points) for e in ENVIRONMENTS)
    return first, second


def _observe(case: Case, table: Table) -> Table:
    shown = [
        quantise(table[:, r], readout.resolution) for r, readout in enumerate(case.family.readouts)
    ]
    return np.column_stack(shown)


def _refit(case: Case, form: LawForm, r: int, bound: float) -> float:
    """Largest e of the Original's form on the Counterfactual's hidden inputs, best refit.

    A refit that comes within the bound ends the search.
    """
    readout = case.family.readouts[r]
    values = case.dense_values["counterfactual"]
    if values is None:
        return 0.0
    hidden = columns(case.family.controls, case.hidden)
    goal = case.hidden_truth["counterfactual"][:, r]
    law = compile_expression(form.expression)
    best = np.inf
    for constants in Refit(
        form, case.family.controls, case.dense, values[:, r], readout
    ).constants():
        try:
            value = law({**hidden, **constants})
        except UndefinedValueError:
            # Without a value at a hidden input this refit is invalid: it fails.
            continue
        best = min(best, float((np.abs(value - goal) / allowed(readout, goal)).max()))
        if best <= bound:
            break
    return best


def _refit_all(case: Case, forms: Mapping[str, LawForm], bound: float) -> tuple[float, str]:
    """(largest e, readout) of the first readout that no refit of the Original's form reaches.

    A predictor needs every readout, so one that stays out of reach is enough; else the last.
    """
    worst, name = 0.0, "none"
    for r, readout in enumerate(case.family.readouts):
        worst, name = _refit(case, forms[readout.name], r, bound), readout.name
        if worst > bound:
            break
    return worst, name


def _moved_exponents(family: Family) -> frozenset[str]:
    """Parameters that an `exponent` move changed."""
    pattern = re.compile(r"/parameters/(\d+)/value")
    found = (pattern.fullmatch(m.path) for m in family.mutations if m.move == "exponent")
    return frozenset(family.original.parameters[int(m[1])].name for m in found if m)


def _different_readout(case: Case) -> str | None:
    """The first readout whose two laws are proved to differ."""
    domain = {control.name: _bounds(control.domain) for control in case.family.controls}
    for readout, first in case.folded["original"].items():
        second = case.folded["counterfactual"][readout]
        if first != second and equivalent(first, second, domain).verdict == "different":
            return readout
    return None


def _bounds(domain: Domain) -> tuple[float, float] | list[float]:
    return list(domain.choices) if isinstance(domain, Choices) else (domain.low, domain.high)


def _env(name: str) -> Environment:
    return "original" if name == "original" else "counterfactual"


__all__ = (
    "STRUCTURAL",
    "best_query",
    "cross_error",
    "distinct",
    "distinguishable",
    "fixed_steps",
    "one_query_tells",
    "separation",
)
