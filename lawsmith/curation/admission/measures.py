"""Gates on values with units: units, assigned values, ranges and resolutions as printed."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.evidence import (
    Reason,
    assignments,
    atoms_of,
    holds_quantity,
    is_printed,
    known_unit,
    numbers_in,
    quantities_in,
    quantity_text,
    ranges_in,
    same_unit,
    spellings,
    units_in,
)
from lawsmith.expressions import number_text
from schemas.card import Anchors, Control, Parameter, Range
from schemas.source import ReasonCode

_RESOLUTION: Final = re.compile(
    r"resol|\bsteps?\b|smallest|precis|\breads? (?:in|to|out)\b|increment|least|digit|sensitiv"
    r"|granular|discret"
    r"|round|grid|nearest|quanti[sz]",
    re.IGNORECASE,
)
_ERROR: Final = re.compile(
    r"±|\\pm|\+/-|error|uncertain|accura|deviation|precis|confidence|toleran|repeatab|reproducib"
    r"|scatter|spread|within",
    re.IGNORECASE,
)


def printed_units_gate(bench: Bench) -> Iterator[Reason]:
    """Each unit is printed in the lines of its fact, and beside the value where one is."""
    card = bench.card
    for i, readout in enumerate(card.readouts):
        yield from _unit(bench, f"/readouts/{i}/unit", readout.unit, (), readout.anchors)
    for i, control in enumerate(card.controls):
        yield from _unit(
            bench, f"/controls/{i}/unit", control.unit, _ends(control), control.anchors
        )
    for i, parameter in enumerate(card.parameters):
        if parameter.derivation is None and parameter.universal_constant is None:
            path, value = f"/parameters/{i}/unit", (parameter.value,)
            yield from _unit(bench, path, parameter.unit, value, parameter.anchors)


def _ends(control: Control) -> tuple[float, ...]:
    domain = control.domain
    return (domain.low, domain.high) if isinstance(domain, Range) else domain.choices


def _unit(
    bench: Bench, path: str, unit: str, values: tuple[float, ...], anchors: Anchors
) -> Iterator[Reason]:
    known = known_unit(unit)
    if known is None:
        return
    text = quantity_text(bench.anchored(anchors))
    wrong = [other for value in values if (other := _printed_otherwise(value, unit, text))]
    if wrong:
        yield Reason(
            ReasonCode.UNIT_NOT_ANCHORED, path, f"unit {unit!r}, but the lines print {wrong[0]!r}"
        )
    elif (
        not known.dimension.is_pure and not _is_named(unit, text) and not _bare(path, values, text)
    ):
        yield Reason(
            ReasonCode.UNIT_NOT_ANCHORED, path, f"unit {unit!r} is not printed in the lines"
        )


def _bare(path: str, values: tuple[float, ...], text: str) -> bool:
    """Whether a constant is printed without a unit: it has the one that the formula leaves.

    That it does come out of the formula, scale and all, is for the gates on dimensions.
    """
    if not path.startswith("/parameters"):
        return False
    wanted = {abs(Decimal(repr(value))) for value in values}
    return any(
        printed is None and wanted & {abs(reading) for reading in readings}
        for readings, printed in quantities_in(text)
    )


def _printed_otherwise(value: float, unit: str, text: str) -> str | None:
    """The unit that the text prints behind a value, if it never prints it with this one."""
    other: str | None = None
    exact = abs(Decimal(repr(value)))
    for readings, printed in quantities_in(text):
        if printed is None:
            if exact in {abs(reading) for reading in readings}:
                return None
        elif holds_quantity(abs(value), unit, [abs(reading) for reading in readings], printed):
            return None
        elif exact in {abs(reading) for reading in readings}:
            other = printed
    return other


def _is_named(unit: str, text: str) -> bool:
    printed = units_in(text)
    if any(same_unit(unit, one) for one in printed):
        return True
    atoms = [atom for one in printed for atom in atoms_of(one)]
    return all(any(same_unit(atom, one) for one in atoms) for atom in atoms_of(unit))


def assigned_gate(bench: Bench) -> Iterator[Reason]:
    """Where lines give a symbol a number, it is the value of the parameter of that symbol."""
    for i, parameter in enumerate(bench.card.parameters):
        if parameter.derivation is None and parameter.universal_constant is None:
            yield from _assigned(bench, f"/parameters/{i}", parameter)
            yield from _of_another(bench, f"/parameters/{i}", parameter)


def _assigned(bench: Bench, path: str, parameter: Parameter) -> Iterator[Reason]:
    text = bench.anchored(parameter.anchors)
    given = assignments(text, spellings(parameter))
    if not given:
        return
    exact = Decimal(repr(parameter.value))
    fitting = [one for one in given if exact in one.values]
    printed = quantities_in(quantity_text(text))
    if not fitting and not any(
        unit is not None and holds_quantity(parameter.value, parameter.unit, values, unit)
        for values, unit in printed
        if any(values <= one.values for one in given)
    ):
        shown = ", ".join(sorted({str(v) for one in given for v in one.values}))
        yield Reason(
            ReasonCode.VALUE_MISMATCH,
            f"{path}/value",
            f"{number_text(parameter.value)}, but its lines give {parameter.symbol} as {shown}",
        )
    errors = {error for one in fitting for error in one.errors}
    if parameter.uncertainty is None or not errors:
        return
    stated = Decimal(repr(parameter.uncertainty))
    shares = {abs(exact) * error for error in errors} | {abs(exact) * e / 100 for e in errors}
    if stated not in errors | shares:
        yield Reason(
            ReasonCode.VALUE_MISMATCH,
            f"{path}/uncertainty",
            f"{number_text(parameter.uncertainty)}, but its lines print ± {min(errors)}",
        )


def _of_another(bench: Bench, path: str, parameter: Parameter) -> Iterator[Reason]:
    """The lines give the value to the symbol of another parameter, and nothing to this one."""
    text, exact = bench.anchored(parameter.anchors), Decimal(repr(parameter.value))
    own = spellings(parameter)
    if assignments(text, own):
        return
    for other in bench.card.parameters:
        theirs = tuple(s for s in spellings(other) if s not in own)
        if other.name != parameter.name and any(
            exact in one.values for one in assignments(text, theirs)
        ):
            yield Reason(
                ReasonCode.VALUE_MISMATCH,
                f"{path}/value",
                f"its lines give {number_text(parameter.value)} to {other.symbol},"
                f" not to {parameter.symbol}",
            )
            return


def printed_ranges_gate(bench: Bench) -> Iterator[Reason]:
    """Where the lines of a control print ranges, its two ends are those of one of them."""
    for i, control in enumerate(bench.card.controls):
        domain = control.domain
        if not isinstance(domain, Range):
            continue
        printed = ranges_in(quantity_text(bench.anchored(control.anchors)))
        others = {s for c in bench.card.controls if c is not control for s in spellings(c)}
        if printed and not any(
            _is_end(domain.low, control.unit, one.low, one.unit)
            and _is_end(domain.high, control.unit, one.high, one.unit)
            and not (one.lead & others and not one.lead & set(spellings(control)))
            for one in printed
        ):
            shown = f"{number_text(domain.low)} to {number_text(domain.high)} {control.unit}"
            yield Reason(
                ReasonCode.RANGE_NOT_ANCHORED,
                f"/controls/{i}/domain",
                f"{shown} is none of the ranges that its lines print for it",
            )


def _is_end(value: float, unit: str, printed: frozenset[Decimal], printed_unit: str | None) -> bool:
    if printed_unit is None:
        return Decimal(repr(value)) in printed
    return holds_quantity(value, unit, printed, printed_unit)


def constant_gate(bench: Bench) -> Iterator[Reason]:
    """A quantity that the packet gives one value with an error is no control."""
    card, whole = bench.card, quantity_text(bench.packet.text)
    for i, control in enumerate(card.controls):
        given = assignments(whole, spellings(control))
        own = quantity_text(bench.anchored(control.anchors))
        alone = assignments(own, spellings(control)) and not ranges_in(own)
        fixed = isinstance(control.domain, Range) and bool(alone)
        if any(one.errors for one in given) or fixed:
            shown = ", ".join(sorted({str(v) for one in given for v in one.values})[:3])
            yield Reason(
                ReasonCode.NOT_A_CONTROL,
                f"/controls/{i}",
                f"the paper gives {control.symbol} the value {shown} and sets no range of it",
            )


def precision_gate(bench: Bench) -> Iterator[Reason]:
    """A resolution or an error of a readout is printed as such, and not only as a number."""
    for i, readout in enumerate(bench.card.readouts):
        sentences = re.split(r"(?<=[.;])\s", bench.anchored(readout.anchors))
        for name, words in (("resolution", _RESOLUTION), ("uncertainty", _ERROR)):
            value: float | None = getattr(readout, name)
            if value is not None and not any(
                words.search(sentence) and is_printed(value, numbers_in([sentence]))
                for sentence in sentences
            ):
                yield Reason(
                    ReasonCode.VALUE_MISMATCH,
                    f"/readouts/{i}/{name}",
                    f"its lines print the number, but not as a {name}",
                )


__all__ = (
    "assigned_gate",
    "constant_gate",
    "precision_gate",
    "printed_ranges_gate",
    "printed_units_gate",
)
