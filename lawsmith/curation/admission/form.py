"""Gates on the form of a card: anchors in range, names, executability, units, dimensions."""

from collections.abc import Iterator

import numpy as np

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.admission.numbers import anchors_of
from lawsmith.curation.evidence import Reason, span_problem
from lawsmith.errors import (
    CoherenceError,
    DimensionError,
    InputError,
    UndefinedValueError,
    UnitError,
)
from lawsmith.expressions import (
    check_dimensions,
    check_scales,
    dimension_of,
    evaluate,
    unit_coherent,
)
from lawsmith.measurement import DesignError, Points, columns, dense_design
from lawsmith.units import parse_unit
from schemas.card import Card
from schemas.expression import Expression, Op, names_of
from schemas.source import ReasonCode

COHERENCE_POINTS = 256


def packet_gate(bench: Bench) -> Iterator[Reason]:
    """The card was made from exactly this packet."""
    card, packet = bench.card, bench.packet
    if (card.packet_id, card.packet_sha256) != (packet.id, packet.text_sha256):
        yield Reason(
            ReasonCode.PACKET_CHANGED,
            "/packet_sha256",
            f"the card is of packet {card.packet_id!r}, not {packet.id!r}",
        )


def anchors_gate(bench: Bench) -> Iterator[Reason]:
    """Every fact has an anchor into this packet, with lines that exist."""
    for path, anchors in anchors_of(bench):
        silent = path == "/sampling_anchors" and bench.card.sampling == "unstated"
        if not anchors and not silent:
            yield Reason(ReasonCode.ANCHOR_INVALID, path, "the fact has no anchor")
        for i, anchor in enumerate(anchors):
            problem = span_problem(anchor.first_line, anchor.last_line, bench.packet)
            if anchor.packet_sha256 != bench.packet.text_sha256:
                problem = f"the anchor is of another packet, {anchor.packet_sha256[:12]}"
            if problem is not None:
                yield Reason(ReasonCode.ANCHOR_INVALID, f"{path}/{i}", problem)


def declared_gate(bench: Bench) -> Iterator[Reason]:
    """Names that formulas use are declared, in order, and where they may stand."""
    card = bench.card
    controls = {control.name for control in card.controls}
    parameters = {parameter.name for parameter in card.parameters}
    readouts = {readout.name for readout in card.readouts}
    known = controls | parameters
    for i, definition in enumerate(card.definitions):
        yield from _undeclared(f"/definitions/{i}/expression", definition.expression, known)
        known = known | {definition.name}
    for i, relation in enumerate(card.relations):
        yield from _undeclared(f"/relations/{i}/expression", relation.expression, known)
        if relation.readout not in readouts:
            yield Reason(
                ReasonCode.UNDECLARED_NAME,
                f"/relations/{i}/readout",
                f"{relation.readout!r} is no declared readout",
            )
    for i, constraint in enumerate(card.constraints):
        yield from _undeclared(f"/constraints/{i}/expression", constraint.expression, known)
    for i, identity in enumerate(card.consistency):
        for side, expression in (("left", identity.left), ("right", identity.right)):
            yield from _undeclared(f"/consistency/{i}/{side}", expression, known | readouts)
    for i, parameter in enumerate(card.parameters):
        if parameter.derivation is not None:
            others = parameters - {parameter.name}
            yield from _undeclared(f"/parameters/{i}/derivation", parameter.derivation, others)
    yield from _undeclared_in_claims(card, controls, parameters, readouts)


def _undeclared_in_claims(
    card: Card, controls: set[str], parameters: set[str], readouts: set[str]
) -> Iterator[Reason]:
    """Names of necessary properties and worked values, and names given twice in a setting."""
    for i, item in enumerate(card.necessary):
        yield from _unknown(f"/necessary/{i}/readout", item.readout, readouts)
        if item.control is not None:
            yield from _unknown(f"/necessary/{i}/control", item.control, controls)
    for i, worked in enumerate(card.worked_values):
        yield from _unknown(f"/worked_values/{i}/readout", worked.readout, readouts)
        left = controls | parameters
        for j, part in enumerate(worked.setting):
            yield from _unknown(f"/worked_values/{i}/setting/{j}/name", part.name, left)
            left = left - {part.name}


def _unknown(path: str, name: str, known: set[str]) -> Iterator[Reason]:
    if name not in known:
        yield Reason(
            ReasonCode.UNDECLARED_NAME,
            path,
            f"{name!r} is not one of {', '.join(sorted(known)) or 'no name'}",
        )


def _undeclared(path: str, expression: Expression, known: set[str]) -> Iterator[Reason]:
    for name in sorted(names_of(expression) - known):
        yield Reason(
            ReasonCode.UNDECLARED_NAME,
            path,
            f"{name!r} is not declared; here may stand {', '.join(sorted(known)) or 'no name'}",
        )


def used_gate(bench: Bench) -> Iterator[Reason]:
    """Names that are declared are used by a relation or a joint condition."""
    card = bench.card
    roots = [relation.expression for relation in card.relations]
    roots += [constraint.expression for constraint in card.constraints]
    used = bench.used(*roots)
    for table in ("definitions", "parameters", "controls"):
        for i, part in enumerate(getattr(card, table)):
            if part.name not in used and not getattr(part, "inert", False):
                yield Reason(
                    ReasonCode.UNUSED_NAME,
                    f"/{table}/{i}/name",
                    f"{part.name!r} stands in no relation or constraint",
                )


def executable_gate(bench: Bench) -> Iterator[Reason]:
    """Each readout has exactly one relation, and one that may be executed."""
    card = bench.card
    for i, relation in enumerate(card.relations):
        if relation.status in ("proportionality", "qualitative"):
            yield Reason(
                ReasonCode.NOT_EXECUTABLE,
                f"/relations/{i}/status",
                f"a relation of status {relation.status!r} gives no values",
            )
    counts = {readout.name: 0 for readout in card.readouts}
    for relation in card.relations:
        if relation.readout in counts:
            counts[relation.readout] += 1
    for i, readout in enumerate(card.readouts):
        if counts[readout.name] != 1:
            yield Reason(
                ReasonCode.NOT_EXECUTABLE,
                f"/readouts/{i}/name",
                f"{readout.name!r} has {counts[readout.name]} relations; one is due",
            )
    try:
        _ = bench.laws, bench.constraints
    except InputError as error:
        yield Reason(ReasonCode.NOT_EXECUTABLE, "/relations", error.problem)


def units_gate(bench: Bench) -> Iterator[Reason]:
    """Every unit is in the closed table."""
    for table in ("controls", "readouts", "parameters", "definitions", "worked_values"):
        for i, part in enumerate(getattr(bench.card, table)):
            yield from _unreadable(f"/{table}/{i}/unit", part.unit)
    for i, worked in enumerate(bench.card.worked_values):
        for j, setting in enumerate(worked.setting):
            yield from _unreadable(f"/worked_values/{i}/setting/{j}/unit", setting.unit)


def _unreadable(path: str, unit: str) -> Iterator[Reason]:
    try:
        parse_unit(unit)
    except UnitError as error:
        yield Reason(ReasonCode.UNKNOWN_UNIT, path, str(error))


def dimensions_gate(bench: Bench) -> Iterator[Reason]:
    """Dimensions agree term by term, and each formula's is that of its unit."""
    card, units = bench.card, bench.units
    for i, definition in enumerate(card.definitions):
        path = f"/definitions/{i}/expression"
        yield from _dimension(path, definition.expression, units, definition.unit)
    for i, relation in enumerate(card.relations):
        path = f"/relations/{i}/expression"
        yield from _dimension(path, relation.expression, units, units[relation.readout])
    for i, parameter in enumerate(card.parameters):
        if parameter.derivation is not None:
            path = f"/parameters/{i}/derivation"
            yield from _dimension(path, parameter.derivation, units, parameter.unit)
    for i, constraint in enumerate(card.constraints):
        yield from _dimension(f"/constraints/{i}/expression", constraint.expression, units, None)
    for i, identity in enumerate(card.consistency):
        try:
            left, right = (dimension_of(side, units) for side in (identity.left, identity.right))
        except DimensionError as error:
            yield Reason(ReasonCode.DIMENSION_MISMATCH, f"/consistency/{i}", str(error))
            continue
        if left.compared != right.compared:
            yield Reason(
                ReasonCode.DIMENSION_MISMATCH, f"/consistency/{i}", f"left is {left}, right {right}"
            )


def _dimension(
    path: str, expression: Expression, units: dict[str, str], expected: str | None
) -> Iterator[Reason]:
    try:
        if expected is None:
            dimension_of(expression, units)
        else:
            check_dimensions(expression, units, expected)
    except DimensionError as error:
        node = path if error.path == "/" else f"{path}{error.path}"
        fix = f"; {error.fix}" if error.fix else ""
        yield Reason(ReasonCode.DIMENSION_MISMATCH, node, f"{error.problem}{fix}")


def coherence_gate(bench: Bench) -> Iterator[Reason]:
    """Each formula closes in units at every node, and has the same value in SI base units."""
    card = bench.card
    try:
        points = dense_design(card.controls, bench.constraints, COHERENCE_POINTS)
    except DesignError as error:
        yield Reason(error.reason_code, "/controls", error.problem)
        return
    inputs = {**columns(card.controls, points), **_constants(bench, len(points))}
    for i, definition in enumerate(card.definitions):
        law = definition.expression
        yield from _coherent(f"/definitions/{i}/expression", bench, law, definition.unit, inputs)
        try:
            value = np.asarray(evaluate(law, inputs))
        except UndefinedValueError:
            # Where the law has no value is the finding of the domain gate.
            return
        inputs[definition.name] = np.broadcast_to(value, len(points))
    for i, relation in enumerate(card.relations):
        law, unit = relation.expression, bench.units[relation.readout]
        yield from _coherent(f"/relations/{i}/expression", bench, law, unit, inputs)
    for i, parameter in enumerate(card.parameters):
        if parameter.derivation is not None:
            path = f"/parameters/{i}/derivation"
            yield from _coherent(path, bench, parameter.derivation, parameter.unit, inputs)
    yield from _conditions_close(bench, inputs)


def _conditions_close(bench: Bench, inputs: dict[str, Points]) -> Iterator[Reason]:
    """Joint conditions and identities mean the same in every system of units."""
    card = bench.card
    conditions = {
        f"/constraints/{i}/expression": c.expression for i, c in enumerate(card.constraints)
    }
    for i, identity in enumerate(card.consistency):
        conditions[f"/consistency/{i}"] = Op("sub", (identity.left, identity.right))
    try:
        known = inputs | {
            relation.readout: np.asarray(evaluate(relation.expression, inputs))
            for relation in card.relations
        }
        for path, condition in conditions.items():
            try:
                check_scales(condition, bench.units, None, known)
            except CoherenceError as error:
                yield _clash(path, error)
    except UndefinedValueError:
        # Where the law has no value is the finding of the domain gate.
        return


def _constants(bench: Bench, count: int) -> dict[str, Points]:
    return {name: np.full(count, value) for name, value in bench.values.items()}


def _coherent(
    path: str, bench: Bench, law: Expression, unit: str, inputs: dict[str, Points]
) -> Iterator[Reason]:
    try:
        found = unit_coherent(law, bench.units, unit, inputs)
    except UndefinedValueError:
        # Where the law has no value is the finding of the domain gate.
        return
    if found.clash is not None:
        yield _clash(path, found.clash)
    elif not found:
        yield Reason(
            ReasonCode.UNIT_INCOHERENT,
            path,
            f"in SI base units the value differs by {found.worst:.3g} relative at {found.inputs};"
            " a conversion factor is missing or a unit is wrong",
        )


def _clash(path: str, error: CoherenceError) -> Reason:
    where = "" if error.path == "/" else f"at {error.path}: "
    fix = f"; {error.fix}" if error.fix else ""
    return Reason(ReasonCode.UNIT_INCOHERENT, path, f"{where}{error.problem}{fix}")


__all__ = (
    "anchors_gate",
    "coherence_gate",
    "declared_gate",
    "dimensions_gate",
    "executable_gate",
    "packet_gate",
    "units_gate",
    "used_gate",
)
