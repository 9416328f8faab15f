"""Background text: what the four tasks of a family say, by template, and the gates on it.

The text defines inputs and outputs and nothing more. The same gates judge the template's own
text and any rephrasing of it: a readout's definition may hold a forbidden word, and then the
family is refused, not the word tolerated.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.curation.evidence import Reason, is_printed, numbers_in, shared_shingle
from lawsmith.expressions import number_text
from schemas.card import Card, Choices, Domain
from schemas.expression import Expression, walk
from schemas.family import RelationSet
from schemas.historical_card import HistoricalCard
from schemas.source import ReasonCode

FUNCTIONAL: Final = re.compile(
    r"\b(?:(?:dis)?proportional\w*|invers\w*|reciprocal\w*|quadratic\w*|cubed|squared"
    r"|squares?(?=[\s-]+(?:of|roots?|laws?|dependence)\b)"
    r"|(?:the|its)\s+squares?(?=\s*(?:and\b|[^\w\s]|$))"
    r"|exponential\w*|logarithm\w*|(?:(?:non|super|sub)-?)?linear\w*|power[- ]laws?"
    r"|to the power|saturat\w*|asymptot\w*|sinusoid\w*|periodic\w*|hyperbol\w*|parabol\w*"
    r"|monoton\w*|scal(?:es|ing)|stretched|decays?|decaying"
    r"|(?:grow|rise|fall|increase|decrease|drop|decline|vary|varie)\w*\s+(?:with|as|like))\b",
    re.IGNORECASE,
)
"""Words on how an output depends on an input. `square` before a noun is a shape or an area."""

_FORMULA: Final = re.compile(
    r"[=∝≈∼^]|\*\*|\\[a-z]+|\b(?:exp|log|ln|sqrt|sin|cos|tan|tanh|sinh|cosh)\s*\(", re.IGNORECASE
)
_SOURCE: Final = re.compile(
    r"\b(?:arxiv|doi)\b|\b10\.\d{4,9}/|\b\d{4}\.\d{4,5}(?:v\d+)?\b"
    r"|\b(?:fig(?:ure|s)?|eq(?:uation|n)?s?|table|section|ref(?:erence)?s?)\b\.?\s*[\[(]?\d"
    r"|\bthis (?:paper|article|work)\b|\bthe (?:paper|article|authors?)\b|\bet al\b",
    re.IGNORECASE,
)
_EPONYM: Final = re.compile(
    r"\b[A-Z][a-z]+(?:[-–][A-Z][a-z]+)*(?:['’]s?)?\s+"
    r"(?:law|equation|relation|formula|model|effect|theorem|rule)\b"
)
JOINT: Final = (
    "Not every combination of inputs can be set: the task lists the joint conditions on them."
)
"""Said where a card has joint conditions; the conditions themselves are a field of the task."""

_COMMON: Final = frozenset({0.0, 0.5, 1.0, 2.0})
_CITED: Final = frozenset({"the", "this", "that", "each", "every", "one", "no", "a", "an"})


@dataclass(frozen=True)
class Input:
    """A control as the text presents it."""

    name: str
    meaning: str
    unit: str
    domain: Domain


@dataclass(frozen=True)
class Output:
    """A readout as the text presents it."""

    name: str
    meaning: str
    unit: str
    resolution: float | None


def background_text(
    card: Card | HistoricalCard,
    *,
    domains: Mapping[str, Domain] | None = None,
    resolutions: Mapping[str, float | None] | None = None,
) -> str:
    """The text of a case: inputs with meaning, unit and range, outputs, what is held fixed.

    Args:
        card: where meanings, units and fixed conditions come from.
        domains: control name -> the domain of the family where it was narrowed.
        resolutions: readout name -> the resolution of the family.
    """
    inputs, outputs = interface_of(card, domains or {}, resolutions or {})
    lines = ["An apparatus takes the inputs below and reports the outputs below.", "", "Inputs:"]
    lines += [f"- `{i.name}`: {_phrase(i.meaning)}. {_range_text(i)}" for i in inputs]
    if card.constraints:
        lines += ["", JOINT]
    lines += ["", "Outputs:"]
    lines += [f"- `{o.name}`: {_phrase(o.meaning)}. {_reading_text(o)}" for o in outputs]
    fixed = _fixed_conditions(card)
    if fixed:
        lines += ["", "Held fixed:", *(f"- {_phrase(sentence)}." for sentence in fixed)]
    return "\n".join(lines) + "\n"


def interface_of(
    card: Card | HistoricalCard,
    domains: Mapping[str, Domain],
    resolutions: Mapping[str, float | None],
) -> tuple[tuple[Input, ...], tuple[Output, ...]]:
    """Inputs and outputs of a card, with the family's domains and resolutions where given."""
    inputs = tuple(
        Input(c.name, c.meaning, c.unit, domains.get(c.name, c.domain)) for c in card.controls
    )
    outputs = tuple(
        Output(r.name, r.definition, r.unit, resolutions.get(r.name, r.resolution))
        for r in card.readouts
    )
    return inputs, outputs


def check_background(
    text: str,
    *,
    inputs: Sequence[Input],
    outputs: Sequence[Output],
    laws: Sequence[RelationSet],
    names: Sequence[str] = (),
    packet_text: str | None = None,
) -> tuple[Reason, ...]:
    """Every reason why a background text may not be shown; none means that it may.

    Args:
        text: the one text of a family's four tasks.
        inputs: the family's controls.
        outputs: the family's readouts.
        laws: both environments' relation sets.
        names: what must not be named: title, authors, discoverer, law, journal, ids, DOI.
        packet_text: the source's text, None where there is no packet.
    """
    bare = _without_units(text, [*(i.unit for i in inputs), *(o.unit for o in outputs)])
    found = [
        *_words(bare),
        *_numbers(bare, inputs, outputs, laws),
        *_named(text, names),
        *_undefined(text, inputs, outputs),
    ]
    run = shared_shingle(text, packet_text) if packet_text is not None else None
    if run is not None:
        found.append(f"it repeats {run!r} of the source")
    return tuple(Reason(ReasonCode.BACKGROUND_LEAKS, "/background", item) for item in found)


def column_text_faults(
    text: str, *, inputs: Sequence[Input], outputs: Sequence[Output], names: Sequence[str]
) -> tuple[str, ...]:
    """Why a text made of the columns of a table may not be shown; none means that it may.

    Unlike a case, columns may be logarithms or squares by definition, so words on how things
    depend are allowed here; the template has none of its own.

    Args:
        text: by template over columns.
        inputs: the controls.
        outputs: the readouts.
        names: what must not be named: title, ids, laws, citations, labels of groups.
    """
    bare = _without_units(text, [*(i.unit for i in inputs), *(o.unit for o in outputs)])
    found = [
        f"{match[0]!r} is {what}"
        for pattern, what in ((_SOURCE, "a pointer to the source"), (_EPONYM, "a law's name"))
        if (match := pattern.search(bare)) is not None and match[0].split()[0].lower() not in _CITED
    ]
    return (*found, *_named(text, names), *_undefined(text, inputs, outputs))


def _words(bare: str) -> Iterator[str]:
    for pattern, what in (
        (FUNCTIONAL, "a word on how an output depends on an input"),
        (_FORMULA, "a piece of a formula"),
        (_SOURCE, "a pointer to the source"),
        (_EPONYM, "the name of a law"),
    ):
        for match in pattern.finditer(bare):
            if pattern is _EPONYM and match[0].split()[0].lower() in _CITED:
                continue
            yield f"{match[0]!r} is {what}"
            break


def _numbers(
    bare: str, inputs: Sequence[Input], outputs: Sequence[Output], laws: Sequence[RelationSet]
) -> Iterator[str]:
    due = {abs(value) for i in inputs for value in _ends(i.domain)}
    due |= {o.resolution for o in outputs if o.resolution is not None}
    printed = numbers_in([bare])
    for value in sorted(_constants(laws) - due - _COMMON):
        if is_printed(value, printed, signed=False):
            yield f"{number_text(value)} is a number of the law"


def _constants(laws: Sequence[RelationSet]) -> set[float]:
    found: set[float] = set()
    for law in laws:
        found |= {abs(parameter.value) for parameter in law.parameters}
        expressions: list[Expression] = [part.expression for part in law.definitions]
        expressions += [relation.expression for relation in law.relations]
        for expression in expressions:
            found |= {abs(node) for _, node in walk(expression) if isinstance(node, float)}
    return found


def _named(text: str, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        plain = name.strip()
        if len(plain) >= 3 and re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", text, re.I):
            yield f"it names {plain!r}"


def _undefined(text: str, inputs: Sequence[Input], outputs: Sequence[Output]) -> Iterator[str]:
    parts = [*((i.name, i.unit) for i in inputs), *((o.name, o.unit) for o in outputs)]
    for name, unit in parts:
        if f"`{name}`" not in text or unit not in text:
            yield f"{name!r} is not defined with its unit {unit!r}"
    printed = numbers_in([text])
    for i in inputs:
        missing = [number_text(v) for v in _ends(i.domain) if not is_printed(v, printed)]
        if missing:
            yield f"the range of {i.name!r} is not given: {', '.join(missing)} is missing"


def _ends(domain: Domain) -> tuple[float, ...]:
    return domain.choices if isinstance(domain, Choices) else (domain.low, domain.high)


def _without_units(text: str, units: Sequence[str]) -> str:
    bare = text
    for unit in sorted({u for u in units if len(u) > 1}, key=len, reverse=True):
        bare = re.sub(rf"(?<![\w/^*]){re.escape(unit)}(?![\w/^*])", " ", bare)
    return bare


def _phrase(text: str) -> str:
    return " ".join(text.split()).rstrip(".;, ")


def _range_text(part: Input) -> str:
    if isinstance(part.domain, Choices):
        values = ", ".join(number_text(value) for value in part.domain.choices)
        return f"One of {values}; {_unit_text(part.unit)}."
    low, high = number_text(part.domain.low), number_text(part.domain.high)
    return f"Any value from {low} to {high}; {_unit_text(part.unit)}."


def _reading_text(part: Output) -> str:
    if part.resolution is None:
        return f"In full precision; {_unit_text(part.unit)}."
    return f"Read in steps of {number_text(part.resolution)}; {_unit_text(part.unit)}."


def _unit_text(unit: str) -> str:
    return "unit 1 (a pure number)" if unit == "1" else f"unit {unit}"


def _fixed_conditions(card: Card | HistoricalCard) -> tuple[str, ...]:
    """Fixed conditions that say nothing about the law: others are left out, not reworded."""
    if isinstance(card, HistoricalCard):
        return ()
    numbers = {parameter.value for parameter in card.parameters}
    for relation in card.relations:
        numbers |= {n for _, n in walk(relation.expression) if isinstance(n, float)}
    kept = []
    for part in card.fixed_conditions:
        printed = numbers_in([part.statement])
        leaks = any(is_printed(n, printed, signed=False) for n in numbers - _COMMON)
        if not leaks and not any(_words(part.statement)):
            kept.append(part.statement)
    return tuple(kept)


__all__ = (
    "FUNCTIONAL",
    "Input",
    "Output",
    "background_text",
    "check_background",
    "column_text_faults",
    "interface_of",
)
