"""Whether a hidden law is new: no reference law of the problem can be made of it by constants."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from lawsmith.calibration.hidden_laws.context import RefusalError, Workbench, passed, short
from lawsmith.calibration.hidden_laws.effect_size import Sized
from lawsmith.calibration.hidden_laws.law_families import Form, Ground, exactly
from lawsmith.calibration.hidden_laws.variants import Variant
from lawsmith.calibration.hidden_laws.visibility import (
    clean_values,
    distance_from,
    looked_at,
    space_of_world,
)
from lawsmith.calibration.worlds import HiddenForm
from lawsmith.errors import InputError
from lawsmith.expressions.equality import skeleton
from schemas.calibrated_task import WorldCertificate
from schemas.expression import Expression, substitute
from schemas.problem import Constant
from schemas.world import CalibratedWorld

NOVEL: Final = 1e-3
"""Distance from the best refit of a reference law, as a share of the law's deviation."""


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
    figures = {"references": count, "nearest": short(min(nearest, own))}
    return passed("novelty", "no reference law of the problem can be refitted to it", figures)


def check_exactly(bench: Workbench, form: HiddenForm, world: CalibratedWorld) -> None:
    """By algebra: a refit may miss constants that are far from its starts.

    Raises:
        RefusalError: the law has the form of a reference law.
    """
    names = tuple(control.name for control in world.controls)
    labels = looked_at(world)
    label = labels[len(labels) // 2]
    _, points, _ = clean_values(world, form, label)
    ground = Ground(names, {label: points}, space_of_world(world))
    values = form.constants[label]
    hidden = Form(form.law, tuple(values), (), {label: values})
    for law in (bench.base.law, *bench.base.others):
        fixed: dict[str, Expression] = {
            c.name: c.fixed for c in law.constants if c.fixed is not None
        }
        free = {c.name: values.get(c.name, c.starts[0]) for c in law.constants if c.fixed is None}
        family = Form(substitute(law.expression, fixed), tuple(free), (), {label: free})
        if exactly(ground, family, hidden, label) == "equal":
            raise RefusalError("novelty", f"it has the form of {law.id!r}")


__all__ = ("NOVEL", "check_exactly", "check_novelty", "check_skeleton")
