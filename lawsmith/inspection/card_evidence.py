"""A draft beside its packet: each fact with the lines it rests on and how its numbers were found.

Everything is looked up again in the frozen packet: nothing here is taken on trust from a model
or from what a gate stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lawsmith.curation.admission import STATEMENT_TABLES, STRUCTURAL
from lawsmith.curation.evidence import SearchView, fold, folded, is_printed, numbers_in, place_quote
from lawsmith.errors import ParseError, UnitError
from lawsmith.expressions import number_text, parse_infix
from lawsmith.units import constants, convert
from schemas.card import AnchorDraft, CardDraft, ControlDraft, ParameterDraft
from schemas.expression import walk
from schemas.packet import Packet

LONGEST_NUMERAL: Final = 6
"""Words of a line that one printed number may be spread over, as in 1.5 × 10 ^ -3 Pa."""


@dataclass(frozen=True)
class Line:
    """One packet line."""

    number: int
    text: str
    marks: tuple[tuple[int, int], ...]
    """[start, end) of the quotation in `text`."""


@dataclass(frozen=True)
class Evidence:
    """One anchor as code finds it now."""

    claimed: tuple[int, int]
    """First and last line that the model gave."""
    found: str
    """`as claimed`, `moved to lines a-b`, or why the quotation counts as nowhere."""
    quote: str
    support: str
    where: str
    """Page and section of the first line, as far as the packet knows them."""
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class NumberSeen:
    """One number of a fact."""

    what: str
    value: str
    how: str
    """Where it is printed and as what, by which rule it needs no print, or that it is missing."""
    found: bool


@dataclass(frozen=True)
class Fact:
    """One fact of a card with all that speaks for it."""

    path: str
    """JSON Pointer into the draft, as the gates name it."""
    kind: str
    value: str
    notes: tuple[str, ...]
    numbers: tuple[NumberSeen, ...]
    evidence: tuple[Evidence, ...]


def facts_of(draft: CardDraft, packet: Packet) -> tuple[Fact, ...]:
    """Every fact of a draft beside the packet, in the order of the schema."""
    bench = _Bench(packet, SearchView(packet))
    return tuple(
        Fact(path, kind, value, tuple(notes), tuple(bench.numbers(numbers, anchors)), evidence)
        for path, kind, value, notes, numbers, anchors in _parts(draft)
        for evidence in (bench.evidence(path, anchors),)
    )


def lines_beside(packet: Packet, first: int, last: int, quote: str | None) -> tuple[Line, ...]:
    """Packet lines (1-based, inclusive) with a quotation marked; foreign lines are left out."""
    first, last = max(first, 1), min(last, len(packet.lines))
    marks = _marks(packet.lines[first - 1 : last], quote) if quote else {}
    return tuple(
        Line(number, packet.lines[number - 1], marks.get(number - first, ()))
        for number in range(first, last + 1)
    )


def _marks(lines: Sequence[str], quote: str) -> dict[int, tuple[tuple[int, int], ...]]:
    """Line index -> the part of it that a quotation covers."""
    view = folded([(char, n) for n, char in enumerate("\n".join(lines))])
    wanted = fold(quote)
    at = view.text.find(wanted) if wanted else -1
    if at < 0:
        return {}
    start, end = view.owners[at], view.owners[at + len(wanted) - 1] + 1
    found: dict[int, tuple[tuple[int, int], ...]] = {}
    offset = 0
    for n, line in enumerate(lines):
        low, high = max(start - offset, 0), min(end - offset, len(line))
        if low < high:
            found[n] = ((low, high),)
        offset += len(line) + 1
    return found


_Number = tuple[str, float | None, str]
"""What it is, its value, and a rule by which it need not be printed (empty: it must be)."""
_Part = tuple[str, str, str, list[str], list[_Number], Sequence[AnchorDraft]]


@dataclass(frozen=True)
class _Bench:
    packet: Packet
    view: SearchView

    def evidence(self, path: str, anchors: Sequence[AnchorDraft]) -> tuple[Evidence, ...]:
        return tuple(self._evidence(path, anchor) for anchor in anchors)

    def _evidence(self, path: str, anchor: AnchorDraft) -> Evidence:
        claimed = (anchor.first_line, anchor.last_line)
        placed = place_quote(anchor.quote, *claimed, self.packet, self.view, path)
        first, last = placed.first_line, placed.last_line
        found = "as claimed"
        if placed.reason is not None:
            found = placed.reason.sentence
        elif placed.repaired:
            found = f"moved to lines {first}-{last}: the quotation stands there alone"
        inside = 1 <= first <= last <= len(self.packet.lines) and last - first < 40
        lines = lines_beside(self.packet, first, last, anchor.quote) if inside else ()
        where = self._where(first) if inside else ""
        return Evidence(claimed, found, anchor.quote, anchor.support, where, lines)

    def _where(self, line: int) -> str:
        page, section = self.packet.pages[line - 1], self.packet.sections[line - 1]
        parts = [f"page {page}" if page is not None else "", section or ""]
        return ", ".join(part for part in parts if part)

    def numbers(
        self, numbers: Sequence[_Number], anchors: Sequence[AnchorDraft]
    ) -> Iterator[NumberSeen]:
        shown = {
            line.number: line.text for item in self.evidence("", anchors) for line in item.lines
        }
        for what, value, rule in numbers:
            if value is None:
                continue
            how = rule or printed_as(value, shown)
            yield NumberSeen(what, number_text(value), how or "not printed there", bool(how))


def printed_as(value: float, lines: dict[int, str]) -> str:
    """Where a number is printed and as what: the shortest run of words that states it."""
    for number, text in sorted(lines.items()):
        if not is_printed(value, numbers_in([text]), signed=False):
            continue
        words = text.split()
        for length in range(1, LONGEST_NUMERAL + 1):
            for start in range(len(words) - length + 1):
                piece = " ".join(words[start : start + length])
                if is_printed(value, numbers_in([piece])):
                    return f"line {number}, as “{piece[:60]}”"
        return f"line {number}"
    whole = [text for _, text in sorted(lines.items())]
    return "across the lines" if is_printed(value, numbers_in(whole), signed=False) else ""


def _parts(draft: CardDraft) -> Iterator[_Part]:
    yield from _laws(draft)
    for i, control in enumerate(draft.controls):
        path = f"/controls/{i}"
        notes = [f"symbol {control.symbol}", control.meaning, *(["inert"] if control.inert else [])]
        notes += [f"kind {control.kind or 'not stated'}"]
        notes += [f"range from {control.range_source or 'a place not stated'}"]
        numbers = [("low", control.low, ""), ("high", control.high, "")]
        numbers += [("choice", value, "") for value in control.choices or ()]
        yield path, "control", _domain(control), notes, numbers, control.anchors
    for i, readout in enumerate(draft.readouts):
        notes = [f"symbol {readout.symbol}", readout.definition]
        if readout.uncertainty is not None:
            notes.append(f"uncertainty {readout.uncertainty!r} ({readout.uncertainty_kind})")
        if readout.resolution is not None:
            notes.append(f"resolution {readout.resolution!r}")
        numbers = [("resolution", readout.resolution, ""), ("uncertainty", readout.uncertainty, "")]
        value = f"{readout.name} [{readout.unit}]"
        yield f"/readouts/{i}", "readout", value, notes, numbers, readout.anchors
    for i, parameter in enumerate(draft.parameters):
        yield _parameter(f"/parameters/{i}", parameter)
    yield from _conditions(draft)


def _laws(draft: CardDraft) -> Iterator[_Part]:
    for i, law in enumerate(draft.relations):
        notes = [f"status {law.status}", f"origin: {law.origin}"]
        value = f"{law.readout} = {law.expression}"
        yield f"/relations/{i}", "relation", value, notes, _literals(law.expression), law.anchors
    for i, item in enumerate(draft.definitions):
        value = f"{item.name} [{item.unit}] = {item.expression}"
        numbers = _literals(item.expression)
        yield f"/definitions/{i}", "definition", value, [item.meaning], numbers, item.anchors
    for i, same in enumerate(draft.consistency):
        numbers = [*_literals(same.left), *_literals(same.right)]
        value = f"{same.left} = {same.right}"
        yield f"/consistency/{i}", "identity", value, [], numbers, same.anchors


def _conditions(draft: CardDraft) -> Iterator[_Part]:
    for i, limit in enumerate(draft.constraints):
        value, numbers = f"{limit.expression} >= 0", _literals(limit.expression)
        yield f"/constraints/{i}", "constraint", value, [limit.meaning], numbers, limit.anchors
    yield from _claims(draft)
    anchors = draft.sampling_anchors
    yield "/sampling", "sampling", f"control values: {draft.sampling}", [], [], anchors
    for table in STATEMENT_TABLES:
        for i, item in enumerate(getattr(draft, table)):
            kind = table.replace("_", " ")
            yield f"/{table}/{i}", kind, item.statement, [], [], item.anchors


def _claims(draft: CardDraft) -> Iterator[_Part]:
    """Printed tuples, necessary properties and worked values."""
    numbers: list[_Number]
    for i, choice in enumerate(draft.joint_choices):
        value = ", ".join(f"{part.control} = {number_text(part.value)}" for part in choice.values)
        numbers = [(part.control, part.value, "") for part in choice.values]
        yield f"/joint_choices/{i}", "joint choice", value, [], numbers, choice.anchors
    for i, item in enumerate(draft.necessary):
        stated = item.model_dump(exclude={"readout", "kind", "anchors"}, exclude_none=True)
        value = f"{item.readout}: " + ", ".join(f"{name} {given}" for name, given in stated.items())
        numbers = [
            (name, given, "0 and 1 may stand behind words" if given in (0.0, 1.0) else "")
            for name, given in stated.items()
            if isinstance(given, float)
        ]
        yield f"/necessary/{i}", f"necessary {item.kind}", value, [], numbers, item.anchors
    for i, worked in enumerate(draft.worked_values):
        setting = (
            f"{part.name} = {number_text(part.value)} {part.unit}" for part in worked.setting
        )
        value = f"{worked.readout} = {number_text(worked.value)} {worked.unit}"
        numbers = [(part.name, part.value, "") for part in worked.setting]
        numbers += [("value", worked.value, ""), ("uncertainty", worked.uncertainty, "")]
        notes = [f"at {', '.join(setting)}"]
        yield f"/worked_values/{i}", "worked value", value, notes, numbers, worked.anchors


def _domain(control: ControlDraft) -> str:
    head = f"{control.name} [{control.unit}]"
    if control.choices is not None:
        return f"{head} in {', '.join(number_text(value) for value in control.choices)}"
    ends = ["?" if end is None else number_text(end) for end in (control.low, control.high)]
    return f"{head} from {ends[0]} to {ends[1]}"


def _parameter(path: str, parameter: ParameterDraft) -> _Part:
    notes = [f"symbol {parameter.symbol}", parameter.meaning]
    notes.append(f"{parameter.role}, {'fixed' if parameter.fixed else 'varied by the source'}")
    value, rule = parameter.value, ""
    if parameter.universal_constant is not None:
        value = _codata(parameter)
        rule = f"CODATA 2022 value of {parameter.universal_constant}"
    elif parameter.derivation is not None:
        rule = f"computed: {parameter.derivation}"
    text = "no value" if value is None else number_text(value)
    spread = "" if parameter.uncertainty is None else f" ± {number_text(parameter.uncertainty)}"
    numbers = [("value", value, rule), ("uncertainty", parameter.uncertainty, "")]
    shown = f"{parameter.name} = {text}{spread} [{parameter.unit}]"
    return path, "parameter", shown, notes, numbers, parameter.anchors


def _codata(parameter: ParameterDraft) -> float | None:
    wanted = str(parameter.universal_constant).lower().replace(" ", "_")
    known = {name.lower(): entry for name, entry in constants().items()}
    entry = known.get(wanted)
    if entry is None:
        return None
    try:
        return convert(entry.value, entry.unit, parameter.unit)
    except UnitError:
        return None  # The gates say what is wrong with the unit; there is no value to show.


def _literals(text: str) -> list[_Number]:
    """The numbers of a formula; one that cannot be read has none to show."""
    try:
        expression = parse_infix(text)
    except ParseError:
        return []
    found = {float(node) for _, node in walk(expression) if isinstance(node, int | float)}
    return [
        ("number", value, "part of the formula's structure" if abs(value) in STRUCTURAL else "")
        for value in sorted(found)
    ]


__all__ = (
    "Evidence",
    "Fact",
    "Line",
    "NumberSeen",
    "facts_of",
    "lines_beside",
    "printed_as",
)
