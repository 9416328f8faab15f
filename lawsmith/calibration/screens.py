"""What a hidden law must show before it may be one: seven screens, each with its figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from lawsmith.calibration.bases import PublishedBase
from lawsmith.calibration.fitting import Fit
from lawsmith.calibration.forms import Form, Ground, exactly
from lawsmith.calibration.pools import Pool
from lawsmith.calibration.records import Records, Space, records_of
from lawsmith.calibration.solvability import LARGEST_ERROR, oracle_fit
from lawsmith.calibration.variant_fits import fit_each
from lawsmith.calibration.variants import Variant
from lawsmith.calibration.visibility import (
    ALPHA,
    POWER,
    Visibility,
    clean_values,
    distance_from,
    looked_at,
    needed_noncentrality,
    rank_ratio,
    space_of_world,
    visibility,
)
from lawsmith.calibration.worlds import HiddenForm, WorldPlan, calibrate
from lawsmith.errors import InputError, LawsmithError, UndefinedValueError
from lawsmith.expressions import check_dimensions, to_infix
from lawsmith.expressions.forms import skeleton
from schemas.calibrated_task import RefusedLaw, WorldCertificate
from schemas.expression import MAX_DEPTH, Expression, names_of, substitute, walk
from schemas.problem import Constant, Problem
from schemas.world import CalibratedWorld

LOSS: Final = 0.05
"""How much less of the records' variance a hidden law may explain than its base."""
MOST_NODES: Final = 96
MOST_LITERALS: Final = 24
"""More numbers in one law are a table, not a law."""
LEAST_RANK: Final = 1e-10
NOVEL: Final = 1e-3
"""Distance from the best refit of a reference law, as a share of the law's deviation."""
SEEN: Final = 2.0
"""Deviations from zero below which the records do not set the size of what was added."""
MARGIN: Final = 2.0
"""How far above the needed noncentrality a size set by design is aimed."""
_AGAIN: Final = 4
_LOOKUPS: Final = frozenset({"step", "sign", "floor", "ceil", "round", "mod"})

Screen = Literal[
    "dimensions", "adequacy", "integrity", "novelty", "visibility", "solvability", "noise"
]


class RefusalError(LawsmithError):
    """A candidate fails a screen."""

    def __init__(self, screen: Screen, sentence: str) -> None:
        self.screen: Screen = screen
        super().__init__(sentence, path=screen)


@dataclass(frozen=True, slots=True)
class Survivor:
    """A variant that passed every screen, with its constants and figures."""

    variant: Variant
    form: HiddenForm
    by_design: bool
    """Whether the size of what was added is set for visibility, not by the records."""
    seen: Visibility
    certificates: tuple[WorldCertificate, ...]


@dataclass(frozen=True)
class Workbench:
    """A problem, its records and its base law, as the screens need them."""

    problem: Problem
    records: Records
    space: Space
    base: PublishedBase
    plan: WorldPlan

    @cached_property
    def units(self) -> dict[str, str]:
        """Unit of every control."""
        return {column.name: column.unit for column in self.problem.controls}

    def screened(self, variant: Variant, rng: Generator) -> Survivor:
        """The variant with constants and certificates.

        Args:
            variant: an open form.
            rng: stands for the server's noise in the oracle fit.

        Raises:
            RefusalError: the first screen that it fails, with the reason.
        """
        dimensions = check_units(self, variant)
        shape = check_shape(self, variant)
        check_skeleton(self, variant)
        sized = _sized(self, variant)
        novelty = check_novelty(self, variant, sized)
        determined = _determined(sized, variant, shape)
        solvable = check_solvable(sized, variant, rng)
        certificates = (
            dimensions,
            sized.adequacy,
            determined,
            novelty,
            _visible(sized),
            solvable,
            _noise(sized.world),
        )
        return Survivor(variant, sized.form, sized.by_design, sized.seen, certificates)


@dataclass(frozen=True, slots=True)
class Sized:
    """A variant whose constants have values, in its world."""

    form: HiddenForm
    world: CalibratedWorld
    pool: Pool
    seen: Visibility
    adequacy: WorldCertificate
    by_design: bool
    figures: Mapping[str, float] = field(default_factory=dict)


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
    units = bench.units | {c.name: c.unit for c in variant.constants}
    try:
        check_dimensions(variant.law, units, bench.problem.readout.unit)
    except InputError as error:
        raise RefusalError("dimensions", str(error)) from error
    return _passed(
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


def check_skeleton(bench: Workbench, variant: Variant) -> None:
    """The law is not a reference law with other signs and sizes of constants, order or grouping."""
    own = _skeleton(variant.law, variant.constants)
    for law in (bench.base.law, *bench.base.others):
        if own == _skeleton(law.expression, law.constants):
            raise RefusalError("novelty", f"it is {law.id!r} with other constants")


def _skeleton(law: Expression, constants: Sequence[Constant]) -> object:
    return skeleton(substitute(law, {c.name: 3.0 for c in constants}))


def check_novelty(bench: Workbench, variant: Variant, sized: Sized) -> WorldCertificate:
    """No reference law of the problem can be refitted to the hidden law."""
    nearest = math.inf
    label = looked_at(sized.world)[len(looked_at(sized.world)) // 2]
    _, points, phi = clean_values(sized.world, sized.form, label)
    spread = float(np.std(phi))
    for law in bench.base.others:
        try:
            away = distance_from(law.expression, law.constants, (points, phi), sized.world)
        except InputError:
            # A form without a value there is not the law's form.
            continue
        distance = float(np.sqrt((away**2).mean())) / spread
        nearest = min(nearest, distance)
        if distance <= NOVEL:
            raise RefusalError("novelty", f"reference {law.id!r} comes within {distance:.2g}")
    own = sized.seen.increment / spread
    if own <= NOVEL:
        raise RefusalError("novelty", f"the base comes within {own:.2g} of it")
    count = float(len(bench.base.others) + 1)
    figures = {"references": count, "nearest": _short(min(nearest, own))}
    _check_exactly(bench, sized, label)
    return _passed("novelty", "no reference law of the problem can be refitted to it", figures)


def _check_exactly(bench: Workbench, sized: Sized, label: str) -> None:
    """By algebra: a refit may miss constants that are far from its starts."""
    names = tuple(control.name for control in sized.world.controls)
    _, points, _ = clean_values(sized.world, sized.form, label)
    ground = Ground(names, {label: points}, space_of_world(sized.world))
    values = sized.form.constants[label]
    hidden = Form(sized.form.law, tuple(values), (), {label: values})
    for law in (bench.base.law, *bench.base.others):
        first = {c.name: values.get(c.name, _first_value(c)) for c in law.constants}
        family = Form(law.expression, tuple(first), (), {label: first})
        if exactly(ground, family, hidden, label) == "equal":
            raise RefusalError("novelty", f"it has the form of {law.id!r}")


def _first_value(constant: Constant) -> float:
    return constant.starts[0] if constant.fixed is None else constant.fixed


def check_solvable(sized: Sized, variant: Variant, rng: Generator) -> WorldCertificate:
    """An oracle fit of the true form from what the budget buys has the law back."""
    try:
        found = oracle_fit(sized.world, sized.pool, sized.form, variant.constants, rng)
    except (InputError, UndefinedValueError) as error:
        raise RefusalError("solvability", f"the true form cannot be fitted: {error}") from error
    if not found.solved:
        raise RefusalError(
            "solvability",
            f"the oracle mispredicts by {found.prediction_error:.3g} of the span, over"
            f" {LARGEST_ERROR:g}",
        )
    return _passed(
        "solvability",
        f"the true form, fitted to {found.rows} measurements in {found.groups} groups,"
        f" mispredicts by at most {LARGEST_ERROR:g} of the span",
        {
            "prediction_error": _short(found.prediction_error),
            "constant_error": _short(found.constant_error),
            "rows": float(found.rows),
            "groups": float(found.groups),
        },
    )


def _sized(bench: Workbench, variant: Variant) -> Sized:
    """The variant with the constants of the records, or with a size that shows."""
    found = _fitted(bench, variant, {})
    sized = _placed(bench, variant, found, by_design=False)
    if _set_by_records(variant, found) and sized.seen.shows:
        return sized
    if len(variant.sizes) != 1:
        _refuse_hidden(sized.seen)
    (name,) = variant.sizes
    value = next(iter(found.constants.values()))[name].value
    try:
        return _designed(bench, variant, name, value, sized.seen)
    except RefusalError as error:
        # The records may lean to a sign for which the law has no value when it shows.
        if error.screen != "adequacy":
            raise
    return _designed(bench, variant, name, -value, sized.seen)


def _designed(
    bench: Workbench, variant: Variant, name: str, value: float, seen: Visibility
) -> Sized:
    """The variant with a size that shows, all other constants fitted beside it."""
    for _ in range(_AGAIN):
        value = _enlarged(value, seen, _freedom(bench, variant))
        found = _fitted(bench, variant, {name: value})
        sized = _placed(bench, variant, found, by_design=True)
        seen = sized.seen
        if seen.shows:
            return sized
    return _refuse_hidden(seen)


def _refuse_hidden(seen: Visibility) -> Sized:
    raise RefusalError(
        "visibility",
        f"what it adds is found with power {seen.power:.3g} (noncentrality"
        f" {seen.noncentrality:.3g}), below {POWER:g}",
    )


def _set_by_records(variant: Variant, found: Fit) -> bool:
    """Whether each added size lies well away from zero in the records."""
    first = next(iter(found.constants.values()))
    for name in variant.sizes:
        estimate = first[name]
        if estimate.deviation is None or abs(estimate.value) < SEEN * estimate.deviation:
            return False
    return True


def _enlarged(value: float, seen: Visibility, freedom: int) -> float:
    """A size, to 2 digits, whose increment should show; increments grow with it."""
    aim = MARGIN * needed_noncentrality(freedom)
    factor = math.sqrt(aim / max(seen.noncentrality, aim / 1e4))
    return float(f"{value * max(factor, 1.1):.2g}")


def _freedom(bench: Workbench, variant: Variant) -> int:
    free = sum(c.fixed is None for c in variant.constants)
    return max(1, free - sum(c.fixed is None for c in bench.base.law.constants))


def _fitted(bench: Workbench, variant: Variant, held: Mapping[str, float]) -> Fit:
    constants = [
        c.model_copy(update={"fixed": held[c.name], "starts": ()}) if c.name in held else c
        for c in variant.constants
    ]
    try:
        found = fit_each(variant, constants, bench.base, bench.records, bench.space)
    except (InputError, UndefinedValueError) as error:
        raise RefusalError("adequacy", f"it cannot be fitted: {error}") from error
    if found.r2 < max(0.0, bench.base.fit.r2 - LOSS):
        raise RefusalError(
            "adequacy",
            f"R² {found.r2:.4f} in residual space, that of the base is {bench.base.fit.r2:.4f};"
            f" {LOSS:g} less is allowed",
        )
    return found


def _placed(bench: Workbench, variant: Variant, found: Fit, *, by_design: bool) -> Sized:
    values = {label: found.values(label) for label in found.constants}
    form = HiddenForm(variant.law, values)
    try:
        world, pool = calibrate(bench.plan, form, bench.records, bench.space)
        seen = visibility(world, pool, form, bench.base, _freedom(bench, variant))
    except UndefinedValueError as error:
        raise RefusalError("adequacy", f"no admissible value over the support: {error}") from error
    except InputError as error:
        raise RefusalError("noise", str(error)) from error
    figures = {"r2": _short(found.r2), "r2_base": _short(bench.base.fit.r2)}
    sentence = "it explains the records as its base does, and has a value over the support"
    return Sized(form, world, pool, seen, _passed("adequacy", sentence, figures), by_design)


def _determined(sized: Sized, variant: Variant, shape: Mapping[str, float]) -> WorldCertificate:
    free = [c.name for c in variant.constants if c.fixed is None]
    label = looked_at(sized.world)[0]
    _, points, phi = clean_values(sized.world, sized.form, label)
    space = Space(sized.world.space)
    inputs = {control.name: points[:, i] for i, control in enumerate(sized.world.controls)}
    records = records_of(inputs, space.back(phi))
    ratio = rank_ratio(sized.form.law, free, dict(sized.form.constants[label]), records, space)
    if ratio < LEAST_RANK:
        raise RefusalError("integrity", f"constants cannot be told apart: rank ratio {ratio:.2g}")
    return _passed(
        "integrity",
        "it is small, has no table of cases, keeps the controls, and its constants are determined",
        {**shape, "rank_ratio": _short(ratio)},
    )


def _visible(sized: Sized) -> WorldCertificate:
    origin = "set by design so that it shows" if sized.by_design else "fitted to the records"
    return _passed(
        "visibility",
        f"the size of what was added is {origin}; the budget finds it with power"
        f" >= {POWER:g} at level {ALPHA:g}",
        {
            "power": _short(sized.seen.power),
            "noncentrality": _short(sized.seen.noncentrality),
            "increment": _short(sized.seen.increment),
            "noise": _short(sized.seen.noise),
            "rows": float(sized.world.limits.rows),
            "by_design": float(sized.by_design),
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
    return _passed(
        "noise",
        "the law explains at least nine tenths of every group's variance in residual space",
        {"r2": _short(min(shares)), "least_factor": _short(min(factors))},
    )


def _passed(name: Screen, sentence: str, figures: dict[str, float]) -> WorldCertificate:
    return WorldCertificate(name=name, passed=True, sentence=sentence, figures=figures)


def _short(value: float) -> float:
    return float(f"{value:.9g}")


__all__ = ("RefusalError", "Survivor", "Workbench", "refused")
