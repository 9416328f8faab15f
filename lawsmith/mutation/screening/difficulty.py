"""Certificates 5, 6, 8 and 9: neither too easy nor out of a player's reach."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import evaluate, literals_of
from lawsmith.measurement import (
    Points,
    columns,
    feasible,
    fit_affine,
    fit_constant,
    fit_monomial,
    fit_polynomial,
    is_logarithmic,
    prediction_errors,
    quantise,
)
from lawsmith.mutation.laws import Table, float_values
from lawsmith.mutation.screening.distinctness import MAIN_BUDGET
from lawsmith.mutation.screening.inputs import ENVIRONMENTS, Case, certificate
from schemas.card import Choices
from schemas.expression import Expression
from schemas.family import Certificate, Environment, FamilyControl

DENSE_ROWS: Final = 64
CUBIC_ROWS: Final = 16
CLASS_BOUND: Final = 1e-9
"""Relative error below which a null fit is the truth itself: the truth is of its class."""
MOST_PROBES: Final = 9
SPAN_STEPS: Final = 20.0
HALF_STEP_SHARE: Final = 0.1
CROSSING_SHARE: Final = 0.01

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
    """Certificate 6: every control moves a readout somewhere; not all but one are inert.

    A control is inert in an environment when moving it alone, from any hidden input to any
    probed value, changes no readout by more than a tolerance: there it is a distractor.
    """
    figures: dict[str, float | str] = {}
    names = [control.name for control in case.family.controls]
    inert: dict[Environment, list[str]] = {}
    for environment in ENVIRONMENTS:
        effects = {name: _effect(case, environment, i) for i, name in enumerate(names)}
        figures |= {f"{environment}_{name}": float(f"{e:.6g}") for name, e in effects.items()}
        inert[environment] = [name for name, effect in effects.items() if effect <= 1.0]
        figures[f"distractors_{environment}"] = ",".join(inert[environment]) or "none"
    dead = sorted(set(inert["original"]) & set(inert["counterfactual"]))
    few = len(names) > 1 and any(len(names) - len(still) < 2 for still in inert.values())
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
    """Certificate 8: steps are fine against tolerances, and readouts span many steps.

    The half step is held against the tolerance at every hidden, Fixed and dense input; the
    span is that of the hidden inputs, which are scored. A readout without a resolution has no
    step to hold against its tolerance, and spans steps of a_r.
    """
    half, span, crossing = 0.0, np.inf, 0.0
    for environment in ENVIRONMENTS:
        dense = case.dense_values[environment]
        if dense is None:
            return certificate(8, False, {}, "a law is undefined on the dense design")
        everywhere = np.vstack([_scored(case, environment), dense])
        for r, readout in enumerate(case.family.readouts):
            column = everywhere[:, r]
            width = float(np.ptp(case.hidden_truth[environment][:, r]))
            span = min(span, width / float(case.steps[r]))
            if readout.resolution is not None:
                allowed = readout.absolute + readout.relative * np.abs(column)
                half = max(half, float((readout.resolution / 2 / allowed).max()))
            if column.min() < 0.0 < column.max():
                crossing = max(crossing, readout.absolute / width if width else np.inf)
    # A half step of just a tenth of the tolerance is allowed; the last bits may not refuse it.
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
    """Certificate 9: whether a player can write both laws down exactly from short numbers.

    Looked at are the laws as the worlds compute them, over the source's own numbers, and the
    same with constants folded: either way of writing will do. The certificate says which it is
    and never fails a family: `strict` is then out of reach, `form` is not.
    """
    written = [
        min(
            (literals_of(law), literals_of(case.folded[environment][readout])),
            key=lambda one: (not one.short, one.longest_constant, one.longest_exponent),
        )
        for environment in ENVIRONMENTS
        for readout, law in case.laws[environment].items()
    ]
    short = all(one.short for one in written)
    longest = max(one.longest_constant for one in written)
    return certificate(
        9,
        True,
        {
            "strict_attainable": "true" if short else "false",
            "longest_digits": float(longest),
            "constants": float(sum(len(one.constants) for one in written)),
            "longest_exponent_digits": float(max(one.longest_exponent for one in written)),
            "exponents": float(sum(len(one.exponents) for one in written)),
        },
        ("short numbers write" if short else "no short numbers write")
        + f" both laws: the longest constant has {longest} significant digits",
    )


def _classes(case: Case) -> frozenset[str]:
    """The null classes that hold the Original itself: they fit its exact values exactly."""
    dense = _dense_rows(case, "original")
    fits = {**_FITS, "zero": _zero, "cubic": fit_polynomial}
    return frozenset(
        label
        for label, fit in fits.items()
        if _null_error(case, "original", fit, *dense)[1] <= CLASS_BOUND
    )


def _scored(case: Case, environment: Environment) -> Table:
    return np.vstack([case.hidden_truth[environment], case.fixed_truth[environment]])


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
    given = columns(case.family.controls, case.hidden)
    truth = case.hidden_truth[environment]
    try:
        # Evaluated once: compiling such a law takes longer.
        found = [evaluate(law, given) for law in fit(names, inputs, values)]
        predicted = np.column_stack([np.broadcast_to(one, len(case.hidden)) for one in found])
    except UndefinedValueError:
        # An invalid predictor fails whatever the tolerance.
        return np.inf, np.inf
    errors = prediction_errors(predicted, truth, case.absolute, case.relative)
    size = np.abs(truth).max(axis=0)
    return float(errors.max()), float(
        (np.abs(predicted - truth) / np.where(size > 0, size, 1)).max()
    )


def _effect(case: Case, environment: Environment, i: int) -> float:
    """Largest change, in tolerances, that moving control i alone makes from any hidden input."""
    family = case.family
    before = case.hidden_truth[environment]
    probes = _probes(family.controls[i])
    moved = np.tile(case.hidden, (len(probes), 1))
    moved[:, i] = np.repeat(probes, len(case.hidden))
    truth = np.tile(before, (len(probes), 1))
    allowed = feasible(family.controls, family.constraints, moved)
    if not allowed.any():
        return 0.0
    after = float_values(case.laws[environment], family.controls, moved[allowed])
    errors = prediction_errors(after, truth[allowed], case.absolute, case.relative)
    return float(errors.max())


def _probes(control: FamilyControl) -> Sequence[float]:
    """Values a control is moved to: ends, quarters and, on a log scale, what is between."""
    domain = control.domain
    if isinstance(domain, Choices):
        places = np.linspace(0, len(domain.choices) - 1, min(len(domain.choices), MOST_PROBES))
        return [domain.choices[int(place)] for place in places]
    width = domain.high - domain.low
    found = [domain.low, *(domain.low + share * width for share in (0.25, 0.5)), domain.high]
    if is_logarithmic(control):
        found += np.geomspace(domain.low, domain.high, 5)[1:-1].tolist()
    return found


__all__ = (
    "attainable",
    "controls_move",
    "nulls_fail",
    "scale_is_sane",
)
