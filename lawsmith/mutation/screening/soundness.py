"""Certificates 1, 2 and 11: units close, every law is defined, identities hold."""

from typing import Final

import numpy as np

from lawsmith.errors import CoherenceError, DimensionError, UndefinedValueError
from lawsmith.expressions import (
    COHERENCE_BOUND,
    check_dimensions,
    compile_expression,
    unit_coherent,
)
from lawsmith.measurement import Points, columns, definedness, feasible, inside
from lawsmith.mutation.laws import (
    IDENTITY_BOUND,
    Table,
    exact_values,
    float_values,
    meanings_of,
    units_of,
)
from lawsmith.mutation.screening.inputs import ENVIRONMENTS, Case, certificate
from schemas.expression import Expression, substitute
from schemas.family import Certificate, Environment

LEAST_GAP: Final = 1e-6
BOXES: Final = 256
"""Boxes tried for one law: of the 4,096 allowed, what fits the time of a certificate."""

IDENTITY_POINTS: Final = 16


def units_close(case: Case) -> Certificate:
    """Certificate 1: every definition and relation closes in units, at every node.

    Dimensions, scales and zeros of units are checked node by node, so that no branch of a law
    mixes them; laws with offset units at every dense point; and the whole is evaluated in both
    kinds of units at some of them.
    """
    checked, worst = 0, 0.0
    clash = ""
    for environment in ENVIRONMENTS:
        try:
            terms, difference, error = _coherence(case, environment)
        except (DimensionError, UndefinedValueError) as fault:
            return certificate(1, False, {"terms": float(checked)}, f"{environment}: {fault}")
        if error is not None and not clash:
            clash = f": {environment} {error}"
        checked, worst = checked + terms, max(worst, difference)
    closes = not clash and worst <= COHERENCE_BOUND
    return certificate(
        1,
        closes,
        {"terms": float(checked), "worst_relative": worst},
        f"{checked} expressions close in units at every node, on every branch"
        if closes
        else f"an expression gives another value when its units are those of the SI{clash}",
    )


def defined(case: Case) -> Certificate:
    """Certificate 2: defined on the domain, float64 safe, stored truth is the truth.

    Proved = interval bisection finds every unfolded law defined on its whole box, or all controls
    are choices and every admissible combination was evaluated. Where that fails definedness is
    sampled, and every divisor and every argument of a logarithm, root, power or inverse function
    is minimised from its least values (`lawsmith.measurement.holes`).
    """
    design = np.vstack([case.dense, case.fixed, case.hidden])
    figures: dict[str, float | str] = {"method": "sampled", "points": float(len(design))}
    family = case.family
    outside = ~(
        inside(family.controls, design) & feasible(family.controls, family.constraints, design)
    )
    figures["outside"] = float(outside.sum())
    differing, worst = 0, 0.0
    for environment in ENVIRONMENTS:
        try:
            if case.dense_values[environment] is None:
                float_values(case.laws[environment], family.controls, case.dense)
            wrong, gap = _float_gap(case, environment)
        except UndefinedValueError as error:
            return certificate(2, False, figures, f"undefined_on_domain: {environment}: {error}")
        differing, worst = differing + wrong, max(worst, gap)
    figures["differing_truths"] = float(differing)
    figures["method"], found, problem = _definedness(case, design[~outside])
    figures["holes"] = found or "none"
    # Only the order of magnitude: the last bits of float64 functions differ between machines.
    figures["float_gap_below"] = max(LEAST_GAP, 10.0 ** np.ceil(np.log10(max(worst, LEAST_GAP))))
    faults = [
        text
        for text, applies in (
            (f"{int(outside.sum())} inputs lie outside the domain", outside.any()),
            (f"{differing} stored truths are not the truth", differing > 0),
            ("float_unsafe: float64 and 50 digits disagree", worst > 1.0),
            (f"undefined_on_domain: {problem} inside the domain: {found}", bool(found)),
        )
        if applies
    ]
    return certificate(
        2,
        not faults,
        figures,
        "; ".join(faults)
        or "every law is defined at every sampled point, and float64 agrees with 50 digits",
    )


def found_undefined(failed: Certificate) -> bool:
    """Whether a failed certificate found a law without a value inside the domain."""
    # Certificate 2 states no figure of holes where it stopped at a point without a value.
    return failed.number == 2 and failed.figures.get("holes", "stopped") != "none"


def _definedness(case: Case, points: Points) -> tuple[str, str, str]:
    """(`proved` or `sampled`; place and problem of the first hole, or nothing)."""
    controls, constraints = case.family.controls, case.family.constraints
    method = "proved"
    for environment in ENVIRONMENTS:
        for readout, law in case.laws[environment].items():
            one = definedness(law, controls, constraints, points, BOXES)
            if one.method == "sampled":
                method = "sampled"
            if one.hole is not None:
                return method, f"{environment} {readout} {one.hole.path}", one.hole.problem
    return method, "", ""


def identities_hold(case: Case) -> Certificate:
    """Certificate 11: what holds between readouts in the Original holds in the Counterfactual.

    The identities are those that the card declares and those that `identities.identities_of`
    finds in the Original.
    """
    identities = case.family.consistency
    computed = sum(identity.origin == "computed" for identity in identities)
    figures: dict[str, float | str] = {
        "identities": float(len(identities)),
        "computed": float(computed),
    }
    held, broken = 0, 0
    for i, identity in enumerate(identities):
        gaps = {
            environment: _identity_gap(case, environment, identity.left, identity.right)
            for environment in ENVIRONMENTS
        }
        if gaps["original"] > IDENTITY_BOUND:
            continue
        held += 1
        broken += gaps["counterfactual"] > IDENTITY_BOUND
        figures[f"gap_{i}"] = max(gaps.values())
    figures["held_in_original"] = float(held)
    return certificate(
        11,
        broken == 0,
        figures,
        f"{held} identities of the Original hold in the Counterfactual"
        if broken == 0
        else f"inconsistent_twin: {broken} of {held} identities break in the Counterfactual",
    )


def _coherence(case: Case, environment: Environment) -> tuple[int, float, CoherenceError | None]:
    """How many expressions were checked, the worst relative difference, and the first clash."""
    relations, controls = case.sets[environment], case.family.controls
    units = units_of(relations, controls)
    outputs = {readout.name: readout.unit for readout in case.family.readouts}
    bodies: list[tuple[Expression, str, str]] = [
        (definition.expression, definition.unit, definition.name)
        for definition in relations.definitions
    ]
    bodies += [(body.expression, outputs[body.readout], "") for body in relations.relations]
    for expression, unit, _ in bodies:
        check_dimensions(expression, units, unit)
    points = case.dense
    values: dict[str, Table] = dict(columns(controls, points))
    values |= {p.name: np.full(len(points), p.value) for p in relations.parameters}
    worst, clash = 0.0, None
    for expression, unit, name in bodies:
        coherence = unit_coherent(expression, units, unit, values)
        clash = clash or coherence.clash
        worst = max(worst, coherence.worst)
        if name:
            value = np.asarray(compile_expression(expression)(values))
            values[name] = np.broadcast_to(value, len(points))
    return len(bodies), worst, clash


def _float_gap(case: Case, environment: Environment) -> tuple[int, float]:
    """(stored truths that differ from 50 digits, worst float64 error in allowed ones)."""
    controls, laws = case.family.controls, case.laws[environment]
    points = np.vstack([case.fixed, case.hidden])
    stored = np.vstack([case.fixed_truth[environment], case.hidden_truth[environment]])
    exact = exact_values(laws, controls, points)
    # A tenth of the step; the step is a_r where the source states no resolution.
    allowed = case.steps / 10
    gap = np.abs(float_values(laws, controls, points) - exact) / allowed
    return int((stored != exact).sum()), float(gap.max())


def _identity_gap(
    case: Case, environment: Environment, left: Expression, right: Expression
) -> float:
    """Largest relative difference of the two sides over some hidden inputs, at 50 digits."""
    relations = case.sets[environment]
    known = meanings_of(relations) | case.laws[environment]
    sides = {"left": substitute(left, known), "right": substitute(right, known)}
    table = exact_values(sides, case.family.controls, case.hidden[:IDENTITY_POINTS])
    size = np.abs(table).max(axis=1)
    return float((np.abs(table[:, 0] - table[:, 1]) / np.where(size > 0, size, 1.0)).max())


__all__ = ("defined", "found_undefined", "identities_hold", "units_close")
