"""Constants of variants from the records: starts are near, because a base law is fitted already."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from lawsmith.calibration.fitting import (
    SCREENING,
    Estimate,
    Fit,
    PublishedBase,
    evaluate_fit,
    fit,
    group_sample,
)
from lawsmith.calibration.hidden_laws.variants import Variant
from lawsmith.calibration.problems import Records, Space
from lawsmith.errors import InputError, UndefinedValueError
from schemas.expression import Expression
from schemas.problem import Constant

MOST_GROUPS: Final = 8
"""Shared constants beside own ones are fitted to at most this many groups, evenly taken."""


def fit_each(
    variant: Variant,
    constants: Sequence[Constant],
    base: PublishedBase,
    records: Records,
    space: Space,
) -> Fit:
    """The fit of a variant, every group from what the base has there.

    Shared constants beside own ones come from at most 8 groups, every (G/8)-th label; each
    group's own ones are then fitted with those held.

    Args:
        variant: the open form.
        constants: its constants, some of them perhaps held.
        base: fitted to the same records.
        records: usable rows.
        space: of the residuals.

    Raises:
        InputError: as `fitting.fit`.
        UndefinedValueError: the law has no value at a record.
    """
    most = 2 if variant.sizes else 1
    few = [c.model_copy(update={"starts": c.starts[:most]}) for c in constants]
    shared = [c.name for c in few if c.scope == "shared" and c.fixed is None]
    local = any(c.scope == "per_group" and c.fixed is None for c in few)
    if not local:
        return fit_inside(variant.law, few, records, space)
    groups = records.group_rows()
    learned: dict[str, Estimate] = {}
    if shared:
        some = group_sample(list(groups), MOST_GROUPS)
        rows = [row for label in some for row in groups[label].tolist()]
        part = records if len(some) == len(groups) else records.take(np.array(sorted(rows)))
        whole = fit_inside(variant.law, few, part, space)
        if part is records:
            return whole
        first = next(iter(whole.constants.values()))
        learned = {name: first[name] for name in shared}
    held = [
        c.model_copy(update={"fixed": learned[c.name].value, "starts": ()})
        if c.name in learned
        else c
        for c in few
    ]
    return _each_group(variant.law, held, base, records, space, learned)


def _each_group(
    law: Expression,
    constants: Sequence[Constant],
    base: PublishedBase,
    records: Records,
    space: Space,
    learned: dict[str, Estimate],
) -> Fit:
    values = {}
    for label, rows in records.group_rows().items():
        before = base.fit.values(label)
        own = [
            c.model_copy(update={"starts": (before.get(c.name, c.starts[0]),)})
            if c.fixed is None
            else c
            for c in constants
        ]
        values[label] = fit_inside(law, own, records.take(rows), space).values(label)
    found = evaluate_fit(law, values, constants, records, space)
    estimates = {label: {**known, **learned} for label, known in found.constants.items()}
    return replace(found, constants=estimates)


def fit_inside(
    law: Expression, constants: Sequence[Constant], records: Records, space: Space
) -> Fit:
    """A fit from the declared starts, by the faster way without bounds where it ends inside them.

    To the tolerance of a screen: candidates are compared by a few digits of what is left.

    Raises:
        InputError: as `fitting.fit`.
        UndefinedValueError: the law has no value at a record.
    """
    opened = [c.model_copy(update={"low": None, "high": None}) for c in constants]
    try:
        found = fit(law, opened, records, space, 1, SCREENING)
    except (InputError, UndefinedValueError):
        return fit(law, constants, records, space, 1, SCREENING)
    for values in found.constants.values():
        for c in constants:
            value = values[c.name].value
            beyond = (c.low is not None and value < c.low) or (
                c.high is not None and value > c.high
            )
            if beyond:
                return fit(law, constants, records, space, 1, SCREENING)
    return found


__all__ = ("MOST_GROUPS", "fit_each", "fit_inside")
