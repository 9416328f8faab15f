"""Certificates 5, 6, 8 and 9, and the measured difficulty of a family."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import literal_paths
from lawsmith.measurement import (
    fit_affine,
    fit_constant,
    fit_monomial,
    fit_polynomial,
    prediction_errors,
    quantise,
)
from lawsmith.measurement.constraints import Points, feasible
from lawsmith.mutation.case import ENVIRONMENTS, Case, certificate
from lawsmith.mutation.distinctness import MAIN_BUDGET, cross_error
from lawsmith.mutation.truth import Table, float_values
from schemas.card import Choices
from schemas.expression import Expression, node_count, walk
from schemas.family import Certificate, Environment, FamilyControl, Stratum

DENSE_ROWS: Final = 64
CUBIC_ROWS: Final = 16
CLASS_BOUND: Final = 1e-9
"""Relative error below which a null fit is the truth itself: the truth is of its class."""
ACTIVE_BASES: Final = 32
SPAN_STEPS: Final = 20.0
HALF_STEP_SHARE: Final = 0.1
CROSSING_SHARE: Final = 0.01
SHORT_DIGITS: Final = 5
_EASY_MEDIAN: Final = 50.0
_EASY_NODES: Final = 25

Fit = Callable[[Sequence[str], Points, Table], tuple[Expression, ...]]
_FITS: Final[Mapping[str, Fit]] = MappingProxyType(
    {"mean": fit_constant, "affine": fit_affine, "monomial": fit_monomial}
)


def nulls_fail(case: Case) -> Certificate:
    """Certificate 5: zero, mean, affine, monomial and cubic fits are not good enough."""
    if any(values is None for values in case.dense_values.values()):
        return certificate(5, False, {}, "a law is undefined on the dense design")
    least: dict[Environment, float] = {}
    passing: list[str] = []
    classes = _classes(case)
    for environment in ENVIRONMENTS:
        found = {
            label: _null_error(case, environment, *table)[0]
            for label, table in _battery(case, environment).items()
        }
        least[environment] = min(found.values())
        own = classes if environment == "original" else frozenset[str]()
        passing += [
            f"{label} ({environment})"
            for label, error in found.items()
            if error <= 1.0 and label.split("_")[0] not in own
        ]
    figures: dict[str, float | str] = {
        "least_worst_e_counterfactual": float(f"{least['counterfactual']:.6g}"),
        "trivial_class": ",".join(sorted(classes)) or "none",
    }
    if not classes:
        figures["least_worst_e_original"] = float(f"{least['original']:.6g}")
    return certificate(
        5,
        not passing,
        figures,
        "no law-blind fit passes" if not passing else f"passed by {', '.join(passing)}",
    )


def controls_move(case: Case) -> Certificate:
    """Certificate 6: every control moves a readout somewhere; not all but one are inert."""
    figures: dict[str, float | str] = {}
    active: dict[Environment, int] = {}
    effects: dict[str, float] = {}
    for environment in ENVIRONMENTS:
        values = [_effect(case, environment, i) for i in range(len(case.family.controls))]
        active[environment] = sum(value > 1.0 for value in values)
        for control, value in zip(case.family.controls, values, strict=True):
            figures[f"{environment}_{control.name}"] = float(f"{value:.6g}")
            effects[control.name] = max(effects.get(control.name, 0.0), value)
    dead = sorted(name for name, value in effects.items() if value <= 1.0)
    few = len(effects) > 1 and min(active.values()) < 2
    return certificate(
        6,
        not dead and not few,
        figures,
        f"controls {', '.join(dead)} move no readout in either environment"
        if dead
        else "all controls but one are inert in an environment"
        if few
        else "every control moves a readout beyond tolerance in at least one environment",
    )


def scale_is_sane(case: Case) -> Certificate:
    """Certificate 8: steps are fine against tolerances, and readouts span many steps."""
    half, span, crossing = 0.0, np.inf, 0.0
    for environment in ENVIRONMENTS:
        truth = case.hidden_truth[environment]
        for r, readout in enumerate(case.family.readouts):
            column = truth[:, r]
            width = float(np.ptp(column))
            span = min(span, width / float(case.steps[r]))
            if readout.resolution is not None:
                allowed = readout.absolute + readout.relative * np.abs(column)
                half = max(half, float((readout.resolution / 2 / allowed).max()))
            if column.min() < 0.0 < column.max():
                crossing = max(crossing, readout.absolute / width)
    sane = half <= HALF_STEP_SHARE * (1 + 1e-9) and span >= SPAN_STEPS
    sane = sane and crossing <= CROSSING_SHARE
    return certificate(
        8,
        sane,
        {"half_step_share": half, "least_span_steps": span, "crossing_share": crossing},
        "half a step is at most a tenth of the tolerance, and every readout spans enough steps"
        if sane
        else "a readout's step, span or tolerance does not fit its values",
    )


def attainable(case: Case) -> Certificate:
    """Certificate 9: whether the folded constants are short enough to be hit exactly."""
    longest, count = 0, 0
    for environment in ENVIRONMENTS:
        for law in case.folded[environment].values():
            nodes = dict(walk(law))
            for path in literal_paths(law):
                count += 1
                longest = max(longest, digits_of(nodes[path]))
    short = longest <= SHORT_DIGITS
    return certificate(
        9,
        True,
        {
            "strict_attainable": "true" if short else "false",
            "longest_digits": float(longest),
            "constants": float(count),
        },
        f"the longest of {count} folded constants has {longest} significant digits",
    )


def stratum(case: Case) -> Stratum:
    """The measured difficulty (`strata-1`): one point each, 0 = easy, 1 = medium, more = hard.

    Points: more than one move; a Counterfactual law of more than 25 nodes; more than two
    controls; worlds whose median error is below 50 tolerances.
    """
    largest = max(node_count(law) for law in case.folded["counterfactual"].values())
    median = cross_error(case.hidden_truth["original"], case.hidden_truth["counterfactual"], case)[
        1
    ]
    moves = {mutation.move for mutation in case.family.mutations}
    points = sum(
        (
            len(moves) > 1,
            largest > _EASY_NODES,
            len(case.family.controls) > 2,
            median < _EASY_MEDIAN,
        )
    )
    return "easy" if points == 0 else "medium" if points == 1 else "hard"


def digits_of(value: Expression) -> int:
    """Significant digits of a literal's shortest decimal text, trailing zeros apart."""
    if not isinstance(value, float):
        raise TypeError(f"{value!r} is no literal")
    mantissa = re.sub(r"[eE].*$", "", repr(value)).replace("-", "").replace(".", "")
    return max(1, len(mantissa.strip("0")))


def _classes(case: Case) -> frozenset[str]:
    """The null classes that hold the Original itself: they fit its exact values exactly."""
    dense = _dense_rows(case, "original")
    fits = {**_FITS, "zero": _zero, "cubic": fit_polynomial}
    return frozenset(
        label
        for label, fit in fits.items()
        if _null_error(case, "original", fit, *dense)[1] <= CLASS_BOUND
    )


def _dense_rows(case: Case, environment: Environment) -> tuple[Points, Table]:
    values = case.dense_values[environment]
    if values is None:
        raise InputError("a law is undefined on the dense design", path=environment)
    stride = max(1, len(case.dense) // DENSE_ROWS)
    return case.dense[::stride][:DENSE_ROWS], values[::stride][:DENSE_ROWS]


def _battery(case: Case, environment: Environment) -> dict[str, tuple[Fit, Points, Table]]:
    """Label -> (fit, inputs, values): what each null is fitted on."""
    fixed = np.column_stack(
        [
            quantise(case.fixed_truth[environment][:, r], readout.resolution)
            for r, readout in enumerate(case.family.readouts)
        ]
    )
    dense = _dense_rows(case, environment)
    few = case.fixed[:MAIN_BUDGET], fixed[:MAIN_BUDGET]
    found: dict[str, tuple[Fit, Points, Table]] = {"zero": (_zero, *few)}
    for label, fit in _FITS.items():
        found[f"{label}_4"] = (fit, *few)
        found[f"{label}_64"] = (fit, *dense)
    found["cubic_16"] = (fit_polynomial, case.fixed[:CUBIC_ROWS], fixed[:CUBIC_ROWS])
    return found


def _zero(names: Sequence[str], inputs: Points, values: Table) -> tuple[Expression, ...]:
    return tuple(0.0 for _ in range(values.shape[1]))


def _null_error(
    case: Case, environment: Environment, fit: Fit, inputs: Points, values: Table
) -> tuple[float, float]:
    """(largest e, largest relative error) of a null on the hidden inputs."""
    names = [control.name for control in case.family.controls]
    laws = dict(
        zip((r.name for r in case.family.readouts), fit(names, inputs, values), strict=True)
    )
    truth = case.hidden_truth[environment]
    try:
        predicted = float_values(laws, case.family.controls, case.hidden)
    except UndefinedValueError:
        # An invalid predictor fails whatever the tolerance.
        return np.inf, np.inf
    errors = prediction_errors(predicted, truth, case.absolute, case.relative)
    size = np.abs(truth).max(axis=0)
    return float(errors.max()), float(
        (np.abs(predicted - truth) / np.where(size > 0, size, 1)).max()
    )


def _effect(case: Case, environment: Environment, i: int) -> float:
    """Largest change, in tolerances, that moving control i alone makes from any base input."""
    family, laws = case.family, case.laws[environment]
    base = case.hidden[:ACTIVE_BASES]
    before = case.hidden_truth[environment][:ACTIVE_BASES]
    best = 0.0
    for value in _probes(family.controls[i]):
        moved = base.copy()
        moved[:, i] = value
        allowed = feasible(family.controls, family.constraints, moved)
        if not allowed.any():
            continue
        after = float_values(laws, family.controls, moved[allowed])
        errors = prediction_errors(after, before[allowed], case.absolute, case.relative)
        best = max(best, float(errors.max()))
    return best


def _probes(control: FamilyControl) -> tuple[float, ...]:
    domain = control.domain
    if isinstance(domain, Choices):
        middle = domain.choices[len(domain.choices) // 2]
        return (domain.choices[0], middle, domain.choices[-1])
    return tuple(domain.low + share * (domain.high - domain.low) for share in (0.0, 0.25, 0.5, 1.0))


__all__ = (
    "attainable",
    "controls_move",
    "digits_of",
    "nulls_fail",
    "scale_is_sane",
    "stratum",
)
