"""The number gate: every number of a card is printed in the lines that the card anchors it to.

Exempt in formulas are the literals 0, 1, 2 and 1/2 with either sign: they are structure
(reciprocals, squares, roots written as powers), not findings. Signs of literals are not
compared, because a printed minus may become an operator; signs of values are.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.evidence import Reason, is_printed, numeral_readings, unprinted_in_sentence
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import evaluate, number_text
from schemas.card import Anchors, Choices, Control, Necessary, Parameter, Readout
from schemas.expression import Expression, walk
from schemas.source import ReasonCode

STRUCTURAL: Final = frozenset({0.0, 0.5, 1.0, 2.0})


def numbers_gate(bench: Bench) -> Iterator[Reason]:
    """Numbers of formulas, parameters, domains, readouts and prose against anchored lines."""
    card = bench.card
    for i, relation in enumerate(card.relations):
        path = f"/relations/{i}/expression"
        yield from _literals(bench, path, relation.expression, relation.anchors)
    for i, definition in enumerate(card.definitions):
        path = f"/definitions/{i}/expression"
        yield from _literals(bench, path, definition.expression, definition.anchors)
    for i, constraint in enumerate(card.constraints):
        path = f"/constraints/{i}/expression"
        yield from _literals(bench, path, constraint.expression, constraint.anchors)
    for i, identity in enumerate(card.consistency):
        for side in ("left", "right"):
            expression = identity.left if side == "left" else identity.right
            path = f"/consistency/{i}/{side}"
            yield from _literals(bench, path, expression, identity.anchors)
    for i, parameter in enumerate(card.parameters):
        yield from _parameter(bench, f"/parameters/{i}", parameter)
    for i, control in enumerate(card.controls):
        yield from _control(bench, f"/controls/{i}", control)
    for i, readout in enumerate(card.readouts):
        yield from _readout(bench, f"/readouts/{i}", readout)
    yield from _claims(bench)
    yield from _prose(bench)


def _claims(bench: Bench) -> Iterator[Reason]:
    """Numbers of necessary properties, printed tuples and worked values."""
    card = bench.card
    for i, item in enumerate(card.necessary):
        yield from _necessary(bench, f"/necessary/{i}", item)
    for i, choice in enumerate(card.joint_choices):
        numbers = [(f"/values/{j}", value) for j, value in enumerate(choice.values)]
        yield from _stated(bench, f"/joint_choices/{i}", numbers, choice.anchors)
    for i, worked in enumerate(card.worked_values):
        numbers = [(f"/setting/{j}/value", part.value) for j, part in enumerate(worked.setting)]
        numbers.append(("/value", worked.value))
        if worked.uncertainty is not None:
            numbers.append(("/uncertainty", worked.uncertainty))
        yield from _stated(bench, f"/worked_values/{i}", numbers, worked.anchors)


def derivation_gate(bench: Bench) -> Iterator[Reason]:
    """A derived value is what its derivation gives, within the rounding of its last digit."""
    for i, parameter in enumerate(bench.card.parameters):
        if parameter.derivation is None:
            continue
        path = f"/parameters/{i}/derivation"
        yield from _literals(bench, path, parameter.derivation, parameter.anchors)
        try:
            found = float(evaluate(parameter.derivation, bench.values))
        except (InputError, UndefinedValueError) as error:
            yield Reason(ReasonCode.DERIVATION_MISMATCH, path, f"cannot be computed: {error}")
            continue
        if abs(found - parameter.value) > _half_last_digit(parameter.value):
            yield Reason(
                ReasonCode.DERIVATION_MISMATCH,
                path,
                f"gives {found!r}, not {parameter.value!r} to its last digit",
            )


def _half_last_digit(value: float) -> float:
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    last = float(Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0))
    return 0.5 * min(last, 1.0) * (1 + 1e-9)


def _literals(
    bench: Bench, path: str, expression: Expression, anchors: Anchors
) -> Iterator[Reason]:
    printed = bench.printed(anchors)
    for where, node in walk(expression, path):
        if not isinstance(node, float) or abs(node) in STRUCTURAL:
            continue
        if not is_printed(node, printed, signed=False):
            yield _missing(bench, where, node, anchors)


def _parameter(bench: Bench, path: str, parameter: Parameter) -> Iterator[Reason]:
    printed = bench.printed(parameter.anchors)
    stated = parameter.derivation is None and parameter.universal_constant is None
    if stated and not is_printed(parameter.value, printed):
        yield _missing(bench, f"{path}/value", parameter.value, parameter.anchors)
    if parameter.uncertainty is not None and not _uncertain(
        parameter.uncertainty, parameter.value, printed
    ):
        yield _missing(bench, f"{path}/uncertainty", parameter.uncertainty, parameter.anchors)


def _uncertain(uncertainty: float, value: float, printed: Sequence[Decimal]) -> bool:
    """Printed as such, or as a percentage of the value."""
    if is_printed(uncertainty, printed):
        return True
    return value != 0 and is_printed(float(f"{uncertainty / abs(value):.6g}"), printed)


def _control(bench: Bench, path: str, control: Control) -> Iterator[Reason]:
    if isinstance(control.domain, Choices):
        numbers = [
            (f"/domain/choices/{i}", value) for i, value in enumerate(control.domain.choices)
        ]
    else:
        numbers = [("/domain/low", control.domain.low), ("/domain/high", control.domain.high)]
    yield from _stated(bench, path, numbers, control.anchors)


def _readout(bench: Bench, path: str, readout: Readout) -> Iterator[Reason]:
    printed = bench.printed(readout.anchors)
    for name in ("resolution", "uncertainty"):
        value: float | None = getattr(readout, name)
        if value is not None and not is_printed(value, printed):
            yield _missing(bench, f"{path}/{name}", value, readout.anchors)


def _necessary(bench: Bench, path: str, item: Necessary) -> Iterator[Reason]:
    """Numbers of what is necessary; 0 and 1 may stand behind words (never negative, a share)."""
    numbers = [
        (f"/{name}", value)
        for name in ("at", "value", "low", "high")
        if (value := getattr(item, name)) is not None and value not in (0.0, 1.0)
    ]
    yield from _stated(bench, path, numbers, item.anchors)


def _stated(
    bench: Bench, path: str, numbers: Sequence[tuple[str, float]], anchors: Anchors
) -> Iterator[Reason]:
    printed = bench.printed(anchors)
    for where, value in numbers:
        if not is_printed(value, printed):
            yield _missing(bench, f"{path}{where}", value, anchors)


def _prose(bench: Bench) -> Iterator[Reason]:
    for path, text, anchors in prose_of(bench):
        for numeral in unprinted_in_sentence(text, bench.printed(anchors)):
            yield Reason(
                ReasonCode.NUMBER_NOT_ANCHORED,
                path,
                f"{numeral} of the sentence is not printed in {_lines(anchors)}"
                f"{bench.doubt(numeral_readings(numeral), anchors)}",
            )


def prose_of(bench: Bench) -> Iterator[tuple[str, str, Anchors]]:
    """Every released sentence of a card with its path and anchors, supports included."""
    card = bench.card
    for table, attribute in (
        ("controls", "meaning"),
        ("readouts", "definition"),
        ("parameters", "meaning"),
        ("definitions", "meaning"),
        ("constraints", "meaning"),
    ):
        for i, part in enumerate(getattr(card, table)):
            yield f"/{table}/{i}/{attribute}", getattr(part, attribute), part.anchors
    for table in STATEMENT_TABLES:
        for i, part in enumerate(getattr(card, table)):
            yield f"/{table}/{i}/statement", part.statement, part.anchors
    for path, anchors in anchors_of(bench):
        for i, anchor in enumerate(anchors):
            yield f"{path}/{i}/support", anchor.support, (anchor,)


STATEMENT_TABLES: Final = (
    *("fixed_conditions", "mechanisms", "applicability", "limitations"),
    *("aggregation", "sample_size", "claim_dependencies"),
)
_ANCHORED_TABLES: Final = (
    *("relations", "definitions", "consistency", "controls", "readouts", "parameters"),
    *("constraints", "joint_choices", "necessary", "worked_values", *STATEMENT_TABLES),
)


def anchors_of(bench: Bench) -> Iterator[tuple[str, Anchors]]:
    """Every list of anchors of a card with its path."""
    for table in _ANCHORED_TABLES:
        for i, part in enumerate(getattr(bench.card, table)):
            yield f"/{table}/{i}/anchors", part.anchors
    yield "/sampling_anchors", bench.card.sampling_anchors


def _lines(anchors: Anchors) -> str:
    spans = [f"{a.first_line}-{a.last_line}" for a in anchors]
    return f"its lines {', '.join(spans)}" if spans else "any anchored line, as there is none"


def _missing(bench: Bench, path: str, value: float, anchors: Anchors) -> Reason:
    doubt = bench.doubt([Decimal(repr(value))], anchors)
    return Reason(
        ReasonCode.NUMBER_NOT_ANCHORED,
        path,
        f"{number_text(value)} is not printed in {_lines(anchors)}{doubt}",
    )


__all__ = (
    "STATEMENT_TABLES",
    "STRUCTURAL",
    "anchors_of",
    "derivation_gate",
    "numbers_gate",
    "prose_of",
)
