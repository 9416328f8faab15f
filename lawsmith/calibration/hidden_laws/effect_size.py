"""Values of a variant's constants: those of the records, or a size by design that shows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.calibration.fitting import Fit
from lawsmith.calibration.hidden_laws.context import RefusalError, Workbench, passed, short
from lawsmith.calibration.hidden_laws.variant_fits import fit_each, fit_inside
from lawsmith.calibration.hidden_laws.variants import Variant, representative
from lawsmith.calibration.hidden_laws.visibility import (
    POWER,
    Visibility,
    needed_noncentrality,
    visibility,
)
from lawsmith.calibration.residuals import variance
from lawsmith.calibration.worlds import HiddenForm, Pool, calibrate
from lawsmith.errors import InputError, UndefinedValueError
from schemas.calibrated_task import WorldCertificate
from schemas.problem import Constant
from schemas.world import CalibratedWorld

LOSS: Final = 0.05
"""How much less of the records' variance a hidden law may explain than its base."""
SEEN: Final = 2.0
"""Deviations from zero below which the records do not set the size of what was added."""
FEW_GROUPS: Final = 4
"""Of more groups, the one with the most records is looked at before all are fitted."""
MARGIN: Final = 2.0
"""How far above the needed noncentrality a size set by design is aimed."""
_AGAIN: Final = 4


@dataclass(frozen=True, slots=True)
class Sized:
    """A variant whose constants have values, in its world."""

    form: HiddenForm
    world: CalibratedWorld
    pool: Pool
    seen: Visibility
    adequacy: WorldCertificate
    by_design: bool


def sized(bench: Workbench, variant: Variant) -> Sized:
    """The variant with the constants of the records, or with a size that shows.

    Raises:
        RefusalError: it cannot be fitted, has no value somewhere, or nothing makes it show.
    """
    found = _fitted(bench, variant, {})
    one = _placed(bench, variant, found, by_design=False)
    if _set_by_records(variant, found) and one.seen.shows:
        return one
    if len(variant.sizes) != 1:
        _refuse_hidden(one.seen)
    (name,) = variant.sizes
    value = next(iter(found.constants.values()))[name].value
    try:
        return _designed(bench, variant, name, value, one.seen)
    except RefusalError as error:
        # The records may lean to a sign for which the law has no value when it shows.
        if error.screen != "adequacy":
            raise
    return _designed(bench, variant, name, -value, one.seen)


def _designed(
    bench: Workbench, variant: Variant, name: str, value: float, seen: Visibility
) -> Sized:
    """The variant with a size that shows, all other constants fitted beside it."""
    for _ in range(_AGAIN):
        value = _enlarged(value, seen, _freedom(bench, variant))
        found = _fitted(bench, variant, {name: value})
        one = _placed(bench, variant, found, by_design=True)
        seen = one.seen
        if seen.shows:
            return one
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
    _check_one_group(bench, variant, constants)
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


def _check_one_group(bench: Workbench, variant: Variant, constants: Sequence[Constant]) -> None:
    """What fails in the group with the most records is not fitted to all of many groups."""
    groups = bench.records.group_rows()
    if len(groups) <= FEW_GROUPS:
        return
    label = representative(bench.records)
    rows = groups[label]
    observed = bench.space.of_records(bench.records.target[rows])
    before = 1 - float((bench.base.fit.residuals[rows] ** 2).mean()) / variance(observed)
    own = [c.model_copy(update={"scope": "shared", "starts": c.starts[:2]}) for c in constants]
    try:
        found = fit_inside(variant.law, own, bench.records.take(rows), bench.space)
    except (InputError, UndefinedValueError) as error:
        raise RefusalError("adequacy", f"it cannot be fitted to {label!r}: {error}") from error
    if found.r2 < before - 2 * LOSS:
        raise RefusalError(
            "adequacy",
            f"R² {found.r2:.4f} in group {label!r}, that of the base is {before:.4f};"
            f" {2 * LOSS:g} less is allowed",
        )


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
    figures = {"r2": short(found.r2), "r2_base": short(bench.base.fit.r2)}
    sentence = "it explains the records as its base does, and has a value over the support"
    return Sized(form, world, pool, seen, passed("adequacy", sentence, figures), by_design)


__all__ = ("LOSS", "MARGIN", "SEEN", "Sized", "sized")
