"""What a hidden law must show before it may be one: seven screens, each with its figures."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from numpy.random import Generator

from lawsmith.calibration.hidden_laws.context import RefusalError, Workbench, passed, short
from lawsmith.calibration.hidden_laws.effect_size import Sized, sized
from lawsmith.calibration.hidden_laws.novelty import check_novelty, check_skeleton
from lawsmith.calibration.hidden_laws.solvability import LARGEST_ERROR, oracle_fit
from lawsmith.calibration.hidden_laws.variants import Variant
from lawsmith.calibration.hidden_laws.visibility import (
    ALPHA,
    POWER,
    Visibility,
    clean_values,
    looked_at,
    rank_ratio,
    space_of_world,
)
from lawsmith.calibration.problems import check_closes, records_of
from lawsmith.calibration.worlds import HiddenForm
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import to_infix
from schemas.calibrated_task import RefusedLaw, WorldCertificate
from schemas.expression import MAX_DEPTH, names_of, walk
from schemas.problem import Constant
from schemas.world import CalibratedWorld

MOST_NODES: Final = 96
MOST_LITERALS: Final = 24
"""More numbers in one law are a table, not a law."""
LEAST_RANK: Final = 1e-10
MOST_BOUND: Final = 0.25
"""Share of groups in which a constant may end at its bound: there records do not determine it."""
BOUND: Final = 1e-6
_LOOKUPS: Final = frozenset({"step", "sign", "floor", "ceil", "round", "mod"})


@dataclass(frozen=True, slots=True)
class Survivor:
    """A variant that passed every screen, with its constants and figures."""

    variant: Variant
    form: HiddenForm
    world: CalibratedWorld
    by_design: bool
    """Whether the size of what was added is set for visibility, not by the records."""
    seen: Visibility
    certificates: tuple[WorldCertificate, ...]


def screened(bench: Workbench, variant: Variant, rng: Generator) -> Survivor:
    """The variant with constants and certificates.

    Args:
        bench: the problem with its base.
        variant: an open form.
        rng: stands for the server's noise in the oracle fit.

    Raises:
        RefusalError: the first screen that it fails, with the reason.
    """
    dimensions = check_units(bench, variant)
    shape = check_shape(bench, variant)
    check_skeleton(bench, variant)
    one = sized(bench, variant)
    novelty = check_novelty(bench, variant, one)
    determined = _determined(one, variant, shape)
    solvable = check_solvable(one, variant, rng)
    certificates = (
        dimensions,
        one.adequacy,
        determined,
        novelty,
        _visible(one),
        solvable,
        _noise(one.world),
    )
    return Survivor(variant, one.form, one.world, one.by_design, one.seen, certificates)


def refused(variant: Variant, error: RefusalError) -> RefusedLaw:
    """The row of a refused candidate."""
    return RefusedLaw(
        expression=to_infix(variant.law),
        moves=variant.moves,
        failed=error.screen,
        sentence=error.problem,
    )


def check_units(bench: Workbench, variant: Variant) -> WorldCertificate:
    """The law closes in units, its constants in theirs."""
    try:
        check_closes(bench.problem, variant.law, variant.constants)
    except (InputError, UndefinedValueError) as error:
        raise RefusalError("dimensions", str(error)) from error
    return passed(
        "dimensions",
        "the law closes in units with those of its constants",
        {"constants": float(len(variant.constants))},
    )


def check_shape(bench: Workbench, variant: Variant) -> dict[str, float]:
    """Size, no table of cases, every control of the base still used."""
    nodes = dict(walk(variant.law))
    depth = max(path.count("/args/") for path in nodes)
    literals = sum(isinstance(node, float) for node in nodes.values())
    if len(nodes) > MOST_NODES or depth > MAX_DEPTH or literals > MOST_LITERALS:
        raise RefusalError(
            "integrity",
            f"{len(nodes)} nodes, depth {depth}, {literals} numbers; at most {MOST_NODES},"
            f" {MAX_DEPTH}, {MOST_LITERALS}",
        )
    before = {getattr(node, "op", "") for _, node in walk(bench.base.law.expression)}
    new = {getattr(node, "op", "") for node in nodes.values()} & _LOOKUPS - before
    if new:
        raise RefusalError("integrity", f"{sorted(new)} would make a table of cases of it")
    lost = (names_of(bench.base.law.expression) - names_of(variant.law)) & set(bench.units)
    if lost:
        raise RefusalError("integrity", f"controls {sorted(lost)} of the base are lost")
    return {"nodes": float(len(nodes)), "depth": float(depth), "numbers": float(literals)}


def check_solvable(one: Sized, variant: Variant, rng: Generator) -> WorldCertificate:
    """An oracle fit of the true form from what the budget buys has the law back."""
    try:
        found = oracle_fit(one.world, one.pool, one.form, variant.constants, rng)
    except (InputError, UndefinedValueError) as error:
        raise RefusalError("solvability", f"the true form cannot be fitted: {error}") from error
    if not found.solved:
        raise RefusalError(
            "solvability",
            f"the oracle mispredicts by {found.prediction_error:.3g} of the span, over"
            f" {LARGEST_ERROR:g}",
        )
    return passed(
        "solvability",
        f"the true form, fitted to {found.rows} measurements in {found.groups} groups,"
        f" mispredicts by at most {LARGEST_ERROR:g} of the span",
        {
            "prediction_error": short(found.prediction_error),
            "constant_error": short(found.constant_error),
            "rows": float(found.rows),
            "groups": float(found.groups),
        },
    )


def _determined(one: Sized, variant: Variant, shape: Mapping[str, float]) -> WorldCertificate:
    """Slopes of full rank in every group looked at, and constants away from their bounds."""
    free = [c.name for c in variant.constants if c.fixed is None]
    space = space_of_world(one.world)
    ratios = []
    for label in looked_at(one.world):
        _, points, phi = clean_values(one.world, one.form, label)
        inputs = {control.name: points[:, i] for i, control in enumerate(one.world.controls)}
        records = records_of(inputs, space.back(phi))
        values = dict(one.form.constants[label])
        ratios.append(rank_ratio(one.form.law, free, values, records, space))
    if min(ratios) < LEAST_RANK:
        raise RefusalError(
            "integrity", f"constants cannot be told apart: rank ratio {min(ratios):.2g}"
        )
    for constant in variant.constants:
        bound = [_at_bound(constant, own[constant.name]) for own in one.form.constants.values()]
        share = sum(bound) / len(bound)
        if share > MOST_BOUND:
            raise RefusalError(
                "integrity", f"{constant.name!r} ends at a bound in {share:.0%} of the groups"
            )
    return passed(
        "integrity",
        "it is small, has no table of cases, keeps the controls, and its constants are determined",
        {**shape, "rank_ratio": short(min(ratios))},
    )


def _at_bound(constant: Constant, value: float) -> bool:
    bounds = [bound for bound in (constant.low, constant.high) if bound is not None]
    return constant.fixed is None and any(
        math.isclose(value, bound, rel_tol=BOUND, abs_tol=1e-12) for bound in bounds
    )


def _visible(one: Sized) -> WorldCertificate:
    origin = "set by design so that it shows" if one.by_design else "fitted to the records"
    return passed(
        "visibility",
        f"the size of what was added is {origin}; the budget finds it with power"
        f" >= {POWER:g} at level {ALPHA:g}",
        {
            "power": short(one.seen.power),
            "noncentrality": short(one.seen.noncentrality),
            "increment": short(one.seen.increment),
            "noise": short(one.seen.noise),
            "rows": float(one.world.limits.rows),
            "by_design": float(one.by_design),
        },
    )


def _noise(world: CalibratedWorld) -> WorldCertificate:
    shares = [
        g.signal_variance / (g.signal_variance + g.noise_factor**2 * g.residual_variance)
        for g in world.groups
    ]
    if min(shares) < world.target_r2 - 1e-9:
        raise RefusalError("noise", f"R² {min(shares)!r} after scaling, below {world.target_r2!r}")
    factors = [g.noise_factor for g in world.groups]
    return passed(
        "noise",
        "the law explains at least nine tenths of every group's variance in residual space",
        {"r2": short(min(shares)), "least_factor": short(min(factors))},
    )


__all__ = ("RefusalError", "Survivor", "Workbench", "refused", "screened")
